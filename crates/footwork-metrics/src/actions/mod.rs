//! The course of actions: requests within and out of reach, at many speeds, angles, distances and times.
//!
//! Contacts are placed relative to the character when it gets the request. The course steers the character to the entry, as a
//! player would. What touches is measured on the shown poses, against the request alone.

mod arrive;
mod ask;
mod error;
mod layouts;
mod meetings;
mod obstacles;
mod read;
mod watch;

pub use arrive::ArrivalFigures;
pub use ask::KINDS;
pub use error::ActionsError;
pub use layouts::{LayoutCourse, LayoutFigures};
pub use meetings::{MeetingCourse, MeetingFigures};
pub use obstacles::{ObstacleCourse, ObstacleFigures};
pub use read::{KnownContact, ReadFigures, read};
pub use watch::Worst;

use crate::RATE_HZ;
use crate::metrics::jerk::velocity_change_mps;
use crate::motion::{Motion, Space};
use crate::samples::percentile_or_zero;
use crate::source::Source;
use ask::{Asked, LONGEST_FRAMES, RUN_UP_FRAMES, STEER_FRAMES};
use footwork::advanced::math::Random;
use footwork::database::Database;
use footwork::frames::JointIndex;
use footwork::input::{ActionRequest, Goal, InputError, MotionInput};
use footwork::matcher::{ActionStep, Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork::recorder::{Recorder, RecorderConfig, Trace};
use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use watch::{Seen, Watch};
use xxhash_rust::xxh3::Xxh3;

/// Most requests to arrive.
const ARRIVALS: usize = 500;
/// Frames for which a seat is held: 1 s.
const SEATED_FRAMES: u32 = 60;
/// Frames after an action in which jumps of joints count: 0.5 s.
const AFTER_FRAMES: u32 = 30;

/// Results of a run. All shares are percentages.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ActionFigures {
    /// Number of requests.
    pub requests: usize,
    /// Requests whose action was played to its end.
    pub taken: usize,
    /// Requests that were rejected, at once or after waiting.
    pub refused: usize,
    /// Share of the reachable requests that were taken.
    pub taken_pct_of_reachable: f32,
    /// The same, by kind.
    pub taken_by_kind_pct: BTreeMap<String, f32>,
    /// Share of the unreachable requests that were rejected.
    pub refused_pct_of_unreachable: f32,
    /// Number of contacts of joints that requests placed.
    pub contacts: usize,
    /// Distance of a joint from its requested place when it begins to touch, median, metres. For feet: over the ground.
    pub contact_error_m_p50: f32,
    /// The same, 99th percentile.
    pub contact_error_m_p99: f32,
    /// The same in all frames of the contacts, 99th percentile, metres.
    pub contact_hold_error_m_p99: f32,
    /// Difference between the requested and the real time of the first contact, 99th percentile, seconds.
    pub contact_error_s_p99: f32,
    /// Requests that named a time and were taken.
    pub timed: usize,
    /// Largest displacement of a planted foot over the ground during an action, median, metres.
    pub plant_slide_m_p50: f32,
    /// The same, 90th percentile.
    pub plant_slide_m_p90: f32,
    /// The same, 99th percentile.
    pub plant_slide_m_p99: f32,
    /// Events of the clips that were not reported while actions played.
    pub notifies_lost: usize,
    /// Events that were reported too often.
    pub notifies_doubled: usize,
    /// Largest change of a joint's velocity from one frame to the next during actions and 0.5 s after them, relative to the largest
    /// in the clips of locomotion.
    pub pop_mps: f32,
    /// Requested contacts that began without a joint that touches, other than the tops of hurdles.
    pub contacts_without_joint: usize,
    /// Contacts of clips that are known, and how they are read. Filled in by [`read()`].
    #[serde(flatten)]
    pub read: Option<ReadFigures>,
    /// Time from a request to the entry, median, seconds.
    pub waited_s_p50: f32,
    /// Reasons for which reachable requests were not taken, with their numbers.
    pub reasons: BTreeMap<String, usize>,
    /// Outcomes of the unreachable requests.
    pub reasons_of_unreachable: BTreeMap<String, usize>,
    /// Clips, times and joints of the largest `contact_hold_error_m`, `plant_slide_m` (metres) and `pop_mps` (m/s).
    pub worst: BTreeMap<String, Worst>,
    /// Hash of all decisions. It does not depend on the time step.
    pub decision_hash: String,
    /// Arrivals; none for a character without them ([`ActionConfig::arrives`](footwork::actions::ActionConfig)).
    #[serde(flatten)]
    pub arrivals: ArrivalFigures,
}

