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
#[derive(Default)]
pub struct Errors {
    pub mean: f32,
    pub p99: f32,
    /// `[segments]`.
    pub worst: Vec<Worst>,
    /// `[frames x joints]`.
    all: Vec<f32>,
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
    /// Compares the decoded poses of a clip with the captured ones, in the segments that were decoded again.
    pub fn measure(&mut self, of: &Captured, places: &Places, decoded: &PosePool, labels: &[u8], again: &[bool]) {
        let (joints, contacts) = (decoded.joints, of.contact_joints.len());
        let Self { all, worst, .. } = self;
        all.resize(places.all.len(), 0.0);
        worst.resize(again.len(), Worst::default());
        for (worst, _) in worst.iter_mut().zip(again).filter(|(_, again)| **again) {
            *worst = Worst::default();
        }
        let mut world = Vec::new();
        let frames = places.all.chunks_exact(joints).zip(all.chunks_exact_mut(joints)).enumerate();
        for (f, (captured, errors)) in frames.filter(|(f, _)| again[f / SEGMENT]) {
            place(of.skeleton, decoded, f, places.from[f], &mut world);
            let segment = &mut worst[f / SEGMENT];
            for ((a, b), error) in captured.iter().zip(&world).zip(errors) {
                *error = off(a, b);
                segment.joint = segment.joint.max(*error);
            }
            for (slot, joint) in of.contact_joints.iter().enumerate() {
                if labels[f * contacts + slot] == 1 {
                    let error = (captured[joint.at()].translation - world[joint.at()].translation).length();
                    segment.foot = segment.foot.max(error);
                }
            }
        }
        self.mean = (all.iter().map(|e| f64::from(*e)).sum::<f64>() / all.len().max(1) as f64) as f32;
        let (at, mut sorted) = (all.len().saturating_sub(1) * 99 / 100, all.clone());
        self.p99 = *sorted.select_nth_unstable_by(at, f32::total_cmp).1;
    }
}

/// Returns the largest distance between three points around two places of a joint.
fn off(a: &Transform, b: &Transform) -> f32 {
    let moved = a.translation - b.translation;
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let squared = axes.map(|axis| (moved + (a.rotation * axis - b.rotation * axis) * OFF_M).length_squared());
    squared.into_iter().fold(0.0, f32::max).sqrt()
}
