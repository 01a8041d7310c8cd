//! Warnings about valid parts of a machine that have no effect or never end.

use super::body::BodyTerm;
use super::condition::{Condition, Fact};
use super::error::MachineError;
use super::memory::TICK_S;
use super::{Machine, Plays, Transition};
use crate::expression::{Comparison, Op};

/// Conditions with more alternatives are not analysed.
const MOST_ALTERNATIVES: usize = 256;
/// Maximum number of steps of the search for loops of transitions.
const MOST_STEPS: usize = 20_000;

/// A comparison of a fact with a number.
type Literal = (Fact, Comparison, f32);
/// Alternatives: lists of literals that must all be true.
type Alternatives = Vec<Vec<Literal>>;

impl Machine {
    /// Returns warnings: states that no transition reaches, conditions that are never true, transitions that leave at once and
    /// lead back, states whose tags no row has, and blend spaces whose samples cannot be synchronised as requested. Empty for a
    /// machine without such parts. Intended for tools: takes milliseconds.
    pub fn warnings(&self) -> Vec<MachineError> {
        let mut out = Vec::new();
        let mut warn = |at: String, what: String| out.push(MachineError::new(at, what));
        for state in &self.states {
            if matches!(state.plays, Plays::Matching { .. }) && self.rows_of(&state.name).next().is_none() {
                let what = "no row of the database has its tags: it would play nothing; change `match` or tag clips";
                warn(format!("states.`{}`.match", state.name), what.to_owned());
            }
        }
        for transition in &self.transitions {
            let Some(when) = &transition.when else { continue };
            if !transition.from.iter().flat_map(Clone::clone).any(|from| self.may_hold(when, Some(from))) {
                let at = format!("transitions to `{}`", self.states[transition.to].name);
                warn(at, format!("`{}` can never hold", transition.text.as_deref().unwrap_or_default()));
            }
        }
        for (montage, spec) in self.montages.iter().zip(&self.spec.montages) {
            let leaves = montage.sections.iter().zip(&spec.sections);
            let leaves = leaves.filter_map(|(s, spec)| Some((&s.leave.as_ref()?.0, spec.leave.as_ref()?)));
            let stop = montage.stop.iter().zip(&spec.stop);
            let of_montage = montage.start.iter().zip(&spec.start).chain(stop).chain(leaves);
            for (_, text) in of_montage.filter(|(condition, _)| !self.may_hold(condition, None)) {
                warn(format!("montages.`{}`", montage.name), format!("`{text}` can never hold"));
            }
        }
        for (space, _) in &self.blend_spaces {
            space.warnings().iter().for_each(|what| warn(format!("blend_spaces.`{}`", space.name()), what.clone()));
        }
        let reached = self.reached();
        for (state, _) in self.states.iter().zip(&reached).filter(|(_, reached)| !**reached) {
            let what = "no transition that can be taken leads to it";
            warn(format!("states.`{}`", state.name), what.to_owned());
        }
        for cycle in self.cycles(&reached) {
            let names: Vec<&str> = cycle.iter().chain(&cycle[..1]).map(|s| &*self.states[*s].name).collect();
            let what = "each is left at once for the next, round and round, while all conditions hold: let them exclude each other, or ask for `state_s`";
            warn(format!("transitions {}", names.join(" -> ")), what.to_owned());
        }
        out
    }

