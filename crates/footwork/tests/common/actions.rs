//! Requests for actions, and what becomes of them.

use super::{Random, bits, walk};
use footwork::actions::{Limb, Place, Plan, Refusal, Situation};
use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::database::{Database, MirrorMode};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::input::{ActionContact, ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, ActionView, Character, MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::{Arc, OnceLock};

/// Returns the built-in clips without routes, with all actions.
pub fn database() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let make = || {
        let clips =
            footwork_gait::clips(&GaitOptions { routes: false, actions: true, gestures: true, ..Default::default() });
        let mut config = BuildConfig::default();
        config.multiply.mode = Multiply::Off;
        Arc::new(build(&clips, &config, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")).0)
    };
    DB.get_or_init(make).clone()
}

/// Returns a character of the clips of [`database`] that have no mirror image, which it mirrors itself.
pub fn mirroring() -> Arc<Character> {
    let options = GaitOptions { routes: false, actions: true, ..Default::default() };
    let mut clips = footwork_gait::clips(&options);
    clips.retain(|c| !c.name.ends_with("_right"));
    let mut config = BuildConfig { mirror: MirrorMode::Query, ..BuildConfig::default() };
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(&clips, &config, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    Arc::new(Character::new(Arc::new(db), MatcherConfig::default()).unwrap())
}

/// Returns a character of [`database`].
pub fn character() -> Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    CHARACTER.get_or_init(|| Arc::new(Character::new(database(), MatcherConfig::default()).unwrap())).clone()
}

/// Returns the same with arrivals.
pub fn arriving() -> Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    let make = || {
        let mut config = MatcherConfig::default();
        config.actions.arrives = true;
        Arc::new(character().with_config(config).unwrap())
    };
    CHARACTER.get_or_init(make).clone()
}

/// A request ahead of a character: kind, run-up speed, size, distance, angle.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub kind: &'static str,
    pub speed_mps: f32,
    pub size_m: f32,
    pub distance_m: f32,
    pub angle_deg: f32,
}

impl Case {
    /// Returns the request of a character at `root`. The layout is that of the built-in obstacles.
    pub fn request(&self, db: &Database, root: Transform) -> ActionRequest {
        let ahead = Facing::from_rotation(root.rotation);
        let facing = ahead.turned(self.angle_deg.to_radians());
        let along = facing.direction();
        let edge = root.translation + ahead.direction() * self.distance_m;
        let up = Vec3::Y * self.size_m;
        let contact = |position, facing| ActionContact { position, facing };
        let (first, second) = match self.kind {
            "vault" | "mantle" | "climb" => (contact(edge + up + along * 0.05 + Vec3::Y * 0.03, facing), None),
            "drop" => (contact(edge - along * 0.09, facing), None),
            "jump" => {
                (contact(edge - along * 0.09, facing), Some(contact(edge + along * (self.size_m + 0.21), facing)))
            }
            "step_up" => (contact(edge + up + along * 0.12, facing), None),
            "sit" => {
                let hips = edge + up + along * 0.16 + Vec3::Y * 0.12;
                (contact(hips, facing.turned(std::f32::consts::PI)), None)
            }
            _ => (contact(edge + up, facing), None),
        };
        let landing_m = (self.kind == "drop").then_some(root.translation.y - self.size_m);
        let request = ActionRequest::new(7, db.action_kind(self.kind).unwrap(), first);
        ActionRequest { contacts: [Some(first), second], landing_m, ..request }
    }
}

/// What became of a request.
#[derive(Debug, Default)]
pub struct Seen {
    pub steps: Vec<(f64, ActionStep)>,
    /// Largest distance of a joint from its place while it touches, in metres.
    pub error_m: f32,
    /// Joint and time of that distance.
    pub worst: Option<(Limb, f32)>,
    pub contacts: usize,
}

impl Seen {
    pub fn left(&self) -> bool {
        self.steps.iter().any(|(_, step)| *step == ActionStep::Left)
    }
}

/// Steps a character to `end_s` with time steps of about `dt_s`, varied by up to a half if `jitter` is true.
pub fn advance(
    m: &mut MotionMatcher,
    input: &MotionInput,
    end_s: f64,
    (dt_s, jitter): (f32, bool),
    mut see: impl FnMut(&MotionMatcher),
) {
    let mut random = Random((end_s * 1e3) as u64);
    loop {
        let left_s = (end_s - m.state().header.clock.time_s) as f32;
        if left_s < 1e-6 {
            return;
        }
        let dt_s = if jitter { dt_s * random.between(0.5, 1.5) } else { dt_s };
        m.update(input, if left_s < 1.5 * dt_s { left_s } else { dt_s }).unwrap();
        see(m);
    }
}

