//! From clips to a moving character, in the order of a user's work: build with custom rules, steer, inspect the result.

use crate::common;

use common::{built, clip, clips, gait, random_stick, unsteered, walk};
use footwork::advanced::search::Verdict;
use footwork::build::{
    BuildConfig, BuildOptions, ClipRule, CostSpec, CurveSpec, EventSpec, SchemaConfig, TagSpec, build,
};
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use footwork::frames::{ClipIndex, RowIndex};
use footwork::input::{Gait, Goal, MotionInput, Path, Stick};
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig};
use footwork::math::{Facing, Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork::schema::{ChannelSpec, ChannelType, FeatureSchema, Preset, SchemaError};
use footwork::skeleton::Skeleton;
use glam::{Vec2, Vec3};
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;

fn character(db: Arc<Database>) -> MotionMatcher {
    MotionMatcher::new(db, MatcherConfig::default()).unwrap()
}

fn rule(name: &str) -> ClipRule {
    ClipRule { name: name.into(), ..Default::default() }
}

fn with_rules(clips: Vec<ClipRule>) -> BuildConfig {
    BuildConfig { clips, ..Default::default() }
}

/// Returns the current distance on the ground between the displayed root and the simulated one, metres.
fn distance(m: &MotionMatcher) -> f32 {
    let apart = m.pose().world_from_root().translation - m.state().header.root.simulation.position;
    Vec3::new(apart.x, 0.0, apart.z).length()
}

/// Returns the mean distance over the 20 scripted seconds, metres.
fn path_error(m: &mut MotionMatcher) -> f32 {
    let mut sum = 0.0;
    for k in 0..1200 {
        m.update(&common::script(f64::from(k) / 60.0), DT_S).unwrap();
        sum += distance(m);
    }
    sum / 1200.0
}

#[test]
fn a_character_follows_the_stick_in_every_mirror_mode() {
    for mirror in [MirrorMode::Off, MirrorMode::Stored, MirrorMode::Query] {
        let mut m = character(gait(mirror));
        let error_m = path_error(&mut m);
        let walked = m.state().header.root.simulation.position.length();
        println!("{mirror:?}: {error_m:.3} m");
        assert!(error_m < 0.15 && walked > 5.0, "{mirror:?}: {error_m} m, {walked} m from the start");
        assert!(m.state().header.transition.count > 20);
    }
}

#[test]
fn a_character_follows_the_stick_with_the_o3de_preset() {
    let schema = SchemaConfig { preset: Some(Preset::O3de), ..Default::default() };
    let (db, report) = built(clips(), &BuildConfig { schema, ..Default::default() });
    assert_eq!(report.columns, 59);
    let error_m = path_error(&mut character(Arc::new(db)));
    assert!(error_m < 0.15, "{error_m}");
}

#[test]
fn the_character_gets_where_a_held_stick_points_at_the_speed_asked_for() {
    let mut m = character(gait(MirrorMode::Off));
    for (direction, gait, speed) in
        [(Vec3::Z, Gait::Walk, 1.75), (Vec3::new(0.8, 0.0, -0.6), Gait::Run, 4.0), (-Vec3::X, Gait::Walk, 1.75)]
    {
        let input = MotionInput::stick(Stick::towards(direction, gait));
        for _ in 0..180 {
            m.update(&input, DT_S).unwrap();
        }
        let from = m.pose().world_from_root().translation;
        for _ in 0..120 {
            m.update(&input, DT_S).unwrap();
        }
        let root = m.pose().world_from_root();
        let velocity = (root.translation - from) / 2.0;
        assert!((velocity - direction * speed).length() < 0.15, "{velocity} for {}", direction * speed);
        let facing = Facing::from_rotation(root.rotation).direction();
        assert!(facing.dot(direction) > 0.95, "faces {facing}, asked for {direction}");
    }
}

#[test]
fn a_user_channel_takes_its_values_from_a_closure_and_steers_the_search() {
    let left = |clip: &str, _: f64, out: &mut [f32]| out[0] = if clip.ends_with("_left") { 1.0 } else { 0.0 };
    let options = BuildOptions { user: vec![("left".into(), &left)], ..Default::default() };
    let schema = SchemaConfig {
        preset: Some(Preset::Holden),
        channels: vec![ChannelSpec::user("left", 1, 30.0)],
        ..Default::default()
    };
    let (db, _) = build(clips(), &BuildConfig { schema, ..Default::default() }, &options).unwrap();
    let mut m = character(Arc::new(db));
    for wanted in [1.0, 0.0] {
        for k in 0..600 {
            let input = MotionInput { user: &[wanted], ..random_stick(1, f64::from(k) / 60.0) };
            m.update(&input, DT_S).unwrap();
            let playing = &m.character().database().unwrap().clips[m.state().header.playback.playing.clip.at()].name;
            assert!(k < 60 || playing.ends_with("_left") == (wanted == 1.0), "{playing} at {wanted}");
        }
    }
}

#[test]
fn a_user_channel_takes_its_values_from_a_curve_and_the_curve_is_seen_at_run_time() {
    let ramp = CurveSpec { name: "height".into(), keys: vec![vec![0.0, 0.0], vec![4.0, 2.0]] };
    let config = BuildConfig {
        schema: SchemaConfig {
            preset: Some(Preset::Holden),
            channels: vec![ChannelSpec::user("height", 1, 0.5)],
            ..Default::default()
        },
        clips: vec![ClipRule { curves: vec![ramp], ..rule("walk_*") }],
        ..Default::default()
    };
    let (db, _) = built(clips(), &config);
    let column = db.schema.columns - 1;
    assert_eq!(db.schema.channels.last().unwrap().label, "height");
    for (i, clip) in db.clips.iter().enumerate() {
        for row in clip.row_range().map(RowIndex::new) {
            let raw = db.features.denormalize(column, db.features.row(row)[column]);
            let time_s = db.row_time_s(row) as f32;
            let expected = if clip.name.starts_with("walk_") { (time_s * 0.5).min(2.0) } else { 0.0 };
            assert!((raw - expected).abs() < 1e-4, "{} at {time_s} s: {raw}", clip.name);
            let mut seen = [9.0];
            db.curves_at(ClipIndex::new(i), f64::from(time_s), &mut seen);
            assert!((seen[0] - expected).abs() < 1e-4);
        }
    }
    let mut m = character(Arc::new(db));
    m.update(&MotionInput { user: &[0.4], ..walk(Vec3::Z) }, DT_S).unwrap();
    assert_eq!(m.output().curves.len(), 1);
}

#[test]
fn a_user_channel_without_values_is_refused_by_name() {
    let schema = SchemaConfig { channels: vec![ChannelSpec::user("ball", 3, 1.0)], ..Default::default() };
    let e = build(clips(), &BuildConfig { schema, ..Default::default() }, &BuildOptions::default()).unwrap_err();
    assert!(e.to_string().contains("`ball`") && e.to_string().contains("closure"), "{e}");
}

#[test]
fn schemas_that_cannot_be_say_why_and_what_is_near() {
    let skeleton = &clips()[0].skeleton;
    assert_eq!(FeatureSchema::resolve(&[], &[], skeleton, &[]).unwrap_err(), SchemaError::Empty);
    assert!(SchemaError::Empty.to_string().contains("preset"));
    let fails = |channels: Vec<ChannelSpec>, says: &[&str]| {
        let schema = SchemaConfig { channels, ..Default::default() };
        let e = build(clips(), &BuildConfig { schema, ..Default::default() }, &BuildOptions::default())
            .expect_err("a broken schema was built")
            .to_string();
        assert!(says.iter().all(|s| e.contains(s)), "{says:?} are not all in: {e}");
    };
    let of = |kind, joint: &str| ChannelSpec::joint(kind, joint, 1.0);
    fails(vec![of(ChannelType::JointVelocity, "RightFot")], &["channel 0", "RightFot", "`RightFoot`"]);
    let three = ChannelSpec { dimensions: 3, ..ChannelSpec::trajectory(ChannelType::TrajectoryPosition, &[0.5], 1.0) };
    fails(vec![three], &["trajectory position +0.50 s y", "0 in every row", "dimensions = 2"]);
    fails(vec![of(ChannelType::JointPosition, "Root")], &["Root position", "every row"]);
    fails(vec![ChannelSpec { weight: 0.0, ..of(ChannelType::JointPosition, "LeftFoot") }], &["weight"]);
    fails(vec![ChannelSpec::trajectory(ChannelType::TrajectoryFacing, &[0.0], 1.0)], &["0 s"]);
    let lonely = SchemaConfig { channels: vec![of(ChannelType::JointPosition, "LeftFoot")], ..Default::default() };
    let config = BuildConfig { schema: lonely, mirror: MirrorMode::Query, ..Default::default() };
    let e = build(clips(), &config, &BuildOptions::default()).unwrap_err().to_string();
    assert!(e.contains("LeftFoot position") && e.contains("other side"), "{e}");
}

#[test]
fn a_clip_of_another_skeleton_is_named_with_the_difference() {
    let mut stranger = clip("run_400");
    let s = &stranger.skeleton;
    let mut names = s.names().to_vec();
    let hand = names.iter().position(|n| n == "LeftHand").unwrap();
    names[hand] = "LeftHook".into();
    stranger.skeleton = Skeleton::new(names, s.parents().to_vec(), s.rest().to_vec()).unwrap();
    let e = build(&[clip("walk_125"), stranger], &BuildConfig::default(), &BuildOptions::default()).unwrap_err();
    let e = e.to_string();
    assert!(e.contains("`run_400`") && e.contains("`walk_125`") && e.contains("`LeftHand` is missing"), "{e}");
}

#[test]
fn a_discarded_range_cuts_the_clip_and_no_velocity_looks_across() {
    let mut broken = clip("walk_125");
    let joints = broken.skeleton.len();
    // After one and a half seconds the capture continues a hundred metres away.
    for frame in 90..broken.frames() {
        broken.translations[frame * joints].x += 100.0;
    }
    let all = [clip("turn_90_left"), broken.clone(), clip("curve_125_radius_100_left")];
    let fastest = |db: &Database| {
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let mut fastest: f32 = 0.0;
        for (i, c) in db.clips.iter().enumerate() {
            // Between frames as well, and slightly beyond the ends.
            for k in -8..(c.frames as i32 + 8) * 4 {
                let time_s = f64::from(k) / 4.0 / f64::from(db.pose_rate_hz);
                db.view(ClipIndex::new(i), false).sample(time_s, &mut pose, &mut velocity);
                fastest = velocity.linear.iter().map(|v| v.length()).fold(fastest, f32::max);
            }
        }
        fastest
    };
    // The build detects the glitch unless detection is disabled.
    let unmended = |mut config: BuildConfig| {
        config.glitches.enabled = false;
        built(&all, &config).0
    };
    assert!(fastest(&built(&all, &BuildConfig::default()).0) < 8.0);
    assert!(fastest(&unmended(BuildConfig::default())) > 100.0, "the test's take is not broken");
    let db = unmended(with_rules(vec![ClipRule { discard: vec![[1.4, 1.6]], ..rule("walk_125") }]));
    let names: Vec<&str> = db.clips.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["turn_90_left", "walk_125[0.00-1.40]", "walk_125[1.60-4.02]", "curve_125_radius_100_left"]);
    assert!(fastest(&db) < 8.0, "{}", fastest(&db));
    assert!((db.clips[2].source_start_s - 1.6).abs() < 1e-4);
    let reach = |c: usize| db.features.values.iter().skip(c).step_by(db.features.columns).copied();
    let position = db.schema.channels.iter().find(|c| c.label == "trajectory position").unwrap().columns.clone();
    for c in position {
        assert!(reach(c).all(|v| db.features.denormalize(c, v).abs() < 3.0));
    }
}

