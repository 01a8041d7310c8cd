//! Real files in, sane motion out, and the same motion after a round trip. Needs `FOOTWORK_DATA`.

mod common;

use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::Transform;
use footwork_import::bvh::{self, Units, WriteOptions};
use footwork_import::read_clips;
use glam::Vec3;
use std::path::Path;

/// Positions of a joint in the file's world, per frame.
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
    // Feet come down to the ground and heads stay above it: the rotations are composed the right way round.
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
