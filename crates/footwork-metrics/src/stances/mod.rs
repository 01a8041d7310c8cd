//! The course of stances: a state machine between an upright and a crouched body that walks about, with gestures over it.
//!
//! Requests and variables change at multiples of [`INSTANT_S`], which all frame rates share. What the gestures must report is
//! worked out from the script and the clips' events alone, and compared with what is reported.

mod error;
mod hips;
mod script;

pub use error::StancesError;
pub use script::INSTANT_S;

use crate::courses::RandomStick;
use crate::machine_log::MachineLog;
use crate::samples::percentile;
use footwork::database::Database;
use footwork::input::{Later, MotionInput};
use footwork::machine::Machine;
use footwork::matcher::{Character, EventKind, FiredEvent, MotionMatcher};
use footwork::math::Transform;
use footwork::pose::{Pose, PoseVelocity};
use hips::Looker;
use script::{Random, Script};
use serde::Serialize;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A stance that is not reached after this time is missed, seconds.
const LATEST_S: f64 = 2.0;
/// An announced stance that is reached further from its time is missed, seconds.
const OFF_S: f64 = 0.2;
/// The hips stay where they are near for so long, seconds: a later stop or turn, deep in the knees, is no stance.
const STAY_S: f64 = 0.3;
/// An event this far from when it is due is another one, seconds.
const SAME_EVENT_S: f64 = 2e-3;

/// Figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stances {
    /// Length of the run.
    pub seconds: f64,
    /// Time step; steps are cut at multiples of [`INSTANT_S`].
    pub dt_s: f32,
    /// Requests of a stance.
    pub requests: usize,
    /// From a request until the hips of the shown pose are at the stance's height, within 3 cm, and stay there for 0.3 s;
    /// median. The stance's height is any that 5 to 95 % of its rows have, or, while one of its rows plays, the height in that.
    pub stance_delay_s_p50: f32,
    /// The same, 90 %.
    pub stance_delay_s_p90: f32,
    /// The same, at most.
    pub stance_delay_s_max: f32,
    /// Requests whose stance was not reached within 2 s; of those announced, not within 0.2 s of their time.
    pub stance_missed: usize,
    /// Requests that were announced 0.5 to 1 s before their time.
    pub announced: usize,
    /// How far from their time these were reached, 90 %.
    pub announced_off_s_p90: f32,
    /// The same, at most.
    pub announced_off_s_max: f32,
    /// The requests that were missed.
    pub missed: Vec<Missed>,
    /// Share of the time after a stance was reached at which the hips are within 3 cm of its heights, percent.
    pub stance_held_pct: f32,
    /// Gestures that were asked for.
    pub gestures: usize,
    /// Gestures that were broken off.
    pub gestures_broken_off: usize,
    /// Events of gestures that were reported.
    pub notifies_fired: usize,
    /// Events that were due and not reported.
    pub notifies_lost: usize,
    /// Events that were reported twice, or were not due.
    pub notifies_doubled: usize,
    /// Events of the body's own clips, such as footsteps.
    pub body_events: usize,
    /// States entered, transitions of playback.
    pub states_entered: usize,
    /// Transitions of playback.
    pub transitions: u64,
    /// What the state machine did.
    pub machine: MachineLog,
    /// Hash of all decisions: states, clips that play, events in their order.
    pub decision_hash: String,
}

/// A request that was missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Missed {
    /// When it was made, seconds.
    pub at_s: f64,
    /// When the stance was due, of an announced one.
    pub due_s: Option<f64>,
    /// When it was reached, if it was.
    pub reached_s: Option<f64>,
}

/// A run to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StancesCourse {
    /// Length, seconds.
    pub seconds: f64,
    /// Seed of the script.
    pub seed: u64,
    /// Time step, seconds.
    pub dt_s: f32,
    /// Time steps vary between a half and one and a half of `dt_s`.
    pub jitter: bool,
}

/// What was seen of requests.
#[derive(Default)]
struct Seen {
    delays: Vec<f32>,
    /// Of announced ones: how far from their time.
    offs: Vec<f32>,
    /// Seconds at the stance's height after it was reached, and in all.
    held_s: [f64; 2],
}

