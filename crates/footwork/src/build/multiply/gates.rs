//! Plausibility limits of made clips, measured on their source clips.

use super::hips::HipHeights;
use super::kit::{Kit, angle_rad, less_and_less};
use crate::build::track::Track;
use crate::frames::JointIndex;
use crate::math::Quat;
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Maximum slide of planted feet, in metres.
const SLIDE_M: f32 = 0.01;
/// Maximum rotation of joints from the standing pose beyond that of all sources, in radians.
const BEYOND_RAD: f32 = 0.35;
/// Minimum limit for thighs, in radians: a high step of a person.
const THIGH_RAD: f32 = 1.5;
/// Maximum straightening of knees beyond that of all sources, in radians.
const STRAIGHTER_RAD: f32 = 0.05;
/// Maximum jerk, in units of the greatest jerk of a source.
const JERK: f32 = 1.3;
/// Maximum change of a joint's velocity in a frame, in units of its greatest change in a source: steps under a hard turn are up to 1.35
/// times as quick, and uneven strides are made even. For joints that hardly move against the root, in units of the greatest change of
/// any joint.
const CHANGE: f32 = 2.5;
const CHANGE_OF_ANY: f32 = 0.25;
/// Change above which a jump is visible: 4 m/s in a frame at 60 Hz.
const VISIBLE_MPS2: f32 = 240.0;
/// Greatest visible jump of a clip, and of a loop, in units of the greatest in a source: without a loop, a steady command changes clips
/// all the time.
pub const JUMP: f32 = 1.0;
pub const JUMP_OF_LOOPS: f32 = 1.1;
/// Lowest hips, as a factor on the captured height at the same speed.
const HIPS: f32 = 0.95;
/// Percentile of the jerk over frames, as a share: single frames are noise.
const PERCENTILE: f32 = 0.95;

/// Limits from the source clips.
#[derive(Clone, Debug)]
pub struct Limits {
    stand: Pose,
    /// `[joints]` maximum rotation from the standing pose, in radians.
    turns_rad: Vec<f32>,
    /// Straightest knee: angle between thigh and shin in radians, 0 for a straight leg.
    bend_rad: f32,
    jerk: f32,
    /// `[joints]` largest change of velocity in root space, in m/s2.
    changes_mps2: Vec<f32>,
    /// Heights of the hips.
    hips: HipHeights,
}

