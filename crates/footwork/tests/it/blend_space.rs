//! Blend spaces at run time, over the built-in loops.
//!
//! Prints the table of foot skate: `cargo test -p footwork --test it skate -- --nocapture`.

use crate::common;

use common::strides::unmarked;
use common::{built, clip};
use footwork::advanced::machine::{BlendMoment, BlendScratch, BlendSpace, BlendState, Synced};
use footwork::advanced::math::atan2;
use footwork::advanced::schema::SourceBuffers;
use footwork::build::{BuildConfig, ClipRule, CurveSpec};
use footwork::clip::{ContactTrack, RawClip};
use footwork::database::{Database, MirrorMode};
use footwork::frames::ClipIndex;
use footwork::machine::blend_space::{BlendSample, BlendSpaceSpec, FromClips, Measure, Sync};
use footwork::math::{Quat, Transform};
use footwork::pose::{Pose, PoseVelocity};
use footwork_gait::{GaitClip, GaitOptions, generate};
use footwork_metrics::metrics::skate::toe_speed_cm_s;
use footwork_metrics::motion::{Motion, SourceFrame, Subject};
use glam::Vec3;
use std::sync::OnceLock;

const WALKS: [&str; 7] = [
    "walk_80_loop",
    "walk_100_loop",
    "walk_125_loop",
    "walk_130_loop",
    "walk_150_loop",
    "walk_175_loop",
    "walk_200_loop",
];
const RUNS: [&str; 5] = ["run_250_loop", "run_320_loop", "run_400_loop", "run_475_loop", "run_550_loop"];
const DT_S: f64 = 1.0 / 60.0;

/// Returns whole strides of a curve as a loop: from the first touch-down of the left foot to the last.
fn turning(source: &GaitClip) -> RawClip {
    let touches = |f: usize| source.truth.contacts[f][0];
    let plants: Vec<usize> = (1..source.truth.contacts.len()).filter(|f| touches(*f) && !touches(f - 1)).collect();
    let (from, to) = (plants[0], plants[plants.len() - 1]);
    let n = source.clip.skeleton.len();
    let cut = |f: usize| f * n;
    RawClip {
        looping: true,
        translations: source.clip.translations[cut(from)..cut(to)].to_vec(),
        rotations: source.clip.rotations[cut(from)..cut(to)].to_vec(),
        ..unmarked(&source.clip)
    }
}

/// Returns a database of all straight loops, an idle, a stop (not a loop), curves as loops, and mirror images.
fn database() -> &'static Database {
    static DB: OnceLock<Database> = OnceLock::new();
    DB.get_or_init(|| {
        let names = WALKS.into_iter().chain(RUNS).chain(["idle", "stop_walk_125_left_foot", "stop_walk_80_left_foot"]);
        let mut clips: Vec<RawClip> = names.map(clip).collect();
        let all = generate(&GaitOptions { routes: false, gestures: true, ..Default::default() });
        let wanted = |c: &&GaitClip| c.clip.name.starts_with("curve_") && c.clip.name.ends_with("_left");
        clips.extend(all.iter().filter(wanted).map(turning));
        clips.extend(all.iter().filter(|c| c.clip.name.starts_with("aim_")).map(|c| c.clip.clone()));
        built(&clips, &BuildConfig { mirror: MirrorMode::Query, ..Default::default() }).0
    })
}

fn spec(parameters: &[&str]) -> BlendSpaceSpec {
    BlendSpaceSpec {
        name: "walks".into(),
        parameters: parameters.iter().map(|p| (*p).to_owned()).collect(),
        samples: Vec::new(),
        from_clips: None,
        sync: Sync::Phase,
        smoothing_half_life_s: 0.1,
        ranges: None,
    }
}

fn by_speed(clips: &[&str]) -> BlendSpaceSpec {
    let clips = clips.iter().map(|c| (*c).to_owned()).collect();
    let from = FromClips { clips, measure: vec![Measure::SpeedMps], both_sides: false };
    BlendSpaceSpec { from_clips: Some(from), ..spec(&["speed"]) }
}

fn by_speed_and_turn() -> BlendSpaceSpec {
    let clips = ["walk_80_loop", "walk_125_loop", "walk_175_loop", "curve_80_*", "curve_125_*", "curve_175_*"];
    let measure = vec![Measure::SpeedMps, Measure::TurnDegps];
    let from = FromClips { clips: clips.map(str::to_owned).to_vec(), measure, both_sides: true };
    BlendSpaceSpec { from_clips: Some(from), ..spec(&["speed", "turn"]) }
}

fn space(spec: &BlendSpaceSpec) -> BlendSpace {
    BlendSpace::new(database(), spec).unwrap_or_else(|e| panic!("{e}"))
}

struct Shown {
    pose: Pose,
    velocity: PoseVelocity,
}

fn shown(moment: &BlendMoment) -> Shown {
    let db = database();
    let mut out = Shown { pose: Pose::rest(&db.skeleton), velocity: PoseVelocity::zero(db.skeleton.len()) };
    moment.pose(&mut BlendScratch::new(db), &mut out.pose, &mut out.velocity);
    out
}

