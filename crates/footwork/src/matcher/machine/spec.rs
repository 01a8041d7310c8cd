//! What a machine is made from: plain data, as a TOML file holds it.

use super::blend_space::BlendSpaceSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A state machine with its layers: states and transitions between them, montages that play over any state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MachineSpec {
    /// What the game sets, and its value where the game sets nothing.
    pub variables: BTreeMap<String, f32>,
    /// What the game fires, and for how many seconds a trigger waits to be used; 0 is until the next control tick.
    pub triggers: BTreeMap<String, f32>,
    /// The state to begin in; the first where none is named.
    pub start: Option<String>,
    /// States.
    pub states: Vec<StateSpec>,
    /// Transitions. Where several may be taken, the first of them is.
    pub transitions: Vec<TransitionSpec>,
    /// Blend spaces that states and layers play.
    pub blend_spaces: Vec<BlendSpaceSpec>,
    /// Layers, the lowest first.
    pub layers: Vec<LayerSpec>,
    /// Montages.
    pub montages: Vec<MontageSpec>,
}

/// A state: exactly one of `match`, `clip`, `blend_space` and `machine` says what it plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateSpec {
    /// Name; in a machine inside a state, its full name is `outer/inner`.
    pub name: String,
    /// Motion matching over the rows that this tag query accepts; an empty query accepts all.
    #[serde(rename = "match")]
    pub matching: Option<String>,
    /// In motion matching: what plays goes on, without search, for as long as the query accepts it and it is not over. For ways
    /// from one stance to another, which would else begin anew. Default: false.
    pub once: bool,
    /// In motion matching, factors on the cost of channels, over those of the settings.
    pub channel_cost: BTreeMap<String, f32>,
    /// A clip from its start, or one of several, never the same twice in a row.
    pub clip: Option<OneOrMany>,
    /// Seconds of the clip at which it begins. Default 0.
    pub from_s: f32,
    /// The clip as seen in a mirror.
    pub mirrored: bool,
    /// A blend space, by name.
    pub blend_space: Option<String>,
    /// A machine inside this state: it begins anew whenever the state is entered.
    pub machine: Option<PartSpec>,
    /// How fast a clip or blend space plays; 1 is as captured. Default 1.
    pub rate: Option<f32>,
    /// No goal makes the simulated character faster, m/s: what the motion of the state can do. Default: any speed.
    pub max_speed_mps: Option<f32>,
    /// The simulated character goes where the animation goes, and the goal waits. Default: true for clips, else false. Without it, a
    /// clip or blend space is carried along: the root follows the simulated character, however little the animation moves.
    pub root_motion: Option<bool>,
    /// The term `stayed` holds after a random time between these, seconds.
    pub stay_s: Option<[f32; 2]>,
}

/// States and transitions inside a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PartSpec {
    /// The state to begin in; the first where none is named.
    pub start: Option<String>,
    /// States.
    pub states: Vec<StateSpec>,
    /// Transitions between them; those of the outer machine come first.
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

/// A transition. What was shown is blended out as at any other transition of the character, within `blend_s` where it is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransitionSpec {
    /// States that it leaves; any where none is named.
    pub from: Option<OneOrMany>,
    /// State that it leads to.
    pub to: String,
    /// Condition; none: at once. See [`super::condition`].
    pub when: Option<String>,
    /// Seconds after it in which no other transition is taken but those with `interrupts`. Default 0.
    pub hold_s: Option<f32>,
    /// Seconds in which what was shown is blended out. A quintic or dead blend is over then; of a spring's offset 2.6 % are left (its
    /// half-life is a quarter of it). Range: 1e-3 to 5. Default: the time of the settings (`matcher.transition`).
    pub blend_s: Option<f32>,
    /// It is also taken while another one holds (`hold_s`). Default: false.
    pub interrupts: bool,
}

