//! Read-only views of a machine for tools.

use super::condition::Condition;
use super::layer::OwnPlays;
use super::memory::{BROKEN_OFF, BY_CONDITION};
use super::{Machine, Transition};
use crate::input::MontageHandle;
use crate::matcher::state_groups::CONTROL_S;
use crate::math::smoothstep;

/// The machine of a character at the last control tick.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineView<'a> {
    /// Full name of the state.
    pub state: &'a str,
    /// Index of the state in [`Machine::state_names`].
    pub state_index: usize,
    /// Time in the state, in seconds.
    pub state_s: f32,
    /// `[layers]` views of the layers.
    pub layers: Vec<LayerView<'a>>,
}

/// A layer of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerView<'a> {
    /// Name.
    pub name: &'a str,
    /// Weight of the motion that it plays while no montage plays, 0 to 1.
    pub own_weight: f32,
    /// Position in the loop of the layer's own clip, 0 to 1; `None` for a layer without a clip of its own.
    pub own_phase: Option<f32>,
    /// Montages: the playing one, then the one that it replaces.
    pub montages: Vec<MontageView<'a>>,
}

/// A playing montage.
#[derive(Clone, Debug, PartialEq)]
pub struct MontageView<'a> {
    /// Name.
    pub name: &'a str,
    /// Name of the section; empty if the montage has none.
    pub section: &'a str,
    /// Time in its clip, in seconds.
    pub time_s: f32,
    /// Weight, 0 to 1.
    pub weight: f32,
    /// True if it was interrupted and is blending out.
    pub broken_off: bool,
    /// The call that started it; `None`: a condition.
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

    /// Returns the transitions out of a state, given as an index in [`Machine::state_names`], in the order in which they are
    /// tried: the target state and the condition (`None`: always true).
    pub fn transitions_of(&self, state: usize) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.transitions_from(state).map(|t| (&*self.states[t.to].name, t.text.as_deref()))
    }

    /// Returns the transitions out of a state in the order in which they are tried. Transitions into the state itself are
    /// excluded.
    pub(super) fn transitions_from(&self, state: usize) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |t| t.to != state && t.from.iter().any(|range| range.contains(&state)))
    }

    /// Returns the number of states, of transitions, and of terms in their conditions.
    pub fn size(&self) -> (usize, usize, usize) {
        let terms = |c: &Condition| c.facts().count();
        let conditions = self.transitions.iter().filter_map(|t| t.when.as_ref());
        (self.states.len(), self.transitions.len(), conditions.map(terms).sum())
    }
}