#[test]
fn moments_that_must_not_be_entered_are_played_but_never_jumped_to() {
    let barred = |name: &str| ClipRule { do_not_enter: vec![[0.6, 1.1], [1.6, 2.0]], ..rule(name) };
    let (db, _) = built(clips(), &with_rules(vec![barred("*")]));
    let inside = |t: f64| (0.6..1.1).contains(&t) || (1.6..2.0).contains(&t);
    let db = Arc::new(db);
    let mut m = character(db.clone());
    let (mut played, mut jumps) = (0, 0);
    // Ten minutes.
    for k in 0..36_000u32 {
        m.update(&random_stick(5, f64::from(k) / 60.0), DT_S).unwrap();
        let playing = m.state().header.playback.playing;
        played += u32::from(inside(playing.time_s));
        if m.output().transitions > 0 {
            jumps += 1;
            let found = m.last_search().unwrap().found.unwrap();
            let entered_s = db.row_time_s(found.row);
            assert!(!inside(entered_s), "entered {} at {entered_s} s", db.clips[playing.clip.at()].name);
        }
    }
    assert!(jumps > 600 && played > 3600, "{jumps} jumps, {played} updates inside");
}

#[test]
fn the_more_a_moment_costs_the_less_often_it_is_jumped_to() {
    let cost = |cost, start_s, end_s| CostSpec { cost, start_s, end_s };
    let inside = |t: f64| (0.5..1.5).contains(&t);
    // Number of transitions in five minutes, and of those into the range.
    let jumps = |costs: Vec<CostSpec>| {
        let db = Arc::new(built(clips(), &with_rules(vec![ClipRule { costs, ..rule("*") }])).0);
        let mut m = character(db.clone());
        let (mut all, mut into) = (0, 0);
        for k in 0..18_000u32 {
            m.update(&random_stick(5, f64::from(k) / 60.0), DT_S).unwrap();
            if m.output().transitions > 0 {
                all += 1;
                into += u32::from(inside(db.row_time_s(m.last_search().unwrap().found.unwrap().row)));
            }
        }
        (all, into)
    };
    let [free, dear, priceless] = [0.0, 20.0, 1e6].map(|c| jumps(vec![cost(c, Some(0.5), Some(1.5))]));
    assert!(free.1 > 100 && dear.1 > 0 && dear.1 * 4 < free.1, "{free:?}, {dear:?}");
    assert!(priceless.0 > 200 && priceless.1 == 0, "{priceless:?}");
}

