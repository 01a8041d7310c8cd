//! Motion from one body to another and back, in the order of a user's work: references from rest or motion, a map, clips, a
//! database.

use crate::common;

use common::clip;
use common::hero::{Hero, hero};
use footwork::build::retarget::RetargetOptions;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use footwork::retarget::{Reference, RetargetError, RetargetMap};
use footwork::roles::JointRoles;
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::BTreeMap;

fn from_rest(skeleton: &Skeleton) -> Reference {
    let roles = JointRoles::resolve(skeleton, &BTreeMap::new()).unwrap();
    Reference::from_rest(skeleton, &roles).unwrap()
}

fn map(source: &Skeleton, target: &Skeleton) -> RetargetMap {
    RetargetMap::new(from_rest(source), from_rest(target)).unwrap()
}

fn pose(clip: &RawClip, f: usize) -> Pose {
    let n = clip.skeleton.len();
    Pose { translations: clip.translations[f * n..][..n].to_vec(), rotations: clip.rotations[f * n..][..n].to_vec() }
}

fn poses(clip: &RawClip) -> Vec<Pose> {
    (0..clip.frames()).map(|f| pose(clip, f)).collect()
}

fn joint(skeleton: &Skeleton, name: &str) -> JointIndex {
    skeleton.find(name).or(skeleton.find(&format!("mixamorig:{name}"))).unwrap()
}

fn at(skeleton: &Skeleton, pose: &Pose, name: &str) -> Vec3 {
    let mut world = Vec::new();
    pose.world(skeleton, &mut world);
    world[joint(skeleton, name).at()].translation
}

/// Returns the direction of a bone in the world.
fn direction(skeleton: &Skeleton, pose: &Pose, from: &str, to: &str) -> Vec3 {
    (at(skeleton, pose, to) - at(skeleton, pose, from)).normalize()
}

const BONES: [(&str, &str); 8] = [
    ("LeftUpLeg", "LeftLeg"),
    ("LeftLeg", "LeftFoot"),
    ("RightUpLeg", "RightLeg"),
    ("RightLeg", "RightFoot"),
    ("LeftArm", "LeftForeArm"),
    ("LeftForeArm", "LeftHand"),
    ("RightArm", "RightForeArm"),
    ("RightForeArm", "RightHand"),
];

#[test]
fn limbs_of_any_rig_point_where_the_sources_point() {
    let source = clip("run_400");
    for of in [
        Hero::default(),
        Hero { arms_down_deg: 45.0, ..Hero::default() },
        Hero { odd_axes: false, spine: 4, root: true, ..Hero::default() },
    ] {
        let target = hero(of);
        let map = map(&source.skeleton, &target);
        let mut out = Pose::rest(&target);
        for f in (0..source.frames()).step_by(7) {
            let was = pose(&source, f);
            map.apply(&was, &mut out);
            for (a, b) in BONES {
                let (was, is) = (direction(&source.skeleton, &was, a, b), direction(&target, &out, a, b));
                assert!((was - is).length() < 2e-3, "frame {f}, {a}: {was} {is}");
            }
            // Knees bend to the same side; directions of straight legs would not show a wrong side.
            let hinge = |s: &Skeleton, p: &Pose| {
                direction(s, p, "LeftUpLeg", "LeftLeg").cross(direction(s, p, "LeftLeg", "LeftFoot"))
            };
            assert!((hinge(&source.skeleton, &was) - hinge(&target, &out)).length() < 4e-3);
        }
    }
}

