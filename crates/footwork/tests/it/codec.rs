//! Encoded poses: the same bits in memory and in a file, errors within their bounds, and few bytes.

use crate::common;

use footwork::build::{BuildConfig, BuildOptions, CodecConfig, Multiply, MultiplyConfig, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use std::path::Path;

/// Returns a database of some built-in clips: with encoded poses, unless `error_mm` is 0.
pub fn encoded(clips: &[RawClip], error_mm: f32) -> Database {
    let multiply = MultiplyConfig { mode: Multiply::Off, ..Default::default() };
    let config = BuildConfig { codec: CodecConfig { error_mm }, multiply, ..Default::default() };
    build(clips, &config, &BuildOptions { encode_poses: true, ..Default::default() }).unwrap().0
}

/// Returns clips of several kinds: a walk, a run, turns, a stand.
pub fn some_clips() -> Vec<RawClip> {
    common::clips().iter().step_by(9).cloned().collect()
}

/// Returns a rotated vector, by the definition: q v q*.
fn rotated([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let (u, uv) = ([x, y, z], cross([x, y, z], v));
    let uuv = cross(u, uv);
    [0, 1, 2].map(|i| v[i] + 2.0 * (w * uv[i] + uuv[i]))
}

/// Returns a point of a joint in the space of the clip: along the chain of its parents, in f64.
fn point(db: &Database, frame: usize, joint: usize, off: [f64; 3]) -> [f64; 3] {
    let poses = &db.poses;
    let mut at = off;
    let mut next = Some(joint);
    while let Some(j) = next {
        let translation = match poses.translated.iter().position(|t| t.at() == j) {
            Some(k) => poses.translations[frame * poses.translated.len() + k],
            None => db.skeleton.rest()[j].translation,
        };
        let turned = rotated(poses.rotations[frame * poses.joints + j].to_array().map(f64::from), at);
        let moved = translation.to_array().map(f64::from);
        at = [0, 1, 2].map(|i| turned[i] + moved[i]);
        next = db.skeleton.parents()[j].map(|p| p.at());
    }
    at
}

fn distance_mm(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt() * 1000.0
}

#[test]
fn errors_are_within_their_bounds_3_cm_off_each_joint_and_smaller_at_feet_in_contact() {
    let clips = some_clips();
    let captured = encoded(&clips, 0.0);
    assert!(captured.encoded_poses().is_none());
    let contacts = captured.rig.contact_joints.len();
    for error_mm in [0.1f64, 1.0] {
        let db = encoded(&clips, error_mm as f32);
        let (mut all, mut feet) = (Vec::new(), Vec::new());
        for frame in 0..db.frames() {
            for joint in 0..db.skeleton.len() {
                let off = |axis: usize| {
                    let mut off = [0.0; 3];
                    off[axis] = 0.03;
                    distance_mm(point(&db, frame, joint, off), point(&captured, frame, joint, off))
                };
                all.push((0..3).map(off).fold(0.0, f64::max));
            }
            for slot in (0..contacts).filter(|slot| captured.contacts[frame * contacts + slot] == 1) {
                let joint = captured.rig.contact_joints[slot].at();
                feet.push(distance_mm(point(&db, frame, joint, [0.0; 3]), point(&captured, frame, joint, [0.0; 3])));
            }
        }
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let (p99, most) = (all[all.len() * 99 / 100], all[all.len() - 1]);
        let foot = feet.iter().copied().fold(0.0, f64::max);
        println!("{error_mm} mm: mean {mean:.4}, p99 {p99:.4}, largest {most:.4}, feet {foot:.4}");
        // Room for the rounding of f32 in the measurement of the build.
        assert!(mean <= error_mm * 1.01 && p99 <= error_mm * 5.05 && most <= error_mm * 15.0 + 0.002, "{error_mm}");
        assert!(mean >= error_mm * 0.3, "bytes are spent on errors of {mean} mm");
        assert!(feet.len() > 100 && foot <= error_mm + 0.002, "{error_mm}: {foot}");
    }
}

#[test]
fn an_encoded_database_has_the_same_bits_before_it_is_saved_and_after_it_is_loaded() {
    let clips = some_clips();
    let db = encoded(&clips, 0.1);
    let bytes = db.to_bytes().unwrap();
    assert_eq!(encoded(&clips, 0.1).to_bytes().unwrap(), bytes, "two builds differ");
    let loaded = Database::from_bytes(&bytes, Path::new("test.fwdb")).unwrap();
    assert!(loaded.poses == db.poses, "other poses");
    assert!(loaded.features.values == db.features.values, "other features");
    assert_eq!(loaded.content_hash(), db.content_hash());
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert_eq!(Database::clone_of(&loaded).to_bytes().unwrap(), bytes);
    let size = db.encoded_poses().unwrap().size();
    let bits = size as f64 * 8.0 / db.poses.rotations.len() as f64;
    println!("{bits:.2} bits per joint and frame, {size} of {} bytes", db.poses.bytes());
    assert!(bits <= 19.0, "{bits}");
}

#[test]
fn without_encoding_a_build_keeps_the_poses_of_the_clips() {
    let clips = some_clips();
    let config =
        BuildConfig { multiply: MultiplyConfig { mode: Multiply::Off, ..Default::default() }, ..Default::default() };
    let (plain, _) = build(&clips, &config, &BuildOptions::default()).unwrap();
    assert!(plain.encoded_poses().is_none());
    assert_eq!(plain.to_bytes().unwrap(), encoded(&clips, 0.0).to_bytes().unwrap());
}
