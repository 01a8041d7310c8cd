//! Body plan of a skeleton: spine, legs, head, their lengths, and the height of the ground.

use super::part::{Ball, Half};
use super::sides::halves;
use crate::motion::Motion;
use footwork::frames::JointIndex;
use footwork::math::Transform;
use footwork::rig::Rig;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Shares of a leg's length.
pub const LEG_TOP: f32 = 0.092;
pub const LEG_END: f32 = 0.040;

/// Proportions of a skeleton.
pub struct Plan<'a> {
    pub skeleton: &'a Skeleton,
    pub rig: &'a Rig,
    pub samples: &'a Motion,
    pub halves: Vec<Half>,
    /// `[joints]` distance to the parent, in metres.
    pub bones: Vec<f32>,
    pub children: Vec<Vec<usize>>,
    /// `[contact joints]` joint indices.
    pub feet: Vec<usize>,
    /// `[joints]` position along a leg, from 0 at its top to 1 at its foot.
    pub leg: Vec<Option<f32>>,
    pub head: Option<usize>,
    /// Joints from the hips to the head.
    pub spine: Vec<usize>,
    /// `[joints]` true for joints of the spine.
    pub in_spine: Vec<bool>,
    pub leg_m: f32,
    pub trunk_m: f32,
    pub ground_m: f32,
}

impl<'a> Plan<'a> {
    pub fn of(skeleton: &'a Skeleton, rig: &'a Rig, samples: &'a Motion) -> Self {
        let n = skeleton.len();
        let halves = halves(skeleton, &rig.roles);
        let children: Vec<Vec<usize>> =
            (0..n).map(|j| skeleton.children(JointIndex::new(j)).map(JointIndex::at).collect()).collect();
        let world = samples.world(0);
        let parent = |j: usize| skeleton.parents()[j].map(JointIndex::at);
        let bones: Vec<f32> =
            (0..n).map(|j| parent(j).map_or(0.0, |p| (world[j].translation - world[p].translation).length())).collect();
        let mut plan = Self {
            skeleton,
            rig,
            samples,
            halves,
            bones,
            children,
            feet: rig.contact_joints.iter().map(|j| j.at()).collect(),
            leg: vec![None; n],
            head: None,
            spine: Vec::new(),
            in_spine: vec![false; n],
            leg_m: 0.0,
            trunk_m: 0.0,
            ground_m: 0.0,
        };
        plan.find_head(world);
        plan.find_legs();
        plan.find_ground();
        plan
    }

    pub fn parent(&self, j: usize) -> Option<usize> {
        self.skeleton.parents()[j].map(JointIndex::at)
    }

    /// Returns the joints from a joint up to the root, including both.
    pub fn upward(&self, j: usize) -> Vec<usize> {
        std::iter::successors(Some(j), |j| self.parent(*j)).collect()
    }

    /// Returns the first joint of the body: below roots with a single child, the hips or the first joint that forks.
    pub fn first(&self) -> usize {
        let hips = self.rig.roles.get("hips").map(JointIndex::at);
        let below = |j: &usize| match self.children[*j][..] {
            [child] if Some(*j) != hips => Some(child),
            _ => None,
        };
        // In a chain without a fork, the body starts below the root.
        let last = std::iter::successors(Some(0), below).last().unwrap_or(0);
        if self.children[last].is_empty() { below(&0).unwrap_or(0) } else { last }
    }

    fn find_head(&mut self, world: &[Transform]) {
        let named = self.rig.roles.get("head").map(JointIndex::at);
        let middle_ends =
            (1..self.halves.len()).filter(|j| self.halves[*j] == Half::Middle && self.children[*j].is_empty());
        let highest = middle_ends.max_by(|a, b| world[*a].translation.y.total_cmp(&world[*b].translation.y));
        self.head = named.or(highest);
        let first = self.first();
        let mut up = self.head.map(|h| self.upward(h)).unwrap_or_default();
        up.retain(|j| *j >= first);
        up.reverse();
        self.trunk_m = up.iter().skip(1).map(|j| self.bones[*j]).sum();
        up.iter().for_each(|j| self.in_spine[*j] = true);
        self.spine = up;
        if self.trunk_m <= 0.0 {
            self.trunk_m = 0.5 * self.bones.iter().copied().fold(0.05, f32::max) * 3.0;
        }
    }