#[test]
fn costs_of_a_clip_lie_on_its_rows_and_those_of_its_mirror_image_and_add_up() {
    let cost = |cost, start_s, end_s| CostSpec { cost, start_s, end_s };
    let costs = vec![cost(0.25, Some(0.5), Some(1.0)), cost(0.5, Some(0.75), None)];
    let config = BuildConfig { mirror: MirrorMode::Stored, ..with_rules(vec![ClipRule { costs, ..rule("walk_125") }]) };
    let (db, _) = built(clips(), &config);
    for row in 0..db.rows() {
        let t = db.row_time_s(RowIndex::new(row));
        let mut expected = 0.0;
        if ["walk_125", "walk_125 (mirrored)"].contains(&db.clips[db.row_clips[row].at()].name.as_str()) {
            expected = if (0.5..1.0).contains(&t) { 0.25 } else { 0.0 } + if t >= 0.75 { 0.5 } else { 0.0 };
        }
        assert_eq!(db.row_costs[row], expected, "row {row}, {t} s");
    }
    assert_eq!(db.row_costs.iter().filter(|c| **c == 0.75).count(), 2 * 7);
    // If no cost differs from 0, no costs are stored.
    let nothing = vec![cost(0.0, None, None), cost(3.0, Some(1e3), None)];
    let outside = with_rules(vec![ClipRule { costs: nothing[..1].to_vec(), ..rule("walk_125") }]);
    assert!(built(clips(), &outside).0.row_costs.is_empty());
    assert!(
        build(clips(), &with_rules(vec![ClipRule { costs: nothing, ..rule("*") }]), &BuildOptions::default()).is_err()
    );
}

