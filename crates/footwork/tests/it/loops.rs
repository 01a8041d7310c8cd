//! Loops as users provide them: unmarked, a second long, starting anywhere in the stride, with or without the first frame
//! repeated at the end.

use crate::common;

use common::strides::{stride, unmarked};
use common::{built, clip};
use footwork::advanced::build::Loop;
use footwork::build::{BuildConfig, ClipRule, RootMotionConfig};
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use footwork::frames::{ClipIndex, JointIndex};
use footwork::input::{Gait, Goal, MotionInput, Stick};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::{Vec2, Vec3};
use std::sync::Arc;

#[test]
fn the_built_in_loops_are_found_and_nothing_else() {
    for clip in common::all_clips() {
        let found = Loop::find(&unmarked(clip));
        assert_eq!(found.is_some(), clip.looping, "{}", clip.name);
        assert!(found.is_none_or(|l| l.frames == clip.frames() && !l.repeats_first), "{}", clip.name);
    }
}

/// Loops shorter than the horizon.
const STRIDES: [(&str, f64); 4] =
    [("walk_125_loop", 4.0), ("walk_175_loop", 5.0), ("run_250_loop", 6.0), ("run_400_loop", 6.0)];

#[test]
fn a_stride_is_found_wherever_it_starts_with_the_first_frame_again_or_without() {
    for (name, strides) in STRIDES {
        for k in 0..8 {
            let repeat = k % 2 == 0;
            let clip = stride(&clip(name), strides, 0.05 + 0.125 * f64::from(k), repeat);
            let found = Loop::find(&clip).unwrap_or_else(|| panic!("{name} from {k}/8, {repeat}"));
            let frames = found.frames + usize::from(repeat);
            assert_eq!((found.repeats_first, frames), (repeat, clip.frames()), "{name} {k}");
        }
    }
}

fn rule(name: &str, looping: bool) -> BuildConfig {
    let rule = ClipRule { name: name.into(), looping: Some(looping), ..Default::default() };
    BuildConfig { clips: vec![rule], ..Default::default() }
}

#[test]
fn who_says_that_a_clip_does_not_loop_is_believed() {
    let walk = stride(&clip("walk_125_loop"), 4.0, 0.3, false);
    let (db, report) = built(std::slice::from_ref(&walk), &BuildConfig::default());
    assert!(db.clips[0].looping() && report.loops_found() == ["walk_125_loop"]);
    for config in [rule("walk*", false), BuildConfig { find_loops: false, ..Default::default() }] {
        let (db, report) = built(std::slice::from_ref(&walk), &config);
        assert!(!db.clips[0].looping() && report.loops.is_empty());
    }
}

/// Returns the largest rotation of any joint from the last frame of a cycle to its first, and the largest between other frames,
/// radians.
fn seam_and_steps(db: &Database) -> (f32, f32) {
    let (n, joints) = (db.clips[0].frames as usize, db.poses.joints);
    let q = |f: usize, j: usize| db.poses.rotations[f % n * joints + j];
    let step = |f: usize| (1..joints).map(|j| q(f, j).angle_between(q(f + 1, j))).fold(0.0, f32::max);
    (step(n - 1), (0..n - 1).map(step).fold(0.0, f32::max))
}

#[test]
fn a_marked_loop_that_does_not_close_is_closed_and_the_report_says_by_how_much() {
    let mut open = stride(&clip("walk_125_loop"), 4.0, 0.3, false);
    let (n, joints) = (open.frames(), open.skeleton.len());
    let arm = open.skeleton.find("LeftArm").unwrap().at();
    // The arm drifts by 12 degrees; the body sinks by 3 cm.
    for f in 0..n {
        let share = f as f32 / n as f32;
        let i = f * joints + arm;
        open.rotations[i] = Quat::from_rotation_x(0.21 * share) * open.rotations[i];
        open.translations[f * joints + 1].y -= 0.03 * share;
    }
    assert_eq!(Loop::find(&open), None);
    let (db, report) = built(std::slice::from_ref(&open), &rule("walk*", true));
    let (seam, elsewhere) = seam_and_steps(&db);
    assert!(seam < elsewhere, "{seam} {elsewhere}");
    let spread = report.loops[0].spread.as_ref().unwrap();
    assert_eq!((spread.joint.as_str(), report.loops[0].found), ("LeftArm", false));
    assert!((spread.deg - 12.0).abs() < 1.0 && (spread.metres - 0.03).abs() < 0.01, "{spread:?}");
    // A loop that closes already is unchanged.
    let closed = stride(&clip("walk_125_loop"), 4.0, 0.3, false);
    let (db, report) = built(std::slice::from_ref(&closed), &rule("walk*", true));
    assert!(report.loops[0].spread.is_none());
    assert!(db.poses.rotations.iter().zip(&closed.rotations).all(|(a, b)| a.angle_between(*b) < 1e-3));
}

