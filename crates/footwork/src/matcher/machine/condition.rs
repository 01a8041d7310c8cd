//! Conditions: boolean expressions over variables of the game and what the character does.
//!
//! | term | value |
//! |---|---|
//! | a variable | as the game set it |
//! | a trigger | 1 while it waits to be used: a transition or montage that its condition lets begin uses it |
//! | `state_s` | seconds in the state |
//! | `stayed` | 1 after the random time of the state's `stay_s` |
//! | `clip_s`, `left_s` | seconds of the clip that were played, and that are left (without end in loops and motion matching) |
//! | `ended` | 1 when the clip is over |
//! | `speed_mps`, `desired_speed_mps` | speed of the simulated character, and the one that is asked for |
//! | `forward_mps`, `side_mps` | its velocity along its facing, and to the left of it |
//! | `turn_degps` | how fast it turns, degrees per second, left positive |
//! | `bank_deg` | the lean into its turn at which what pulls outwards is balanced, from speed and turn; left positive |
//! | `desired_forward_mps`, `desired_side_mps` | the velocity that is asked for, along the facing that is asked for, and to the left of it |
//! | `turn_deg` | angle between its facing and the one that is asked for, without sign |
//! | `desired_turn_deg` | the same with sign: left positive |
//! | `stranded` | 1 while there is nothing to play |
//! | `event.NAME` | 1 where the event was passed since the last control tick |
//! | `curve.NAME`, `tag.NAME` | of what plays: the value of a curve; 1 where it has the tag |
//! | `montage.NAME` | 1 while the montage plays |
//!
//! The desired terms are what the goal requests, also where a state limits the speed (`max_speed_mps`).
//!
//! A term without comparison holds where its value is over 0.5. The terms from `speed_mps` to `desired_turn_deg` can also be
//! parameters of blend spaces and weights of layers.

use super::body::{BodyTerm, Steer};
use super::error::MachineError;
use super::memory::MemoryLayout;
use crate::error::unknown;
use crate::expression::{Comparison, Expression, Op, Term};

/// What a term asks for.
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
    /// Place among the events that conditions ask for.
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

/// All terms that have one name.
fn facts() -> impl Iterator<Item = (&'static str, Fact)> {
    FACTS.into_iter().chain(BodyTerm::ALL.map(|(name, term)| (name, Fact::Body(term))))
}

/// The name of a term that has one name.
pub(super) fn name_of(fact: Fact) -> Option<&'static str> {
    facts().find(|(_, known)| *known == fact).map(|(name, _)| name)
}

/// True for a name that a variable must not have.
pub(super) fn is_reserved(name: &str) -> bool {
    facts().any(|(fact, _)| fact == name) || name.contains('.')
}

/// What a parameter or weight of this name follows: a variable, or a term of the body.
pub(super) fn steer(at: &str, name: &str, variables: &[String]) -> Result<Steer, MachineError> {
    let body = || BodyTerm::ALL.into_iter().find(|(term, _)| *term == name).map(|(_, term)| Steer::Body(term));
    let variable = variables.iter().position(|v| v == name).map(Steer::Variable);
    variable.or_else(body).ok_or_else(|| {
        let known = variables.iter().map(String::as_str).chain(BodyTerm::ALL.iter().map(|(term, _)| *term));
        MachineError::unknown(at.to_owned(), "variable or term of the body", name, known)
    })
}

/// The names that terms may have.
pub(super) struct Names<'a> {
    pub variables: &'a [String],
    pub triggers: &'a [String],
    pub events: &'a [String],
    pub curves: &'a [String],
    pub tags: &'a [String],
    pub montages: &'a [String],
    /// Events that conditions ask for: places in `events`.
    pub watched: Vec<usize>,
}

/// A condition, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition(Expression<(Fact, Comparison, f32)>);

impl Condition {
    /// Reads a condition; `at` names it in errors.
    pub fn parse(text: &str, at: String, names: &mut Names) -> Result<Self, MachineError> {
        let resolve = |term: &Term| {
            let (comparison, number) = term.comparison.unwrap_or((Comparison::Greater, 0.5));
            names.fact(&term.name).map(|fact| (fact, comparison, number))
        };
        Expression::parse(text, resolve).map(Self).map_err(|e| MachineError::expression(at, &e))
    }

    /// True where it holds; `value` gives the value of facts.
    pub fn holds(&self, mut value: impl FnMut(Fact) -> f32) -> bool {
        self.0.holds(|(fact, comparison, number)| comparison.holds(value(*fact), *number))
    }

    /// Its terms, in order: fact, comparison, number.
    pub fn terms(&self) -> impl Iterator<Item = (Fact, Comparison, f32)> {
        self.0.terms().copied()
    }

    /// Terms and operators, in the order of evaluation.
    pub fn ops(&self) -> &[Op<(Fact, Comparison, f32)>] {
        self.0.ops()
    }

    /// What it asks for.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        self.0.terms().map(|(fact, ..)| *fact)
    }

    /// The triggers that it names are used up.
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
