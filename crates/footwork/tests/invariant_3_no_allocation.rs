//! Invariant 3: after construction `update`, `step`, searches and copies of the state neither allocate nor free memory.

// The trait of allocators is unsafe.
#![allow(unsafe_code)]

mod common;

use common::hero;
use common::walk::{REACH, Walk};
use common::{Random, random_stick};
use footwork::adjust::ground::{FitToGround, GroundConfig, GroundStep, GroundedBody, GroundedFoot};
use footwork::adjust::hands::{Hand, HandConfig};
use footwork::adjust::look_at::{Gaze, LookAt, LookAtConfig, LookJoint};
use footwork::adjust::lower_body::LowerBody;
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::{StrideWarp, StrideWarpConfig};
use footwork::advanced::database::TagCosts;
use footwork::advanced::machine::{BlendScratch, BlendSpace, BlendState};
use footwork::advanced::rig::Leg;
use footwork::advanced::schema::SourceBuffers;
use footwork::advanced::search::{Candidates, Match, SearchIndex, SearchQuery};
use footwork::build::{BuildConfig, ClipRule, CurveSpec, EventSpec, SchemaConfig};
use footwork::database::{Database, MirrorMode, TagCost};
use footwork::frames::RowIndex;
use footwork::input::{ActionContact, ActionRequest, HandTarget};
use footwork::input::{Goal, GroundPoint, MotionInput, Path, TrajectoryPoint};
use footwork::learned::Networks;
use footwork::machine::blend_space::BlendSpaceSpec;
use footwork::machine::{Machine, MachineSpec};
use footwork::matcher::Backend;
use footwork::matcher::Crowd;
use footwork::matcher::{ActionStep, Character};
use footwork::matcher::{MatcherConfig, MatcherState, MotionMatcher, Output, SearchConfig, SearchScheduler, step};
use footwork::math::Facing;
use footwork::math::Transform;
use footwork::pose::{Pose, PoseVelocity};
use footwork::recorder::{Recorder, RecorderConfig};
use footwork::rig::Sole;
use footwork::schema::{ChannelSpec, Preset};
use footwork::trajectory::{PredictionConfig, PredictionModel};
use glam::Vec3;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

struct Counting;

thread_local! {
    // Const: initialised without allocating, so that the allocator can access it. Per thread: tests run in parallel.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    CALLS.set(CALLS.get() + 1);
}

// SAFETY: every call goes to the system's allocator with its arguments unchanged; the counter is one thread-local integer that
// requires no allocation and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count();
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of calls to the allocator that `work` makes on this thread.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

/// Returns a database with all kinds of content: past and future features, user values, curves, events, mirror images.
fn rich_database() -> Arc<Database> {
    let mut channels = Preset::O3de.channels();
    channels.push(ChannelSpec::joint(footwork::schema::ChannelType::JointAcceleration, "hips", 0.1));
    channels.push(ChannelSpec::joint(footwork::schema::ChannelType::JointHeading, "hips", 0.1));
    channels.push(ChannelSpec::joint(footwork::schema::ChannelType::Contact, "left_toe", 0.1));
    channels.push(ChannelSpec::joint(footwork::schema::ChannelType::Contact, "right_toe", 0.1));
    channels.push(ChannelSpec::user("height", 1, 0.1));
    let rule = ClipRule {
        events: vec![EventSpec { name: "beat".into(), time_s: 0.1 }, EventSpec { name: "beat".into(), time_s: 0.9 }],
        curves: vec![CurveSpec { name: "height".into(), keys: vec![vec![0.0, 0.0], vec![2.0, 1.0]] }],
        ..Default::default()
    };
    let config = BuildConfig {
        mirror: MirrorMode::Query,
        schema: SchemaConfig { channels, ..Default::default() },
        clips: vec![rule],
        ..Default::default()
    };
    Arc::new(common::built(common::clips(), &config).0)
}

struct Goals {
    path: Path,
    points: Vec<TrajectoryPoint>,
}

