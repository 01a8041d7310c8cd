//! Converts [`Bvh`] to [`RawClip`]: metres and quaternions.

use super::error::{BvhError, BvhProblem};
use super::units::{Units, metres_per_unit};
use super::{Axis, Bvh, BvhJoint, Channel};
use footwork::clip::{Annotations, RawClip};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// Maximum number of joints per value of the motion block: beyond it a small file would expand to a huge clip.
const MOST_JOINTS_PER_VALUE: usize = 4;
/// Number of transforms that is always allowed.
const ALWAYS_ALLOWED: usize = 1 << 20;
/// Last words of the names of joints that need a toe.
const FEET: [&str; 4] = ["foot", "ankle", "paw", "hoof"];
/// A shorter End Site only marks where a foot points, metres.
const LEAST_TOE_M: f32 = 0.03;

impl Bvh {
    /// Returns the motion in metres, +Y up as in the file, as local translations and rotations. The rest pose has the joints'
    /// offsets and no rotations.
    ///
    /// A joint's translation is taken from its position channels; components without a channel come from its `OFFSET`. Its
    /// rotation is the product of its rotation channels, the first listed outermost. Joint 0 is the `ROOT`, whatever its role.
    /// The rate is [`Bvh::rate_hz`].
    ///
    /// The End Site of a foot without a toe becomes a joint (`LeftFoot_End` below `LeftFoot`), since the foot touches the ground
    /// there: a foot is a joint without children whose name ends in foot, ankle, paw or hoof, and its End Site is at least 3 cm
    /// away. Other End Sites are left out.
    ///
    /// # Errors
    /// Returns a [`BvhError`] if the unit is invalid or cannot be guessed, if a number exceeds the range of `f32`, or if a
    /// `Bvh` made by hand breaks a guarantee of [`parse`](super::parse).
    pub fn to_clip(&self, name: &str, source: &str, units: Units) -> Result<RawClip, BvhError> {
        let fail = |problem| BvhError { file: source.to_owned(), line: None, problem };
        let scale = metres_per_unit(self, units).map_err(fail)?;
        let toes: Vec<Option<Vec3>> = (0..self.joints.len()).map(|j| self.toe(j, scale)).collect();
        let skeleton = self.skeleton(scale, &toes).map_err(fail)?;
        let count = self.frames.saturating_mul(skeleton.len());
        if count > ALWAYS_ALLOWED && count / MOST_JOINTS_PER_VALUE > self.values.len() {
            let (joints, frames, values) = (skeleton.len(), self.frames, self.values.len());
            return Err(fail(BvhProblem::TooLarge { joints, frames, values }));
        }
        let mut clip = RawClip {
            name: name.to_owned(),
            source: source.to_owned(),
            skeleton,
            rate_hz: self.rate_hz(),
            looping: false,
            translations: Vec::with_capacity(count),
            rotations: Vec::with_capacity(count),
            annotations: Annotations::default(),
        };
        for row in self.values.chunks_exact(self.channels().max(1)).take(self.frames) {
            let mut rest = row;
            for (joint, toe) in self.joints.iter().zip(&toes) {
                let (own, others) = rest.split_at(joint.channels.len());
                rest = others;
                let local = local_transform(joint, own, scale);
                clip.translations.push(local.translation);
                clip.rotations.push(local.rotation);
                if let Some(toe) = toe {
                    clip.translations.push(*toe);
                    clip.rotations.push(Quat::IDENTITY);
                }
            }
        }
        clip.validate().map_err(|e| fail(e.into()))?;
        Ok(clip)
    }

    /// Returns the offset of the End Site of a foot without a toe, in metres from the foot; `None` for all other joints.
    fn toe(&self, joint: usize, scale: f32) -> Option<Vec3> {
        let foot = &self.joints[joint];
        let toe = foot.end_site? * scale;
        let toe_of_another = || foot.parent.and_then(|p| self.joints.get(p)).is_some_and(|p| is_foot(&p.name));
        let is_leaf = || self.joints.iter().all(|j| j.parent != Some(joint));
        let is_free = || self.joints.iter().all(|j| j.name != toe_name(foot));
        let needs_toe = is_foot(&foot.name) && !toe_of_another() && is_leaf() && is_free();
        (needs_toe && toe.length() >= LEAST_TOE_M).then_some(toe)
    }