#[test]
fn queries_of_tags_restrict_what_is_jumped_to() {
    let tag = |name: &str, pattern: &str| ClipRule {
        tags: vec![TagSpec { name: name.into(), start_s: Some(0.5), end_s: None }],
        ..rule(pattern)
    };
    let db = Arc::new(built(clips(), &with_rules(vec![tag("tired", "*_left"), tag("tired", "walk_*")])).0);
    for (text, at, what) in [
        ("!tire", 2, "no tag `tire`; the nearest is `tired`"),
        ("tired &", 8, "expected a name"),
        ("tired > 2", 1, "not compared"),
        (&vec!["tired"; 33].join(" | "), 1, "65 names and operators, expected at most 63"),
    ] {
        let e = db.tag_query(text).unwrap_err();
        assert!(e.at == at && e.what.contains(what), "{e}");
    }
    assert!(db.tag_query(&vec!["tired"; 32].join("|")).is_ok());
    for (text, tired) in [("tired", true), ("tired | tired & !tired", true), ("!tired", false)] {
        let tags = db.tag_query(text).unwrap();
        let mut m = character(db.clone());
        let mut jumps = 0;
        for k in 0..3600u32 {
            m.update(&MotionInput { tags, ..random_stick(6, f64::from(k) / 60.0) }, DT_S).unwrap();
            if m.output().transitions > 0 {
                jumps += 1;
                let row = m.last_search().unwrap().found.unwrap().row;
                let name = &db.clips[db.row_clips[row.at()].at()].name;
                let tagged = (name.ends_with("_left") || name.starts_with("walk_")) && db.row_time_s(row) >= 0.5;
                assert_eq!(tagged, tired, "{name} at {} s", db.row_time_s(row));
            }
        }
        assert!(jumps > 50, "{jumps}");
    }
}

#[test]
fn a_loop_keeps_every_frame_but_one_that_repeats_its_first() {
    let (db, _) = built(clips(), &BuildConfig::default());
    for c in clips().iter().filter(|c| c.looping) {
        let frames = db.clips.iter().find(|d| d.name == c.name).unwrap().frames as usize;
        assert_eq!(frames, c.frames(), "{}", c.name);
    }
    // The same loops as exported by many tools, with the first frame repeated at the end.
    let mut closed = clips().to_vec();
    for c in closed.iter_mut().filter(|c| c.looping) {
        let joints = c.skeleton.len();
        c.rotations.extend_from_within(..joints);
        let body: Vec<Vec3> = c.translations[1..joints].to_vec();
        let n = c.frames() - 1;
        let step = c.translations[n / 2 * joints + joints] - c.translations[n / 2 * joints];
        let root = c.translations[(n - 1) * joints] + step;
        c.translations.push(root);
        c.translations.extend(body);
        c.annotations.contacts.iter_mut().for_each(|t| t.on.push(t.on[0]));
    }
    let (again, _) = built(&closed, &BuildConfig::default());
    for (a, b) in again.clips.iter().zip(&db.clips).filter(|(a, _)| a.looping()) {
        assert_eq!(a.frames, b.frames, "{}", a.name);
        let (da, db) = (a.loop_delta.unwrap().translation, b.loop_delta.unwrap().translation);
        assert!((da - db).length() < 0.02, "{}: {da} {db}", a.name);
    }
}

