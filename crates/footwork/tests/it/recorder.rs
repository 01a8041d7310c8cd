//! The flight recorder: recordings replay bit for bit, from any update, after saving and loading, and with changed settings.

use crate::common;

use common::{bits, hash_pose, random_stick};
use footwork::advanced::input::OwnedGoal;
use footwork::advanced::matcher::One;
use footwork::advanced::recorder::{Decision, NamedGround};
use footwork::advanced::search::SearchIndex;
use footwork::advanced::search::classics::Setting;
use footwork::database::{Database, MirrorMode, TagCost};
use footwork::input::{
    ExternalBody, Goal, GroundPoint, HandTarget, InputError, MotionInput, Obstacle, Obstacles, Path,
};
use footwork::input::{Stick, TrajectoryPoint};
use footwork::learned::Networks;
use footwork::matcher::Backend;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher, SearchConfig, Turn};
use footwork::math::{Facing, Quat, Transform};
use footwork::recorder::{Recorder, RecorderConfig, Replay, ReplayError, Trace};
use glam::Vec3;
use std::path::Path as FilePath;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

const DT_S: f32 = 1.0 / 60.0;

fn character(config: MatcherConfig) -> Arc<Character> {
    Arc::new(Character::new(common::gait(MirrorMode::Query), config).unwrap())
}

fn matcher(character: &Arc<Character>) -> MotionMatcher {
    MotionMatcher::of(Arc::clone(character), Transform::IDENTITY).unwrap()
}

/// A moving ground with a different value at each position, and a wall to slide along.
fn ground(at: Vec3) -> GroundPoint {
    GroundPoint { velocity: Vec3::X * 0.05 * at.z, ..common::stages::hill(at) }
}

fn wall(_: Vec3, to: Vec3) -> Vec3 {
    Vec3::new(to.x, to.y, to.z.min(3.0))
}

/// Goals of all kinds in turn, two seconds each, with all other fields of an input.
struct Course {
    paths: [Path; 2],
    points: Vec<TrajectoryPoint>,
    obstacles: [Obstacle; 3],
}

impl Course {
    fn new() -> Self {
        let corners = [Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(6.0, 0.0, 6.0), Vec3::new(6.0, 0.0, -3.0)];
        let point = |k: i32| TrajectoryPoint {
            time_s: k as f32 * 0.25,
            position: Vec3::new(0.1 * (k * k) as f32, 0.0, 0.3 * k as f32),
            facing: Facing::from_yaw(0.1 * k as f32),
        };
        let paths = [true, false].map(|closed| Path::new(corners.to_vec(), closed).unwrap());
        let wall = Obstacle::cuboid(Vec3::Z * -2.0, glam::Vec2::new(3.0, 0.2), Facing::from_yaw(0.2), 2.0);
        let person = Obstacle::circle(Vec3::X, 0.3, 1.8).moving(Vec3::NEG_X * 0.5);
        let obstacles = [wall, person, Obstacle::circle(Vec3::NEG_X, 0.4, 3.0)];
        Self { paths, points: (0..8).map(point).collect(), obstacles }
    }

    fn at(&self, k: usize, hooks: bool) -> MotionInput<'_> {
        let second = k / 60;
        let goal = match (k / 120) % 6 {
            0 => random_stick(9, k as f64 / 60.0).goal,
            1 => Goal::Velocity { velocity: Vec3::new(1.2, 0.0, -0.7), facing: Some(Facing::from_yaw(0.3)) },
            2 => Goal::Path { path: &self.paths[second % 2], speed_mps: 1.0 + (k % 3) as f32 },
            3 => Goal::Trajectory(&self.points[..4 + k % 4]),
            4 => Goal::Velocity { velocity: Vec3::new(0.0, 0.0, 2.0), facing: None },
            _ => Goal::None,
        };
        let hand = HandTarget { position: Vec3::new(0.3, 1.3, 0.5), rotation: Some(Quat::from_rotation_y(0.4)) };
        MotionInput {
            goal,
            ground: if hooks && !second.is_multiple_of(5) { Some(&ground) } else { None },
            collide: if hooks && !second.is_multiple_of(3) { Some(&wall) } else { None },
            body: (second % 4 == 1).then(|| ExternalBody { position: Vec3::Z * second as f32, ..Default::default() }),
            obstacles: Obstacles::new(&self.obstacles[..second % 4]),
            look_at: (second % 2 == 1).then_some(Vec3::new(2.0, 1.5, 3.0)),
            hands: [
                (second % 3 == 1).then_some(hand),
                (second % 3 == 2).then_some(HandTarget { rotation: None, ..hand }),
            ],
            ..MotionInput::default()
        }
    }
}