/// Returns the mean and the largest speed of toes over frames labelled as contact, cm/s.
fn skate(motion: &Motion, subject: &Subject) -> [f32; 2] {
    let toes = &subject.contact_joints;
    let (mut sum, mut count, mut most) = (0.0, 0.0, 0.0f32);
    for frame in 1..motion.frames() {
        for (slot, toe) in toes.iter().enumerate() {
            if motion.contacts[frame * toes.len() + slot] != 0 {
                let speed = toe_speed_cm_s(motion, frame, *toe).unwrap_or_default();
                (sum, count, most) = (sum + speed, count + 1.0f32, most.max(speed));
            }
        }
    }
    [sum / count.max(1.0), most]
}

/// Returns the skate of ten seconds at 60 Hz; `at` returns root, pose and contacts at each time. Labels are those of the nearest
/// captured frame, so the result depends on the offset within a frame: this is the mean over several offsets.
fn skate_of(mut at: impl FnMut(f64, &mut Pose, &mut [u8])) -> [f32; 2] {
    const PARTS: usize = 4;
    let db = database();
    let subject = Subject::new(db);
    let (mut pose, mut world) = (Pose::rest(&db.skeleton), Vec::new());
    let mut contacts = vec![0; subject.contact_joints.len()];
    let parts = (0..PARTS).map(|part| {
        let mut motion = Motion::new(db.skeleton.len());
        for frame in 0..600 {
            at((frame as f64 + part as f64 / PARTS as f64) * DT_S, &mut pose, &mut contacts);
            pose.world(&db.skeleton, &mut world);
            motion.push(&subject, &world, &contacts, SourceFrame { clip: ClipIndex(0), frame, mirrored: false });
        }
        skate(&motion, &subject)
    });
    parts.fold([0.0, 0.0], |sum, s| [sum[0] + s[0] / PARTS as f32, sum[1].max(s[1])])
}

fn skate_of_clip(clip: ClipIndex, mirrored: bool) -> [f32; 2] {
    let db = database();
    let mut velocity = PoseVelocity::zero(db.skeleton.len());
    skate_of(|time_s, pose, contacts| {
        db.view(clip, mirrored).sample(time_s, pose, &mut velocity);
        db.contacts_at(clip, mirrored, time_s, contacts);
    })
}

/// A character in a blend space, sampled at any times, with a tick every 60th of a second.
struct Player<'a> {
    space: &'a BlendSpace,
    state: BlendState,
    ticks: u64,
    /// Root at the last tick.
    root: Transform,
}

impl<'a> Player<'a> {
    fn new(space: &'a BlendSpace, parameters: [f32; 2]) -> Self {
        Self { space, state: space.enter(parameters, 0.0), ticks: 0, root: Transform::IDENTITY }
    }

    /// Returns the blended clip and its root at a time later than the last one. `target` returns the parameters at the time of a
    /// tick.
    fn at(&mut self, time_s: f64, target: impl Fn(f64) -> [f32; 2]) -> (BlendMoment<'a>, Transform) {
        while (self.ticks + 1) as f64 * DT_S <= time_s + 1e-9 {
            self.ticks += 1;
            self.root = self.root * self.space.at(database(), &self.state, 0.0).way_to(DT_S);
            self.space.tick(&mut self.state, DT_S, target(self.ticks as f64 * DT_S));
        }
        let elapsed_s = time_s - self.ticks as f64 * DT_S;
        let way = self.space.at(database(), &self.state, 0.0).way_to(elapsed_s);
        (self.space.at(database(), &self.state, elapsed_s), self.root * way)
    }
}

fn skate_of_blend(space: &BlendSpace, parameters: [f32; 2]) -> [f32; 2] {
    let mut room = BlendScratch::new(database());
    let mut velocity = PoseVelocity::zero(database().skeleton.len());
    let mut player = Player::new(space, parameters);
    skate_of(|time_s, pose, contacts| {
        if time_s < DT_S {
            player = Player::new(space, parameters);
        }
        let (moment, root) = player.at(time_s, |_| parameters);
        moment.pose(&mut room, pose, &mut velocity);
        pose.set_world_from_root(root);
        moment.contacts(contacts);
    })
}

/// Prints the skate of the blend and the largest skate of its sources at each position. Returns the largest difference.
fn skate_table(title: &str, space: &BlendSpace, places: &[[f32; 2]]) -> f32 {
    let samples = space.syncs();
    let own: Vec<[f32; 2]> = samples.iter().map(|s| skate_of_clip(s.clip, s.mirrored)).collect();
    println!("{title}: place; skate, max; of sources; worse by (cm/s)");
    let mut worst = f32::NEG_INFINITY;
    for place in places {
        let sources = |i: usize| space.weights(*place).iter().map(|(k, _)| own[k][i]).fold(0.0, f32::max);
        let ([mean, most], [own_mean, own_most]) = (skate_of_blend(space, *place), [sources(0), sources(1)]);
        let worse = mean - own_mean;
        println!(
            "{:6.2} {:6.1}  {mean:6.2} {most:6.1}  {own_mean:6.2} {own_most:6.1}  {worse:6.2}",
            place[0], place[1]
        );
        worst = worst.max(worse);
    }
    worst
}

