//! Options of the generator.

/// Options of the generator.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitOptions {
    /// Seed of the random routes and of the variation from step to step. Default: 1.
    pub seed: u64,
    /// Frames per second, in Hz. Default: 60, the highest rate of most games and published data.
    pub rate_hz: f32,
    /// Includes the random routes, about half of all frames. Default: true.
    pub routes: bool,
    /// Includes slopes and stairs, tagged `slope` and `stairs`. Default: false, since a character on level ground does not need
    /// them.
    pub terrain: bool,
    /// Includes a crouch: standing, walking, turning, down and up, tagged `crouch`, `crouched` while down, and `stand_up` while
    /// getting up. Default: false. Queries exclude these clips unless they request `crouch` or `stand_up`.
    pub crouch: bool,
    /// Includes takes of the upper body, tagged `upper_body`: a grid of aim poses, a wave, a reload, a look around. Default:
    /// false. Queries exclude these clips unless they request one of their tags.
    pub gestures: bool,
    /// Includes loops in every direction and along curves, tagged `cycle`, for blend spaces of a state machine. Default: false.
    /// Queries exclude these clips unless they request the tag.
    pub cycles: bool,
    /// Includes actions with contacts, one tag each: `jump`, `hurdle`, `vault`, `mantle`, `climb`, `drop`, `step_up`,
    /// `step_down`, `sit`, `get_up` (from a seat), `pick_up`, `push`, `handshake`. Default: false. Queries exclude these clips
    /// unless they request one of their tags.
    pub actions: bool,
}

impl GaitOptions {
    /// The built-in data of the command line, the studio and the plugin for Bevy: all but actions, which no character plays by
    /// itself. All of them use the same data, so that each can read the recordings of the others.
    pub const BUILT_IN: Self = Self {
        seed: 1,
        rate_hz: 60.0,
        routes: true,
        terrain: true,
        crouch: true,
        gestures: true,
        cycles: true,
        actions: false,
    };

    /// The built-in data with actions, for characters that are requested to jump, climb, sit and reach.
    pub const ACTIONS: Self = Self { actions: true, ..Self::BUILT_IN };
}

impl Default for GaitOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            rate_hz: 60.0,
            routes: true,
            terrain: false,
            crouch: false,
            gestures: false,
            cycles: false,
            actions: false,
        }
    }
}
