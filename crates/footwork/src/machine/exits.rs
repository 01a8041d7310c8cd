//! Transitions out of a state, with the values of their conditions.

use super::condition::{Condition, Fact, name_of};
use super::facts::{Facts, Observed};
use super::memory::TICK_S;
use super::{Machine, Transition};
use crate::expression::Comparison;
use crate::matcher::MotionMatcher;
use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;

/// A transition out of the current state.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Exit {
    /// Target state.
    pub to: String,
    /// Source text of its condition; `None`: always true.
    pub when: Option<String>,
    /// True if its condition is true: it is taken at the next control tick, unless it must wait or an earlier one is taken.
    pub holds: bool,
    /// Time for which it must wait because of the `hold_s` of the transition into the state, in seconds.
    pub waits_s: f32,
    /// The terms of the condition, in order.
    pub terms: Vec<ExitTerm>,
}

/// A term of a condition, with its current value.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ExitTerm {
    /// The comparison, such as `speed_mps > 2`.
    pub term: String,
    /// The value that is compared; 1 or 0 for terms that are true or false.
    pub value: f32,
    /// True if the comparison is true.
    pub holds: bool,
}

impl Character {
    /// Returns the transitions out of the current state of the character's state machine, in the order in which they are tried.
    /// `variables` are the current values, `curves` those of the output ([`crate::matcher::Output::curves`]). Empty without a
    /// machine. Allocates.
    pub fn machine_exits(&self, state: &MatcherState, variables: &[f32], curves: &[f32]) -> Vec<Exit> {
        let Some((machine, memory)) = self.machine_in(state) else { return Vec::new() };
        let (body, stranded) = (state.header.commanded(), state.header.choice.stranded);
        let observed = Observed { source: &*self.source, at: state.playhead(self.layout()), body, stranded };
        let facts = Facts::of(machine, memory, observed, (variables, curves));
        let term = |(fact, comparison, number): (Fact, Comparison, f32)| {
            let value = facts.value(fact);
            let term = format!("{} {} {number}", machine.fact_name(fact), comparison.sign());
            ExitTerm { term, value, holds: comparison.holds(value, number) }
        };
        let head = machine.layout.head(facts.memory);
        let held_s = (head.held_s - head.ticks * TICK_S).max(0.0);
        let exit = |t: &Transition| Exit {
            to: machine.states[t.to].name.clone(),
            when: t.text.clone(),
            holds: t.when.as_ref().is_none_or(|when| facts.hold(when)),
            waits_s: if t.interrupts { 0.0 } else { held_s },
            terms: t.when.iter().flat_map(Condition::terms).map(term).collect(),
        };
        machine.transitions_from(machine.state(facts.memory)).map(exit).collect()
    }
}

impl MotionMatcher {
    /// Returns the transitions out of the current state of the state machine; see [`Character::machine_exits`].
    pub fn machine_exits(&self, variables: &[f32]) -> Vec<Exit> {
        self.character().machine_exits(self.state(), variables, &self.output().curves)
    }
}

impl Machine {
    /// Returns the name of a fact in conditions.
    pub(super) fn fact_name(&self, fact: Fact) -> String {
        match fact {
            Fact::Variable(v) => self.names[v].clone(),
            Fact::Trigger(t) => self.names[self.defaults.len() + t].clone(),
            Fact::Event(e) => format!("event.{}", self.events[self.watched[e].at()]),
            Fact::Curve(c) => format!("curve.{}", self.db.curve_names[c]),
            Fact::Tag(t) => format!("tag.{}", self.db.tags[t]),
            Fact::Montage(m) => format!("montage.{}", self.montages[m].name),
            _ => name_of(fact).unwrap_or_default().to_owned(),
        }
    }
}