fn line(from: f32, to: f32, n: usize) -> Vec<[f32; 2]> {
    (0..=n).map(|k| [from + (to - from) * k as f32 / n as f32, 0.0]).collect()
}

/// Maximum skate of a blend above the largest of its sources, cm/s.
const MORE_SKATE_CM_S: f32 = 0.5;

#[test]
fn skate_between_neighbours_is_that_of_the_sources() {
    let walks = skate_table("walks", &space(&by_speed(&WALKS)), &line(0.8, 2.0, 24));
    let far = skate_table("two walks", &space(&by_speed(&["walk_80_loop", "walk_200_loop"])), &line(0.8, 2.0, 6));
    let runs = skate_table("runs", &space(&by_speed(&RUNS)), &line(2.5, 5.5, 12));
    let turn_rates = [-60.0, -40.0, -20.0, 0.0, 10.0, 30.0, 50.0];
    let places: Vec<[f32; 2]> =
        [0.8, 1.0, 1.25, 1.5, 1.75].iter().flat_map(|v| turn_rates.map(|rate| [*v, rate])).collect();
    let turns = skate_table("turns", &space(&by_speed_and_turn()), &places);
    println!("worse by at most: walks {walks:.2}, two walks {far:.2}, runs {runs:.2}, turns {turns:.2}");
    assert!([walks, far, runs, turns].into_iter().all(|worse| worse < MORE_SKATE_CM_S));
}

#[test]
fn skate_between_a_walk_and_a_run_is_that_of_the_sources() {
    let space = space(&by_speed(&["walk_200_loop", "run_250_loop"]));
    let worse = skate_table("walk to run", &space, &line(2.0, 2.5, 5));
    assert!(worse < MORE_SKATE_CM_S, "{worse}");
}

/// Twelve positions between clips of all speeds and turn rates, including the fastest turning run.
#[test]
fn skate_in_a_plane_of_walks_and_runs_is_that_of_the_sources() {
    let clips = ["walk_*_loop", "run_*_loop", "curve_*"];
    let measure = vec![Measure::SpeedMps, Measure::TurnDegps];
    let from = FromClips { clips: clips.map(str::to_owned).to_vec(), measure, both_sides: true };
    let space = space(&BlendSpaceSpec { from_clips: Some(from), ..spec(&["speed", "turn"]) });
    let places = [
        [0.9, 10.0],
        [1.2, -35.0],
        [1.4, 60.0],
        [1.6, 0.0],
        [1.9, 25.0],
        [2.2, -20.0],
        [2.4, 0.0],
        [2.8, 45.0],
        [3.1, -70.0],
        [3.5, 15.0],
        [3.7, 82.0],
        [4.4, -30.0],
    ];
    let worse = skate_table("plane", &space, &places);
    assert!(worse < MORE_SKATE_CM_S, "{worse}");
}

/// In a walk both feet are on the ground between heel strike and toe-off; in a run they are not, and they lift in another order.
/// Touch-downs only are aligned between walks and runs; all markers are aligned among walks and among runs.
#[test]
fn feet_that_lift_in_another_order_are_joined_by_touch_downs() {
    let all = generate(&GaitOptions { routes: false, ..Default::default() });
    let names = ["walk_80_loop", "walk_125_loop", "run_320_loop", "run_400_loop"];
    let clips = names.map(|name| {
        let source = all.iter().find(|c| c.clip.name == name).unwrap();
        let track = |side: usize, joint: &str| ContactTrack {
            joint: joint.into(),
            on: source.truth.touching.iter().map(|t| t[side]).collect(),
        };
        let mut clip = source.clip.clone();
        clip.annotations.contacts = vec![track(0, "LeftToe"), track(1, "RightToe")];
        clip
    });
    let db = built(&clips, &BuildConfig::default()).0;
    let space = BlendSpace::new(&db, &by_speed(&names)).unwrap();
    let (syncs, notes) = (space.syncs(), space.warnings());
    assert!(syncs.iter().all(|s| s.by == Synced::PlantsAndLifts), "{syncs:?}");
    assert_eq!(syncs.iter().map(|s| s.group).collect::<Vec<_>>(), [Some(0), Some(0), Some(1), Some(1)]);
    assert!(notes.len() == 1 && notes[0].contains("2 different orders"), "{:?}", notes);
    // In every blend, left feet touch down at whole phases and right feet at half phases.
    let feet = space.feet().unwrap();
    for speed in [0.8, 1.0, 1.25, 1.6, 2.4, 3.0, 3.2, 3.7] {
        for (slot, phase) in feet.into_iter().zip([0.0, 0.5]) {
            let touches = |phase: f64| {
                let mut contacts = [0; 2];
                space.at(&db, &space.enter([speed, 0.0], phase), 0.0).contacts(&mut contacts);
                contacts[slot] == 1
            };
            assert!(!touches(phase + 0.995) && touches(phase + 0.005), "{speed} m/s, slot {slot}");
        }
    }
}

