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
}

impl Default for GaitOptions {
    fn default() -> Self {
        Self { seed: 1, rate_hz: 60.0, routes: true, terrain: false }
    }
}
