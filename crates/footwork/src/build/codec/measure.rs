//! Measured errors of decoded poses.

use super::captured::{Captured, place};
use crate::math::Transform;
use crate::motion::PosePool;
use crate::motion::codec::SEGMENT;
use glam::Vec3;
use std::ops::Range;

/// Distance from a joint at which errors are measured, in metres: as far as the skin of a limb.
pub const OFF_M: f32 = 0.03;

/// Places of all joints of a clip, `[frames x joints]`, relative to the captured position of joint 0 in each frame: numbers stay
/// small, and exact, however far away a clip is.
pub struct Places {
    all: Vec<Transform>,
    /// `[frames]` captured positions of joint 0.
    from: Vec<Vec3>,
}

impl Places {
    pub fn of(captured: &Captured, frames: Range<usize>) -> Self {
        let from: Vec<Vec3> = frames.clone().map(|f| captured.poses.root(f).translation).collect();
        let mut all = Vec::with_capacity(frames.len() * captured.poses.joints);
        let mut world = Vec::new();
        for (f, from) in frames.zip(&from) {
            place(captured.skeleton, captured.poses, f, *from, &mut world);
            all.append(&mut world);
        }
        Self { all, from }
    }
}

/// Errors of a clip, in metres.
pub struct Errors {
    pub mean: f32,
    pub p99: f32,
    /// `[segments]`.
    pub worst: Vec<Worst>,
}

/// Largest errors of a segment, in metres.
#[derive(Clone, Copy, Default)]
pub struct Worst {
    /// Off any joint.
    pub joint: f32,
    /// Of a contact joint that touches.
    pub foot: f32,
}

impl Errors {
    /// Compares the decoded poses of a clip with the captured ones.
    pub fn measure(of: &Captured, places: &Places, decoded: &PosePool, labels: &[u8]) -> Self {
        let (joints, contacts) = (decoded.joints, of.contact_joints.len());
        let mut all = Vec::with_capacity(places.all.len());
        let mut worst = vec![Worst::default(); decoded.frames().div_ceil(SEGMENT)];
        let mut world = Vec::new();
        for (f, captured) in places.all.chunks_exact(joints).enumerate() {
            place(of.skeleton, decoded, f, places.from[f], &mut world);
            let segment = &mut worst[f / SEGMENT];
            for (a, b) in captured.iter().zip(&world) {
                let error = off(a, b);
                segment.joint = segment.joint.max(error);
                all.push(error);
            }
            for (slot, joint) in of.contact_joints.iter().enumerate() {
                if labels[f * contacts + slot] == 1 {
                    let error = (captured[joint.at()].translation - world[joint.at()].translation).length();
                    segment.foot = segment.foot.max(error);
                }
            }
        }
        let mean = (all.iter().map(|e| f64::from(*e)).sum::<f64>() / all.len().max(1) as f64) as f32;
        let at = all.len().saturating_sub(1) * 99 / 100;
        let p99 = *all.select_nth_unstable_by(at, f32::total_cmp).1;
        Self { mean, p99, worst }
    }
}

/// Returns the largest distance between three points around two places of a joint.
fn off(a: &Transform, b: &Transform) -> f32 {
    let moved = a.translation - b.translation;
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    axes.map(|axis| (moved + (a.rotation * axis - b.rotation * axis) * OFF_M).length()).into_iter().fold(0.0, f32::max)
}
