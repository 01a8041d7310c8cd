//! The course of actions: requests that lie within what people do, and requests that do not, from many speeds, angles and distances.
//!
//! The ranges ask no planner. What is asked for is placed relative to where the character happens to be when it is asked; what it
//! touches is measured on the poses that are shown.

mod draw;

use crate::samples::percentile;
use draw::{Asked, Draw};
use footwork::actions::Limb;
use footwork::database::Database;
use footwork::input::{ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, ActionView, Character, ConfigError, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Requests come at multiples of this, seconds, which all frame rates share.
const INSTANT_S: f64 = 1.0 / 6.0;
/// Instants of a run before a request.
const RUN_UP: usize = 15;
/// A request that is not done with after this time is not taken, seconds.
const LONGEST_S: f64 = 20.0;
/// A seat is left after this time, seconds.
const SEATED_S: f64 = 1.0;

/// Figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ActionFigures {
    /// Requests.
    pub requests: usize,
    /// Requests whose action was played to its end.
    pub taken: usize,
    /// Requests that were refused, or given up on the way.
    pub refused: usize,
    /// Share of the reachable requests that were taken, percent.
    pub taken_pct_of_reachable: f32,
    /// The same by kind.
    pub taken_by_kind_pct: BTreeMap<String, f32>,
    /// Share of the unreachable requests that were refused, percent.
    pub refused_pct_of_unreachable: f32,
    /// Contacts that were made.
    pub contacts: usize,
    /// From where a contact was asked for to where the joints that make it are shown, 99 %.
    pub contact_error_m_p99: f32,
    /// The same, median.
    pub contact_error_m_p50: f32,
    /// From when the first contact was asked for to when it was made, 99 %, of the requests that named an instant.
    pub contact_error_s_p99: f32,
    /// Requests that named an instant and were taken.
    pub timed: usize,
    /// Events of the clips, between entry and end of an action, that were not reported.
    pub notifies_lost: usize,
    /// Events that were reported and not due.
    pub notifies_doubled: usize,
    /// Why reachable requests were refused: how often each.
    pub reasons: BTreeMap<String, usize>,
    /// The same of unreachable ones.
    pub reasons_of_unreachable: BTreeMap<String, usize>,
    /// Mean cost of the plans that were played: of their warps alone, mean slide.
    pub waited_s_p50: f32,
    /// Hash of all decisions.
    pub decision_hash: String,
}

/// A run to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionsCourse {
    /// Reachable requests, and as many unreachable ones.
    pub requests: usize,
    /// Seed of what is asked for.
    pub seed: u64,
    /// Time step, seconds.
    pub dt_s: f32,
    /// Time steps vary between a half and one and a half of `dt_s`.
    pub jitter: bool,
}