/// Returns a matcher without transitions: every other row costs too much.
fn never_jumps(db: Database) -> MotionMatcher {
    let search = SearchConfig { transition_cost: 1e6, ..Default::default() };
    MotionMatcher::new(Arc::new(db), MatcherConfig { search, ..Default::default() }).unwrap()
}

#[test]
fn a_loop_goes_round_and_fires_its_events_once_each_time() {
    let event = |name: &str, time_s| EventSpec { name: name.into(), time_s };
    let events = vec![event("breath", 2.0), event("blink", 0.0), event("blink", 9.9)];
    let config = with_rules(vec![ClipRule { events, ..rule("idle") }]);
    let idle_and_walk = [clip("idle"), clip("turn_90_left"), clip("curve_125_radius_100_left")];
    let (db, _) = built(&idle_and_walk, &config);
    assert!(db.clips[0].looping());
    let length_s = db.view(ClipIndex(0), false).seconds();
    let mut m = never_jumps(db);
    let start_s = m.state().header.playback.playing.time_s;
    assert_eq!(m.state().header.playback.playing.clip, ClipIndex(0), "a character at rest idles");
    let mut fired = Vec::new();
    let mut r = common::Random(3);
    while m.state().header.clock.time_s < 65.0 {
        m.update(&unsteered(), r.between(0.001, 0.4)).unwrap();
        fired.extend(m.output().events.iter().copied());
        let now_s = m.state().header.clock.time_s;
        assert!(m.output().events.iter().all(|e| e.time_s <= now_s + 1e-4));
        assert_eq!(m.state().header.transition.count, 0);
    }
    let end_s = start_s + m.state().header.clock.time_s;
    assert!(
        m.state().header.playback.playing.time_s <= length_s,
        "time within the clip stays small, or floats lose it"
    );
    assert!(end_s > 6.0 * length_s, "{end_s}");
    let names = m.character().database().unwrap().event_names.clone();
    let mut expected: Vec<(f64, &str)> = Vec::new();
    for round in 0..8 {
        for (at, name) in [(2.0, "breath"), (0.0, "blink"), (f64::from(9.9f32), "blink")] {
            let at_s = at + f64::from(round) * length_s;
            // An event at the start of playback is passed, too.
            if at_s >= start_s && at_s <= end_s {
                expected.push((at_s - start_s, name));
            }
        }
    }
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let seen: Vec<&str> = fired.iter().map(|e| names[e.event.at()].as_str()).collect();
    assert_eq!(seen, expected.iter().map(|e| e.1).collect::<Vec<_>>());
    for (f, e) in fired.iter().zip(&expected) {
        assert!((f.time_s - e.0).abs() < 1e-4, "{f:?} at {e:?}");
    }
}

#[test]
fn events_fire_exactly_when_playback_passes_them_through_all_transitions() {
    let events = [0.1, 0.35, 0.9, 1.3, 2.1].map(|time_s| EventSpec { name: "e".into(), time_s }).to_vec();
    let db = Arc::new(built(clips(), &with_rules(vec![ClipRule { events, ..rule("*") }])).0);
    let mut m = character(db.clone());
    let (mut passed, mut fired) = (0, 0);
    for k in 0..6000u32 {
        let before = m.state().header.playback.playing;
        m.update(&random_stick(8, f64::from(k) / 60.0), DT_S).unwrap();
        let now = m.state().header.playback.playing;
        if m.output().transitions > 0 || db.clips[now.clip.at()].looping() {
            continue;
        }
        let here = db.events.iter().filter(|e| e.clip == now.clip);
        let due = here.filter(|e| before.time_s < f64::from(e.time_s) && f64::from(e.time_s) <= now.time_s).count();
        passed += due;
        fired += m.output().events.len();
        assert_eq!(m.output().events.len(), due, "update {k}");
    }
    assert!(passed == fired && fired > 50, "{fired}");
}

