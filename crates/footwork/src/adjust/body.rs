//! Which joints carry the body: pelvis, spine, legs.

use super::leg::{BentLeg, Leg, Reach};
use crate::frames::JointIndex;
use crate::math::spring::Spring;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::settings;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// The joints that corrections of the whole body move.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What all legs hang from.
    pub hips: JointIndex,
    /// From above the hips to where the arms part, in this order; may be empty.
    pub spine: Vec<JointIndex>,
    /// `[contact joints]`; `None` where a contact is no leg.
    pub legs: Vec<Option<Leg>>,
}

impl Body {
    /// The body whose feet are `contacts`, `[contact joints]`; `None` without legs, or where they hang from the root itself.
    pub fn find(skeleton: &Skeleton, contacts: &[JointIndex]) -> Option<Self> {
        let legs = Leg::find(skeleton, contacts);
        let parent = |j: JointIndex| skeleton.parents()[j.at()];
        let above = |j: JointIndex, of: JointIndex| std::iter::successors(Some(of), |j| parent(*j)).any(|a| a == j);
        let first = legs.iter().flatten().next()?;
        let hips = std::iter::successors(parent(first.hip), |j| parent(*j))
            .find(|j| legs.iter().flatten().all(|leg| above(*j, leg.hip)))
            .filter(|j| j.at() > 0)?;
        // A spine is what leads up from the hips to where it forks.
        let beside_legs = |j: JointIndex| !legs.iter().flatten().any(|leg| above(j, leg.toe));
        let next = |j: JointIndex| {
            let mut onwards = skeleton.children(j).filter(|c| beside_legs(*c));
            onwards.next().filter(|_| onwards.next().is_none())
        };
        let spine = std::iter::successors(next(hips), |j| next(*j)).collect();
        Some(Self { hips, spine, legs })
    }

    /// Turns every joint of the spine, and all above it, by a rotation seen in root space.
    pub fn turn_spine(&self, skeleton: &Skeleton, pose: &mut Pose, by: Quat) {
        let mut parent = pose.in_root(skeleton, self.hips).rotation;
        for joint in &self.spine {
            let turned = by * parent * pose.rotations[joint.at()];
            pose.rotations[joint.at()] = (parent.inverse() * turned).renormalize();
            parent = turned.renormalize();
        }
    }
}

/// Most legs of a body that can be bent.
pub const MAX_LEGS: usize = 8;

/// Pelvis and legs of a pose while stages bend them, one after the other: taken from it once, written back once. Root space.
#[derive(Clone, Copy, Debug)]
pub struct LowerBody {
    hips: Transform,
    legs: [Option<BentLeg>; MAX_LEGS],
}

impl LowerBody {
    /// As a pose has it.
    pub fn of(skeleton: &Skeleton, body: &Body, pose: &Pose) -> Self {
        let hips = pose.in_root(skeleton, body.hips);
        let mut legs = [None; MAX_LEGS];
        for (bent, leg) in legs.iter_mut().zip(&body.legs) {
            *bent = leg.map(|leg| match skeleton.parents()[leg.hip.at()] {
                Some(above) if above == body.hips => BentLeg::below(hips, pose, leg),
                _ => BentLeg::of(skeleton, pose, leg),
            });
        }
        Self { hips, legs }
    }

    /// What the legs hang from.
    pub fn hips(&self) -> Transform {
        self.hips
    }

    /// `[contact joints]`, as the body has them; those beyond [`MAX_LEGS`] are missing.
    pub fn legs(&self) -> &[Option<BentLeg>] {
        &self.legs
    }

    /// The legs, to be bent.
    pub fn legs_mut(&mut self) -> &mut [Option<BentLeg>] {
        &mut self.legs
    }

    /// Puts the pelvis elsewhere, in `pose` at once; the legs go along.
    pub fn move_hips(&mut self, skeleton: &Skeleton, body: &Body, to: Transform, pose: &mut Pose) {
        if to.rotation == self.hips.rotation {
            let by = to.translation - self.hips.translation;
            self.legs.iter_mut().flatten().for_each(|leg| leg.shift(by));
        } else {
            let by = to * self.hips.inverse();
            self.legs.iter_mut().flatten().for_each(|leg| leg.carry(by));
        }
        self.hips = to;
        pose.set_in_root(skeleton, body.hips, to);
    }

    /// The same without a turn.
    pub fn shift_hips(&mut self, skeleton: &Skeleton, body: &Body, by: Vec3, pose: &mut Pose) {
        self.move_hips(skeleton, body, Transform::new(self.hips.translation + by, self.hips.rotation), pose);
    }

    /// How far the pelvis must sink, metres, for every toe to reach where `wanted` (root space) puts it; 0 where all do.
    pub fn sink_needed(&self, reach: Reach, wanted: impl Fn(Vec3) -> Vec3) -> f32 {
        let needed = |leg: &BentLeg| leg.sink_needed(wanted(leg.toe.translation), reach);
        self.legs.iter().flatten().map(needed).fold(0.0, f32::max)
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
        // Whoever still sinks is stopped as fast as it sank: a slow spring would let it sink on.
        let sinks = goal > sunk.value || sunk.velocity > 0.0;
        let half_life_s = if sinks { self.down_half_life_s } else { self.up_half_life_s };
        sunk.to(goal, half_life_s, dt_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_found_by_where_its_legs_part() {
        // Root, hips, two legs of four joints, a spine of two that forks into neck and arm.
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(1), Some(6), Some(7), Some(8), Some(1)];
        let parents: Vec<_> = parents.into_iter().chain([Some(10), Some(11), Some(11)]).collect();
        let skeleton = |parents: &[Option<usize>]| {
            let names = (0..parents.len()).map(|j| format!("j{j}")).collect();
            let parents: Vec<_> = parents.iter().map(|p| p.map(JointIndex::new)).collect();
            Skeleton::new(names, parents.clone(), vec![Transform::IDENTITY; parents.len()]).unwrap()
        };
        let body = Body::find(&skeleton(&parents), &[5, 9].map(JointIndex::new)).unwrap();
        assert_eq!((body.hips.at(), body.spine), (1, vec![JointIndex(10), JointIndex(11)]));
        assert!(body.legs.iter().all(Option::is_some));
        assert_eq!(Body::find(&skeleton(&parents), &[]), None);
        assert_eq!(Body::find(&skeleton(&[None, Some(0), Some(1), Some(2)]), &[JointIndex(3)]), None);
    }
}
