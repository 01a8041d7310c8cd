//! Requests of the course over time, and the events that its gestures must report.

use footwork::database::Database;
use footwork::machine::Variables;

/// Requests and variables change at multiples of this, seconds.
pub const INSTANT_S: f64 = 1.0 / 6.0;

/// Requests over time.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// `[instants]` true while a crouch is requested.
    pub crouched: Vec<bool>,
    /// `[instants]` the instant at which an announced crouch begins.
    pub announced: Vec<Option<usize>>,
    /// Gestures in order.
    pub gestures: Vec<Gesture>,
}

/// A requested gesture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gesture {
    pub kind: Kind,
    /// Instant at which it starts.
    pub start: usize,
    /// Instant at which it is interrupted.
    pub stop: Option<usize>,
    /// Instant after which a wave does not repeat.
    pub wave_until: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Wave,
    Reload,
    LookAround,
}

impl Kind {
    pub(super) fn trigger(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Reload => "reload",
            Self::LookAround => "look_around",
        }
    }
}

/// Random numbers of the script.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

impl Script {
    pub(super) fn new(seed: u64, instants: usize) -> Self {
        let mut random = Random(seed ^ 0x5717_a4ce);
        let mut script = Self::default();
        let (mut crouched, mut next) = (false, 18);
        for k in 0..instants {
            // The last one can be reached before the run ends.
            if k == next && k + 15 < instants {
                crouched = !crouched;
                // At least the time limit of a stance.
                next = k + 15 + random.below(16);
            }
            script.crouched.push(crouched);
        }
        script.announced = vec![None; instants];
        let crouches = |k: &usize| *k > 0 && script.crouched[*k] && !script.crouched[*k - 1];
        // Every third one is announced, half a second to a second in advance.
        for k in (0..instants).filter(crouches).step_by(3) {
            let before = 3 + random.below(4);
            script.announced[k - before..k].fill(Some(k));
        }
        let mut k = 6;
        // The last one ends before the run does.
        while k + 72 < instants {
            let kind = [Kind::Wave, Kind::Reload, Kind::LookAround][random.below(3)];
            let waves = if kind == Kind::Wave { random.below(3) } else { 0 };
            let length = 30 + 9 * waves;
            let stop = (random.below(5) == 0).then(|| k + 3 + random.below(12));
            script.gestures.push(Gesture { kind, start: k, stop, wave_until: k + 5 + 9 * waves });
            k += stop.map_or(length, |s| s - k + 3) + random.below(12);
        }
        script
    }

    /// Sets the values of an instant.
    pub(super) fn set(&self, k: usize, variables: &mut Variables) -> Result<(), footwork::machine::MachineError> {
        variables.set("crouch", f32::from(u8::from(self.crouched[k])))?;
        let of = |g: &&Gesture| g.start <= k;
        let last = self.gestures.iter().take_while(of).last();
        variables.set("waving", f32::from(u8::from(last.is_some_and(|g| k < g.wave_until))))?;
        variables.set("stop", f32::from(u8::from(last.is_some_and(|g| g.stop == Some(k)))))?;
        match last.filter(|g| g.start == k) {
            Some(gesture) => variables.fire(gesture.kind.trigger()),
            None => Ok(()),
        }
    }
}

impl Gesture {
    /// Returns the expected events: names and times, from the clip's events and the sections of the machine.
    pub(super) fn due(&self, db: &Database) -> Vec<(String, f64)> {
        let clip = if self.kind == Kind::Wave { "wave_left" } else { self.kind.trigger() };
        let index = db.clips.iter().position(|c| c.name == clip).unwrap_or(usize::MAX);
        let of_clip = || db.events.iter().filter(|e| e.clip.at() == index);
        let name = |e: &footwork::database::DatabaseEvent| db.event_names[e.name.at()].clone();
        let start_s = self.start as f64 * INSTANT_S;
        let mut due: Vec<(String, f64)> = Vec::new();
        match self.kind {
            Kind::Wave => {
                // Up to 2.2 s; then from 0.7 s again while the wave continues; then to the end.
                let (mut begin_s, mut from_s) = (start_s, -1.0);
                loop {
                    let end_s = begin_s + 2.2;
                    let inside =
                        of_clip().filter(|e| f64::from(e.time_s) > from_s && f64::from(e.time_s) <= 2.2 + 1e-6);
                    due.extend(inside.map(|e| (name(e), begin_s + f64::from(e.time_s))));
                    if end_s - 1e-3 >= self.wave_until as f64 * INSTANT_S {
                        break;
                    }
                    begin_s += 1.5;
                    from_s = 0.7 - 1e-6;
                }
                let rest = of_clip().filter(|e| f64::from(e.time_s) > 2.2 + 1e-6);
                due.extend(rest.map(|e| (name(e), begin_s + f64::from(e.time_s))));
            }
            Kind::Reload => {
                due.extend(of_clip().map(|e| (name(e), start_s + f64::from(e.time_s))));
                // The begin and the end of a window.
                due.extend([0.55, 2.4].map(|s| ("reload_hands_busy".to_owned(), start_s + s)));
            }
            Kind::LookAround => due.extend(of_clip().map(|e| (name(e), start_s + f64::from(e.time_s)))),
        }
        if let Some(stop) = self.stop {
            let stop_s = stop as f64 * INSTANT_S;
            let open = self.kind == Kind::Reload && (start_s + 0.55..start_s + 2.4).contains(&stop_s);
            due.retain(|(_, s)| *s <= stop_s);
            if open {
                due.push(("reload_hands_busy".to_owned(), stop_s));
            }
        }
        due
    }
}
