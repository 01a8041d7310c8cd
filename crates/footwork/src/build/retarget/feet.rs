//! Feet that stand where the source's stand, on legs of another length.

use crate::adjust::two_bone_ik::Reach;
use crate::build::contacts::runs;
use crate::build::sink;
use crate::frames::JointIndex;
use crate::math::smoothstep;
use crate::pose::Pose;
use crate::retarget::RetargetMap;
use crate::retarget::feet::{bent, leg, toe, world};
use crate::rig::Leg;
use crate::roles::Side;
use glam::Vec3;

/// Seconds over which the pelvis sinks and rises where legs are too short.
const SINK_EASE_S: f32 = 0.25;
/// An ankle no higher than this above its lowest has its heel down, metres.
const FLAT_M: f32 = 0.01;
/// The pelvis sinks no further than this share of a leg.
const MOST_SINK: f32 = 0.1;

/// A clip on its way from one body to the other.
pub struct Stage<'a> {
    pub map: &'a RetargetMap,
    /// `[frames]` of the source.
    pub source: &'a [Pose],
    /// Left and right, `[frames]`.
    pub contacts: &'a [Vec<bool>; 2],
    pub rate_hz: f32,
}

/// Runs of frames in which a foot stands.
pub fn plants(on: &[bool]) -> Vec<std::ops::Range<usize>> {
    runs(on, true).map(|(start, end)| start..end).collect()
}

/// The one place of a plant: the mean over the frames in which the heel is down.
fn place(stands: &[(f32, Vec3)]) -> Vec3 {
    let lowest = stands.iter().map(|s| s.0).fold(f32::INFINITY, f32::min);
    let flat = || stands.iter().filter(|s| s.0 <= lowest + FLAT_M);
    flat().map(|s| s.1).sum::<Vec3>() / flat().count().max(1) as f32
}

impl Stage<'_> {
    /// `[frames]` where a toe would be if the world were scaled with the body.
    pub fn wished(&self, side: Side) -> Vec<Vec3> {
        let Some(joint) = toe(&self.map.source, side) else { return Vec::new() };
        self.source.iter().map(|pose| self.map.scaled_toe(pose, joint)).collect()
    }

    /// Bends the legs so that feet stand.
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

    /// `[frames]` where the toe shall be: in one place as long as it stands, as high as the source's toes always, and where the
    /// joints put it in between; eased.
    fn targets(&self, poses: &[Pose], side: Side, leg: Leg, ease_s: f32) -> Vec<Vec3> {
        let wished = self.wished(side);
        let free: Vec<Vec3> = poses.iter().map(|p| world(&self.map.target, p, leg.toe.at())).collect();
        let mut at = free.clone();
        let plants = plants(&self.contacts[side as usize]);
        let stands = self.stands(poses, side, leg);
        let places: Vec<Vec3> = plants.iter().map(|p| place(&stands[p.clone()])).collect();
        for (k, plant) in plants.iter().enumerate() {
            at[plant.clone()].fill(places[k]);
            // Before and after it the foot comes from where the joints put it, and goes back to there: at most half of the way
            // to the next place where it stands.
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

    /// `[frames]` the ankle's height in the source, and where the toe would be if the ankle were where the source's is in the
    /// scaled world: feet of another length stand under the same legs.
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

    /// Lets the pelvis down where a standing leg would not reach, smoothly.
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
