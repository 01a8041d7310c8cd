//! Clips on a robot: limits, speeds, planted feet and the ground hold, measured here by products of matrices.

use crate::PERSON;
use footwork::clip::RawClip;
use footwork::retarget::Reference;
use footwork_gait::GaitOptions;
use footwork_robot::{Footing, Parts, Retargeting, RobotClip, RobotModel, RobotOptions, RobotReport, to_csv, to_npz};
use glam::{DMat4, DQuat, DVec3};
use std::sync::OnceLock;

/// Half of the length of the person's foot, and the middle of its box.
const FOOT: [DVec3; 2] = [DVec3::new(0.1, 0.035, 0.015), DVec3::new(0.045, 0.0, -0.035)];

fn clips() -> &'static [RawClip] {
    static CLIPS: OnceLock<Vec<RawClip>> = OnceLock::new();
    CLIPS.get_or_init(generated)
}

fn generated() -> Vec<RawClip> {
    let all = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() });
    let named = |part: &str| all.iter().find(|c| c.name.starts_with(part)).unwrap_or_else(|| panic!("{part}")).clone();
    ["walk_175", "run_320", "idle", "strafe_walk_90_left", "strafe_walk_135_left"].map(named).to_vec()
}

fn retargeting(options: RobotOptions) -> Retargeting {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let source = Reference::of_clips(clips(), &Default::default()).unwrap();
    Retargeting::new(model, source, options).unwrap()
}

fn done() -> &'static Vec<(RobotClip, RobotReport)> {
    static DONE: OnceLock<Vec<(RobotClip, RobotReport)>> = OnceLock::new();
    DONE.get_or_init(|| retargeting(RobotOptions::default()).clips(clips(), None).unwrap())
}

/// Returns the matrix of a body, hinge by hinge from the root.
fn matrix(model: &RobotModel, pose: &[f64], body: usize) -> DMat4 {
    let of = &model.bodies[body];
    let mut at = match of.parent {
        None => DMat4::from_rotation_translation(
            DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]).normalize(),
            DVec3::from_slice(&pose[..3]),
        ),
        Some(parent) => matrix(model, pose, parent) * DMat4::from_rotation_translation(of.rotation, of.position),
    };
    for h in of.hinges.clone() {
        let hinge = &model.hinges[h];
        at *= DMat4::from_translation(hinge.anchor)
            * DMat4::from_axis_angle(hinge.axis, pose[7 + h])
            * DMat4::from_translation(-hinge.anchor);
    }
    at
}

#[test]
fn angles_stay_within_ranges_and_speeds() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    for (clip, report) in done() {
        let frames: Vec<&[f64]> = clip.poses.chunks_exact(model.pose_len()).collect();
        for (f, pose) in frames.iter().enumerate() {
            for (h, hinge) in model.hinges.iter().enumerate() {
                let [low, high] = hinge.range.unwrap();
                assert!((low..=high).contains(&pose[7 + h]), "{}, frame {f}: {}", clip.name, hinge.name);
                let speed = f.checked_sub(1).map_or(0.0, |b| (pose[7 + h] - frames[b][7 + h]) * clip.rate_hz);
                assert!(speed.abs() <= 20.0, "{}, frame {f}: {}: {speed} rad/s", clip.name, hinge.name);
            }
        }
        assert_eq!((report.limit_violations, report.speed_violations), (0, 0));
    }
}

