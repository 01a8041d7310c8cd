//! Quality of a retargeted clip.

use super::feet::{Stage, plants};
use super::report::RetargetReport;
use crate::frames::JointIndex;
use crate::math::acos;
use crate::pose::Pose;
use crate::retarget::Reference;
use crate::retarget::feet::world;
use crate::retarget::reference::{leg, toe};
use crate::roles::Side;
use glam::Vec3;

/// Stretch of a leg from which it counts as straight, as a share of its length.
const STRAIGHT: f32 = 0.9975;
/// Stretch of the source's leg below which the target's leg should not be straight.
const BENT: f32 = 0.99;
/// Minimum hyperextension of a knee that is counted, as the sine of the angle.
const HYPEREXTENDED: f32 = 0.052;

/// Compares the result, and the poses before feet were planted, with the source.
pub fn report(stage: &Stage, unplanted: &[Pose], poses: &[Pose]) -> RetargetReport {
    let map = stage.map;
    let mut report = RetargetReport { frames: poses.len(), scale: map.scale, ..Default::default() };
    let (mut source, mut before, mut after, mut steps) = (0.0, 0.0, 0.0, 0usize);
    for side in Side::BOTH {
        let (Some(from), Some(to)) = (toe(&map.source, side), toe(&map.target, side)) else { continue };
        let path = |of: &Reference, poses: &[Pose], joint| -> Vec<Vec3> {
            poses.iter().map(|p| world(of, p, joint)).collect()
        };
        let tracks =
            [path(&map.source, stage.source, from), path(&map.target, unplanted, to), path(&map.target, poses, to)];
        let wished = stage.wished(side);
        for plant in plants(&stage.contacts[side as usize]) {
            report.plants += 1;
            let slide = |track: &[Vec3]| -> f32 {
                let step = |f: usize| track[f + 1] - track[f];
                (plant.start..plant.end - 1).map(|f| step(f).with_y(0.0).length()).sum()
            };
            source += slide(&tracks[0]);
            before += slide(&tracks[1]);
            after += slide(&tracks[2]);
            steps += plant.len() - 1;
            for f in plant {
                report.foot_height_error_cm =
                    report.foot_height_error_cm.max(100.0 * (tracks[2][f].y - wished[f].y).abs());
            }
        }
        for (at, wished) in tracks[2].iter().zip(&wished) {
            report.toe_under_ground_cm = report.toe_under_ground_cm.max(100.0 * (wished.y - at.y));
        }
        knees(stage, poses, side, &mut report);
    }
    let per_second = |slide: f32| 100.0 * slide * stage.rate_hz / steps.max(1) as f32;
    (report.skate_source_cm_s, report.skate_unplanted_cm_s, report.skate_cm_s) =
        (per_second(source), per_second(before), per_second(after));
    directions(stage, poses, &mut report);
    report
}

/// Returns the sine of a knee's bend, positive forwards, and the stretch of the leg as a share of its length.
fn knee(of: &Reference, pose: &Pose, side: Side) -> Option<(f32, f32)> {
    let joint = |part: &str| of.roles.get(&format!("{}_{part}", side.name()));
    let (hip, knee, ankle) = (joint("up_leg")?, joint("leg")?, joint("foot")?);
    let at = |j: JointIndex| pose.in_root(&of.skeleton, j);
    let (upper, lower) = (at(knee).translation - at(hip).translation, at(ankle).translation - at(knee).translation);
    let hinge = at(hip).rotation * (of.joint_from_body[hip.at()] * Vec3::X);
    let bend = upper.normalize_or_zero().cross(lower.normalize_or_zero()).dot(hinge);
    Some((bend, (upper + lower).length() / (upper.length() + lower.length()).max(1e-6)))
}

fn knees(stage: &Stage, poses: &[Pose], side: Side, report: &mut RetargetReport) {
    let map = stage.map;
    if leg(&map.target, side).is_none() {
        report.notes.push(format!(
            "the {} leg has more joints than thigh, shank and foot: its foot is not planted",
            side.name()
        ));
    }
    for (source, pose) in stage.source.iter().zip(poses) {
        let (Some(was), Some(is)) = (knee(&map.source, source, side), knee(&map.target, pose, side)) else { return };
        report.knee_hyperextended_frames += usize::from(is.0 < -HYPEREXTENDED);
        report.knee_limit_frames += usize::from(is.1 > STRAIGHT && was.1 < BENT);
    }
}

/// Compares the directions of bones (for feet and toes: their forward directions) with the source's.
fn directions(stage: &Stage, poses: &[Pose], report: &mut RetargetReport) {
    let map = stage.map;
    let points = |role: &str| role.ends_with("foot") || role.ends_with("toe");
    let joints: Vec<(JointIndex, JointIndex, Vec3)> = map
        .target
        .roles
        .iter()
        .filter_map(|(role, t)| Some((map.counterpart(t)?, t, if points(role) { Vec3::Z } else { Vec3::Y })))
        .collect();
    let mut all = Vec::with_capacity(joints.len() * poses.len());
    for (f, (source, pose)) in stage.source.iter().zip(poses).enumerate() {
        for (s, t, axis) in &joints {
            let along = |of: &Reference, pose: &Pose, j: JointIndex| {
                let world = pose.rotations[0] * pose.in_root(&of.skeleton, j).rotation;
                let world = if j.at() == 0 { pose.rotations[0] } else { world };
                (world * of.joint_from_body[j.at()]) * *axis
            };
            let cosine = along(&map.source, source, *s).dot(along(&map.target, pose, *t));
            let deg = acos(cosine).to_degrees();
            all.push(deg);
            if deg > report.worst_direction_deg {
                report.worst_direction_deg = deg;
                report.worst_direction_joint = map.target.skeleton.name(*t).to_owned();
                report.worst_direction_frame = f;
            }
        }
    }
    all.sort_by(f32::total_cmp);
    report.median_direction_deg = all.get(all.len() / 2).copied().unwrap_or(0.0);
}