/// Results of a run: poses and states after every update, and its transitions.
#[derive(Default)]
struct Observed {
    poses: Vec<u128>,
    states: Vec<String>,
    decisions: Vec<Decision>,
}

impl Observed {
    fn see(&mut self, m: &MotionMatcher) {
        let mut hash = Xxh3::new();
        hash_pose(&mut hash, m.pose());
        if m.output().transitions > 0 {
            self.decisions.push(Decision { update: self.poses.len(), playing: m.output().playing });
        }
        self.poses.push(hash.digest128());
        self.states.push(bits(m.state()));
    }
}

/// Records a run; `before` may change the character before each update.
fn run(
    character: &Arc<Character>,
    config: RecorderConfig,
    updates: usize,
    mut before: impl FnMut(usize, &mut MotionMatcher),
) -> (Trace, Observed) {
    let (course, mut m, mut recorder) = (Course::new(), matcher(character), Recorder::new(character, config));
    let mut seen = Observed::default();
    for k in 0..updates {
        before(k, &mut m);
        let dt_s = [DT_S, DT_S, 0.004, 0.03, 0.0][if k % 400 < 300 { 0 } else { k % 5 }];
        recorder.update(&mut m, &course.at(k, true), dt_s).unwrap();
        seen.see(&m);
    }
    assert_eq!(recorder.lost(), 0);
    (recorder.trace(), seen)
}

fn with_everything() -> MatcherConfig {
    MatcherConfig { responsiveness: 1.1, ..common::stages::all_on() }
}

/// Returns the trace after saving and loading.
fn filed(trace: &Trace) -> Arc<Trace> {
    let bytes = trace.to_bytes().unwrap();
    let back = Trace::from_bytes(&bytes, FilePath::new("t")).unwrap();
    assert!(back == *trace && back.to_bytes().unwrap() == bytes);
    Arc::new(back)
}

/// Replays all of a trace; its first update has the number `first` in the run.
fn replays(trace: &Arc<Trace>, character: &Arc<Character>, seen: &Observed, first: usize) {
    let mut replay = Replay::new(Arc::clone(trace), Arc::clone(character), None).unwrap();
    for k in 0..trace.updates() {
        assert_eq!(replay.position(), k);
        assert_eq!(bits(replay.matcher().state()), seen.states[first + k], "update {k}");
        let mut again = Observed::default();
        again.see(replay.matcher());
        assert_eq!(again.poses[0], seen.poses[first + k], "update {k}");
        assert_eq!(replay.step().unwrap(), k + 1 < trace.updates());
    }
}

#[test]
fn a_recording_is_replayed_bit_for_bit_with_every_kind_of_goal_and_hooks() {
    let who = character(with_everything());
    let (trace, seen) = run(&who, RecorderConfig::default(), 1800, |_, _| {});
    assert_eq!(trace.updates(), 1800);
    assert!(trace.asks_for_ground() && trace.asks_for_walls() && trace.ground().is_empty());
    assert_eq!(trace.decisions(), seen.decisions);
    assert!(seen.decisions.len() > 20, "{}", seen.decisions.len());
    assert_eq!(trace.config(), &with_everything());
    // The settings of the replaying character have no effect.
    replays(&filed(&trace), &character(MatcherConfig::default()), &seen, 0);
}

