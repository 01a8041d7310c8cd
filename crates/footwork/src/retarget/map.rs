//! The map from one skeleton to another, and its application to poses.

use super::RetargetError;
use super::chains::{Place, Turn, places, turns};
use super::reference::{Reference, below, leg, toe};
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use crate::pose::Pose;
use crate::rig::Leg;
use crate::roles::Side;
use glam::Vec3;

/// A rotation of the target from one local rotation of the source: `before * source * after`.
#[derive(Clone, Copy, Debug)]
struct Direct {
    target: u32,
    source: u32,
    before: Quat,
    after: Quat,
}

/// A rotation of the target from several rotations of the source.
#[derive(Clone, Debug)]
struct Shared {
    target: u32,
    before: Quat,
    turns: Vec<PartTurn>,
    after: Quat,
}

/// A share of one source joint's rotation, in body axes: `(before * source * after) ^ share`.
#[derive(Clone, Copy, Debug)]
struct PartTurn {
    source: u32,
    before: Quat,
    after: Quat,
    share: f32,
}

/// Root and hips of a body.
#[derive(Clone, Debug)]
struct Carrier {
    /// Joints from joint 0 down to the hips.
    way: Vec<usize>,
    /// `joint_from_body` of joint 0 and of the hips.
    root_from_body: Quat,
    hips_from_body: Quat,
    /// Centre between the hip joints, in the axes of the hips.
    hip_centre: Vec3,
    /// The parent of the hips in the axes of joint 0, at rest.
    root_from_parent: Transform,
    /// Height of the ankle above the ground in the standing pose, metres.
    ankle_m: f32,
}

/// A map of motion from one skeleton to another. Built once; see the module for its method.
#[derive(Clone, Debug)]
pub struct RetargetMap {
    /// Source body.
    pub source: Reference,
    /// Target body.
    pub target: Reference,
    /// Leg length of the target divided by that of the source; scales the height of the hips and the length of steps.
    pub scale: f32,
    /// Factor on the travel of the root. Default: [`RetargetMap::scale`]. At 1 the root keeps the source's path, for games that
    /// position characters themselves.
    pub travel_scale: f32,
    places: Vec<Option<Place>>,
    rest: Pose,
    direct: Vec<Direct>,
    shared: Vec<Shared>,
    carriers: [Carrier; 2],
    /// Left and right: the source's toe, and the target's leg.
    pub(super) legs: [Option<(usize, Leg)>; 2],
}

impl RetargetMap {
    /// Creates a map between two bodies.
    ///
    /// # Errors
    /// Returns [`RetargetError`] unless both bodies walk on two legs.
    pub fn new(source: Reference, target: Reference) -> Result<Self, RetargetError> {
        match (source.roles.is_quadruped(), target.roles.is_quadruped()) {
            (false, true) => return Err(RetargetError::Legs { two: "source", four: "target" }),
            (true, false) => return Err(RetargetError::Legs { two: "target", four: "source" }),
            (true, true) => return Err(RetargetError::Quadrupeds),
            (false, false) => {}
        }
        let scale = target.leg_m / source.leg_m;
        let places = places(&source, &target);
        // If only one body has a ground to measure from, the other's toe height is scaled from it.
        let [s, t] = [source.toe_height_m, target.toe_height_m];
        let toes = [s.or(t.map(|t| t / scale)), t.or(s.map(|s| s * scale))].map(|h| h.unwrap_or(0.0));
        let carriers = [carrier(&source, toes[0]), carrier(&target, toes[1])];
        let legs = Side::BOTH.map(|side| Some((toe(&source, side)?, leg(&target, side)?)));
        let mut map = Self {
            legs,
            rest: Pose::rest(&target.skeleton),
            scale,
            travel_scale: scale,
            direct: Vec::new(),
            shared: Vec::new(),
            places,
            carriers,
            source,
            target,
        };
        map.precompute();
        Ok(map)
    }

    fn precompute(&mut self) {
        let (source, target) = (&self.source, &self.target);
        let hips = target.joint("hips").unwrap_or(0);
        // A joint without a place of its own rotates with its parent.
        let mut inherited: Vec<Option<Place>> = Vec::with_capacity(self.places.len());
        for j in 0..self.places.len() {
            let above = target.skeleton.parents()[j].and_then(|p| inherited[p.at()]);
            inherited.push(self.places[j].or(above));
        }
        // It keeps its rest rotation relative to the parent.
        let mut frames: Vec<Quat> = Vec::with_capacity(self.places.len());
        for (j, place) in self.places.iter().enumerate() {
            let rest = target.skeleton.rest()[j].rotation.inverse();
            let kept =
                target.skeleton.parents()[j].filter(|_| place.is_none()).map(|p| (rest * frames[p.at()]).normalize());
            frames.push(kept.unwrap_or(target.joint_from_body[j]));
        }
        for j in 0..self.places.len() {
            let parent = target.skeleton.parents()[j].map(JointIndex::at);
            let (Some(place), Some(parent)) = (self.places[j], parent) else { continue };
            let Some(above) = inherited[parent].filter(|_| j != hips) else { continue };
            let (before, after) = (frames[parent], frames[j].inverse());
            let turn = |t: Turn| {
                let over =
                    source.skeleton.parents()[t.joint].map_or(Quat::IDENTITY, |p| source.joint_from_body[p.at()]);
                let (before, after) = (over.inverse(), source.joint_from_body[t.joint]);
                PartTurn { source: t.joint as u32, before, after, share: t.share }
            };
            let turns: Vec<PartTurn> = turns(source, above, place).into_iter().map(turn).collect();
            let target = j as u32;
            match turns[..] {
                [t] if t.share == 1.0 => self.direct.push(Direct {
                    target,
                    source: t.source,
                    before: (before * t.before).normalize(),
                    after: (t.after * after).normalize(),
                }),
                _ => self.shared.push(Shared { target, before, turns, after }),
            }
        }
    }