impl Limits {
    /// Measures the limits on tracks.
    pub fn of(kit: &Kit, stand: &Pose, tracks: &[&Track]) -> Self {
        let joints = stand.len();
        let mut limits = Self {
            stand: stand.clone(),
            turns_rad: vec![0.0; joints],
            bend_rad: f32::INFINITY,
            jerk: 0.0,
            changes_mps2: vec![0.0; joints],
            hips: HipHeights::of(kit, tracks),
        };
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
            let at = positions(kit.skeleton, &poses);
            limits.jerk = limits.jerk.max(jerk(&at, track.rate_hz));
            for (most, (mps2, _)) in limits.changes_mps2.iter_mut().zip(changes(&poses, at, track.rate_hz)) {
                *most = most.max(mps2);
            }
        }
        limits
    }

    /// Returns the rotation of a joint, limited smoothly: the part beyond all sources is compressed to stay below the
    /// limit.
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

    /// Returns the height of the hips of a plausible clip, see [`HipHeights::ratio`]. `on`: contacts of each foot. `jump`: [`JUMP`] or
    /// [`JUMP_OF_LOOPS`].
    ///
    /// # Errors
    /// Returns the reason why a clip is implausible.
    pub fn check(
        &self,
        kit: &Kit,
        (poses, on): (&[Pose], &[Vec<bool>; 2]),
        rate_hz: f32,
        jump: f32,
    ) -> Result<Option<f32>, String> {
        let joints = 1..self.stand.len();
        for j in joints {
            let turn = |p: &Pose| p.rotations[j].angle_between(self.stand.rotations[j]);
            let most = poses.iter().map(turn).fold(0.0, f32::max);
            let thigh = kit.legs.iter().any(|leg| leg.hip.at() == j);
            let limit = (self.turns_rad[j] + BEYOND_RAD).max(if thigh { THIGH_RAD } else { 0.0 });
            if most > limit {
                let name = &kit.skeleton.names()[j];
                return Err(format!("joint `{name}` turns by {:.0} degrees", most.to_degrees()));
            }
        }
        for side in 0..2 {
            let bend = poses.iter().map(|p| bend_rad(kit, p, side)).fold(f32::INFINITY, f32::min);
            if bend < self.bend_rad - STRAIGHTER_RAD {
                return Err(format!("a knee is stretched to {:.0} degrees", 180.0 - bend.to_degrees()));
            }
            let slide = slide_m(kit, poses, &on[side], side);
            if slide > SLIDE_M {
                return Err(format!("a standing foot slides by {:.1} cm", 100.0 * slide));
            }
        }
        let hip_ratio = self.hips.ratio(kit, poses, rate_hz);
        if let Some(ratio) = hip_ratio.filter(|ratio| *ratio < HIPS) {
            return Err(format!("its hips are at {:.0} % of the captured height", 100.0 * ratio));
        }
        let at = positions(kit.skeleton, poses);
        let jerk = jerk(&at, rate_hz);
        let largest_mps2 = self.changes_mps2.iter().copied().fold(0.0, f32::max);
        for (j, (mps2, frame)) in changes(poses, at, rate_hz).into_iter().enumerate() {
            let own = self.changes_mps2[j];
            let most = (CHANGE * own).max(CHANGE_OF_ANY * largest_mps2).min(VISIBLE_MPS2).max(jump * own);
            if mps2 > most {
                let name = &kit.skeleton.names()[j];
                return Err(format!("joint `{name}` jumps at frame {frame}: {mps2:.0} m/s2, at most {most:.0}"));
            }
        }
        if jerk > JERK * self.jerk {
            return Err(format!("jerk {jerk:.0} m/s3, sources {:.0}", self.jerk));
        }
        Ok(hip_ratio)
    }
}

fn bend_rad(kit: &Kit, pose: &Pose, side: usize) -> f32 {
    let leg = kit.legs[side];
    let [hip, knee, ankle] = [leg.hip, leg.knee, leg.ankle].map(|j| pose.in_root(kit.skeleton, j).translation);
    angle_rad(knee - hip, ankle - knee)
}

/// Returns the maximum distance of the contact joint from the start of its stance, in metres.
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

/// Returns the positions of all joints in world space, `[frames][joints]`.
fn positions(skeleton: &Skeleton, poses: &[Pose]) -> Vec<Vec<Vec3>> {
    let mut world = Vec::new();
    let mut of = |pose: &Pose| {
        pose.world(skeleton, &mut world);
        world.iter().map(|joint| joint.translation).collect()
    };
    poses.iter().map(&mut of).collect()
}

/// Returns the 95th percentile over frames of the mean jerk over joints, in m/s3. `at`: positions of joints.
fn jerk(at: &[Vec<Vec3>], rate_hz: f32) -> f32 {
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

/// Returns, for `[joints]`, the largest change of velocity in root space from one frame to the next, in m/s2, and its frame. `at`:
/// positions of joints.
fn changes(poses: &[Pose], mut at: Vec<Vec<Vec3>>, rate_hz: f32) -> Vec<(f32, usize)> {
    for (pose, at) in poses.iter().zip(&mut at) {
        let root_from_world = pose.world_from_root().inverse();
        at.iter_mut().for_each(|position| *position = root_from_world.point(*position));
    }
    let mut largest = vec![(0.0, 0); at.first().map_or(0, Vec::len)];
    for (f, three) in at.windows(3).enumerate() {
        for (j, largest) in largest.iter_mut().enumerate() {
            let second = (three[2][j] - three[1][j]) - (three[1][j] - three[0][j]);
            let mps2 = second.length() * rate_hz * rate_hz;
            if mps2 > largest.0 {
                *largest = (mps2, f + 2);
            }
        }
    }
    largest
}
