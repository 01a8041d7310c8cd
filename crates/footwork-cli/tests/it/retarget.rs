//! `footwork retarget`: transfers clips of one skeleton to another, from the command line.

use crate::common;

use common::{data, fails, has_keys, hero, json, mocap, names, ok, run};
use footwork::build::retarget::RetargetOptions;
use footwork::clip::RawClip;
use footwork::pose::Pose;
use footwork::retarget::{Reference, RetargetMap};
use footwork::roles::JointRoles;
use footwork_import::bvh::Units;
use footwork_import::read_clips;
use glam::Vec3;
use std::collections::BTreeMap;
use std::path::Path;

const REPORT: [&str; 15] = [
    "clip",
    "frames",
    "scale",
    "plants",
    "skate_source_cm_s",
    "skate_unplanted_cm_s",
    "skate_cm_s",
    "worst_direction_deg",
    "worst_direction_joint",
    "worst_direction_frame",
    "median_direction_deg",
    "knee_limit_frames",
    "knee_hyperextended_frames",
    "foot_height_error_cm",
    "toe_under_ground_cm",
];

#[test]
fn a_folder_goes_onto_another_rig_and_a_database_is_built_from_it() {
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    hero(dir.path());
    let said = json(dir.path(), &["retarget", "mocap", "--onto", "hero.bvh", "-o", "hero"]);
    has_keys(&said, &["output", "clips", "scale", "source_leg_m", "target_leg_m", "warnings", "elapsed_s"]);
    assert_eq!(said["clips"], 10);
    assert_eq!(said["target_roles"]["left_toe"]["joint"], "mixamorig:LeftToeBase");
    assert_eq!(said["target_roles"]["left_toe"]["found_by"], "name");
    for report in said["clip_list"].as_array().unwrap() {
        has_keys(report, &REPORT);
        let number = |key: &str| report[key].as_f64().unwrap();
        assert!(number("skate_cm_s") < 1.1 * number("skate_source_cm_s") + 0.1, "{report}");
        assert!(number("worst_direction_deg") < 20.0 && number("knee_hyperextended_frames") == 0.0, "{report}");
    }
    assert_eq!(names(&dir.path().join("hero")), names(&dir.path().join("mocap")));
    let built = json(dir.path(), &["build", "hero", "-o", "hero.fwdb"]);
    assert_eq!(built["clips"], 10);
    assert_eq!(built["role_sources"]["left_toe"]["found_by"], "name");
    let driven = json(dir.path(), &["simulate", "--db", "hero.fwdb", "--seconds", "10"]);
    assert!(driven["seconds"].as_f64().unwrap() > 9.0);
    let roles = json(dir.path(), &["inspect", "--db", "hero.fwdb"])["roles"].clone();
    assert!(roles["hips"]["confidence"].as_f64().unwrap() > 0.9, "{roles}");
    let text = ok(dir.path(), &["retarget", "mocap/walk_175.bvh", "--onto", "hero.bvh", "-o", "walk.glb"]);
    assert!(text.contains("walk_175") && text.contains("written to walk.glb"), "{text}");
    assert!(dir.path().join("walk.glb").is_file());
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    hero(dir.path());
    let walk = "mocap/walk_175.bvh";
    fails(
        dir.path(),
        &["retarget", "mocap", "--onto", "hero.bvh", "-o", "all.bvh"],
        &["all.bvh", "found 10", "folder"],
    );
    fails(dir.path(), &["retarget", walk, "--onto", "hero.bvh", "-o", "walk.fbx"], &["walk.fbx", ".bvh or .glb"]);
    fails(dir.path(), &["retarget", walk, "--onto", "nobody.bvh", "-o", "x.bvh"], &["nobody.bvh"]);
    let stick = "HIERARCHY\nROOT Pole { OFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT Tip { OFFSET 0 100 0\n\
                 CHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site { OFFSET 0 20 0 } } }\nMOTION\nFrames: 1\nFrame Time: \
                 0.0333\n0 0 0 0 0 0\n";
    std::fs::write(dir.path().join("stick.bvh"), stick).unwrap();
    fails(
        dir.path(),
        &["retarget", walk, "--onto", "stick.bvh", "-o", "x.bvh"],
        &["stick.bvh", "left_up_leg", "build.roles"],
    );
    // A human skeleton with the roles of a dog.
    let roles = "[build.roles]\nleft_fore_foot = \"LeftHand\"\nright_fore_foot = \"RightHand\"\nleft_hind_foot = \
                 \"LeftFoot\"\nright_hind_foot = \"RightFoot\"\n";
    std::fs::write(dir.path().join("dog.toml"), roles).unwrap();
    let dog = ["retarget", walk, "--onto", "built-in", "--roles-from", "dog.toml", "-o", "x.bvh"];
    fails(dir.path(), &dog, &["the source walks on two legs and the target on four"]);
    assert_eq!(names(dir.path()), ["dog.toml", "hero.bvh", "mocap", "stick.bvh"]);
    assert_eq!(run(dir.path(), &["retarget", "--onto", "built-in", "-o", "x"]).code, Some(2));
}

fn poses(clip: &RawClip) -> Vec<Pose> {
    let n = clip.skeleton.len();
    let frames = clip.translations.chunks_exact(n).zip(clip.rotations.chunks_exact(n));
    frames.map(|(t, r)| Pose { translations: t.to_vec(), rotations: r.to_vec() }).collect()
}

