//! Feet of a figure: heel, ball and tip, from the planted pose of the skeleton, and the mark on the ground.

use super::part::{Ball, Half, Part};
use super::plan::{LEG_END, Plan};
use crate::motion::flat;
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// Mark of a foot on the ground.
#[derive(Clone, Copy, Debug)]
pub struct Sole {
    /// Joint that touches the ground.
    pub joint: usize,
    /// Side of the body.
    pub half: Half,
    /// Half of the length, in metres.
    pub half_length: f32,
    /// Height of the joint above the ground while planted, in metres.
    pub stand_m: f32,
}

impl Plan<'_> {
    fn planted(&self, slot: usize) -> Vec<usize> {
        let all = 0..self.samples.frames();
        let planted: Vec<usize> = all.clone().filter(|f| self.samples.planted(*f, slot)).collect();
        if planted.is_empty() { all.collect() } else { planted }
    }

    /// Returns the parts of a foot, and its mark.
    pub(super) fn foot(&self, slot: usize) -> (Vec<Part>, Sole) {
        let (l, joint) = (self.leg_m, self.feet[slot]);
        let half = self.halves[joint];
        let frames = self.planted(slot);
        let height = |f: usize, j: usize| self.over_root(f, j) - self.ground_m;
        // On slopes, a foot below the body is still at the height of the root.
        let away =
            |f: usize| flat(self.samples.world(f)[joint].translation - self.samples.root(f).translation).length();
        let mut near: Vec<(f32, f32)> = frames.iter().map(|f| (away(*f), height(*f, joint))).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        near.truncate(frames.len().div_ceil(4));
        let mut heights: Vec<f32> = near.into_iter().map(|n| n.1).collect();
        heights.sort_by(f32::total_cmp);
        // A low percentile instead of the median, because the motion may include stairs.
        let stand = heights[heights.len() / 10];
        let sole_mark = |share: f32| Sole { joint, half, half_length: share * l, stand_m: stand };
        let ahead = |world: &[Transform]| {
            let body = Facing::from_rotation(world[0].rotation).direction();
            let bone = self.parent(joint).map_or(body, |p| flat(world[joint].translation - world[p].translation));
            if self.is_toe(joint) { bone.normalize_or(body) } else { body }
        };
        // Returns the mean of a world point in the space of a joint.
        let local = |j: usize, frames: &[usize], point: &dyn Fn(&[Transform]) -> Vec3| {
            let points = frames.iter().map(|f| self.samples.world(*f)).map(|w| w[j].inverse_point(point(w)));
            points.sum::<Vec3>() / frames.len().max(1) as f32
        };
        let ball = |joint: usize, at: Vec3, radius: f32| Ball { joint, at, radius, yields: false };
        if self.is_toe(joint) {
            let ankle = self.parent(joint).unwrap_or(joint);
            let r = stand.clamp(0.014 * l, 0.040 * l);
            let mut flat_frames = frames.clone();
            let raised = |f: usize| height(f, ankle) - height(f, joint);
            flat_frames.sort_by(|a, b| raised(*a).total_cmp(&raised(*b)).then(a.cmp(b)));
            flat_frames.truncate(frames.len().div_ceil(3));
            let heel = local(ankle, &flat_frames, &|w| {
                let p = w[ankle].translation - ahead(w) * 0.055 * l;
                p.with_y(w[joint].translation.y - stand + r * 1.1)
            });
            let tip = local(joint, &flat_frames, &|w| {
                let p = w[joint].translation + ahead(w) * 0.065 * l;
                p.with_y(w[joint].translation.y - stand + r * 0.8)
            });
            let sole = ball(joint, Vec3::ZERO, r);
            let foot = vec![ball(ankle, Vec3::ZERO, l * LEG_END * 1.05), ball(ankle, heel, r * 1.1), sole];
            let toes = vec![sole, Ball { yields: true, ..ball(joint, tip, r * 0.8) }];
            return (vec![Part::new(foot, half), Part::new(toes, half)], sole_mark(0.07));
        }
        // A paw, or an ankle without toes: down to the ground and slightly ahead.
        let r = (stand * 0.5).clamp(0.02 * l, 0.05 * l);
        let under = |way: f32, r: f32| {
            local(joint, &frames, &|w: &[Transform]| {
                let p = w[joint].translation + ahead(w) * way * l;
                p.with_y((p.y - stand + r).min(p.y))
            })
        };
        let reach = if stand > 0.06 * l && self.feet.len() < 3 { 0.2 } else { 0.12 };
        let balls = vec![
            ball(joint, Vec3::ZERO, l * LEG_END),
            ball(joint, under(-0.02, r), r),
            Ball { yields: true, ..ball(joint, under(reach, r * 0.8), r * 0.8) },
        ];
        (vec![Part::new(balls, half)], sole_mark(0.5 * reach))
    }
}