#[test]
fn hips_rise_and_travel_with_the_legs() {
    let source = clip("walk_175");
    let target = hero(Hero { root: true, ..Hero::default() });
    let map = map(&source.skeleton, &target);
    assert!((map.scale - 0.92 / map.source.leg_m).abs() < 1e-3, "{}", map.scale);
    let [mut first, mut last] = [Pose::rest(&target), Pose::rest(&target)];
    map.apply(&pose(&source, 0), &mut first);
    map.apply(&pose(&source, source.frames() - 1), &mut last);
    let way = |a: Vec3, b: Vec3| (b - a).with_y(0.0).length();
    let was = way(
        pose(&source, 0).world_from_root().translation,
        pose(&source, source.frames() - 1).world_from_root().translation,
    );
    let is = way(first.world_from_root().translation, last.world_from_root().translation);
    assert!((is - was * map.scale).abs() < 1e-3, "{was} {is}");
    // The character stands on its legs: the hips are as high as the target's legs are long.
    let standing = Pose::rest(&source.skeleton);
    map.apply(&standing, &mut first);
    let toe = at(&target, &first, "LeftToeBase");
    assert!((toe.y - 0.025).abs() < 2e-3, "{toe}");
}

/// Returns the largest angle between the joints of two sequences of poses in the world, degrees, and its joint.
fn turned(skeleton: &Skeleton, a: &[Pose], b: &[Pose], skip: &[&str]) -> (f32, String) {
    let (mut wa, mut wb) = (Vec::new(), Vec::new());
    let mut worst = (0.0, String::new());
    for (a, b) in a.iter().zip(b) {
        a.world(skeleton, &mut wa);
        b.world(skeleton, &mut wb);
        for (j, name) in skeleton.names().iter().enumerate().filter(|(_, n)| !skip.contains(&n.as_str())) {
            let deg = wa[j].rotation.angle_between(wb[j].rotation).to_degrees();
            if deg > worst.0 {
                worst = (deg, name.clone());
            }
        }
    }
    worst
}

#[test]
fn there_and_back_again_is_the_same_motion() {
    let source = clip("curve_175_radius_150_left");
    let was = poses(&source);
    // With equal numbers of joints in each chain the motion is preserved. With one more joint in the spine, the middle one is
    // interpolated.
    for (spine, middle, bound_deg) in [(3, &[][..], 0.2), (4, &["Spine1"][..], 0.2)] {
        let rig = hero(Hero { spine, root: true, ..Hero::default() });
        let (there, back) = (map(&source.skeleton, &rig), map(&rig, &source.skeleton));
        let (mut on_rig, mut again) = (Pose::rest(&rig), Pose::rest(&source.skeleton));
        let is: Vec<Pose> = was
            .iter()
            .map(|p| {
                there.apply(p, &mut on_rig);
                back.apply(&on_rig, &mut again);
                again.clone()
            })
            .collect();
        let (deg, name) = turned(&source.skeleton, &was, &is, middle);
        assert!(deg < bound_deg, "spine of {spine}: {name} is turned by {deg} degrees");
        for (was, is) in was.iter().zip(&is) {
            assert!((was.translations[0] - is.translations[0]).length() < 1e-4);
            let hips = |p: &Pose| at(&source.skeleton, p, "Hips");
            assert!((hips(was) - hips(is)).length() < 2e-3, "{} {}", hips(was), hips(is));
        }
    }
}

#[test]
fn a_chain_of_more_joints_shares_the_bend() {
    let source = footwork_gait::skeleton();
    let target = hero(Hero { spine: 4, odd_axes: false, ..Hero::default() });
    let map = map(&source, &target);
    let mut bent = Pose::rest(&source);
    for j in ["Spine", "Spine1", "Spine2"] {
        bent.rotations[joint(&source, j).at()] = Quat::from_rotation_x(0.2);
    }
    let mut out = Pose::rest(&target);
    map.apply(&bent, &mut out);
    let pitch = |name: &str| out.rotations[joint(&target, name).at()].to_rotation_vector().x;
    let shares = ["Spine", "Spine1", "Spine2", "Spine3"].map(pitch);
    assert!((shares.iter().sum::<f32>() - 0.6).abs() < 1e-3, "{shares:?}");
    assert!((shares[0] - 0.2).abs() < 1e-3 && shares[1..].iter().all(|s| (0.08..0.19).contains(s)), "{shares:?}");
}