#[test]
fn a_character_that_is_changed_between_updates_is_followed() {
    let who = character(MatcherConfig::default());
    let mut saved = None;
    let meddle = |k: usize, m: &mut MotionMatcher| match k {
        100 => saved = Some(m.state().clone()),
        200 => m.teleport(Transform::new(Vec3::new(4.0, 1.0, -2.0), Quat::from_rotation_y(1.0))).unwrap(),
        250 => m.set_config(MatcherConfig { responsiveness: 2.0, ..MatcherConfig::default() }).unwrap(),
        300 => m.restore(saved.as_ref().unwrap()).unwrap(),
        350 => {
            let (pose, velocity) = (m.pose().clone(), m.output().velocity.clone());
            m.enter(&pose, &velocity).unwrap();
        }
        400 => drop(m.update(&MotionInput::default(), 0.5).unwrap()),
        450 => m.set_config(MatcherConfig::default()).unwrap(),
        _ => {}
    };
    let (trace, seen) = run(&who, RecorderConfig { key_every_s: 600.0, ..Default::default() }, 600, meddle);
    replays(&filed(&trace), &who, &seen, 0);
    assert_eq!(trace.config_at(249), &MatcherConfig::default());
    assert_eq!(trace.config_at(250).responsiveness, 2.0);
    assert_eq!(trace.config_at(599), &MatcherConfig::default());
}

#[test]
fn refused_updates_are_not_recorded() {
    let who = character(MatcherConfig::default());
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let (mut m, mut seen) = (matcher(&who), Observed::default());
    for k in 0..200 {
        if k % 7 == 3 {
            let nan = MotionInput { look_at: Some(Vec3::NAN), ..MotionInput::default() };
            assert!(matches!(recorder.update(&mut m, &nan, DT_S), Err(InputError::NotUsable { .. })));
        }
        recorder.update(&mut m, &random_stick(4, f64::from(k) / 60.0), DT_S).unwrap();
        seen.see(&m);
    }
    replays(&Arc::new(recorder.trace()), &who, &seen, 0);
}

#[test]
fn old_segments_are_dropped_and_the_rest_is_replayed() {
    let who = character(with_everything());
    let small = RecorderConfig { max_bytes: 400_000, key_every_s: 1.0, ..Default::default() };
    let short = RecorderConfig { seconds: 10.0, key_every_s: 0.7, ..Default::default() };
    for config in [small, short] {
        let (trace, seen) = run(&who, config, 2400, |k, m| {
            if k % 500 == 0 {
                m.teleport(Transform::IDENTITY).unwrap();
            }
        });
        let kept = trace.updates();
        assert!((200..1500).contains(&kept), "{kept} updates of {config:?}");
        if config.seconds == 10.0 {
            assert!((10.0..12.0).contains(&trace.seconds()), "{}", trace.seconds());
        }
        replays(&filed(&trace), &who, &seen, 2400 - kept);
    }
}

#[test]
fn seeking_anywhere_shows_what_running_there_shows_and_explains_its_last_search() {
    let who = character(MatcherConfig::default());
    let config = RecorderConfig { key_every_s: 0.3, ..Default::default() };
    let (trace, seen) = run(&who, config, 900, |k, m| {
        if k % 211 == 0 {
            m.teleport(Transform::new(Vec3::X * k as f32, Quat::IDENTITY)).unwrap();
        }
    });
    let trace = Arc::new(trace);
    let mut through = Replay::new(trace.clone(), who.clone(), None).unwrap();
    let mut explained = Vec::new();
    loop {
        explained.push(format!("{:?}", through.matcher().explain(3)));
        if !through.step().unwrap() {
            break;
        }
    }
    assert!(explained.iter().filter(|e| *e != "None").count() > 600);
    let mut replay = Replay::new(trace, who, None).unwrap();
    let mut random = common::Random(3);
    for k in 0..120 {
        let update = if k % 3 == 0 { (replay.position() + 1).min(899) } else { random.below(900) };
        replay.seek(update).unwrap();
        assert_eq!(replay.position(), update);
        assert_eq!(bits(replay.matcher().state()), seen.states[update], "update {update}");
        assert_eq!(format!("{:?}", replay.matcher().explain(3)), explained[update], "update {update}");
    }
    let beyond = replay.seek(900).unwrap_err();
    assert_eq!(beyond, ReplayError::NoUpdate { update: 900, updates: 900 });
}

