//! Mirroring of clips: left becomes right.
//!
//! The mirror plane is x = 0 of the root. A joint takes the reflected rotation of its counterpart. Since a reflection is not a
//! rotation, each joint also needs the reflection of its own axes, computed from the rest pose: R' = M R_pair C with
//! C = R0_pair^-1 P R0, P the plane in which the rest pose is symmetric (LAFAN1's is z, most rigs' x). Both M and P are minus a
//! half turn, so every factor is a rotation, and in local space l' = C_parent^-1 l_pair C.

use crate::error::quoted;
use crate::frames::JointIndex;
use crate::math::{Quat, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Half turn about +X: minus the reflection x -> -x.
const HALF_TURN_X: Quat = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);

/// Counterparts of all joints, and the relation of their axes. Mirroring twice is the identity.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorTable {
    /// `[joints]` counterpart; a joint on the centre line is its own.
    pub pairs: Vec<JointIndex>,
    /// `[joints]` C, the half-turn form of each joint's reflection.
    correction: Vec<Quat>,
    /// `[joints]` inverse of the parent's C.
    parent_correction: Vec<Quat>,
    /// `[joints]` whether the translation is animated; other joints keep their own rest translation.
    translated: Vec<bool>,
    /// Normal of the plane in which the rest pose is its own mirror image.
    pub rest_normal: Vec3,
}

/// Error of a mirror table.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// No joint name contains a side.
    #[error("cannot mirror: no joint names a side (Left/Right, _L/_R, .l/.r, ...); give `mirror_pairs`")]
    NoSides,
    /// The parents of a pair are not a pair.
    #[error(
        "cannot mirror: `{joint}` pairs with `{pair}`, but their parents are no pair; give `mirror_pairs`",
        joint = quoted(.joint), pair = quoted(.pair)
    )]
    Unpaired {
        /// Joint.
        joint: String,
        /// Its counterpart.
        pair: String,
    },
    /// The rest pose is not symmetric.
    #[error(
        "cannot mirror: the rest pose is symmetric in no axis plane (best: off by {error_m:.3} m at `{joint}`); \
         set `mirror = \"off\"` or repair the skeleton",
        joint = quoted(.joint)
    )]
    Asymmetric {
        /// Worst joint in the best plane.
        joint: String,
        /// Distance from its mirrored counterpart, metres.
        error_m: f32,
    },
}

impl MirrorTable {
    /// Pairs joints by name (or by `pairs`, if given: joints of left and right) and finds the mirror plane of the rest pose.
    /// `translated` lists the joints whose translation is animated.
    ///
    /// # Errors
    /// Returns [`MirrorError`] if names contain no sides, pairs contradict the hierarchy, or the rest pose is not symmetric.
    pub fn new(
        skeleton: &Skeleton,
        pairs: &[(JointIndex, JointIndex)],
        translated: &[JointIndex],
    ) -> Result<Self, MirrorError> {
        let pairs = pair_up(skeleton, pairs)?;
        let rest = skeleton.rest_model();
        let plane = symmetry_plane(skeleton, &rest, &pairs)?;
        let correction: Vec<Quat> = (0..skeleton.len())
            .map(|j| match j {
                0 => HALF_TURN_X.inverse(),
                _ => rest[pairs[j].at()].rotation.inverse() * plane * rest[j].rotation,
            })
            .collect();
        let parent_correction =
            skeleton.parents().iter().map(|p| p.map_or(HALF_TURN_X, |p| correction[p.at()].inverse())).collect();
        let mut is_translated = vec![false; skeleton.len()];
        for j in translated {
            is_translated[j.at()] = true;
            is_translated[pairs[j.at()].at()] = true;
        }
        let rest_normal = Vec3::new(plane.x, plane.y, plane.z);
        Ok(Self { pairs, correction, parent_correction, translated: is_translated, rest_normal })
    }

    /// Mirrors a root transform in the world's plane x = 0.
    pub fn root(&self, t: Transform) -> Transform {
        Transform::new(self.vector(t.translation), HALF_TURN_X * t.rotation * self.correction[0])
    }

    /// Mirrors a position or velocity in root axes.
    pub fn vector(&self, v: Vec3) -> Vec3 {
        Vec3::new(-v.x, v.y, v.z)
    }