    /// Returns `[states]`: true if a state can be reached from the start.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.states.len()];
        let mut next = vec![self.start];
        while let Some(state) = next.pop() {
            if std::mem::replace(&mut reached[state], true) {
                continue;
            }
            let may = |t: &&Transition| t.when.as_ref().is_none_or(|when| self.may_hold(when, Some(state)));
            next.extend(self.transitions_from(state).filter(may).map(|t| t.to));
        }
        reached
    }

    /// Returns false if no values make a condition true, in `state` or in any state.
    fn may_hold(&self, condition: &Condition, state: Option<usize>) -> bool {
        let Some([holds, _]) = alternatives(condition.ops()) else { return true };
        holds.iter().any(|all| is_possible(all, |fact| self.domain(fact, state)))
    }

    /// Returns the values that a fact can have, in `state` or in any state.
    fn domain(&self, fact: Fact, state: Option<usize>) -> Domain {
        let endless = state.is_some_and(|s| !matches!(self.states[s].plays, Plays::Clips(_)));
        match fact {
            Fact::Ended if endless => Domain::Values(&[0.0]),
            Fact::LeftS if endless => Domain::Values(&[f32::INFINITY]),
            Fact::Tag(tag) if !(0..self.db.rows()).any(|row| self.db.row_tags(row).has(tag)) => Domain::Values(&[0.0]),
            Fact::Trigger(_) | Fact::Stayed | Fact::Ended | Fact::Stranded => Domain::Values(&[0.0, 1.0]),
            Fact::Event(_) | Fact::Tag(_) | Fact::Montage(_) => Domain::Values(&[0.0, 1.0]),
            Fact::StateS | Fact::ClipS | Fact::LeftS => Domain::Between(0.0, f32::INFINITY),
            Fact::Body(BodyTerm::SpeedMps | BodyTerm::DesiredSpeedMps) => Domain::Between(0.0, f32::INFINITY),
            Fact::Body(BodyTerm::TurnDeg) => Domain::Between(0.0, 180.0),
            Fact::Body(BodyTerm::DesiredTurnDeg) => Domain::Between(-180.0, 180.0),
            Fact::Body(BodyTerm::ForwardMps | BodyTerm::SideMps | BodyTerm::TurnDegps | BodyTerm::BankDeg)
            | Fact::Body(BodyTerm::DesiredForwardMps | BodyTerm::DesiredSideMps)
            | Fact::Variable(_)
            | Fact::Curve(_) => Domain::Between(f32::NEG_INFINITY, f32::INFINITY),
        }
    }

    /// Returns loops of states that are each left at once for the next, for some constant values of variables and the body. Each
    /// loop is returned once.
    fn cycles(&self, reached: &[bool]) -> Vec<Vec<usize>> {
        // `[states]` transitions taken at once: the target state, and the conditions on variables and the body.
        let ways: Vec<Vec<(usize, Vec<Literal>)>> = (0..self.states.len()).map(|s| self.ways_at_once(s)).collect();
        let (mut found, mut steps): (Vec<Vec<usize>>, usize) = (Vec::new(), 0);
        for start in (0..self.states.len()).filter(|s| reached[*s]) {
            let mut open = vec![(vec![start], Vec::new())];
            while let Some((path, held)) = open.pop() {
                for (to, asks) in &ways[path[path.len() - 1]] {
                    steps += 1;
                    let all: Vec<Literal> = [&held[..], asks].concat();
                    if steps > MOST_STEPS || !is_possible(&all, |fact| self.domain(fact, None)) {
                        continue;
                    }
                    if *to == start {
                        if !found.contains(&path) {
                            found.push(path.clone());
                        }
                    } else if *to > start && !path.contains(to) {
                        // A loop is found from its state with the lowest index.
                        open.push(([&path[..], &[*to]].concat(), all));
                    }
                }
            }
        }
        found
    }

    /// Returns the transitions that a state can take at the first control tick after its entry. For each: the target state, and
    /// the conditions on variables and the body if nothing else happens and no earlier transition is taken.
    fn ways_at_once(&self, state: usize) -> Vec<(usize, Vec<Literal>)> {
        let mut out = Vec::new();
        // Alternatives in which none of the transitions so far is taken.
        let mut none_before: Alternatives = vec![Vec::new()];
        // A transition with a hold time does not lead to a state that is left at once.
        for t in self.transitions_from(state).filter(|t| t.hold_s <= TICK_S) {
            let both = t.when.as_ref().map_or(Some([vec![Vec::new()], Vec::new()]), |when| alternatives(when.ops()));
            let Some([holds, fails]) = both else { return out };
            let Some(taken) = all_of(&none_before, &holds) else { return out };
            out.extend(taken.iter().filter_map(|all| Some((t.to, self.at_once(all, state)?))));
            let Some(none) = all_of(&none_before, &fails) else { return out };
            none_before = none;
        }
        out
    }

    /// Returns the literals about variables and the body that make all literals true at the first control tick of a state in
    /// which nothing else happens; `None` if they are not true then.
    fn at_once(&self, all: &[Literal], state: usize) -> Option<Vec<Literal>> {
        let mut asks = Vec::new();
        for (fact, comparison, number) in all {
            let value = match fact {
                Fact::Variable(_) | Fact::Body(_) => {
                    asks.push((*fact, *comparison, *number));
                    continue;
                }
                Fact::StateS => TICK_S,
                Fact::Stayed => f32::from(u8::from(self.states[state].stay_s[1] <= TICK_S)),
                Fact::Ended | Fact::Stranded | Fact::Trigger(_) | Fact::Event(_) | Fact::Montage(_) => 0.0,
                Fact::ClipS | Fact::LeftS | Fact::Curve(_) | Fact::Tag(_) => return None,
            };
            if !comparison.holds(value, *number) {
                return None;
            }
        }
        Some(asks)
    }
}