#[test]
fn a_sample_plays_as_its_clip() {
    let db = database();
    let space = space(&by_speed_and_turn());
    for s in space.syncs() {
        assert_eq!(s.by, Synced::PlantsAndLifts);
        let view = db.view(s.clip, s.mirrored);
        let mut state = space.enter(s.at, 0.0);
        let start_s = space.at(db, &state, 0.0).leader().time_s;
        let mut expected = shown(&space.at(db, &state, 0.0));
        let mut root = Transform::IDENTITY;
        for tick in 0..200 {
            let moment = space.at(db, &state, 0.004);
            let time_s = start_s + f64::from(tick) * DT_S + 0.004;
            let (playing, now) = (moment.leader(), shown(&moment));
            assert_eq!((playing.clip, playing.mirrored), (s.clip, s.mirrored));
            assert!((playing.time_s - time_s.rem_euclid(view.seconds())).abs() < 1e-6, "{} {time_s}", playing.time_s);
            view.sample(time_s, &mut expected.pose, &mut expected.velocity);
            for j in 1..db.skeleton.len() {
                let off = now.pose.rotations[j].angle_between(expected.pose.rotations[j]);
                assert!(off < 1e-4 && now.pose.translations[j].distance(expected.pose.translations[j]) < 1e-5);
                assert!(now.velocity.angular[j].distance(expected.velocity.angular[j]) < 2e-2);
            }
            let first = view.root(start_s).0;
            let here = root * space.at(db, &state, 0.0).way_to(0.004);
            assert!((first * here).translation.distance(view.root(time_s).0.translation) < 1e-3, "tick {tick}");
            assert!(now.velocity.linear[0].distance(view.root(time_s).1) < 1e-4);
            let (mut contacts, mut own) = ([0; 2], [0; 2]);
            moment.contacts(&mut contacts);
            db.contacts_at(s.clip, s.mirrored, playing.time_s, &mut own);
            assert_eq!(contacts, own);
            for slot in 0..2 {
                let (a, b) = (moment.next_contact_s(slot), db.next_contact_s(s.clip, s.mirrored, slot, playing.time_s));
                let half_frame = 0.5 * DT_S as f32 + 1e-3;
                assert!(a.0 == b.0 || (a.0 - b.0).abs() <= half_frame || a.0.max(b.0) > 0.49, "{a:?} {b:?}");
            }
            let ahead = moment.trajectory(0.7);
            let (position, _, velocity) = view.trajectory(time_s, 0.7);
            assert!(ahead.position.distance(position) < 1e-3 && ahead.velocity.distance(velocity) < 1e-3);
            root = root * space.at(db, &state, 0.0).way_to(DT_S);
            space.tick(&mut state, DT_S, s.at);
        }
    }
}

/// Positions inside the space, away from its samples.
const BETWEEN: [[f32; 2]; 4] = [[1.1, 20.0], [1.5, -25.0], [0.9, 45.0], [1.7, 60.0]];

#[test]
fn velocities_are_the_change_of_poses_and_of_the_root() {
    let db = database();
    let space = space(&by_speed_and_turn());
    for (place, target) in BETWEEN.into_iter().zip([[1.1, 20.0], [0.9, 30.0], [1.3, -10.0], [1.7, 60.0]]) {
        let mut state = space.enter(place, 0.3);
        for tick in 0..90 {
            let h = 1e-3;
            let [a, now, b] = [0.008 - h, 0.008, 0.008 + h].map(|e| space.at(db, &state, e));
            let (before, after) = (shown(&a), shown(&b));
            for j in 1..db.skeleton.len() {
                let turn =
                    after.pose.rotations[j].towards(before.pose.rotations[j]) * before.pose.rotations[j].inverse();
                let rate = turn.to_rotation_vector() / (2.0 * h as f32);
                // At markers the pace of the clips changes, so the velocity lies between the two values.
                let (v0, v1) = (before.velocity.angular[j], after.velocity.angular[j]);
                let off = rate.distance(v0.lerp(v1, 0.5)) - 0.5 * v0.distance(v1);
                assert!(off < 0.05 + 0.02 * rate.length(), "tick {tick} joint {j}: {off} of {rate}");
            }
            let way = a.way_to(0.008 + h);
            let (linear, angular) = now.root_velocity();
            assert!((way.translation / (2.0 * h as f32)).distance(linear) < 0.02);
            assert!((way.rotation.to_rotation_vector() / (2.0 * h as f32)).distance(angular) < 0.03);
            space.tick(&mut state, DT_S, target);
        }
    }
}