#[test]
fn times_updates_inputs_and_marks_fit_together() {
    let who = character(MatcherConfig::default());
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let mut m = matcher(&who);
    recorder.set_title("a title");
    for k in 0..120 {
        if k % 50 == 0 {
            recorder.mark(&format!("part {k}"));
        }
        let stick = Stick::towards(Vec3::Z, Default::default());
        let input = if k < 60 { MotionInput::default() } else { MotionInput::stick(stick) };
        recorder.update(&mut m, &input, if k < 60 { 0.01 } else { 0.02 }).unwrap();
    }
    let trace = filed(&recorder.trace());
    assert_eq!((trace.title(), trace.updates(), trace.dt_s(3), trace.dt_s(100)), ("a title", 120, 0.01, 0.02));
    assert!((trace.seconds() - 1.8).abs() < 1e-6 && (trace.time_s(59) - 0.6).abs() < 1e-6);
    assert!((0..120).all(|k| trace.update_at(trace.time_s(k)) == k));
    assert_eq!([trace.update_at(-1.0), trace.update_at(0.611), trace.update_at(99.0)], [0, 60, 119]);
    let marks: Vec<(usize, &str)> = trace.marks().iter().map(|(k, name)| (*k, name.as_str())).collect();
    assert_eq!(marks, [(0, "part 0"), (50, "part 50"), (100, "part 100")]);
    let mut replay = Replay::new(trace, who, None).unwrap();
    replay.seek(59).unwrap();
    assert_eq!(replay.input().goal, OwnedGoal::None);
    replay.seek(60).unwrap();
    assert!(matches!(replay.input().goal, OwnedGoal::Stick(_)));
}

#[test]
fn a_fork_is_a_run_with_other_settings_from_the_same_state() {
    let (who, other) =
        (character(MatcherConfig::default()), MatcherConfig { responsiveness: 2.0, ..Default::default() });
    let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
    let mut middle = None;
    for k in 0..900 {
        recorder.update(&mut m, &random_stick(5, f64::from(k) / 60.0), DT_S).unwrap();
        if k == 300 {
            middle = Some(m.state().clone());
        }
    }
    let other = Arc::new(who.with_config(other).unwrap());
    let mut fresh = matcher(&other);
    fresh.restore(&middle.unwrap()).unwrap();
    let mut replay = Replay::new(Arc::new(recorder.trace()), who, None).unwrap();
    replay.seek(300).unwrap();
    replay.fork(other).unwrap();
    for k in 301..900 {
        fresh.update(&random_stick(5, f64::from(k) / 60.0), DT_S).unwrap();
        assert!(replay.step().unwrap() && replay.is_forked());
        assert_eq!(bits(replay.matcher().state()), bits(fresh.state()), "update {k}");
    }
    assert!(!replay.step().unwrap() && !replay.assumes_level_ground());
    assert_ne!(bits(replay.matcher().state()), bits(m.state()), "the settings change nothing");
    // A seek returns to the recording.
    replay.seek(899).unwrap();
    assert!(!replay.is_forked());
    assert_eq!(bits(replay.matcher().state()), bits(m.state()));
}

