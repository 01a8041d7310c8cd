//! Look-at: spine, neck and head share the rotation towards a target, each within its limits.
//!
//! The smoothed quantity is the look direction in root space, so a head that nods in its clip looks steadily at a fixed
//! target. For a target beyond the limits the rotation eases out, to zero straight behind.

use crate::frames::JointIndex;
use crate::math::spring::{Follower, Spring};
use crate::math::{Quat, Transform, asin, atan2, wrap_angle};
use crate::pose::Pose;
use crate::settings;
use crate::skeleton::Skeleton;
use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};
use std::f32::consts::PI;

settings! {
    /// The `[matcher.look_at]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LookAtConfig {
        /// Whether the character looks at the targets that the game gives.
        enabled: bool = true;
        /// Half-life of turning to another target. Lower values turn sooner; higher values are smoother.
        half_life_s: f32 = 0.12, in 1e-4 to 10.0, unit "s";
        /// Half-life of beginning and ceasing to look.
        weight_half_life_s: f32 = 0.15, in 1e-4 to 10.0, unit "s";
        /// Fastest target that is followed. A target that moves faster across the view counts as a new one, to which the head
        /// turns with `half_life_s`.
        fastest_degps: f32 = 180.0, in 0.0 to 1e6, unit "degrees/s";
        /// Height of the eyes above the last joint, in a body that stands.
        eyes_up_m: f32 = 0.08, in -1.0 to 1.0, unit "m";
        /// Distance of the eyes ahead of the last joint, in a body that stands.
        eyes_ahead_m: f32 = 0.1, in -1.0 to 1.0, unit "m";
        /// Joints that turn.
        ///
        /// From the lowest to the head, at most 8. A role that the rig does not have is left out. Joints share an angle in
        /// proportion to their limits. Default: `chest` (20 and 10 degrees), `neck` (30 and 20), `head` (40 and 30).
        joints: Vec<LookJointConfig> = look_joints();
    }

    /// An entry of `matcher.look_at.joints`.
    #[derive(Clone, Debug, PartialEq)]
    pub entry LookJointConfig {
        /// Joint or role.
        joint: String;
        /// Maximum angle to either side.
        yaw_deg: f32, in 0.0 to 180.0, unit "degrees";
        /// Maximum angle up or down.
        pitch_deg: f32, in 0.0 to 90.0, unit "degrees";
    }
}

fn look_joints() -> Vec<LookJointConfig> {
    let joint = |name: &str, yaw_deg, pitch_deg| LookJointConfig { joint: name.into(), yaw_deg, pitch_deg };
    vec![joint("chest", 20.0, 10.0), joint("neck", 30.0, 20.0), joint("head", 40.0, 30.0)]
}

/// Maximum number of look-at joints.
pub(crate) const MAX_LOOK_JOINTS: usize = 8;

/// A joint that rotates for look-at. Joints share an angle in proportion to their limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookJoint {
    /// The joint.
    pub joint: JointIndex,
    /// Maximum angle to either side, degrees.
    pub yaw_deg: f32,
    /// Maximum angle up or down, degrees.
    pub pitch_deg: f32,
}

/// Joints and eyes that look-at controls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaze<'a> {
    /// Skeleton that the joints belong to.
    pub skeleton: &'a Skeleton,
    /// From the lowest to the joint that carries the eyes.
    pub joints: &'a [LookJoint],
    /// Position of the eyes, in the space of the last joint, metres.
    pub eyes: Vec3,
    /// Look direction, in the space of the last joint; a unit vector.
    pub forward: Vec3,
}

/// State of look-at between updates. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct LookAt {
    /// Weight: 0 keeps the clip's look direction, 1 looks at the target.
    pub weight: Spring,
    /// Yaw of the look direction in root space, radians.
    pub yaw: Follower,
    /// Pitch of the look direction in root space, radians; up is positive.
    pub pitch: Follower,
    /// Distance to the target, metres.
    pub distance_m: f32,
}

impl<'a> Gaze<'a> {
    /// Creates the rig of look-at. `joints` go from the lowest to the head. `looks_ahead` is the head's rotation (root space)
    /// in a pose that looks ahead: the rest pose, or a frame of an idle. `eyes` is the position of the eyes in that pose,
    /// relative to the head joint, along the root's axes, metres.
    pub fn new(skeleton: &'a Skeleton, joints: &'a [LookJoint], looks_ahead: Quat, eyes: Vec3) -> Self {
        let head_from_root = looks_ahead.inverse();
        Self { skeleton, joints, eyes: head_from_root * eyes, forward: head_from_root * Vec3::Z }
    }

    /// Returns the position of the eyes (root space) and yaw and pitch of the look direction.
    fn of(&self, head: Transform) -> (Vec3, Vec2) {
        (head.point(self.eyes), angles(head.rotation * self.forward))
    }