    fn find_legs(&mut self) {
        let mut total = 0.0;
        for foot in self.feet.clone() {
            let mut chain = self.upward(foot);
            // Up to the joint where the leg leaves the trunk.
            let top = chain.iter().position(|j| self.in_spine[*j] || *j == 0).unwrap_or(chain.len());
            chain.truncate(top.max(1));
            // The bone above the topmost joint lies within the trunk.
            let length: f32 = chain[..chain.len() - 1].iter().map(|j| self.bones[*j]).sum::<f32>().max(0.05);
            let mut from_foot = 0.0;
            for j in &chain {
                self.leg[*j] = Some((1.0 - from_foot / length).clamp(0.0, 1.0));
                from_foot += self.bones[*j];
            }
            total += length;
        }
        self.leg_m = if self.feet.is_empty() { self.trunk_m * 1.5 } else { total / self.feet.len() as f32 };
    }

    /// Returns the height of a joint above the root. The root follows slopes and stairs.
    pub fn over_root(&self, frame: usize, joint: usize) -> f32 {
        self.samples.world(frame)[joint].translation.y - self.samples.root(frame).translation.y
    }

    /// Finds the height of the ground: zero, unless the feet are planted at another height.
    fn find_ground(&mut self) {
        let lowest = |j: usize| {
            let mut y: Vec<f32> = (0..self.samples.frames()).map(|f| self.over_root(f, j)).collect();
            y.sort_by(f32::total_cmp);
            y[y.len() / 20]
        };
        let all: Vec<usize> = if self.feet.is_empty() { (1..self.halves.len()).collect() } else { self.feet.clone() };
        let low = all.into_iter().map(lowest).fold(f32::MAX, f32::min);
        let sole = 0.02 * self.leg_m;
        if low.is_finite() && low.abs() > 0.25 * self.leg_m {
            self.ground_m = low - sole;
        } else if low.is_finite() && low < sole {
            // Joints at ground level need room for the sole below them.
            self.ground_m = (low - sole).max(-0.04 * self.leg_m);
        }
    }

    pub fn ball(&self, joint: usize, radius: f32) -> Ball {
        Ball { joint, at: Vec3::ZERO, radius, yields: false }
    }

    /// Returns true if a short first bone inside the body carries the limb.
    pub(super) fn has_collar(&self, side: usize) -> bool {
        let [child] = self.children[side][..] else { return false };
        !self.children[child].is_empty()
            && self.bones[child] < 0.75 * self.bones[*self.children[child].first().unwrap_or(&child)]
    }

    /// Returns the direction in the space of a joint that continues the bone above it.
    pub(super) fn along(&self, j: usize) -> Vec3 {
        let Some(p) = self.parent(j) else { return Vec3::Y };
        let rest = self.skeleton.rest_model();
        let bone = rest[j].translation - rest[p].translation;
        rest[j].inverse_direction(bone).normalize_or(Vec3::Y)
    }

    /// Returns the mean of a world direction in the space of a joint.
    /// Uses the quarter of frames in which the joint is highest, because the body is upright there.
    pub(super) fn mean_local(&self, j: usize, direction: impl Fn(&[Transform]) -> Vec3) -> Option<Vec3> {
        let height = |f: &usize| self.samples.world(*f)[j].translation.y;
        let mut frames: Vec<usize> = (0..self.samples.frames()).collect();
        frames.sort_by(|a, b| height(b).total_cmp(&height(a)).then(a.cmp(b)));
        frames.truncate(frames.len().div_ceil(4));
        let sum: Vec3 = frames
            .into_iter()
            .map(|f| self.samples.world(f))
            .map(|world| world[j].inverse_direction(direction(world)))
            .sum();
        sum.try_normalize()
    }

    /// Returns true for a toe, which is close to an ankle. Paws and ankles are not.
    pub(super) fn is_toe(&self, j: usize) -> bool {
        self.bones[j] < 0.3 * self.leg_m && self.parent(j).is_some_and(|p| self.leg[p].is_some())
    }

    /// Returns the number of branchings above a joint of a limb: 1 for joints of fingers.
    pub(super) fn fingers(&self, j: usize) -> usize {
        let up = self.upward(j);
        let limb = up.iter().skip(1).take_while(|j| !self.in_spine[**j] && **j != 0);
        limb.filter(|j| self.children[**j].len() > 1).count()
    }
}