#[test]
fn what_is_no_loop_whatever_anybody_says_ends_with_a_warning() {
    let (db, report) = built(&[clip("start_walk_90_left"), clip("idle")], &rule("start*", true));
    assert!(!db.clips[0].looping());
    let warned = |w: &String| w.contains("`start_walk_90_left` is marked as a loop") && w.contains("degrees (joint `");
    assert!(report.warnings.iter().any(warned), "{:?}", report.warnings);
}

/// Returns the clip without its root bone: the hips carry the motion.
fn without_root(clip: &RawClip) -> RawClip {
    let (joints, skeleton) = (clip.skeleton.len(), &clip.skeleton);
    let names = skeleton.names()[1..].to_vec();
    let parents = skeleton.parents()[1..].iter().map(|p| p.filter(|p| p.at() > 0).map(|p| JointIndex(p.0 - 1)));
    let rest = skeleton.rest()[1..].to_vec();
    let bare = Skeleton::new(names, parents.collect(), rest).unwrap();
    let mut out = RawClip { skeleton: bare, translations: Vec::new(), rotations: Vec::new(), ..clip.clone() };
    for f in 0..clip.frames() {
        for j in 1..joints {
            let at = |j: usize| Transform::new(clip.translations[f * joints + j], clip.rotations[f * joints + j]);
            let t = if j == 1 { at(0) * at(1) } else { at(j) };
            out.translations.push(t.translation);
            out.rotations.push(t.rotation);
        }
    }
    out
}

#[test]
fn a_root_that_is_made_has_no_kink_at_the_seam_of_a_loop_shorter_than_its_window() {
    for (name, strides) in STRIDES {
        for rate in [None, Some(50.0)] {
            let clips = [without_root(&stride(&clip(name), strides, 0.4, true))];
            let (db, _) = built(&clips, &BuildConfig { pose_rate_hz: rate, ..Default::default() });
            assert!(db.clips[0].looping() && db.view(ClipIndex(0), false).seconds() < 1.1, "{name}");
            let view = db.view(ClipIndex(0), false);
            let dt = 1.0 / f64::from(db.pose_rate_hz);
            let velocity = |k: i32| view.root(f64::from(k) * dt).1;
            let jolt = |k: i32| (velocity(k + 1) - velocity(k)).length();
            let n = db.clips[0].frames as i32;
            let elsewhere = (4..n - 4).map(jolt).fold(0.0, f32::max);
            let seam = (n - 3..n + 3).map(jolt).fold(0.0, f32::max);
            assert!(seam < 1.5 * elsewhere + 0.01, "{name}: {seam} m/s at the seam, {elsewhere} elsewhere");
        }
    }
}

#[test]
fn a_loop_made_on_a_treadmill_gets_the_speed_of_its_feet() {
    for (name, strides, mps) in [("walk_125_loop", 4.0, 1.25), ("run_320_loop", 1.0, 3.2)] {
        let mut on_the_spot =
            if strides > 1.0 { stride(&clip(name), strides, 0.3, true) } else { unmarked(&clip(name)) };
        let joints = on_the_spot.skeleton.len();
        for f in 0..on_the_spot.frames() {
            on_the_spot.translations[f * joints] = Vec3::ZERO;
        }
        for clip in [on_the_spot.clone(), without_root(&on_the_spot)] {
            let (db, report) = built(std::slice::from_ref(&clip), &BuildConfig::default());
            let way = db.clips[0].loop_delta.unwrap().translation;
            let speed = way.length() / db.view(ClipIndex(0), false).seconds() as f32;
            assert!((speed - mps).abs() < 0.08 * mps && way.z > 0.99 * way.length(), "{name}: {speed} m/s, {way}");
            assert!(report.warnings.iter().any(|w| w.contains("treads on the spot")), "{:?}", report.warnings);
        }
        let left = RootMotionConfig { speed_from_feet: Some(false), ..Default::default() };
        let (db, _) = built(&[on_the_spot, clip("walk_125")], &BuildConfig { root: left, ..Default::default() });
        assert!(db.clips[0].loop_delta.unwrap().translation.length() < 0.02);
    }
}

