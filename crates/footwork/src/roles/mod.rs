//! Roles of joints: `left_foot` is `LeftFoot` in one rig and `foot_l` in another.
//!
//! Roles that the user sets take precedence; then names, corrected by the hierarchy; then the shape of the hierarchy and a pose
//! in which the body stands ([`JointRoles::resolve_with_poses`]). Each role stores how it was found, with a confidence.

mod names;
mod sides;
mod topology;
mod tree;
mod words;

use crate::clip::RawClip;
use crate::error::quoted;
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::skeleton::{Skeleton, SkeletonError};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[cfg(feature = "build")]
pub(crate) use words::tokens;
pub(crate) use words::{Side, Words};

/// All roles. Of a chain (spine, neck) the first joint has the role; `chest` is the last of the spine.
const ROLES: &[&str] = &[
    "hips",
    "spine",
    "chest",
    "neck",
    "head",
    "left_shoulder",
    "right_shoulder",
    "left_up_arm",
    "right_up_arm",
    "left_fore_arm",
    "right_fore_arm",
    "left_hand",
    "right_hand",
    "left_up_leg",
    "right_up_leg",
    "left_leg",
    "right_leg",
    "left_foot",
    "right_foot",
    "left_toe",
    "right_toe",
    "left_fore_foot",
    "right_fore_foot",
    "left_hind_foot",
    "right_hind_foot",
];
/// Roles that every walking body needs: if names give all of them, none is derived from the shape.
const NEEDED: &[&str] = &[
    "hips",
    "chest",
    "head",
    "left_up_leg",
    "right_up_leg",
    "left_leg",
    "right_leg",
    "left_foot",
    "right_foot",
    "left_hand",
    "right_hand",
];
/// Feet of a quadruped.
const PAWS: [&str; 4] = ["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"];
/// Maximum number of clips whose poses are used.
const MOST_CLIPS: usize = 16;
/// Maximum confidence in a side that the pose contradicts.
const CONTRADICTED: f32 = 0.3;

/// Source of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The user set it.
    Given,
    /// The joint's name, or its position between joints with known names.
    Name,
    /// The shape of the hierarchy, and a pose.
    Topology,
}

/// A joint in a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assigned {
    /// Joint.
    pub joint: JointIndex,
    /// Source of the role.
    pub found_by: FoundBy,
    /// Confidence, 0 to 1; 1 for roles that the user sets. Check roles below 0.5.
    pub confidence: f32,
}

/// Roles resolved against a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointRoles {
    joints: BTreeMap<String, Assigned>,
    notes: Vec<String>,
}

/// Error of roles that the user sets.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoleError {
    /// The role does not exist.
    #[error(
        "`roles.{role}`: there is no such role{}; known: {}",
        .nearest.as_ref().map(|n| format!(", nearest `{n}`")).unwrap_or_default(), ROLES.join(", "), role = quoted(.role)
    )]
    Unknown {
        /// Role given.
        role: String,
        /// The most similar role.
        nearest: Option<String>,
    },
    /// The joint does not exist.
    #[error("`roles.{role}`: {error}", role = quoted(.role))]
    Joint {
        /// Role.
        role: String,
        /// The missing joint.
        error: SkeletonError,
    },
}

impl JointRoles {
    /// Finds roles by names, and by the rest pose where names do not suffice; `given` takes precedence.
    ///
    /// # Errors
    /// Returns [`RoleError`] if a role or joint in `given` does not exist.
    pub fn resolve(skeleton: &Skeleton, given: &BTreeMap<String, String>) -> Result<Self, RoleError> {
        Self::resolve_with_poses(skeleton, given, &[positions(&skeleton.rest_model())])
    }