/// Returns clips whose skeleton has all bones along +X at rest, as in many motion captures. The motion is preserved.
fn with_useless_rest(clips: &[RawClip]) -> Vec<RawClip> {
    let s = &clips[0].skeleton;
    let mut world: Vec<Quat> = Vec::new();
    for j in 0..s.len() {
        let child = s.children(JointIndex::new(j)).next();
        let along = child.map(|c| s.rest()[c.at()].translation.normalize_or_zero()).filter(|_| j > 1);
        // The last joint of a chain is aligned with the one before.
        let above = s.parents()[j].map_or(Quat::IDENTITY, |p| world[p.at()]);
        world.push(along.map_or(above, |d| Quat::from_rotation_arc(Vec3::X, d)));
    }
    let parent = |j: usize| s.parents()[j].map_or(Quat::IDENTITY, |p| world[p.at()]);
    let rest =
        (0..s.len()).map(|j| Transform::new(parent(j).inverse() * s.rest()[j].translation, Quat::IDENTITY)).collect();
    let useless = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest).unwrap();
    let odd = clips.iter().map(|c| {
        let mut c = RawClip { skeleton: useless.clone(), ..c.clone() };
        for i in 0..c.rotations.len() {
            let j = i % s.len();
            c.rotations[i] = parent(j).inverse() * c.rotations[i] * world[j];
            c.translations[i] = parent(j).inverse() * c.translations[i];
        }
        c
    });
    odd.collect()
}

/// Returns all poses of a clip on the skeleton of another.
fn applied(map: &RetargetMap, clip: &RawClip) -> Vec<Pose> {
    let mut out = Pose::rest(&map.target.skeleton);
    let apply = |p: &Pose| {
        map.apply(p, &mut out);
        out.clone()
    };
    poses(clip).iter().map(apply).collect()
}

#[test]
fn motion_tells_the_axes_where_the_rest_pose_does_not() {
    let clips: Vec<RawClip> = ["idle", "walk_175", "stop_walk_175_left_foot"].map(clip).into();
    let s = &clips[0].skeleton;
    let odd = with_useless_rest(&clips);
    let useless = &odd[0].skeleton;
    let roles = JointRoles::resolve(useless, &BTreeMap::new()).unwrap();
    assert_eq!(Reference::from_rest(useless, &roles), Err(RetargetError::RestPose));
    let found = Reference::of_clips(&odd, &BTreeMap::new()).unwrap();
    let map = RetargetMap::new(found, from_rest(s)).unwrap();
    assert!((map.scale - 1.0).abs() < 1e-4, "{}", map.scale);
    let is = applied(&map, &odd[1]);
    // An idling character holds its trunk slightly bent; the axes of limbs are exact.
    let (deg, name) = turned(s, &poses(&clips[1]), &is, &[]);
    assert!(deg < 6.0, "{name} is turned by {deg} degrees");
    for (was, is) in poses(&clips[1]).iter().zip(&is) {
        for (a, b) in BONES {
            assert!((direction(s, was, a, b) - direction(s, is, a, b)).length() < 2e-3, "{a}");
        }
    }
}

