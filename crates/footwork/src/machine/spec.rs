//! Specification of a state machine: plain data, stored as TOML.

use super::blend_space::BlendSpaceSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A state machine with layers: states, the transitions between them, and montages that play over any state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MachineSpec {
    /// Variables that the game sets, with their default values.
    pub variables: BTreeMap<String, f32>,
    /// Triggers that the game fires, with the seconds for which a fired trigger stays pending. 0: until the next control tick.
    pub triggers: BTreeMap<String, f32>,
    /// Initial state. Default: the first state.
    pub start: Option<String>,
    /// States.
    pub states: Vec<StateSpec>,
    /// Transitions. If several are possible, the first of the list is taken.
    pub transitions: Vec<TransitionSpec>,
    /// Blend spaces that states and layers play.
    pub blend_spaces: Vec<BlendSpaceSpec>,
    /// Layers, the lowest first.
    pub layers: Vec<LayerSpec>,
    /// Montages.
    pub montages: Vec<MontageSpec>,
}

impl MachineSpec {
    /// Returns the number of numeric values, without the thresholds of conditions.
    pub(crate) fn numbers(&self) -> usize {
        fn count(value: &serde_json::Value) -> usize {
            match value {
                serde_json::Value::Number(_) => 1,
                serde_json::Value::Array(all) => all.iter().map(count).sum(),
                serde_json::Value::Object(all) => all.values().map(count).sum(),
                _ => 0,
            }
        }
        serde_json::to_value(self).map_or(0, |value| count(&value))
    }
}

/// A state. Exactly one of `match`, `clip`, `blend_space` and `machine` defines its motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateSpec {
    /// Name. In a machine inside a state, the full name is `outer/inner`.
    pub name: String,
    /// Motion matching over the rows that this tag query accepts. An empty query accepts all rows.
    #[serde(rename = "match")]
    pub matching: Option<String>,
    /// In motion matching: the playing clip continues without search while the query accepts it and it has not ended. Use it for
    /// clips that lead from one stance to another, which a search would otherwise restart. Default: false.
    pub once: bool,
    /// In motion matching: factors on the channel costs of the settings.
    pub channel_cost: BTreeMap<String, f32>,
    /// A clip that plays from its start, or a random one of several; the same clip is never picked twice in a row.
    pub clip: Option<OneOrMany>,
    /// Start time in the clip, in seconds. Default: 0.
    pub from_s: f32,
    /// Plays the mirror image of the clip. Default: false.
    pub mirrored: bool,
    /// Name of a blend space.
    pub blend_space: Option<String>,
    /// A machine inside this state. It restarts whenever the state is entered.
    pub machine: Option<PartSpec>,
    /// Play rate of a clip or blend space. 1 is the captured speed. Default: 1.
    pub rate: Option<f32>,
    /// Maximum speed of the simulated character in this state, in m/s; goals are limited to it. Default: no limit.
    pub max_speed_mps: Option<f32>,
    /// If true, the simulated character follows the animation and the goal has no effect. If false, the root follows the
    /// simulated character, however little the animation moves. Default: true for clips, else false.
    pub root_motion: Option<bool>,
    /// Range of the random time after which the term `stayed` is true, in seconds.
    pub stay_s: Option<[f32; 2]>,
}

/// States and transitions inside a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PartSpec {
    /// Initial state. Default: the first state.
    pub start: Option<String>,
    /// States.
    pub states: Vec<StateSpec>,
    /// Transitions between the states. Transitions of the outer machine take precedence.
    pub transitions: Vec<TransitionSpec>,
}

/// One name or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All names.
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

/// A transition. The previous motion is blended out as at any other transition of the character, within `blend_s` if that is
/// given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransitionSpec {
    /// States that it leaves. Default: any state.
    pub from: Option<OneOrMany>,
    /// Target state.
    pub to: String,
    /// Condition. Default: always true. See [`super::condition`].
    pub when: Option<String>,
    /// Time after the transition during which only transitions with `interrupts` are taken, in seconds. Default: 0.
    pub hold_s: Option<f32>,
    /// Time in which the previous motion is blended out, in seconds. A quintic or dead blend has ended after it; a spring retains
    /// 2.6 % of its offset (its half-life is a quarter of this time). Range: 1e-3 to 5. Default: the time of the settings
    /// (`matcher.transition`).
    pub blend_s: Option<f32>,
    /// If true, the transition is also taken during the `hold_s` of another one. Default: false.
    pub interrupts: bool,
}

