//! The course of stances: a state machine of an upright and a crouched body that moves about, with gestures on top.
//!
//! Requests and variables change at multiples of [`INSTANT_S`], which all frame rates share. The expected events of the gestures
//! are computed from the script and the clips' events alone, and compared with the reported ones.

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

/// A stance that is not reached within this time is missed, seconds.
const LATEST_S: f64 = 2.0;
/// An announced stance is missed if it is reached further than this from its time, seconds.
const OFF_S: f64 = 0.2;
/// Minimum time for which the hips must stay at the height of a stance, seconds. It excludes deep knee bends at stops and turns.
const STAY_S: f64 = 0.3;
/// Maximum difference between the expected and the reported time of an event, seconds.
const SAME_EVENT_S: f64 = 2e-3;

/// Results of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stances {
    /// Length of the run, seconds.
    pub seconds: f64,
    /// Time step, seconds; steps are cut at multiples of [`INSTANT_S`].
    pub dt_s: f32,
    /// Number of requests for a stance.
    pub requests: usize,
    /// Time from a request until the hips of the displayed pose are within 3 cm of the stance's height and stay there for 0.3 s;
    /// median, seconds. The stance's height is any between the 5th and 95th percentile of its rows, or, while one of its rows
    /// plays, the height in that row.
    pub stance_delay_s_p50: f32,
    /// The same, 90th percentile.
    pub stance_delay_s_p90: f32,
    /// The same, maximum.
    pub stance_delay_s_max: f32,
    /// Requests whose stance was not reached within 2 s; for announced ones, not within 0.2 s of their time.
    pub stance_missed: usize,
    /// Requests that were announced 0.5 to 1 s before their time.
    pub announced: usize,
    /// Time between reaching an announced stance and its requested time, 90th percentile, seconds.
    pub announced_off_s_p90: f32,
    /// The same, maximum.
    pub announced_off_s_max: f32,
    /// The requests that were missed.
    pub missed: Vec<Missed>,
    /// Share of the time after a stance was reached in which the hips were within 3 cm of its heights, percent.
    pub stance_held_pct: f32,
    /// Gestures that were requested.
    pub gestures: usize,
    /// Gestures that were interrupted.
    pub gestures_broken_off: usize,
    /// Events of gestures that were reported.
    pub notifies_fired: usize,
    /// Expected events that were not reported.
    pub notifies_lost: usize,
    /// Events that were reported twice, or were not expected.
    pub notifies_doubled: usize,
    /// Events of the body's own clips, such as footsteps.
    pub body_events: usize,
    /// States entered.
    pub states_entered: usize,
    /// Transitions of playback.
    pub transitions: u64,
    /// Log of the state machine.
    pub machine: MachineLog,
    /// Hash of all decisions: states, playing clips, and events in their order.
    pub decision_hash: String,
}

/// A request that was missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Missed {
    /// Time of the request, seconds.
    pub at_s: f64,
    /// Requested time of an announced stance, seconds.
    pub due_s: Option<f64>,
    /// Time at which it was reached, seconds; `None` if it was not.
    pub reached_s: Option<f64>,
}

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StancesCourse {
    /// Length, seconds.
    pub seconds: f64,
    /// Seed of the script.
    pub seed: u64,
    /// Time step, seconds.
    pub dt_s: f32,
    /// True to vary time steps between half and one and a half of `dt_s`.
    pub jitter: bool,
}

/// Results of the requests.
#[derive(Default)]
struct Tally {
    delays: Vec<f32>,
    /// For announced ones: distance from their requested time, seconds.
    offs: Vec<f32>,
    /// Seconds at the stance's height after it was reached, and in total.
    held_s: [f64; 2],
}

/// The current request.
struct Request {
    at_s: f64,
    /// Requested time of an announced one.
    due_s: Option<f64>,
    crouched: bool,
    /// Start of the current period at the stance's height.
    since_s: Option<f64>,
    /// Start of the first period at the stance's height that lasted long enough.
    reached_s: Option<f64>,
    /// Time of the last update.
    now_s: f64,
    /// Distance of the hips from the stance's heights at that time, metres.
    off_m: f32,
    /// Seconds at the stance's height since `reached_s`.
    held_s: f64,
}

