//! Pelvis and legs of a pose while stages bend them.

use super::two_bone_ik::{BentLeg, Reach};
use crate::math::spring::Spring;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::rig::Body;
use crate::settings;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Most legs of a body that can be bent.
pub(crate) const MAX_LEGS: usize = 8;

/// Pelvis and legs of a pose while stages bend them, one after the other: taken from it once, written back once. Root space.
#[derive(Clone, Copy, Debug)]
pub struct LowerBody<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) body: &'a Body,
    pub(super) reach: Reach,
    hips: Transform,
    legs: [Option<BentLeg>; MAX_LEGS],
}

impl<'a> LowerBody<'a> {
    /// As a pose has it; `reach` is how far its legs stretch.
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

    /// What the legs hang from.
    pub fn hips(&self) -> Transform {
        self.hips
    }

    /// `[contact joints]`, as the body has them; those beyond `MAX_LEGS` are missing.
    pub fn legs(&self) -> &[Option<BentLeg>] {
        &self.legs
    }

    /// The legs, to be bent.
    pub fn legs_mut(&mut self) -> &mut [Option<BentLeg>] {
        &mut self.legs
    }

    /// Puts the pelvis elsewhere, in `pose` at once; the legs go along.
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

    /// The same without a turn.
    pub fn shift_hips(&mut self, by: Vec3, pose: &mut Pose) {
        self.move_hips(Transform::new(self.hips.translation + by, self.hips.rotation), pose);
    }

    /// How far the pelvis must sink, metres, for every toe to reach where `wanted` (root space) puts it; 0 where all do.
    pub fn sink_needed(&self, wanted: impl Fn(Vec3) -> Vec3) -> f32 {
        let needed = |leg: &BentLeg| leg.sink_needed(wanted(leg.toe.translation), self.reach);
        self.legs.iter().flatten().map(needed).fold(0.0, f32::max)
    }

    /// Rotates every joint of the spine, and all above it, by a rotation in root space.
    pub(super) fn rotate_spine(&self, pose: &mut Pose, by: Quat) {
        let mut parent = pose.in_root(self.skeleton, self.body.hips).rotation;
        for joint in &self.body.spine {
            let turned = by * parent * pose.rotations[joint.at()];
            pose.rotations[joint.at()] = (parent.inverse() * turned).renormalize();
            parent = turned.renormalize();
        }
    }

    /// Writes the legs back.
    pub fn write(&self, pose: &mut Pose) {
        self.legs.iter().flatten().for_each(|leg| leg.write(pose));
    }
}

settings! {
    /// How the pelvis is lowered where legs would be too short, and comes back.
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
    /// `sunk` (metres), `dt_s` later, when `needed_m` is needed.
    pub fn sink(&self, sunk: &mut Spring, needed_m: f32, dt_s: f32) {
        let goal = needed_m.clamp(0.0, self.max_m);
        if goal > sunk.value {
            return sunk.to(goal, self.down_half_life_s, dt_s);
        }
        // A pelvis that still sinks is stopped as fast as it sank, until the very moment at which it rests: a slow spring would
        // let it sink on, a fast one would throw it up again, by more the longer the time step.
        let stops_s = sunk.rests_after_s(goal, self.down_half_life_s).unwrap_or(0.0).min(dt_s);
        sunk.to(goal, self.down_half_life_s, stops_s);
        sunk.to(goal, self.up_half_life_s, dt_s - stops_s);
    }
}
