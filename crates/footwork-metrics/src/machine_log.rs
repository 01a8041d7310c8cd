//! Log of a state machine during a run: states, transitions, montages and events, with their times.

use footwork::advanced::machine::LayerView;
use footwork::machine::Machine;
use footwork::matcher::{EndCause, EventKind, MotionMatcher};
use serde::Serialize;

/// Log of a state machine during a run, in order of time. Times are seconds from the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MachineLog {
    /// Periods in states. Each begins where the previous one ends.
    pub states: Vec<Stay>,
    /// Transitions between states.
    pub transitions: Vec<StateTransition>,
    /// Montages, with the resolution of an update.
    pub montages: Vec<Played>,
    /// Events of montages and of the body's clips.
    pub events: Vec<Told>,
    /// The end of the last update.
    #[serde(skip)]
    updated_s: f64,
    /// Time of the run at which the character's time was 0. It is reset when the character is replaced by another one.
    #[serde(skip)]
    began_s: f64,
}

/// A period in a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stay {
    /// Full name of the state.
    pub state: String,
    /// Begin.
    pub from_s: f64,
    /// End, or the end of the run.
    pub to_s: f64,
}

/// Total time in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InState<'a> {
    /// Full name of the state.
    pub state: &'a str,
    /// Number of periods in it.
    pub stays: usize,
    /// Seconds in it.
    pub seconds: f64,
}

/// A transition between states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateTransition {
    /// Time, at a control tick.
    pub time_s: f64,
    /// Full name of the state that was left.
    pub from: String,
    /// Full name of the state that was entered.
    pub to: String,
    /// Its condition as written in the specification; `None` for an immediate transition.
    pub when: Option<String>,
}

/// A montage that played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// Its name.
    pub montage: String,
    /// The layer that it played on.
    pub layer: String,
    /// End of the first update in which it played.
    pub from_s: f64,
    /// End of the last update in which it played.
    pub to_s: f64,
    /// True if it was interrupted.
    pub broken_off: bool,
}

/// An event that was reported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// Time.
    pub time_s: f64,
    /// Its name.
    pub event: String,
    /// `moment`, `begin` or `end`.
    pub kind: &'static str,
    /// Cause of the end of a window.
    pub cause: Option<&'static str>,
    /// The layer that played the event's clip; `None` for the body.
    pub layer: Option<String>,
}

impl MachineLog {
    /// Adds the last update of a character. Does nothing for a character without a state machine.
    pub fn push(&mut self, matcher: &MotionMatcher) {
        let (Some(machine), Some(view)) = (matcher.character().machine(), matcher.machine_view()) else { return };
        let (output, time_s) = (matcher.output(), matcher.state().header.clock.time_s);
        if self.began_s + time_s < self.updated_s {
            self.began_s = self.updated_s;
        }
        let (began_s, now_s) = (self.began_s, self.began_s + time_s);
        if self.states.is_empty() {
            let first = output.state_changes.first().map_or(view.state_index, |change| usize::from(change.from));
            let state = name(machine, first);
            self.states.push(Stay { state, from_s: now_s - f64::from(output.consumed_s), to_s: now_s });
        }
        for change in &output.state_changes {
            let [from, to] = [change.from, change.to].map(usize::from);
            let at_s = began_s + change.time_s;
            let when = machine.transitions_of(from).nth(change.transition.into()).and_then(|(_, when)| when);
            let [from, to] = [from, to].map(|state| name(machine, state));
            self.transitions.push(StateTransition {
                time_s: at_s,
                from,
                to: to.clone(),
                when: when.map(str::to_owned),
            });
            self.leave(at_s);
            self.states.push(Stay { state: to, from_s: at_s, to_s: now_s });
        }
        // Another machine took over.
        if self.states.last().is_some_and(|stay| stay.state != view.state) {
            self.leave(began_s);
            self.states.push(Stay { state: view.state.to_owned(), from_s: began_s, to_s: now_s });
        }
        self.leave(now_s);
        view.layers.iter().for_each(|layer| self.see(layer, now_s));
        self.updated_s = now_s;
        for event in &output.events {
            let (kind, cause) = match event.kind {
                EventKind::Moment => ("moment", None),
                EventKind::Begin => ("begin", None),
                EventKind::End(cause) => ("end", Some(cause_name(cause))),
            };
            let layer = event.layer.and_then(|l| machine.layer_names().nth(l.into())).map(str::to_owned);
            let event_name = machine.event_names()[event.event.at()].clone();
            self.events.push(Told { time_s: began_s + event.time_s, event: event_name, kind, cause, layer });
        }
    }

    /// Returns the time in each state, the longest first.
    pub fn by_state(&self) -> Vec<InState<'_>> {
        let mut all: Vec<InState> = Vec::new();
        for stay in &self.states {
            let seconds = stay.to_s - stay.from_s;
            match all.iter_mut().find(|s| s.state == stay.state) {
                Some(known) => (known.stays, known.seconds) = (known.stays + 1, known.seconds + seconds),
                None => all.push(InState { state: &stay.state, stays: 1, seconds }),
            }
        }
        all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        all
    }

    fn leave(&mut self, at_s: f64) {
        if let Some(stay) = self.states.last_mut() {
            stay.to_s = at_s;
        }
    }

    /// Adds a layer as it is after an update.
    fn see(&mut self, layer: &LayerView, now_s: f64) {
        // The replaced one comes first: where a montage replaces itself, the logged one is the old one.
        for montage in layer.montages.iter().rev() {
            let updated_s = self.updated_s;
            let same = |m: &&mut Played| m.montage == montage.name && m.layer == layer.name && m.to_s == updated_s;
            let known = self.montages.iter_mut().filter(same).find(|m| montage.broken_off || !m.broken_off);
            if let Some(known) = known {
                (known.to_s, known.broken_off) = (now_s, montage.broken_off);
                continue;
            }
            let (name, layer) = (montage.name.to_owned(), layer.name.to_owned());
            let broken_off = montage.broken_off;
            self.montages.push(Played { montage: name, layer, from_s: now_s, to_s: now_s, broken_off });
        }
    }
}

fn name(machine: &Machine, state: usize) -> String {
    machine.state_names().nth(state).unwrap_or_default().to_owned()
}

fn cause_name(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Passed => "passed",
        EndCause::Left => "left",
        EndCause::MontageEnded => "montage_ended",
        EndCause::BrokenOff => "broken_off",
    }
}