/// Notes the steps of a request, and measures marked contacts.
pub fn watch(m: &MotionMatcher, seen: &mut Seen) {
    seen.steps.extend(m.output().actions.iter().map(|e| (e.time_s, e.step)));
    let (who, state) = (m.character(), m.state());
    let Some(ActionView::Plays { clip_s, .. }) = m.action_view() else { return };
    let Some(warp) = who.action_warp(state) else { return };
    for contact in warp.action.contacts.iter().filter(|c| c.mark.is_some()) {
        if clip_s < contact.start_s + 0.034 || clip_s > contact.end_s - 0.034 || contact.start_s <= warp.base_s {
            continue;
        }
        let at = m.pose().world_from_root().point(m.pose().in_root(who.skeleton(), contact.joint).translation);
        let mut off = at - warp.touched(contact).unwrap();
        if matches!(contact.limb, Limb::Foot(_)) {
            off.y = 0.0;
        }
        seen.contacts += 1;
        if off.length() > seen.error_m {
            (seen.error_m, seen.worst) = (off.length(), Some((contact.limb, clip_s - contact.start_s)));
        }
    }
}

/// Interval at which the player steers, in seconds: a multiple of all time steps.
pub const STEER_S: f64 = 1.0 / 6.0;

/// Runs up, requests an action, and steers to its entry.
pub fn run(case: &Case, frames: (f32, bool)) -> Seen {
    run_seeing(case, frames, |_| ())
}

/// As [`run`]; `see` is called after each update.
pub fn run_seeing(case: &Case, frames: (f32, bool), see: impl FnMut(&MotionMatcher)) -> Seen {
    run_by(&character(), case, frames, see)
}

/// As [`run_seeing`], by another character.
pub fn run_by(who: &Arc<Character>, case: &Case, frames: (f32, bool), see: impl FnMut(&MotionMatcher)) -> Seen {
    run_asking(who, case, frames, |request| request, see)
}

/// As [`run_by`], with a request that `ask` changes.
pub fn run_asking(
    who: &Arc<Character>,
    case: &Case,
    frames: (f32, bool),
    ask: impl Fn(ActionRequest) -> ActionRequest,
    mut see: impl FnMut(&MotionMatcher),
) -> Seen {
    let start_m = if case.kind == "drop" { case.size_m } else { 0.0 };
    let start = Transform { translation: Vec3::Y * start_m, ..Transform::IDENTITY };
    let mut m = MotionMatcher::of(who.clone(), start).unwrap();
    let run_up = Goal::Velocity { velocity: Vec3::Z * case.speed_mps, facing: Some(Facing::FORWARD) };
    let mut input = MotionInput { goal: run_up, ..Default::default() };
    let mut seen = Seen::default();
    let mut k = 15;
    advance(&mut m, &input, f64::from(k) * STEER_S, frames, |_| ());
    let request = ask(case.request(who.database().unwrap(), m.pose().world_from_root()));
    input.action = Some(request);
    while k < 100 && !seen.left() && !seen.steps.iter().any(|(_, s)| matches!(s, ActionStep::Refused(_))) {
        k += 1;
        if let Ok(goal) = who.goal_of_approach(m.state(), &request) {
            input.goal = goal;
        }
        let touched = seen.steps.iter().any(|(_, s)| matches!(s, ActionStep::Touched { .. }));
        if touched && case.kind == "sit" && k % 6 == 0 {
            input.action = None;
        }
        advance(&mut m, &input, f64::from(k) * STEER_S, frames, |m| {
            watch(m, &mut seen);
            see(m);
        });
    }
    seen
}

pub fn cases() -> Vec<Case> {
    let sizes = [
        ("hurdle", 0.6),
        ("vault", 0.95),
        ("mantle", 1.3),
        ("climb", 1.9),
        ("drop", 1.0),
        ("jump", 1.5),
        ("step_up", 0.3),
        ("sit", 0.45),
        ("pick_up", 0.4),
    ];
    let mut cases = Vec::new();
    for (k, (kind, size_m)) in sizes.into_iter().enumerate() {
        for (speed_mps, distance_m, angle_deg) in [(0.0, 1.5, 10.0), (1.5, 3.0, -15.0), (3.0, 5.0, 5.0)] {
            cases.push(Case { kind, speed_mps, size_m: size_m * (1.0 + 0.02 * k as f32), distance_m, angle_deg });
        }
    }
    cases
}