#[test]
fn a_fork_with_networks_or_another_database_goes_on_from_the_shown_pose() {
    let who = character(MatcherConfig::default());
    let (trace, _) = run(&who, RecorderConfig::default(), 600, |k, m| {
        if k == 500 {
            m.teleport(Transform::new(Vec3::X * 50.0, Quat::IDENTITY)).unwrap();
        }
    });
    let networks = Networks::from_bytes(footwork_gait::BIPED_NETWORKS, "shipped".as_ref()).unwrap();
    let networks = Character::learned(Arc::new(networks), None, MatcherConfig::default()).unwrap();
    let full = Character::new(common::gait_full(), MatcherConfig::default()).unwrap();
    for other in [networks, full] {
        let mut replay = Replay::new(Arc::new(trace.clone()), Arc::clone(&who), None).unwrap();
        replay.seek(200).unwrap();
        let before = replay.matcher().pose().world_from_root().translation;
        replay.fork(Arc::new(other)).unwrap();
        replay.step().unwrap();
        let after = replay.matcher().pose().world_from_root().translation;
        assert!((after - before).length() < 0.3, "{before} {after}");
        while replay.step().unwrap() {}
        // The answers of the hooks are unknown here; teleports are replayed as recorded.
        assert!(replay.assumes_level_ground());
        assert!(replay.matcher().pose().world_from_root().translation.x > 40.0);
        replay.seek(100).unwrap();
        assert_eq!(
            replay.matcher().state().header.database,
            who.state_at(Transform::IDENTITY).unwrap().header.database
        );
    }
}

#[test]
fn a_named_ground_is_given_to_the_replay_and_takes_no_room() {
    let who = character(with_everything());
    let record = |name: &str| {
        let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
        recorder.set_ground(name);
        let mut seen = Observed::default();
        for k in 0..600 {
            let input = MotionInput { ground: Some(&ground), ..random_stick(3, f64::from(k) / 60.0) };
            recorder.update(&mut m, &input, DT_S).unwrap();
            seen.see(&m);
        }
        (recorder, seen)
    };
    let (unnamed, (named, seen)) = (record("").0, record("hills"));
    assert!(unnamed.bytes() > 5 * named.bytes(), "{} {}", unnamed.bytes(), named.bytes());
    let trace = filed(&named.trace());
    assert_eq!(trace.ground(), "hills");
    let none = Replay::new(trace.clone(), who.clone(), None).unwrap_err();
    assert_eq!(none, ReplayError::NoGround { name: "hills".into() });
    let hills: NamedGround = Arc::new(ground);
    let mut replay = Replay::new(trace.clone(), who.clone(), Some(hills.clone())).unwrap();
    replay.seek(599).unwrap();
    assert_eq!(bits(replay.matcher().state()), seen.states[599]);
    // A fork calls the ground, too: with the same settings the result is the same.
    replay.seek(200).unwrap();
    replay.fork(replay.matcher().character().clone()).unwrap();
    while replay.step().unwrap() {}
    assert!(!replay.assumes_level_ground());
    assert_eq!(bits(replay.matcher().state()), seen.states[599]);
    // A ground other than the recorded one is detected; after that, only a seek can continue.
    let level: NamedGround = Arc::new(|_| GroundPoint::default());
    let mut wrong = Replay::new(trace, who.clone(), Some(level.clone())).unwrap();
    let diverged = wrong.seek(599).unwrap_err();
    assert!(matches!(diverged, ReplayError::Diverged { .. }), "{diverged}");
    assert_eq!((wrong.step(), wrong.fork(who.clone())), (Err(diverged.clone()), Err(diverged)));
    wrong.seek(0).unwrap();
    // Recorded answers take precedence.
    let mut replay = Replay::new(Arc::new(unnamed.trace()), who, Some(level)).unwrap();
    replay.seek(599).unwrap();
    assert_eq!(bits(replay.matcher().state()), seen.states[599]);
}