/// One request of the course.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedRequest {
    /// Kind of the requested action.
    pub kind: &'static str,
    /// True if the course means the request to be within reach.
    pub reachable: bool,
    /// Times in seconds, and steps of the action.
    pub steps: Vec<(f64, String)>,
    /// Reason of the refusal.
    pub refused: Option<String>,
    /// See [`ActionFigures::worst`].
    pub worst: BTreeMap<&'static str, Worst>,
    /// The recording, from the run-up to the end.
    #[serde(skip)]
    pub trace: Trace,
}

/// A run of the course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionsCourse {
    /// Number of requests; every second one is unreachable.
    pub requests: usize,
    /// Seed of the requests.
    pub seed: u64,
    /// Time step, in seconds; steps are cut at multiples of 1/60 s.
    pub dt_s: f32,
    /// Time steps of 0.5 to 1.5 times `dt_s`.
    pub jitter: bool,
}

impl ActionsCourse {
    /// Runs the course on all cores. Calls `progress` after each request.
    ///
    /// # Errors
    /// Returns [`ActionsError`] for a character without clips or without a kind of the course.
    pub fn run(&self, character: &Arc<Character>, progress: impl Fn() + Sync) -> Result<ActionFigures, ActionsError> {
        let db = character.database().ok_or(ActionsError::NoDatabase)?;
        for kind in KINDS {
            let known = db.action_kind(kind).is_ok_and(|k| character.actions().of_kind(k).next().is_some());
            known.then_some(()).ok_or(ActionsError::NoKind(kind))?;
        }
        let run = |k: usize| {
            let (asked, mut run) = self.draw(character, db, k)?;
            let seen = run.request(&asked)?;
            progress();
            Ok((asked, seen))
        };
        let seen: Vec<(Asked, Seen)> =
            (0..self.requests).into_par_iter().map(run).collect::<Result<_, ActionsError>>()?;
        let mut figures = figures(&seen);
        if character.config().actions.arrives {
            figures.arrivals = arrive::arrive(character, self.seed, ARRIVALS.min(self.requests))?;
        }
        figures.pop_mps /= largest_change_mps(db).max(1e-3);
        Ok(figures)
    }

    /// Runs one request of the course, and records it. `request`: its number, as [`Worst::request`] has it.
    ///
    /// # Errors
    /// Returns [`ActionsError`] for a character without clips.
    pub fn record(&self, character: &Arc<Character>, request: usize) -> Result<RecordedRequest, ActionsError> {
        let db = character.database().ok_or(ActionsError::NoDatabase)?;
        let (asked, mut run) = self.draw(character, db, request)?;
        let mut recorder = Recorder::new(character, RecorderConfig::default());
        run.recorder = Some(&mut recorder);
        let mut seen = run.request(&asked)?;
        seen.worst.values_mut().for_each(|worst| worst.request = request);
        Ok(RecordedRequest {
            kind: asked.kind,
            reachable: asked.reachable,
            steps: seen.steps.iter().map(|(time_s, step)| (*time_s, format!("{step:?}"))).collect(),
            refused: seen.refused,
            worst: seen.worst,
            trace: recorder.trace(),
        })
    }

    /// Draws a request, and creates its character.
    fn draw<'a>(
        &'a self,
        character: &Arc<Character>,
        db: &'a Database,
        request: usize,
    ) -> Result<(Asked, Run<'a>), ActionsError> {
        let asked = Asked::draw(self.seed, request, request.is_multiple_of(2));
        let run = Run::new(self, character, db, request, &asked)?;
        Ok((asked, run))
    }
}

/// Returns the largest change of a joint's velocity from one frame to the next in the captured clips of locomotion, world, in m/s.
fn largest_change_mps(db: &Database) -> f32 {
    let source = Source::new(db);
    let of_motion = |motion: &Motion| {
        // Joint 0 is the root, which is not visible.
        let joints = (1..db.skeleton.len()).map(JointIndex::new);
        let all = joints.flat_map(|joint| (0..motion.frames()).map(move |frame| (frame, joint)));
        all.filter_map(|(frame, joint)| velocity_change_mps(motion, Space::World, frame, joint)).fold(0.0, f32::max)
    };
    let locomotion = source.clips.par_iter().filter(|clip| !clip.aside && !clip.made);
    locomotion.map(|clip| of_motion(&clip.motion)).reduce(|| 0.0, f32::max)
}

/// Returns the position of the hips: world, in metres. The root's for a body without legs.
fn hips(matcher: &MotionMatcher) -> Vec3 {
    let (character, pose) = (matcher.character(), matcher.pose());
    let hips = character.rig().body.as_ref().map(|body| pose.in_root(character.skeleton(), body.hips).translation);
    pose.world_from_root().point(hips.unwrap_or_default())
}

