//! Sweep of a body through the block that a request is about, such as the wall that is vaulted.

use super::action::Action;
use super::warp::Warp;
use crate::database::Database;
use crate::frames::JointIndex;
use crate::obstacles::Obstacle;
use crate::pose::{Pose, PoseVelocity};
use glam::{Vec2, Vec3};

/// Joints that are swept: hips, knees and toes.
const JOINTS: usize = 5;
/// Frames of a sweep.
const FRAMES: usize = 16;
/// Distance between the tested points of the path of a joint, in metres, and their largest number from one frame to the next. Where a point
/// is deeper than [`THROUGH_M`], the thinnest block is twice as thick.
const STEP_M: f32 = LEAST_HALF_M - THROUGH_M;
const MOST_STEPS: f32 = 32.0;
/// Least half width of a block, in metres: a thin wall is not passed between two steps, nor shallower than [`THROUGH_M`].
const LEAST_HALF_M: f32 = 0.1;
/// Rate of the stored positions, in 1/s.
const RATE_HZ: f32 = 20.0;
/// Depth in a block up to which a joint counts as on its surface, in metres: joints of a foot are as deep in what it stands on.
pub(super) const THROUGH_M: f32 = 0.06;

/// Positions of joints of an action: clip space, in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Body {
    /// Time of the first frame, in seconds of the clip.
    first_s: f32,
    /// `[frames]`, at [`RATE_HZ`].
    frames: Vec<[Vec3; JOINTS]>,
}

impl Body {
    /// Samples an action. Allocates.
    pub fn of(db: &Database, action: &Action) -> Self {
        let Some(joints) = joints(db) else { return Self::default() };
        let view = db.view(action.clip, action.mirrored);
        let first_s = action.entries.first().map_or(0.0, |entry| entry.time_s);
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let last = ((end_s(action) - first_s) * RATE_HZ).ceil() as usize;
        let at = |k: usize| {
            view.sample(f64::from(first_s + k as f32 / RATE_HZ).min(view.seconds()), &mut pose, &mut velocity);
            let root = pose.world_from_root();
            joints.map(|joint| root.point(pose.in_root(&db.skeleton, joint).translation))
        };
        Self { first_s, frames: (0..=last).map(at).collect() }
    }

    /// Returns the positions at a time of the clip, in seconds.
    fn at(&self, time_s: f32) -> [Vec3; JOINTS] {
        let last = self.frames.len().saturating_sub(1);
        let x = ((time_s - self.first_s) * RATE_HZ).clamp(0.0, last as f32);
        let k = (x as usize).min(last.saturating_sub(1));
        let (a, b) = (self.frames[k], self.frames[(k + 1).min(last)]);
        std::array::from_fn(|j| a[j] + (b[j] - a[j]) * (x - k as f32))
    }

    /// Returns how deep the body goes into a block from the base of a warp to the end of its action, in metres. Allocates nothing.
    pub fn depth_m(&self, warp: &Warp, block: &Obstacle) -> f32 {
        if self.frames.is_empty() {
            return 0.0;
        }
        let (from_s, to_s) = (warp.base_s, end_s(warp.action));
        let block = &Obstacle { half_m: block.half_m.max(Vec2::splat(LEAST_HALF_M - block.radius_m)), ..*block };
        let at = |time_s: f32| {
            let correction = warp.correction(time_s);
            self.at(time_s).map(|joint| correction.point(joint))
        };
        let (mut deepest_m, mut before): (f32, _) = (0.0, at(from_s));
        for k in 1..=FRAMES {
            let now = at(from_s + (to_s - from_s) * k as f32 / FRAMES as f32);
            for (a, b) in before.into_iter().zip(now) {
                let count = ((b - a).length() / STEP_M).ceil().clamp(1.0, MOST_STEPS);
                let steps = (1..=count as usize).map(|s| a + (b - a) * (s as f32 / count));
                deepest_m = steps.fold(deepest_m, |deepest_m, at| deepest_m.max(depth_m(block, at)));
            }
            before = now;
        }
        deepest_m
    }
}

/// Returns the time at which the body is past its contacts, in seconds of the clip.
fn end_s(action: &Action) -> f32 {
    action.phases.recovery_s.min(action.end_s)
}

/// Returns how deep a point is in a block, in metres; 0 outside.
fn depth_m(block: &Obstacle, at: Vec3) -> f32 {
    let (side_m, _) = block.side(at);
    let (over_m, under_m) = (block.position.y + block.height_m - at.y, at.y - block.position.y);
    (-side_m).min(over_m).min(under_m).max(0.0)
}

/// Returns hips, knees and toes; `None` for a body without two legs.
fn joints(db: &Database) -> Option<[JointIndex; JOINTS]> {
    let hips = db.rig.body.as_ref()?.hips;
    let mut legs = db.rig.body.as_ref()?.legs.iter().flatten();
    let (left, right) = (legs.next()?, legs.next()?);
    Some([hips, left.knee, right.knee, left.toe, right.toe])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Facing;
    use glam::Vec2;

    #[test]
    fn the_depth_in_a_block_is_the_least_way_out() {
        let block = Obstacle::cuboid(Vec3::Y, Vec2::new(1.0, 0.5), Facing::FORWARD, 0.8);
        let depth = |x: f32, y: f32, z: f32| (depth_m(&block, Vec3::new(x, y, z)) * 100.0).round();
        assert_eq!([depth(0.0, 1.4, 0.0), depth(0.9, 1.4, 0.0), depth(0.0, 1.75, 0.0)], [40.0, 10.0, 5.0]);
        assert_eq!([depth(1.1, 1.4, 0.0), depth(0.0, 1.9, 0.0), depth(0.0, 0.9, 0.0)], [0.0; 3]);
    }
}
