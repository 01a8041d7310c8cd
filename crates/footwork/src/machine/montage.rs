//! Montages: clips in sections. Playback is exact for any time step.

use super::condition::Condition;
use super::memory::{BY_CONDITION, TICK_S, Voice};
use crate::database::Database;
use crate::frames::EventId;
use crate::matcher::Playing;
use crate::matcher::{EndCause, EventKind};
use crate::math::Transform;

/// A montage, resolved.
#[derive(Clone, Debug)]
pub(super) struct Montage {
    pub name: String,
    pub layer: usize,
    /// The clip; its time is not used.
    pub playing: Playing,
    pub start: Option<Condition>,
    pub stop: Option<Condition>,
    pub priority: i32,
    pub rate: f32,
    pub root_motion: bool,
    /// `[joints]` weights, multiplied by those of its layer.
    pub mask: Vec<f32>,
    pub blend_in_s: f32,
    pub blend_out_s: f32,
    /// Sections, at least one.
    pub sections: Vec<Section>,
    /// Notifies and events of the clip, sorted by time in seconds.
    pub notifies: Vec<(f32, EventId)>,
    pub windows: Vec<Window>,
    /// Indices of the curves of its clip that are not 0 throughout.
    pub curves: Vec<usize>,
}

/// A section of a montage.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub from_s: f32,
    /// Later than `from_s`.
    pub to_s: f32,
    /// `None`: the montage ends.
    pub next: Option<usize>,
    /// Condition, and the section that follows while it is true.
    pub leave: Option<(Condition, Option<usize>)>,
}

/// A time window whose begin and end are reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub from_s: f32,
    pub to_s: f32,
    pub event: EventId,
}

impl Window {
    fn is_open(&self, time_s: f32) -> bool {
        (self.from_s..self.to_s).contains(&time_s)
    }
}

/// A step of playback through a clip, `after_s` seconds after its begin.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Plays from one time of the clip to another.
    Plays { from_s: f32, to_s: f32, after_s: f32 },
    /// Continues at another time of the clip. `from_s` is `None` when the montage begins.
    Jumps { from_s: Option<f32>, to_s: f32, after_s: f32 },
    /// Reaches the end of the last section.
    Ends { at_s: f32, after_s: f32 },
}

/// An event that the playback of a montage passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Passed {
    /// A notify, by index.
    Notify(usize),
    /// The begin of a window, by index.
    Begin(usize),
    /// The end of a window, by index.
    End(usize, EndCause),
}

/// Maximum number of sections passed within a control tick. It terminates loops of zero length.
const MOST_SECTIONS: usize = 64;

impl Montage {
    /// Returns the voice that plays the montage from the start of a section, with the values of its specification.
    pub fn voice(&self, place: usize, section: usize) -> Voice {
        Voice {
            montage: (place + 1) as f32,
            section: section as f32,
            time_s: self.sections[section].from_s,
            fresh: 1.0,
            rate: self.rate,
            blend_in_s: self.blend_in_s,
            blend_out_s: self.blend_out_s,
            handle: BY_CONDITION,
            ..Voice::default()
        }
    }

    /// Returns the voice `elapsed_s` after its control tick.
    pub fn later(&self, voice: &Voice, elapsed_s: f32) -> Voice {
        self.go(voice, elapsed_s, |_| {})
    }

    /// Reports all events of a voice within its control tick. Playback passes the times `(from, to]` of its clip, and a section
    /// includes its start. The next tick starts from exactly the time at which this one ends, so each event belongs to one tick.
    /// `report` receives seconds since the control tick, at most the length of a tick.
    pub fn events_of_tick(&self, voice: &Voice, mut report: impl FnMut(f32, Passed)) {
        let mut report = |after_s: f32, passed: Passed| report(after_s.min(TICK_S), passed);
        self.go(voice, TICK_S, |step| match step {
            Step::Plays { from_s, to_s, after_s } => self.pass((from_s, to_s, after_s), voice.rate, &mut report),
            Step::Jumps { from_s, to_s, after_s } => self.enter(from_s, to_s, after_s, &mut report),
            Step::Ends { at_s, after_s } => {
                let open = self.windows.iter().enumerate().filter(|(_, w)| w.is_open(at_s));
                open.for_each(|(w, _)| report(after_s, Passed::End(w, EndCause::MontageEnded)));
            }
        });
    }

    /// Returns the event that is reported for `passed`.
    pub fn event(&self, passed: Passed) -> (EventId, EventKind) {
        match passed {
            Passed::Notify(n) => (self.notifies[n].1, EventKind::Moment),
            Passed::Begin(w) => (self.windows[w].event, EventKind::Begin),
            Passed::End(w, cause) => (self.windows[w].event, EventKind::End(cause)),
        }
    }