    fn skeleton(&self, scale: f32, toes: &[Option<Vec3>]) -> Result<Skeleton, BvhProblem> {
        let (mut names, mut parents, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = Vec::with_capacity(self.joints.len());
        for (joint, toe) in self.joints.iter().zip(toes) {
            at.push(names.len());
            names.push(joint.name.clone());
            // A hand-made file may name a parent that does not come before: then the index is out of range, and the skeleton is rejected.
            parents.push(joint.parent.map(|p| JointIndex::new(at.get(p).copied().unwrap_or(usize::from(u16::MAX)))));
            rest.push(Transform::new(joint.offset * scale, Quat::IDENTITY));
            if let Some(toe) = toe {
                parents.push(Some(JointIndex::new(names.len() - 1)));
                names.push(toe_name(joint));
                rest.push(Transform::new(*toe, Quat::IDENTITY));
            }
        }
        Ok(Skeleton::new(names, parents, rest)?)
    }
}

/// Whether the last word of a joint's name, numbers and sides left out, is a foot: `l_foot`, `Foot.L`, `RightFoot2`.
fn is_foot(name: &str) -> bool {
    let word = |text: &str| text.trim_end_matches(|c: char| !c.is_alphabetic()).to_owned();
    let whole = word(&name.to_lowercase());
    let without_side = ["left", "right", "l", "r"].iter().find_map(|side| whole.strip_suffix(side)).map(word);
    FEET.iter().any(|foot| whole.ends_with(foot) || without_side.as_ref().is_some_and(|w| w.ends_with(foot)))
}

/// The name of the joint at the End Site of a foot.
fn toe_name(foot: &BvhJoint) -> String {
    format!("{}_End", foot.name)
}

/// Returns a joint's transform in one frame, from its `[channels]` values.
fn local_transform(joint: &BvhJoint, values: &[f32], scale: f32) -> Transform {
    const RAD_PER_DEG: f32 = std::f32::consts::PI / 180.0;
    let mut translation = joint.offset.to_array();
    let mut rotation: Option<Quat> = None;
    for (channel, value) in joint.channels.iter().zip(values) {
        match channel {
            Channel::Position(axis) => translation[axis.at()] = *value,
            Channel::Rotation(axis) => {
                let q = about(*axis, *value * RAD_PER_DEG);
                rotation = Some(rotation.map_or(q, |outer| outer * q));
            }
        }
    }
    let rotation = rotation.map_or(Quat::IDENTITY, Quat::normalize);
    Transform::new(Vec3::from_array(translation) * scale, rotation)
}

/// Returns a rotation about one axis.
pub(super) fn about(axis: Axis, rad: f32) -> Quat {
    match axis {
        Axis::X => Quat::from_rotation_x(rad),
        Axis::Y => Quat::from_rotation_y(rad),
        Axis::Z => Quat::from_rotation_z(rad),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RotationOrder, parse};
    use super::*;

    fn one_joint(channels: &[Channel], frames: &[&[f32]], frame_time_s: f64) -> Bvh {
        let joint = BvhJoint {
            name: "Hips".into(),
            parent: None,
            offset: Vec3::new(1.0, 2.0, 3.0),
            channels: channels.to_vec(),
            end_site: None,
        };
        let values = frames.concat();
        Bvh { joints: vec![joint], frames: frames.len(), frame_time_s, values }
    }

    fn clip(channels: &[Channel], frames: &[&[f32]]) -> RawClip {
        one_joint(channels, frames, 0.0333).to_clip("c", "t", Units::Centimetres).unwrap()
    }

    #[test]
    fn the_first_rotation_channel_is_the_outermost_in_all_six_orders() {
        // Independent of the library's quaternions: turns a vector about one axis after the other, innermost first.
        let turn = |axis: Axis, deg: f64, v: [f64; 3]| {
            let (i, j) = ((axis.at() + 1) % 3, (axis.at() + 2) % 3);
            let (s, c) = (libm_sin(deg), libm_sin(deg + 90.0));
            let mut out = v;
            out[i] = v[i] * c - v[j] * s;
            out[j] = v[i] * s + v[j] * c;
            out
        };
        for order in RotationOrder::ALL {
            let axes = order.axes();
            let clip = clip(&axes.map(Channel::Rotation), &[&[20.0, -50.0, 110.0]]);
            let v = [0.3, -0.4, 0.9];
            let expected = turn(axes[0], 20.0, turn(axes[1], -50.0, turn(axes[2], 110.0, v)));
            let found = clip.rotations[0] * Vec3::from_array(v.map(|c| c as f32));
            for (f, e) in found.to_array().iter().zip(expected) {
                assert!((f64::from(*f) - e).abs() < 1e-6, "{order:?}: {found} {expected:?}");
            }
        }
    }

    fn libm_sin(deg: f64) -> f64 {
        f64::from(footwork::advanced::math::sin(deg.to_radians() as f32))
    }

    #[test]
    fn positions_replace_the_offset_and_missing_components_keep_it() {
        let all = clip(&Channel::ALL[..3], &[&[10.0, 20.0, 30.0]]);
        assert!((all.translations[0] - Vec3::new(0.1, 0.2, 0.3)).length() < 1e-7);
        let only_y = clip(&[Channel::Position(Axis::Y)], &[&[20.0]]);
        assert!((only_y.translations[0] - Vec3::new(0.01, 0.2, 0.03)).length() < 1e-7);
        assert_eq!(only_y.rotations[0], Quat::IDENTITY);
        let none = clip(&[Channel::Rotation(Axis::Y)], &[&[90.0]]);
        assert_eq!(none.translations[0], none.skeleton.rest()[0].translation);
        assert!((none.rotations[0] * Vec3::Z - Vec3::X).length() < 1e-6);
    }

    #[test]
    fn positions_may_come_after_rotations() {
        let order = [Channel::Rotation(Axis::Y), Channel::Position(Axis::Z), Channel::Position(Axis::X)];
        let c = clip(&order, &[&[90.0, 7.0, 5.0], &[0.0, 1.0, 1.0]]);
        assert!((c.translations[0] - Vec3::new(0.05, 0.02, 0.07)).length() < 1e-7);
        assert_eq!(c.frames(), 2);
    }

    #[test]
    fn the_end_site_of_a_foot_without_a_toe_is_a_joint() {
        let joint = |name: &str, parent: Option<usize>, end_site: Option<Vec3>| BvhJoint {
            name: name.into(),
            parent,
            offset: Vec3::NEG_Y * 40.0,
            channels: if parent.is_some() { vec![Channel::Rotation(Axis::X)] } else { Channel::ALL[..3].to_vec() },
            end_site,
        };
        let end = Some(Vec3::Z * 12.0);
        let file = |foot: &str, under: usize, end_site| Bvh {
            joints: vec![
                joint("Hips", None, None),
                joint("Leg", Some(0), None),
                joint("MyFoot", Some(1), None),
                joint(foot, Some(under), end_site),
                joint("Head", Some(0), end),
            ],
            frames: 1,
            frame_time_s: 0.1,
            values: vec![0.0, 80.0, 0.0, 0.0, 0.0, 90.0, 0.0],
        };
        for foot in ["LeftFoot", "l_foot", "Foot.L", "foot_r", "ankle1", "Hind Paw"] {
            let clip = file(foot, 1, end).to_clip("c", "t", Units::Centimetres).unwrap();
            let names = clip.skeleton.names();
            assert_eq!(names[3..], [foot.to_owned(), format!("{foot}_End"), "Head".into()], "{foot}");
            assert_eq!(clip.skeleton.parents()[4..], [Some(JointIndex(3)), Some(JointIndex(0))]);
            // The foot is turned by 90 degrees about X: what was ahead is below.
            let mut world = Vec::new();
            clip.world(0, &mut world);
            assert!((world[4].translation - Vec3::new(0.0, -0.12, 0.0)).length() < 1e-6, "{}", world[4].translation);
        }
        let joints = |b: Bvh| b.to_clip("c", "t", Units::Centimetres).unwrap().skeleton.len();
        assert_eq!(joints(file("Hand", 1, end)), 5);
        assert_eq!(joints(file("LeftFoot", 1, Some(Vec3::Z))), 5, "too short");
        assert_eq!(joints(file("Foot", 2, end)), 5, "the toe of another foot");
        let mut taken = file("Foot", 1, end);
        taken.joints[4].name = "Foot_End".into();
        assert_eq!(joints(taken), 5);
    }

    #[test]
    fn a_rounded_frame_time_means_the_whole_rate() {
        let times = [
            (0.0333, 30.0),
            (0.033333, 30.0),
            (0.03333333, 30.0),
            (0.033, 1.0 / 0.033),
            (0.016667, 60.0),
            (0.0166667, 60.0),
            (0.008333, 120.0),
            (0.00833, 120.0),
            (0.04, 25.0),
            (0.041667, 24.0),
            (0.0083, 120.0),
            (0.001, 1000.0),
            (1.0, 1.0),
        ];
        for (time, rate) in times {
            assert_eq!(one_joint(&[Channel::ALL[0]], &[&[0.0]], time).rate_hz(), rate as f32, "{time}");
        }
    }

    #[test]
    fn units_scale_the_rest_pose_and_the_motion() {
        let b = one_joint(&Channel::ALL[..3], &[&[100.0, 0.0, 0.0]], 0.1);
        for (units, metres) in [
            (Units::Metres, 100.0),
            (Units::Centimetres, 1.0),
            (Units::Millimetres, 0.1),
            (Units::Inches, 2.54),
            (Units::MetresPerUnit(0.5), 50.0),
        ] {
            let c = b.to_clip("c", "t", units).unwrap();
            assert!((c.translations[0].x - metres).abs() < 1e-6 * metres, "{units:?}");
            assert!((c.skeleton.rest()[0].translation.x - metres / 100.0).abs() < 1e-6 * metres);
        }
    }

    #[test]
    fn unusable_units_are_refused() {
        let b = one_joint(&Channel::ALL[..3], &[&[100.0, 0.0, 0.0]], 0.1);
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let e = b.to_clip("c", "t.bvh", Units::MetresPerUnit(bad)).unwrap_err().to_string();
            assert!(e.starts_with("t.bvh: ") && e.contains("metres per unit are not usable"), "{e}");
        }
        let e = b.to_clip("c", "t.bvh", Units::Auto).unwrap_err().to_string();
        assert_eq!(
            e,
            "t.bvh: no bone has a length, so the unit cannot be guessed: say which it is, for instance centimetres"
        );
        let e = b.to_clip("c", "t.bvh", Units::MetresPerUnit(3e38)).unwrap_err().to_string();
        assert!(e.contains("not finite"), "{e}");
    }