#[test]
fn ways_add_up_and_the_trajectory_is_where_the_root_will_be() {
    let db = database();
    let plane = space(&by_speed_and_turn());
    // The turn rate grows with the speed: here the order of moving and turning matters most.
    let faster_turns = space(&by_speed(&["walk_80_loop", "curve_175_radius_100_left"]));
    let cases = BETWEEN.map(|place| (&plane, place)).into_iter().chain([(&faster_turns, [1.3, 0.0])]);
    for (space, place) in cases {
        let mut player = Player::new(space, place);
        let (start, _) = player.at(0.4, |_| place);
        let from = player.at(0.4, |_| place).1;
        let (start_state, start_elapsed_s) = (player.state, 0.4 - player.ticks as f64 * DT_S);
        let expected = start.trajectory(1.0);
        let (end, to) = player.at(1.4, |_| place);
        let way = from.inverse() * to;
        assert!(way.translation.distance(expected.position) < 2e-3, "{way:?} {expected:?}");
        assert!(way.rotation.forward().distance(expected.facing.direction()) < 1e-3);
        let back = end.trajectory(-1.0);
        assert!((to.inverse() * from).translation.distance(back.position) < 2e-3);
        // The integral of the root's velocity.
        let (mut summed, mut yaw_rad, steps, dt_s) = (Vec3::ZERO, 0.0, 2000, 1.0 / 2000.0);
        for k in 0..steps {
            let moment = space.at(db, &start_state, start_elapsed_s + (f64::from(k) + 0.5) * dt_s);
            let (linear, angular) = moment.root_velocity();
            let half_rad = angular.y * (0.5 * dt_s as f32);
            summed += Quat::from_rotation_y(yaw_rad + half_rad) * linear * dt_s as f32;
            yaw_rad += 2.0 * half_rad;
        }
        assert!(way.translation.distance(summed) < 5e-4, "{}", way.translation.distance(summed));
        // One stride takes the reported time.
        let state = space.enter(place, 0.25);
        let later = space.at(db, &state, space.cycle_s(place));
        assert!((later.phase() - 1.25).abs() < 0.05, "{}", later.phase());
        let parts = (0..8).fold(Transform::IDENTITY, |way, k| {
            way * space.at(db, &state, f64::from(k) * 0.002).way_to(f64::from(k + 1) * 0.002)
        });
        let whole = space.at(db, &state, 0.0).way_to(0.016);
        assert!(parts.translation.distance(whole.translation) < 1e-6);
    }
}

/// Returns a stick that sweeps over the space.
fn sweep(time_s: f64) -> [f32; 2] {
    let t = time_s as f32;
    [1.3 + 0.6 * footwork::advanced::math::sin(2.1 * t), 60.0 * footwork::advanced::math::sin(1.3 * t)]
}

#[test]
fn the_frame_rate_does_not_matter() {
    let space = space(&by_speed_and_turn());
    let run = |rate_hz: u32| {
        let mut player = Player::new(&space, sweep(0.0));
        let mut at_common = Vec::new();
        for frame in 1..=rate_hz * 4 {
            let (moment, root) = player.at(f64::from(frame) / f64::from(rate_hz), sweep);
            // A sixth of a second is a whole number of frames at each rate.
            if frame % (rate_hz / 6) == 0 {
                let now = shown(&moment);
                at_common.push((now.pose, now.velocity, root, player.state));
            }
        }
        at_common
    };
    let (a, b, c) = (run(30), run(60), run(144));
    assert_eq!(a.len(), 24);
    for ((a, b), c) in a.iter().zip(&b).zip(&c) {
        for other in [b, c] {
            assert_eq!(a.3, other.3);
            for j in 1..a.0.len() {
                assert!(a.0.rotations[j].angle_between(other.0.rotations[j]) < 1e-5);
            }
            assert!(a.2.translation.distance(other.2.translation) < 1e-6);
        }
    }
}

#[test]
fn poses_have_no_steps_at_ticks_while_parameters_move() {
    let db = database();
    let space = space(&by_speed_and_turn());
    let mut state = space.enter([0.8, -70.0], 0.0);
    for _ in 0..60 {
        let before = shown(&space.at(db, &state, DT_S));
        space.tick(&mut state, DT_S, [1.75, 90.0]);
        let after = shown(&space.at(db, &state, 0.0));
        for j in 1..db.skeleton.len() {
            assert!(before.pose.rotations[j].angle_between(after.pose.rotations[j]) < 2e-4, "joint {j}");
        }
    }
    assert!((state.parameters[0] - 1.75).abs() < 1e-3);
}

