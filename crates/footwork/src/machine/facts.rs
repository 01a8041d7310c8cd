//! Values of the terms of conditions.

use super::condition::{Condition, Fact};
use super::memory::TICK_S;
use super::{Machine, Plays};
use crate::database::TagMask;
use crate::matcher::director::{Directed, Director};
use crate::matcher::source::{MotionSource, Playhead};
use crate::matcher::state::{AfterTick, Commanded};
use crate::trajectory::Desired;
use glam::Vec3;

/// A character as conditions see it.
pub(super) struct Observed<'a> {
    pub source: &'a dyn MotionSource,
    pub at: Playhead<'a>,
    pub body: Commanded<'a>,
    /// True while nothing can be played.
    pub stranded: bool,
}

/// Source of the values of terms at a control tick.
pub(super) struct Facts<'a> {
    machine: &'a Machine,
    pub memory: &'a [f32],
    variables: &'a [f32],
    observed: Observed<'a>,
    left_s: f32,
    curves: &'a [f32],
    tags: TagMask,
}

impl<'a> Facts<'a> {
    /// Creates the source for a machine with this memory, over the motion of its character, with `[variables]` of the game and
    /// `[curves]` of the output.
    pub fn of(
        machine: &'a Machine,
        memory: &'a [f32],
        observed: Observed<'a>,
        (variables, curves): (&'a [f32], &'a [f32]),
    ) -> Self {
        let Observed { source, at, .. } = observed;
        let span = source.span(at.playing.clip);
        let now = &machine.states[machine.state(memory)];
        let endless = span.looping || matches!(now.plays, Plays::Matching { .. } | Plays::Blend(_));
        let rate = f64::from(now.rate);
        let left_s = if endless { f32::INFINITY } else { ((span.seconds - at.playing.time_s) / rate).max(0.0) as f32 };
        Self { machine, memory, variables, left_s, curves, tags: source.tags(at), observed }
    }

    pub(super) fn value(&self, fact: Fact) -> f32 {
        let (layout, observed) = (&self.machine.layout, &self.observed);
        let head = layout.head(self.memory);
        let flag = |b: bool| f32::from(u8::from(b));
        match fact {
            Fact::Variable(v) => self.machine.variable(self.variables, v),
            Fact::Trigger(t) => flag(layout.triggers(self.memory)[t].waits_s > 0.0),
            Fact::StateS => head.ticks * TICK_S,
            Fact::Stayed => flag(head.ticks * TICK_S >= self.machine.stays_s(head.state as usize, head.entries)),
            Fact::ClipS => observed.at.playing.time_s as f32,
            Fact::LeftS => self.left_s,
            Fact::Ended => flag(self.left_s <= TICK_S),
            Fact::Body(term) => {
                let [x, z] = head.requested;
                term.of(observed.body.simulation, &Desired { velocity: Vec3::new(x, 0.0, z), ..*observed.body.desired })
            }
            Fact::Stranded => flag(observed.stranded),
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

impl Machine {
    /// Writes the curves of the playing clip to the output if conditions read curves.
    pub(super) fn gather_facts(&self, at: &mut Directed) {
        if self.asks_for_curves {
            let playhead = Playhead { playing: at.playback.playing, memory: at.source_memory };
            at.source.curves(playhead, at.scratch, &mut at.output.curves);
            let after = AfterTick { memory: at.memory, elapsed_s: at.clock.within_tick_s() };
            self.bend_curves(after, at.scratch, &mut at.output.curves);
        }
    }

    pub(super) fn facts<'a>(&'a self, at: &'a Directed) -> Facts<'a> {
        let observed = Observed { source: at.source, at: at.playhead(), body: at.body, stranded: at.stranded };
        Facts::of(self, at.memory, observed, (at.input.variables, &at.output.curves))
    }
}
