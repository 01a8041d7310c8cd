//! Locomotion before and after an action.

use crate::body::{Side, joint};
use crate::feet::FootState;
use crate::options::GaitOptions;
use crate::path::Leg;
use crate::recipe::Recipe;
use crate::synth::{Motion, posed, root_of, walk};
use footwork::math::{Quat, Transform};
use glam::Vec3;

/// Samples per second of an action and of its locomotion.
pub(super) const SAMPLE_HZ: f32 = 120.0;

/// Locomotion around an action, sampled at [`SAMPLE_HZ`].
pub(super) struct Base {
    motion: Motion,
}

/// The body in one sample, in world space or the space that it was moved to.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub root: Transform,
    pub yaw: f32,
    pub pelvis: Vec3,
    pub pelvis_rotation: Quat,
    pub feet: [FootState; 2],
    /// Local rotations.
    pub local: [Quat; joint::COUNT],
    /// Point under the toe joint, and yaw, of planted feet.
    pub stood: [Option<(Vec3, f32)>; 2],
}

impl Base {
    /// Creates steady locomotion, or a standing body for speed 0.
    pub(super) fn steady(options: &GaitOptions, speed: f32) -> Self {
        Self::new(options, vec![Leg::steady(6.0, speed, 0.0, 0.0)])
    }

    /// Creates locomotion by a script; the same script gives the same steps.
    pub(super) fn new(options: &GaitOptions, legs: Vec<Leg>) -> Self {
        let name = format!("action_{}", legs.iter().map(|l| (l.speed * 100.0) as i32).sum::<i32>());
        let recipe = Recipe::new(name, &[], legs);
        let options = GaitOptions { rate_hz: SAMPLE_HZ, ..options.clone() };
        Self { motion: walk(&recipe, &options, 1).0 }
    }

    /// Returns the index of the sample at a time.
    pub(super) fn sample(&self, t: f32) -> usize {
        let i = ((t - self.motion.times[0]) * SAMPLE_HZ + 0.5) as usize;
        i.min(self.motion.times.len() - 2).max(1)
    }

    /// Returns a sample in the first step of a foot after `from_s`: at a share of the time for which its toe is planted.
    pub(super) fn in_step(&self, side: Side, from_s: f32, share: f32) -> usize {
        let stances = &self.motion.plan.stances[side.at()];
        let s = stances.iter().find(|s| s.heel_s >= from_s).unwrap_or(&stances[stances.len() - 1]);
        self.sample(s.flat_s + share * (s.tip_s - s.flat_s))
    }

    /// Returns the body in a sample. Indices beyond the end give the last sample.
    pub(super) fn state(&self, sample: usize) -> State {
        let m = &self.motion;
        let i = sample.min(m.times.len() - 1);
        let root = root_of(&m.points[i]);
        let stood = Side::BOTH.map(|side| {
            let s = m.plan.stances[side.at()].iter().rev().find(|s| s.heel_s <= m.times[i])?;
            m.feet[i][side.at()].planted.then_some((s.toe, s.yaw))
        });
        State {
            root,
            yaw: m.points[i].yaw,
            pelvis: root.point(m.trunk.position[i]),
            pelvis_rotation: root.rotation * m.trunk.rotation[i],
            feet: m.feet[i],
            local: posed(m, i).1,
            stood,
        }
    }

    /// Returns the first step of a foot after a sample: seconds until its toe lands and leaves, position, yaw.
    pub(super) fn next_step(&self, side: Side, sample: usize) -> (f32, f32, Vec3, f32) {
        let (t, stances) = (self.time(sample), &self.motion.plan.stances[side.at()]);
        let s = stances.iter().find(|s| s.flat_s > t).unwrap_or(&stances[stances.len() - 1]);
        (s.flat_s - t, s.tip_s - t, s.toe, s.yaw)
    }

    /// Returns the seconds for which the toe of a foot stays planted, starting at a sample.
    pub(super) fn planted_s(&self, side: Side, sample: usize) -> f32 {
        let t = self.time(sample);
        let stances = &self.motion.plan.stances[side.at()];
        stances.iter().rev().find(|s| s.flat_s <= t).map_or(0.0, |s| s.tip_s - t)
    }

    /// Returns the last time before a sample at which the toe of a foot left the ground.
    pub(super) fn left_s(&self, side: Side, sample: usize) -> f32 {
        let t = self.time(sample);
        let stances = &self.motion.plan.stances[side.at()];
        stances.iter().rev().find(|s| s.tip_s <= t).map_or(f32::MIN, |s| s.tip_s)
    }

    /// Returns the time of a sample.
    pub(super) fn time(&self, sample: usize) -> f32 {
        self.motion.times[sample.min(self.motion.times.len() - 1)]
    }
}

impl State {
    /// Returns the same body moved and turned about the vertical by `yaw`, the turn of `by`.
    pub(super) fn moved(&self, by: Transform, yaw: f32) -> Self {
        let mut local = self.local;
        local[joint::ROOT] = by.rotation * local[joint::ROOT];
        Self {
            root: Transform::new(by.point(self.root.translation), by.rotation * self.root.rotation),
            yaw: self.yaw + yaw,
            pelvis: by.point(self.pelvis),
            pelvis_rotation: by.rotation * self.pelvis_rotation,
            feet: self.feet.map(|f| FootState { ankle: by.point(f.ankle), yaw: f.yaw + yaw, ..f }),
            local,
            stood: self.stood.map(|s| s.map(|(toe, turn)| (by.point(toe), turn + yaw))),
        }
    }
}