#[test]
fn every_moment_of_the_leader_passes_once() {
    let db = database();
    let space = space(&by_speed(&WALKS));
    // An event at each of these times of the clip, some at the end of the loop.
    for place in [[1.25, 0.0], [1.4, 0.0], [1.93, 0.0]] {
        let mut state = space.enter(place, 0.0);
        let seconds = space.at(db, &state, 0.0).leader_span(0.0).seconds;
        let events: Vec<f64> = (0..500).map(|k| seconds * f64::from(k) / 500.0).collect();
        let mut fired = vec![0u32; events.len()];
        let (mut rounds, mut last_s) = (0, None);
        for tick in 0..2000 {
            for (from, to) in [(0.0, 0.007), (0.007, DT_S)] {
                let span = space.at(db, &state, from).leader_span(to);
                assert!(last_s.is_none_or(|last| last == span.from_s), "tick {tick}: {last_s:?} {span:?}");
                last_s = Some(span.to_s);
                rounds += span.rounds;
                for (from_s, to_s) in span.parts() {
                    let passed = events.iter().zip(&mut fired).filter(|(e, _)| (from_s..to_s).contains(*e));
                    passed.for_each(|(_, n)| *n += 1);
                }
            }
            space.tick(&mut state, DT_S, place);
        }
        assert!(rounds > 5 && fired.iter().all(|n| (rounds..=rounds + 1).contains(n) || *n + 1 == rounds), "{rounds}");
        let (least, most) = (fired.iter().min().unwrap(), fired.iter().max().unwrap());
        assert!(most - least <= 1, "{least} {most}");
    }
    // Several cycles in one span.
    let state = space.enter(space.syncs()[2].at, 0.0);
    let span = space.at(db, &state, 0.0).leader_span(9.0);
    let total: f64 = span.parts().map(|(from, to)| to - from).sum();
    assert!(span.rounds >= 1 && (total - 9.0).abs() < 1e-6, "{span:?}");
}

#[test]
fn the_phase_is_found_by_the_feet() {
    let db = database();
    let space = space(&by_speed_and_turn());
    let feet = space.feet().unwrap();
    for place in BETWEEN {
        for k in 0..20 {
            let phase = f64::from(k) * 0.05 + 0.013;
            let moment = space.at(db, &space.enter(place, phase), 0.0);
            let found = space.phase_for_contacts(db, place, feet.map(|slot| moment.next_contact_s(slot)));
            let off = (found - phase + 0.5).rem_euclid(1.0) - 0.5;
            assert!(off.abs() < 0.02, "{phase} {found} at {place:?}");
        }
    }
    // A transition from another clip: the feet of a faster walk.
    let other = footwork::frames::ClipIndex::new(db.clips.iter().position(|c| c.name == "walk_150_loop").unwrap());
    for k in 0..60 {
        let wanted = feet.map(|slot| db.next_contact_s(other, false, slot, f64::from(k) * 0.05));
        let phase = space.phase_for_contacts(db, [1.25, 0.0], wanted);
        let moment = space.at(db, &space.enter([1.25, 0.0], phase), 0.0);
        for (slot, wanted) in feet.into_iter().zip(wanted) {
            let (starts_s, lasts_s) = moment.next_contact_s(slot);
            assert!((starts_s.min(0.5) - wanted.0.min(0.5)).abs() < 0.1, "{k} {wanted:?} {starts_s}");
            if starts_s.is_finite() && wanted.0.is_finite() {
                assert!((starts_s + lasts_s - wanted.0 - wanted.1).abs() < 0.16, "{k} {wanted:?} {lasts_s}");
            }
        }
    }
}

#[test]
fn memory_gives_the_state_back() {
    let space = space(&by_speed_and_turn());
    let mut state = space.enter([1.0, 10.0], 0.77);
    for tick in 0..3000 {
        space.tick(&mut state, DT_S, sweep(f64::from(tick) * DT_S));
        let mut memory = [f32::NAN; BlendState::MEMORY];
        state.write(&mut memory);
        assert_eq!(BlendState::read(&memory), state);
        assert!(space.is_state(&state));
    }
    assert!(!space.is_state(&BlendState { phase: space.strides(), ..state }));
    assert!(!space.is_state(&BlendState { phase: f64::NAN, ..state }));
    assert!(!space.is_state(&BlendState { velocity: [f32::NAN, 0.0], ..state }));
}

#[test]
fn features_are_those_of_the_clip_at_a_sample() {
    let db = database();
    let space = space(&by_speed(&WALKS));
    let buffers = || SourceBuffers::new(&db.schema, &db.skeleton, db.rig.contact_joints.len());
    let (mut own, mut of_clip) = (buffers(), buffers());
    let sample = &space.syncs()[2];
    for k in 0..40 {
        let moment = space.at(db, &space.enter(sample.at, 0.0), f64::from(k) * 0.05);
        moment.features(&mut BlendScratch::new(db), true, &mut own);
        of_clip.gather_body(&db.view(sample.clip, false), moment.leader().time_s, true);
        for j in 1..db.skeleton.len() {
            assert!(own.motion.positions[j].distance(of_clip.motion.positions[j]) < 1e-4);
            assert!(own.motion.velocities[j].distance(of_clip.motion.velocities[j]) < 1e-2);
            let most = of_clip.accelerations[j].length();
            assert!(own.accelerations[j].distance(of_clip.accelerations[j]) < 0.5 + 0.02 * most, "{j}");
        }
    }
}

