//! What a made clip must keep to, measured on the clips that it is made of.

use super::kit::{Kit, angle_rad, less_and_less};
use crate::build::track::Track;
use crate::frames::JointIndex;
use crate::math::Quat;
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Feet that stand may slide by this, metres.
const SLIDE_M: f32 = 0.01;
/// Joints may turn further from the standing pose than in any source by this, radians.
const BEYOND_RAD: f32 = 0.35;
/// But thighs by this, in any case: a high step of a person.
const THIGH_RAD: f32 = 1.5;
/// Knees may be straighter than in any source by this, radians.
const STRAIGHTER_RAD: f32 = 0.05;
/// The jerk of the most moving source may be exceeded by this factor.
const JERK: f32 = 1.3;
/// The share of frames whose jerk counts: single frames are noise.
const PERCENTILE: f32 = 0.95;

/// What the sources do.
#[derive(Clone, Debug)]
pub struct Limits {
    stand: Pose,
    /// `[joints]` furthest from the standing pose, radians.
    turns_rad: Vec<f32>,
    /// Straightest knee: the angle between thigh and shin, radians, 0 straight.
    bend_rad: f32,
    jerk: f32,
}

impl Limits {
    /// The limits that tracks keep to.
    pub fn of(kit: &Kit, stand: &Pose, tracks: &[&Track]) -> Self {
        let joints = stand.len();
        let mut limits =
            Self { stand: stand.clone(), turns_rad: vec![0.0; joints], bend_rad: f32::INFINITY, jerk: 0.0 };
        for side in 0..2 {
            limits.bend_rad = limits.bend_rad.min(bend_rad(kit, stand, side));
        }
        for track in tracks {
            let poses: Vec<Pose> = (0..track.frames()).map(|f| track.pose(f)).collect();
            for pose in &poses {
                for (most, (a, b)) in limits.turns_rad.iter_mut().zip(pose.rotations.iter().zip(&stand.rotations)) {
                    *most = most.max(a.angle_between(*b));
                }
                for side in 0..2 {
                    limits.bend_rad = limits.bend_rad.min(bend_rad(kit, pose, side));
                }
            }
            limits.jerk = limits.jerk.max(jerk(kit.skeleton, &poses, track.rate_hz));
        }
        limits
    }

    /// A rotation of a joint that stays under the limit: the further it is beyond all sources, the less of that is left.
    pub fn within(&self, joint: JointIndex, rotation: Quat) -> Quat {
        let rest = self.stand.rotations[joint.at()];
        let turn = (rest.inverse() * rotation).to_rotation_vector();
        let (rad, free_rad) = (turn.length(), self.turns_rad[joint.at()]);
        if rad <= free_rad {
            return rotation;
        }
        let eased_rad = free_rad + less_and_less(rad - free_rad, BEYOND_RAD);
        (rest * Quat::from_rotation_vector(turn * (eased_rad / rad))).renormalize()
    }

    /// Why a clip is not plausible; `None` for one that is. `on`: whether each foot stands.
    pub fn refuse(&self, kit: &Kit, poses: &[Pose], on: &[Vec<bool>; 2], rate_hz: f32) -> Option<String> {
        let joints = 1..self.stand.len();
        for j in joints {
            let turn = |p: &Pose| p.rotations[j].angle_between(self.stand.rotations[j]);
            let most = poses.iter().map(turn).fold(0.0, f32::max);
            let thigh = kit.legs.iter().any(|leg| leg.hip.at() == j);
            let limit = (self.turns_rad[j] + BEYOND_RAD).max(if thigh { THIGH_RAD } else { 0.0 });
            if most > limit {
                let name = &kit.skeleton.names()[j];
                return Some(format!("joint `{name}` turns by {:.0} degrees", most.to_degrees()));
            }
        }
        for side in 0..2 {
            let bend = poses.iter().map(|p| bend_rad(kit, p, side)).fold(f32::INFINITY, f32::min);
            if bend < self.bend_rad - STRAIGHTER_RAD {
                return Some(format!("a knee is stretched to {:.0} degrees", 180.0 - bend.to_degrees()));
            }
            let slide = slide_m(kit, poses, &on[side], side);
            if slide > SLIDE_M {
                return Some(format!("a standing foot slides by {:.1} cm", 100.0 * slide));
            }
        }
        let jerk = jerk(kit.skeleton, poses, rate_hz);
        (jerk > JERK * self.jerk).then(|| format!("jerk {jerk:.0} m/s3, sources {:.0}", self.jerk))
    }
}

fn bend_rad(kit: &Kit, pose: &Pose, side: usize) -> f32 {
    let leg = kit.legs[side];
    let [hip, knee, ankle] = [leg.hip, leg.knee, leg.ankle].map(|j| pose.in_root(kit.skeleton, j).translation);
    angle_rad(knee - hip, ankle - knee)
}

/// Furthest that the touching joint gets from where it was first in a stance.
fn slide_m(kit: &Kit, poses: &[Pose], on: &[bool], side: usize) -> f32 {
    let flat = Vec3::new(1.0, 0.0, 1.0);
    let (mut start, mut most) = (None, 0.0f32);
    for (pose, on) in poses.iter().zip(on) {
        let at = (pose.world_from_root().point(kit.foot(pose, side).0)) * flat;
        start = if *on { start.or(Some(at)) } else { None };
        most = most.max(start.map_or(0.0, |s: Vec3| (at - s).length()));
    }
    most
}

/// 95th percentile over frames of the mean over joints, m/s3.
fn jerk(skeleton: &Skeleton, poses: &[Pose], rate_hz: f32) -> f32 {
    let mut world = Vec::new();
    let at: Vec<Vec<Vec3>> = poses
        .iter()
        .map(|p| {
            p.world(skeleton, &mut world);
            world.iter().map(|t| t.translation).collect()
        })
        .collect();
    let cubed = rate_hz * rate_hz * rate_hz;
    let mut jerks: Vec<f32> = at
        .windows(4)
        .map(|w| {
            let third = |j: usize| (w[3][j] - w[2][j] * 3.0 + w[1][j] * 3.0 - w[0][j]).length() * cubed;
            (0..w[0].len()).map(third).sum::<f32>() / w[0].len() as f32
        })
        .collect();
    jerks.sort_by(f32::total_cmp);
    jerks.get((jerks.len() as f32 * PERCENTILE) as usize).copied().unwrap_or(0.0)
}