/// Symptom: feet of clips made in place were turned. Cause: the slowest poses of a foot counted as those on the ground, while on a
/// treadmill a foot is slowest in the air, where it turns round.
#[test]
fn feet_are_found_in_clips_made_in_place() {
    let clips: Vec<RawClip> = ["walk_175", "run_320", "run_400"].map(clip).into();
    let s = &clips[0].skeleton;
    let travelling = Reference::of_clips(&with_useless_rest(&clips), &BTreeMap::new()).unwrap();
    let in_place: Vec<RawClip> = clips
        .iter()
        .map(|c| {
            let mut c = c.clone();
            let last = (c.frames() - 1) * s.len();
            let travel = (c.translations[last] - c.translations[0]).with_y(0.0) / (c.frames() - 1) as f32;
            c.translations.iter_mut().step_by(s.len()).enumerate().for_each(|(f, t)| *t -= travel * f as f32);
            c
        })
        .collect();
    let odd = with_useless_rest(&in_place);
    let found = Reference::of_clips(&odd, &BTreeMap::new()).unwrap();
    let [a, b] = [&found, &travelling].map(|r| r.toe_height_m.unwrap());
    assert!((a - b).abs() < 0.01, "toes at {a} m; with travel {b} m");
    let map = RetargetMap::new(found, from_rest(s)).unwrap();
    for (clip, odd) in in_place.iter().zip(&odd) {
        feet_point_as_in(s, &poses(clip), &applied(&map, odd));
    }
}

/// Symptom: clips of a file whose rest pose is the first frame of a run had feet turned by up to 86 degrees. Cause: this pose counted
/// as one in which the body stands.
#[test]
fn a_frame_of_a_run_is_no_rest_pose() {
    let source = clip("run_320");
    let s = &source.skeleton;
    let toe = |p: &Pose| (at(s, p, "LeftToe").y - at(s, p, "RightToe").y).abs();
    let step = poses(&source).into_iter().max_by(|a, b| toe(a).total_cmp(&toe(b))).unwrap();
    let rest = step.translations.iter().zip(&step.rotations).map(|(t, r)| Transform::new(*t, *r)).collect();
    let stepping = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest).unwrap();
    let roles = JointRoles::resolve(&stepping, &BTreeMap::new()).unwrap();
    assert_eq!(Reference::from_rest(&stepping, &roles), Err(RetargetError::RestPose));
    let odd = RawClip { skeleton: stepping, ..source.clone() };
    let found = Reference::of_clips(std::slice::from_ref(&odd), &BTreeMap::new()).unwrap();
    let map = RetargetMap::new(found, from_rest(s)).unwrap();
    feet_point_as_in(s, &poses(&source), &applied(&map, &odd));
}

/// Checks the directions of the feet.
fn feet_point_as_in(s: &Skeleton, was: &[Pose], is: &[Pose]) {
    for (f, (was, is)) in was.iter().zip(is).enumerate() {
        for (a, b) in [("LeftFoot", "LeftToe"), ("RightFoot", "RightToe")] {
            let cosine = direction(s, was, a, b).dot(direction(s, is, a, b));
            assert!(cosine > 0.99, "frame {f}, {a}: {cosine}");
        }
    }
}

#[test]
fn planted_feet_stay_planted_on_other_legs() {
    let target = hero(Hero::default());
    for name in ["walk_175", "run_400", "plant_walk_180_left", "stop_walk_175_left_foot"] {
        let source = clip(name);
        let map = map(&source.skeleton, &target);
        let (out, report) = map.retarget_clip(&source, &RetargetOptions::default()).unwrap();
        out.validate().unwrap();
        assert!(report.plants >= 2 && report.frames == source.frames(), "{report:?}");
        assert!(report.skate_cm_s <= 1.1 * report.skate_source_cm_s + 0.1, "{report:?}");
        assert!(report.foot_height_error_cm < 0.5 && report.toe_under_ground_cm < 0.5, "{report:?}");
        assert!(report.knee_hyperextended_frames == 0 && report.worst_direction_deg < 20.0, "{report:?}");
        let free = RetargetOptions { plant_feet: false, ..Default::default() };
        let (_, free) = map.retarget_clip(&source, &free).unwrap();
        assert!(free.worst_direction_deg < 0.3 && free.skate_cm_s >= report.skate_cm_s, "{free:?}");
        assert_eq!(free.skate_cm_s, report.skate_unplanted_cm_s);
        // Bodies move smoothly, also where feet lift.
        let moved = |c: &RawClip, f: usize| {
            (at(&c.skeleton, &pose(c, f + 1), "LeftLeg") - at(&c.skeleton, &pose(c, f), "LeftLeg")).length() * c.rate_hz
        };
        let fastest = |c: &RawClip| (0..c.frames() - 1).map(|f| moved(c, f)).fold(0.0, f32::max);
        assert!(fastest(&out) < 1.35 * map.scale * fastest(&source), "{name}: {} {}", fastest(&out), fastest(&source));
    }
}