    #[test]
    fn a_small_file_cannot_blow_up_into_a_huge_clip() {
        let mut text = String::from("HIERARCHY\nROOT J\n{\nOFFSET 0 1 0\nCHANNELS 1 Yrotation\n");
        (1..4096).for_each(|j| text += &format!("JOINT J{j} {{ OFFSET 0 1 0 }}\n"));
        text += "}\nMOTION\nFrames: 100000\nFrame Time: 0.1\n";
        text += &"1\n".repeat(100_000);
        let e = parse(text.as_bytes(), "t").unwrap().to_clip("c", "t", Units::Metres).unwrap_err().to_string();
        assert!(e.contains("4096 joints x 100000 frames are far more than the 100000 values given"), "{e}");
    }

    #[test]
    fn a_hand_made_file_that_breaks_its_promises_is_an_error_or_a_shorter_clip_never_a_panic() {
        let mut b = one_joint(&Channel::ALL, &[&[0.0; 6], &[0.0; 6]], 0.1);
        b.values.pop();
        assert_eq!(b.to_clip("c", "t", Units::Metres).unwrap().frames(), 1);
        b.joints[0].parent = Some(7);
        assert!(b.to_clip("c", "t", Units::Metres).is_err());
        b.joints.clear();
        assert!(b.to_clip("c", "t", Units::Auto).is_err());
        assert!(b.to_clip("c", "t", Units::Metres).is_err());
    }
}