#[test]
fn planted_feet_stay_and_no_foot_is_below_the_ground() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let feet = ["left_foot", "right_foot"].map(|n| model.bodies.iter().position(|b| b.name == n).unwrap());
    for (clip, report) in done() {
        let (mut slides, mut lowest) = (Vec::new(), f64::INFINITY);
        for (s, foot) in feet.iter().enumerate() {
            let mut last: Option<DVec3> = None;
            for (f, pose) in clip.poses.chunks_exact(model.pose_len()).enumerate() {
                let at = matrix(&model, pose, *foot);
                let corner = |x: f64, y: f64| at.transform_point3(FOOT[1] + FOOT[0] * DVec3::new(x, y, -1.0));
                for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                    lowest = lowest.min(corner(x, y).z);
                }
                let toe = corner(1.0, 0.0);
                if clip.contacts[s][f] {
                    assert!(toe.z < 0.02, "{}, frame {f}: a planted foot {} m high", clip.name, toe.z);
                    slides.extend(last.map(|l| (toe - l).truncate().length() * clip.rate_hz));
                }
                last = clip.contacts[s][f].then_some(toe);
            }
        }
        let slide = 100.0 * slides.iter().sum::<f64>() / slides.len().max(1) as f64;
        assert!(slide < 0.5 && lowest > -0.001, "{}: {slide} cm/s, {lowest} m", clip.name);
        assert!((slide - report.planted_slide_cm_s).abs() < 1e-6, "{slide} and {report:?}");
        assert_eq!(slides.len(), report.planted_frames);
    }
}

#[test]
fn the_pelvis_moves_as_smoothly_as_the_source() {
    // Hips that go from side to side by 20 cm: ankles that do not roll far would pull the pelvis after the flat soles.
    let mut clips = clips().to_vec();
    for clip in &mut clips[..1] {
        let (joints, hips) = (clip.skeleton.len(), clip.skeleton.find("Hips").unwrap().at());
        for f in 0..clip.frames() {
            let aside = 0.2 * libm::sinf(f as f32 / clip.rate_hz * 6.0);
            clip.translations[f * joints + hips].x += aside;
        }
    }
    let of = retargeting(RobotOptions::default());
    for clip in &clips {
        let (done, report) = of.clip(clip).unwrap();
        let width = done.poses.len() / clip.frames();
        let root: Vec<DVec3> = done.poses.chunks_exact(width).map(DVec3::from_slice).collect();
        let changes = root.windows(3).map(|p| (p[2] - p[1]) - (p[1] - p[0]));
        let most = changes.map(DVec3::length).fold(0.0, f64::max) * done.rate_hz * done.rate_hz;
        assert!((most - report.root_acceleration_max_m_s2).abs() < 1e-6, "{}: {most} and {report:?}", clip.name);
        assert!(most < 1.2 * report.source_root_acceleration_max_m_s2 + 1.0, "{}: {report:?}", clip.name);
    }
}

#[test]
fn the_robot_walks_as_the_source_does() {
    for (clip, report) in done() {
        assert!(report.root_cm < 3.0 && report.feet_cm < 0.1, "{}: {report:?}", clip.name);
        assert!(report.bones_deg < 12.0 && report.hands_cm.unwrap() < 5.0, "{}: {report:?}", clip.name);
        assert!(report.feet_apart_min_cm.is_none_or(|gap| gap > 0.5), "{}: {report:?}", clip.name);
    }
    let (walk, source) = (&done()[0].0, &clips()[0]);
    let width = walk.poses.len() / source.frames();
    let travelled = walk.poses[walk.poses.len() - width] - walk.poses[0];
    let (first, last) = (source.translations[0], source.translations[(source.frames() - 1) * source.skeleton.len()]);
    let scale = f64::from(retargeting(RobotOptions::default()).scale());
    assert!((travelled - f64::from(last.z - first.z) * scale).abs() < 0.1, "{travelled} m ahead");
}

#[test]
fn a_lower_speed_holds_too_and_a_speed_must_be_positive() {
    let slow = retargeting(RobotOptions { max_speed_rad_s: 4.0, ..Default::default() });
    let (_, report) = slow.clip(&clips()[1]).unwrap();
    assert!(report.max_speed_rad_s <= 4.0 && report.max_speed_rad_s > 3.9, "{report:?}");
    assert_eq!((report.speed_violations, report.limit_violations), (0, 0));
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let source = Reference::of_clips(clips(), &Default::default()).unwrap();
    let options = RobotOptions { max_speed_rad_s: f64::NAN, ..Default::default() };
    assert!(Retargeting::new(model, source, options).unwrap_err().to_string().contains("maximum speed"));
}