#[test]
fn every_exact_search_and_every_kernel_replays_the_same() {
    let who = character(MatcherConfig::default());
    let (trace, seen) = run(&who, RecorderConfig::default(), 900, |_, _| {});
    let trace = Arc::new(trace);
    let kernels = Setting::of_interest(Backend::Tree);
    assert!(!kernels.is_empty());
    for setting in kernels {
        let index = SearchIndex::build_with(who.database().unwrap(), &setting).unwrap();
        replays(&trace, &Arc::new(who.with_index(|_| index).unwrap()), &seen, 0);
    }
    for &backend in Backend::EXACT {
        let search = SearchConfig { backend, ..SearchConfig::default() };
        let other = Arc::new(who.with_config(MatcherConfig { search, ..MatcherConfig::default() }).unwrap());
        let mut replay = Replay::new(trace.clone(), who.clone(), None).unwrap();
        // Without hooks a fork is complete: the part of the run with hooks is not replayed here.
        replay.rewind().unwrap();
        replay.fork(other).unwrap();
        (0..60).for_each(|_| assert!(replay.step().unwrap()));
        assert_eq!(bits(replay.matcher().state()), seen.states[59], "{}", backend.name());
    }
}

#[test]
fn networks_are_recorded_and_replayed() {
    let networks = Arc::new(Networks::from_bytes(footwork_gait::BIPED_NETWORKS, "shipped".as_ref()).unwrap());
    let who = Arc::new(Character::learned(networks, None, MatcherConfig::default()).unwrap());
    let (trace, seen) = run(&who, RecorderConfig::default(), 900, |_, _| {});
    assert!(trace.data().has_networks() && trace.database_hash().is_none());
    replays(&filed(&trace), &who, &seen, 0);
    let other = Replay::new(Arc::new(trace), character(MatcherConfig::default()), None).unwrap_err();
    assert!(other.to_string().contains("expected networks"), "{other}");
}

#[test]
fn characters_in_parts_are_recorded_in_any_turn() {
    let who = character(MatcherConfig::default());
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let mut state = who.state_at(Transform::IDENTITY).unwrap();
    let (mut scratch, mut output) = (who.scratch(), who.output());
    let mut states = Vec::new();
    for k in 0..600 {
        let turn = [Turn::Later, Turn::Now, Turn::Later, Turn::Regular][k as usize / 7 % 4];
        if k == 300 {
            who.teleport(Transform::new(Vec3::X, Quat::IDENTITY), &mut state).unwrap();
        }
        let one = One { state: &mut state, scratch: &mut scratch, output: &mut output };
        recorder.step(&who, &random_stick(8, f64::from(k) / 60.0), turn, DT_S, one).unwrap();
        states.push(bits(&state));
    }
    let mut replay = Replay::new(filed(&recorder.trace()), who, None).unwrap();
    for state in states {
        assert_eq!(bits(replay.matcher().state()), state);
        replay.step().unwrap();
    }
}

#[test]
fn a_character_of_other_data_begins_a_new_recording_and_a_foreign_trace_is_refused() {
    let (small, full) = (character(MatcherConfig::default()), common::gait_full());
    let full = Arc::new(Character::new(full, MatcherConfig::default()).unwrap());
    let (mut m, mut recorder) = (matcher(&small), Recorder::new(&small, RecorderConfig::default()));
    let mut seen = Observed::default();
    for k in 0..300 {
        if k == 200 {
            m.switch_to(full.clone()).unwrap();
        }
        recorder.update(&mut m, &random_stick(2, f64::from(k) / 60.0), DT_S).unwrap();
        if k >= 200 {
            seen.see(&m);
        }
    }
    let trace = Arc::new(recorder.trace());
    assert_eq!(trace.updates(), 100);
    replays(&trace, &full, &seen, 0);
    let refused = Replay::new(trace, small, None).unwrap_err();
    assert!(matches!(refused, ReplayError::OtherData { .. }), "{refused}");
    assert!(refused.to_string().contains("expected database") && refused.to_string().contains("found database"));
}

