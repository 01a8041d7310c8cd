//! Idle pose: the stillest upright pose with both feet planted, or a pose made from a walk.

use super::cycle::{Cycle, FootSample, Shown};
use super::kit::{Kit, mix_in};
use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::build::track::Track;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use glam::Vec3;

/// Approximate number of poses that are examined.
const LOOKED_AT: usize = 2000;
/// Minimum height, as a share of the greatest height with both feet planted.
const UPRIGHT: f32 = 0.95;
/// Maximum speed of joints relative to the root, in m/s.
const STILL_MPS: f32 = 0.15;

/// A planted foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingFoot {
    /// Position of the contact joint, in root space.
    pub at: Vec3,
    pub yaw_rad: f32,
    /// `aside` holds only the height.
    pub sample: FootSample,
}

/// An idle body.
#[derive(Clone, Debug, PartialEq)]
pub struct Stand {
    /// Pose with joint 0 at the origin.
    pub pose: Pose,
    /// Feet: left, right.
    pub feet: [StandingFoot; 2],
    /// True if no captured pose was suitable.
    pub made: bool,
}

impl Stand {
    /// Returns the stillest pose of all tracks. `captured`: tracks with their contacts, `[frames x contact joints]`. If no
    /// pose is still, it is made from the slowest of `cycles`, which must not be empty.
    pub fn find(kit: &Kit, captured: &[(&Track, &Vec<u8>)], cycles: &[Cycle]) -> Self {
        let all: usize = captured.iter().map(|c| c.0.frames()).sum();
        let step = all.div_ceil(LOOKED_AT);
        let mut found: Vec<(f32, f32, Pose)> = Vec::new();
        for (track, labels) in captured {
            for f in (1..track.frames().saturating_sub(1)).step_by(step) {
                if labels[f * kit.contact_joints..][..kit.contact_joints].iter().all(|on| *on == 1) {
                    let poses = [f - 1, f, f + 1].map(|f| pose(track, f));
                    let [before, now, after] = poses.each_ref().map(|p| joints(kit, p));
                    let speed = |j: usize| (after[j] - before[j]).length() * 0.5 * track.rate_hz;
                    let fastest = (1..now.len()).map(speed).fold(0.0, f32::max);
                    let travel = (track.local(f + 1, 0).translation - track.local(f - 1, 0).translation).length();
                    let [_, pose, _] = poses;
                    let height = now.iter().map(|p| p.y).fold(0.0, f32::max);
                    found.push((height, fastest.max(travel * 0.5 * track.rate_hz), pose));
                }
            }
        }
        let tallest = found.iter().map(|f| f.0).fold(0.0, f32::max);
        let upright = found.into_iter().filter(|f| f.0 >= UPRIGHT * tallest && f.1 < STILL_MPS);
        match upright.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((_, _, pose)) => Self::of(kit, pose, false),
            None => Self::of(kit, from_walk(kit, &cycles[0]), true),
        }
    }

    fn of(kit: &Kit, pose: Pose, made: bool) -> Self {
        let feet = [0, 1].map(|side| {
            let (at, ankle, toe) = kit.foot(&pose, side);
            let yaw_rad = kit.foot_yaw_rad(&pose, side);
            let ankle = Quat::from_rotation_y(-yaw_rad) * ankle;
            let sample = FootSample { progress: 0.0, aside: Vec3::Y * at.y, ankle, toe };
            StandingFoot { at, yaw_rad, sample }
        });
        Self { pose, feet, made }
    }
}

fn pose(track: &Track, frame: usize) -> Pose {
    let mut pose = track.pose(frame);
    pose.set_world_from_root(Transform::IDENTITY);
    pose
}

fn joints(kit: &Kit, pose: &Pose) -> Vec<Vec3> {
    let mut world = Vec::new();
    pose.world(kit.skeleton, &mut world);
    world.iter().map(|t| t.translation).collect()
}

/// Returns the mean pose of a walk, with each foot where it passes the body.
fn from_walk(kit: &Kit, walk: &Cycle) -> Pose {
    const MOMENTS: usize = 16;
    let mut shown = Shown::new(kit);
    let mut mean = Pose::rest(kit.skeleton);
    for k in 0..MOMENTS {
        walk.sample(kit, k as f64 / MOMENTS as f64, &mut shown);
        if k == 0 {
            mean.copy_from(&shown.0);
        } else {
            mix_in(&mut mean, &shown.0, 1.0 / (k + 1) as f32);
        }
    }
    for side in 0..2 {
        let foot = walk.feet[side];
        let flat = walk.foot(kit, side, (false, 0.5), &mut shown);
        let at = Vec3::new(foot.middle.x, flat.aside.y.max(foot.middle.y), 0.0);
        let mut leg = BentLeg::of(kit.skeleton, &mean, kit.legs[side]);
        put(&mut leg, Quat::from_rotation_y(foot.yaw_rad) * flat.ankle, flat.toe);
        leg.reach(at, Reach { kept_m: 0.0, soft_m: 0.01 });
        leg.write(&mut mean);
    }
    mean
}

/// Sets the rotation of a foot: the ankle in the leg's space, the toes in the ankle's. The leg is not bent yet.
pub fn put(leg: &mut BentLeg, ankle: Quat, toe: Quat) {
    leg.turn_foot((ankle * leg.ankle.rotation.inverse()).renormalize());
    if leg.leg.toe != leg.leg.ankle {
        leg.toe.rotation = (leg.ankle.rotation * toe).renormalize();
    }
}
