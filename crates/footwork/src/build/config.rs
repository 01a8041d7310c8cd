//! How a database is built. Every key has a default; unknown keys are errors.

use crate::database::MirrorMode;
use crate::schema::{ChannelSpec, Normalization, Preset, PropSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[build]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildConfig {
    /// Poses per second in the database. Default: the fastest source's rate, at most 60.
    pub pose_rate_hz: Option<f32>,
    /// Rows of the feature matrix per second. Default 30: twice as many rows cost twice the memory and find little more.
    pub search_rate_hz: f32,
    /// Joints by role, where names do not tell: `left_foot = "LeftFoot"`.
    pub roles: BTreeMap<String, String>,
    /// Where the character's root is.
    pub root: RootConfig,
    /// `off` (default), `stored` (more rows) or `query` (more search).
    pub mirror: MirrorMode,
    /// Joint pairs that names do not tell: `[["armA", "armB"]]`.
    pub mirror_pairs: Vec<[String; 2]>,
    /// Makes offset and scale of the features the same for both sides, unless `mirror` is off. Default true.
    pub symmetric_normalization: bool,
    /// When feet touch the ground.
    pub contacts: ContactConfig,
    /// Continues the root beyond the ends of clips, so that a clip's last second is no false stop. Where false, rows
    /// whose trajectory leaves the clip are not jumped to. Default true.
    pub extrapolate_ends: bool,
    /// Takes clips for loops whose end leads back into their start as smoothly as they move elsewhere, where nobody says
    /// whether they are. Default true.
    pub find_loops: bool,
    /// Leaves out what other clips show as well. Off where the table is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<PruneConfig>,
    /// In-betweens of loops, as clips of their own.
    pub blend_spaces: Vec<BlendSpace>,
    /// What is matched.
    pub schema: SchemaConfig,
    /// Facts about clips by name.
    pub clips: Vec<ClipRule>,
}

impl Default for BuildConfig {
    fn default() -> Self {
        Self {
            pose_rate_hz: None,
            search_rate_hz: 30.0,
            roles: BTreeMap::new(),
            root: RootConfig::default(),
            mirror: MirrorMode::Off,
            mirror_pairs: Vec::new(),
            symmetric_normalization: true,
            contacts: ContactConfig::default(),
            extrapolate_ends: true,
            find_loops: true,
            prune: None,
            blend_spaces: Vec::new(),
            schema: SchemaConfig::default(),
            clips: Vec::new(),
        }
    }
}

impl BuildConfig {
    /// True for a clip that another continues into or that a blend space is made of.
    pub fn builds_upon(&self, clip: &str) -> bool {
        let named = |name: &Option<String>| name.as_deref() == Some(clip);
        self.clips.iter().any(|r| named(&r.before) || named(&r.after))
            || self.blend_spaces.iter().flat_map(|s| &s.clips).any(|p| p.clip == clip)
    }
}

/// How the root comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootMode {
    /// `existing` where joint 0 stays on the ground, else `synthesize`.
    #[default]
    Auto,
    /// Joint 0 of the clips is the root; only its facing is put right.
    Existing,
    /// A new joint 0 under the body.
    Synthesize,
}

/// The `[build.root]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RootConfig {
    /// Default `auto`.
    pub mode: RootMode,
    /// Joint or role whose ground projection is followed when synthesizing. Default: the chest, else the hips.
    pub joint: Option<String>,
    /// Smoothing of the position, seconds (Savitzky-Golay, order 3). Default 0.5.
    pub position_window_s: f32,
    /// Smoothing of the facing, seconds. Default 1.
    pub facing_window_s: f32,
    /// Turn from joint 0's own +Z to where the body faces, degrees about +Y. Default: found from hips and travel.
    pub forward_deg: Option<f32>,
    /// Gives clips that were made on the spot the speed that their standing feet slide back with; one speed per clip. Default:
    /// for loops whose feet clearly tread, with a warning.
    pub speed_from_feet: Option<bool>,
}

impl Default for RootConfig {
    fn default() -> Self {
        Self {
            mode: RootMode::Auto,
            joint: None,
            position_window_s: 0.5,
            facing_window_s: 1.0,
            forward_deg: None,
            speed_from_feet: None,
        }
    }
}

/// The `[build.contacts]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContactConfig {
    /// Joints or roles that touch the ground. Default: toes, else feet.
    pub joints: Vec<String>,
    /// Slower than this touches, m/s. Default 0.15.
    pub speed_mps: f32,
    /// Higher than this over the joint's lowest (5th percentile of the clip) does not touch, metres. Default 0.12.
    pub height_m: f32,
    /// Median filter against flicker, seconds. Default 0.1.
    pub window_s: f32,
}

impl Default for ContactConfig {
    fn default() -> Self {
        Self { joints: Vec::new(), speed_mps: 0.15, height_m: 0.12, window_s: 0.1 }
    }
}

