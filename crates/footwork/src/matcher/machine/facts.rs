//! Values of the terms of conditions.

use super::condition::{Condition, Fact};
use super::memory::TICK_S;
use super::{Machine, Plays};
use crate::database::TagMask;
use crate::matcher::character::{Character, Update};
use crate::matcher::state::{MatcherState, StateHeader};
use crate::trajectory::Desired;
use glam::Vec3;

/// Source of the values of terms at a control tick.
pub(super) struct Facts<'a> {
    machine: &'a Machine,
    pub memory: &'a [f32],
    variables: &'a [f32],
    header: &'a StateHeader,
    left_s: f32,
    curves: &'a [f32],
    tags: TagMask,
}

impl<'a> Facts<'a> {
    /// Creates the source for a character at its current time, with `[variables]` of the game and `[curves]` of its output.
    pub fn of(
        machine: &'a Machine,
        character: &'a Character,
        state: &'a MatcherState,
        (variables, curves): (&'a [f32], &'a [f32]),
    ) -> Self {
        let at = state.playhead(character.layout());
        let span = character.source().span(at.playing.clip);
        let memory = state.machine(character.layout());
        let now = &machine.states[machine.state(memory)];
        let endless = span.looping || matches!(now.plays, Plays::Matching { .. } | Plays::Blend(_));
        let rate = f64::from(now.rate);
        let left_s = if endless { f32::INFINITY } else { ((span.seconds - at.playing.time_s) / rate).max(0.0) as f32 };
        Self { machine, memory, variables, header: &state.header, left_s, curves, tags: character.source().tags(at) }
    }

    pub(super) fn value(&self, fact: Fact) -> f32 {
        let (layout, h) = (&self.machine.layout, self.header);
        let head = layout.head(self.memory);
        let flag = |b: bool| f32::from(u8::from(b));
        match fact {
            Fact::Variable(v) => self.machine.variable(self.variables, v),
            Fact::Trigger(t) => flag(layout.triggers(self.memory)[t].waits_s > 0.0),
            Fact::StateS => head.ticks * TICK_S,
            Fact::Stayed => flag(head.ticks * TICK_S >= self.machine.stays_s(head.state as usize, head.entries)),
            Fact::ClipS => h.playing.time_s as f32,
            Fact::LeftS => self.left_s,
            Fact::Ended => flag(self.left_s <= TICK_S),
            Fact::Body(term) => {
                let [x, z] = head.requested;
                term.of(&h.simulation, &Desired { velocity: Vec3::new(x, 0.0, z), ..h.desired })
            }
            Fact::Stranded => flag(h.stranded),
            Fact::Event(e) => flag(head.events as u32 >> e & 1 == 1),
            Fact::Curve(c) => self.curves.get(c).copied().unwrap_or(0.0),
            Fact::Tag(t) => flag(self.tags.has(t)),
            Fact::Montage(m) => flag(layout.voices(self.memory)[self.machine.montages[m].layer][0].leads() == Some(m)),
        }
    }

    pub(super) fn hold(&self, condition: &Condition) -> bool {
        condition.holds(|fact| self.value(fact))
    }
}

impl Update<'_> {
    /// Writes the curves of the playing clip to the output if conditions read curves.
    pub(super) fn gather_facts(&mut self, machine: &Machine) {
        if machine.asks_for_curves {
            let at = self.state.playhead(self.character.layout());
            self.character.source().curves(at, &mut self.scratch.source, &mut self.output.curves);
            self.bend_curves();
        }
    }

    pub(super) fn facts<'a>(&'a self, machine: &'a Machine) -> Facts<'a> {
        Facts::of(machine, self.character, self.state, (self.input.variables, &self.output.curves))
    }
}