#[test]
fn a_clip_too_short_is_left_out_with_a_warning_and_nothing_but_such_clips_is_an_error() {
    let short = |name: &str| {
        let mut c = clip("walk_125");
        let joints = c.skeleton.len();
        c.name = name.into();
        c.rotations.truncate(12 * joints);
        c.translations.truncate(12 * joints);
        c.annotations = Default::default();
        c
    };
    let mut some = clips().to_vec();
    some.insert(3, short("sneeze"));
    let (db, report) = built(&some, &BuildConfig::default());
    assert_eq!(db.clips.len(), clips().len());
    assert!(db.clips.iter().all(|c| c.name != "sneeze"));
    assert_eq!(report.skipped.len(), 1);
    assert!(report.warnings.iter().any(|w| w.contains("`sneeze`") && w.contains("0.34 s")), "{:?}", report.warnings);
    let e =
        build(&[short("a"), short("b")], &BuildConfig::default(), &BuildOptions::default()).unwrap_err().to_string();
    assert!(e.contains("no clip can be used") && e.contains("`a`") && e.contains("`b`"), "{e}");
}

#[test]
fn with_nobody_steering_the_clip_goes_on_as_it_was_captured() {
    let db = gait(MirrorMode::Off);
    let mut m = character(db.clone());
    for _ in 0..300 {
        m.update(&walk(Vec3::Z), DT_S).unwrap();
    }
    for _ in 0..600 {
        let before = m.state().header.playback.playing;
        m.update(&unsteered(), DT_S).unwrap();
        assert!(distance(&m) < 1e-4, "the simulation goes where the animation goes");
        if m.output().searches > 0 && m.output().transitions == 0 {
            let cost = m.last_search().unwrap().continuing.unwrap().cost;
            assert!(cost < 1e-9, "what is asked for is the clip's own future, not {cost} away from it");
        }
        // A transition is needed only where a clip ends.
        let clip = &db.clips[before.clip.at()];
        let left_s = db.view(before.clip, before.mirrored).seconds() - before.time_s;
        let ends = !clip.looping() && left_s < 3.0 * f64::from(DT_S);
        assert!(m.output().transitions == 0 || ends, "{} was left {left_s} s before its end", clip.name);
    }
}

fn content_within(db: &Arc<Database>, keep_playing_within: f32) -> MotionMatcher {
    let search = SearchConfig { keep_playing_within, ..Default::default() };
    MotionMatcher::new(db.clone(), MatcherConfig { search, ..Default::default() }).unwrap()
}

#[test]
fn whoever_is_content_with_anything_jumps_only_where_a_clip_ends() {
    let ending: Vec<RawClip> = clips().iter().filter(|c| !c.looping).cloned().collect();
    let db = Arc::new(built(&ending, &BuildConfig::default()).0);
    let mut m = content_within(&db, 1e6);
    let mut jumps = 0;
    for k in 0..7200u32 {
        let before = m.state().header.playback.playing;
        m.update(&random_stick(4, f64::from(k) / 60.0), DT_S).unwrap();
        let left_s = db.view(before.clip, before.mirrored).seconds() - before.time_s;
        assert_eq!(m.output().searches, m.output().transitions);
        assert!(m.output().transitions == 0 || left_s < 3.0 / 60.0, "{left_s} s were left at {k}");
        jumps += m.output().transitions;
    }
    assert!(jumps > 10, "{jumps}");
}

#[test]
fn what_fits_within_the_tolerance_plays_on_without_a_search() {
    const WITHIN: f32 = 2.0;
    let db = gait(MirrorMode::Query);
    let (mut always, mut content) = (content_within(&db, 0.0), content_within(&db, WITHIN));
    for k in 0..3600u32 {
        let input = random_stick(4, f64::from(k) / 60.0);
        always.update(&input, DT_S).unwrap();
        content.update(&input, DT_S).unwrap();
        if content.output().searches > 0 {
            let cost = content.last_search().unwrap().continuing.map(|c| c.cost);
            assert!(cost.is_none_or(|c| c >= WITHIN), "searched though playing on cost {cost:?}");
        }
    }
    let (always, content) = (always.state().header, content.state().header);
    assert!(
        content.choice.searches * 10 < always.choice.searches * 9,
        "{} of {} searches",
        content.choice.searches,
        always.choice.searches
    );
    assert!(
        content.transition.count * 2 > always.transition.count,
        "{} of {}",
        content.transition.count,
        always.transition.count
    );
    let negative = MatcherConfig {
        search: SearchConfig { keep_playing_within: -1.0, ..Default::default() },
        ..Default::default()
    };
    let refused = MotionMatcher::new(db, negative).unwrap_err();
    assert!(refused.to_string().contains("search.keep_playing_within"), "{refused}");
}