/// Returns a loop whose root motion is replaced by the result of `root`, called with time and root.
fn rerouted(clip: &RawClip, root: impl Fn(f32, Transform) -> Transform) -> RawClip {
    let (mut clip, joints) = (clip.clone(), clip.skeleton.len());
    for f in 0..clip.frames() {
        let at = f * joints;
        let old = Transform::new(clip.translations[at], clip.rotations[at]);
        let new = root(f as f32 / clip.frames() as f32, old);
        (clip.translations[at], clip.rotations[at]) = (new.translation, new.rotation);
    }
    clip
}

#[test]
fn a_loop_that_ends_where_it_began_after_a_circle_keeps_its_own_speed() {
    let straight = clip("walk_125_loop");
    let joints = straight.skeleton.len();
    let way_m = straight.translations[(straight.frames() - 1) * joints].z * straight.frames() as f32
        / (straight.frames() - 1) as f32;
    let radius_m = way_m / std::f32::consts::TAU;
    let circle = rerouted(&straight, |part, _| {
        let turn = Quat::from_rotation_y(part * std::f32::consts::TAU);
        Transform::new(Vec3::new(radius_m, 0.0, 0.0) - turn * Vec3::new(radius_m, 0.0, 0.0), turn)
    });
    for circle in [circle.clone(), without_root(&circle)] {
        let (_, report) = built(&[circle], &BuildConfig::default());
        assert!((report.clips[0].mean_speed_mps - 1.25).abs() < 0.1, "{:?}", report.clips[0]);
        assert!(!report.warnings.iter().any(|w| w.contains("on the spot")), "{:?}", report.warnings);
    }
}

#[test]
fn feet_that_move_in_the_air_are_no_treadmill_and_it_is_said_why() {
    let on_the_spot = rerouted(&clip("walk_125_loop"), |_, _| Transform::IDENTITY);
    let falling = RawClip { name: "falling".into(), ..on_the_spot.clone() };
    let falling = rerouted(&falling, |_, root| Transform::new(Vec3::Y * 0.4, root.rotation));
    let speed = |clips: &[RawClip], asked: Option<bool>| {
        let root = RootMotionConfig { speed_from_feet: asked, ..Default::default() };
        let (_, report) = built(clips, &BuildConfig { root, ..Default::default() });
        (report.clips[0].mean_speed_mps, report.warnings.join("; "))
    };
    // For a single clip the height of the ground is unknown; among standing clips, this clip is above the ground.
    for asked in [None, Some(true)] {
        let (mps, told) = speed(&[falling.clone(), on_the_spot.clone(), clip("walk_125"), clip("idle")], asked);
        assert!(mps < 0.1 && told.contains("`falling` stays where it is though its feet move"), "{mps} m/s, {told}");
        assert!(told.contains("0.40 m off the ground"), "{told}");
    }
    // Half a stride forwards and backwards: the feet slide in both directions.
    let half = rerouted(&stride(&clip("walk_125_loop"), 8.0, 0.1, true), |_, _| Transform::IDENTITY);
    let mut pendulum = RawClip { name: "pendulum".into(), looping: true, ..half };
    let (joints, n) = (pendulum.skeleton.len(), pendulum.frames());
    for f in (1..n - 1).rev() {
        pendulum.translations.extend_from_within(f * joints..(f + 1) * joints);
        pendulum.rotations.extend_from_within(f * joints..(f + 1) * joints);
    }
    pendulum.annotations = Default::default();
    let (mps, told) = speed(&[pendulum, clip("walk_125")], None);
    assert!(mps < 0.1 && !told.contains("treads on the spot"), "{mps} m/s, {told}");
}

