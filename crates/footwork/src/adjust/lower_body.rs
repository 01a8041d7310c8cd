//! Pelvis and legs of a pose during pose adjustments.

use super::two_bone_ik::{BentLeg, Reach};
use crate::math::spring::Spring;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::rig::Body;
use crate::settings;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Maximum number of legs of a body that can be bent.
pub(crate) const MAX_LEGS: usize = 8;

/// Pelvis and legs of a pose while adjustments bend them in turn: read from the pose once, written back once. Root space.
#[derive(Clone, Copy, Debug)]
pub struct LowerBody<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) body: &'a Body,
    pub(super) reach: Reach,
    hips: Transform,
    legs: [Option<BentLeg>; MAX_LEGS],
}

impl<'a> LowerBody<'a> {
    /// Reads pelvis and legs from a pose; `reach` limits the stretch of the legs.
    pub fn of(skeleton: &'a Skeleton, body: &'a Body, reach: Reach, pose: &Pose) -> Self {
        let hips = pose.in_root(skeleton, body.hips);
        let mut legs = [None; MAX_LEGS];
        for (bent, leg) in legs.iter_mut().zip(&body.legs) {
            *bent = leg.map(|leg| match skeleton.parents()[leg.hip.at()] {
                Some(above) if above == body.hips => BentLeg::below(hips, pose, leg),
                _ => BentLeg::of(skeleton, pose, leg),
            });
        }
        Self { skeleton, body, reach, hips, legs }
    }

    /// Returns the transform of the joint that the legs descend from.
    pub fn hips(&self) -> Transform {
        self.hips
    }

    /// Returns the legs, `[contact joints]` in the order of the body; those beyond `MAX_LEGS` are missing.
    pub fn legs(&self) -> &[Option<BentLeg>] {
        &self.legs
    }

    /// Returns the other leg that descends from the same joint as a leg. `None` if there is none.
    pub fn opposite(&self, slot: usize) -> Option<usize> {
        self.body.opposites.get(slot).copied().flatten()
    }

    /// Returns the direction away from the opposite leg: +X or -X. Zero for a leg without one.
    pub fn out(&self, slot: usize) -> Vec3 {
        let hip_m = |slot: usize| Some(self.legs.get(slot)?.as_ref()?.hip.translation.x);
        let beside_m = self.opposite(slot).and_then(|other| Some(hip_m(slot)? - hip_m(other)?));
        beside_m.map_or(Vec3::ZERO, |m| if m > 0.0 { Vec3::X } else { Vec3::NEG_X })
    }

    /// Returns the legs for modification.
    pub fn legs_mut(&mut self) -> &mut [Option<BentLeg>] {
        &mut self.legs
    }

    /// Moves the pelvis to `to`, in `pose` at once; the legs move along.
    pub fn move_hips(&mut self, to: Transform, pose: &mut Pose) {
        if to.rotation == self.hips.rotation {
            let by = to.translation - self.hips.translation;
            self.legs.iter_mut().flatten().for_each(|leg| leg.shift(by));
        } else {
            let by = to * self.hips.inverse();
            self.legs.iter_mut().flatten().for_each(|leg| leg.carry(by));
        }
        self.hips = to;
        pose.set_in_root(self.skeleton, self.body.hips, to);
    }

    /// Moves the pelvis by a translation, in `pose` at once; the legs move along.
    pub fn shift_hips(&mut self, by: Vec3, pose: &mut Pose) {
        self.move_hips(Transform::new(self.hips.translation + by, self.hips.rotation), pose);
    }

    /// Returns the drop of the pelvis, metres, at which every toe reaches its target `wanted` (root space); 0 where all do.
    pub fn sink_needed(&self, wanted: impl Fn(Vec3) -> Vec3) -> f32 {
        let needed = |leg: &BentLeg| leg.sink_needed(wanted(leg.toe.translation), self.reach);
        self.legs.iter().flatten().map(needed).fold(0.0, f32::max)
    }

    /// Rotates each joint of the spine, and all joints above it, by a rotation in root space.
    pub(super) fn rotate_spine(&self, pose: &mut Pose, by: Quat) {
        let mut parent = pose.in_root(self.skeleton, self.body.hips).rotation;
        for joint in &self.body.spine {
            let turned = by * parent * pose.rotations[joint.at()];
            pose.rotations[joint.at()] = (parent.inverse() * turned).renormalize();
            parent = turned.renormalize();
        }
    }

    /// Writes the legs to a pose.
    pub fn write(&self, pose: &mut Pose) {
        self.legs.iter().flatten().for_each(|leg| leg.write(pose));
    }
}

settings! {
    /// Lowering of the pelvis where legs would be too short, and its return.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PelvisConfig {
        /// Half-life of lowering. Lower values keep feet in place; higher values are smoother.
        down_half_life_s: f32 = 0.05, in 1e-4 to 10.0, unit "s";
        /// Half-life of rising again. Values longer than a step keep the pelvis from bobbing.
        up_half_life_s: f32 = 0.8, in 1e-4 to 10.0, unit "s";
        /// Maximum drop of the pelvis. Higher values keep feet on lower ground; lower values keep the body upright.
        max_m: f32 = 0.3, in 0.0 to 10.0, unit "m";
    }
}

impl PelvisConfig {
    /// Advances `sunk` (drop of the pelvis, metres) by `dt_s` towards a drop of `needed_m`.
    pub fn sink(&self, sunk: &mut Spring, needed_m: f32, dt_s: f32) {
        let goal = needed_m.clamp(0.0, self.max_m);
        if goal > sunk.value {
            return sunk.to(goal, self.down_half_life_s, dt_s);
        }
        // A pelvis that still drops while its goal is above it is first stopped with the fast spring, exactly until it rests. A
        // slow spring would let it drop on; a fast one would throw it up again, further for longer time steps.
        let stops_s = sunk.rests_after_s(goal, self.down_half_life_s).unwrap_or(0.0).min(dt_s);
        sunk.to(goal, self.down_half_life_s, stops_s);
        sunk.to(goal, self.up_half_life_s, dt_s - stops_s);
    }
}
