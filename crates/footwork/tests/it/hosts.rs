//! Integration in a game: root motion, an external capsule, external poses, footsteps, threads.

use crate::common;

use common::{random_stick, walk};
use footwork::adjust::root::{RootConfig, RootMode};
use footwork::build::BuildConfig;
use footwork::database::{MirrorMode, TagQuery};
use footwork::input::{ExternalBody, GroundHook, GroundPoint, InputError, MotionInput};
use footwork::machine::{Machine, MachineSpec, StateSpec};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher, SearchConfig, step};
use footwork::math::{Facing, Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

const DT_S: f32 = 1.0 / 60.0;

fn character() -> Arc<Character> {
    Arc::new(Character::new(common::gait(MirrorMode::Off), MatcherConfig::default()).unwrap())
}

fn matcher(character: &Arc<Character>) -> MotionMatcher {
    MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap()
}

#[test]
fn root_deltas_add_up_to_where_the_root_is() {
    let mut m = matcher(&character());
    let mut root = m.pose().world_from_root();
    for k in 0..600u32 {
        m.update(&random_stick(3, f64::from(k) * f64::from(DT_S)), DT_S).unwrap();
        root = root * m.output().root_delta;
        let shown = m.pose().world_from_root();
        assert!((root.translation - shown.translation).length() < 1e-3, "update {k}");
        assert!(root.rotation.angle_between(shown.rotation) < 1e-2, "update {k}");
        root = shown;
    }
    assert!(root.translation.length() > 1.0);
}

#[test]
fn a_capsule_of_the_game_leads_and_its_absence_is_an_error() {
    let root = RootConfig { mode: RootMode::External, ..RootConfig::default() };
    let config = MatcherConfig { root, ..MatcherConfig::default() };
    let character = Arc::new(Character::new(common::gait(MirrorMode::Off), config).unwrap());
    let mut m = matcher(&character);
    assert_eq!(m.update(&walk(Vec3::Z), DT_S).unwrap_err(), InputError::NoBody);
    // A capsule that walks a circle of 4 m, moved by the engine's physics.
    let body = |time_s: f32| {
        let yaw = 1.25 / 4.0 * time_s;
        let facing = Facing::from_yaw(yaw + std::f32::consts::FRAC_PI_2);
        let (sin, cos) = footwork::advanced::math::sin_cos(yaw);
        ExternalBody {
            position: Vec3::new(4.0 * sin, 0.0, 4.0 * cos - 4.0),
            velocity: facing.direction() * 1.25,
            facing,
            yaw_rate_radps: 1.25 / 4.0,
        }
    };
    m.teleport(Transform::new(Vec3::ZERO, body(0.0).facing.rotation())).unwrap();
    let (mut apart, mut turned) = (Vec::new(), Vec::new());
    for k in 1..=900u32 {
        let now = body(k as f32 * DT_S);
        let input = MotionInput { body: Some(now), ..walk(now.velocity) };
        m.update(&input, DT_S).unwrap();
        let simulation = m.state().header.root.simulation;
        assert!((simulation.position - now.position).length() < 1e-4, "the simulated character is the capsule");
        if k > 120 {
            let shown = m.pose().world_from_root();
            apart.push((shown.translation - now.position).length());
            turned.push(Facing::from_rotation(shown.rotation).angle_to(now.facing).abs());
        }
    }
    let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
    assert!(mean(&apart) < 0.08 && mean(&turned) < 0.2, "{} m, {} rad", mean(&apart), mean(&turned));
    assert!(m.state().header.transition.count > 2);
}

/// Returns the largest displacement of a joint between two poses, and the largest rotation, in world space.
fn jump(m: &MotionMatcher, a: &Pose, b: &Pose) -> f32 {
    let skeleton = &m.character().database().unwrap().skeleton;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    a.world(skeleton, &mut before);
    b.world(skeleton, &mut after);
    before.iter().zip(&after).map(|(a, b)| (a.translation - b.translation).length()).fold(0.0, f32::max)
}

#[test]
fn a_character_enters_from_any_pose_without_a_jump_and_gets_up() {
    // Without foot locking, which would move feet out of the ground at once.
    let mut config = MatcherConfig::default();
    config.feet.enabled = false;
    let mut m = matcher(&Arc::new(Character::new(common::gait(MirrorMode::Off), config).unwrap()));
    for _ in 0..90 {
        m.update(&walk(Vec3::Z), DT_S).unwrap();
    }
    // A ragdoll: tipped over backwards, 3 m to the side, with random rotations of arms and legs.
    let mut pose = m.pose().clone();
    let tipped = Quat::from_rotation_y(1.0) * Quat::from_rotation_x(-1.2);
    pose.set_world_from_root(Transform::new(Vec3::new(3.0, 0.4, -1.0), tipped));
    let mut r = common::Random(5);
    for q in pose.rotations.iter_mut().skip(2) {
        let v = Vec3::new(r.between(-0.4, 0.4), r.between(-0.4, 0.4), r.between(-0.4, 0.4));
        *q = (*q * Quat::from_rotation_vector(v)).normalize();
    }
    let velocity = PoseVelocity::zero(pose.rotations.len());
    m.enter(&pose, &velocity).unwrap();
    let shown = m.pose().clone();
    assert!(jump(&m, &pose, &shown) < 1e-3, "the pose is shown as it was: {}", jump(&m, &pose, &shown));
    let mut before = shown;
    let mut fastest: f32 = 0.0;
    for _ in 0..180 {
        let now = m.update(&MotionInput::stick(Default::default()), DT_S).unwrap().clone();
        fastest = fastest.max(jump(&m, &before, &now));
        before = now;
    }
    assert!(fastest < 0.2, "{fastest} m in a frame");
    let skeleton = &m.character().database().unwrap().skeleton;
    let mut world = Vec::new();
    before.world(skeleton, &mut world);
    let head = world[skeleton.find("Head").unwrap().at()].translation;
    let root = world[0].translation;
    assert!((root - Vec3::new(3.0, 0.4, -1.0)).length() < 1.0 && head.y - root.y > 1.3, "{root} {head}");
}

#[test]
fn poses_that_do_not_fit_are_refused_and_nothing_has_changed() {
    let mut m = matcher(&character());
    let before = common::bits(m.state());
    let pose = m.pose().clone();
    let velocity = PoseVelocity::zero(pose.rotations.len());
    let short = PoseVelocity::zero(3);
    assert!(matches!(m.enter(&pose, &short), Err(InputError::Joints { found: 3, .. })));
    let mut bad = pose.clone();
    bad.translations[4].x = f32::NAN;
    let e = m.enter(&bad, &velocity).unwrap_err();
    assert!(e.to_string().contains("pose.translations"), "{e}");
    let mut bad = pose;
    bad.rotations[2] = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert!(m.enter(&bad, &velocity).is_err());
    assert_eq!(common::bits(m.state()), before);
}

#[test]
fn a_character_becomes_one_of_other_clips_in_mid_motion() {
    let all = character();
    let some: Vec<_> =
        common::clips().iter().filter(|c| c.name.contains("idle") || c.name.contains("walk")).cloned().collect();
    let db = Arc::new(common::built(&some, &BuildConfig::default()).0);
    let walkers = Arc::new(Character::new(db, MatcherConfig::default()).unwrap());
    let mut m = matcher(&all);
    for _ in 0..150 {
        m.update(&walk(Vec3::X), DT_S).unwrap();
    }
    let before = m.pose().clone();
    m.switch_to(walkers.clone()).unwrap();
    assert!(jump(&m, &before, m.pose()) < 0.03, "{}", jump(&m, &before, m.pose()));
    assert!(m.clip_name().is_some_and(|name| name.contains("walk") || name.contains("idle")));
    let mut last = m.pose().clone();
    for k in 0..60 {
        let now = m.update(&walk(Vec3::X), DT_S).unwrap().clone();
        assert!(jump(&m, &last, &now) < 0.15, "update {k}: {}", jump(&m, &last, &now));
        last = now;
    }
    assert!(last.world_from_root().translation.x > before.world_from_root().translation.x + 0.7);
    let foreign = footwork::database::Database::new(common::tiny::content(
        &[(40, false)],
        &common::tiny::channels(0, footwork::schema::Residual::Squared),
        MirrorMode::Off,
        |row, column| (row * 3 + column) as f32,
    ));
    let foreign = Arc::new(Character::new(Arc::new(foreign.unwrap()), MatcherConfig::default()).unwrap());
    assert!(matches!(m.switch_to(foreign), Err(InputError::OtherSkeleton { .. })));
    assert_eq!(&last, m.pose());
}

#[test]
fn footsteps_fall_as_often_as_a_walk_steps_and_where_the_feet_are() {
    let mut m = matcher(&character());
    let mut steps = Vec::new();
    for k in 0..900u32 {
        m.update(&walk(Vec3::Z), DT_S).unwrap();
        for step in &m.output().footsteps {
            assert!((step.time_s - f64::from(k) * f64::from(DT_S)).abs() < 0.03, "{step:?} in update {k}");
            let root = m.pose().world_from_root().translation;
            assert!((step.position - root).length() < 0.7 && step.position.y < 0.12, "{step:?} {root}");
            steps.push(*step);
        }
    }
    // A walk of 1.75 m/s takes about two steps a second.
    assert!((20..45).contains(&steps.len()), "{}", steps.len());
    let sides: std::collections::BTreeSet<u32> = steps.iter().map(|s| s.joint.0).collect();
    assert_eq!(sides.len(), 2);
}

#[test]
fn a_thousand_characters_on_two_threads_are_the_same_as_on_one_to_the_bit() {
    let character = character();
    let moved = |threads: usize| {
        let start = character.state_at(Transform::IDENTITY).unwrap();
        let mut states = vec![start; 1000];
        let mut outputs = vec![character.output(); 1000];
        for k in 0..40u32 {
            let time_s = f64::from(k) * f64::from(DT_S);
            let inputs: Vec<MotionInput> = (0..1000).map(|i| random_stick(i, time_s)).collect();
            let part = 1000usize.div_ceil(threads);
            std::thread::scope(|scope| {
                let chunks = states.chunks_mut(part).zip(outputs.chunks_mut(part)).zip(inputs.chunks(part));
                for ((states, outputs), inputs) in chunks {
                    let character = &character;
                    scope.spawn(move || {
                        let mut scratch = character.scratch();
                        step(character, inputs, DT_S, states, &mut scratch, outputs).unwrap();
                    });
                }
            });
        }
        let poses: Vec<Pose> = outputs.into_iter().map(|o| o.pose).collect();
        (states.iter().map(common::bits).collect::<Vec<_>>(), poses)
    };
    let (one, two) = (moved(1), moved(2));
    assert_eq!(one.0, two.0);
    assert_eq!(one.1, two.1);
    assert!(one.1.iter().any(|p| p != &one.1[0]), "they do different things");
}

#[test]
fn a_filter_that_leaves_nothing_is_reported_and_the_character_comes_to_rest() {
    let db = common::gait_full();
    for candidates in [1, MatcherConfig::default().search.candidates] {
        let search = SearchConfig { candidates, ..SearchConfig::default() };
        let mut m = MotionMatcher::new(db.clone(), MatcherConfig { search, ..MatcherConfig::default() }).unwrap();
        let go = |m: &mut MotionMatcher, tags: TagQuery, seconds: f32| {
            let input = MotionInput { tags, ..walk(Vec3::Z) };
            (0..(seconds / DT_S) as u32).for_each(|_| m.update(&input, DT_S).map(|_| ()).unwrap());
            (m.pose().world_from_root().translation, m.output().stranded)
        };
        let (start, stranded) = go(&mut m, TagQuery::default(), 3.0);
        assert!(!stranded && start.z > 2.0);
        let nothing = db.tag_query("run & !run").unwrap();
        let (_, stranded) = go(&mut m, nothing, 0.2);
        assert!(stranded, "candidates {candidates}");
        let (stop, _) = go(&mut m, nothing, 3.0);
        assert!((stop - start).length() < 1.5, "candidates {candidates}: {start} {stop}");
        let pose = m.pose().clone();
        let (end, stranded) = go(&mut m, nothing, 60.0);
        assert!(stranded && (end - stop).length() < 0.05, "candidates {candidates}: {stop} {end}");
        let moved = pose.rotations.iter().zip(&m.pose().rotations).map(|(a, b)| a.dot(*b).abs());
        assert!(moved.fold(1.0, f32::min) > 0.9999, "candidates {candidates}: the pose moves");
        let (further, stranded) = go(&mut m, TagQuery::default(), 3.0);
        assert!(!stranded && further.z > end.z + 2.0, "candidates {candidates}: {end} {further}");
    }
}

#[test]
fn a_required_tag_that_no_row_has_is_an_error() {
    let walks = common::gait_full().tag_query("walk").unwrap();
    let (few, _) = common::built(&[common::clip("walk_125")], &BuildConfig::default());
    let mut m = MotionMatcher::new(Arc::new(few), MatcherConfig::default()).unwrap();
    let input = MotionInput { tags: walks, ..walk(Vec3::Z) };
    assert!(matches!(m.update(&input, DT_S), Err(InputError::MissingTag { .. })));
}

#[test]
fn unusable_answers_of_the_ground_are_counted_and_touch_no_other_character() {
    crowd_with_unusable_answers(20, 60);
}

#[test]
#[ignore = "takes minutes: bash .ci/nightly slow-tests"]
fn slow_unusable_answers_touch_no_other_character_of_a_hundred_in_ten_minutes() {
    crowd_with_unusable_answers(100, 600);
}

#[test]
#[ignore = "takes minutes: bash .ci/nightly slow-tests"]
fn slow_the_root_stays_on_level_ground_for_ten_hours() {
    // Includes clips up and down slopes and stairs.
    let clips = footwork_gait::clips(&GaitOptions { routes: false, terrain: true, ..GaitOptions::default() });
    let db = Arc::new(common::built(&clips, &BuildConfig::default()).0);
    let character = |spec: Option<MachineSpec>| {
        let db = db.clone();
        let machine = spec.map(|spec| Arc::new(Machine::new(db.clone(), spec).unwrap()));
        let character = Character::new(db, common::stages::all_on()).unwrap();
        Arc::new(character.with_machine(machine).unwrap())
    };
    let all = StateSpec { name: "all".into(), matching: Some(String::new()), ..StateSpec::default() };
    let spec = MachineSpec { states: vec![all], ..MachineSpec::default() };
    let level = |_: Vec3| GroundPoint::default();
    for (name, character) in [("plain", character(None)), ("machine", character(Some(spec)))] {
        for ground in [None, Some(&level as &GroundHook)] {
            let mut m = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
            let (mut high_m, mut low_m) = (0.0f32, 0.0f32);
            for k in 0..10 * 3600 * 30u64 {
                let input = MotionInput { ground, ..random_stick(3, k as f64 / 30.0) };
                let height_m = m.update(&input, 1.0 / 30.0).unwrap().world_from_root().translation.y;
                (high_m, low_m) = (high_m.max(height_m), low_m.min(height_m));
            }
            println!("{name}, hook {}: {low_m} to {high_m} m", ground.is_some());
            assert!(high_m <= 0.01 && low_m >= -0.01, "{name}: {low_m} to {high_m} m");
        }
    }
}

/// Runs a crowd in which one per cent of the ground's answers is invalid, for one in five characters.
fn crowd_with_unusable_answers(crowd: usize, seconds: u64) {
    let character = Arc::new(Character::new(common::gait(MirrorMode::Off), common::stages::all_on()).unwrap());
    let run = |hostile: bool| {
        let mut states: Vec<_> = (0..crowd).map(|_| character.state_at(Transform::IDENTITY).unwrap()).collect();
        let mut outputs: Vec<_> = (0..crowd).map(|_| character.output()).collect();
        let mut scratch = character.scratch();
        let (mut hash, mut unusable) = (Vec::new(), 0u64);
        for k in 0..60 * seconds {
            let time_s = k as f64 / 60.0;
            let answer = |i: usize, at: Vec3| {
                let bits = at.x.to_bits() ^ at.z.to_bits().rotate_left(9) ^ (k as u32) << 3;
                let bad = [f32::NAN, f32::INFINITY, 1e38, f32::MAX, 1e6, -1e6][bits as usize % 6];
                let good = common::stages::hill(at);
                match (hostile && i.is_multiple_of(5) && bits.is_multiple_of(101), bits % 3) {
                    (false, _) => good,
                    (true, 0) => GroundPoint { height_m: bad, ..good },
                    (true, 1) => GroundPoint { velocity: Vec3::X * bad, ..good },
                    (true, _) => GroundPoint { normal: Vec3::Z * bad, ..good },
                }
            };
            let answer = &answer;
            let hooks: Vec<_> = (0..crowd).map(|i| move |at: Vec3| answer(i, at)).collect();
            let inputs: Vec<MotionInput> = hooks
                .iter()
                .enumerate()
                .map(|(i, hook)| MotionInput { ground: Some(hook as &GroundHook), ..random_stick(i as u64, time_s) })
                .collect();
            step(&character, &inputs, 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
            for output in &outputs {
                assert!(output.pose.translations.iter().all(|t| t.is_finite() && t.abs().max_element() < 1e5));
                unusable += u64::from(output.unusable_answers);
            }
        }
        for output in &outputs {
            let mut h = Xxh3::new();
            common::hash_pose(&mut h, &output.pose);
            hash.push(h.digest128());
        }
        (hash, unusable)
    };
    let ((good, none), (bad, some)) = (run(false), run(true));
    assert!(none == 0 && some > 1000, "{none} {some}");
    for i in (0..crowd).filter(|i| i % 5 != 0) {
        assert_eq!(good[i], bad[i], "character {i}");
    }
}

#[test]
fn a_damaged_character_stops_no_other_one() {
    let character = Arc::new(Character::new(common::gait(MirrorMode::Off), MatcherConfig::default()).unwrap());
    let mut states: Vec<_> = (0..3).map(|_| character.state_at(Transform::IDENTITY).unwrap()).collect();
    let mut outputs: Vec<_> = (0..3).map(|_| character.output()).collect();
    let mut scratch = character.scratch();
    states[1].header.root.simulation.velocity.x = f32::NAN;
    let before = states[1].header.clock.time_s;
    let inputs = [walk(Vec3::Z); 3];
    let e = step(&character, &inputs, 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap_err();
    assert!(matches!(e, InputError::DamagedState { character: 1, field: "root.simulation" }), "{e}");
    assert_eq!(outputs.iter().map(|o| o.refused.is_some()).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(states.iter().map(|s| s.header.clock.time_s > before).collect::<Vec<_>>(), [true, false, true]);
}