impl StancesCourse {
    /// Runs the course with a character. Its state machine must be the built-in one, or have the same variables and gestures.
    ///
    /// # Errors
    /// Returns [`StancesError`] for a character without a machine, and for a machine that lacks a state or variable of the
    /// course.
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
        let (mut hash, mut seen) = (Xxh3::new(), Tally::default());
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
                let now_s = matcher.state().header.clock.time_s;
                let left_s = end_s - now_s;
                if left_s <= 1e-6 {
                    break;
                }
                matcher.update(&input, self.step_s(left_s, &mut steps))?;
                let now_s = matcher.state().header.clock.time_s;
                let hips_m =
                    matcher.pose().world_from_root().point(matcher.pose().in_root(&db.skeleton, hips).translation).y;
                if let Some(request) = &mut request {
                    let stance = &stances[usize::from(request.crouched)];
                    request.see(now_s, looker.off_m(stance, &matcher.state().header.playback.playing, hips_m));
                }
                fired.extend_from_slice(&matcher.output().events);
                out.machine.push(&matcher);
                out.transitions += u64::from(matcher.output().transitions);
            }
            let view = character.machine_view(matcher.state()).ok_or(StancesError::NoMachine)?;
            out.states_entered += usize::from(state != Some(view.state_index));
            state = Some(view.state_index);
            let playing = matcher.state().header.playback.playing;
            hash.update(&(view.state_index as u64).to_le_bytes());
            hash.update(&(playing.clip.at() as u64).to_le_bytes());
            hash.update(&out.transitions.to_le_bytes());
            progress();
        }
        out.finish(request, &mut seen);
        out.summarize(seen);
        out.count_events(&script, machine, &db, &fired);
        fired.iter().for_each(|event| hash_event(&mut hash, event));
        out.decision_hash = format!("{:016x}", hash.digest());
        Ok(out)
    }

    /// Returns the next time step, in seconds. The last one ends at the instant.
    fn step_s(&self, left_s: f64, steps: &mut Random) -> f32 {
        let wanted_s = if self.jitter { self.dt_s * (0.5 + steps.below(1000) as f32 * 1e-3) } else { self.dt_s };
        if left_s < 1.5 * f64::from(wanted_s) { left_s as f32 } else { wanted_s }
    }
}

fn hash_event(hash: &mut Xxh3, event: &FiredEvent) {
    hash.update(&(event.event.at() as u64).to_le_bytes());
    let kind = match event.kind {
        EventKind::Moment => 0,
        EventKind::Begin => 1,
        EventKind::End(_) => 2,
    };
    hash.update(&[kind, event.layer.map_or(255, |l| l as u8)]);
}

impl Request {
    fn new(at_s: f64, crouched: bool, due_s: Option<f64>) -> Self {
        Self { at_s, due_s, crouched, since_s: None, reached_s: None, now_s: at_s, off_m: 0.0, held_s: 0.0 }
    }

    fn see(&mut self, now_s: f64, off_m: f32) {
        let there = off_m <= 0.0;
        // Linear interpolation between updates makes the result independent of the frame rate.
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
    /// Sets the shares and percentiles of the requests.
    fn summarize(&mut self, seen: Tally) {
        let Tally { mut delays, mut offs, held_s } = seen;
        self.stance_held_pct = (100.0 * held_s[0] / held_s[1].max(1e-9)) as f32;
        if !offs.is_empty() {
            self.announced_off_s_p90 = percentile(&mut offs, 90.0);
            self.announced_off_s_max = percentile(&mut offs, 100.0);
        }
        if !delays.is_empty() {
            self.stance_delay_s_p50 = percentile(&mut delays, 50.0);
            self.stance_delay_s_p90 = percentile(&mut delays, 90.0);
            self.stance_delay_s_max = percentile(&mut delays, 100.0);
        }
    }

    /// Ends a request: the next one has begun, or the run ends.
    fn finish(&mut self, request: Option<Request>, seen: &mut Tally) {
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