#[test]
fn curves_are_weighted_means() {
    let loudness = |value: f32| CurveSpec { name: "loudness".into(), keys: vec![vec![0.0, value], vec![9.0, value]] };
    let rule =
        |name: &str, value: f32| ClipRule { name: name.into(), curves: vec![loudness(value)], ..Default::default() };
    let clips = vec![rule("walk_80_loop", 2.0), rule("walk_100_loop", 10.0)];
    let names = ["walk_80_loop", "walk_100_loop"];
    let db = built(&names.map(clip), &BuildConfig { clips, ..Default::default() }).0;
    let space = BlendSpace::new(&db, &by_speed(&names)).unwrap();
    let (mut room, mut out) = (BlendScratch::new(&db), [f32::NAN]);
    for (speed, expected) in [(0.0, 2.0), (0.85, 4.0), (0.9, 6.0), (1.0, 10.0)] {
        space.at(&db, &space.enter([speed, 0.0], 0.3), 0.01).curves(&mut room, &mut out);
        assert!((out[0] - expected).abs() < 1e-3, "{speed} {out:?}");
    }
}

#[test]
fn a_sample_that_stands_goes_along_at_its_own_pace() {
    let db = database();
    let space = space(&by_speed(&["idle", "walk_80_loop"]));
    let (syncs, notes) = (space.syncs(), space.warnings());
    assert_eq!((syncs[0].by, syncs[1].by), (Synced::Evenly, Synced::PlantsAndLifts));
    assert!(notes.len() == 1 && notes[0].contains("`idle`"), "{:?}", notes);
    // The walk gets slower, but the duration of its strides stays about the same.
    let walk_s = space.cycle_s([0.8, 0.0]);
    assert!((space.cycle_s([0.2, 0.0]) / walk_s - 1.0).abs() < 0.1);
    let speed = space.at(db, &space.enter([0.4, 0.0], 0.0), 0.0).trajectory(walk_s as f32 * 4.0).position.length();
    assert!((speed / (walk_s as f32 * 4.0) - 0.4).abs() < 0.05, "{speed}");
    // Feet touch where at least half of the weight is in contact: standing feet always touch.
    let steps = |speed: f32| {
        let lifted = (0..100).filter(|k| {
            let mut contacts = [0; 2];
            space.at(db, &space.enter([speed, 0.0], f64::from(*k) * 0.01), 0.0).contacts(&mut contacts);
            contacts != [1, 1]
        });
        lifted.count()
    };
    assert_eq!((steps(0.2), steps(0.6) > 50, steps(0.6) == steps(0.8)), (0, true, true));
}

#[test]
fn aims_are_blended_without_a_phase() {
    let db = database();
    let aim =
        |clip: &str, yaw: f32, pitch: f32| BlendSample { clip: clip.into(), at: vec![yaw, pitch], mirrored: false };
    let mut samples = Vec::new();
    for (name, pitch) in [("up_40", -40.0), ("level", 0.0), ("down_40", 40.0)] {
        samples.push(aim(&format!("aim_{name}_yaw_0"), 0.0, pitch));
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            for yaw in [35.0, 70.0] {
                samples.push(aim(&format!("aim_{name}_yaw_{yaw}_{side}"), sign * yaw, pitch));
            }
        }
    }
    let spec = BlendSpaceSpec { samples, sync: Sync::None, ..spec(&["yaw", "pitch"]) };
    let space = space(&spec);
    let mut state = space.enter([10.0, 5.0], 0.0);
    let start = shown(&space.at(db, &state, 0.0));
    for _ in 0..300 {
        space.tick(&mut state, DT_S, [-50.0, 20.0]);
        assert!(space.is_state(&state));
    }
    let moment = space.at(db, &state, 0.0);
    assert!((moment.phase() - 5.0).abs() < 1e-3 && moment.root_velocity().0.length() < 1e-4);
    let head = db.rig.joint(&db.skeleton, "head").unwrap();
    let turn = |pose: &Pose| pose.in_root(&db.skeleton, head).rotation;
    assert!(turn(&start.pose).angle_between(turn(&shown(&moment).pose)).to_degrees() > 25.0);
}

#[test]
fn a_lean_into_a_turn_is_that_of_its_speed_and_turn() {
    let clips = ["walk_125_loop", "run_400_loop", "curve_400_radius_250_left", "curve_400_radius_400_left"];
    let clips = clips.map(str::to_owned).to_vec();
    let from = FromClips { clips, measure: vec![Measure::SpeedMps, Measure::BankDeg], both_sides: true };
    let space = space(&BlendSpaceSpec { from_clips: Some(from), ..spec(&["speed_mps", "bank_deg"]) });
    for s in space.syncs() {
        let name = &database().clips[s.clip.at()].name;
        // Tangent of the lean: v^2 over radius and gravity.
        let radius_m = name.split("radius_").nth(1).map(|r| r[..3].parse::<f32>().unwrap() / 100.0);
        let expected = radius_m.map_or(0.0, |r| atan2(s.at[0] * s.at[0], r * 9.81).to_degrees());
        let expected = if s.mirrored { -expected } else { expected };
        assert!((s.at[1] - expected).abs() < 0.06 * expected.abs() + 0.5, "{name}: {} {expected}", s.at[1]);
    }
}

