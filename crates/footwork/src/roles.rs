//! Which joint plays which part: `left_foot` is `LeftFoot` here and `foot_l` there.

use crate::frames::JointIndex;
use crate::skeleton::{Skeleton, SkeletonError};
use std::collections::BTreeMap;

/// Roles and the names that common rigs give them, lower case, without separators and prefixes. Sources: the rigs'
/// published joint lists (LAFAN1, Mixamo, CMU, Unreal mannequin, SMPL, Unity humanoid, Rokoko, Xsens).
const KNOWN: &[(&str, &[&str])] = &[
    ("hips", &["hips", "pelvis", "hip", "root", "mroot", "lowerback"]),
    ("chest", &["spine2", "spine3", "spine03", "chest", "upperchest", "spine1", "spine02", "t8", "spine"]),
    ("neck", &["neck", "neck1", "neck01"]),
    ("head", &["head"]),
    ("left_up_leg", &["leftupleg", "thighl", "lefthip", "lhip", "leftupperleg", "lthigh", "leftthigh", "lhipjoint"]),
    (
        "right_up_leg",
        &["rightupleg", "thighr", "righthip", "rhip", "rightupperleg", "rthigh", "rightthigh", "rhipjoint"],
    ),
    ("left_leg", &["leftleg", "calfl", "leftknee", "lknee", "leftlowerleg", "lshin", "leftshin", "shinl"]),
    ("right_leg", &["rightleg", "calfr", "rightknee", "rknee", "rightlowerleg", "rshin", "rightshin", "shinr"]),
    ("left_foot", &["leftfoot", "footl", "leftankle", "lankle", "lfoot"]),
    ("right_foot", &["rightfoot", "footr", "rightankle", "rankle", "rfoot"]),
    ("left_toe", &["lefttoe", "lefttoebase", "balll", "ltoe", "lefttoes", "toel", "lfootball", "leftball"]),
    ("right_toe", &["righttoe", "righttoebase", "ballr", "rtoe", "righttoes", "toer", "rfootball", "rightball"]),
    ("left_hand", &["lefthand", "handl", "leftwrist", "lwrist", "lhand"]),
    ("right_hand", &["righthand", "handr", "rightwrist", "rwrist", "rhand"]),
];

/// Roles that only a configuration can give: no names tell a paw from a hand.
const BY_HAND: &[&str] = &["left_fore_foot", "right_fore_foot", "left_hind_foot", "right_hind_foot"];

/// Roles resolved against a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointRoles {
    joints: BTreeMap<String, JointIndex>,
}

/// Why roles cannot be resolved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoleError {
    /// A role nobody knows.
    #[error("`roles.{role}`: there is no such role{}; known: {}", .nearest.as_ref().map(|n| format!(", nearest `{n}`")).unwrap_or_default(), known().join(", "))]
    Unknown {
        /// Role given.
        role: String,
        /// The most similar one.
        nearest: Option<String>,
    },
    /// A joint that is not there.
    #[error("`roles.{role}`: {error}")]
    Joint {
        /// Role.
        role: String,
        /// What is missing.
        error: SkeletonError,
    },
}

fn known() -> Vec<&'static str> {
    KNOWN.iter().map(|k| k.0).chain(BY_HAND.iter().copied()).collect()
}

/// A joint name without namespace, separators and case.
fn plain(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name).to_lowercase();
    let name = ["bip01", "bip001", "cc_base_", "def-"].iter().fold(name, |n, p| n.trim_start_matches(p).to_owned());
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