    /// Returns the indices of the windows that have begun and not ended, if the events of the voice's tick are reported up to
    /// `reported_s` after it.
    pub fn open_windows(&self, voice: &Voice, reported_s: f32) -> impl Iterator<Item = usize> {
        let plays = voice.fresh != 1.0 && self.left_s(voice) > 0.0;
        (0..self.windows.len()).filter(move |w| {
            let mut open = plays && self.windows[*w].is_open(voice.time_s);
            self.events_of_tick(voice, |after_s, passed| match passed {
                _ if after_s > reported_s => {}
                Passed::Begin(begins) if begins == *w => open = true,
                Passed::End(ends, _) if ends == *w => open = false,
                _ => {}
            });
            open
        })
    }

    /// Returns the root at `to_s` after a voice's control tick, relative to the root at `from_s` after it.
    pub fn way(&self, db: &Database, voice: &Voice, from_s: f32, to_s: f32) -> Transform {
        let view = db.view(self.playing.clip, self.playing.mirrored);
        let root = |time_s: f32| view.root(f64::from(time_s)).0;
        let mut way = Transform::IDENTITY;
        let begin = Voice { fresh: 0.0, ..self.go(voice, from_s, |_| {}) };
        self.go(&begin, to_s - from_s, |step| {
            if let Step::Plays { from_s, to_s, .. } = step {
                way = way * (root(from_s).inverse() * root(to_s));
            }
        });
        way
    }

    /// Returns the voice `elapsed_s` later. Calls `visit` for each step of the playback.
    fn go(&self, voice: &Voice, elapsed_s: f32, mut visit: impl FnMut(Step)) -> Voice {
        let mut at = *voice;
        let mut after_s = 0.0;
        if voice.fresh == 1.0 {
            visit(Step::Jumps { from_s: None, to_s: at.time_s, after_s });
        }
        for _ in 0..MOST_SECTIONS {
            let section = &self.sections[at.section as usize];
            let left_s = ((section.to_s - at.time_s) / at.rate).max(0.0);
            let reaches_end = after_s + left_s <= elapsed_s;
            let to_s = if reaches_end { section.to_s } else { at.time_s + (elapsed_s - after_s) * at.rate };
            visit(Step::Plays { from_s: at.time_s, to_s, after_s });
            if !reaches_end {
                at.time_s = to_s;
                return at;
            }
            after_s += left_s;
            at.time_s = to_s;
            let next = match &section.leave {
                Some((_, to)) if at.leaves == 1.0 => *to,
                _ => section.next,
            };
            // The last pose is held while the montage blends out.
            let Some(next) = next else {
                if left_s > 0.0 {
                    visit(Step::Ends { at_s: at.time_s, after_s });
                }
                return at;
            };
            let from_s = self.sections[next].from_s;
            if next != at.section as usize + 1 || from_s != to_s {
                visit(Step::Jumps { from_s: Some(to_s), to_s: from_s, after_s });
            }
            (at.section, at.time_s) = (next as f32, from_s);
            // The condition was evaluated for the section that has ended.
            at.leaves = 0.0;
        }
        at
    }

    /// Returns the time until the montage ends if no condition changes, in seconds; infinite in a loop.
    pub fn left_s(&self, voice: &Voice) -> f32 {
        let section = &self.sections[voice.section as usize];
        let next = match &section.leave {
            Some((_, to)) if voice.leaves == 1.0 => *to,
            _ => section.next,
        };
        if next.is_some() { f32::INFINITY } else { (section.to_s - voice.time_s) / voice.rate }
    }

    /// Reports the events of playback from `from_s` (exclusive) to `to_s`, starting `after_s` after the begin.
    fn pass(&self, (from_s, to_s, after_s): (f32, f32, f32), rate: f32, report: &mut impl FnMut(f32, Passed)) {
        let passed = |at_s: f32| from_s < at_s && at_s <= to_s;
        let when = |at_s: f32| after_s + (at_s - from_s) / rate;
        for (n, (at_s, _)) in self.notifies.iter().enumerate().filter(|(_, (at_s, _))| passed(*at_s)) {
            report(when(*at_s), Passed::Notify(n));
        }
        for (w, window) in self.windows.iter().enumerate() {
            if passed(window.from_s) {
                report(when(window.from_s), Passed::Begin(w));
            }
            if passed(window.to_s) {
                report(when(window.to_s), Passed::End(w, EndCause::Passed));
            }
        }
    }

    /// Reports the events of a jump to `to_s`, from `from_s` if it played before.
    pub fn enter(&self, from_s: Option<f32>, to_s: f32, after_s: f32, report: &mut impl FnMut(f32, Passed)) {
        for (w, window) in self.windows.iter().enumerate() {
            // A window that ends where the jump begins has already ended.
            let (before, after) = (from_s.is_some_and(|s| window.is_open(s)), window.is_open(to_s));
            if before && !after {
                report(after_s, Passed::End(w, EndCause::Left));
            }
            if after && !before {
                report(after_s, Passed::Begin(w));
            }
        }
        for (n, _) in self.notifies.iter().enumerate().filter(|(_, (at_s, _))| *at_s == to_s) {
            report(after_s, Passed::Notify(n));
        }
    }

    /// Returns the maximum number of events that one control tick can report at one instant.
    pub fn most_at_once(&self) -> usize {
        self.windows.len() + self.notifies.len()
    }
}
