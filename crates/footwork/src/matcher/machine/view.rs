//! What a machine does at a moment, for those who look at it.

use super::condition::Condition;
use super::layer::OwnPlays;
use super::memory::{BROKEN_OFF, BY_CONDITION};
use super::{Machine, MachineSpec, Transition};
use crate::input::MontageHandle;
use crate::matcher::state::CONTROL_S;
use crate::math::smoothstep;

/// What a machine does, as of the last control tick.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineView<'a> {
    /// The state.
    pub state: &'a str,
    /// Its place among [`Machine::state_names`].
    pub state_index: usize,
    /// Seconds in it.
    pub state_s: f32,
    /// `[layers]`.
    pub layers: Vec<LayerView<'a>>,
}

/// What a layer plays.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerView<'a> {
    /// Name.
    pub name: &'a str,
    /// Weight of what it plays while no montage does, 0 to 1.
    pub own_weight: f32,
    /// Share of its loop at which the layer's own clip is, 0 to 1; `None` for a layer without a clip of its own.
    pub own_phase: Option<f32>,
    /// Montages: the one that plays, then the one that it replaces.
    pub montages: Vec<MontageView<'a>>,
}

/// A montage that plays.
#[derive(Clone, Debug, PartialEq)]
pub struct MontageView<'a> {
    /// Name.
    pub name: &'a str,
    /// Section; empty where the montage has none.
    pub section: &'a str,
    /// Seconds of its clip.
    pub time_s: f32,
    /// 0 to 1.
    pub weight: f32,
    /// It was broken off, and is seen until it has gone out.
    pub broken_off: bool,
    /// The call that played it; `None`: a condition.
    pub handle: Option<MontageHandle>,
}

impl Machine {
    pub(crate) fn view(&self, memory: &[f32]) -> MachineView<'_> {
        let head = self.layout.head(memory);
        let layer = |(l, voices): (usize, &super::memory::Voices)| LayerView {
            name: &self.layers[l].name,
            own_weight: self.layout.own(memory, l).0,
            own_phase: match self.layers[l].own.as_ref().map(|own| &own.plays) {
                Some(OwnPlays::Clip(..)) => self.layout.own(memory, l).1.first().copied(),
                _ => None,
            },
            montages: voices
                .iter()
                .filter_map(|voice| {
                    let montage = &self.montages[voice.montage()?];
                    Some(MontageView {
                        name: &montage.name,
                        section: &montage.sections[voice.section as usize].name,
                        time_s: voice.time_s,
                        weight: smoothstep(voice.progress),
                        broken_off: voice.way == BROKEN_OFF,
                        handle: (voice.handle != BY_CONDITION).then_some(MontageHandle(voice.handle as u16)),
                    })
                })
                .collect(),
        };
        MachineView {
            state: &self.states[head.state as usize].name,
            state_index: head.state as usize,
            state_s: head.ticks * CONTROL_S as f32,
            layers: self.layout.voices(memory).iter().enumerate().map(layer).collect(),
        }
    }

    /// The transitions out of a state, by its place among [`Machine::state_names`], in the order in which they are tried: the state
    /// that each leads to, and its condition (none: at once).
    pub fn transitions_of(&self, state: usize) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.transitions_from(state).map(|t| (&*self.states[t.to].name, t.text.as_deref()))
    }

    /// The transitions out of a state, in the order in which they are tried. One from any state is none from that it leads to.
    pub(super) fn transitions_from(&self, state: usize) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |t| t.to != state && t.from.iter().any(|range| range.contains(&state)))
    }

    /// Number of states, of transitions, and of terms in their conditions.
    pub fn size(&self) -> (usize, usize, usize) {
        let terms = |c: &Condition| c.facts().count();
        let conditions = self.transitions.iter().filter_map(|t| t.when.as_ref());
        (self.states.len(), self.transitions.len(), conditions.map(terms).sum())
    }
}

/// Numbers that a specification gives.
pub(super) fn numbers(spec: &MachineSpec) -> usize {
    fn count(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Number(_) => 1,
            serde_json::Value::Array(all) => all.iter().map(count).sum(),
            serde_json::Value::Object(all) => all.values().map(count).sum(),
            _ => 0,
        }
    }
    serde_json::to_value(spec).map_or(0, |value| count(&value))
}
