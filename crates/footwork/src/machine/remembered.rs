//! Interpretation of a machine's memory of a character.

use super::Machine;
use super::blend_space::BlendState;
use super::layer::OwnPlays;
use super::memory::{BY_CONDITION, MOST, NOTHING, TICK_S, TRIGGER_COUNTS, Voice};
use crate::blend::is_blend;
use crate::input::{RATES, SECONDS};
use crate::matcher::Playing;
use crate::math::Random;
use std::ops::Range;

/// Number of call numbers.
const CALLS: usize = TRIGGER_COUNTS as usize;

impl Machine {
    /// Returns the value of a variable from the `given` values, or its default.
    pub(super) fn variable(&self, given: &[f32], place: usize) -> f32 {
        given.get(place).copied().unwrap_or_else(|| self.defaults.get(place).copied().unwrap_or(0.0))
    }

    /// Returns the time in the state after which `stayed` is true, in seconds.
    pub(super) fn stays_s(&self, state: usize, entries: f32) -> f32 {
        let [least, most] = self.states[state].stay_s;
        least + (most - least) * Random(u64::from(entries as u32)).unit()
    }

    /// Writes the memory of a new character.
    pub(super) fn begin(&self, memory: &mut [f32]) {
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

    /// Restarts in a character's memory. Triggers keep their state, and no call is executed again.
    pub(crate) fn restart(&self, memory: &mut [f32]) {
        let (triggers, obeyed) = (self.layout.triggers(memory).to_vec(), self.layout.head(memory).obeyed);
        self.begin(memory);
        self.layout.head_mut(memory).obeyed = obeyed;
        self.layout.triggers_mut(memory).copy_from_slice(&triggers);
    }

    /// Continues another machine in the memory of a new character. The other machine is `since_tick_s` after its last control
    /// tick; the first tick of the new character is now. States, triggers, montages and weights of layers are matched by name.
    /// Triggers do not fire for earlier counts.
    pub(super) fn go_on_from(&self, memory: &mut [f32], (other, from): (&Self, &[f32]), since_tick_s: f32) {
        let (old, head) = (*other.layout.head(from), self.layout.head_mut(memory));
        if let Some(state) = self.states.iter().position(|s| s.name == other.states[old.state as usize].name) {
            (head.state, head.ticks, head.entries, head.held_s) = (state as f32, old.ticks, old.entries, old.held_s);
        }
        self.layout.head_mut(memory).obeyed = old.obeyed;
        self.take_triggers(memory, Some((other, from)));
        for (m, montage) in self.montages.iter().enumerate() {
            if let Some(before) = other.montages.iter().position(|o| o.name == montage.name) {
                self.layout.started_mut(memory)[m] = other.layout.started(from)[before];
            }
        }
        for (layer, own) in self.layers.iter().enumerate() {
            let Some(before) = other.layers.iter().position(|l| l.name == own.name) else { continue };
            for (k, voice) in other.layout.voices(from)[before].iter().enumerate() {
                if let Some(voice) = self.same_voice(layer, other, voice, since_tick_s - TICK_S) {
                    self.layout.voices_mut(memory)[layer][k] = voice;
                }
            }
            let voices = &mut self.layout.voices_mut(memory)[layer];
            if voices[0].montage().is_none() {
                voices.swap(0, 1);
            }
            let (old_weight, old_rest) = other.layout.own(from, before);
            if let Some((weight, rest)) = self.layout.own_mut(memory, layer) {
                *weight = old_weight;
                // A clip keeps its position in the loop; a blend space restarts.
                if let ([share], [old_share]) = (rest, old_rest) {
                    *share = *old_share;
                }
            }
        }
    }

    /// Returns another machine's voice as a voice of this machine, `later_s` later (negative: earlier); `None` if this machine
    /// has no such montage.
    fn same_voice(&self, layer: usize, other: &Self, voice: &Voice, later_s: f32) -> Option<Voice> {
        let before = &other.montages[voice.montage()?];
        let m = self.montages.iter().position(|m| m.name == before.name && m.layer == layer)?;
        let name = &before.sections[voice.section as usize].name;
        let section = self.montages[m].sections.iter().position(|s| s.name == *name)?;
        let range = &self.montages[m].sections[section];
        let time_s = (voice.time_s + later_s * voice.rate).clamp(range.from_s, range.to_s);
        let progress = before.progress(voice, later_s);
        Some(Voice { montage: (m + 1) as f32, section: section as f32, time_s, progress, ..*voice })
    }

    /// Returns true if a montage of another machine's layer continues in a memory that [`Machine::go_on_from`] has written.
    pub(crate) fn goes_on(&self, memory: &[f32], other: &Self, (layer, montage): (usize, usize)) -> bool {
        let name = &other.montages[montage].name;
        let own = self.layers.iter().position(|l| l.name == other.layers[layer].name);
        own.is_some_and(|own| {
            self.layout.voices(memory)[own][0].leads().is_some_and(|m| self.montages[m].name == *name)
        })
    }

    /// Returns false for a memory that no update can produce.
    pub(super) fn is_own_memory(&self, memory: &[f32]) -> bool {
        let within = |range: Range<f32>, v: f32| (range.start..=range.end).contains(&v);
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
                && within(RATES, v.rate)
                && within(SECONDS, v.blend_in_s)
                && within(SECONDS, v.blend_out_s)
                && (v.handle == BY_CONDITION || whole(v.handle, CALLS))
        };
        memory.len() == self.layout.len()
            && whole(head.state, self.states.len())
            && whole(head.ticks, MOST as usize + 1)
            && whole(head.entries, MOST as usize + 1)
            && whole(head.events, 1 << self.watched.len())
            && whole(head.picked, usize::from(u16::MAX))
            && (0.0..=MOST).contains(&head.held_s)
            && is_blend(head.blend_s)
            && whole(head.obeyed, CALLS)
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

    /// Returns the current state of a character.
    pub(crate) fn state(&self, memory: &[f32]) -> usize {
        self.layout.head(memory).state as usize
    }

    /// Picks the next clip of a state of clips, depending on the number of entries, and stores its index.
    pub(crate) fn picked(&self, clips: &[Playing], memory: &mut [f32]) -> Playing {
        let head = self.layout.head_mut(memory);
        let n = clips.len();
        if n > 1 {
            let step = (Random(u64::from(head.entries as u32) ^ 0x5eed).unit() * (n - 1) as f32) as usize;
            head.picked = ((head.picked as usize + 1 + step.min(n - 2)) % n) as f32;
            return clips[head.picked as usize];
        }
        clips[0]
    }
}
