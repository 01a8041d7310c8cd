//! Change of pose from one frame to another, in the character's own axes.

use super::gap::{Gap, Round};
use crate::clip::RawClip;
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use glam::Vec3;

/// A change of pose, comparable with others of the same clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Rotation vectors: the carrier's tilt first, then every joint below it.
    turns: Vec<Vec3>,
    /// Displacements of the joints below the carrier relative to their parents, in metres. If the carrier stays in place,
    /// its horizontal displacement follows.
    ways: Vec<Vec3>,
    /// Vertical displacement of the carrier, in metres.
    up: f32,
    /// Displacement over the ground, in the axes of the first of the two frames, in metres.
    pub way: Vec3,
    /// Turn about the vertical, in radians.
    pub yaw: f32,
}

impl Step {
    fn with(&self, other: &Self, f: impl Fn(Vec3, Vec3) -> Vec3) -> Self {
        let all = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect();
        let one = |a: f32, b: f32| f(Vec3::splat(a), Vec3::splat(b)).x;
        Self {
            turns: all(&self.turns, &other.turns),
            ways: all(&self.ways, &other.ways),
            up: one(self.up, other.up),
            way: f(self.way, other.way),
            yaw: one(self.yaw, other.yaw),
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    pub fn mean(&self, other: &Self) -> Self {
        self.with(other, |a, b| (a + b) * 0.5)
    }

    fn squares(&self) -> f32 {
        let sum = |v: &[Vec3]| v.iter().map(|v| v.length_squared()).sum::<f32>();
        sum(&self.turns) + sum(&self.ways) + self.up * self.up
    }

    /// Returns the size of the body's change of pose, without the displacement over the ground and the turn.
    pub fn body(&self) -> f32 {
        self.squares().sqrt()
    }

    /// Returns the size of the whole change.
    pub fn whole(&self) -> f32 {
        (self.squares() + self.way.length_squared() + self.yaw * self.yaw).sqrt()
    }
}

/// A clip, viewed from the carrier, the joint that moves the body.
pub struct Body<'a> {
    clip: &'a RawClip,
    carrier: usize,
    /// World transform of the carrier's parent.
    above: Transform,
    /// True for a carrier below a root that does not move: each cycle must end at its start.
    stays: bool,
    /// True if the carrier is a root on the ground: it may climb.
    low: bool,
}

impl<'a> Body<'a> {
    pub fn of(clip: &'a RawClip) -> Self {
        let carrier = carrier(clip);
        let mut body = Self { clip, carrier, above: Transform::IDENTITY, stays: false, low: false };
        let mut parent = clip.skeleton.parents()[carrier];
        while let Some(p) = parent {
            body.above = body.local(0, p.at()) * body.above;
            parent = clip.skeleton.parents()[p.at()];
        }
        let first = body.carrier_world(0).translation;
        let way = |f: usize| (body.carrier_world(f).translation - first) * Vec3::new(1.0, 0.0, 1.0);
        body.stays = carrier > 0 && (0..clip.frames()).all(|f| way(f).length() < 0.3);
        body.low = carrier == 0 && first.y - lowest(clip) < 0.1;
        body
    }

    pub fn frames(&self) -> usize {
        self.clip.frames()
    }

    fn local(&self, frame: usize, joint: usize) -> Transform {
        let i = frame * self.clip.skeleton.len() + joint;
        Transform::new(self.clip.translations[i], self.clip.rotations[i])
    }

    fn carrier_world(&self, frame: usize) -> Transform {
        self.above * self.local(frame, self.carrier)
    }

    /// Returns the body's turn about the vertical since the first frame.
    fn heading(&self, frame: usize) -> Quat {
        (self.carrier_world(frame).rotation * self.carrier_world(0).rotation.inverse()).yaw_twist()
    }

    /// Returns the change of pose from frame `a` to frame `b`.
    pub fn step(&self, a: usize, b: usize) -> Step {
        let (p, q) = (self.carrier_world(a), self.carrier_world(b));
        let (from, to) = (self.heading(a), self.heading(b));
        let seen = |q: Quat, heading: Quat| heading.inverse() * q;
        let joints = self.carrier + 1..self.clip.skeleton.len();
        let turn = |a: Quat, b: Quat| (b.towards(a) * a.inverse()).to_rotation_vector();
        let mut turns = vec![turn(seen(p.rotation, from), seen(q.rotation, to))];
        turns.extend(joints.clone().map(|j| turn(self.local(a, j).rotation, self.local(b, j).rotation)));
        let ways = joints.map(|j| self.local(b, j).translation - self.local(a, j).translation).collect();
        let mut way = from.inverse() * (q.translation - p.translation);
        let up = if self.low { 0.0 } else { way.y };
        let climb = if self.low { way.y } else { 0.0 };
        way.y = climb;
        let yaw = (from.inverse() * to).to_rotation_vector().y;
        let mut step = Step { turns, ways, up, way, yaw };
        if self.stays {
            step.ways.push(Vec3::new(step.way.x, 0.0, step.way.z));
        }
        step
    }

