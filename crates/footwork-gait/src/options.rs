//! Options of the generator.

/// What to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitOptions {
    /// Seed of the random routes, and of what differs from step to step. Default 1.
    pub seed: u64,
    /// Frames per second. Default 60, what games and the published data run at or below.
    pub rate_hz: f32,
    /// Include the random routes, about half of all frames. Default true; tests that need little data leave them out.
    pub routes: bool,
    /// Include slopes and stairs, tagged `slope` and `stairs`. Default false: a character on level ground has no use for
    /// them.
    pub terrain: bool,
}

impl Default for GaitOptions {
    fn default() -> Self {
        Self { seed: 1, rate_hz: 60.0, routes: true, terrain: false }
    }
}
