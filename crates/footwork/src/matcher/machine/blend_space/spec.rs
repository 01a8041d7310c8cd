//! What a blend space is made of, as files have it.

use serde::{Deserialize, Serialize};

/// A blend space. Samples are given by place (`samples`), or by what clips do (`from_clips`); one of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSpaceSpec {
    /// Name, for messages and references.
    pub name: String,
    /// What chooses the place, one or two: names of variables, or of terms of the body ([`crate::machine::condition`]).
    pub parameters: Vec<String>,
    /// Clips and their places. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<BlendSample>,
    /// Clips that are placed by what they do. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_clips: Option<FromClips>,
    /// How the times of clips belong together. Default: `phase`.
    #[serde(default)]
    pub sync: Sync,
    /// Half-life in seconds with which the parameters follow their variables, 0 or more. Feet slide while weights change: the
    /// longer, the slower. Default: 0.1.
    #[serde(default = "default_smoothing")]
    pub smoothing_half_life_s: f32,
    /// Least and greatest value of each parameter; values beyond are cut off. Distances (which samples are neighbours, and which
    /// place of the border is nearest) are shares of these ranges. Default: what the samples cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Vec<[f32; 2]>>,
}

fn default_smoothing() -> f32 {
    0.1
}

/// A clip at a place of a blend space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSample {
    /// Name of a clip.
    pub clip: String,
    /// Value of each parameter.
    pub at: Vec<f32>,
    /// Plays the clip as in a mirror; needs a database with mirror images. Default: false.
    #[serde(default)]
    pub mirrored: bool,
}

/// Clips that are placed by what they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromClips {
    /// Names of clips, or patterns in which `*` stands for any text: `walk_*_loop`.
    pub clips: Vec<String>,
    /// What each parameter is, in their order.
    pub measure: Vec<Measure>,
    /// Adds the mirror image of every clip that is at another place in the mirror; needs a database with mirror images. Default:
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
    /// Turn to the left, degrees per second.
    TurnDegps,
    /// The lean into the turn at which what pulls outwards is balanced, degrees, left positive: from speed and turn.
    BankDeg,
    /// Ascent over horizontal way, degrees.
    SlopeDeg,
}

/// How the times of the samples of a blend space belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// By footfalls: loops of walking and running. Samples without footfalls go along at an even pace.
    #[default]
    Phase,
    /// Each sample is at the same share of its length. All are loops, or none is.
    Time,
    /// Each sample plays by its own time, which starts with the state: still poses, breathing, aims.
    None,
}
