//! Planting of feet where the source's feet are planted, with legs of another length.

use crate::adjust::two_bone_ik::Reach;
use crate::build::contacts::runs;
use crate::build::sink;
use crate::frames::JointIndex;
use crate::math::smoothstep;
use crate::pose::Pose;
use crate::retarget::RetargetMap;
use crate::retarget::feet::{bent, world};
use crate::retarget::reference::{leg, toe};
use crate::rig::Leg;
use crate::roles::Side;
use glam::Vec3;

/// Time over which the pelvis lowers and rises where legs are too short, in seconds.
const SINK_EASE_S: f32 = 0.25;
/// Height of an ankle above its lowest up to which the heel is down, in metres.
const FLAT_M: f32 = 0.01;
/// Maximum lowering of the pelvis, as a share of a leg.
const MOST_SINK: f32 = 0.1;

/// A clip during retargeting.
pub struct Stage<'a> {
    pub map: &'a RetargetMap,
    /// Poses of the source, `[frames]`.
    pub source: &'a [Pose],
    /// Contacts of the left and the right foot, `[frames]`.
    pub contacts: &'a [Vec<bool>; 2],
    pub rate_hz: f32,
}

/// Returns the runs of frames in which a foot is planted.
pub fn plants(on: &[bool]) -> Vec<std::ops::Range<usize>> {
    runs(on, true).map(|(start, end)| start..end).collect()
}

/// Returns the position of a planted foot: the mean over the frames in which the heel is down.
fn place(stands: &[(f32, Vec3)]) -> Vec3 {
    let lowest = stands.iter().map(|s| s.0).fold(f32::INFINITY, f32::min);
    let flat = || stands.iter().filter(|s| s.0 <= lowest + FLAT_M);
    flat().map(|s| s.1).sum::<Vec3>() / flat().count().max(1) as f32
}

impl Stage<'_> {
    /// Returns the positions of a toe with the world scaled like the body, `[frames]`.
    pub fn wished(&self, side: Side) -> Vec<Vec3> {
        let Some(joint) = toe(&self.map.source, side) else { return Vec::new() };
        self.source.iter().map(|pose| self.map.scaled_toe(pose, joint)).collect()
    }

    /// Bends the legs so that the feet are planted.
    pub fn plant(&self, poses: &mut [Pose], ease_s: f32) {
        let legs: Vec<(Leg, Vec<Vec3>)> = Side::BOTH
            .into_iter()
            .filter_map(|side| {
                let leg = leg(&self.map.target, side)?;
                Some((leg, self.targets(poses, side, leg, ease_s)))
            })
            .collect();
        let reach = self.map.reach_of_target();
        self.sink(poses, &legs, reach);
        for (leg, targets) in &legs {
            for (pose, target) in poses.iter_mut().zip(targets) {
                let mut bent = bent(&self.map.target.skeleton, pose, *leg);
                bent.reach(*target, reach);
                bent.write(pose);
            }
        }
    }

    /// Returns the target positions of the toe, `[frames]`: constant while it is planted, as given by the joints in
    /// between, with smooth transitions. Its height is always that of the source's toes.
    fn targets(&self, poses: &[Pose], side: Side, leg: Leg, ease_s: f32) -> Vec<Vec3> {
        let wished = self.wished(side);
        let free: Vec<Vec3> = poses.iter().map(|p| world(&self.map.target, p, leg.toe.at())).collect();
        let mut at = free.clone();
        let plants = plants(&self.contacts[side as usize]);
        let stands = self.stands(poses, side, leg);
        let places: Vec<Vec3> = plants.iter().map(|p| place(&stands[p.clone()])).collect();
        for (k, plant) in plants.iter().enumerate() {
            at[plant.clone()].fill(places[k]);
            // Before and after a contact the foot moves from and to the position given by the joints, for at most half of
            // the time to the neighbouring contact.
            let before = k.checked_sub(1).map_or(plant.start, |k| (plant.start - plants[k].end) / 2);
            let after = plants.get(k + 1).map_or(at.len() - plant.end, |next| (next.start - plant.end).div_ceil(2));
            let ease = |n: usize| (ease_s * self.rate_hz).min(n as f32).max(1.0);
            for away in 1..=before.min(plant.start) {
                let weight = 1.0 - smoothstep(away as f32 / (ease(before) + 1.0));
                at[plant.start - away] += (places[k] - free[plant.start]) * weight;
            }
            for away in 1..=after {
                let weight = 1.0 - smoothstep(away as f32 / (ease(after) + 1.0));
                at[plant.end + away - 1] += (places[k] - free[plant.end - 1]) * weight;
            }
        }
        at.iter().zip(&wished).map(|(at, wished)| Vec3::new(at.x, wished.y, at.z)).collect()
    }

    /// Returns the ankle's height in the source, and the position of the toe with the ankle at the source's position in the
    /// scaled world, `[frames]`. Feet of another length are then planted below the same legs.
    fn stands(&self, poses: &[Pose], side: Side, leg: Leg) -> Vec<(f32, Vec3)> {
        let (source, target) = (&self.map.source, &self.map.target);
        let ankle = source.roles.get(&format!("{}_foot", side.name())).map_or(0, JointIndex::at);
        let frames = self.source.iter().zip(poses);
        frames
            .map(|(was, pose)| {
                let from = world(source, was, ankle);
                let foot = world(target, pose, leg.toe.at()) - world(target, pose, leg.ankle.at());
                (from.y, from * self.map.travel_scale + foot)
            })
            .collect()
    }

    /// Lowers the pelvis smoothly where the leg of a planted foot is too short.
    fn sink(&self, poses: &mut [Pose], legs: &[(Leg, Vec<Vec3>)], reach: Reach) {
        let target = &self.map.target;
        let most = MOST_SINK * target.leg_m;
        let needed: Vec<f32> = poses
            .iter()
            .enumerate()
            .map(|(f, pose)| {
                let of = |(leg, targets): &(Leg, Vec<Vec3>)| {
                    bent(&target.skeleton, pose, *leg).sink_needed(targets[f], reach)
                };
                legs.iter().map(of).fold(0.0, f32::max).min(most)
            })
            .collect();
        let half = (SINK_EASE_S * self.rate_hz).round() as usize;
        let Some(hips) = target.roles.get("hips") else { return };
        sink::lower(poses, &target.skeleton, hips, &sink::eased(&needed, half));
    }
}