    /// Mirrors a rotation vector or angular velocity in root axes.
    pub fn pseudovector(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.x, -v.y, -v.z)
    }

    /// Mirrors all joints but the root in place; allocates nothing.
    pub fn joints(&self, pose: &mut Pose, velocity: &mut PoseVelocity) {
        for j in 1..pose.len() {
            let p = self.pairs[j].at();
            if p > j {
                pose.rotations.swap(j, p);
                pose.translations.swap(j, p);
                velocity.angular.swap(j, p);
                velocity.linear.swap(j, p);
                if !self.translated[j] {
                    pose.translations.swap(j, p);
                }
            }
        }
        for j in 1..pose.len() {
            let parent = self.parent_correction[j];
            pose.rotations[j] = parent * pose.rotations[j] * self.correction[j];
            velocity.angular[j] = parent * velocity.angular[j];
            if self.translated[j] {
                pose.translations[j] = -(parent * pose.translations[j]);
                velocity.linear[j] = -(parent * velocity.linear[j]);
            }
        }
    }
}

/// Returns the counterpart of a joint name: the side swapped, `None` for the centre line.
pub fn other_side(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];
    for (l, r) in WORDS {
        if let Some(i) = name.find(l) {
            return Some(format!("{}{}{}", &name[..i], r, &name[i + l.len()..]));
        }
        if let Some(i) = name.find(r) {
            return Some(format!("{}{}{}", &name[..i], l, &name[i + r.len()..]));
        }
    }
    swap_letter(name)
}

/// Swaps `l`/`r` as a separate word (`thigh_l`, `L_Foot`, `hand.R`) or as a prefix before a capital (`lThigh`, `RFoot`).
fn swap_letter(name: &str) -> Option<String> {
    let bytes = name.as_bytes();
    let edge = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_none_or(|b| !b.is_ascii_alphanumeric());
    for (i, b) in bytes.iter().enumerate() {
        let swapped = match b {
            b'l' => 'r',
            b'r' => 'l',
            b'L' => 'R',
            b'R' => 'L',
            _ => continue,
        };
        let starts = i == 0 || edge(i.checked_sub(1));
        let ends = edge(Some(i + 1));
        let prefix = i == 0
            && bytes.get(1).is_some_and(u8::is_ascii_uppercase)
            && bytes.get(2).is_some_and(u8::is_ascii_lowercase);
        if (starts && ends) || prefix {
            return Some(format!("{}{swapped}{}", &name[..i], &name[i + 1..]));
        }
    }
    None
}

/// Returns whether the name belongs to the left side.
pub fn is_left(name: &str) -> bool {
    let Some(other) = other_side(name) else { return false };
    // At the first difference of the two names, the left one has an l.
    name.chars().zip(other.chars()).find(|(a, b)| a != b).is_some_and(|(a, _)| a.eq_ignore_ascii_case(&'l'))
}

/// Pairs the remaining joints by side, part and number where exactly one joint matches, below parents that are a pair:
/// exporters append serial numbers to names (`LeftLeg_016`, `RightLeg_020`).
fn pair_by_words(skeleton: &Skeleton, pairs: &mut [JointIndex]) {
    let words = crate::roles::words(skeleton);
    let parent = |j: usize| skeleton.parents()[j].map_or(0, JointIndex::at);
    for j in 1..skeleton.len() {
        let single = |k: usize| pairs[k].at() == k && words[k].side.is_some();
        if !single(j) {
            continue;
        }
        let other = |k: &usize| {
            let (a, b) = (&words[j], &words[*k]);
            single(*k) && a.side != b.side && (&a.part, a.number) == (&b.part, b.number)
        };
        let mut fits = (1..skeleton.len()).filter(other).filter(|k| pairs[parent(j)].at() == parent(*k));
        if let (Some(k), None) = (fits.next(), fits.next()) {
            (pairs[j], pairs[k]) = (JointIndex::new(k), JointIndex::new(j));
        }
    }
}

fn pair_up(skeleton: &Skeleton, given: &[(JointIndex, JointIndex)]) -> Result<Vec<JointIndex>, MirrorError> {
    let mut pairs: Vec<JointIndex> = (0..skeleton.len()).map(JointIndex::new).collect();
    for j in 1..skeleton.len() {
        if let Some(other) = other_side(&skeleton.names()[j]).and_then(|n| skeleton.find(&n)) {
            // `Spine_l` without a `Spine_r` stays its own counterpart; so does a one-sided match.
            if other_side(skeleton.name(other)).as_deref() == Some(&skeleton.names()[j]) {
                pairs[j] = other;
            }
        }
    }
    pair_by_words(skeleton, &mut pairs);
    for (a, b) in given {
        pairs[a.at()] = *b;
        pairs[b.at()] = *a;
    }
    if pairs.iter().enumerate().all(|(j, p)| p.at() == j) {
        return Err(MirrorError::NoSides);
    }
    for j in 1..skeleton.len() {
        let p = pairs[j];
        let parent = |j: usize| skeleton.parents()[j].map_or(0, JointIndex::at);
        if pairs[parent(j)].at() != parent(p.at()) {
            let name = |j: usize| skeleton.names()[j].clone();
            return Err(MirrorError::Unpaired { joint: name(j), pair: name(p.at()) });
        }
    }
    Ok(pairs)
}