/// A request under way.
struct Request {
    at_s: f64,
    /// When an announced one is to be reached.
    due_s: Option<f64>,
    crouched: bool,
    /// Since when the hips are at the stance's height.
    since_s: Option<f64>,
    /// Since when they have stayed there.
    reached_s: Option<f64>,
    /// When they were looked at last.
    now_s: f64,
    /// How far outside of the stance's height they were then, metres.
    off_m: f32,
    /// Seconds since then at which they were there.
    held_s: f64,
}

impl StancesCourse {
    /// Drives a character, which must be run by the built-in machine or one with the same variables and gestures.
    ///
    /// # Errors
    /// Returns [`StancesError`] for a character without a machine, and a machine without what the course sets.
    pub fn run(&self, character: &Arc<Character>, mut progress: impl FnMut()) -> Result<Stances, StancesError> {
        let machine = character.machine().ok_or(StancesError::NoMachine)?;
        let db = machine.database().clone();
        let hips = db.rig.roles.get("hips").ok_or(StancesError::NoHips)?;
        let (pose, velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let mut looker = Looker { db: &db, hips, pose, velocity };
        let stances = [looker.stance(machine, "upright")?, looker.stance(machine, "crouched")?];
        let instants = (self.seconds / INSTANT_S).round().max(1.0) as usize;
        let script = Script::new(self.seed, instants);
        let mut variables = machine.variables();
        let mut matcher = MotionMatcher::of(character.clone(), Transform::IDENTITY)?;
        let mut stick = RandomStick::new(self.seed);
        let mut steps = Random(self.seed);
        let mut out = Stances { seconds: instants as f64 * INSTANT_S, dt_s: self.dt_s, ..Stances::default() };
        let crouched = db.tag_query("crouched").map_err(|_| StancesError::NoStance { state: "crouched" })?;
        let (mut hash, mut seen) = (Xxh3::new(), Seen::default());
        let mut request: Option<Request> = None;
        let mut fired: Vec<FiredEvent> = Vec::new();
        let mut state = None;
        for k in 0..instants {
            let (begin_s, end_s) = (k as f64 * INSTANT_S, (k + 1) as f64 * INSTANT_S);
            script.set(k, &mut variables)?;
            let announces = k > 0 && script.announced[k].is_some() && script.announced[k - 1].is_none();
            let was_announced = k > 0 && script.announced[k - 1].is_some();
            if announces || (k > 0 && script.crouched[k] != script.crouched[k - 1] && !was_announced) {
                out.finish(request.take(), &mut seen);
                let due_s = script.announced[k].map(|k| k as f64 * INSTANT_S);
                request = Some(Request::new(begin_s, script.crouched[k] || announces, due_s));
                out.requests += 1;
            }
            let later = script.announced[k].map(|k| Later { tags: crouched, at_s: k as f64 * INSTANT_S });
            let stick = MotionInput::stick(stick.at(begin_s as f32));
            let input = MotionInput { variables: variables.values(), later, ..stick };
            loop {
                let now_s = matcher.state().header.time_s;
                let left_s = end_s - now_s;
                if left_s <= 1e-6 {
                    break;
                }
                let wanted_s =
                    if self.jitter { self.dt_s * (0.5 + steps.below(1000) as f32 * 1e-3) } else { self.dt_s };
                // The last step ends at the instant.
                let dt_s = if left_s < 1.5 * f64::from(wanted_s) { left_s as f32 } else { wanted_s };
                matcher.update(&input, dt_s)?;
                let now_s = matcher.state().header.time_s;
                let hips_m =
                    matcher.pose().world_from_root().point(matcher.pose().in_root(&db.skeleton, hips).translation).y;
                if let Some(request) = &mut request {
                    let stance = &stances[usize::from(request.crouched)];
                    request.see(now_s, looker.off_m(stance, &matcher.state().header.playing, hips_m));
                }
                fired.extend_from_slice(&matcher.output().events);
                out.machine.push(&matcher);
                out.transitions += u64::from(matcher.output().transitions);
            }
            let view = character.machine_view(matcher.state()).ok_or(StancesError::NoMachine)?;
            out.states_entered += usize::from(state != Some(view.state_index));
            state = Some(view.state_index);
            let playing = matcher.state().header.playing;
            hash.update(&(view.state_index as u64).to_le_bytes());
            hash.update(&(playing.clip.at() as u64).to_le_bytes());
            hash.update(&out.transitions.to_le_bytes());
            progress();
        }
        out.finish(request, &mut seen);
        let Seen { mut delays, mut offs, held_s } = seen;
        out.stance_held_pct = (100.0 * held_s[0] / held_s[1].max(1e-9)) as f32;
        if !offs.is_empty() {
            out.announced_off_s_p90 = percentile(&mut offs, 90.0);
            out.announced_off_s_max = percentile(&mut offs, 100.0);
        }
        if !delays.is_empty() {
            out.stance_delay_s_p50 = percentile(&mut delays, 50.0);
            out.stance_delay_s_p90 = percentile(&mut delays, 90.0);
            out.stance_delay_s_max = percentile(&mut delays, 100.0);
        }
        out.count_events(&script, machine, &db, &fired);
        for event in &fired {
            hash.update(&(event.event.at() as u64).to_le_bytes());
            let kind = match event.kind {
                EventKind::Moment => 0,
                EventKind::Begin => 1,
                EventKind::End(_) => 2,
            };
            hash.update(&[kind, event.layer.map_or(255, |l| l as u8)]);
        }
        out.decision_hash = format!("{:016x}", hash.digest());
        Ok(out)
    }
}

impl Request {
    fn new(at_s: f64, crouched: bool, due_s: Option<f64>) -> Self {
        Self { at_s, due_s, crouched, since_s: None, reached_s: None, now_s: at_s, off_m: 0.0, held_s: 0.0 }
    }