/// Summarises the outcomes.
fn figures(seen: &[(Asked, Seen)]) -> ActionFigures {
    let mut out = ActionFigures { requests: seen.len(), ..Default::default() };
    let mut by_kind: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut unreachable = [0; 2];
    let mut hash = Xxh3::new();
    for (k, (asked, seen)) in seen.iter().enumerate() {
        let (taken, refused) = (usize::from(seen.taken()), usize::from(seen.refused.is_some()));
        out.taken += taken;
        out.refused += refused;
        let reason = seen.refused.as_deref().unwrap_or(if seen.taken() { "taken" } else { "not met" });
        let name = format!("{}: {reason}", asked.kind);
        if asked.reachable {
            let counts = by_kind.entry(asked.kind).or_default();
            *counts = [counts[0] + taken, counts[1] + 1];
            if taken == 0 {
                *out.reasons.entry(name).or_default() += 1;
            }
        } else {
            unreachable = [unreachable[0] + refused, unreachable[1] + 1];
            *out.reasons_of_unreachable.entry(name).or_default() += 1;
        }
        out.notifies_lost += seen.lost;
        out.notifies_doubled += seen.doubled;
        // Nothing touches what is hurdled.
        out.contacts_without_joint += if asked.kind == "hurdle" { 0 } else { seen.without_joint };
        for (key, found) in &seen.worst {
            let worst = out.worst.entry((*key).to_owned()).or_default();
            if found.value > worst.value {
                *worst = Worst { request: k, ..found.clone() };
            }
        }
        seen.hash(&mut hash);
    }
    out.pop_mps = out.worst.get("pop_mps").map_or(0.0, |worst| worst.value);
    let pct = |[n, of]: [usize; 2]| 100.0 * n as f32 / of.max(1) as f32;
    out.taken_pct_of_reachable = pct(by_kind.values().fold([0; 2], |all, n| [all[0] + n[0], all[1] + n[1]]));
    out.taken_by_kind_pct = by_kind.iter().map(|(kind, n)| ((*kind).to_owned(), pct(*n))).collect();
    out.refused_pct_of_unreachable = pct(unreachable);
    let all = |of: &dyn Fn(&Seen) -> Vec<f32>| seen.iter().flat_map(|(_, seen)| of(seen)).collect::<Vec<f32>>();
    let mut errors_m = all(&|s| s.errors_m.clone());
    out.contacts = errors_m.len();
    (out.contact_error_m_p50, out.contact_error_m_p99) =
        (percentile_or_zero(&mut errors_m, 50.0), percentile_or_zero(&mut errors_m, 99.0));
    out.contact_hold_error_m_p99 = percentile_or_zero(&mut all(&|s| s.hold_errors_m.clone()), 99.0);
    let mut errors_s = all(&|s| s.error_s.into_iter().collect());
    out.timed = errors_s.len();
    out.contact_error_s_p99 = percentile_or_zero(&mut errors_s, 99.0);
    let mut slides_m = all(&|s| s.slides_m.clone());
    [out.plant_slide_m_p50, out.plant_slide_m_p90, out.plant_slide_m_p99] =
        [50.0, 90.0, 99.0].map(|pct| percentile_or_zero(&mut slides_m, pct));
    out.waited_s_p50 = percentile_or_zero(&mut all(&|s| waited_s(s).into_iter().collect()), 50.0);
    out.decision_hash = format!("{:016x}", hash.digest());
    out
}

/// Returns the time from the request to the entry, in seconds.
fn waited_s(seen: &Seen) -> Option<f32> {
    let (first_s, _) = seen.steps.first()?;
    let entered = seen.steps.iter().find(|(_, step)| matches!(step, ActionStep::Entered { .. }));
    entered.map(|(entered_s, _)| (entered_s - first_s) as f32)
}

/// A character that gets one request.
struct Run<'a> {
    course: &'a ActionsCourse,
    db: &'a Database,
    matcher: MotionMatcher,
    random: Random,
    /// Frames since the start.
    frame: u32,
    goal: Goal<'static>,
    recorder: Option<&'a mut Recorder>,
}

impl<'a> Run<'a> {
    fn new(
        course: &'a ActionsCourse,
        character: &Arc<Character>,
        db: &'a Database,
        k: usize,
        asked: &Asked,
    ) -> Result<Self, ActionsError> {
        let start = Transform { translation: Vec3::Y * asked.start_m, ..Transform::IDENTITY };
        let matcher = MotionMatcher::of(Arc::clone(character), start)?;
        let random = Random(Random::sub_seed(!course.seed, k as u64));
        Ok(Self { course, db, matcher, random, frame: 0, goal: Goal::None, recorder: None })
    }