fn lafan(pattern: &str, folder: &Path) -> Vec<RawClip> {
    read_clips(&[folder.join(pattern)], Path::new(""), Units::Auto, None).unwrap()
}

fn rest(skeleton: &footwork::skeleton::Skeleton) -> Reference {
    Reference::from_rest(skeleton, &JointRoles::resolve(skeleton, &BTreeMap::new()).unwrap()).unwrap()
}

#[test]
fn captured_walking_keeps_its_contacts_on_the_built_in_person() {
    let Some(folder) = data("captured_walking_keeps_its_contacts_on_the_built_in_person", "lafan1") else { return };
    let clips = lafan("*walk*.bvh", &folder);
    let map =
        RetargetMap::new(Reference::of_clips(&clips, &BTreeMap::new()).unwrap(), rest(&footwork_gait::skeleton()))
            .unwrap();
    assert!(clips.len() > 10 && (map.scale - 1.0).abs() < 0.05, "{}", map.scale);
    for clip in &clips {
        let (_, report) = map.retarget_clip(clip, &RetargetOptions::default()).unwrap();
        assert!(report.skate_cm_s <= 1.1 * report.skate_source_cm_s, "{report:?}");
        assert!(report.knee_hyperextended_frames == 0 && report.knee_limit_frames == 0, "{report:?}");
        assert!(report.worst_direction_deg < 12.0 && report.foot_height_error_cm < 0.5, "{report:?}");
        assert!(report.toe_under_ground_cm < 0.5, "{report:?}");
    }
}

#[test]
fn captured_motion_comes_back_from_two_other_bodies_as_it_was() {
    let Some(folder) = data("captured_motion_comes_back_from_two_other_bodies_as_it_was", "lafan1") else { return };
    let clips = lafan("*walk*.bvh", &folder);
    let person = footwork_gait::skeleton();
    let rig = hero::hero(hero::Hero { root: true, ..Default::default() });
    let captured = Reference::of_clips(&clips, &BTreeMap::new()).unwrap();
    let chain = [captured.clone(), rest(&person), rest(&rig), captured];
    let maps: Vec<RetargetMap> =
        chain.windows(2).map(|w| RetargetMap::new(w[0].clone(), w[1].clone()).unwrap()).collect();
    let s = &clips[0].skeleton;
    let mut on: Vec<Pose> = maps.iter().map(|m| Pose::rest(&m.target.skeleton)).collect();
    let (mut was, mut is) = (Vec::new(), Vec::new());
    for clip in clips.iter().step_by(5) {
        for pose in poses(clip).iter().step_by(10) {
            for (k, map) in maps.iter().enumerate() {
                let (before, after) = on.split_at_mut(k);
                map.apply(before.last().unwrap_or(pose), &mut after[0]);
            }
            pose.world(s, &mut was);
            on[2].world(s, &mut is);
            for (j, name) in s.names().iter().enumerate().skip(1) {
                let deg = was[j].rotation.angle_between(is[j].rotation).to_degrees();
                assert!(deg < 0.5, "{}: {name} is turned by {deg} degrees", clip.name);
            }
            assert!((was[1].translation - is[1].translation).length() < 5e-3);
        }
    }
}

#[test]
fn captured_bodies_are_understood_without_names() {
    let Some(folder) = data("captured_bodies_are_understood_without_names", "lafan1") else { return };
    for clip in lafan("*.bvh", &folder).iter().step_by(7) {
        let s = &clip.skeleton;
        let named = JointRoles::resolve(s, &BTreeMap::new()).unwrap();
        let names = (0..s.len()).map(|j| format!("j{j}")).collect();
        let nameless = footwork::skeleton::Skeleton::new(names, s.parents().to_vec(), s.rest().to_vec()).unwrap();
        // In the rest pose all bones point along one axis; in a frame of the clip they do not.
        let mut world = Vec::new();
        poses(clip)[clip.frames() / 2].world(s, &mut world);
        let positions: Vec<Vec3> = world.iter().map(|t| t.translation).collect();
        let found = JointRoles::resolve_with_poses(&nameless, &BTreeMap::new(), &[positions]).unwrap();
        for (role, joint) in named.iter() {
            assert_eq!(found.get(role), Some(joint), "{}: {role}", clip.name);
        }
        assert!(!found.is_quadruped() && found.notes().is_empty());
    }
}

#[test]
fn a_dog_walks_on_four_feet_and_nobody_is_put_on_it() {
    let Some(folder) = data("a_dog_walks_on_four_feet_and_nobody_is_put_on_it", "dog") else { return };
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    let folder = folder.display().to_string();
    let built = json(dir.path(), &["build", &folder, "-o", "dog.fwdb"]);
    assert_eq!(built["roles"]["left_fore_foot"], "LeftHand");
    // The End Site of the hock: the paw.
    assert_eq!(built["roles"]["right_hind_foot"], "RightFoot_End");
    assert_eq!(built["role_sources"]["left_fore_foot"]["found_by"], "topology");
    let file = format!("{folder}/{}", names(Path::new(&folder))[0]);
    fails(
        dir.path(),
        &["retarget", "mocap/walk_175.bvh", "--onto", &file, "-o", "x.bvh"],
        &["the source walks on two legs and the target on four"],
    );
}