#[test]
fn a_path_is_followed_to_its_end_and_the_character_stands_there() {
    let corners = vec![Vec3::ZERO, Vec3::Z * 6.0, Vec3::new(5.0, 0.0, 9.0), Vec3::new(9.0, 0.0, 4.0)];
    let path = Path::new(corners.clone(), false).unwrap();
    for (db, speed_mps) in [(gait(MirrorMode::Off), 1.75), (common::gait_full(), 3.0)] {
        let mut m = character(db);
        let input = MotionInput { goal: Goal::Path { path: &path, speed_mps }, ..Default::default() };
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 20 {
            m.update(&input, DT_S).unwrap();
            let p = m.pose().world_from_root().translation;
            let near = (0..=400).map(|i| (path.point(path.length_m() * i as f32 / 400.0) - p).length());
            farthest = farthest.max(near.fold(f32::MAX, f32::min));
        }
        let end = corners[corners.len() - 1];
        let simulated = m.state().header.root.simulation.position;
        assert!((simulated - end).length() < 0.05, "simulation ends at {simulated}");
        let root = m.pose().world_from_root().translation;
        assert!((root - end).length() < 0.2, "the character stands at {root}");
        assert!(farthest < 1.0, "{farthest} m off the path");
        for _ in 0..60 {
            m.update(&input, DT_S).unwrap();
        }
        let drift = (m.pose().world_from_root().translation - root).length();
        assert!(drift < 0.05, "it drifts {drift} m in a second");
    }
}

#[test]
fn a_wall_holds_the_simulation_and_nearly_the_character() {
    let wall = |_: Vec3, to: Vec3| Vec3::new(to.x, to.y, to.z.min(2.0));
    let mut m = character(gait(MirrorMode::Off));
    let run = MotionInput::stick(Stick::towards(Vec3::new(0.3, 0.0, 0.95), Gait::Run));
    let input = MotionInput { collide: Some(&wall), ..run };
    for k in 0..600 {
        m.update(&input, DT_S).unwrap();
        assert!(m.state().header.root.simulation.position.z <= 2.0 + 1e-6, "update {k}");
        // The displayed root may exceed the simulated one by the clamp distance, 0.15 m.
        assert!(m.pose().world_from_root().translation.z <= 2.0 + 0.15 + 1e-3, "update {k}");
    }
    assert!(m.state().header.root.simulation.position.z > 1.9, "it did get to the wall");
}

#[test]
fn an_explanation_names_the_match_first_and_its_channels_add_up_to_its_cost() {
    let db = gait(MirrorMode::Query);
    // Not a multiple of the rows' spacing: the playing pose lies between rows, as in most searches.
    let search = SearchConfig { interval_s: 0.07, candidates: 1, ..Default::default() };
    let mut m = MotionMatcher::new(db.clone(), MatcherConfig { search, ..Default::default() }).unwrap();
    assert!(m.explain(5).is_none(), "nothing was searched yet");
    let (mut chosen, mut continued) = (0, 0);
    for k in 0..900u32 {
        m.update(&random_stick(14, f64::from(k) / 60.0), DT_S).unwrap();
        if m.output().searches == 0 || !m.state().header.choice.searches.is_multiple_of(3) {
            continue;
        }
        let (last, e) = (*m.last_search().unwrap(), m.explain(12).unwrap());
        let found = last.found.unwrap();
        assert_eq!(e.rows, 2 * db.rows());
        assert!(e.candidates.is_sorted_by(|a, b| a.cost <= b.cost));
        let first = e.candidates.iter().find(|c| !matches!(c.verdict, Verdict::Excluded(_))).unwrap();
        assert_eq!((first.row, first.cost.to_bits()), (found.row, found.cost.to_bits()), "{first:?} {last:?}");
        chosen += u32::from(first.verdict == Verdict::Chosen);
        continued += u32::from(first.verdict == Verdict::Continued);
        assert_eq!(last.jumped, first.verdict == Verdict::Chosen);
        for c in &e.candidates {
            assert_eq!(c.channels.len(), db.schema.channels.len());
            let sum: f32 = c.channels.iter().map(|c| c.1).sum();
            assert!(
                (sum + c.beside + c.tags - c.cost).abs() < 1e-4 * c.cost.max(1.0),
                "{sum} + {} is not the cost of {c:?}",
                c.beside
            );
            // The playing clip pays no transition cost, except for the rest cost.
            let plays = last.continuing.is_some_and(|m| m.cost.to_bits() == c.cost.to_bits());
            let transition = if plays { 0.0 } else { m.config().search.transition_cost };
            let most = transition + 3.0 * m.config().search.rest_cost;
            assert!((transition..=most).contains(&c.beside), "{c:?}");
        }
    }
    assert!(chosen > 3 && continued > 3, "{chosen} {continued}");
}