/// A layer over the states: it bends the pose that they give.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LayerSpec {
    /// Name.
    pub name: String,
    /// Weight of joints, 0 to 1, by name or role; a joint has that of its nearest ancestor that is named. `upper_body` names all
    /// joints that no leg hangs on. An empty mask is all joints.
    pub mask: BTreeMap<String, f32>,
    /// What the layer plays is added to the pose, as far as it differs from a reference, instead of replacing it.
    pub additive: bool,
    /// Space in which rotations are blended. Default: local.
    pub space: Space,
    /// The clip whose first frame is the reference of an additive layer; none: that of the clip that plays.
    pub reference: Option<String>,
    /// What it plays while no montage does: a clip, in a loop.
    pub clip: Option<String>,
    /// What it plays while no montage does: a blend space.
    pub blend_space: Option<String>,
    /// The clip follows the feet of the body instead of the clock.
    pub in_step: bool,
    /// Weight of that clip or blend space: a number, or the name of a variable or of a term of the body (see
    /// [`super::condition`]). Default 1.
    pub weight: Option<Weight>,
    /// How soon it follows the variable, seconds. Default 0.1.
    pub half_life_s: Option<f32>,
}

/// The space in which a layer blends rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Of each joint against its parent: what the layer bends leans and sways with the body.
    #[default]
    Local,
    /// Of each joint against the root: an aim points where its clip points, however the body leans.
    Root,
}

/// A number, or the name of what has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Weight {
    /// A number.
    Number(f32),
    /// A variable or a term of the body.
    Name(String),
}

/// A clip that plays on a layer when it is asked to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MontageSpec {
    /// Name.
    pub name: String,
    /// The layer that it plays on.
    pub layer: String,
    /// The clip.
    pub clip: String,
    /// The clip as seen in a mirror.
    #[serde(default)]
    pub mirrored: bool,
    /// It begins when this begins to hold. See [`super::condition`]. None: by call alone ([`super::MontageCalls`]).
    pub start: Option<String>,
    /// It is broken off when this holds.
    pub stop: Option<String>,
    /// It breaks off a montage of its layer whose priority is not higher. Default 0.
    #[serde(default)]
    pub priority: i32,
    /// How fast it plays. Default 1.
    pub rate: Option<f32>,
    /// The root goes where the clip goes, and the simulated character with it: the goal waits until the montage goes out. Default:
    /// false.
    #[serde(default)]
    pub root_motion: bool,
    /// Weight of joints, as the mask of a layer; it counts beside that of its layer. Default: all joints of the layer.
    #[serde(default)]
    pub mask: BTreeMap<String, f32>,
    /// Seconds in which it comes in. Default 0.2.
    pub blend_in_s: Option<f32>,
    /// Seconds in which it goes out, by the end of the clip or when it is broken off. Default 0.2.
    pub blend_out_s: Option<f32>,
    /// Sections; none: the whole clip.
    #[serde(default)]
    pub sections: Vec<SectionSpec>,
    /// Moments that are reported beside the events of the clip.
    #[serde(default)]
    pub notifies: Vec<NotifySpec>,
    /// Ranges whose begin and end are reported.
    #[serde(default)]
    pub windows: Vec<WindowSpec>,
}

/// A part of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Name.
    pub name: String,
    /// Where it begins, seconds of the clip.
    pub from_s: f32,
    /// Where it ends; none: where the next begins, or the clip ends.
    pub to_s: Option<f32>,
    /// The section that follows: its own name makes a loop. None: the next of the list; after the last, the montage ends.
    pub next: Option<String>,
    /// While this holds at its end, the next section of the list follows instead.
    pub leave: Option<String>,
}

/// A moment of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifySpec {
    /// Name of the event.
    pub name: String,
    /// Seconds of the clip.
    pub at_s: f32,
}

/// A range of a montage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSpec {
    /// Name of the event.
    pub name: String,
    /// Seconds of the clip.
    pub from_s: f32,
    /// Seconds of the clip.
    pub to_s: f32,
}
