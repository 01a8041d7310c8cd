//! Reads real files; checks that the motion is plausible, and unchanged after writing and reading. Needs `FOOTWORK_DATA`.

use crate::common;

use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::Transform;
use footwork_import::bvh::{self, Units, WriteOptions};
use footwork_import::{read_clips, read_files};
use glam::Vec3;
use std::path::Path;

/// Returns the world positions of a joint, per frame.
fn path_of(clip: &RawClip, name: &str) -> Vec<Vec3> {
    let joint = clip.skeleton.require(name).unwrap();
    let joints = clip.skeleton.len();
    let at = |frame: usize| {
        let mut world = Transform::IDENTITY;
        let mut next = Some(joint);
        while let Some(j) = next {
            let i = frame * joints + j.at();
            world = Transform::new(clip.translations[i], clip.rotations[i]) * world;
            next = clip.skeleton.parents()[j.at()];
        }
        world.translation
    };
    (0..clip.frames()).map(at).collect()
}

fn mean_height(clip: &RawClip, name: &str) -> f32 {
    let path = path_of(clip, name);
    path.iter().map(|p| p.y).sum::<f32>() / path.len() as f32
}

fn read_folder(folder: &Path, units: Units) -> Vec<RawClip> {
    read_clips(&[folder.to_owned()], Path::new(""), units, None).unwrap()
}

fn check(folder: &str, rate_hz: f32, hips_m: std::ops::Range<f32>) -> Vec<RawClip> {
    let Some(path) = common::data_folder(folder) else { return Vec::new() };
    let all = read_folder(&path, Units::Auto);
    assert_eq!(all.len(), std::fs::read_dir(&path).unwrap().count());
    for clip in &all {
        clip.validate().unwrap();
        assert_eq!(clip.rate_hz, rate_hz, "{}", clip.name);
        let hips = mean_height(clip, "Hips");
        assert!(hips_m.contains(&hips), "{}: hips at {hips} m", clip.name);
    }
    assert!(all.windows(2).all(|w| w[0].name < w[1].name));
    all
}

#[test]
fn lafan1_reads_in_metres_with_its_root_bone() {
    let clips = check("lafan1", 60.0, 0.3..1.2);
    for clip in &clips {
        assert_eq!(clip.skeleton.len(), 23);
        assert_eq!(clip.skeleton.name(JointIndex(0)), "SimulationBone");
        let rest = clip.skeleton.rest()[clip.skeleton.require("LeftLeg").unwrap().at()].translation;
        assert!((rest.length() - 0.435).abs() < 1e-3, "a thigh of {} m", rest.length());
    }
    // Feet reach the ground and heads stay above it, so the rotations are composed in the right order.
    for clip in clips.iter().filter(|c| c.name.starts_with("walk1")) {
        let lowest = path_of(clip, "LeftToe").iter().map(|p| p.y).fold(f32::MAX, f32::min);
        assert!(lowest.abs() < 0.05, "{}: lowest toe at {lowest} m", clip.name);
        assert!((1.4..1.8).contains(&mean_height(clip, "Head")));
    }
}

#[test]
fn raw_lafan1_reads_in_metres_with_hips_as_the_root() {
    for clip in check("lafan1-raw", 30.0, 0.8..1.1) {
        assert_eq!((clip.skeleton.len(), clip.skeleton.name(JointIndex(0))), (22, "Hips"));
        assert!((clip.translations[0] - clip.skeleton.rest()[0].translation).length() < 1e-5);
    }
}

#[test]
fn the_dog_reads_in_metres() {
    for clip in check("dog", 60.0, 0.2..0.6) {
        assert!((mean_height(&clip, "Head") - 0.5).abs() < 0.35, "{}", clip.name);
    }
}

/// Expected result of each file: clips as (name, frames), or a part of the error.
const OTHERS: [(&str, &str, Result<&[(&str, usize)], &str>); 10] = [
    ("fbx", "jog.fbx", Ok(&[("jog", 25)])),
    ("fbx", "locomotions.fbx", Ok(&[("locomotions.jog", 25), ("locomotions.run", 21), ("locomotions.walk", 41)])),
    ("fbx", "run.fbx", Ok(&[("run", 21)])),
    ("fbx", "walk.fbx", Ok(&[("walk", 41)])),
    ("gltf", "box_animated.gltf", Err("moves single objects (`node_0`, `node_2`), no skeleton")),
    ("gltf", "cesium_man.gltf", Ok(&[("cesium_man", 49)])),
    ("gltf", "interpolation_test.gltf", Err("moves single objects (`Cube.003`, ")),
    ("gltf", "rigged_simple.gltf", Ok(&[("rigged_simple", 50)])),
    ("gltf", "triangle.gltf", Err("holds a model but no animation")),
    ("gltf", "ubisoft_model_skeleton.glb", Err("holds a model but no animation")),
];