#[test]
fn a_teleport_moves_root_and_simulation_and_the_motion_goes_on_as_if_nothing_had_happened() {
    let schema = SchemaConfig { preset: Some(Preset::O3de), ..Default::default() };
    let db = Arc::new(built(clips(), &BuildConfig { schema, ..Default::default() }).0);
    let (mut here, mut there) = (character(db.clone()), character(db));
    let yaw = 1.2;
    let far = Transform::new(Vec3::new(30.0, 0.0, -20.0), Quat::from_rotation_y(yaw));
    let stick = |k: u32, camera_yaw_rad: f32| {
        let movement = [Vec2::Y, Vec2::new(0.7, 0.7), Vec2::ZERO][(k / 70) as usize % 3];
        MotionInput::stick(Stick { movement, camera_yaw_rad, ..Stick::default() })
    };
    for k in 0..97 {
        here.update(&stick(k, 0.0), DT_S).unwrap();
        there.update(&stick(k, 0.0), DT_S).unwrap();
    }
    there.teleport(far * there.pose().world_from_root()).unwrap();
    let bodies = here.pose().rotations[1..].iter().zip(&there.pose().rotations[1..]);
    // Legs are bent in world space, so poses agree up to rounding errors.
    assert!(bodies.clone().all(|(a, b)| a.angle_between(*b) < 1e-3), "the body does not change");
    for k in 97..200 {
        let (a, b) = (far * here.pose().world_from_root(), there.pose().world_from_root());
        assert!((a.translation - b.translation).length() < 2e-3, "update {k}: {} {}", a.translation, b.translation);
        assert!(a.rotation.angle_between(b.rotation) < 5e-3, "update {k}");
        let simulated = far.point(here.state().header.root.simulation.position);
        assert!((simulated - there.state().header.root.simulation.position).length() < 2e-3, "update {k}");
        assert_eq!(here.state().header.playback.playing.clip, there.state().header.playback.playing.clip, "update {k}");
        here.update(&stick(k, 0.0), DT_S).unwrap();
        there.update(&stick(k, yaw), DT_S).unwrap();
        // History and goal, as seen from the character, are the same in both places.
        let (a, b) = [&here, &there].map(|m| m.last_search().unwrap().continuing.map(|c| c.cost)).into();
        let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
        assert!((a - b).abs() < 1e-3 * a.max(1.0), "update {k}: playing on costs {a} here and {b} there");
    }
}

#[test]
fn one_database_serves_many_characters_at_once() {
    let db = common::gait_full();
    let alone = |seed: u64| {
        let mut m = character(db.clone());
        (0..300u32).for_each(|k| drop(m.update(&random_stick(seed, f64::from(k) / 60.0), DT_S).unwrap().clone()));
        common::bits(m.state())
    };
    let expected: Vec<String> = (0..4).map(alone).collect();
    let together: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || alone(seed))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(expected, together);
}

#[test]
fn settings_can_change_in_mid_run_and_a_bad_one_leaves_the_old() {
    let mut m = character(gait(MirrorMode::Off));
    m.update(&walk(Vec3::Z), 0.5).unwrap();
    let mut config = m.config().clone();
    config.responsiveness = f32::NAN;
    let e = m.set_config(config.clone()).unwrap_err().to_string();
    assert!(e.contains("matcher.responsiveness"), "{e}");
    assert_eq!(m.config().responsiveness, 1.0);
    config.responsiveness = 1.0;
    config.channel_cost.insert("LeftFot position".into(), 1.0);
    let e = m.set_config(config.clone()).unwrap_err().to_string();
    assert!(e.contains("LeftFot position") && e.contains("`LeftFoot position`"), "{e}");
    config.channel_cost.clear();
    config.root.mode = footwork::adjust::root::RootMode::Animation;
    m.set_config(config).unwrap();
    for _ in 0..60 {
        m.update(&walk(Vec3::Z), DT_S).unwrap();
        assert!(distance(&m) < 1e-4, "the animation leads");
    }
}

#[test]
fn prepared_clips_are_what_a_build_holds() {
    let clips = clips();
    let (db, _) = build(clips, &BuildConfig::default(), &BuildOptions::default()).unwrap();
    let prepared = BuildConfig::default().prepare(clips).unwrap();
    assert!(!prepared.is_empty());
    for (i, clip) in prepared.iter().enumerate() {
        clip.validate().unwrap();
        let stored = &db.clips[i];
        assert_eq!((&clip.name, clip.frames(), &clip.skeleton), (&stored.name, stored.frames as usize, &db.skeleton));
        let joints = clip.skeleton.len();
        let frames = stored.frame_range();
        assert_eq!(clip.rotations, db.poses.rotations[frames.start * joints..frames.end * joints]);
        for (slot, track) in clip.annotations.contacts.iter().enumerate() {
            let held = db.contacts[frames.start * 2..frames.end * 2].iter().skip(slot).step_by(2);
            assert!(track.on.iter().zip(held).all(|(a, b)| u8::from(*a) == *b), "{}", clip.name);
        }
    }
}
