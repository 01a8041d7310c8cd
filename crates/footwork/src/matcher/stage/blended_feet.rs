//! Feet during a blend: points of the world, to which the legs are bent. A foot that is planted in the next clip stays in place,
//! while the root above it moves with its offset.

use crate::adjust::lower_body::{LowerBody, MAX_LEGS};
use crate::blend::inertialize::Moving;
use crate::blend::{Offset, TransitionConfig};
use crate::matcher::character::Character;
use crate::matcher::model::Model;
use crate::matcher::state::MatcherState;
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity, motion_in_root};
use glam::Vec3;

/// Squared distance between a blended foot and its point below which a leg is not bent, m2.
const NEAR_M2: f32 = 1e-10;

/// Returns where the feet are during a blend: those of the clip at the animated root, with the rest of their offsets. World space,
/// metres, `[contact joints]`; `None` after the blend. Feet that are planted in the clip do not move with the offset of the root.
pub fn points_of_feet(
    character: &Character,
    state: &MatcherState,
    config: &TransitionConfig,
    clip: &Pose,
) -> Option<[Vec3; MAX_LEGS]> {
    let (model, h) = (&character.model, &state.header);
    // Until the rotations are blended out.
    if config.since(h.transition.since_s).is_over() {
        return None;
    }
    let config = config.of_feet()?;
    let since = config.since(h.transition.since_s);
    let mut points = [Vec3::ZERO; MAX_LEGS];
    let starts = state.points(&character.resolved.layout);
    for (point, (joint, start)) in points.iter_mut().zip(model.rig.contact_joints.iter().zip(starts)) {
        let left = config.left(config.seam, start, &since).value;
        *point = h.root.animated.point(clip.in_root(&model.skeleton, *joint).translation) + left;
    }
    Some(points)
}

/// Bends the legs of a pose, whose root is at `root`, so that the feet are at `points`, metres in world space.
pub fn bend_to(points: &[Vec3], root: Transform, character: &Character, pose: &mut Pose) {
    let Some(body) = &character.model.rig.body else { return };
    let mut lower = LowerBody::of(&character.model.skeleton, body, character.config.feet.reach(), pose);
    for (leg, point) in lower.legs_mut().iter_mut().zip(points) {
        let Some(leg) = leg else { continue };
        let point = root.inverse_point(*point);
        if (point - leg.toe.translation).length_squared() > NEAR_M2 {
            leg.approach(point);
        }
    }
    lower.write(pose);
}

/// `[contact joints]` positions of the feet in world space, with their derivatives. Accelerations are without the terms that are
/// quadratic in velocities.
pub struct Feet(pub [Offset; MAX_LEGS]);

impl Feet {
    /// Returns the feet of a body at `root`, to which `own` (0 to 1) of the root's motion is given.
    pub fn of(model: &Model, body: &Moving, root: Transform, own: f32) -> Self {
        let mut feet = [Offset::default(); MAX_LEGS];
        for (foot, joint) in feet.iter_mut().zip(&model.rig.contact_joints) {
            let rate = |of: &PoseVelocity| {
                let (at, relative) = motion_in_root(&model.skeleton, &body.pose, of, *joint);
                (at, root.rotation * (relative + (of.linear[0] + of.angular[0].cross(at)) * own))
            };
            let (at, velocity) = rate(&body.velocity);
            *foot = Offset { value: root.point(at), velocity, acceleration: rate(&body.acceleration).1 };
        }
        Self(feet)
    }

    /// Adds the rest of the offsets that were `starts` at a transition.
    pub fn add_left(&mut self, config: &TransitionConfig, starts: &[Offset], since_s: f32) {
        let since = config.since(since_s);
        for (foot, start) in self.0.iter_mut().zip(starts) {
            let left = config.left(config.seam, start, &since);
            foot.value += left.value;
            foot.velocity += left.velocity;
            foot.acceleration += left.acceleration;
        }
    }

    /// Writes the offsets that a transition from these feet to `next` starts with; the next clip is moved by `shift`, metres.
    pub fn start(&self, next: &Self, shift: Vec3, starts: &mut [Offset]) {
        for (start, (before, after)) in starts.iter_mut().zip(self.0.iter().zip(&next.0)) {
            *start = Offset {
                value: before.value - after.value - shift,
                velocity: before.velocity - after.velocity,
                acceleration: before.acceleration - after.acceleration,
            };
        }
    }
}