    /// Returns whether a target joint follows the source; other joints keep their rest pose.
    pub fn follows(&self, target: JointIndex) -> bool {
        self.places[target.at()].is_some()
    }

    /// Returns the source joint that a target joint rotates like; `None` for joints that follow none, or lie between two.
    pub fn counterpart(&self, target: JointIndex) -> Option<JointIndex> {
        self.places[target.at()].filter(|p| p.next.is_none()).map(|p| JointIndex::new(p.joint))
    }

    /// Returns the heights of the toe joints above the ground in the standing pose, metres: source and target.
    pub fn toe_heights_m(&self) -> [f32; 2] {
        [0, 1].map(|k| self.carriers[k].ankle_m - [&self.source, &self.target][k].ankle_over_toe_m)
    }

    /// Computes the target's pose for a pose of the source. Allocates nothing.
    ///
    /// # Panics
    /// Panics if the number of joints in a pose differs from its skeleton's.
    pub fn apply(&self, source: &Pose, target: &mut Pose) {
        assert!(
            source.len() == self.source.skeleton.len() && target.len() == self.rest.len(),
            "poses of {} and {} joints, expected {} and {}",
            source.len(),
            target.len(),
            self.source.skeleton.len(),
            self.rest.len()
        );
        target.copy_from(&self.rest);
        self.carry(source, target);
        for d in &self.direct {
            target.rotations[d.target as usize] = d.before * source.rotations[d.source as usize] * d.after;
        }
        for s in &self.shared {
            let mut q = s.before;
            for t in &s.turns {
                q = q * share(t.before * source.rotations[t.source as usize] * t.after, t.share);
            }
            target.rotations[s.target as usize] = (q * s.after).normalize();
        }
    }

    /// Sets root and hips.
    fn carry(&self, source: &Pose, target: &mut Pose) {
        let [from, to] = &self.carriers;
        let mut hips = Transform::IDENTITY;
        for j in &from.way {
            hips = hips * source.local(JointIndex::new(*j));
        }
        let body = hips.rotation * from.hips_from_body;
        let centre = hips.point(from.hip_centre);
        let rises = centre.y - from.ankle_m;
        let centre =
            Vec3::new(centre.x * self.travel_scale, rises * self.scale + to.ankle_m, centre.z * self.travel_scale);
        let rotation = (body * to.hips_from_body.inverse()).normalize();
        let hips = Transform::new(centre - rotation * to.hip_centre, rotation);
        if to.way.len() == 1 {
            target.set_world_from_root(hips);
            return;
        }
        // Without a root bone in the source, the root is under its hips.
        let root = if from.way.len() > 1 {
            let root = source.world_from_root();
            let at = Vec3::new(root.translation.x, 0.0, root.translation.z) * self.travel_scale;
            let facing = root.rotation * from.root_from_body * to.root_from_body.inverse();
            Transform::new(Vec3::new(at.x, root.translation.y * self.scale, at.z), facing.normalize())
        } else {
            Transform::new(
                Vec3::new(centre.x, 0.0, centre.z),
                (body.yaw_twist() * to.root_from_body.inverse()).normalize(),
            )
        };
        target.set_world_from_root(root);
        let local = (root * to.root_from_parent).inverse() * hips;
        let hips = to.way[to.way.len() - 1];
        (target.translations[hips], target.rotations[hips]) = (local.translation, local.rotation);
    }
}

/// Returns a share of a rotation, -1 to 1.
fn share(turn: Quat, share: f32) -> Quat {
    if share == 1.0 {
        turn
    } else if share == -1.0 {
        turn.inverse()
    } else {
        Quat::from_rotation_vector(turn.to_rotation_vector() * share)
    }
}

fn carrier(of: &Reference, toe_height_m: f32) -> Carrier {
    let hips = of.joint("hips").unwrap_or(0);
    let mut way = vec![hips];
    let mut next = of.skeleton.parents()[hips];
    while let Some(j) = next {
        way.push(j.at());
        next = of.skeleton.parents()[j.at()];
    }
    way.reverse();
    let parent = of.skeleton.parents()[hips].map(JointIndex::at);
    Carrier {
        root_from_body: of.joint_from_body[0],
        hips_from_body: of.joint_from_body[hips],
        hip_centre: of.hip_centre(),
        root_from_parent: parent.map_or(Transform::IDENTITY, |p| below(&of.skeleton, 0, p)),
        ankle_m: of.ankle_over_toe_m + toe_height_m,
        way,
    }
}
