//! The feet of two bodies: which joints they are, and how they stay where they stand while motion is retargeted frame by
//! frame. (Clips are planted with knowledge of what comes: `build::retarget`.)

use super::map::RetargetMap;
use super::reference::Reference;
use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::frames::JointIndex;
use crate::math::spring::damp;
use crate::pose::Pose;
use crate::rig::Leg;
use crate::roles::Side;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// How far a leg may stretch that is 1 m long.
const REACH: Reach = Reach { kept_m: 0.002, soft_m: 0.006 };
/// Half-life at which a foot that has left the ground returns to where the joints put it, seconds.
const RELEASE_HALF_LIFE_S: f32 = 0.06;

/// What [`RetargetMap::apply_planted`] remembers of a foot; the default has never touched anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlantedFoot {
    /// It touched the ground the last time.
    pub planted: bool,
    /// World, metres, level. While it touches: from where the source's toe is in the scaled world to where this one stays. Else:
    /// from where the joints put it to where it is shown.
    pub shift: Vec3,
}

/// The joint of a foot that touches: the toe, else the foot.
pub(crate) fn toe(of: &Reference, side: Side) -> Option<usize> {
    let role = |part: &str| of.roles.get(&format!("{}_{part}", side.name()));
    role("toe").or(role("foot")).map(JointIndex::at)
}

/// A leg of two bones that hang on each other; `None` for a leg with more joints between.
pub(crate) fn leg(of: &Reference, side: Side) -> Option<Leg> {
    let role = |part: &str| of.roles.get(&format!("{}_{part}", side.name()));
    let (hip, knee, ankle) = (role("up_leg")?, role("leg")?, role("foot")?);
    let toe = role("toe").unwrap_or(ankle);
    let parent = |j: JointIndex| of.skeleton.parents()[j.at()];
    let direct =
        parent(knee) == Some(hip) && parent(ankle) == Some(knee) && (toe == ankle || parent(toe) == Some(ankle));
    let hinge = of.joint_from_body[hip.at()] * Vec3::X;
    direct.then_some(Leg { hip, knee, ankle, toe, hinge })
}

/// A joint in the world.
pub(crate) fn world(of: &Reference, pose: &Pose, joint: usize) -> Vec3 {
    (pose.world_from_root() * pose.in_root(&of.skeleton, JointIndex::new(joint))).translation
}

/// A leg in the world: joint 0 may be hips that lean.
pub(crate) fn bent(skeleton: &Skeleton, pose: &Pose, leg: Leg) -> BentLeg {
    let mut bent = BentLeg::of(skeleton, pose, leg);
    bent.carry(pose.world_from_root());
    bent
}

impl RetargetMap {
    /// For legs as long as the target's.
    pub(crate) fn reach_of_target(&self) -> Reach {
        Reach { kept_m: REACH.kept_m * self.target.leg_m, soft_m: REACH.soft_m * self.target.leg_m }
    }

    /// Where a target's toe would be if the world were scaled with the body.
    pub(crate) fn scaled_toe(&self, source: &Pose, joint: usize) -> Vec3 {
        let [from, to] = self.toe_heights_m();
        let p = world(&self.source, source, joint);
        Vec3::new(p.x * self.travel_scale, (p.y - from) * self.scale + to, p.z * self.travel_scale)
    }

    /// As [`RetargetMap::apply`], for poses that follow each other in time: toes are as high over the ground as the source's in
    /// proportion, and a toe whose source touches the ground moves only as that does, whatever the proportions of the legs.
    /// `touching`: left and right foot of the source. `dt_s`: seconds since the last call. Allocates nothing.
    ///
    /// # Panics
    /// As [`RetargetMap::apply`].
    pub fn apply_planted(
        &self,
        source: &Pose,
        touching: [bool; 2],
        dt_s: f32,
        feet: &mut [PlantedFoot; 2],
        target: &mut Pose,
    ) {
        self.apply(source, target);
        let reach = self.reach_of_target();
        for ((legs, touches), foot) in self.legs.iter().zip(touching).zip(feet) {
            let Some((toe, leg)) = *legs else { continue };
            let wished = self.scaled_toe(source, toe);
            let mut bent = bent(&self.target.skeleton, target, leg);
            let free = bent.toe.translation;
            foot.advance(wished, free, touches, dt_s);
            let from = if touches { wished } else { free };
            bent.reach(Vec3::new(from.x + foot.shift.x, wished.y, from.z + foot.shift.z), reach);
            bent.write(target);
        }
    }
}

impl PlantedFoot {
    fn advance(&mut self, wished: Vec3, free: Vec3, touches: bool, dt_s: f32) {
        let level = Vec3::new(1.0, 0.0, 1.0);
        match (self.planted, touches) {
            (false, true) => self.shift += (free - wished) * level,
            (true, false) => self.shift += (wished - free) * level,
            (true, true) => {}
            (false, false) => self.shift *= 1.0 - damp(RELEASE_HALF_LIFE_S, dt_s),
        }
        self.planted = touches;
    }
}