/// Returns the mean speed in the last seconds of a run with a stick held ahead at a gait, m/s.
fn speed_ahead(db: Arc<Database>, gait: Gait) -> f32 {
    let mut matcher = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    let stick = Stick { movement: Vec2::new(0.0, 1.0), gait, ..Default::default() };
    let input = MotionInput { goal: Goal::Stick(stick), ..Default::default() };
    let (mut from, mut to) = (Vec3::ZERO, Vec3::ZERO);
    for k in 0..600 {
        let pose = matcher.update(&input, 1.0 / 60.0).unwrap();
        (if k < 300 { &mut from } else { &mut to }).clone_from(&pose.translations[0]);
    }
    (to - from).length() / 5.0
}

#[test]
fn a_handful_of_loops_walks_and_runs() {
    let idle = unmarked(&clip("idle"));
    let mut clips = vec![idle];
    clips.extend(STRIDES.iter().map(|(name, strides)| stride(&clip(name), *strides, 0.6, false)));
    let (db, report) = built(&clips, &BuildConfig::default());
    assert_eq!(report.loops_found().len(), 5);
    let db = Arc::new(db);
    let (walk, run) = (speed_ahead(db.clone(), Gait::Walk), speed_ahead(db, Gait::Run));
    assert!((walk - 1.75).abs() < 0.1 && (run - 4.0).abs() < 0.2, "{walk} {run}");
    // One clip is enough to move.
    let (db, _) = built(&[stride(&clip("walk_125_loop"), 4.0, 0.2, true)], &BuildConfig::default());
    let alone = speed_ahead(Arc::new(db), Gait::Walk);
    assert!(alone > 1.2, "{alone}");
}

/// Symptom: after a minute in one loop, an update failed with "the state of character 0 is damaged: `entered_s`". Expected: the
/// update succeeds. Cause: the time at which a clip was entered was set back with every cycle, beyond the range of a state.
#[test]
fn a_character_may_stay_in_one_loop_for_minutes() {
    let (db, _) = built(&[clip("walk_125_loop")], &BuildConfig::default());
    let mut character = MotionMatcher::new(Arc::new(db), MatcherConfig::default()).unwrap();
    for update in 0..60 * 150 {
        character.update(&MotionInput::default(), 1.0 / 60.0).unwrap_or_else(|e| panic!("update {update}: {e}"));
    }
    let header = &character.state().header;
    assert!(header.transition.count == 0 && header.clock.time_s > 149.0, "{}", header.transition.count);
}

/// The next touch-down of every foot, against the labels of single frames: in loops and other clips, before, within and after them.
#[test]
fn the_next_contact_is_that_of_the_labels() {
    let db = common::gait(MirrorMode::Query);
    let (rate, horizon) =
        (f64::from(db.pose_rate_hz), (Database::CONTACT_HORIZON_S * f64::from(db.pose_rate_hz)).ceil() as i64);
    for clip in (0..db.clips.len()).step_by(3).map(ClipIndex::new) {
        let frames = i64::from(db.clips[clip.at()].frames);
        for first in [-40, -1, 0, 1, frames / 3, frames / 2, frames - 2, frames - 1, frames, frames + 7, 5 * frames + 3]
        {
            for (slot, mirrored) in [(0, false), (1, true)] {
                let touches = |k: &i64| db.touches_at(clip, mirrored, slot, (first + k) as f64 / rate);
                let down = (0..=horizon).find(touches);
                let expected = down.map_or((f32::INFINITY, 0.0), |down| {
                    let up = (down..=down + horizon).find(|k| !touches(k)).unwrap_or(down + horizon);
                    (down as f32 / rate as f32, (up - down) as f32 / rate as f32)
                });
                let found = db.next_contact_s(clip, mirrored, slot, first as f64 / rate);
                let near = |a: f32, b: f32| a == b || (a - b).abs() < 1e-4;
                assert!(
                    near(found.0, expected.0) && near(found.1, expected.1),
                    "{clip:?} {first}: {found:?} {expected:?}"
                );
            }
        }
    }
}