#[test]
fn a_step_that_asks_more_than_can_be_kept_leaves_a_gap_and_the_recording_goes_on() {
    let who = character(MatcherConfig::default());
    let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
    let mut seen = Observed::default();
    for k in 0..100 {
        let input = MotionInput { ground: Some(&ground), collide: Some(&wall), ..random_stick(2, 0.0) };
        recorder.update(&mut m, &input, if k == 50 { 10.0 } else { DT_S }).unwrap();
        if k != 50 {
            seen.see(&m);
        }
    }
    assert_eq!((recorder.lost(), recorder.updates()), (1, 99));
    replays(&filed(&recorder.trace()), &who, &seen, 0);
}

#[test]
fn queries_of_tags_their_costs_and_every_other_part_of_an_input_survives() {
    let db = common::gait(MirrorMode::Query);
    let tags = db.tag_query("!(run | stop)").unwrap();
    let tag_costs = [TagCost { tags: db.tag_query("run & !walk").unwrap(), cost: -0.25 }, TagCost { tags, cost: 1.5 }];
    let tag_costs = &tag_costs[..];
    let who = character(MatcherConfig::default());
    let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
    let course = Course::new();
    for k in 0..720 {
        recorder.update(&mut m, &MotionInput { tags, tag_costs, ..course.at(k, false) }, DT_S).unwrap();
    }
    let mut replay = Replay::new(filed(&recorder.trace()), who, None).unwrap();
    for k in 0..720 {
        let (input, owned) = (MotionInput { tags, tag_costs, ..course.at(k, false) }, replay.input().borrow());
        assert_eq!(format!("{input:?}"), format!("{owned:?}"), "update {k}");
        replay.step().unwrap();
    }
}

#[test]
fn an_empty_recording_is_told() {
    let who = character(MatcherConfig::default());
    let mut recorder = Recorder::new(&who, RecorderConfig::default());
    let empty = |r: &Recorder| {
        let trace = r.trace();
        assert_eq!((trace.updates(), trace.seconds(), trace.update_at(1.0), trace.marks().len()), (0, 0.0, 0, 0));
        let refused = Replay::new(Arc::new(trace.clone()), who.clone(), None).unwrap_err();
        assert_eq!(refused, ReplayError::Empty);
        let refused = Trace::from_bytes(&trace.to_bytes().unwrap(), FilePath::new("t")).unwrap_err();
        assert!(refused.to_string().contains("at least one update"), "{refused}");
    };
    empty(&recorder);
    recorder.mark("part");
    recorder.update(&mut matcher(&who), &MotionInput::default(), DT_S).unwrap();
    assert_eq!(recorder.trace().updates(), 1);
    recorder.clear();
    empty(&recorder);
}