    /// Like [`JointRoles::resolve`], with poses of clips that share a skeleton: rest poses of motion capture are often unusable
    /// (all bones along one axis). Without clips, there are no roles.
    ///
    /// # Errors
    /// Returns errors like [`JointRoles::resolve`].
    pub fn of_clips(clips: &[&RawClip], given: &BTreeMap<String, String>) -> Result<Self, RoleError> {
        let Some(first) = clips.first() else { return Ok(Self::default()) };
        let mut poses = Vec::new();
        let alike = || clips.iter().filter(|c| c.skeleton.len() == first.skeleton.len() && c.frames() > 0);
        let every = alike().count().div_ceil(MOST_CLIPS);
        // The middle first: calibration poses are at the ends.
        for share in [0.5, 0.25, 0.75] {
            poses.extend(alike().step_by(every.max(1)).map(|c| frame_of(c, (c.frames() as f32 * share) as usize)));
        }
        if poses.is_empty() {
            Self::resolve(&first.skeleton, given)
        } else {
            Self::resolve_with_poses(&first.skeleton, given, &poses)
        }
    }

    /// Like [`JointRoles::resolve`], with poses in which the body stands or walks, +Y up: `[joints]` positions in the world,
    /// metres, of each. The majority decides between two feet and four; the first pose that determines the sides sets them.
    ///
    /// # Errors
    /// Returns errors like [`JointRoles::resolve`].
    ///
    /// # Panics
    /// Panics if a pose does not have one position per joint.
    pub fn resolve_with_poses(
        skeleton: &Skeleton,
        given: &BTreeMap<String, String>,
        poses: &[Vec<Vec3>],
    ) -> Result<Self, RoleError> {
        assert!(poses.iter().all(|p| p.len() == skeleton.len()), "one position per joint");
        let mut roles = Self::default();
        let named = names::find(skeleton);
        roles.notes = named.notes;
        for (role, (joint, confidence)) in named.joints {
            let joint = JointIndex::new(joint);
            roles.joints.insert(role, Assigned { joint, found_by: FoundBy::Name, confidence });
        }
        let (body, pose) = topology::find_in_poses(skeleton, poses);
        roles.fill_from_shape(body.filter(|body| !roles.walks_on_arms(skeleton, body)));
        if let Some(positions) = pose {
            roles.check_sides(skeleton, positions);
        }
        for (role, joint) in given {
            if !Self::is_role(role) {
                let nearest = crate::error::nearest(role, ROLES.iter().copied());
                return Err(RoleError::Unknown { role: role.clone(), nearest });
            }
            let joint = skeleton.require(joint).map_err(|error| RoleError::Joint { role: role.clone(), error })?;
            roles.joints.insert(role.clone(), Assigned { joint, found_by: FoundBy::Given, confidence: 1.0 });
        }
        Ok(roles)
    }

    /// Returns true if the legs of the shape are arms by their names, or hang from arms: fingers, if the rig has no feet below its legs.
    fn walks_on_arms(&self, skeleton: &Skeleton, body: &topology::Body) -> bool {
        let arms: Vec<usize> = ["shoulder", "up_arm", "fore_arm", "hand"]
            .iter()
            .flat_map(|part| Side::BOTH.map(|side| format!("{}_{part}", side.name())))
            .filter_map(|role| self.joints.get(&role).filter(|a| a.confidence > CONTRADICTED).map(|a| a.joint.at()))
            .collect();
        let leg = |side: Side| body.joints.get(&format!("{}_up_leg", side.name())).map(|(joint, _)| *joint);
        Side::BOTH
            .into_iter()
            .filter_map(leg)
            .any(|leg| arms.iter().any(|arm| *arm == leg || tree::is_above(skeleton, *arm, leg)))
    }

    /// Fills and corrects roles by the shape of the body.
    fn fill_from_shape(&mut self, body: Option<topology::Body>) {
        let complete = NEEDED.iter().all(|r| self.joints.get(*r).is_some_and(|a| a.confidence > CONTRADICTED));
        let Some(body) = body else { return };
        if !complete {
            for (role, (joint, confidence)) in &body.joints {
                let joint = JointIndex::new(*joint);
                let taken =
                    self.joints.iter().any(|(r, a)| a.joint == joint && r != role && a.confidence > *confidence);
                let better = self.joints.get(role).is_none_or(|a| a.confidence < *confidence);
                if better && !taken {
                    let found = Assigned { joint, found_by: FoundBy::Topology, confidence: *confidence };
                    self.joints.insert(role.clone(), found);
                }
            }
            self.notes.extend(body.notes);
        } else if body.quadruped {
            // A dog whose paws are named like hands and feet.
            for paw in PAWS {
                if let Some((joint, confidence)) = body.joints.get(paw) {
                    let (joint, confidence) = (JointIndex::new(*joint), *confidence);
                    self.joints.insert(paw.to_owned(), Assigned { joint, found_by: FoundBy::Topology, confidence });
                }
            }
        }
    }