/// The `[build.prune]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PruneConfig {
    /// Rows as near as this to those of an earlier clip show the same, in the units of the normalised features. Default 0.05:
    /// copies, and copies of copies; 0.5 takes different takes of the same motion.
    pub distance: f32,
    /// Shorter stretches stay, seconds. Default 0.5.
    pub run_s: f32,
}

impl Default for PruneConfig {
    fn default() -> Self {
        Self { distance: 0.05, run_s: 0.5 }
    }
}

/// An entry of `[[build.blend_spaces]]`: loops along an axis, and how many clips to make between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSpace {
    /// The clips made are called `name_<place>`.
    pub name: String,
    /// What the places measure, for people: `speed`, `turn`.
    #[serde(default)]
    pub axis: String,
    /// Two loops or more.
    pub clips: Vec<BlendPoint>,
    /// Clips to be made, at even distances between the first and the last. Those at the place of a clip are left out.
    pub steps: usize,
}

/// A loop of a blend space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendPoint {
    /// Clip.
    pub clip: String,
    /// Its place on the axis.
    pub at: f32,
}

/// The `[build.schema]` table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SchemaConfig {
    /// `holden` (default), `o3de` or `quadruped`; left out where `channels` are given.
    pub preset: Option<Preset>,
    /// Channels of your own, after those of the preset if both are given.
    pub channels: Vec<ChannelSpec>,
    /// Points held by joints, to be named by channels.
    pub props: Vec<PropSpec>,
    /// Default `block`.
    pub normalization: Normalization,
}

impl SchemaConfig {
    /// Preset and own channels together.
    pub fn all_channels(&self) -> Vec<ChannelSpec> {
        let preset = match (self.preset, self.channels.is_empty()) {
            (Some(p), _) => Some(p),
            (None, true) => Some(Preset::default()),
            (None, false) => None,
        };
        let mut all = preset.map(Preset::channels).unwrap_or_default();
        all.extend(self.channels.iter().cloned());
        all
    }
}

/// Facts about clips: an entry of `[[build.clips]]`, or the content of `<clip>.tags.toml` beside a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClipRule {
    /// Clips meant, `*` for any run of characters. Default `*`.
    pub name: String,
    /// Whether the last frame leads back to the first. Default: what the source says, else what is found.
    #[serde(rename = "loop")]
    pub looping: Option<bool>,
    /// The clip that its first frame comes from: its end becomes the past of this clip's start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The clip that its last frame leads to: its start becomes the future of this clip's end, and is played on into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Tags, over the whole clip or a part of it.
    pub tags: Vec<TagSpec>,
    /// `[[start, end], ..]` seconds that are cut out.
    pub discard: Vec<[f32; 2]>,
    /// `[[start, end], ..]` seconds that may be played but not jumped to.
    pub do_not_enter: Vec<[f32; 2]>,
    /// What jumping there costs, over the whole clip or a part of it.
    pub costs: Vec<CostSpec>,
    /// Named moments.
    pub events: Vec<EventSpec>,
    /// Functions of time, by keys.
    pub curves: Vec<CurveSpec>,
}

impl Default for ClipRule {
    fn default() -> Self {
        Self {
            name: "*".to_owned(),
            looping: None,
            before: None,
            after: None,
            tags: Vec::new(),
            discard: Vec::new(),
            do_not_enter: Vec::new(),
            costs: Vec::new(),
            events: Vec::new(),
            curves: Vec::new(),
        }
    }
}

/// A tag over a part of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagSpec {
    /// Tag.
    pub name: String,
    /// Default: the clip's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f32>,
    /// Default: the clip's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_s: Option<f32>,
}

/// A cost of jumping to a part of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostSpec {
    /// Added to the cost of a jump, in the squared units of the normalised features, 0 or more. Where parts overlap, their
    /// costs add up.
    pub cost: f32,
    /// Default: the clip's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f32>,
    /// Default: the clip's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_s: Option<f32>,
}

/// A named moment of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSpec {
    /// Event.
    pub name: String,
    /// When.
    pub time_s: f32,
}

/// A function of time by keys: `keys = [[time, value, ..], ..]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveSpec {
    /// Name; a user channel of the same name takes its values.
    pub name: String,
    /// Rising times, seconds, each with its value(s).
    pub keys: Vec<Vec<f32>>,
}

/// True when `name` fits `pattern`, in which `*` stands for any run of characters.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        if i + 1 == parts.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_with_stars() {
        for (p, n, fits) in [
            ("*", "walk", true),
            ("walk*", "walk_2", true),
            ("walk*", "a_walk", false),
            ("*walk", "a_walk", true),
            ("w*k", "walk", true),
            ("w*l*k", "walk", true),
            ("walk", "walk2", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_pattern(p, n), fits, "{p} {n}");
        }
    }
}
