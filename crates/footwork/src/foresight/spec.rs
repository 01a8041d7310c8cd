//! Input of a table of values.

use crate::database::AcceptedTags;

/// Input of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ForesightSpec {
    /// Commanded speeds of the table, m/s, beside 0: a walk and a run at full stick. Between them values are interpolated.
    pub speeds_mps: [f32; 2],
    /// `[columns]` weights of the features by which poses are compared: 0 for trajectories.
    pub multipliers: Vec<f32>,
    /// Tags of the segments that may be entered.
    pub tags: AcceptedTags,
    /// Number of rows at the end of each non-looping clip that are not entered.
    pub end_exclusion_rows: usize,
}

impl ForesightSpec {
    /// Speed that an error of the facing by one radian counts as, m/s.
    pub const TURN_MPS: f32 = 1.0;
    /// Distance that a transition between poses counts as if their features are 1 apart (squared, normalised), metres.
    pub const JUMP_M: f32 = 0.05;
    /// Time after which a loss counts half, seconds.
    pub const HALF_LIFE_S: f32 = 2.0;
}
