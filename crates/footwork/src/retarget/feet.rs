//! Feet of two bodies: their joints, and foot planting while motion is retargeted frame by frame. (`build::retarget` plants
//! the feet of clips, with knowledge of later frames.)

use super::map::RetargetMap;
use super::reference::Reference;
use crate::adjust::two_bone_ik::{BentLeg, Reach};
use crate::frames::JointIndex;
use crate::math::spring::damp;
use crate::pose::Pose;
use crate::rig::Leg;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Stretch limits of a leg that is 1 m long.
const REACH: Reach = Reach { kept_m: 0.002, soft_m: 0.006 };
/// Half-life in which a foot that has left the ground returns to the position that the joints give it, seconds.
const RELEASE_HALF_LIFE_S: f32 = 0.06;

/// State of a foot in [`RetargetMap::apply_planted`]; the default is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlantedFoot {
    /// Whether the foot was in contact in the last call.
    pub planted: bool,
    /// Horizontal offset in world space, metres. In contact: from the source's toe in the scaled world to the held position.
    /// Otherwise: from the position that the joints give to the shown position.
    pub shift: Vec3,
}

/// Returns the position of a joint in the world.
pub(crate) fn world(of: &Reference, pose: &Pose, joint: usize) -> Vec3 {
    (pose.world_from_root() * pose.in_root(&of.skeleton, JointIndex::new(joint))).translation
}

/// Returns a leg in world space: joint 0 may be hips that lean.
pub(crate) fn bent(skeleton: &Skeleton, pose: &Pose, leg: Leg) -> BentLeg {
    let mut bent = BentLeg::of(skeleton, pose, leg);
    bent.carry(pose.world_from_root());
    bent
}

impl RetargetMap {
    /// Returns the stretch limits for the target's leg length.
    pub(crate) fn reach_of_target(&self) -> Reach {
        Reach { kept_m: REACH.kept_m * self.target.leg_m, soft_m: REACH.soft_m * self.target.leg_m }
    }

    /// Returns the position of the target's toe if the world were scaled with the body.
    pub(crate) fn scaled_toe(&self, source: &Pose, joint: usize) -> Vec3 {
        let [from, to] = self.toe_heights_m();
        let p = world(&self.source, source, joint);
        Vec3::new(p.x * self.travel_scale, (p.y - from) * self.scale + to, p.z * self.travel_scale)
    }

    /// Like [`RetargetMap::apply`], for poses in sequence. Toes have the source's height over the ground, scaled. The toe of a
    /// foot in contact moves only as far as the source's toe does, for any proportions of the legs. `touching`: contacts of
    /// the source's left and right foot. `dt_s`: seconds since the last call. Allocates nothing.
    ///
    /// # Panics
    /// Panics like [`RetargetMap::apply`].
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
