//! Montages: a clip in sections, played through exactly, whatever the time step.

use super::condition::Condition;
use super::memory::Voice;
use crate::database::Database;
use crate::frames::EventId;
use crate::matcher::EventKind;
use crate::matcher::Playing;
use crate::math::Transform;

/// A montage, resolved.
#[derive(Clone, Debug)]
pub(super) struct Montage {
    pub name: String,
    pub layer: usize,
    /// The clip; its time is not used.
    pub playing: Playing,
    pub start: Condition,
    pub stop: Option<Condition>,
    pub priority: i32,
    pub rate: f32,
    pub root_motion: bool,
    pub blend_in_s: f32,
    pub blend_out_s: f32,
    /// At least one.
    pub sections: Vec<Section>,
    /// Moments of the clip that are reported, by time.
    pub notifies: Vec<(f32, EventId)>,
    pub windows: Vec<Window>,
}

/// A part of a montage.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub from_s: f32,
    /// Later than `from_s`.
    pub to_s: f32,
    /// `None`: the montage ends.
    pub next: Option<usize>,
    /// The section to go to while the condition holds.
    pub leave: Option<(Condition, Option<usize>)>,
}

/// A range whose begin and end are reported.
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

/// A part of the way through a clip, `after_s` seconds after its begin.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It plays from a time of the clip to another.
    Plays { from_s: f32, to_s: f32, after_s: f32 },
    /// It goes on elsewhere in the clip; from nowhere when it begins.
    Jumps { from_s: Option<f32>, to_s: f32, after_s: f32 },
}

/// What a montage passes: seconds since the control tick at which its voice was looked at, and the event.
pub(super) type Passed = (f32, EventId, EventKind);

/// Sections that are passed within a control tick, at most: an end to loops of no length.
const MOST_SECTIONS: usize = 64;

impl Montage {
    /// Where a voice is `elapsed_s` after its control tick. `report` is told of everything passed on the way, by time; what lies
    /// at the very begin counts where the voice is fresh.
    pub fn walk(&self, voice: &Voice, elapsed_s: f32, mut report: impl FnMut(Passed)) -> Voice {
        self.go(voice, elapsed_s, |step| match step {
            Step::Plays { from_s, to_s, after_s } => self.pass(from_s, to_s, after_s, &mut report),
            Step::Jumps { from_s, to_s, after_s } => self.enter(from_s, to_s, after_s, &mut report),
        })
    }

    /// Where the root is at `to_s` after a voice's control tick, seen from where it is at `from_s` after it.
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

    /// Where a voice is `elapsed_s` later; `visit` is told of the way there.
    fn go(&self, voice: &Voice, elapsed_s: f32, mut visit: impl FnMut(Step)) -> Voice {
        let mut at = *voice;
        let mut after_s = 0.0;
        if voice.fresh == 1.0 {
            visit(Step::Jumps { from_s: None, to_s: at.time_s, after_s });
        }
        for _ in 0..MOST_SECTIONS {
            let section = &self.sections[at.section as usize];
            let left_s = ((section.to_s - at.time_s) / self.rate).max(0.0);
            let reaches_end = after_s + left_s <= elapsed_s;
            let to_s = if reaches_end { section.to_s } else { at.time_s + (elapsed_s - after_s) * self.rate };
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
            // The end is held: it goes out there.
            let Some(next) = next else { return at };
            let from_s = self.sections[next].from_s;
            if next != at.section as usize + 1 || from_s != to_s {
                visit(Step::Jumps { from_s: Some(to_s), to_s: from_s, after_s });
            }
            (at.section, at.time_s) = (next as f32, from_s);
            // The condition was looked at for the section that is over.
            at.leaves = 0.0;
        }
        at
    }

    /// Seconds until the montage ends if no condition changes; infinite in a loop.
    pub fn left_s(&self, voice: &Voice) -> f32 {
        let section = &self.sections[voice.section as usize];
        let next = match &section.leave {
            Some((_, to)) if voice.leaves == 1.0 => *to,
            _ => section.next,
        };
        if next.is_some() { f32::INFINITY } else { (section.to_s - voice.time_s) / self.rate }
    }

    /// Ends the windows that are open.
    pub fn break_off(&self, time_s: f32, report: &mut impl FnMut(Passed)) {
        for window in self.windows.iter().filter(|w| w.is_open(time_s)) {
            report((0.0, window.event, EventKind::End));
        }
    }

    /// Playback goes from `from_s` (exclusive) to `to_s`, `after_s` after the begin.
    fn pass(&self, from_s: f32, to_s: f32, after_s: f32, report: &mut impl FnMut(Passed)) {
        let passed = |at_s: f32| from_s < at_s && at_s <= to_s;
        let when = |at_s: f32| after_s + (at_s - from_s) / self.rate;
        for (at_s, event) in self.notifies.iter().filter(|(at_s, _)| passed(*at_s)) {
            report((when(*at_s), *event, EventKind::Moment));
        }
        for w in &self.windows {
            if passed(w.from_s) {
                report((when(w.from_s), w.event, EventKind::Begin));
            }
            if passed(w.to_s) {
                report((when(w.to_s), w.event, EventKind::End));
            }
        }
    }

    /// Playback jumps to `to_s`, from `from_s` if it played before.
    fn enter(&self, from_s: Option<f32>, to_s: f32, after_s: f32, report: &mut impl FnMut(Passed)) {
        for w in &self.windows {
            // A window that ends where the jump begins has ended.
            let (before, after) = (from_s.is_some_and(|s| w.is_open(s)), w.is_open(to_s));
            if before && !after {
                report((after_s, w.event, EventKind::End));
            }
            if after && !before {
                report((after_s, w.event, EventKind::Begin));
            }
        }
        for (_, event) in self.notifies.iter().filter(|(at_s, _)| *at_s == to_s) {
            report((after_s, *event, EventKind::Moment));
        }
    }

    /// Events that one control tick can report at one instant, at most.
    pub fn most_at_once(&self) -> usize {
        self.windows.len() + self.notifies.len()
    }
}