/// Returns a character that walks to a vault, its input, and the number of updates until the action is over.
pub fn vaulting() -> (MotionMatcher, MotionInput<'static>, usize) {
    let case = Case { kind: "vault", speed_mps: 1.5, size_m: 0.95, distance_m: 2.6, angle_deg: 3.0 };
    let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    let walk = walk(Vec3::Z);
    for _ in 0..150 {
        m.update(&walk, 1.0 / 60.0).unwrap();
    }
    let action = Some(case.request(&database(), m.pose().world_from_root()));
    (m, MotionInput { action, ..walk }, 220)
}

/// Time of the situations that are compared, in seconds.
pub const NOW_S: f64 = 50.0;

/// Returns the plan of a request at a root with a velocity (world, m/s), for the pose of a row and random toes and weights. It is that of a
/// full comparison to the bit.
pub fn compared_plan(
    who: &Character,
    request: &ActionRequest,
    (root, velocity): (Place, Vec3),
    row: usize,
    random: &mut Random,
) -> Result<Plan, Refusal> {
    let (db, config) = (who.database().unwrap(), &who.config().actions);
    let pose = db.features.row(RowIndex::new(row));
    let multipliers: Vec<f32> = pose.iter().map(|_| random.between(0.2, 2.0)).collect();
    let toes = [0.1, -0.1].map(|x| Vec3::new(x, 0.0, random.between(-0.3, 0.3)));
    let stands = [(); 2].map(|()| random.below(2) == 0);
    let situation =
        Situation { root, velocity, toes: &toes, stands: &stands, pose, multipliers: &multipliers, now_s: NOW_S };
    let found = who.actions().plan(db, config, request, &situation);
    assert_eq!(found, who.actions().plan_by_brute_force(db, config, request, &situation), "{request:?}");
    if let Ok(plan) = &found {
        feet_need_not_hurry(who, plan, &toes);
    }
    found
}

/// Fails if a foot that lands soon after the entry of a plan is further from its place than its speed allows, by the labels of the clip.
fn feet_need_not_hurry(who: &Character, plan: &Plan, toes: &[Vec3]) {
    let (db, action) = (who.database().unwrap(), &who.actions().all()[plan.action]);
    if action.mirrored {
        return;
    }
    let entry = db.row_frames[action.entries[plan.entry].row.at()].at();
    let end = db.clips[action.clip.at()].frame_range().end;
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
    db.sample_pose(FrameIndex::new(entry), 0.0, &mut pose, &mut velocity);
    for (slot, (joint, toe)) in db.rig.contact_joints.iter().zip(toes).enumerate() {
        let lands = (entry..end).position(|frame| db.contacts[frame * toes.len() + slot] == 1);
        let Some(lands_s) = lands.map(|frames| frames as f32 / db.pose_rate_hz) else { continue };
        // One that stands at once has a limit of its own. The times of contacts are between frames.
        if !(0.15..0.35).contains(&lands_s) {
            continue;
        }
        let at = pose.in_root(&db.skeleton, *joint).translation;
        let off_m = (*toe - at).with_y(0.0).length();
        assert!(off_m <= who.config().actions.foot_mps * (lands_s + 0.04), "{off_m} m in {lands_s} s");
    }
}

/// Updates a character so many times with an input, and another one that gets its state every `every` updates. Other motion in between
/// leaves no trace: both stay equal to the bit. `see` gets the character after each update.
pub fn restored_alike(
    m: &mut MotionMatcher,
    input: &MotionInput,
    [updates, every]: [usize; 2],
    mut see: impl FnMut(&MotionMatcher),
) {
    let mut other = MotionMatcher::of(m.character().clone(), Transform::IDENTITY).unwrap();
    for k in 0..updates {
        if k % every == 0 {
            other.restore(m.state()).unwrap();
            let saved = m.state().clone();
            (0..5).for_each(|_| drop(m.update(&walk(Vec3::X), 0.01)));
            m.restore(&saved).unwrap();
        }
        m.update(input, 1.0 / 60.0).unwrap();
        other.update(input, 1.0 / 60.0).unwrap();
        see(m);
        assert_eq!(bits(m.state()), bits(other.state()), "update {k}");
    }
}