impl Goals {
    fn new() -> Self {
        let corners = [Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(6.0, 0.0, 6.0), Vec3::new(6.0, 0.0, -3.0)];
        let point = |k: i32| TrajectoryPoint {
            time_s: k as f32 * 0.25,
            position: Vec3::new(0.1 * (k * k) as f32, 0.0, 0.3 * k as f32),
            facing: Facing::from_yaw(0.1 * k as f32),
        };
        Self { path: Path::new(corners.to_vec(), true).unwrap(), points: (0..8).map(point).collect() }
    }

    /// Returns the input of update `k`: another kind of goal every two seconds.
    fn at(&self, k: u32, user: &'static [f32]) -> MotionInput<'_> {
        let goal = match (k / 120) % 5 {
            0 => random_stick(9, f64::from(k) / 60.0).goal,
            1 => Goal::Velocity { velocity: Vec3::new(1.2, 0.0, -0.7), facing: Some(Facing::from_yaw(0.3)) },
            2 => Goal::Path { path: &self.path, speed_mps: 2.0 },
            3 => Goal::Trajectory(&self.points),
            _ => Goal::None,
        };
        MotionInput { goal, user, ..Default::default() }
    }
}

#[test]
fn a_character_of_networks_allocates_nothing() {
    let networks = Networks::from_bytes(footwork_gait::BIPED_NETWORKS, "shipped".as_ref()).unwrap();
    let character = Character::learned(Arc::new(networks), None, MatcherConfig::default()).unwrap();
    let mut m = MotionMatcher::of(Arc::new(character), Transform::IDENTITY).unwrap();
    let goals = Goals::new();
    let calls = allocations(|| {
        for k in 0..1200 {
            m.update(&goals.at(k, &[]), 1.0 / 60.0).unwrap();
        }
    });
    assert!(m.state().header.transition.count > 20);
    assert_eq!(calls, 0);
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(7)))), 2);
    let mut v = Vec::with_capacity(1);
    assert_eq!(allocations(|| v.extend(std::hint::black_box([1, 2, 3]))), 1);
}

#[test]
fn retargeting_a_pose_allocates_nothing() {
    let reference = |s: &footwork::skeleton::Skeleton| {
        let roles = footwork::roles::JointRoles::resolve(s, &Default::default()).unwrap();
        footwork::retarget::Reference::from_rest(s, &roles).unwrap()
    };
    let (person, rig) = (footwork_gait::skeleton(), hero::hero(hero::Hero { spine: 4, ..Default::default() }));
    let map = footwork::retarget::RetargetMap::new(reference(&person), reference(&rig)).unwrap();
    let (source, mut target) = (Pose::rest(&person), Pose::rest(&rig));
    assert_eq!(allocations(|| (0..100).for_each(|_| map.apply(&source, &mut target))), 0);
}

#[test]
fn updates_allocate_nothing_under_any_goal_through_thousands_of_searches() {
    let goals = Goals::new();
    let wall = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(4.0));
    let (plain, rich) = (common::gait(MirrorMode::Off), rich_database());
    let runs = [
        (&plain, &[][..], Backend::Brute, PredictionModel::Spring, 0.0),
        (&plain, &[][..], Backend::Boxes, PredictionModel::Bend, 0.0),
        (&rich, &[0.5][..], Backend::Boxes, PredictionModel::Spring, 0.0),
        (&rich, &[0.5][..], Backend::Tree, PredictionModel::Spring, 1.0),
    ];
    for (db, user, backend, model, foresight_cost) in runs {
        let config = MatcherConfig {
            search: SearchConfig { backend, foresight_cost, ..Default::default() },
            prediction: PredictionConfig { model, ..Default::default() },
            ..Default::default()
        };
        let mut m = MotionMatcher::new(db.clone(), config).unwrap();
        let mut events = 0;
        let query = |text: &str| db.tag_query(text).unwrap();
        let rules = [query("!(run & turn)"), query("walk | !walk")];
        let costs = [TagCost { tags: query("walk"), cost: -0.2 }, TagCost { tags: query("!run"), cost: 0.1 }];
        for k in 0..1300 {
            let (tags, tag_costs) = (rules[k as usize / 50 % 2], &costs[..k as usize / 70 % 3]);
            let input = MotionInput { collide: Some(&wall), tags, tag_costs, ..goals.at(k, user) };
            let dt_s = [1.0 / 60.0, 0.004, 0.1, 0.0][k as usize % 4];
            let calls = allocations(|| assert!(m.update(&input, dt_s).is_ok()));
            assert_eq!(calls, 0, "update {k} of {} with {:?}", backend.name(), input);
            events += m.output().events.len();
        }
        assert!(m.state().header.transition.count > 30, "{}", m.state().header.transition.count);
        assert!(db.events.is_empty() || events > 10, "{events} events");
    }
}