    fn see(&mut self, now_s: f64, off_m: f32) {
        let there = off_m <= 0.0;
        // Between two looks, the hips move evenly: what is measured does not depend on how often that is.
        let share = if self.off_m > 0.0 { self.off_m / (self.off_m - off_m) } else { 1.0 };
        let since_s = self.now_s + (now_s - self.now_s) * f64::from(share);
        self.since_s = if there { self.since_s.or(Some(since_s)) } else { None };
        if there && self.reached_s.is_some() {
            self.held_s += now_s - self.now_s;
        }
        let stayed = self.since_s.filter(|since_s| now_s - since_s >= STAY_S);
        if self.reached_s.is_none() && stayed.is_some() {
            self.reached_s = stayed;
            self.held_s = now_s - stayed.unwrap_or(now_s);
        }
        (self.now_s, self.off_m) = (now_s, off_m);
    }
}

impl Stances {
    /// A request is over: the next one is there, or the run ends.
    fn finish(&mut self, request: Option<Request>, seen: &mut Seen) {
        let Some(request) = request else { return };
        self.announced += usize::from(request.due_s.is_some());
        let off_s = |reached_s: f64| request.due_s.map_or(reached_s - request.at_s, |due_s| (reached_s - due_s).abs());
        let latest_s = if request.due_s.is_some() { OFF_S } else { LATEST_S };
        let Some(reached_s) = request.reached_s.filter(|s| off_s(*s) <= latest_s) else {
            self.stance_missed += 1;
            self.missed.push(Missed { at_s: request.at_s, due_s: request.due_s, reached_s: request.reached_s });
            return;
        };
        let all = if request.due_s.is_some() { &mut seen.offs } else { &mut seen.delays };
        all.push(off_s(reached_s) as f32);
        seen.held_s[0] += request.held_s;
        seen.held_s[1] += request.now_s - reached_s;
    }

    fn count_events(&mut self, script: &Script, machine: &Machine, db: &Database, fired: &[FiredEvent]) {
        self.gestures = script.gestures.len();
        self.gestures_broken_off = script.gestures.iter().filter(|g| g.stop.is_some()).count();
        self.body_events = fired.iter().filter(|e| e.layer.is_none()).count();
        let mut of_layers: Vec<(&str, f64)> = fired
            .iter()
            .filter(|e| e.layer.is_some())
            .map(|e| (machine.event_names()[e.event.at()].as_str(), e.time_s))
            .collect();
        self.notifies_fired = of_layers.len();
        for (name, due_s) in script.gestures.iter().flat_map(|g| g.due(db)) {
            match of_layers.iter().position(|(n, s)| *n == name && (s - due_s).abs() < SAME_EVENT_S) {
                Some(at) => _ = of_layers.remove(at),
                None => self.notifies_lost += 1,
            }
        }
        self.notifies_doubled = of_layers.len();
    }
}
