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
    /// Includes slopes and stairs, tagged `slope` and `stairs`. Default: false; a character on level ground does not need
    /// them.
    pub terrain: bool,
    /// Includes a crouch: standing, walking, turning, down and up, tagged `crouch`, `crouched` while down and,
    /// on the way up, `stand_up`. Default:
    /// false. Queries leave these clips out, unless they ask for one of the two tags.
    pub crouch: bool,
    /// Includes takes of the upper body, tagged `upper_body`: a grid of poses that aim, a wave, a reload, a look around.
    /// Default: false. Queries leave these clips out, unless they ask for one of their tags.
    pub gestures: bool,
    /// Includes loops in every direction and along curves, tagged `cycle`: what blend spaces of a state machine play. Default:
    /// false. Queries leave these clips out, unless they ask for the tag.
    pub cycles: bool,
    /// Includes actions with contacts, one tag each: `jump`, `hurdle`, `vault`, `mantle`, `climb`, `drop`, `step_up`, `step_down`,
    /// `sit`, `get_up` (from a seat), `pick_up`, `push`, `handshake`. Default: false. Queries leave these clips out, unless they ask for
    /// one of their tags.
    pub actions: bool,
}

impl GaitOptions {
    /// The built-in data of the command line, the studio and the plugin for Bevy: all but actions, which no character plays by itself. One
    /// set for all of them, so that each reads the recordings of the others.
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