#[test]
fn a_root_is_made_for_a_rig_that_has_one_and_left_out_for_one_that_has_none() {
    let source = clip("walk_175");
    let bare = hero(Hero::default());
    let (on_bare, _) = map(&source.skeleton, &bare).retarget_clip(&source, &RetargetOptions::default()).unwrap();
    assert!(on_bare.translations[0].y > 0.7, "hips carry the motion");
    let (back, report) = map(&bare, &source.skeleton).retarget_clip(&on_bare, &RetargetOptions::default()).unwrap();
    for f in 0..back.frames() {
        let root = pose(&back, f).world_from_root();
        assert!(root.translation.y.abs() < 1e-4 && (root.rotation * Vec3::Y).y > 0.9999);
        let was = pose(&source, f).world_from_root();
        assert!((root.translation - was.translation).with_y(0.0).length() < 0.08);
    }
    assert!(report.skate_cm_s < 1.0, "{report:?}");
    let roots = |c: &RawClip| BuildConfig::default().prepare(std::slice::from_ref(c)).unwrap()[0].skeleton.len();
    assert_eq!(roots(&back), back.skeleton.len(), "the build takes the root that is there");
}

#[test]
fn a_database_is_built_from_retargeted_clips() {
    let target = hero(Hero::default());
    let clips: Vec<RawClip> = ["idle", "walk_175", "run_400"].map(clip).into();
    let map = map(&clips[0].skeleton, &target);
    let onto = |c: &RawClip| map.retarget_clip(c, &RetargetOptions::default()).unwrap().0;
    let clips: Vec<RawClip> = clips.iter().map(onto).collect();
    let (db, report) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap();
    assert_eq!(db.skeleton.len(), 66);
    assert_eq!(report.contact_joints, ["mixamorig:LeftToeBase", "mixamorig:RightToeBase"]);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn what_cannot_be_retargeted_is_refused_with_a_reason() {
    let person = from_rest(&footwork_gait::skeleton());
    let s = footwork_gait::skeleton();
    let paws = ["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"];
    let joints = ["LeftHand", "RightHand", "LeftFoot", "RightFoot"];
    let given = paws.iter().zip(joints).map(|(r, j)| (r.to_string(), j.to_owned())).collect();
    let dog = Reference::from_rest(&s, &JointRoles::resolve(&s, &given).unwrap()).unwrap();
    let refused = |a: &Reference, b: &Reference| RetargetMap::new(a.clone(), b.clone()).unwrap_err().to_string();
    assert!(refused(&person, &dog).contains("the source walks on two legs and the target on four"));
    assert!(refused(&dog, &person).contains("the target walks on two legs and the source on four"));
    assert!(refused(&dog, &dog).contains("four legs"));

    let stick = Skeleton::new(vec!["Hips".into()], vec![None], vec![Transform::IDENTITY]).unwrap();
    let e = Reference::from_rest(&stick, &JointRoles::resolve(&stick, &BTreeMap::new()).unwrap()).unwrap_err();
    assert!(e.to_string().contains("left_up_leg") && e.to_string().contains("build.roles"), "{e}");

    let walk = clip("walk_175");
    let other = map(&hero(Hero::default()), &s);
    let e = other.retarget_clip(&walk, &RetargetOptions::default()).unwrap_err().to_string();
    assert!(e.contains("walk_175") && e.contains("another skeleton"), "{e}");
}