#[test]
fn recording_allocates_nothing_while_old_segments_are_dropped() {
    let goals = Goals::new();
    let wall = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(4.0));
    let ground = |at: Vec3| common::stages::hill(at);
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Query), common::stages::all_on()).unwrap();
    let config = RecorderConfig { seconds: 8.0, max_bytes: 300_000, key_every_s: 0.5 };
    let mut recorder = Recorder::new(m.character(), config);
    recorder.mark("a part");
    for k in 0..1800 {
        let input = MotionInput { collide: Some(&wall), ground: Some(&ground), ..goals.at(k, &[]) };
        if k % 300 == 0 {
            m.teleport(Transform::IDENTITY).unwrap();
        }
        let dt_s = [1.0 / 60.0, 0.004, 0.1, 0.0][k as usize % 4];
        assert_eq!(allocations(|| assert!(recorder.update(&mut m, &input, dt_s).is_ok())), 0, "update {k}");
    }
    assert!(recorder.lost() == 0 && (100..1700).contains(&recorder.updates()), "{} updates", recorder.updates());
}

#[test]
fn updates_with_every_stage_on_allocate_nothing() {
    let ground = |at: Vec3| common::stages::hill(at);
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Query), common::stages::all_on()).unwrap();
    for k in 0..600 {
        let input = common::stages::everything(f64::from(k) / 60.0, &ground);
        assert_eq!(allocations(|| assert!(m.update(&input, 1.0 / 60.0).is_ok())), 0, "update {k}");
    }
    let h = &m.state().header;
    assert!(h.transition.count > 10 && h.legs.warp.turn.value != 0.0 && h.corrections.gaze.weight.value > 0.0, "{h:?}");
    let saved = m.state().clone();
    assert_eq!(allocations(|| assert!(m.restore(&saved).is_ok())), 0);
}

