//! What a machine's memory of a character means.

use super::Machine;
use super::blend_space::BlendState;
use super::layer::OwnPlays;
use super::memory::{MOST, NOTHING, Voice};
use crate::matcher::Playing;
use crate::math::SplitMix;

impl Machine {
    /// The value of a variable where the game gives these.
    pub(super) fn variable(&self, given: &[f32], place: usize) -> f32 {
        given.get(place).copied().unwrap_or_else(|| self.defaults.get(place).copied().unwrap_or(0.0))
    }

    /// After how long `stayed` holds.
    pub(super) fn stays_s(&self, state: usize, entries: f32) -> f32 {
        let [least, most] = self.states[state].stay_s;
        least + (most - least) * SplitMix(u64::from(entries as u32)).unit()
    }

    /// The memory of a character that begins.
    pub(crate) fn begin(&self, memory: &mut [f32]) {
        memory.fill(0.0);
        let head = self.layout.head_mut(memory);
        (head.state, head.reported_s) = (self.start as f32, NOTHING);
        for (layer, own) in self.layers.iter().enumerate() {
            let Some(OwnPlays::Blend(b)) = own.own.as_ref().map(|own| &own.plays) else { continue };
            let (space, parameters) = &self.blend_spaces[*b];
            let at = self.place(parameters, &[], None);
            if let Some((_, own)) = self.layout.own_mut(memory, layer) {
                space.enter(at, 0.0).write(own);
            }
        }
    }

    /// False for a memory that no update can have left behind.
    pub(crate) fn is_memory(&self, memory: &[f32]) -> bool {
        let whole = |v: f32, below: usize| (0.0..below as f32).contains(&v) && v.fract() == 0.0;
        let head = self.layout.head(memory);
        let voice = |layer: usize, v: &Voice| {
            let Some(m) = v.montage() else { return *v == Voice::default() };
            let known = whole(v.montage, self.montages.len() + 1) && self.montages[m].layer == layer;
            known
                && whole(v.section, self.montages[m].sections.len())
                && (0.0..=1.0).contains(&v.progress)
                && whole(v.way, 3)
                && (0.0..=MOST).contains(&v.time_s)
        };
        memory.len() == self.layout.len()
            && whole(head.state, self.states.len())
            && whole(head.ticks, MOST as usize + 1)
            && whole(head.entries, MOST as usize + 1)
            && whole(head.events, 1 << self.watched.len())
            && whole(head.picked, usize::from(u16::MAX))
            && head.requested.iter().all(|v| v.is_finite())
            && (head.reported_s == NOTHING || (0.0..=1.0).contains(&head.reported_s))
            && self.layout.voices(memory).iter().enumerate().all(|(l, voices)| voices.iter().all(|v| voice(l, v)))
            && self.layers.iter().enumerate().all(|(layer, own)| match own.own.as_ref().map(|own| &own.plays) {
                Some(OwnPlays::Blend(b)) => {
                    let state = BlendState::read(self.layout.own(memory, layer).1);
                    self.blend_spaces[*b].0.is_state(&state)
                }
                _ => true,
            })
    }

    /// The state that a character is in.
    pub(crate) fn state(&self, memory: &[f32]) -> usize {
        self.layout.head(memory).state as usize
    }

    /// The clip that a state of clips plays after so many entries, and its place among those of the state.
    pub(crate) fn picked(&self, clips: &[Playing], memory: &mut [f32]) -> Playing {
        let head = self.layout.head_mut(memory);
        let n = clips.len();
        if n > 1 {
            let step = (SplitMix(u64::from(head.entries as u32) ^ 0x5eed).unit() * (n - 1) as f32) as usize;
            head.picked = ((head.picked as usize + 1 + step.min(n - 2)) % n) as f32;
            return clips[head.picked as usize];
        }
        clips[0]
    }
}