    /// Lowers the confidence of sides that the pose contradicts.
    fn check_sides(&mut self, skeleton: &Skeleton, positions: &[Vec3]) {
        let joint = |role: String| self.get(&role).map(JointIndex::at);
        let leg = |side: Side| {
            let [hip, ankle, toe] = ["up_leg", "foot", "toe"].map(|part| joint(format!("{}_{part}", side.name())));
            Some([hip?, ankle?, toe?])
        };
        let by_name =
            |s: Side| self.joints.get(&format!("{}_up_leg", s.name())).is_some_and(|a| a.found_by == FoundBy::Name);
        if !Side::BOTH.into_iter().all(by_name) {
            return;
        }
        let (Some(left), Some(right)) = (leg(Side::Left), leg(Side::Right)) else { return };
        let Some(note) = sides::contradiction(skeleton, positions, &sides::Legs([left, right])) else { return };
        self.notes.push(note);
        for (role, assigned) in &mut self.joints {
            if Side::BOTH.iter().any(|s| role.starts_with(s.name())) {
                assigned.confidence = assigned.confidence.min(CONTRADICTED);
            }
        }
    }

    /// Returns whether the role exists, with or without a joint.
    pub fn is_role(name: &str) -> bool {
        ROLES.contains(&name)
    }

    /// Returns the joint in a role.
    pub fn get(&self, role: &str) -> Option<JointIndex> {
        self.joints.get(role).map(|a| a.joint)
    }

    /// Returns the joint that the user put in a role.
    pub fn given(&self, role: &str) -> Option<JointIndex> {
        self.joints.get(role).filter(|a| a.found_by == FoundBy::Given).map(|a| a.joint)
    }

    /// Iterates over all roles with a joint.
    pub fn iter(&self) -> impl Iterator<Item = (&str, JointIndex)> {
        self.assigned().map(|(r, a)| (r, a.joint))
    }

    /// Iterates over all roles with a joint, with their source.
    pub fn assigned(&self) -> impl Iterator<Item = (&str, Assigned)> {
        self.joints.iter().map(|(r, a)| (r.as_str(), *a))
    }

    /// Returns notes on contradictions, for display.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns whether the body has four feet.
    pub fn is_quadruped(&self) -> bool {
        PAWS.iter().all(|p| self.get(p).is_some())
    }

    /// Creates roles from an earlier result, by name.
    pub fn from_assigned(joints: impl IntoIterator<Item = (String, Assigned)>) -> Self {
        Self { joints: joints.into_iter().collect(), notes: Vec::new() }
    }

    /// Returns the roles after a new joint 0 was inserted before all others.
    pub fn shifted(&self) -> Self {
        let shift = |a: &Assigned| Assigned { joint: JointIndex(a.joint.0 + 1), ..*a };
        Self { joints: self.joints.iter().map(|(r, a)| (r.clone(), shift(a))).collect(), notes: self.notes.clone() }
    }

    /// Returns the name of the joint that `name` refers to: a joint's own name first, then a role, then a name that differs only
    /// in prefix and separators; else `name` itself.
    pub fn name_of(&self, skeleton: &Skeleton, name: &str) -> String {
        let alike = || skeleton.require(name).ok();
        match skeleton.find(name).or_else(|| self.get(name)).or_else(alike) {
            Some(joint) => skeleton.name(joint).to_owned(),
            None => name.to_owned(),
        }
    }
}

fn positions(world: &[Transform]) -> Vec<Vec3> {
    world.iter().map(|t| t.translation).collect()
}

/// Returns `[joints]` positions in a frame of a clip.
fn frame_of(clip: &RawClip, frame: usize) -> Vec<Vec3> {
    let mut world = Vec::new();
    clip.world(frame.min(clip.frames() - 1), &mut world);
    positions(&world)
}

/// Returns `[joints]` names split into side, part of the body, and number.
pub(crate) fn words(skeleton: &Skeleton) -> Vec<Words> {
    names::words(skeleton)
}

#[cfg(test)]
mod tests;
