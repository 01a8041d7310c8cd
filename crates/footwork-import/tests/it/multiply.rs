//! Sparse data is multiplied, complete data is not; generated clips stand, step and travel correctly.

use footwork::build::{BuildConfig, BuildOptions, BuildReport, Multiply, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork_gait::{GaitOptions, PACK_19, clips};
use glam::Vec3;

fn built(clips: &[RawClip], mode: Multiply) -> (Database, BuildReport) {
    let mut config = BuildConfig::default();
    config.multiply.mode = mode;
    build(clips, &config, &BuildOptions::default()).unwrap()
}

fn pack() -> Vec<RawClip> {
    let all = clips(&GaitOptions::default());
    let pack: Vec<RawClip> = all.into_iter().filter(|c| PACK_19.contains(&c.name.as_str())).collect();
    assert_eq!(pack.len(), PACK_19.len());
    pack
}

#[test]
fn a_pack_of_loops_gets_what_a_stick_asks_for_and_it_is_plausible() {
    let (db, report) = built(&pack(), Multiply::Auto);
    let made = &report.made;
    assert!(db.stick.turns, "it is turned by its clips, not by its root alone");
    let names: Vec<&str> = made.clips.iter().map(|c| c.name.as_str()).collect();
    for kind in ["start_walk_0_left_foot", "start_run_0_right_foot", "stop_walk_phase_50", "stop_run_phase_0"] {
        assert!(names.contains(&format!("made_{kind}").as_str()), "{kind}");
    }
    for kind in [
        "plant_walk_90_left",
        "curve_run_80_left",
        "curve_walk_10_left",
        "pace_walk_45",
        "turn_90_left",
        "step_90_right",
    ] {
        assert!(names.iter().any(|c| c.starts_with(&format!("made_{kind}"))), "{kind}");
    }
    assert!(made.clips.len() > 50 * made.dropped.len(), "{} made, {} dropped", made.clips.len(), made.dropped.len());
    let tag = db.tags.iter().position(|t| t == "made").unwrap();
    let (mut longest_m, mut furthest_m): (f32, f32) = (0.0, 0.0);
    for clip in db.clips.iter().filter(|c| names.contains(&c.name.as_str())) {
        assert!(db.tag_spans.iter().any(|s| s.tag as usize == tag && s.start.at() == clip.frame_range().start));
        let costs = !clip.looping() || clip.name == "made_idle";
        assert!(db.row_costs[clip.row_range()].iter().all(|cost| (*cost > 0.0) == costs), "{}", clip.name);
        longest_m = longest_m.max(slide_m(&db, clip.frame_range()));
        let way =
            db.poses.root(clip.frame_range().end - 1).translation - db.poses.root(clip.frame_range().start).translation;
        furthest_m = furthest_m.max(way.length());
    }
    assert!(longest_m < 0.012, "a standing foot slides by {longest_m} m");
    assert!(furthest_m > 6.0, "nobody runs: {furthest_m} m");
    let ratio = made.hip_ratio.unwrap();
    assert!((0.97..=1.03).contains(&ratio) && made.warning().is_none(), "hips at {ratio} of the captured height");
}

/// Without made loops, a character that is commanded steadily would leave each clip at its end.
#[test]
fn steady_clips_are_loops_that_go_on_without_a_jump() {
    let (db, report) = built(&pack(), Multiply::Auto);
    let of = |name: &str| db.clips.iter().position(|clip| clip.name == name).unwrap_or_else(|| panic!("{name}"));
    for name in
        ["made_pace_walk_45", "made_curve_run_80_left", "made_curve_walk_10_right", "made_strafe_pace_run_45_left"]
    {
        let clip = of(name);
        assert!(db.clips[clip].looping(), "{name}");
        let seconds = f64::from(db.clips[clip].frames) / f64::from(db.pose_rate_hz);
        let once = largest_change_mps(&db, clip, 0.1, seconds - 0.1);
        let twice = largest_change_mps(&db, clip, seconds - 0.1, seconds + 0.1);
        assert!(twice < 1.25 * once.max(0.5), "{name}: {twice} m/s from round to round, {once} m/s within one");
    }
    let ends = |name: &str| !db.clips[of(name)].looping();
    assert!(report.made.clips.iter().all(|clip| clip.name.contains("pace")
        || clip.name.contains("curve")
        || ends(&clip.name)
        || clip.name == "made_idle"));
}

#[test]
fn no_joint_of_a_made_clip_jumps() {
    let (db, report) = built(&pack(), Multiply::Auto);
    assert!(report.made.clips.len() > 500);
    for (clip, c) in db.clips.iter().enumerate().take(db.originals()) {
        let seconds = f64::from(c.frames - 1) / f64::from(db.pose_rate_hz);
        let change_mps = largest_change_mps(&db, clip, 0.0, seconds);
        assert!(change_mps < 4.0, "{}: {change_mps} m/s within a frame", c.name);
    }
}

/// Returns the largest change of a joint's velocity in root space between frames of 1/60 s, from one time of a clip to another.
fn largest_change_mps(db: &Database, clip: usize, from_s: f64, to_s: f64) -> f32 {
    let joints = db.skeleton.len();
    let (mut pose, mut velocity) =
        (footwork::pose::Pose::rest(&db.skeleton), footwork::pose::PoseVelocity::zero(joints));
    let mut before: [Vec<Vec3>; 2] = Default::default();
    let mut largest = 0.0f32;
    for frame in (from_s * 60.0).ceil() as u32..=(to_s * 60.0) as u32 {
        db.view(ClipIndex::new(clip), false).sample(f64::from(frame) / 60.0, &mut pose, &mut velocity);
        pose.set_world_from_root(footwork::math::Transform::IDENTITY);
        let mut world = Vec::new();
        pose.world(&db.skeleton, &mut world);
        let now: Vec<Vec3> = world.iter().map(|joint| joint.translation).collect();
        for ((a, b), c) in before[0].iter().zip(&before[1]).zip(&now) {
            largest = largest.max(((*c - *b) - (*b - *a)).length() * 60.0);
        }
        before = [std::mem::take(&mut before[1]), now];
    }
    largest
}

/// Returns the maximum distance of a planted toe from where it was planted, in metres.
fn slide_m(db: &Database, frames: std::ops::Range<usize>) -> f32 {
    let slots = db.rig.contact_joints.len();
    let (joints, mut world, mut most) = (db.skeleton.len(), Vec::new(), 0.0f32);
    let mut planted: Vec<Option<Vec3>> = vec![None; slots];
    for f in frames {
        let mut pose = footwork::pose::Pose::rest(&db.skeleton);
        pose.rotations.copy_from_slice(&db.poses.rotations[f * joints..][..joints]);
        for (k, j) in db.poses.translated.iter().enumerate() {
            pose.translations[j.at()] = db.poses.translations[f * db.poses.translated.len() + k];
        }
        pose.world(&db.skeleton, &mut world);
        for (slot, start) in planted.iter_mut().enumerate() {
            let at = world[db.rig.contact_joints[slot].at()].translation * Vec3::new(1.0, 0.0, 1.0);
            *start = (db.contacts[f * slots + slot] == 1).then(|| start.unwrap_or(at));
            most = most.max(start.map_or(0.0, |s| (at - s).length()));
        }
    }
    most
}

#[test]
fn nothing_is_made_where_it_is_not_wanted_or_not_missing() {
    let (db, report) = built(&pack(), Multiply::Off);
    assert!(report.made.clips.is_empty() && !db.stick.turns && db.stick.goes == [true; 8]);
    // Rich data get loops of steady commands, where they have none, and nothing else. Captured features keep their bits.
    let captured = clips(&GaitOptions::default());
    let (with, full) = built(&captured, Multiply::Auto);
    let (without, none) = built(&captured, Multiply::Off);
    assert!(2 * full.made.answered > full.made.commands);
    assert!(none.made.clips.is_empty() && !full.made.clips.is_empty());
    for clip in &full.made.clips {
        assert!(clip.looping, "{}", clip.name);
    }
    let values = without.features.values.len();
    assert!(with.features.values[..values] == without.features.values[..]);
}

#[test]
fn who_was_never_seen_standing_gets_a_stand() {
    let walk: Vec<RawClip> = pack().into_iter().filter(|c| c.name == "walk_130_loop").collect();
    let (db, report) = built(&walk, Multiply::Auto);
    assert!(report.made.clips.iter().any(|c| c.name == "made_idle"), "{:?}", report.made);
    let idle = db.clips.iter().find(|c| c.name == "made_idle").unwrap();
    assert!(idle.looping() && slide_m(&db, idle.frame_range()) < 1e-3);
    // Directions without source clips are not generated: no sideways or backward travel.
    assert!(!report.made.clips.iter().any(|c| c.name.contains("strafe_start") || c.name.contains("step_90")));
}