#[test]
fn files_hold_the_poses() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let (clip, _) = &done()[0];
    let csv = to_csv(&model, clip);
    let rows: Vec<Vec<f64>> = csv.lines().map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), clip.contacts[0].len());
    for (row, pose) in rows.iter().zip(clip.poses.chunks_exact(model.pose_len())) {
        assert_eq!((row[..3].to_vec(), row[6], row[3]), (pose[..3].to_vec(), pose[3], pose[4]));
        assert_eq!(row[7..], pose[7..]);
    }
    let npz = to_npz(&model, clip);
    assert!(npz.starts_with(b"PK\x03\x04") && npz.windows(13).any(|w| w == b"joint_pos.npy"));
}

/// Returns the height of the lowest corner of both feet.
fn lowest(model: &RobotModel, pose: &[f64]) -> f64 {
    let feet = ["left_foot", "right_foot"].map(|n| model.bodies.iter().position(|b| b.name == n).unwrap());
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
    let height = |foot: usize, (x, y): (f64, f64)| {
        matrix(model, pose, foot).transform_point3(FOOT[1] + FOOT[0] * DVec3::new(x, y, -1.0)).z
    };
    feet.iter().flat_map(|foot| corners.map(|corner| height(*foot, corner))).fold(f64::INFINITY, f64::min)
}

#[test]
fn feet_of_sunken_poses_are_lifted_onto_the_ground() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let footing = Footing::new(&model, &Parts::find(&model, &Default::default()).unwrap()).unwrap();
    for (clip, _) in done() {
        for pose in clip.poses.chunks_exact(model.pose_len()).step_by(7) {
            let mut sunken = pose.to_vec();
            sunken[2] -= 0.04;
            let before = sunken.clone();
            let below = lowest(&model, &sunken) < -1e-4;
            footing.lift(&model, &mut sunken);
            assert!(lowest(&model, &sunken) > -2e-4, "{}: {} m", clip.name, lowest(&model, &sunken));
            assert!(below || sunken == before, "{}: a foot above the ground has moved", clip.name);
            let rise = sunken[2] - before[2];
            assert!((-1e-3..0.0401).contains(&rise), "{}: the root rose {rise} m", clip.name);
            for (hinge, angle) in model.hinges.iter().zip(&sunken[7..]) {
                let [low, high] = hinge.range.unwrap();
                assert!((low..=high).contains(angle), "{}: {}", clip.name, hinge.name);
            }
        }
    }
}

#[test]
fn a_velocity_leads_from_pose_to_pose() {
    let model = RobotModel::parse(PERSON, "person.xml").unwrap();
    let (clip, _) = &done()[1];
    let frames: Vec<&[f64]> = clip.poses.chunks_exact(model.pose_len()).collect();
    let mut velocity = vec![0.0; model.pose_len() - 1];
    let dt_s = 1.0 / clip.rate_hz;
    for pair in frames.windows(2) {
        model.velocity(pair[0], pair[1], dt_s, &mut velocity);
        let rotation = |p: &[f64]| DQuat::from_xyzw(p[4], p[5], p[6], p[3]).normalize();
        let turned = rotation(pair[0]) * DQuat::from_scaled_axis(DVec3::from_slice(&velocity[3..6]) * dt_s);
        assert!(turned.dot(rotation(pair[1])).abs() > 1.0 - 1e-9);
        for k in 0..3 {
            assert!((pair[0][k] + velocity[k] * dt_s - pair[1][k]).abs() < 1e-9);
        }
        for k in 7..pair[0].len() {
            assert!((pair[0][k] + velocity[k - 1] * dt_s - pair[1][k]).abs() < 1e-9);
        }
    }
}
