//! Arrivals: a character goes to a place by itself and rests there, exactly, from anywhere and at every frame rate.

use crate::common;

use common::actions::{NOW_S, advance, arriving, character, compared_plan, restored_alike};
use footwork::actions::{ActionConfig, Place, RefusalReason};
use footwork::input::{ActionKind, ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, MatcherConfig, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use std::sync::Arc;

const STAND: Goal = Goal::Velocity { velocity: Vec3::ZERO, facing: None };

/// A mark: speed of the run-up, distance, direction and facing, relative to the character.
#[derive(Clone, Copy, Debug)]
struct Case {
    speed_mps: f32,
    away_m: f32,
    to_deg: f32,
    facing_deg: f32,
    /// Time from the request to the rest.
    after_s: Option<f64>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (k, speed_mps) in [0.0, 1.4, 3.0].into_iter().enumerate() {
        for (away_m, to_deg, facing_deg) in
            [(0.5, 0.0, 180.0), (0.7, 180.0, 0.0), (1.5, 90.0, -90.0), (3.0, 30.0, 30.0), (5.0, -120.0, 20.0)]
        {
            let after_s = (k != 1).then_some(f64::from(4.0 + away_m / 1.1 + speed_mps * 0.5));
            cases.push(Case { speed_mps, away_m, to_deg, facing_deg, after_s });
        }
    }
    cases
}

impl Case {
    fn request(&self, root: Transform, now_s: f64) -> ActionRequest {
        let ahead = Facing::from_rotation(root.rotation);
        let position = root.translation + ahead.turned(self.to_deg.to_radians()).direction() * self.away_m;
        let window_s = self.after_s.map(|s| [now_s + s; 2]);
        let arrive = ActionRequest::arrive(3, position, ahead.turned(self.facing_deg.to_radians()));
        ActionRequest { window_s, go: true, ..arrive }
    }

    /// Runs up. Returns the character and its input: it is to arrive, and to stand then.
    fn begin(&self, frames: (f32, bool)) -> (MotionMatcher, MotionInput<'static>) {
        let mut m = MotionMatcher::of(arriving(), Transform::IDENTITY).unwrap();
        let run_up = Goal::Velocity { velocity: Vec3::Z * self.speed_mps, facing: Some(Facing::FORWARD) };
        advance(&mut m, &MotionInput { goal: run_up, ..Default::default() }, 2.0, frames, |_| ());
        let request = self.request(m.pose().world_from_root(), m.state().header.clock.time_s);
        (m, MotionInput { goal: STAND, action: Some(request), ..Default::default() })
    }
}

/// Runs to 1 s after the arrival. Returns the character, the request and the steps.
fn run(case: &Case, frames: (f32, bool)) -> (MotionMatcher, ActionRequest, Vec<(f64, ActionStep)>) {
    let (mut m, input) = case.begin(frames);
    let (mut steps, mut end_s): (Vec<(f64, ActionStep)>, f64) = (Vec::new(), 18.0);
    let mut k = 2;
    while f64::from(k) < end_s {
        k += 1;
        advance(&mut m, &input, f64::from(k), frames, |m| {
            steps.extend(m.output().actions.iter().map(|e| (e.time_s, e.step)));
        });
        if let Some((left_s, _)) = steps.iter().find(|(_, step)| *step == ActionStep::Left) {
            end_s = left_s + 1.0;
        }
    }
    (m, input.action.unwrap(), steps)
}

fn off(m: &MotionMatcher, request: &ActionRequest) -> [f32; 2] {
    let (root, to) = (m.pose().world_from_root(), request.contacts[0].unwrap());
    let turn = Facing::from_rotation(root.rotation).angle_to(to.facing);
    [(root.translation - to.position).length(), turn.abs().to_degrees()]
}

#[test]
fn it_rests_at_its_mark_in_time_from_anywhere() {
    for case in cases() {
        let (m, request, steps) = run(&case, (1.0 / 60.0, false));
        let [m_off, deg_off] = off(&m, &request);
        assert!(m_off < 0.02 && deg_off < 2.0, "{case:?}: {m_off} m, {deg_off} degrees, {steps:?}");
        let touched = steps.iter().find(|(_, step)| matches!(step, ActionStep::Touched { .. })).unwrap().0;
        let late_s = request.window_s.map_or(0.0, |[at_s, _]| (touched - at_s).abs());
        assert!(late_s < 1e-3 && matches!(steps.last().unwrap().1, ActionStep::Left), "{case:?}: {late_s} s");
    }
}

#[test]
fn its_decisions_do_not_depend_on_the_frame_rate() {
    for case in cases().into_iter().step_by(4) {
        let reference = run(&case, (1.0 / 60.0, false)).2;
        for frames in [(1.0 / 144.0, false), (1.0 / 30.0, false), (1.0 / 60.0, true)] {
            let found = run(&case, frames).2;
            assert_eq!(found.len(), reference.len(), "{case:?} {frames:?}: {found:?} {reference:?}");
            for ((a_s, a), (b_s, b)) in found.iter().zip(&reference) {
                assert!((a_s - b_s).abs() < 1e-4 && a == b, "{case:?} {frames:?}: {a_s} {a:?}, {b_s} {b:?}");
            }
        }
    }
}

#[test]
fn it_is_saved_and_restored_on_the_way_and_while_it_arrives() {
    let case = cases()[4];
    let (mut m, input) = case.begin((1.0 / 60.0, false));
    let (mut went, mut played) = (0, 0);
    restored_alike(&mut m, &input, [600, 5], |m| {
        played += usize::from(m.output().owns_root);
        went += usize::from(m.action_view().is_some() && !m.output().owns_root);
    });
    assert!(played > 20 && went > 20 && !m.output().owns_root, "{went} updates on the way, {played} of an arrival");
}

#[test]
fn a_recording_of_an_arrival_is_replayed() {
    use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
    let (mut m, input) = cases()[7].begin((1.0 / 60.0, false));
    let mut recorder = Recorder::new(&arriving(), RecorderConfig::default());
    let mut left = 0;
    for _ in 0..600 {
        recorder.update(&mut m, &input, 1.0 / 60.0).unwrap();
        left += m.output().actions.iter().filter(|e| e.step == ActionStep::Left).count();
    }
    assert_eq!(left, 1);
    let trace = Trace::from_bytes(&recorder.trace().to_bytes().unwrap(), "memory".as_ref()).unwrap();
    let mut replay = Replay::new(Arc::new(trace), arriving(), None).unwrap();
    while replay.step().unwrap() {}
    assert_eq!(common::bits(replay.matcher().state()), common::bits(m.state()));
}

#[test]
fn impossible_marks_are_refused_and_the_character_goes_on() {
    let arrive = |position, window_s| {
        let arrive = ActionRequest::arrive(3, position, Facing::FORWARD);
        ActionRequest { window_s, go: true, ..arrive }
    };
    let far = arrive(Vec3::Z * 100.0, Some([1.0, 2.0]));
    let past = arrive(Vec3::Z, Some([0.1, 0.2]));
    let walk = common::walk(Vec3::Z);
    for request in [far, past] {
        let [mut with, mut without] = [0, 1].map(|_| MotionMatcher::of(arriving(), Transform::IDENTITY).unwrap());
        let mut steps = Vec::new();
        for k in 0..120 {
            let action = (k >= 60).then_some(request);
            with.update(&MotionInput { action, ..walk }, 1.0 / 60.0).unwrap();
            without.update(&walk, 1.0 / 60.0).unwrap();
            steps.extend(with.output().actions.iter().map(|e| e.step));
            assert_eq!(format!("{:?}", with.state().header), format!("{:?}", without.state().header), "{request:?}");
        }
        let [ActionStep::Refused(refusal)] = steps[..] else { panic!("{request:?}: {steps:?}") };
        assert!(matches!(refusal.reason, RefusalReason::TooSoon { .. } | RefusalReason::Past { .. }), "{refusal:?}");
    }
    let mut m = MotionMatcher::of(arriving(), Transform::IDENTITY).unwrap();
    let before = common::bits(m.state());
    for request in [arrive(Vec3::NAN, None), arrive(Vec3::Z, Some([f64::NAN; 2]))] {
        assert!(m.update(&MotionInput { action: Some(request), ..walk }, 1.0 / 60.0).is_err());
    }
    assert_eq!(common::bits(m.state()), before);
}

#[test]
fn plans_of_arrivals_are_those_of_a_full_comparison_to_the_bit() {
    let (mut random, mut plans) = (common::Random(5), 0);
    let who = arriving();
    let rows = who.database().unwrap().rows();
    for _ in 0..1500 {
        let place = |random: &mut common::Random, m: f32| Place {
            position: Vec3::new(random.between(-m, m), random.between(-0.04, 0.04), random.between(-m, m)),
            yaw_rad: random.between(-3.0, 3.0),
        };
        let (root, to) = (place(&mut random, 0.1), place(&mut random, 0.9));
        let turn_rad = random.between(-1.0, 1.0) * if random.unit() < 0.6 { 0.3 } else { 3.0 };
        let mut request = ActionRequest::arrive(1, to.position, Facing::from_yaw(root.yaw_rad + turn_rad));
        if random.unit() < 0.5 {
            let from_s = NOW_S + f64::from(random.between(-0.2, 3.0));
            request.window_s = Some([from_s, from_s + f64::from(random.between(0.0, 1.0))]);
        }
        let (row, velocity) = (random.below(rows), Vec3::Z * random.between(0.0, 3.0));
        plans += usize::from(compared_plan(&who, &request, (root, velocity), row, &mut random).is_ok());
    }
    assert!((200..1300).contains(&plans), "{plans} of 1500 were met: the test shows little");
}

#[test]
fn arrivals_are_read_only_where_they_are_wanted_and_change_no_motion() {
    let (with, without) = (arriving(), character());
    assert!(without.actions().of_kind(ActionKind::ARRIVAL).next().is_none());
    let arrivals: Vec<_> = with.actions().of_kind(ActionKind::ARRIVAL).collect();
    assert!(arrivals.len() > 50 && with.actions().all().len() == without.actions().all().len() + arrivals.len());
    let db = with.database().unwrap();
    for (_, action) in arrivals {
        let tags = db.clip_tags(&db.clips[action.clip.at()]);
        assert!(!tags.contains(&"no_locomotion"), "{tags:?}");
        let mark = &action.marks[0];
        let after = db.view(action.clip, action.mirrored).root(f64::from(action.phases.recovery_s)).0;
        assert!((after.translation - mark.position).length() < 0.01 && action.entries[0].time_s < mark.start_s);
    }
    let [mut a, mut b] = [with, without].map(|who| MotionMatcher::of(who, Transform::IDENTITY).unwrap());
    for k in 0..300 {
        let input = common::walk(if k % 150 < 90 { Vec3::Z * 1.5 } else { Vec3::ZERO });
        for m in [&mut a, &mut b] {
            m.update(&input, 1.0 / 60.0).unwrap();
        }
        assert_eq!(common::bits(a.state()), common::bits(b.state()));
    }
    let config = MatcherConfig { actions: ActionConfig::default(), ..MatcherConfig::default() };
    let again = arriving().with_config(config).unwrap();
    assert_eq!(again.actions(), character().actions());
}
