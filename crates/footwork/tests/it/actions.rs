//! Actions: requests are met exactly, or rejected with a reason, at every frame rate.

use crate::common;

use footwork::actions::{Limb, Place, Situation};
use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::database::Database;
use footwork::input::{ActionContact, ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, ActionView, Character, MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
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

fn character() -> Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    CHARACTER.get_or_init(|| Arc::new(Character::new(database(), MatcherConfig::default()).unwrap())).clone()
}

/// A request ahead of a character: kind, run-up speed, size, distance, angle.
#[derive(Clone, Copy, Debug)]
struct Case {
    kind: &'static str,
    speed_mps: f32,
    size_m: f32,
    distance_m: f32,
    angle_deg: f32,
}

impl Case {
    /// Returns the request of a character at `root`. The layout is that of the built-in obstacles.
    fn request(&self, db: &Database, root: Transform) -> ActionRequest {
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
struct Seen {
    steps: Vec<(f64, ActionStep)>,
    /// Largest distance of a joint from its place while it touches, in metres.
    error_m: f32,
    /// Joint and time of that distance.
    worst: Option<(Limb, f32)>,
    contacts: usize,
}

impl Seen {
    fn left(&self) -> bool {
        self.steps.iter().any(|(_, step)| *step == ActionStep::Left)
    }
}

/// Steps a character to `end_s` with time steps of about `dt_s`, varied by up to a half if `jitter` is true.
fn advance(
    m: &mut MotionMatcher,
    input: &MotionInput,
    end_s: f64,
    (dt_s, jitter): (f32, bool),
    mut see: impl FnMut(&MotionMatcher),
) {
    let mut random = common::Random((end_s * 1e3) as u64);
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
fn watch(m: &MotionMatcher, seen: &mut Seen) {
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
const STEER_S: f64 = 1.0 / 6.0;

/// Runs up, requests an action, and steers to its entry.
fn run(case: &Case, frames: (f32, bool)) -> Seen {
    run_seeing(case, frames, |_| ())
}

/// As [`run`]; `see` is called after each update.
fn run_seeing(case: &Case, frames: (f32, bool), mut see: impl FnMut(&MotionMatcher)) -> Seen {
    let who = character();
    let start_m = if case.kind == "drop" { case.size_m } else { 0.0 };
    let start = Transform { translation: Vec3::Y * start_m, ..Transform::IDENTITY };
    let mut m = MotionMatcher::of(who.clone(), start).unwrap();
    let run_up = Goal::Velocity { velocity: Vec3::Z * case.speed_mps, facing: Some(Facing::FORWARD) };
    let mut input = MotionInput { goal: run_up, ..Default::default() };
    let mut seen = Seen::default();
    let mut k = 15;
    advance(&mut m, &input, f64::from(k) * STEER_S, frames, |_| ());
    let request = case.request(&database(), m.pose().world_from_root());
    input.action = Some(request);
    while k < 100 && !seen.left() && !seen.steps.iter().any(|(_, s)| matches!(s, ActionStep::Refused(_))) {
        k += 1;
        let h = &m.state().header;
        let situation = Situation {
            root: Place::of(m.state().world_from_root(m.config())),
            velocity: h.root.simulation.velocity,
            pose: &[],
            multipliers: &[],
            now_s: h.clock.time_s,
        };
        if let Ok(to) = who.actions().approach(&m.config().actions, &request, &situation) {
            let (velocity, facing) = to.steer(situation.root, situation.velocity.length(), None);
            input.goal = Goal::Velocity { velocity, facing: Some(facing) };
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

fn cases() -> Vec<Case> {
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

#[test]
fn requests_are_met_to_a_centimetre() {
    let mut taken = 0;
    for case in cases() {
        let seen = run(&case, (1.0 / 60.0, false));
        assert!(seen.error_m < 0.01, "{case:?}: {} m at {:?}, {:?}", seen.error_m, seen.worst, seen.steps);
        taken += usize::from(seen.left());
    }
    assert!(taken >= 26, "{taken} of {}", cases().len());
}

#[test]
fn decisions_do_not_depend_on_the_frame_rate() {
    for case in cases().into_iter().step_by(2) {
        let steps = |frames| run(&case, frames).steps;
        let reference = steps((1.0 / 60.0, false));
        for frames in [(1.0 / 144.0, false), (1.0 / 30.0, false), (1.0 / 60.0, true)] {
            let found = steps(frames);
            assert_eq!(found.len(), reference.len(), "{case:?} {frames:?}: {found:?} {reference:?}");
            for ((a_s, a), (b_s, b)) in found.iter().zip(&reference) {
                assert!((a_s - b_s).abs() < 1e-4 && a == b, "{case:?} {frames:?}: {a_s} {a:?}, {b_s} {b:?}");
            }
        }
    }
}

/// Returns a random request, and the situation of a character in a random pose of locomotion.
fn random_request(db: &Database, random: &mut common::Random) -> (ActionRequest, Transform, Vec3, usize) {
    let case = random.pick(&cases());
    let case = Case {
        size_m: case.size_m * random.between(0.6, 1.5),
        distance_m: random.between(0.0, 7.0),
        angle_deg: random.between(-60.0, 60.0),
        ..case
    };
    let root = Transform::new(
        Vec3::new(random.between(-9.0, 9.0), 0.0, 3.0),
        Facing::from_yaw(random.between(-3.0, 3.0)).rotation(),
    );
    let mut request = case.request(db, root);
    if random.unit() < 0.4 {
        request.kinds[1] = Some(db.action_kind("vault").unwrap());
        request.kinds[2] = Some(db.action_kind("hurdle").unwrap());
    }
    if random.unit() < 0.5 {
        let from_s = 50.0 + f64::from(random.between(-0.2, 3.0));
        request.window_s = Some([from_s, from_s + f64::from(random.between(0.0, 1.0))]);
    }
    let velocity = root.rotation * Vec3::Z * random.between(0.0, 4.0);
    (request, root, velocity, random.below(db.rows()))
}

#[test]
fn plans_are_those_of_a_full_comparison_to_the_bit() {
    let (db, who) = (database(), character());
    let (mut random, mut plans) = (common::Random(3), 0);
    for _ in 0..1500 {
        let (request, root, velocity, row) = random_request(&db, &mut random);
        let pose = db.features.row(footwork::frames::RowIndex(row as u32));
        let multipliers: Vec<f32> = pose.iter().map(|_| random.between(0.2, 2.0)).collect();
        let situation = Situation { root: Place::of(root), velocity, pose, multipliers: &multipliers, now_s: 50.0 };
        let config = &who.config().actions;
        let found = who.actions().plan(&db, config, &request, &situation);
        assert_eq!(found, who.actions().plan_by_brute_force(&db, config, &request, &situation), "{request:?}");
        plans += usize::from(found.is_ok());
    }
    assert!((300..1400).contains(&plans), "{plans} of 1500 were met: the test shows little");
}

#[test]
fn impossible_requests_are_refused_and_the_character_goes_on() {
    let (db, who) = (database(), character());
    let walk = common::walk(Vec3::Z);
    let case = |kind, size_m, distance_m| Case { kind, speed_mps: 1.0, size_m, distance_m, angle_deg: 0.0 };
    let impossible =
        [case("jump", 10.0, 3.0), case("climb", 5.0, 3.0), case("step_up", 0.9, 2.0), case("vault", 0.9, 30.0)];
    let mut requests: Vec<_> = impossible.iter().map(|c| c.request(&db, Transform::IDENTITY)).collect();
    requests.push(ActionRequest {
        window_s: Some([0.1, 0.2]),
        ..case("vault", 0.9, 3.0).request(&db, Transform::IDENTITY)
    });
    requests.push(ActionRequest { kinds: [None; 4], ..requests[0] });
    requests.push(ActionRequest { kinds: [Some(footwork::input::ActionKind(400)), None, None, None], ..requests[0] });
    requests.push(ActionRequest { contacts: [None; 2], ..requests[0] });
    for request in requests {
        let [mut with, mut without] = [0, 1].map(|_| MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap());
        let mut steps = Vec::new();
        for k in 0..120 {
            let action = (k >= 60).then_some(request);
            with.update(&MotionInput { action, ..walk }, 1.0 / 60.0).unwrap();
            without.update(&walk, 1.0 / 60.0).unwrap();
            steps.extend(with.output().actions.iter().map(|e| e.step));
            assert_eq!(format!("{:?}", with.state().header), format!("{:?}", without.state().header), "{request:?}");
        }
        assert!(matches!(steps[..], [ActionStep::Refused(_)]), "{request:?}: {steps:?}");
        let ActionStep::Refused(refusal) = steps[0] else { continue };
        assert!(!refusal.text("vault").is_empty() && !refusal.may_change);
    }
}

#[test]
fn unusable_requests_and_characters_without_actions_are_errors() {
    let (db, who) = (database(), character());
    let request = cases()[3].request(&db, Transform::IDENTITY);
    let mut m = MotionMatcher::of(who, Transform::IDENTITY).unwrap();
    let before = common::bits(m.state());
    let nan = ActionRequest { landing_m: Some(f32::NAN), ..request };
    let input = |action| MotionInput { action: Some(action), ..common::walk(Vec3::Z) };
    assert!(m.update(&input(nan), 1.0 / 60.0).unwrap_err().to_string().contains("action.landing_m"));
    assert_eq!(common::bits(m.state()), before);
    let mut plain = MotionMatcher::new(common::gait_full(), MatcherConfig::default()).unwrap();
    assert!(plain.update(&input(request), 1.0 / 60.0).unwrap_err().to_string().contains("no actions"));
}

/// Returns a character that walks to a vault, its input, and the number of updates until the action is over.
fn vaulting() -> (MotionMatcher, MotionInput<'static>, usize) {
    let case = Case { kind: "vault", speed_mps: 1.5, size_m: 0.95, distance_m: 2.6, angle_deg: 3.0 };
    let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    let walk = common::walk(Vec3::Z);
    for _ in 0..150 {
        m.update(&walk, 1.0 / 60.0).unwrap();
    }
    let action = Some(case.request(&database(), m.pose().world_from_root()));
    (m, MotionInput { action, ..walk }, 220)
}

#[test]
fn a_character_is_saved_and_restored_in_every_phase() {
    let (mut m, input, updates) = vaulting();
    let mut other = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    let mut played = 0;
    for k in 0..updates {
        if k % 7 == 0 {
            other.restore(m.state()).unwrap();
            // Another motion in between leaves no trace.
            let saved = m.state().clone();
            (0..5).for_each(|_| drop(m.update(&common::walk(Vec3::X), 0.01)));
            m.restore(&saved).unwrap();
        }
        m.update(&input, 1.0 / 60.0).unwrap();
        other.update(&input, 1.0 / 60.0).unwrap();
        played += usize::from(m.output().owns_root);
        assert_eq!(common::bits(m.state()), common::bits(other.state()), "update {k}");
    }
    assert!(played > 60 && !m.output().owns_root, "{played} updates of an action");
}

#[test]
fn memories_that_no_update_can_produce_are_rejected() {
    let (mut m, input, _) = vaulting();
    while !m.output().owns_root {
        m.update(&input, 1.0 / 60.0).unwrap();
    }
    let good = m.state().clone();
    // The memory of the action is the last part of the block.
    let action = good.block.len() - 28;
    let mut rejected = 0;
    for at in action..good.block.len() {
        for value in [f32::NAN, -3.0, 1e9, 0.5] {
            let mut bad = good.clone();
            bad.block[at] = value;
            let mut other = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
            if other.restore(&bad).is_err() {
                rejected += 1;
                continue;
            }
            for _ in 0..200 {
                other.update(&input, 1.0 / 60.0).unwrap();
            }
        }
    }
    assert!(rejected > 50, "{rejected}");
}

#[test]
fn a_recording_with_an_action_is_replayed() {
    use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
    let (mut m, input, updates) = vaulting();
    let who = character();
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let mut entered = 0;
    for k in 0..updates {
        let input = if k < 5 { MotionInput { action: None, ..input } } else { input };
        recorder.update(&mut m, &input, 1.0 / 60.0).unwrap();
        entered += m.output().actions.iter().filter(|e| matches!(e.step, ActionStep::Entered { .. })).count();
    }
    assert_eq!(entered, 1);
    let bytes = recorder.trace().to_bytes().unwrap();
    let trace = Trace::from_bytes(&bytes, "memory".as_ref()).unwrap();
    let mut replay = Replay::new(Arc::new(trace), who, None).unwrap();
    while replay.step().unwrap() {}
    assert_eq!(common::bits(replay.matcher().state()), common::bits(m.state()));
}

#[test]
fn a_seat_is_held_until_it_is_left_by_another_action() {
    let (db, who) = (database(), character());
    let case = Case { kind: "sit", speed_mps: 0.0, size_m: 0.45, distance_m: 1.0, angle_deg: 0.0 };
    let mut m = MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap();
    let stand = MotionInput::stick(footwork::input::Stick::default());
    let mut request = case.request(&db, Transform::IDENTITY);
    let mut steps = Vec::new();
    let mut seated = Vec3::ZERO;
    let hips = db.rig.body.as_ref().unwrap().hips;
    for k in 0..1200 {
        let h = &m.state().header;
        let situation = Situation {
            root: Place::of(m.state().world_from_root(m.config())),
            velocity: h.root.simulation.velocity,
            pose: &[],
            multipliers: &[],
            now_s: h.clock.time_s,
        };
        let goal = who.actions().approach(&m.config().actions, &request, &situation).map_or(stand.goal, |to| {
            let (velocity, facing) = to.steer(situation.root, situation.velocity.length(), None);
            Goal::Velocity { velocity, facing: Some(facing) }
        });
        if k == 700 {
            seated = m.pose().world_from_root().point(m.pose().in_root(who.skeleton(), hips).translation);
            let contact = ActionContact { position: seated, ..request.contacts[0].unwrap() };
            request = ActionRequest::new(8, db.action_kind("get_up").unwrap(), contact);
        }
        m.update(&MotionInput { goal, action: Some(request), ..stand }, 1.0 / 60.0).unwrap();
        steps.extend(m.output().actions.iter().map(|e| (e.id, e.step)));
    }
    let order: Vec<_> = steps.iter().map(|(id, step)| (*id, std::mem::discriminant(step))).collect();
    let kind = std::mem::discriminant::<ActionStep>;
    let (accepted, left) = (kind(&ActionStep::Accepted), kind(&ActionStep::Left));
    let (entered, touched) = (kind(&ActionStep::Entered { action: 0 }), kind(&ActionStep::Touched { contact: 0 }));
    let expected =
        [(7, accepted), (7, entered), (7, touched), (8, accepted), (7, left), (8, entered), (8, touched), (8, left)];
    assert_eq!(order, expected, "{steps:?}");
    assert!(
        (seated - case.request(&db, Transform::IDENTITY).contacts[0].unwrap().position).length() < 0.01,
        "{seated}"
    );
}

/// Joints of a truth and of a reading, and how well the reading finds its contacts.
#[derive(Debug, Default)]
struct Reading {
    contacts: usize,
    missed: Vec<String>,
    off_s: Vec<f32>,
    off_m: Vec<f32>,
}

#[test]
fn actions_are_read_from_their_motion() {
    let (db, who) = (database(), character());
    let clips = footwork_gait::generate(&GaitOptions { routes: false, actions: true, ..Default::default() });
    let mut reading = Reading::default();
    let mut kinds: std::collections::BTreeMap<String, [usize; 4]> = Default::default();
    for gait in clips.iter().filter(|c| c.truth.action.is_some()) {
        let truth = gait.truth.action.as_ref().unwrap();
        let index = db.clips.iter().position(|c| c.name == gait.clip.name);
        let found: Vec<_> = who.actions().all().iter().filter(|a| Some(a.clip.at()) == index && !a.mirrored).collect();
        let kind = kinds.entry(truth.kind.tag().to_owned()).or_default();
        kind[0] += 1;
        kind[1] += usize::from(!found.is_empty());
        let Some(action) = found.first() else { continue };
        kind[2] += usize::from(action.holds);
        kind[3] += usize::from(action.flight_s.is_some() == truth.take_off_s.is_some());
        for contact in &truth.contacts {
            reading.contacts += 1;
            let near = action.contacts.iter().filter(|c| c.joint.at() == contact.joint);
            let best = near.min_by(|a, b| {
                (a.position - contact.position).length().total_cmp(&(b.position - contact.position).length())
            });
            match best {
                Some(c) if (c.position - contact.position).length() < 0.1 => {
                    reading.off_s.push((c.start_s - contact.begin_s).abs());
                    reading.off_m.push((c.position - contact.position).length());
                }
                _ => {
                    reading.missed.push(format!("{} joint {} at {:.2}", gait.clip.name, contact.joint, contact.begin_s))
                }
            }
        }
    }
    let p99 = |values: &mut Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values[(values.len() * 99 / 100).min(values.len() - 1)]
    };
    assert_eq!(kinds.len(), 13);
    for (kind, [takes, read, holds, _]) in kinds {
        assert_eq!((read, holds), (takes, if kind == "sit" { takes } else { 0 }), "{kind}");
    }
    assert!(reading.contacts > 250 && reading.missed.is_empty(), "{:?}", reading.missed);
    let (off_s, off_m) = (p99(&mut reading.off_s), p99(&mut reading.off_m));
    assert!(off_s < 0.11 && off_m < 0.001, "{off_s} s, {off_m} m");
}

/// Returns what becomes of some requests, with the pose of the last update, for each setting of actions.
fn outcomes(actions: footwork::actions::ActionConfig) -> String {
    let who = character().with_config(MatcherConfig { actions, ..MatcherConfig::default() }).unwrap();
    let (db, who) = (database(), Arc::new(who));
    let all =
        [("vault", 0.95, 1.6, 8.0), ("drop", 1.02, 2.4, -12.0), ("jump", 1.6, 3.4, 20.0), ("pick_up", 0.5, 1.4, 5.0)];
    let run = |(kind, size_m, distance_m, angle_deg): (&'static str, f32, f32, f32)| {
        let case = Case { kind, speed_mps: 1.5, size_m, distance_m, angle_deg };
        let start =
            Transform { translation: Vec3::Y * if kind == "drop" { size_m } else { 0.0 }, ..Transform::IDENTITY };
        let mut m = MotionMatcher::of(who.clone(), start).unwrap();
        let walk = common::walk(Vec3::Z);
        (0..60).for_each(|_| drop(m.update(&walk, 1.0 / 60.0)));
        let request = case.request(&db, m.pose().world_from_root());
        let window_s = (kind != "jump").then(|| [1.0, 1.0].map(|s| s + f64::from(distance_m) / 1.15));
        let input = MotionInput { action: Some(ActionRequest { window_s, ..request }), ..walk };
        let mut told = String::new();
        for _ in 0..240 {
            m.update(&input, 1.0 / 60.0).unwrap();
            told += &m.output().actions.iter().map(|e| format!("{e:?}")).collect::<String>();
            told += &format!("{:?}", m.pose().translations[1]);
        }
        told
    };
    all.into_iter().map(run).collect()
}

#[test]
fn every_setting_of_actions_changes_the_motion() {
    use footwork::actions::ActionConfig;
    use footwork::advanced::settings::Settings;
    let default = ActionConfig::default();
    let usual = outcomes(default);
    let mut dead = Vec::new();
    for field in ActionConfig::FIELDS {
        let (low, high) = field.range.unwrap();
        let changes = |value: f64| {
            let mut json = serde_json::to_value(default).unwrap();
            json[field.key] = value.into();
            outcomes(serde_json::from_value(json).unwrap()) != usual
        };
        if !changes(low) && !changes(high) {
            dead.push(field.key);
        }
    }
    assert!(dead.is_empty(), "settings without effect: {dead:?}");
}

#[test]
fn contacts_that_move_are_met_within_the_limits() {
    for (speed_mps, far) in [(0.0, false), (0.1, false), (0.0, true)] {
        let (mut m, mut input, updates) = vaulting();
        let (first, side) =
            (input.action.unwrap(), Facing::from_rotation(m.pose().world_from_root().rotation).rotation() * Vec3::X);
        let (mut seen, mut moved_m, mut last) = (Seen::default(), 0.0, m.pose().clone());
        let mut fastest_mps: f32 = 0.0;
        for k in 0..updates {
            if m.output().owns_root && moved_m < 0.08 {
                moved_m += speed_mps / 60.0;
            }
            let shift = side * if far && m.output().owns_root { 2.0 } else { moved_m };
            let mut request = first;
            request.contacts[0].as_mut().unwrap().position += shift;
            input.action = Some(request);
            m.update(&input, 1.0 / 60.0).unwrap();
            watch(&m, &mut seen);
            let way = m.pose().world_from_root().translation - last.world_from_root().translation;
            fastest_mps = fastest_mps.max(way.length() * 60.0);
            last.copy_from(m.pose());
            if let Some(ActionView::Plays { marks, clip_s, .. }) = m.action_view() {
                let near = (marks[0].position - (first.contacts[0].unwrap().position + side * moved_m)).length();
                let action = &m.character().actions().all()[m.character().playing_action(m.state()).unwrap()];
                assert!(clip_s < action.marks[0].start_s - 0.5 || near < 0.03, "{k}: {near} m behind");
            }
        }
        assert!(seen.left() && seen.contacts > 10 && seen.error_m < 0.01, "{speed_mps} {far}: {seen:?}");
        assert!(fastest_mps < 5.0 && (speed_mps == 0.0 || moved_m > 0.07), "{fastest_mps} m/s, moved by {moved_m} m");
    }
}

#[test]
fn a_state_machine_goes_on_behind_an_action_and_its_new_clip_plays_afterwards() {
    use footwork::machine::{Machine, MachineSpec};
    let spec = r#"
        variables = { wave = 0 }
        states = [{ name = "free", match = "" }, { name = "wave", clip = "wave_left" }]
        transitions = [{ from = "free", to = "wave", when = "wave" }]
    "#;
    let spec: MachineSpec = toml::from_str(spec).unwrap();
    let machine = Arc::new(Machine::new(database(), spec).unwrap());
    let mut variables = machine.variables();
    let who = Arc::new(character().with_machine(Some(machine)).unwrap());
    let (other, input, updates) = vaulting();
    let mut m = MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap();
    // A machine with one state of matching moves as none.
    for _ in 0..150 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    assert_eq!(m.pose().translations, other.pose().translations);
    let (mut steps, mut state_s) = (Vec::new(), None);
    for k in 0..updates {
        variables.set("wave", f32::from(u8::from(k > 60))).unwrap();
        m.update(&MotionInput { variables: variables.values(), ..input }, 1.0 / 60.0).unwrap();
        steps.extend(m.output().actions.iter().map(|e| e.step));
        state_s = state_s.or(m.output().state_changes.first().map(|_| m.output().owns_root));
        let wave = who.clip_name(m.output().playing.clip) == Some("wave_left");
        assert_eq!(wave, steps.contains(&ActionStep::Left), "update {k}");
    }
    assert_eq!((who.machine_state(m.state()), state_s, steps.len()), (Some(1), Some(true), 5), "{steps:?}");
}

#[test]
fn a_body_of_the_game_follows_the_action_that_owns_the_root() {
    use footwork::adjust::root::{RootConfig, RootMode};
    use footwork::input::ExternalBody;
    let root = RootConfig { mode: RootMode::External, ..RootConfig::default() };
    let who = Arc::new(character().with_config(MatcherConfig { root, ..MatcherConfig::default() }).unwrap());
    let mut m = MotionMatcher::of(who, Transform::IDENTITY).unwrap();
    let case = Case { kind: "mantle", speed_mps: 1.4, size_m: 1.3, distance_m: 2.4, angle_deg: 5.0 };
    let (mut body, mut seen, mut input) = (ExternalBody::default(), Seen::default(), common::walk(Vec3::Z));
    let mut apart_m: f32 = 0.0;
    body.facing = Facing::FORWARD;
    for k in 0..500 {
        if k == 120 {
            input.action = Some(case.request(&database(), m.pose().world_from_root()));
        }
        if m.output().owns_root {
            let root = m.pose().world_from_root();
            (body.position, body.facing) = (root.translation, Facing::from_rotation(root.rotation));
        } else {
            body.velocity = Vec3::Z * 1.4;
            body.position += body.velocity / 60.0;
        }
        m.update(&MotionInput { body: Some(body), ..input }, 1.0 / 60.0).unwrap();
        watch(&m, &mut seen);
        apart_m = apart_m.max((m.pose().world_from_root().translation - body.position).length());
    }
    assert!(seen.left() && seen.error_m < 0.01 && seen.contacts > 50, "{seen:?}");
    assert!(m.pose().world_from_root().translation.y > 1.2 && apart_m < 0.2, "{apart_m} m apart");
}