impl JointRoles {
    /// Guesses from names; `given` wins.
    ///
    /// # Errors
    /// A role or joint in `given` that does not exist.
    pub fn resolve(skeleton: &Skeleton, given: &BTreeMap<String, String>) -> Result<Self, RoleError> {
        let mut joints = BTreeMap::new();
        let names: Vec<String> = skeleton.names().iter().map(|n| plain(n)).collect();
        for (role, candidates) in KNOWN {
            // Joint 0 named `Root` above a pelvis is no hips: the more telling name comes first in the list.
            let found = candidates.iter().find_map(|c| names.iter().position(|n| n == c));
            if let Some(j) = found {
                joints.insert((*role).to_owned(), JointIndex::new(j));
            }
        }
        for (role, joint) in given {
            if !known().contains(&role.as_str()) {
                let nearest = crate::error::nearest(role, known());
                return Err(RoleError::Unknown { role: role.clone(), nearest });
            }
            let joint = skeleton.require(joint).map_err(|error| RoleError::Joint { role: role.clone(), error })?;
            joints.insert(role.clone(), joint);
        }
        Ok(Self { joints })
    }

    /// Is there such a role, filled or not?
    pub fn is_role(name: &str) -> bool {
        known().contains(&name)
    }

    /// The joint in a role.
    pub fn get(&self, role: &str) -> Option<JointIndex> {
        self.joints.get(role).copied()
    }

    /// All roles that are filled.
    pub fn iter(&self) -> impl Iterator<Item = (&str, JointIndex)> {
        self.joints.iter().map(|(r, j)| (r.as_str(), *j))
    }

    /// The same roles after joint 0 was put before all others.
    pub fn shifted(&self) -> Self {
        Self { joints: self.joints.iter().map(|(r, j)| (r.clone(), JointIndex(j.0 + 1))).collect() }
    }

    /// The joint that a name means: a joint's own name first, then a role.
    pub fn name_of(&self, skeleton: &Skeleton, name: &str) -> String {
        match (skeleton.find(name), self.get(name)) {
            (None, Some(j)) => skeleton.name(j).to_owned(),
            _ => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    fn chain(names: &[&str]) -> Skeleton {
        Skeleton::new(
            names.iter().map(|n| n.to_string()).collect(),
            (0..names.len()).map(|j| (j > 0).then(|| JointIndex::new(j - 1))).collect(),
            vec![Transform::IDENTITY; names.len()],
        )
        .unwrap()
    }

    #[test]
    fn common_rigs_are_known_by_their_names() {
        for (rig, role, joint) in [
            (["SimulationBone", "Hips", "Spine", "Spine2", "LeftToe"], "left_toe", "LeftToe"),
            (["root", "pelvis", "spine_01", "thigh_l", "ball_l"], "left_toe", "ball_l"),
            (
                ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2", "mixamorig:LeftFoot"],
                "left_foot",
                "mixamorig:LeftFoot",
            ),
            (["root", "pelvis", "a", "b", "c"], "hips", "pelvis"),
            (["SimulationBone", "Hips", "Spine", "Spine1", "Spine2"], "chest", "Spine2"),
        ] {
            let s = chain(&rig);
            let roles = JointRoles::resolve(&s, &BTreeMap::new()).unwrap();
            assert_eq!(roles.get(role).map(|j| s.name(j)), Some(joint), "{rig:?}");
        }
    }

    #[test]
    fn given_roles_win_and_mistakes_name_the_nearest() {
        let s = chain(&["Hips", "Paw"]);
        let given = |r: &str, j: &str| BTreeMap::from([(r.to_owned(), j.to_owned())]);
        let roles = JointRoles::resolve(&s, &given("left_fore_foot", "Paw")).unwrap();
        assert_eq!(roles.get("left_fore_foot"), Some(JointIndex(1)));
        assert_eq!(roles.name_of(&s, "left_fore_foot"), "Paw");
        let e = JointRoles::resolve(&s, &given("left_fot", "Paw")).unwrap_err();
        assert!(e.to_string().contains("nearest `left_foot`"), "{e}");
        let e = JointRoles::resolve(&s, &given("left_foot", "Pow")).unwrap_err();
        assert!(e.to_string().contains("nearest is `Paw`"), "{e}");
    }
}
