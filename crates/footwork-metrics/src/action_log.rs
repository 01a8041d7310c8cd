//! Log of requests for actions during a run: when each was accepted, entered, touched and left, or why it was rejected.

use footwork::input::{ActionKind, ActionRequest};
use footwork::matcher::{ActionEvent, ActionStep, Character, MotionMatcher};
use serde::Serialize;
use std::fmt;

/// Log of requests during a run, in order of time. Times are those of the character, in seconds; after another character has taken
/// over, they go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ActionLog {
    /// Requests.
    pub requests: Vec<Requested>,
    /// The end of the last update.
    #[serde(skip)]
    updated_s: f64,
    /// Time of the run at which the character's time was 0.
    #[serde(skip)]
    began_s: f64,
}

/// A request, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Requested {
    /// Number of the request.
    pub id: u16,
    /// Kinds, such as `vault`; empty if they are not known.
    pub kinds: Vec<String>,
    /// Time of its first step, at a control tick.
    pub asked_s: f64,
    /// Time at which it was accepted.
    pub accepted_s: Option<f64>,
    /// Time at which the action began.
    pub entered_s: Option<f64>,
    /// Clip of the action.
    pub clip: Option<String>,
    /// Times of the requested contacts.
    pub touched_s: Vec<f64>,
    /// Time at which the action ended.
    pub left_s: Option<f64>,
    /// Rejection.
    pub refused: Option<Refused>,
    /// Time at which it was dropped or replaced before the action began.
    pub called_off_s: Option<f64>,
}

/// Rejection of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    /// Time.
    pub time_s: f64,
    /// Reason, in words.
    pub reason: String,
    /// Clip of the candidate that misses least; `None` if there is none.
    pub nearest: Option<String>,
}

impl ActionLog {
    /// Adds the last update of a character, and the request of its input.
    pub fn push(&mut self, matcher: &MotionMatcher, request: Option<&ActionRequest>) {
        let time_s = matcher.state().header.clock.time_s;
        if self.began_s + time_s < self.updated_s {
            self.began_s = self.updated_s;
        }
        self.updated_s = self.began_s + time_s;
        for event in &matcher.output().actions {
            self.add(matcher.character(), event, request.filter(|r| r.id == event.id));
        }
    }

    fn add(&mut self, character: &Character, event: &ActionEvent, request: Option<&ActionRequest>) {
        let (id, time_s) = (event.id, self.began_s + event.time_s);
        let open = self.requests.iter().rposition(|r| r.id == id && !r.is_over());
        let at = open.unwrap_or_else(|| {
            let kinds = request.map(|r| kinds_of(character, r)).unwrap_or_default();
            self.requests.push(Requested { id, kinds, asked_s: time_s, ..Requested::default() });
            self.requests.len() - 1
        });
        let of = &mut self.requests[at];
        let clip = |action: usize| {
            let clip = character.actions().all().get(action).and_then(|a| character.clip_name(a.clip));
            clip.unwrap_or_default().to_owned()
        };
        match event.step {
            ActionStep::Accepted => of.accepted_s = Some(time_s),
            ActionStep::Entered { action } => (of.entered_s, of.clip) = (Some(time_s), Some(clip(action))),
            ActionStep::Touched { .. } => of.touched_s.push(time_s),
            ActionStep::Left => of.left_s = Some(time_s),
            ActionStep::CalledOff => of.called_off_s = Some(time_s),
            ActionStep::Refused(refusal) => {
                let kind = if of.kinds.is_empty() { "action".to_owned() } else { of.kinds.join("` or `") };
                let (reason, nearest) = (refusal.text(&kind), refusal.nearest.map(clip));
                of.refused = Some(Refused { time_s, reason, nearest });
            }
            _ => {}
        }
    }
}

impl Requested {
    /// Returns true if nothing more becomes of it.
    pub fn is_over(&self) -> bool {
        self.left_s.is_some() || self.refused.is_some() || self.called_off_s.is_some()
    }
}

impl fmt::Display for Requested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = if self.kinds.is_empty() { "action".to_owned() } else { self.kinds.join(" or ") };
        write!(f, "request {}, {kinds}:", self.id)?;
        let mut comma = "";
        let mut step = |f: &mut fmt::Formatter, what: &str, time_s: Option<f64>| {
            let Some(time_s) = time_s else { return Ok(()) };
            write!(f, "{} {what} {time_s:.2} s", std::mem::replace(&mut comma, ","))
        };
        step(f, "accepted", self.accepted_s)?;
        step(f, "entered", self.entered_s)?;
        self.touched_s.iter().try_for_each(|s| step(f, "touched", Some(*s)))?;
        step(f, "left", self.left_s)?;
        step(f, "called off", self.called_off_s)?;
        let Some(refused) = &self.refused else { return Ok(()) };
        step(f, "rejected", Some(refused.time_s))?;
        write!(f, ": {}", refused.reason)
    }
}

/// Returns the names of the kinds of a request.
fn kinds_of(character: &Character, request: &ActionRequest) -> Vec<String> {
    let name = |kind: &ActionKind| match *kind {
        ActionKind::ARRIVAL => Some("arrive".to_owned()),
        ActionKind(tag) => character.database().and_then(|db| db.tags.get(usize::from(tag))).cloned(),
    };
    request.kinds.iter().flatten().filter_map(name).collect()
}