    /// Runs up, requests, and steers until the request is over.
    fn request(&mut self, asked: &Asked) -> Result<Seen, ActionsError> {
        let seated = asked.kind == "get_up" && asked.reachable;
        let speed_mps = if seated { 0.0 } else { asked.speed_mps };
        self.goal = Goal::Velocity { velocity: Vec3::Z * speed_mps, facing: Some(Facing::FORWARD) };
        for _ in 0..RUN_UP_FRAMES {
            self.frame(None, |_| ())?;
        }
        let mut id = 1;
        if seated {
            self.sit_down(&asked.seat(), id)?;
            id += 1;
        }
        let Some(request) = self.place(asked, id) else {
            return Ok(Seen { refused: Some("UnknownName".to_owned()), ..Seen::default() });
        };
        self.answer(request)
    }

    /// Sits down, and stays seated for a while.
    fn sit_down(&mut self, seat: &Asked, id: u16) -> Result<(), ActionsError> {
        let Some(request) = self.place(seat, id) else { return Ok(()) };
        let (mut touched, mut left) = (false, LONGEST_FRAMES);
        while left > 0 {
            if self.frame.is_multiple_of(STEER_FRAMES) {
                self.steer(&request);
            }
            self.frame(Some(request), |matcher| {
                touched |= matcher.output().actions.iter().any(|e| matches!(e.step, ActionStep::Touched { .. }));
            })?;
            left = if touched { left.min(SEATED_FRAMES) - 1 } else { left - 1 };
        }
        Ok(())
    }

    /// Returns the request of the character as it is now; `None` for an unknown name.
    fn place(&self, asked: &Asked, id: u16) -> Option<ActionRequest> {
        let world = self.matcher.pose().world_from_root();
        let now_s = self.matcher.state().header.clock.time_s;
        asked.request(self.db, id, world, hips(&self.matcher), now_s).ok()
    }

    /// Requests, and observes until the request is over.
    fn answer(&mut self, request: ActionRequest) -> Result<Seen, ActionsError> {
        // A character with arrivals goes by itself.
        let request = ActionRequest { go: self.matcher.character().config().actions.arrives, ..request };
        let (mut seen, mut watch) = (Seen::default(), Watch::new(self.db, request));
        let (mut input, mut held, mut after) = (Some(request), 0, 0);
        for _ in 0..LONGEST_FRAMES {
            if self.frame.is_multiple_of(STEER_FRAMES) && !seen.is_over() {
                self.steer(&request);
            }
            match self.frame(input, |matcher| watch.update(matcher, &mut seen)) {
                // Numbers that are not finite are rejected before the character moves.
                Err(ActionsError::Input(error @ InputError::NotUsable { .. })) => {
                    return Ok(Seen {
                        refused: Some(format!("{error:?}").chars().take_while(char::is_ascii_alphabetic).collect()),
                        ..seen
                    });
                }
                result => result?,
            }
            watch.frame(&self.matcher, &mut seen);
            held += u32::from(seen.steps.iter().any(|(_, step)| matches!(step, ActionStep::Touched { .. })));
            if held > SEATED_FRAMES && self.holds() {
                input = None;
            }
            after += u32::from(seen.is_over());
            if seen.refused.is_some() || after > AFTER_FRAMES {
                break;
            }
        }
        watch.finish(&self.matcher, &mut seen);
        Ok(seen)
    }

    /// Returns true while an action plays that ends in a seat.
    fn holds(&self) -> bool {
        let (character, state) = (self.matcher.character(), self.matcher.state());
        character.playing_action(state).is_some_and(|action| character.actions().all()[action].holds)
    }

    /// Sets the goal to the entry of the action that meets the request.
    fn steer(&mut self, request: &ActionRequest) {
        if let Ok(goal) = self.matcher.character().goal_of_approach(self.matcher.state(), request) {
            self.goal = goal;
        }
    }

    /// Advances by 1/60 s, in time steps of the course.
    fn frame(
        &mut self,
        action: Option<ActionRequest>,
        mut see: impl FnMut(&MotionMatcher),
    ) -> Result<(), ActionsError> {
        self.frame += 1;
        let end_s = f64::from(self.frame) / f64::from(RATE_HZ);
        let input = MotionInput { goal: self.goal, action, ..MotionInput::default() };
        loop {
            let left_s = (end_s - self.matcher.state().header.clock.time_s) as f32;
            if left_s < 1e-6 {
                return Ok(());
            }
            let share = if self.course.jitter { self.random.between(0.5, 1.5) } else { 1.0 };
            let dt_s = self.course.dt_s * share;
            let dt_s = if left_s < 1.5 * dt_s { left_s } else { dt_s };
            match &mut self.recorder {
                Some(recorder) => recorder.update(&mut self.matcher, &input, dt_s)?,
                None => self.matcher.update(&input, dt_s)?,
            };
            see(&self.matcher);
        }
    }
}
