//! Conditions: boolean expressions over variables of the game and the motion of the character.
//!
//! | term | value |
//! |---|---|
//! | a variable | its value, as the game set it |
//! | a trigger | 1 while it is pending; a transition or montage that its condition starts consumes it |
//! | `state_s` | seconds in the state |
//! | `stayed` | 1 after the random time of the state's `stay_s` |
//! | `clip_s`, `left_s` | played and remaining time of the clip, in seconds (`left_s`: infinite in loops and motion matching) |
//! | `ended` | 1 when the clip has ended |
//! | `speed_mps`, `desired_speed_mps` | actual and desired speed of the simulated character |
//! | `forward_mps`, `side_mps` | its velocity along its facing, and to the left of it |
//! | `turn_degps` | its turn rate, in degrees per second, left positive |
//! | `bank_deg` | lean into the turn that balances the centrifugal force, from speed and turn rate; left positive |
//! | `desired_forward_mps`, `desired_side_mps` | desired velocity along the desired facing, and to the left of it |
//! | `turn_deg` | unsigned angle between its facing and the desired facing |
//! | `desired_turn_deg` | the same angle with sign, left positive |
//! | `stranded` | 1 while no row can be played |
//! | `event.NAME` | 1 if the event was passed since the last control tick |
//! | `curve.NAME`, `tag.NAME` | value of a curve of the playing clip; 1 if the playing clip has the tag |
//! | `montage.NAME` | 1 while the montage plays |
//!
//! The desired terms are the values that the goal requests, even if the state limits the speed (`max_speed_mps`).
//!
//! A term without a comparison is true if its value exceeds 0.5. The terms from `speed_mps` to `desired_turn_deg` can also be
//! parameters of blend spaces and weights of layers.

use super::body::{BodyTerm, Steer};
use super::error::MachineError;
use super::memory::MemoryLayout;
use crate::error::unknown;
use crate::expression::{Comparison, Expression, Op, Term};

/// The quantity that a term of a condition reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fact {
    Variable(usize),
    Trigger(usize),
    StateS,
    Stayed,
    ClipS,
    LeftS,
    Ended,
    Body(BodyTerm),
    Stranded,
    /// Index in the list of events that conditions read.
    Event(usize),
    Curve(usize),
    Tag(usize),
    Montage(usize),
}

const FACTS: [(&str, Fact); 6] = [
    ("state_s", Fact::StateS),
    ("stayed", Fact::Stayed),
    ("clip_s", Fact::ClipS),
    ("left_s", Fact::LeftS),
    ("ended", Fact::Ended),
    ("stranded", Fact::Stranded),
];

/// Returns all terms with a fixed name.
fn facts() -> impl Iterator<Item = (&'static str, Fact)> {
    FACTS.into_iter().chain(BodyTerm::ALL.map(|(name, term)| (name, Fact::Body(term))))
}

/// Returns the name of a term with a fixed name.
pub(super) fn name_of(fact: Fact) -> Option<&'static str> {
    facts().find(|(_, known)| *known == fact).map(|(name, _)| name)
}

/// Returns true for a name that is not allowed for a variable.
pub(super) fn is_reserved(name: &str) -> bool {
    facts().any(|(fact, _)| fact == name) || name.contains('.')
}

/// Returns the source of a parameter or weight with this name: a variable, or a term of the body.
pub(super) fn steer(at: &str, name: &str, variables: &[String]) -> Result<Steer, MachineError> {
    let body = || BodyTerm::ALL.into_iter().find(|(term, _)| *term == name).map(|(_, term)| Steer::Body(term));
    let variable = variables.iter().position(|v| v == name).map(Steer::Variable);
    variable.or_else(body).ok_or_else(|| {
        let known = variables.iter().map(String::as_str).chain(BodyTerm::ALL.iter().map(|(term, _)| *term));
        MachineError::unknown(at.to_owned(), "variable or term of the body", name, known)
    })
}

/// The names that are valid in terms.
pub(super) struct Names<'a> {
    pub variables: &'a [String],
    pub triggers: &'a [String],
    pub events: &'a [String],
    pub curves: &'a [String],
    pub tags: &'a [String],
    pub montages: &'a [String],
    /// Events that conditions read, as indices into `events`.
    pub watched: Vec<usize>,
}

/// A parsed condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition(Expression<(Fact, Comparison, f32)>);

impl Condition {
    /// Parses a condition; `at` is its location in errors.
    pub fn parse(text: &str, at: String, names: &mut Names) -> Result<Self, MachineError> {
        let resolve = |term: &Term| {
            let (comparison, number) = term.comparison.unwrap_or((Comparison::Greater, 0.5));
            names.fact(&term.name).map(|fact| (fact, comparison, number))
        };
        Expression::parse(text, resolve).map(Self).map_err(|e| MachineError::expression(at, &e))
    }

    /// Returns true if the condition is true; `value` returns the value of a fact.
    pub fn holds(&self, mut value: impl FnMut(Fact) -> f32) -> bool {
        self.0.holds(|(fact, comparison, number)| comparison.holds(value(*fact), *number))
    }

    /// Returns the terms in order: fact, comparison, number.
    pub fn terms(&self) -> impl Iterator<Item = (Fact, Comparison, f32)> {
        self.0.terms().copied()
    }

    /// Returns the terms and operators in the order of evaluation.
    pub fn ops(&self) -> &[Op<(Fact, Comparison, f32)>] {
        self.0.ops()
    }

    /// Returns the facts of its terms.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        self.0.terms().map(|(fact, ..)| *fact)
    }

    /// Consumes the triggers that the condition names.
    pub fn use_triggers(&self, layout: &MemoryLayout, memory: &mut [f32]) {
        for fact in self.facts() {
            if let Fact::Trigger(trigger) = fact {
                layout.triggers_mut(memory)[trigger].waits_s = 0.0;
            }
        }
    }
}

impl Names<'_> {
    fn fact(&mut self, name: &str) -> Result<Fact, String> {
        let place = |names: &[String], name: &str| names.iter().position(|n| n == name);
        if let Some(v) = place(self.variables, name) {
            return Ok(Fact::Variable(v));
        }
        if let Some(t) = place(self.triggers, name) {
            return Ok(Fact::Trigger(t));
        }
        if let Some((_, fact)) = facts().find(|(fact, _)| *fact == name) {
            return Ok(fact);
        }
        let of = |kind: &str, names: &[String], name: &str| {
            place(names, name).ok_or_else(|| unknown(kind, name, names.iter().map(String::as_str)))
        };
        match name.split_once('.') {
            Some(("event", event)) => {
                let event = of("event", self.events, event)?;
                let known = self.watched.iter().position(|w| *w == event);
                Ok(Fact::Event(known.unwrap_or_else(|| {
                    self.watched.push(event);
                    self.watched.len() - 1
                })))
            }
            Some(("curve", curve)) => of("curve", self.curves, curve).map(Fact::Curve),
            Some(("tag", tag)) => of("tag", self.tags, tag).map(Fact::Tag),
            Some(("montage", montage)) => of("montage", self.montages, montage).map(Fact::Montage),
            _ => {
                let own = self.variables.iter().chain(self.triggers).map(String::as_str);
                Err(unknown("variable, trigger or term", name, own.chain(facts().map(|(name, _)| name))))
            }
        }
    }
}