#[test]
fn every_fbx_and_gltf_file_is_read_or_refused_with_a_reason() {
    for folder in ["fbx", "gltf"] {
        let Some(path) = common::data_folder(folder) else { return };
        let known = |name: &str| Path::new(name).extension().is_some_and(|e| e != "bin");
        let names = std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|n| known(n)).collect();
        names.sort();
        let expected: Vec<&str> = OTHERS.iter().filter(|o| o.0 == folder).map(|o| o.1).collect();
        assert_eq!(names, expected, "a file without an expectation");
        for (_, name, expectation) in OTHERS.iter().filter(|o| o.0 == folder) {
            let read = read_files(&[path.join(name)], Units::Auto, None).map_err(|e| e.to_string());
            match (read, expectation) {
                (Ok(clips), Ok(expected)) => {
                    let found: Vec<(&str, usize)> = clips.iter().map(|c| (c.name.as_str(), c.frames())).collect();
                    assert_eq!(found, *expected);
                }
                (Err(told), Err(part)) => assert!(told.contains(name) && told.contains(part), "{told}"),
                (read, _) => panic!("{name}: {:?}", read.map(|c| c.len())),
            }
        }
    }
}

#[test]
fn the_fbx_takes_are_people_on_the_ground_in_metres() {
    let Some(path) = common::data_folder("fbx") else { return };
    let clips = read_folder(&path, Units::Auto);
    assert_eq!(clips.len(), 6);
    for clip in &clips {
        assert_eq!(clip.skeleton.names(), clips[0].skeleton.names());
        assert!((1.5..1.8).contains(&mean_height(clip, "Head")), "{}: {}", clip.name, mean_height(clip, "Head"));
        let soles = ["LeftFootThumb1", "RightFootThumb1"].map(|j| path_of(clip, j));
        let lowest = soles.iter().flatten().map(|p| p.y).fold(f32::MAX, f32::min);
        assert!(lowest.abs() < 0.06, "{}: a toe at {lowest} m", clip.name);
        let way = path_of(clip, "Hips");
        let speed = way[0].distance(way[way.len() - 1]) / clip.seconds();
        let expected = [("walk", 0.8..1.5), ("jog", 2.0..4.0), ("run", 4.0..7.0)];
        let (_, range) = expected.into_iter().find(|(n, _)| clip.name.ends_with(n)).unwrap();
        assert!(range.contains(&speed), "{}: {speed} m/s", clip.name);
    }
    // The same takes, in separate files and together.
    for (a, b) in
        clips.iter().filter_map(|c| Some((c, clips.iter().find(|o| o.name == format!("locomotions.{}", c.name))?)))
    {
        assert!(a.translations.iter().zip(&b.translations).all(|(a, b)| a.distance(*b) < 1e-3), "{}", a.name);
    }
}

#[test]
fn real_motion_survives_being_written() {
    for folder in ["lafan1", "lafan1-raw", "dog"] {
        let Some(path) = common::data_folder(folder) else { return };
        for clip in read_folder(&path, Units::Auto) {
            let mut text = Vec::new();
            bvh::write(&clip, &mut text, &WriteOptions::default()).unwrap();
            let back = bvh::parse(&text, &clip.name).unwrap();
            let back = back.to_clip(&clip.name, &clip.source, Units::Centimetres).unwrap();
            assert_eq!(back.skeleton.names(), clip.skeleton.names());
            for (a, b) in clip.translations.iter().zip(&back.translations) {
                assert!((*a - *b).length() < 1e-5, "{}: {a} {b} m", clip.name);
            }
            for (a, b) in clip.rotations.iter().zip(&back.rotations) {
                assert!(a.angle_between(*b).to_degrees() < 1e-3, "{}", clip.name);
            }
        }
    }
}