/// The values that a fact can have.
enum Domain {
    Values(&'static [f32]),
    /// A range, both ends included.
    Between(f32, f32),
}

/// Returns true if some values make all literals true. Facts are treated as independent.
fn is_possible(all: &[Literal], domain: impl Fn(Fact) -> Domain) -> bool {
    all.iter().all(|(fact, ..)| {
        let of_fact = || all.iter().filter(|(f, ..)| f == fact);
        let fits = |value: f32| of_fact().all(|(_, comparison, number)| comparison.holds(value, *number));
        match domain(*fact) {
            Domain::Values(values) => values.iter().any(|v| fits(*v)),
            Domain::Between(least, most) => {
                // Truth changes only at the numbers: test them, the values between them, and the values beyond.
                let mut marks: Vec<f32> = of_fact().map(|(.., number)| *number).chain([least, most]).collect();
                marks.sort_by(f32::total_cmp);
                let middles = marks.windows(2).map(|pair| match (pair[0].is_finite(), pair[1].is_finite()) {
                    (true, true) => 0.5 * pair[0] + 0.5 * pair[1],
                    (true, false) => pair[0] + 1.0 + pair[0].abs(),
                    (false, true) => pair[1] - 1.0 - pair[1].abs(),
                    (false, false) => 0.0,
                });
                let mut values = middles.chain(marks.iter().copied()).filter(|v| (least..=most).contains(v));
                values.any(fits)
            }
        }
    })
}

/// Returns the alternatives in which a condition is true, and those in which it is false; `None` if there are too many.
fn alternatives(ops: &[Op<Literal>]) -> Option<[Alternatives; 2]> {
    let mut stack: Vec<[Alternatives; 2]> = Vec::new();
    for op in ops {
        let next = match op {
            Op::Term((fact, comparison, number)) => {
                [vec![vec![(*fact, *comparison, *number)]], vec![vec![(*fact, comparison.opposite(), *number)]]]
            }
            Op::Not => {
                let [holds, fails] = stack.pop()?;
                [fails, holds]
            }
            Op::And => {
                let ([b, not_b], [a, not_a]) = (stack.pop()?, stack.pop()?);
                [all_of(&a, &b)?, [not_a, not_b].concat()]
            }
            Op::Or => {
                let ([b, not_b], [a, not_a]) = (stack.pop()?, stack.pop()?);
                [[a, b].concat(), all_of(&not_a, &not_b)?]
            }
        };
        if next.iter().any(|all| all.len() > MOST_ALTERNATIVES) {
            return None;
        }
        stack.push(next);
    }
    stack.pop()
}

/// Returns the conjunctions of one alternative of each; `None` if there are too many.
fn all_of(a: &Alternatives, b: &Alternatives) -> Option<Alternatives> {
    let both = || a.iter().flat_map(|a| b.iter().map(move |b| [&a[..], b].concat()));
    (a.len() * b.len() <= MOST_ALTERNATIVES).then(|| both().collect())
}