/// A layer over the states. It modifies their pose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LayerSpec {
    /// Name.
    pub name: String,
    /// Weights of joints, 0 to 1, by name or role. A joint without an entry has the weight of its nearest ancestor that has one.
    /// `upper_body` names all joints except the legs, their descendants and their ancestors. An empty mask includes all joints.
    pub mask: BTreeMap<String, f32>,
    /// If true, the difference of the layer's motion from a reference pose is added to the pose; if false, the motion replaces
    /// the pose. Default: false.
    pub additive: bool,
    /// Space in which rotations are blended. Default: local.
    pub space: Space,
    /// The clip whose first frame is the reference of an additive layer. Default: the playing clip.
    pub reference: Option<String>,
    /// Looping clip of the layer itself, shown while the layer has no montage.
    pub clip: Option<String>,
    /// Blend space of the layer itself, shown while the layer has no montage.
    pub blend_space: Option<String>,
    /// If true, the clip is synchronised with the steps of the body instead of the clock. Default: false.
    pub in_step: bool,
    /// Weight of the clip or blend space: a number, or the name of a variable or of a term of the body (see
    /// [`super::condition`]). Default: 1.
    pub weight: Option<Weight>,
    /// Half-life with which the weight follows its variable, in seconds. Default: 0.1.
    pub half_life_s: Option<f32>,
}

/// The space in which a layer blends rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Rotations relative to the parent joint: the layer's motion leans and sways with the body.
    #[default]
    Local,
    /// Rotations relative to the root: an aim keeps the direction of its clip, however the body leans.
    Root,
}

/// A number, or the name of its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Weight {
    /// A number.
    Number(f32),
    /// Name of a variable or of a term of the body.
    Name(String),
}

/// A clip that is played on a layer when a condition or the game starts it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MontageSpec {
    /// Name.
    pub name: String,
    /// The layer on which it plays.
    pub layer: String,
    /// The clip.
    pub clip: String,
    /// Plays the mirror image of the clip. Default: false.
    #[serde(default)]
    pub mirrored: bool,
    /// Condition that starts the montage when it becomes true. See [`super::condition`]. Default: started only by calls
    /// ([`super::MontageCalls`]).
    pub start: Option<String>,
    /// Condition that interrupts the montage.
    pub stop: Option<String>,
    /// Priority. The montage interrupts a montage on its layer whose priority is not higher. Default: 0.
    #[serde(default)]
    pub priority: i32,
    /// Play rate. Default: 1.
    pub rate: Option<f32>,
    /// If true, the root and the simulated character follow the clip, and the goal has no effect until the montage blends out.
    /// Default: false.
    #[serde(default)]
    pub root_motion: bool,
    /// Weights of joints, as in the mask of a layer; they multiply those of the layer. Default: all joints of the layer.
    #[serde(default)]
    pub mask: BTreeMap<String, f32>,
    /// Blend-in time, in seconds. Default: 0.2.
    pub blend_in_s: Option<f32>,
    /// Blend-out time, in seconds, both at the end of the clip and when the montage is interrupted. Default: 0.2.
    pub blend_out_s: Option<f32>,
    /// Sections. Default: one section, the whole clip.
    #[serde(default)]
    pub sections: Vec<SectionSpec>,
    /// Notifies, which are reported in addition to the events of the clip.
    #[serde(default)]
    pub notifies: Vec<NotifySpec>,
    /// Time windows whose begin and end are reported.
    #[serde(default)]
    pub windows: Vec<WindowSpec>,
}

/// A section of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Name.
    pub name: String,
    /// Start, in seconds of the clip.
    pub from_s: f32,
    /// End, in seconds of the clip. Default: the start of the next section, or the end of the clip.
    pub to_s: Option<f32>,
    /// Name of the section that follows; its own name makes a loop. Default: the next of the list; after the last section, the
    /// montage ends.
    pub next: Option<String>,
    /// Condition: while it is true at the section's end, the next section of the list follows instead.
    pub leave: Option<String>,
}

/// A notify of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifySpec {
    /// Name of the event.
    pub name: String,
    /// Time, in seconds of the clip.
    pub at_s: f32,
}

/// A time window of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSpec {
    /// Name of the event.
    pub name: String,
    /// Start, in seconds of the clip.
    pub from_s: f32,
    /// End, in seconds of the clip.
    pub to_s: f32,
}
