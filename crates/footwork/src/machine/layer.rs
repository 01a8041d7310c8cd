//! Layers, which modify the pose of the state.

use super::MachineError;
use super::blend_space::{BlendSpaceSpec, BlendState};
use super::body::Steer;
use super::clips::clip;
use super::spec::{LayerSpec, Space, Weight};
use crate::database::Database;
use crate::matcher::Playing;
use crate::matcher::scratch::RootRotations;
use crate::math::Quat;
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use std::collections::BTreeMap;

/// A layer, resolved.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub name: String,
    /// `[joints]` 0 to 1; 0 for the root.
    pub mask: Vec<f32>,
    pub additive: bool,
    pub space: Space,
    /// True if it affects legs.
    pub over_legs: bool,
    /// The clip whose first frame is the reference; `None`: the playing clip.
    pub reference: Option<Playing>,
    pub own: Option<Own>,
}

/// The motion that a layer plays while no montage plays.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub plays: OwnPlays,
    pub weight: OwnWeight,
    pub half_life_s: f32,
    pub in_step: bool,
}

#[derive(Clone, Debug)]
pub(super) enum OwnPlays {
    /// A looping clip, and its length in seconds.
    Clip(Playing, f32),
    /// A blend space, by index.
    Blend(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum OwnWeight {
    Number(f32),
    /// Source of the weight.
    Steered(Steer),
}

/// Default half-life of a layer's weight, in seconds.
const HALF_LIFE_S: f32 = 0.1;
/// Name of all joints of the upper body.
const UPPER_BODY: &str = "upper_body";

impl Layer {
    pub fn new(
        db: &Database,
        spec: &LayerSpec,
        blend_spaces: &[BlendSpaceSpec],
        steer: impl Fn(&str, &str) -> Result<Steer, MachineError>,
    ) -> Result<Self, MachineError> {
        let at = format!("layers.`{}`", spec.name);
        let find = |key: &str, name: &String| clip(db, &format!("{at}.{key}"), name, false);
        if spec.reference.is_some() && !spec.additive {
            return Err(MachineError::new(at, "`reference` is for additive layers"));
        }
        let plays = match (&spec.clip, &spec.blend_space) {
            (Some(_), Some(_)) => {
                return Err(MachineError::new(at, "expected either `clip` or `blend_space`, not both"));
            }
            (Some(name), None) => {
                let playing = find("clip", name)?;
                Some(OwnPlays::Clip(playing, db.view(playing.clip, false).seconds() as f32))
            }
            (None, Some(name)) => {
                let known = || blend_spaces.iter().map(|b| b.name.as_str());
                let unknown = || MachineError::unknown(format!("{at}.blend_space"), "blend space", name, known());
                Some(OwnPlays::Blend(known().position(|n| n == name).ok_or_else(unknown)?))
            }
            (None, None) => None,
        };
        if plays.is_none() && (spec.weight.is_some() || spec.in_step) {
            return Err(MachineError::new(
                at,
                "`weight` and `in_step` are for layers with a `clip` or `blend_space` of their own",
            ));
        }
        if spec.additive && spec.reference.is_none() && spec.blend_space.is_some() {
            return Err(MachineError::new(at, "an additive layer with a `blend_space` needs a `reference`"));
        }
        if spec.in_step && spec.clip.is_none() {
            return Err(MachineError::new(at, "`in_step` is for layers with a `clip`"));
        }
        let weight = match &spec.weight {
            None => OwnWeight::Number(1.0),
            Some(Weight::Number(n)) if (0.0..=1.0).contains(n) => OwnWeight::Number(*n),
            Some(Weight::Number(n)) => return Err(MachineError::new(at, format!("`weight` is {n}: expected 0 to 1"))),
            Some(Weight::Name(name)) => OwnWeight::Steered(steer(&format!("{at}.weight"), name)?),
        };
        let half_life_s = spec.half_life_s.unwrap_or(HALF_LIFE_S);
        if !(0.0..=100.0).contains(&half_life_s) {
            return Err(MachineError::new(at, format!("`half_life_s` is {half_life_s}: expected 0 to 100")));
        }
        let mask = mask(db, &spec.mask, &at)?;
        // Joint 0 carries the feet too, but is not part of a leg.
        let over_legs = (1..mask.len()).any(|j| mask[j] > 0.0 && db.rig.carries_foot[j]);
        Ok(Self {
            name: spec.name.clone(),
            mask,
            over_legs,
            additive: spec.additive,
            space: spec.space,
            reference: spec.reference.as_ref().map(|r| find("reference", r)).transpose()?,
            own: plays.map(|plays| Own { plays, weight, half_life_s, in_step: spec.in_step }),
        })
    }

    /// Returns the number of floats of its memory, without that of its montages.
    pub fn memory_width(&self) -> usize {
        match self.own.as_ref().map(|own| &own.plays) {
            None => 0,
            Some(OwnPlays::Clip(..)) => 1 + 1,
            Some(OwnPlays::Blend(_)) => 1 + BlendState::MEMORY,
        }
    }

    /// Writes the reference pose of additive motion to `reference`: the first frame of the layer's own reference, or else of
    /// `plays`.
    pub fn refer(&self, db: &Database, plays: Option<Playing>, reference: &mut (Pose, PoseVelocity)) {
        if let Some(p) = self.reference.or(plays).filter(|_| self.additive) {
            db.view(p.clip, p.mirrored).sample(0.0, &mut reference.0, &mut reference.1);
        }
    }

    /// Applies a layer's motion to a pose, with `[joints]` weights `mask` and a total `weight`, both 0 to 1. `reference` is the
    /// pose for additive layers.
    pub fn bend(
        &self,
        skeleton: &Skeleton,
        (pose, velocity): (&mut Pose, &mut PoseVelocity),
        (by, by_velocity): (&Pose, &PoseVelocity),
        (reference, rotations): (&Pose, &mut RootRotations),
        (mask, weight): (&[f32], f32),
    ) {
        if self.space == Space::Root {
            into_root(skeleton, pose, &mut rotations.before);
            into_root(skeleton, by, &mut rotations.plays);
            into_root(skeleton, reference, &mut rotations.reference);
            rotations.after[0] = Quat::IDENTITY;
        }
        for j in 1..pose.len() {
            let w = weight * mask[j];
            if self.space == Space::Root {
                let above = rotations.after[skeleton.parents()[j].map_or(0, |p| p.at())];
                if w > 0.0 {
                    let (before, plays) = (rotations.before[j], rotations.plays[j]);
                    let turned = if self.additive {
                        Quat::IDENTITY.nlerp(plays * rotations.reference[j].inverse(), w) * before
                    } else {
                        before.nlerp(plays, w)
                    };
                    pose.rotations[j] = (above.inverse() * turned).renormalize();
                }
                rotations.after[j] = above * pose.rotations[j];
            }
            if w == 0.0 {
                continue;
            }
            let (rotation, translation) = (pose.rotations[j], pose.translations[j]);
            if self.additive {
                if self.space == Space::Local {
                    let turn = by.rotations[j] * reference.rotations[j].inverse();
                    pose.rotations[j] = (Quat::IDENTITY.nlerp(turn, w) * rotation).renormalize();
                }
                pose.translations[j] = translation + (by.translations[j] - reference.translations[j]) * w;
                velocity.angular[j] += by_velocity.angular[j] * w;
                velocity.linear[j] += by_velocity.linear[j] * w;
            } else {
                if self.space == Space::Local {
                    pose.rotations[j] = rotation.nlerp(by.rotations[j], w);
                }
                pose.translations[j] = translation + (by.translations[j] - translation) * w;
                let (angular, linear) = (velocity.angular[j], velocity.linear[j]);
                velocity.angular[j] = angular + (by_velocity.angular[j] - angular) * w;
                velocity.linear[j] = linear + (by_velocity.linear[j] - linear) * w;
            }
        }
    }
}

/// Writes the rotations of a pose's joints in root space to `out`.
fn into_root(skeleton: &Skeleton, pose: &Pose, out: &mut [Quat]) {
    out[0] = Quat::IDENTITY;
    for j in 1..pose.len() {
        out[j] = out[skeleton.parents()[j].map_or(0, |p| p.at())] * pose.rotations[j];
    }
}

/// Returns `[joints]` weights. A joint has the weight of its nearest ancestor in the mask.
pub(super) fn mask(db: &Database, mask: &BTreeMap<String, f32>, at: &str) -> Result<Vec<f32>, MachineError> {
    let (skeleton, joints) = (&db.skeleton, db.skeleton.len());
    let mut named: Vec<Option<f32>> = vec![None; joints];
    for (name, weight) in mask {
        let place = format!("{at}.mask");
        if !(0.0..=1.0).contains(weight) {
            return Err(MachineError::new(place, format!("`{name}` is {weight}: expected 0 to 1")));
        }
        if name == UPPER_BODY {
            upper_body(db).for_each(|j| named[j] = named[j].or(Some(*weight)));
            continue;
        }
        let Some(joint) = db.rig.joint(skeleton, name) else {
            let known = skeleton.names().iter().map(String::as_str).chain([UPPER_BODY]);
            return Err(MachineError::unknown(place, "joint or role", name, known));
        };
        named[joint.at()] = Some(*weight);
    }
    let mut out: Vec<f32> = Vec::with_capacity(joints);
    for j in 0..joints {
        let above = skeleton.parents()[j].map_or(if mask.is_empty() { 1.0 } else { 0.0 }, |p| out[p.at()]);
        out.push(named[j].unwrap_or(above));
    }
    out[0] = 0.0;
    Ok(out)
}

/// Returns the topmost joints of the upper body: they carry no foot, but their parents carry all feet.
fn upper_body(db: &Database) -> impl Iterator<Item = usize> {
    let parents = db.skeleton.parents();
    let above = move |joint: usize| std::iter::successors(Some(joint), move |j| parents[*j].map(|p| p.at()));
    let trunk = move |joint: usize| db.rig.contact_joints.iter().all(|c| above(c.at()).any(|j| j == joint));
    (1..parents.len()).filter(move |j| !db.rig.carries_foot[*j] && parents[*j].is_some_and(|p| trunk(p.at())))
}