/// Returns the axis plane in which the rest pose is symmetric, as minus the reflection: a half turn about its normal.
fn symmetry_plane(skeleton: &Skeleton, rest: &[Transform], pairs: &[JointIndex]) -> Result<Quat, MirrorError> {
    let size = rest.iter().map(|t| t.translation.length()).fold(0.0, f32::max).max(1e-3);
    let planes = [
        (Vec3::new(-1.0, 1.0, 1.0), Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
        (Vec3::new(1.0, -1.0, 1.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)),
        (Vec3::new(1.0, 1.0, -1.0), Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)),
    ];
    // The body may be away from the origin. Its centre, in which both joints of a pair count equally, lies in the plane.
    let sum = rest.iter().skip(1).fold(Vec3::ZERO, |sum, t| sum + t.translation);
    let origin = sum / (rest.len() - 1).max(1) as f32;
    let mut best: Option<(f32, usize, Quat)> = None;
    for (sign, half_turn) in planes {
        let (mut worst, mut at) = (0.0, 0);
        for j in 1..rest.len() {
            let here = rest[j].translation - origin;
            let there = (rest[pairs[j].at()].translation - origin) * sign;
            let error = (here - there).length();
            if error > worst {
                (worst, at) = (error, j);
            }
        }
        if best.is_none_or(|b| worst < b.0) {
            best = Some((worst, at, half_turn));
        }
    }
    match best {
        Some((error, _, half_turn)) if error <= 0.05 * size => Ok(half_turn),
        Some((error_m, at, _)) => Err(MirrorError::Asymmetric { joint: skeleton.names()[at].clone(), error_m }),
        None => Err(MirrorError::NoSides),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton(lateral: Vec3, up: Vec3) -> Skeleton {
        let t = |v| Transform::new(v, Quat::IDENTITY);
        Skeleton::new(
            ["Root", "Hips", "LeftLeg", "RightLeg", "Spine"].map(String::from).to_vec(),
            [None, Some(0), Some(1), Some(1), Some(1)].map(|p| p.map(JointIndex)).to_vec(),
            vec![t(Vec3::ZERO), t(up), t(lateral * 0.1 - up * 0.4), t(lateral * -0.1 - up * 0.4), t(up * 0.3)],
        )
        .unwrap()
    }

    fn random_pose(s: &Skeleton) -> (Pose, PoseVelocity) {
        let mut pose = Pose::rest(s);
        let mut velocity = PoseVelocity::zero(s.len());
        for j in 0..s.len() {
            let k = j as f32;
            pose.rotations[j] = Quat::from_rotation_vector(Vec3::new(0.3 * k, 0.5 - 0.2 * k, 0.1 + 0.4 * k));
            velocity.angular[j] = Vec3::new(k, 0.2, -0.3 * k);
            velocity.linear[j] = Vec3::new(0.1, k, -k);
        }
        pose.rotations[0] = Quat::from_rotation_y(0.4);
        pose.translations[1] += Vec3::new(0.02, -0.01, 0.03);
        (pose, velocity)
    }

    #[test]
    fn joints_that_an_exporter_has_counted_are_pairs() {
        let names = ["Root_00", "Hip_01", "LeftLeg1_04", "RightLeg1_02", "LeftLeg2_05", "RightLeg2_03", "LeftEar_06"];
        let parents = [None, Some(0), Some(1), Some(1), Some(2), Some(3), Some(1)].map(|p| p.map(JointIndex));
        let s =
            Skeleton::new(names.map(String::from).to_vec(), parents.to_vec(), vec![Transform::IDENTITY; 7]).unwrap();
        let pairs: Vec<usize> = pair_up(&s, &[]).unwrap().iter().map(|j| j.at()).collect();
        assert_eq!(pairs, [0, 1, 3, 2, 5, 4, 6]);
    }

    #[test]
    fn sides_are_told_by_common_spellings() {
        for (a, b) in [
            ("LeftToe", "RightToe"),
            ("mixamorig:LeftFoot", "mixamorig:RightFoot"),
            ("thigh_l", "thigh_r"),
            ("L_Foot", "R_Foot"),
            ("hand.L", "hand.R"),
            ("lThigh", "rThigh"),
            ("Bip01 L Calf", "Bip01 R Calf"),
        ] {
            assert_eq!(other_side(a).as_deref(), Some(b));
            assert_eq!(other_side(b).as_deref(), Some(a));
            assert!(is_left(a) && !is_left(b), "{a}");
        }
        for middle in ["Hips", "Spine1", "Root", "Head", "tail"] {
            assert_eq!(other_side(middle), None, "{middle}");
        }
    }

    #[test]
    fn mirroring_twice_is_the_identity() {
        for lateral in [Vec3::X, Vec3::Z] {
            let s = skeleton(lateral, if lateral == Vec3::Z { Vec3::X } else { Vec3::Y });
            let table = MirrorTable::new(&s, &[], &[JointIndex(0), JointIndex(1)]).unwrap();
            let (mut pose, mut velocity) = random_pose(&s);
            let before = (pose.clone(), velocity.clone());
            table.joints(&mut pose, &mut velocity);
            assert!(pose != before.0);
            table.joints(&mut pose, &mut velocity);
            for j in 1..s.len() {
                assert!(pose.rotations[j].angle_between(before.0.rotations[j]) < 1e-3);
                assert!((pose.translations[j] - before.0.translations[j]).length() < 1e-6);
                assert!((velocity.angular[j] - before.1.angular[j]).length() < 1e-5);
                assert!((velocity.linear[j] - before.1.linear[j]).length() < 1e-5);
            }
            let root = Transform::new(Vec3::new(1.0, 0.2, 3.0), Quat::from_rotation_y(0.9));
            let twice = table.root(table.root(root));
            assert!((twice.translation - root.translation).length() < 1e-6);
            assert!(twice.rotation.angle_between(root.rotation) < 1e-3);
        }
    }

    #[test]
    fn mirrored_joints_stand_where_reflected_counterparts_stand() {
        for (lateral, up) in [(Vec3::X, Vec3::Y), (Vec3::Z, Vec3::X)] {
            let s = skeleton(lateral, up);
            let table = MirrorTable::new(&s, &[], &[JointIndex(0), JointIndex(1)]).unwrap();
            let (mut pose, mut velocity) = random_pose(&s);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            pose.world(&s, &mut before);
            table.joints(&mut pose, &mut velocity);
            pose.set_world_from_root(table.root(pose.world_from_root()));
            pose.world(&s, &mut after);
            for j in 0..s.len() {
                let reflected = table.vector(before[table.pairs[j].at()].translation);
                assert!(
                    (after[j].translation - reflected).length() < 1e-5,
                    "{j}: {} {reflected}",
                    after[j].translation
                );
            }
        }
    }

    #[test]
    fn the_middle_is_found_even_where_the_first_joint_has_a_side() {
        let t = |v| Transform::new(v, Quat::IDENTITY);
        let names = ["Root", "LeftLeg", "RightLeg", "Hips"].map(String::from).to_vec();
        let parents = [None, Some(0), Some(0), Some(0)].map(|p| p.map(JointIndex)).to_vec();
        let aside = Vec3::new(3.0, 0.0, 0.0);
        let rest = vec![t(Vec3::ZERO), t(aside + Vec3::X * 0.1), t(aside - Vec3::X * 0.1), t(aside + Vec3::Y)];
        let s = Skeleton::new(names, parents, rest).unwrap();
        assert_eq!(MirrorTable::new(&s, &[], &[]).unwrap().rest_normal, Vec3::X);
    }

    #[test]
    fn lopsided_or_sideless_skeletons_are_refused() {
        let s = skeleton(Vec3::X, Vec3::Y);
        let mut rest = s.rest().to_vec();
        rest[2].translation.y -= 0.5;
        let lopsided = Skeleton::new(s.names().to_vec(), s.parents().to_vec(), rest).unwrap();
        assert!(matches!(MirrorTable::new(&lopsided, &[], &[]), Err(MirrorError::Asymmetric { .. })));
        let names = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        let sideless = Skeleton::new(names, s.parents().to_vec(), s.rest().to_vec()).unwrap();
        assert_eq!(MirrorTable::new(&sideless, &[], &[]), Err(MirrorError::NoSides));
        let by_hand = MirrorTable::new(&sideless, &[(JointIndex(2), JointIndex(3))], &[]);
        assert_eq!(by_hand.unwrap().pairs[2], JointIndex(3));
    }
}