#[test]
fn clips_that_end_are_joined_by_their_share_of_time() {
    let db = database();
    let stops = [("stop_walk_80_left_foot", 0.8), ("stop_walk_125_left_foot", 1.25)];
    let samples = stops.map(|(clip, at)| BlendSample { clip: clip.into(), at: vec![at], mirrored: false }).to_vec();
    let space = space(&BlendSpaceSpec { samples, sync: Sync::Time, ..spec(&["speed"]) });
    let mut state = space.enter([1.0, 0.0], 0.0);
    let (cycle_s, ticks) = (space.cycle_s([1.0, 0.0]), 600);
    for _ in 0..ticks {
        space.tick(&mut state, DT_S, [1.0, 0.0]);
    }
    assert!(space.strides().is_infinite() && space.is_state(&state));
    assert!((state.phase - f64::from(ticks) * DT_S / cycle_s).abs() < 1e-4);
    let span = space.at(db, &space.enter([1.0, 0.0], 0.0), 0.0).leader_span(cycle_s);
    assert!(span.from_s == 0.0 && (span.to_s - span.seconds).abs() < 1e-6 && span.rounds == 0, "{span:?}");
    // The character stays where it stopped.
    assert!(space.at(db, &state, 0.0).root_velocity().0.length() < 0.02);
}

#[test]
fn what_is_wrong_is_said() {
    let at = |clip: &str, at: &[f32]| BlendSample { clip: clip.into(), at: at.to_vec(), mirrored: false };
    let samples = |samples: Vec<BlendSample>| BlendSpaceSpec { samples, ..spec(&["speed"]) };
    let plane = |samples: Vec<BlendSample>| BlendSpaceSpec { samples, ..spec(&["speed", "turn"]) };
    let (walk, run) = (at("walk_80_loop", &[0.8]), at("run_250_loop", &[2.5]));
    let both = || vec![walk.clone(), run.clone()];
    let from = |clips: &[&str]| by_speed(clips);
    let cases = [
        (
            samples(vec![walk.clone(), at("walk_801_loop", &[2.0])]),
            "no clip is named `walk_801_loop`; the nearest is `walk_80_loop`",
        ),
        (samples(vec![walk.clone()]), "1 samples: 1 parameters take 2 or more"),
        (samples(vec![walk.clone(), at("run_250_loop", &[0.8])]), "are at one place"),
        (samples(vec![walk.clone(), at("run_250_loop", &[f32::NAN])]), "`at` is [NaN]"),
        (samples(vec![walk.clone(), at("stop_walk_80_left_foot", &[2.0])]), "is no loop"),
        (
            BlendSpaceSpec { sync: Sync::Time, ..samples(vec![walk.clone(), at("stop_walk_80_left_foot", &[2.0])]) },
            "is a loop",
        ),
        (BlendSpaceSpec { from_clips: by_speed(&["walk_*"]).from_clips, ..samples(both()) }, "keep one of them"),
        (BlendSpaceSpec { ranges: Some(vec![[2.0, 1.0]]), ..samples(both()) }, "the range of `speed`"),
        (BlendSpaceSpec { ranges: Some(vec![]), ..samples(both()) }, "`ranges` has 0 entries"),
        (BlendSpaceSpec { smoothing_half_life_s: -1.0, ..samples(both()) }, "`smoothing_half_life_s` is -1"),
        (BlendSpaceSpec { parameters: Vec::new(), ..samples(both()) }, "names 0 variables"),
        (plane(both()), "`at` is [0.8]"),
        (
            plane(vec![
                at("walk_80_loop", &[1.0, 1.0]),
                at("walk_100_loop", &[2.0, 2.0]),
                at("walk_125_loop", &[3.0, 3.0]),
            ]),
            "one line",
        ),
        (
            plane(vec![
                at("walk_80_loop", &[1.0, 1.0]),
                at("walk_100_loop", &[2.0, 1.0]),
                at("walk_125_loop", &[3.0, 1.0]),
            ]),
            "one line",
        ),
        (from(&["jump_*"]), "no clip matches `jump_*`"),
    ];
    for (spec, expected) in cases {
        let error = BlendSpace::new(database(), &spec).expect_err(expected).to_string();
        assert!(
            error.starts_with("blend_spaces.`walks`: ") && error.contains(expected),
            "{error}\nexpected: {expected}"
        );
    }
    let unmirrored = built(&[clip("walk_80_loop"), clip("walk_100_loop")], &BuildConfig::default()).0;
    let mirrored = |s: BlendSample| BlendSample { mirrored: true, ..s };
    let spec = samples(vec![walk.clone(), mirrored(at("walk_100_loop", &[1.0]))]);
    assert!(BlendSpace::new(&unmirrored, &spec).unwrap_err().to_string().contains("no mirror images"));
    let text = r#"{ "name": "a", "parameters": ["speed"], "sampels": [] }"#;
    assert!(serde_json::from_str::<BlendSpaceSpec>(text).is_err());
    let text = r#"{ "name": "a", "parameters": ["speed"], "samples": [{ "clip": "walk_80_loop", "at": [0.8] }] }"#;
    let spec: BlendSpaceSpec = serde_json::from_str(text).unwrap();
    assert_eq!((spec.sync, spec.smoothing_half_life_s, spec.samples[0].mirrored), (Sync::Phase, 0.1, false));
}