/// Returns a short recording that contains every kind of record.
fn short() -> Vec<u8> {
    let who = character(MatcherConfig::default());
    let config = RecorderConfig { key_every_s: 2.0, ..Default::default() };
    run(&who, config, 300, |_, _| {}).0.to_bytes().unwrap()
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let bytes = short();
    let step = (bytes.len() / 3000).max(1);
    for n in (0..bytes.len()).step_by(step).chain(bytes.len() - 300..bytes.len()) {
        assert!(Trace::from_bytes(&bytes[..n], FilePath::new("t")).is_err(), "{n} of {} bytes", bytes.len());
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.fwtrace");
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let refused = Trace::load(&path).unwrap_err().to_string();
    assert!(refused.contains("cut.fwtrace") && refused.contains("truncated"), "{refused}");
}

#[test]
fn a_flipped_bit_is_refused_or_gives_the_same_trace() {
    let bytes = short();
    let whole = Trace::from_bytes(&bytes, FilePath::new("t")).unwrap();
    let mut random = common::Random(11);
    let mut refused = 0;
    for k in 0..3000 {
        let mut damaged = bytes.clone();
        let at = if k < 1000 { random.below(4000.min(bytes.len())) } else { random.below(bytes.len()) };
        damaged[at] ^= 1 << random.below(8);
        match Trace::from_bytes(&damaged, FilePath::new("t")) {
            Ok(trace) => assert!(trace == whole, "byte {at}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 2900, "{refused}");
}

#[test]
fn other_versions_kinds_and_files_are_refused_by_name() {
    let bytes = short();
    let with = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + to.len()].copy_from_slice(to.as_bytes());
        Trace::from_bytes(&changed, FilePath::new("t")).unwrap_err().to_string()
    };
    let old = with(r#"format_version\":7"#, r#"format_version\":6"#);
    assert!(old.contains("expected 7, found 6") && old.contains("record it again"), "{old}");
    assert!(with(r#"\"trace\""#, r#"\"other\""#).contains("expected a trace"));
    assert!(with(r#"dtype"#, r#"dtyqe"#).contains("not a .fwtrace file"));
    let database = common::gait(MirrorMode::Query).to_bytes().unwrap();
    let refused = Trace::from_bytes(&database, FilePath::new("t")).unwrap_err().to_string();
    assert!(refused.contains("expected a trace"), "{refused}");
}

#[test]
fn the_recording_on_record_is_replayed() {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.fwtrace");
    let who = Arc::new(Character::new(common::gait(MirrorMode::Off), MatcherConfig::default()).unwrap());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
        let course = Course::new();
        for k in 0..900 {
            recorder.update(&mut m, &course.at(k, false), DT_S).unwrap();
        }
        recorder.trace().save(&file).unwrap();
        return;
    }
    let replayed = Trace::load(&file).map_err(|e| e.to_string()).and_then(|trace| {
        let mut replay = Replay::new(Arc::new(trace), who, None).map_err(|e| e.to_string())?;
        while replay.step().map_err(|e| e.to_string())? {}
        Ok(replay.updates_done())
    });
    let hint =
        "other motion than on record. Changed on purpose? UPDATE_GOLDEN=1 cargo test -p footwork --test it recorder";
    assert_eq!(replayed, Ok(900), "{hint}");
}

/// Records ten minutes of a random stick at 60 Hz; returns also the size of the file.
fn ten_minutes(db: Arc<Database>, grounded: bool) -> (Arc<Trace>, Observed, usize) {
    let who = Arc::new(Character::new(db, MatcherConfig::default()).unwrap());
    let (mut m, mut recorder) = (matcher(&who), Recorder::new(&who, RecorderConfig::default()));
    let stairs = |at: Vec3| footwork_metrics::ground::GroundKind::Stairs.at(at);
    let mut stick = footwork_metrics::courses::RandomStick::new(7);
    let mut last = Observed::default();
    for k in 0..36_000 {
        // The camera turns all the time, so the input changes in every update.
        let stick = Stick { camera_yaw_rad: 0.001 * k as f32, ..stick.at_row(k) };
        let ground: Option<&footwork::input::GroundHook> = if grounded { Some(&stairs) } else { None };
        let input = MotionInput { ground, ..MotionInput::stick(stick) };
        recorder.update(&mut m, &input, DT_S).unwrap();
    }
    last.see(&m);
    assert_eq!((recorder.lost(), recorder.updates()), (0, 36_000));
    let trace = recorder.trace();
    let bytes = trace.to_bytes().unwrap();
    let trace = Trace::from_bytes(&bytes, FilePath::new("t")).unwrap();
    (Arc::new(trace), last, bytes.len())
}

#[test]
fn ten_minutes_take_less_than_twenty_megabytes_and_are_replayed() {
    let db = common::gait(MirrorMode::Off);
    for grounded in [false, true] {
        let (trace, last, bytes) = ten_minutes(Arc::clone(&db), grounded);
        println!("ten minutes{}: {bytes} bytes", if grounded { " on stairs" } else { "" });
        assert!(bytes < 20_000_000, "{bytes} bytes");
        let who = Arc::new(Character::new(Arc::clone(&db), MatcherConfig::default()).unwrap());
        let mut replay = Replay::new(trace, who, None).unwrap();
        while replay.step().unwrap() {}
        assert_eq!(bits(replay.matcher().state()), last.states[0]);
    }
}