/// Why a course cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionsError {
    /// The character has no clips.
    #[error("the course `actions` needs a character of clips")]
    NoDatabase,
    /// No clip of a kind.
    #[error("no clips of the action `{0}`: build them in, with the tags `{0}` and `no_locomotion`")]
    NoKind(&'static str),
    /// The character refuses its place.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The character refuses an input.
    #[error(transparent)]
    Input(#[from] footwork::input::InputError),
}

/// What became of a request.
#[derive(Default)]
struct Seen {
    taken: bool,
    refused: Option<String>,
    errors_m: Vec<f32>,
    error_s: Option<f32>,
    waited_s: Option<f32>,
    lost: usize,
    doubled: usize,
}

impl ActionsCourse {
    /// Runs the course. Calls `progress` after every request.
    ///
    /// # Errors
    /// Returns [`ActionsError`] for a character without clips or without the kinds of the course.
    pub fn run(&self, character: &Arc<Character>, mut progress: impl FnMut()) -> Result<ActionFigures, ActionsError> {
        let db = character.database().ok_or(ActionsError::NoDatabase)?.clone();
        let mut out = ActionFigures { requests: 2 * self.requests, ..Default::default() };
        let mut hash = Xxh3::new();
        let (mut errors_m, mut errors_s, mut waited_s) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_kind: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let (mut reachable_taken, mut unreachable_refused) = (0, 0);
        for k in 0..2 * self.requests {
            let reachable = k % 2 == 0;
            let asked = Draw::new(self.seed, k).ask(reachable);
            let seen = self.request(character, &db, &asked, &mut hash)?;
            out.taken += usize::from(seen.taken);
            out.refused += usize::from(seen.refused.is_some());
            if reachable {
                reachable_taken += usize::from(seen.taken);
                let kind = by_kind.entry(asked.kind).or_default();
                kind[0] += usize::from(seen.taken);
                kind[1] += 1;
                if let Some(reason) = seen.refused {
                    *out.reasons.entry(format!("{}: {reason}", asked.kind)).or_default() += 1;
                }
            } else {
                unreachable_refused += usize::from(seen.refused.is_some());
                let reason = seen.refused.unwrap_or_else(|| if seen.taken { "taken" } else { "nothing" }.to_owned());
                *out.reasons_of_unreachable.entry(format!("{}: {reason}", asked.kind)).or_default() += 1;
            }
            out.contacts += seen.errors_m.len();
            errors_m.extend(seen.errors_m);
            errors_s.extend(seen.error_s);
            waited_s.extend(seen.waited_s);
            out.notifies_lost += seen.lost;
            out.notifies_doubled += seen.doubled;
            progress();
        }
        let pct = |n: usize, of: usize| 100.0 * n as f32 / of.max(1) as f32;
        out.taken_pct_of_reachable = pct(reachable_taken, self.requests);
        out.refused_pct_of_unreachable = pct(unreachable_refused, self.requests);
        out.taken_by_kind_pct = by_kind.iter().map(|(kind, [n, of])| ((*kind).to_owned(), pct(*n, *of))).collect();
        out.timed = errors_s.len();
        if !errors_m.is_empty() {
            out.contact_error_m_p99 = percentile(&mut errors_m, 99.0);
            out.contact_error_m_p50 = percentile(&mut errors_m, 50.0);
        }
        if !errors_s.is_empty() {
            out.contact_error_s_p99 = percentile(&mut errors_s, 99.0);
        }
        if !waited_s.is_empty() {
            out.waited_s_p50 = percentile(&mut waited_s, 50.0);
        }
        out.decision_hash = format!("{:016x}", hash.digest());
        Ok(out)
    }

    /// A run-up, a request, and what becomes of it.
    fn request(
        &self,
        character: &Arc<Character>,
        db: &Database,
        asked: &Asked,
        hash: &mut Xxh3,
    ) -> Result<Seen, ActionsError> {
        let start = Transform { translation: Vec3::Y * asked.start_m, ..Transform::IDENTITY };
        let mut matcher = MotionMatcher::of(Arc::clone(character), start)?;
        let goal = Goal::Velocity { velocity: Vec3::Z * asked.speed_mps, facing: Some(Facing::FORWARD) };
        let run_up = MotionInput { goal, ..MotionInput::default() };
        let mut steps = Steps { dt_s: self.dt_s, jitter: self.jitter, random: self.seed ^ 0x5bd1 };
        for k in 0..RUN_UP {
            steps.to((k + 1) as f64 * INSTANT_S, &mut matcher, &run_up, |_| ())?;
        }
        let now_s = RUN_UP as f64 * INSTANT_S;
        let Some(request) = asked.request(db, matcher.pose().world_from_root(), now_s) else {
            // An unknown name is refused before there is a request.
            return Ok(Seen { refused: Some("unknown name".to_owned()), ..Seen::default() });
        };
        let mut seen = Seen::default();
        let mut watch = Watch { request, entered: None, fired: 0, over: false, touched_s: None };
        let mut input = MotionInput { action: Some(request), ..run_up };
        let mut k = RUN_UP;
        while !watch.over && (k as f64) * INSTANT_S < now_s + LONGEST_S {
            k += 1;
            steps.to(k as f64 * INSTANT_S, &mut matcher, &input, |m| watch.see(db, m, &mut seen, hash))?;
            let seated = watch.touched_s.is_some_and(|s| (k as f64) * INSTANT_S > s + SEATED_S);
            if seated && watch.holds(&matcher) {
                input.action = None;
            }
        }
        hash.update(&[u8::from(seen.taken), u8::from(seen.refused.is_some())]);
        Ok(seen)
    }
}

/// Time steps up to instants.
struct Steps {
    dt_s: f32,
    jitter: bool,
    random: u64,
}

impl Steps {
    fn to(
        &mut self,
        end_s: f64,
        matcher: &mut MotionMatcher,
        input: &MotionInput,
        mut see: impl FnMut(&MotionMatcher),
    ) -> Result<(), ActionsError> {
        loop {
            let left_s = end_s - matcher.state().header.time_s;
            if left_s <= 1e-6 {
                return Ok(());
            }
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = if self.jitter { 0.5 + ((self.random >> 33) % 1000) as f32 * 1e-3 } else { 1.0 };
            let wanted_s = self.dt_s * share;
            let dt_s = if left_s < 1.5 * f64::from(wanted_s) { left_s as f32 } else { wanted_s };
            matcher.update(input, dt_s)?;
            see(matcher);
        }
    }
}

/// A request under way.
struct Watch {
    request: ActionRequest,
    /// Place among the actions, and the time of its clip.
    entered: Option<(usize, f32)>,
    /// Events since.
    fired: usize,
    over: bool,
    touched_s: Option<f64>,
}

impl Watch {
    fn holds(&self, matcher: &MotionMatcher) -> bool {
        self.entered.is_some_and(|(action, _)| matcher.character().actions().all()[action].holds)
    }

    fn see(&mut self, db: &Database, matcher: &MotionMatcher, seen: &mut Seen, hash: &mut Xxh3) {
        let begun_s = RUN_UP as f64 * INSTANT_S;
        if self.over {
            return;
        }
        for event in &matcher.output().actions {
            hash.update(&((event.time_s * 1e4).round() as u64).to_le_bytes());
            match event.step {
                ActionStep::Entered { action } => {
                    hash.update(&(action as u64).to_le_bytes());
                    seen.waited_s = Some((event.time_s - begun_s) as f32);
                    if let Some(ActionView::Plays { clip_s, .. }) = matcher.action_view() {
                        self.entered = Some((action, clip_s));
                    }
                }
                ActionStep::Touched { contact } => {
                    if contact == 0 {
                        self.touched_s = Some(event.time_s);
                        let off = |[from_s, to_s]: [f64; 2]| (from_s - event.time_s).max(event.time_s - to_s).max(0.0);
                        seen.error_s = self.request.window_s.map(|w| off(w) as f32);
                    }
                    seen.errors_m.extend(self.error_m(db, matcher, contact));
                }
                ActionStep::Left => (seen.taken, self.over) = (true, true),
                ActionStep::Refused(refusal) => {
                    let text = format!("{:?}", refusal.reason);
                    let word = text.split([' ', '{']).next().unwrap_or_default().to_owned();
                    (seen.refused, self.over) = (Some(word), true);
                }
                _ => {}
            }
        }
    }

    /// From where a contact was asked for to the middle of the joints that make it; `None` where no joint does.
    fn error_m(&self, db: &Database, matcher: &MotionMatcher, contact: usize) -> Option<f32> {
        let Some(ActionView::Plays { action, marks, .. }) = matcher.action_view() else { return None };
        let action = &matcher.character().actions().all()[action];
        let pose = matcher.pose();
        let world = pose.world_from_root();
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for of in action.contacts.iter().filter(|c| c.mark == Some(contact)) {
            let sole = match of.limb {
                Limb::Foot(slot) => db.rig.standing[db.rig.contact_joints[slot].at()].translation.y,
                _ => 0.0,
            };
            sum += world.point(pose.in_root(&db.skeleton, of.joint).translation) - Vec3::Y * sole;
            count += 1.0;
        }
        let asked = self.request.contacts[contact].map_or(marks[contact].position, |c| c.position);
        (count > 0.0).then(|| (sum / count - asked).length())
    }
}