    /// Returns the displacement and turn of a cycle that ends one step after frame `last`.
    pub fn round(&self, last: usize, onward: &Step, exact: bool) -> Round {
        if self.stays {
            let still = Transform::IDENTITY;
            return Round { joint: self.carrier, world: still, in_parent: still, exact: true };
        }
        let turn = self.heading(last) * Quat::from_rotation_y(onward.yaw);
        let then = self.carrier_world(last).translation + self.heading(last) * onward.way;
        let first = self.carrier_world(0).translation;
        let mut way = then - turn * first;
        if !self.low {
            way.y = 0.0;
        }
        let world = Transform::new(way, turn.normalize());
        let in_parent = self.above.inverse() * world * self.above;
        Round { joint: self.carrier, world, in_parent, exact }
    }

    /// Returns the largest rotation and displacement of a difference.
    pub fn gap(&self, missing: &Step) -> Gap {
        let turns = missing.turns.iter().enumerate().map(|(k, v)| (k, v.length()));
        let (k, most) = turns.fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        let joint = self.clip.skeleton.name(JointIndex::new(self.carrier + k)).to_owned();
        let ways = missing.ways.iter().map(|w| w.length());
        Gap { joint, deg: most.to_degrees(), metres: ways.fold(missing.up.abs(), f32::max) }
    }

    /// Returns the first `frames` frames with the difference distributed over them: half of it is taken from the start and
    /// half added to the end, linearly between them, so that the velocity stays continuous.
    pub fn spread(&self, frames: usize, carrier: usize, missing: &Step) -> (Vec<Vec3>, Vec<Quat>) {
        let joints = self.clip.skeleton.len();
        let mut translations = self.clip.translations[..frames * joints].to_vec();
        let mut rotations = self.clip.rotations[..frames * joints].to_vec();
        let below = self.above.inverse();
        for f in 0..frames {
            let share = f as f32 / frames as f32 - 0.5;
            let heading = self.heading(f);
            let mut world = self.carrier_world(f);
            let tilt = Quat::from_rotation_vector(missing.turns[0] * share);
            world.rotation = (heading * tilt * heading.inverse() * world.rotation).normalize();
            world.translation.y += missing.up * share;
            if self.stays
                && let Some(way) = missing.ways.last()
            {
                world.translation += heading * *way * share;
            }
            let local = below * world;
            translations[f * joints + carrier] = local.translation;
            rotations[f * joints + carrier] = local.rotation;
            for (k, j) in (carrier + 1..joints).enumerate() {
                let i = f * joints + j;
                let turn = Quat::from_rotation_vector(missing.turns[k + 1] * share);
                rotations[i] = (turn * rotations[i]).normalize();
                translations[i] += missing.ways[k] * share;
            }
        }
        (translations, rotations)
    }
}

/// Returns joint 0, or if that never moves, the first moving joint below it, towards the larger part of the body.
fn carrier(clip: &RawClip) -> usize {
    const STILL: f32 = 1e-5;
    let (n, joints) = (clip.frames(), clip.skeleton.len());
    let still = |j: usize| {
        let (p, q) = (clip.translations[j], clip.rotations[j]);
        (0..n).all(|f| {
            let i = f * joints + j;
            (clip.translations[i] - p).length() < STILL && 1.0 - clip.rotations[i].dot(q).abs() < 1e-6
        })
    };
    let mut size = vec![1; joints];
    for j in (1..joints).rev() {
        if let Some(p) = clip.skeleton.parents()[j] {
            size[p.at()] += size[j];
        }
    }
    let mut at = 0;
    while still(at) {
        let children = clip.skeleton.children(JointIndex::new(at)).map(JointIndex::at);
        match children.reduce(|a, b| if size[b] > size[a] { b } else { a }) {
            Some(child) => at = child,
            None => return 0,
        }
    }
    at
}

/// Returns the height of the lowest joint of the first frame, without joint 0.
fn lowest(clip: &RawClip) -> f32 {
    let mut world = Vec::new();
    clip.world(0, &mut world);
    world.iter().skip(1).map(|t| t.translation.y).fold(f32::INFINITY, f32::min)
}