    /// Returns the transform of the last joint of a pose, root space.
    fn head(&self, pose: &Pose) -> Transform {
        self.joints.last().map_or(Transform::IDENTITY, |j| pose.in_root(self.skeleton, j.joint))
    }

    /// Returns the sum of the limits of all joints, radians: yaw, pitch.
    fn limits(joints: &[LookJoint]) -> Vec2 {
        joints.iter().map(|j| Vec2::new(j.yaw_deg, j.pitch_deg)).sum::<Vec2>() * (PI / 180.0)
    }

    /// Returns the limited look direction for a target in the direction `target`, where the clip looks in the direction `now`.
    fn aim(&self, now: Vec2, target: Vec2) -> Vec2 {
        let limits = Self::limits(self.joints).clamp(Vec2::ZERO, Vec2::splat(0.95 * PI));
        let wanted = Vec2::new(wrap_angle(target.x - now.x), target.y - now.y);
        // Straight behind, neither side is nearer: the weight falls to zero before that.
        let beyond = ((wanted.x.abs() - limits.x) / (PI - limits.x)).max(0.0);
        let kept = 1.0 - crate::math::smoothstep(beyond);
        now + wanted.clamp(-limits, limits) * kept
    }
}

impl LookAt {
    /// Updates the state by `dt_s`. `target` is in world space; with `None` the clip's look direction applies. `pose` is the
    /// pose to bend.
    pub fn update(&mut self, config: &LookAtConfig, gaze: &Gaze, target: Option<Vec3>, pose: &Pose, dt_s: f32) {
        let (eyes, now) = gaze.of(gaze.head(pose));
        let mut aim = now;
        if let Some(target) = target {
            let way = pose.world_from_root().inverse_point(target) - eyes;
            aim = gaze.aim(now, angles(way));
            self.distance_m = way.length().max(LEAST_DISTANCE_M);
        }
        if self.weight.value < LEAST_WEIGHT {
            (self.yaw, self.pitch) = (Follower::at(aim.x), Follower::at(aim.y));
        }
        let fastest = config.fastest_degps.to_radians();
        self.yaw.follow(aim.x, fastest, config.half_life_s, dt_s);
        self.pitch.follow(aim.y, fastest, config.half_life_s, dt_s);
        self.weight.to(f32::from(u8::from(target.is_some())), config.weight_half_life_s, dt_s);
    }

    /// Rotates the joints of a pose.
    pub fn apply(&self, gaze: &Gaze, pose: &mut Pose) {
        if self.weight.value < LEAST_WEIGHT {
            return;
        }
        let mut head = gaze.head(pose);
        let (eyes, now) = gaze.of(head);
        let wanted = now + (Vec2::new(self.yaw.spring.value, self.pitch.spring.value) - now) * self.weight.value;
        // A point, not a direction: bending the spine moves the eyes.
        let point = eyes + direction(wanted) * self.distance_m.max(LEAST_DISTANCE_M);
        for (k, joint) in gaze.joints.iter().enumerate() {
            let (parent, pivot) =
                (pose.parent_in_root(gaze.skeleton, joint.joint), pose.local(joint.joint).translation);
            let pivot = parent.point(pivot);
            let limit = Vec2::new(joint.yaw_deg, joint.pitch_deg) * (PI / 180.0);
            let share = limit / Gaze::limits(&gaze.joints[k..]).max(Vec2::splat(1e-6));
            // Turning the head moves the eyes: the head joint iterates.
            let looks = if k + 1 == gaze.joints.len() { 3 } else { 1 };
            for _ in 0..looks {
                let (eyes, now) = gaze.of(head);
                let to = angles(point - eyes);
                let turn = (Vec2::new(wrap_angle(to.x - now.x), to.y - now.y) * share).clamp(-limit, limit);
                let by = rotation(now + turn) * rotation(now).inverse();
                head = Transform::new(pivot + by * (head.translation - pivot), (by * head.rotation).renormalize());
                let local = parent.rotation.inverse() * by * parent.rotation * pose.rotations[joint.joint.at()];
                pose.rotations[joint.joint.at()] = local.renormalize();
            }
        }
    }
}

/// Weight below which the pose is not changed.
const LEAST_WEIGHT: f32 = 1e-4;
/// Smallest distance of a target; nearer targets count as this far away, metres.
const LEAST_DISTANCE_M: f32 = 0.3;

/// Returns yaw and pitch of a direction, radians; up is positive.
fn angles(v: Vec3) -> Vec2 {
    let v = v.normalize_or(Vec3::Z);
    Vec2::new(atan2(v.x, v.z), asin(v.y))
}

/// Returns the rotation that takes +Z to a yaw and pitch, without roll.
fn rotation(angles: Vec2) -> Quat {
    Quat::from_rotation_y(angles.x) * Quat::from_rotation_x(-angles.y)
}

fn direction(angles: Vec2) -> Vec3 {
    rotation(angles).forward()
}
