//! Specification of a blend space, as stored in files.

use serde::{Deserialize, Serialize};

/// A blend space. Samples are given either with their parameters (`samples`) or by measurement of clips (`from_clips`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSpaceSpec {
    /// Name, for messages and references.
    pub name: String,
    /// One or two parameters: names of variables, or of terms of the body ([`crate::machine::condition`]).
    pub parameters: Vec<String>,
    /// Clips and their parameters. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<BlendSample>,
    /// Clips whose parameters are measured. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_clips: Option<FromClips>,
    /// Synchronisation of the clips. Default: `phase`.
    #[serde(default)]
    pub sync: Sync,
    /// Half-life with which the parameters follow their variables, in seconds, 0 or more. Feet slide while weights change; a
    /// longer half-life makes the sliding slower. Default: 0.1.
    #[serde(default = "default_smoothing")]
    pub smoothing_half_life_s: f32,
    /// Minimum and maximum of each parameter; values outside are clamped. Distances (to find neighbouring samples and the nearest
    /// point of the border) are measured as shares of these ranges. Default: the range of the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Vec<[f32; 2]>>,
}

fn default_smoothing() -> f32 {
    0.1
}

/// A clip with its parameters in a blend space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSample {
    /// Name of a clip.
    pub clip: String,
    /// Value of each parameter.
    pub at: Vec<f32>,
    /// Plays the mirror image of the clip; requires a database with mirror images. Default: false.
    #[serde(default)]
    pub mirrored: bool,
}

/// Clips whose parameters are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromClips {
    /// Names of clips, or patterns in which `*` stands for any text: `walk_*_loop`.
    pub clips: Vec<String>,
    /// Measure for each parameter, in the order of the parameters.
    pub measure: Vec<Measure>,
    /// Adds the mirror image of each clip whose parameters change in the mirror; requires a database with mirror images. Default:
    /// false.
    #[serde(default)]
    pub both_sides: bool,
}

/// A mean of a clip's root motion over the whole clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Horizontal speed, m/s.
    SpeedMps,
    /// Velocity along the facing, m/s.
    ForwardMps,
    /// Velocity to the left of the facing, m/s.
    SideMps,
    /// Turn rate, degrees per second, left positive.
    TurnDegps,
    /// Lean into the turn that balances the centrifugal force, degrees, left positive; computed from speed and turn rate.
    BankDeg,
    /// Angle of ascent against the horizontal path, degrees.
    SlopeDeg,
}

/// Synchronisation of the samples of a blend space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// By footfalls: for loops of walking and running. Samples without footfalls advance at a constant pace.
    #[default]
    Phase,
    /// Each sample plays the same share of its length. Either all clips are loops or none is.
    Time,
    /// Each sample plays by its own time from the start of the state: for still poses, breathing and aims.
    None,
}