#[test]
fn refused_updates_and_restored_states_allocate_nothing() {
    let db = common::gait(MirrorMode::Off);
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let saved = m.state().clone();
    for k in 0..100 {
        m.update(&random_stick(1, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
    }
    let calls = allocations(|| {
        let _ = std::hint::black_box(m.update(&MotionInput::default(), f32::NAN).is_err());
        let _ = std::hint::black_box(m.restore(&saved).is_ok());
        m.teleport(footwork::math::Transform::IDENTITY).unwrap();
    });
    assert_eq!(calls, 0);
}

#[test]
fn a_state_machine_allocates_nothing() {
    let options = footwork_gait::GaitOptions { routes: false, crouch: true, gestures: true, ..Default::default() };
    let db = Arc::new(common::built(&footwork_gait::clips(&options), &BuildConfig::default()).0);
    let spec: MachineSpec = toml::from_str(footwork_gait::BIPED_MACHINE).unwrap();
    let machine = Arc::new(Machine::new(db.clone(), spec).unwrap());
    let mut variables = machine.variables();
    let character = Character::new(db.clone(), MatcherConfig::default()).unwrap().with_machine(Some(machine)).unwrap();
    let mut m = MotionMatcher::of(Arc::new(character), footwork::math::Transform::IDENTITY).unwrap();
    let crouched = db.tag_query("crouched").unwrap();
    let (mut states, mut events) = ([false; 8], 0);
    let calls = allocations(|| {
        for k in 0..3600u32 {
            variables.set("crouch", f32::from(u8::from(k / 200 % 2 == 1))).unwrap();
            variables.set("aim", f32::from(u8::from(k / 300 % 2 == 1))).unwrap();
            variables.set("aim_yaw", (k % 100) as f32 - 50.0).unwrap();
            variables.set("stop", f32::from(u8::from(k % 500 == 470))).unwrap();
            if k % 250 == 3 {
                variables.fire(if k % 500 == 3 { "wave" } else { "reload" }).unwrap();
            }
            // Every second crouch is announced.
            let at_s = f64::from(k / 200 * 200 + 200) / 60.0;
            let later = (k / 400 % 2 == 0).then_some(footwork::input::Later { tags: crouched, at_s });
            let stick = random_stick(1, f64::from(k) / 60.0);
            m.update(&MotionInput { variables: variables.values(), later, ..stick }, 1.0 / 60.0).unwrap();
            events += m.output().events.iter().filter(|e| e.layer.is_some()).count();
            // Creating the view allocates memory; reading the state does not.
            states[m.character().machine_state(m.state()).unwrap()] = true;
        }
    });
    assert_eq!(calls, 0);
    assert!(states.iter().filter(|s| **s).count() >= 4 && events > 20, "{states:?}, {events} events");
}

#[test]
fn an_action_allocates_nothing() {
    let options = footwork_gait::GaitOptions { routes: false, actions: true, ..Default::default() };
    let db = Arc::new(common::built(&footwork_gait::clips(&options), &BuildConfig::default()).0);
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig::default()).unwrap();
    let walk = common::walk(Vec3::Z);
    (0..120).for_each(|_| drop(m.update(&walk, 1.0 / 60.0)));
    let edge = m.pose().world_from_root() * Transform::new(Vec3::new(0.0, 0.98, 2.6), Default::default());
    let contact = ActionContact { position: edge.translation, facing: Facing::FORWARD };
    let mut request = ActionRequest::new(1, db.action_kind("vault").unwrap(), contact);
    let (mut entered, mut left, mut rejected) = (0, 0, 0);
    let calls = allocations(|| {
        for k in 0..400 {
            if k % 100 == 99 {
                request.id += 1;
            }
            // The obstacle moves a little.
            request.contacts[0].as_mut().unwrap().position.x = 1e-4 * (k % 30) as f32;
            m.update(&MotionInput { action: Some(request), ..walk }, 1.0 / 60.0).unwrap();
            for event in &m.output().actions {
                entered += u32::from(matches!(event.step, ActionStep::Entered { .. }));
                left += u32::from(event.step == ActionStep::Left);
                rejected += u32::from(matches!(event.step, ActionStep::Refused(_)));
            }
        }
    });
    assert_eq!(calls, 0);
    assert!(entered > 0 && left == entered && rejected > 0, "{entered} entered, {left} left, {rejected} rejected");
}

#[test]
fn an_arrival_allocates_nothing() {
    let db = common::built(&footwork_gait::clips(&Default::default()), &BuildConfig::default()).0;
    let mut config = MatcherConfig::default();
    config.actions.arrives = true;
    let mut m = MotionMatcher::new(Arc::new(db), config).unwrap();
    let walk = common::walk(Vec3::Z);
    (0..120).for_each(|_| drop(m.update(&walk, 1.0 / 60.0)));
    let to = m.pose().world_from_root() * Transform::new(Vec3::new(1.5, 0.0, 1.0), Default::default());
    let mut left = 0;
    let calls = allocations(|| {
        for k in 0..1200 {
            let arrive = ActionRequest::arrive(1 + k / 600, to.translation * (1 + k / 600) as f32, Facing::FORWARD);
            let action = Some(ActionRequest { go: true, ..arrive });
            m.update(&MotionInput { action, goal: Goal::None, ..walk }, 1.0 / 60.0).unwrap();
            left += m.output().actions.iter().filter(|e| e.step == ActionStep::Left).count();
        }
    });
    assert_eq!((calls, left), (0, 2));
}

#[test]
fn a_step_of_ten_characters_allocates_nothing() {
    let db = rich_database();
    let config = MatcherConfig::default();
    let character = Character::new(db.clone(), config).unwrap();
    let start = character.state_at(Transform::IDENTITY).unwrap();
    let mut states: Vec<MatcherState> = (0..10).map(|_| start.clone()).collect();
    let mut outputs: Vec<Output> = (0..10).map(|_| character.output()).collect();
    let mut scratch = character.scratch();
    let goals = Goals::new();
    for k in 0..600 {
        let inputs: [MotionInput; 10] = std::array::from_fn(|i| goals.at(k + 60 * i as u32, &[0.2]));
        let calls = allocations(|| {
            step(&character, &inputs, 1.0 / 60.0, &mut states, &mut scratch, &mut outputs).unwrap();
        });
        assert_eq!(calls, 0, "step {k}");
    }
    assert!(states.iter().all(|s| s.header.transition.count > 3));
}

#[test]
fn a_search_allocates_nothing_with_any_backend() {
    for mirror in [MirrorMode::Off, MirrorMode::Stored, MirrorMode::Query] {
        let db = common::gait(mirror);
        let ones = vec![1.0; db.features.columns];
        let mut features = ones.clone();
        let (mut room, mut tag_costs) = ([Match::default(); 20], TagCosts::default());
        for &backend in Backend::EXACT {
            let index = SearchIndex::build(&db, backend);
            let mut r = Random(5);
            for _ in 0..200 {
                let near = db.features.row(RowIndex::new(r.below(db.rows())));
                features.iter_mut().zip(near).for_each(|(f, v)| *f = v + r.between(-0.3, 0.3));
                let query = SearchQuery {
                    continuing: None,
                    transition_cost: 0.02,
                    candidates: Candidates { end_exclusion_rows: 10, ..Default::default() },
                    ..SearchQuery::new(&features, &ones)
                };
                assert_eq!(allocations(|| assert!(index.search(&db, &query).is_some())), 0);
                let cost = |tag: &String| TagCost { tags: db.tag_query(tag).unwrap(), cost: r.between(-0.1, 0.1) };
                let costs: Vec<TagCost> = db.tags.iter().take(TagCosts::MOST).map(cost).collect();
                assert_eq!(allocations(|| tag_costs.set(&db, &costs)), 0);
                let query = SearchQuery { tag_costs: Some(&tag_costs), max_cost: 50.0, ..query };
                assert_eq!(allocations(|| assert!(index.search_k(&db, &query, &mut room) > 0)), 0);
                let mut found = [None; 2];
                assert_eq!(allocations(|| index.search_many(&db, &[query; 2], &mut found)), 0);
                assert!(found.iter().all(Option::is_some));
            }
        }
    }
}

#[test]
fn copying_a_state_over_another_allocates_nothing() {
    let db = rich_database();
    let mut m = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    let mut saved = m.state().clone();
    for k in 0..200 {
        m.update(&MotionInput { user: &[0.0], ..random_stick(2, f64::from(k) / 60.0) }, 1.0 / 60.0).unwrap();
        assert_eq!(allocations(|| saved.clone_from(m.state())), 0);
    }
    assert_eq!(common::bits(&saved), common::bits(m.state()));
}

#[test]
fn corrections_of_a_pose_allocate_nothing() {
    let walk = Walk::new("walk_125_loop");
    let (skeleton, body, rest) = (&walk.skeleton, &walk.body, Pose::rest(&walk.skeleton));
    let soles: Vec<Sole> = body.legs.iter().flatten().map(|leg| Sole::new(skeleton, &rest, *leg)).collect();
    let head = LookJoint { joint: walk.joint("Head"), yaw_deg: 60.0, pitch_deg: 40.0 };
    let standing = rest.in_root(skeleton, head.joint).rotation;
    let gaze = Gaze::new(skeleton, std::slice::from_ref(&head), standing, Vec3::Z * 0.1);
    let arm = Leg::above(skeleton, walk.joint("LeftHand")).unwrap();
    let ground = |at: Vec3| GroundPoint { height_m: 0.2 * at.z, ..Default::default() };
    let (orientation, strides, look, hands) =
        (OrientationWarpConfig::default(), StrideWarpConfig::default(), LookAtConfig::default(), HandConfig::default());
    let grounding = GroundConfig::default();
    let fit = FitToGround { config: &grounding, soles: &soles };
    let (mut stride, mut gazing, mut hand) = (StrideWarp::default(), LookAt::default(), Hand::default());
    let (mut feet, mut grounded) = ([GroundedFoot::default(); 2], GroundedBody::default());
    for frame in 0..60 {
        let (mut pose, touches, dt_s) = (walk.pose(frame), walk.contacts(frame).map(u8::from), walk.dt_s());
        let before = pose.clone();
        let target = pose.translations[0] + Vec3::new(0.4, 1.2, 0.4);
        let work = || {
            let mut lower = LowerBody::of(skeleton, body, REACH, &pose);
            orientation.apply(0.4, &mut lower, &mut pose);
            stride.update(&strides, Facing::FORWARD, 0.1, &lower, dt_s);
            stride.apply(Facing::FORWARD, &mut lower, &mut pose);
            let world_from_root = pose.world_from_root();
            let step = GroundStep { ground: &ground, touches: &touches, world_from_root, dt_s };
            fit.update(&step, &lower, &mut feet, &mut grounded);
            fit.apply(&feet, &grounded, &mut lower, &mut pose);
            lower.write(&mut pose);
            gazing.update(&look, &gaze, Some(target), &pose, dt_s);
            gazing.apply(&gaze, &mut pose);
            let reached = HandTarget { position: target, rotation: None };
            hand.update(&hands, Some(reached), pose.world_from_root(), dt_s);
            hand.apply(&hands, skeleton, arm, &mut pose);
        };
        assert_eq!(allocations(work), 0, "frame {frame}");
        assert_ne!(pose, before);
    }
}

#[test]
fn a_crowd_with_a_budget_allocates_nothing() {
    let (db, config) = (common::gait(MirrorMode::Query), MatcherConfig::default());
    let character = Character::new(db, config).unwrap();
    let mut states = vec![character.state_at(Transform::IDENTITY).unwrap(); 30];
    let mut outputs: Vec<Output> = states.iter().map(|_| character.output()).collect();
    let (mut scratch, mut scheduler) = (character.scratch(), SearchScheduler::new(30, 4));
    let significance = [0.5; 30];
    for frame in 0..200 {
        let inputs: [MotionInput; 30] = std::array::from_fn(|i| random_stick(i as u64, f64::from(frame) / 60.0));
        let dt_s = 1.0 / 60.0;
        let moved = || {
            let crowd = Crowd { states: &mut states, scratch: &mut scratch, outputs: &mut outputs };
            scheduler.step(&character, &inputs, &significance, dt_s, crowd).unwrap();
        };
        assert_eq!(allocations(moved), 0, "frame {frame}");
    }
}

#[test]
fn a_blend_space_allocates_nothing() {
    let db = rich_database();
    let text = r#"{ "name": "speeds", "parameters": ["speed"],
        "from_clips": { "clips": ["walk_*_loop", "run_*_loop"], "measure": ["speed_mps"] } }"#;
    let spec: BlendSpaceSpec = serde_json::from_str(text).unwrap();
    let space = BlendSpace::new(&db, &spec).unwrap();
    let (joints, slots) = (db.skeleton.len(), db.rig.contact_joints.len());
    let (mut room, mut buffers) = (BlendScratch::new(&db), SourceBuffers::new(&db.schema, &db.skeleton, slots));
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(joints));
    let (mut contacts, mut curves) = (vec![0; slots], vec![0.0; db.curve_names.len()]);
    let (mut state, mut memory) = (space.enter([1.0, 0.0], 0.0), [0.0; BlendState::MEMORY]);
    let calls = allocations(|| {
        for k in 0..600 {
            let speed = 1.0 + 0.006 * k as f32;
            space.tick(&mut state, 1.0 / 60.0, [speed, 0.0]);
            state.write(&mut memory);
            state = BlendState::read(&memory);
            let moment = space.at(&db, &state, 0.01);
            moment.pose(&mut room, &mut pose, &mut velocity);
            moment.features(&mut room, true, &mut buffers);
            moment.contacts(&mut contacts);
            moment.curves(&mut room, &mut curves);
            let next = [moment.next_contact_s(0), moment.next_contact_s(1)];
            state.phase = space.enter([speed, 0.0], space.phase_for_contacts(&db, [speed, 0.0], next)).phase;
            assert!(moment.leader_span(0.3).parts().count() > 0 && moment.trajectory(1.0).position.is_finite());
            assert!(moment.way_to(0.016).is_finite());
        }
    });
    assert_eq!(calls, 0);
}
