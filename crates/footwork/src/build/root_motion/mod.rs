//! Root of a character: on the ground under the body, facing in the body's direction.
//!
//! Data with a root bone keep it, turned so that +Z is forward; data without one get one. The facing is found from the hips
//! (or any left/right pair) and checked against the direction of travel, never assumed from an axis.

mod agree;
mod error;
mod make;

pub use error::RootError;
pub use make::{close_loop, loop_delta, smooth};

use super::config::{RootMotion, RootMotionConfig};
use super::track::Track;
use crate::frames::JointIndex;
use crate::math::{Facing, Quat, Transform};
use crate::motion::{is_left, other_side};
use crate::roles::JointRoles;
use crate::skeleton::{Skeleton, SkeletonError};
use glam::Vec3;
use make::{body_forward, set};

/// Treatment of all clips of a build.
#[derive(Clone, Debug, PartialEq)]
pub enum RootPlan {
    /// Keep joint 0, turned by this yaw.
    Existing {
        /// Yaw from joint 0's own +Z to the body's facing, in radians.
        yaw_rad: f32,
    },
    /// Put a new joint 0 under a joint.
    Synthesize {
        /// Joint whose ground projection the root follows.
        joint: JointIndex,
        /// Left and right joint whose connecting line gives the facing.
        sides: (JointIndex, JointIndex),
        /// Joints above the hips, from joint 0 down. They get their rest pose: a root that exists in the clips but does not
        /// move with the body would be a lever metres long between the new root and the body.
        above: Vec<JointIndex>,
    },
}

/// Maximum angle in degrees between a found facing and an axis at which the axis is used.
const SNAP_DEG: f32 = 20.0;
/// Minimum speed at which travel gives the facing, in m/s.
const TRAVEL_MPS: f32 = 0.3;

/// Makes the plan for all clips together. Also returns warnings.
pub fn plan(
    tracks: &[Track],
    skeleton: &Skeleton,
    roles: &JointRoles,
    config: &RootMotionConfig,
) -> Result<(RootPlan, Vec<String>), RootError> {
    let mut warnings = Vec::new();
    let existing = match config.mode {
        RootMotion::Existing => true,
        RootMotion::Synthesize => false,
        RootMotion::Auto => {
            let (existing, told) = agree::has_root(tracks, skeleton, roles);
            warnings.extend(told);
            existing
        }
    };
    let sides = find_sides(skeleton, roles);
    if !existing {
        let joint = match &config.joint {
            Some(name) => skeleton.require(&roles.name_of(skeleton, name))?,
            None => roles.get("chest").or(roles.get("hips")).unwrap_or(JointIndex(0)),
        };
        let sides = sides.ok_or(RootError::NoSides)?;
        let parent = |j: &JointIndex| skeleton.parents()[j.at()];
        let mut above: Vec<JointIndex> =
            roles.get("hips").map(|hips| std::iter::successors(parent(&hips), parent).collect()).unwrap_or_default();
        above.reverse();
        return Ok((RootPlan::Synthesize { joint, sides, above }, warnings));
    }
    if let Some(deg) = config.forward_deg {
        return Ok((RootPlan::Existing { yaw_rad: deg.to_radians() }, warnings));
    }
    let travel = mean_direction(tracks, skeleton, |t, f, _| travel(t, f));
    let body = sides.and_then(|s| mean_direction(tracks, skeleton, |_, _, world| Some(body_forward(world, s))));
    let facing = body.or(travel).ok_or(RootError::NoSides)?;
    if let (Some(body), Some(travel)) = (body, travel)
        && body.angle_to(travel).abs() > 2.0
    {
        warnings.push(format!(
            "the body mostly moves {:.0} degrees away from where its hips face: left and right may be swapped, or the \
             clips walk backward; `root.forward_deg` overrides",
            body.angle_to(travel).to_degrees().abs()
        ));
    }
    let quarter = std::f32::consts::FRAC_PI_2;
    let yaw = facing.yaw();
    let snapped = (yaw / quarter).round() * quarter;
    let close = (yaw - snapped).abs() < SNAP_DEG.to_radians();
    if !close {
        warnings.push(format!(
            "the body faces {:.0} degrees from its root bone's +Z, which is along no axis: taken as it is; \
             `root.forward_deg` overrides",
            yaw.to_degrees()
        ));
    }
    Ok((RootPlan::Existing { yaw_rad: if close { snapped } else { yaw } }, warnings))
}

/// Returns a left and a right joint on either side of the body: the thighs, else the pair nearest the root. `None` if no
/// names distinguish sides. The body faces along (left - right) x up.
pub fn find_sides(skeleton: &Skeleton, roles: &JointRoles) -> Option<(JointIndex, JointIndex)> {
    if let (Some(l), Some(r)) = (roles.get("left_up_leg"), roles.get("right_up_leg")) {
        return Some((l, r));
    }
    (0..skeleton.len()).map(JointIndex::new).find_map(|j| {
        let name = skeleton.name(j);
        let other = skeleton.find(&other_side(name)?)?;
        Some(if is_left(name) { (j, other) } else { (other, j) })
    })
}

/// Returns the velocity of joint 0 in m/s, or `None` if it is too slow.
fn travel(track: &Track, frame: usize) -> Option<Vec3> {
    let next = (frame + 1).min(track.frames() - 1);
    let v = (track.local(next, 0).translation - track.local(frame, 0).translation) * track.rate_hz;
    (v.length() > TRAVEL_MPS).then_some(v)
}

/// Returns the mean over all clips of a world direction relative to joint 0.
fn mean_direction(
    tracks: &[Track],
    skeleton: &Skeleton,
    direction: impl Fn(&Track, usize, &[Transform]) -> Option<Vec3>,
) -> Option<Facing> {
    let mut sum = [0.0f64; 2];
    let mut world = Vec::new();
    for track in tracks {
        for f in (0..track.frames()).step_by(5) {
            track.world(skeleton, f, &mut world);
            let seen = direction(track, f, &world).map(|d| track.local(f, 0).rotation.yaw_twist().inverse() * d);
            if let Some(d) = seen.and_then(Facing::from_direction) {
                sum[0] += f64::from(d.x);
                sum[1] += f64::from(d.z);
            }
        }
    }
    Facing::from_direction(Vec3::new(sum[0] as f32, 0.0, sum[1] as f32))
}

impl RootPlan {
    /// Returns the skeleton of tracks after [`RootPlan::apply`].
    pub fn skeleton(&self, skeleton: &Skeleton) -> Result<Skeleton, SkeletonError> {
        match self {
            Self::Existing { .. } => Ok(skeleton.clone()),
            Self::Synthesize { .. } => {
                let free = ["Root", "SimulationBone", "FootworkRoot"].into_iter().find(|n| skeleton.find(n).is_none());
                skeleton.with_root(free.unwrap_or("Root"))
            }
        }
    }

    /// Returns the track with the root as joint 0.
    pub fn apply(&self, track: Track, skeleton: &Skeleton, config: &RootMotionConfig) -> Track {
        match self {
            Self::Existing { yaw_rad } => turn_existing(track, skeleton, *yaw_rad),
            Self::Synthesize { joint, sides, above } => {
                let made = make::synthesize(track, skeleton, (*joint, *sides), config);
                make::rest(made, skeleton, above)
            }
        }
    }
}

fn turn_existing(mut track: Track, skeleton: &Skeleton, yaw_rad: f32) -> Track {
    let turn = Quat::from_rotation_y(yaw_rad);
    let children: Vec<usize> = skeleton.children(JointIndex(0)).map(JointIndex::at).collect();
    for f in 0..track.frames() {
        let old = track.local(f, 0);
        // Any tilt is moved into the body.
        let new = Transform::new(old.translation, old.rotation.yaw_twist() * turn);
        let carry = new.inverse() * old;
        set(&mut track, f, 0, new);
        for c in &children {
            let local = carry * track.local(f, *c);
            set(&mut track, f, *c, local);
        }
    }
    track
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::{Annotations, RawClip};
    use std::collections::BTreeMap;

    /// Returns a body that walks along `facing_yaw`. The forward axis of its root bone differs from its facing by
    /// `bone_yaw`.
    fn walker(with_root: bool, facing_yaw: f32, bone_yaw: f32) -> RawClip {
        let t = |x, y, z| Transform::new(Vec3::new(x, y, z), Quat::IDENTITY);
        let (names, parents, rest): (&[&str], Vec<Option<u32>>, Vec<Transform>) = if with_root {
            let rest = vec![t(0.0, 0.0, 0.0), t(0.0, 0.9, 0.0), t(0.1, 0.0, 0.0), t(-0.1, 0.0, 0.0), t(0.0, 0.4, 0.0)];
            (
                &["Bone", "Hips", "LeftUpLeg", "RightUpLeg", "Spine2"],
                vec![None, Some(0), Some(1), Some(1), Some(1)],
                rest,
            )
        } else {
            let rest = vec![t(0.0, 0.9, 0.0), t(0.1, 0.0, 0.0), t(-0.1, 0.0, 0.0), t(0.0, 0.4, 0.0)];
            (&["Hips", "LeftUpLeg", "RightUpLeg", "Spine2"], vec![None, Some(0), Some(0), Some(0)], rest)
        };
        let skeleton = Skeleton::new(
            names.iter().map(|n| n.to_string()).collect(),
            parents.iter().map(|p| p.map(JointIndex)).collect(),
            rest.clone(),
        )
        .unwrap();
        let facing = Quat::from_rotation_y(facing_yaw);
        let mut clip = RawClip {
            name: "walk".into(),
            source: "test".into(),
            skeleton,
            rate_hz: 30.0,
            looping: false,
            translations: Vec::new(),
            rotations: Vec::new(),
            annotations: Annotations::default(),
        };
        for f in 0..90 {
            let at = facing * Vec3::new(0.0, 0.0, 1.2 * f as f32 / 30.0);
            // The pelvis sways and rolls, which the root must not.
            let sway = facing * Vec3::new(0.03 * crate::math::sin(f as f32 * 0.4), 0.9, 0.0);
            let roll = Quat::from_rotation_z(0.1 * crate::math::sin(f as f32 * 0.4));
            let hips = Transform::new(at + sway, facing * roll);
            if with_root {
                let bone = Transform::new(at, facing * Quat::from_rotation_y(-bone_yaw));
                let local = bone.inverse() * hips;
                clip.translations.extend([bone.translation, local.translation]);
                clip.rotations.extend([bone.rotation, local.rotation]);
            } else {
                clip.translations.push(hips.translation);
                clip.rotations.push(hips.rotation);
            }
            for r in &rest[rest.len() - 3..] {
                clip.translations.push(r.translation);
                clip.rotations.push(r.rotation);
            }
        }
        clip
    }

    fn rooted(clip: &RawClip) -> (Track, Skeleton, RootPlan) {
        let roles = JointRoles::resolve(&clip.skeleton, &BTreeMap::new()).unwrap();
        let track = Track::resample(clip.clone(), None, 30.0);
        let config = RootMotionConfig::default();
        let (plan, warnings) = plan(std::slice::from_ref(&track), &clip.skeleton, &roles, &config).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        (plan.apply(track, &clip.skeleton, &config), plan.skeleton(&clip.skeleton).unwrap(), plan)
    }

    #[test]
    fn a_root_bone_is_turned_until_its_forward_is_the_bodys_whatever_axis_it_used() {
        for (facing, bone) in [(0.3, 0.0), (0.3, std::f32::consts::FRAC_PI_2), (-2.0, std::f32::consts::PI)] {
            let clip = walker(true, facing, bone);
            let (track, skeleton, plan) = rooted(&clip);
            assert!(matches!(plan, RootPlan::Existing { .. }));
            let root = track.local(40, 0);
            assert!(root.rotation.angle_between(Quat::from_rotation_y(facing)) < 1e-3, "{facing} {bone}");
            // The body keeps its world transforms.
            let before = Track::resample(clip.clone(), None, 30.0).joint_world(&clip.skeleton, 40, 4);
            let after = track.joint_world(&skeleton, 40, 4);
            assert!((before.translation - after.translation).length() < 1e-5);
            assert!(before.rotation.angle_between(after.rotation) < 1e-3);
        }
    }

    #[test]
    fn a_root_bone_that_stands_still_in_a_clip_that_travels_is_no_root_of_any() {
        let moving = walker(true, 0.3, 0.0);
        let mut still = RawClip { name: "left behind".into(), ..moving.clone() };
        for f in 0..still.frames() {
            let at = f * still.skeleton.len();
            let bone = Transform::new(still.translations[at], still.rotations[at]);
            let hips = bone * Transform::new(still.translations[at + 1], still.rotations[at + 1]);
            (still.translations[at], still.rotations[at]) = (Vec3::ZERO, Quat::IDENTITY);
            (still.translations[at + 1], still.rotations[at + 1]) = (hips.translation, hips.rotation);
        }
        let roles = JointRoles::resolve(&moving.skeleton, &BTreeMap::new()).unwrap();
        let tracks = [&moving, &still].map(|c| Track::resample(c.clone(), None, 30.0));
        let config = RootMotionConfig::default();
        let (found, _) = plan(&tracks[..1], &moving.skeleton, &roles, &config).unwrap();
        assert!(matches!(found, RootPlan::Existing { .. }));
        let (found, told) = plan(&tracks, &moving.skeleton, &roles, &config).unwrap();
        assert!(
            told[0].contains("`Bone` does not move with the body in 1 of 2 clips that travel (`left behind`)"),
            "{told:?}"
        );
        let skeleton = found.skeleton(&moving.skeleton).unwrap();
        for track in tracks {
            let before = track.clone();
            let after = found.apply(track, &moving.skeleton, &config);
            for f in 0..after.frames() {
                // The bone has its rest pose under the root, and the body keeps its world transforms.
                let bone = after.local(f, 1);
                assert!(bone.translation.length() < 1e-6 && bone.rotation.angle_between(Quat::IDENTITY) < 1e-3);
                let hips = after.local(f, 2).translation * Vec3::new(1.0, 0.0, 1.0);
                assert!(hips.length() < 0.35, "{f}: {hips}");
                for j in 1..before.joints {
                    let was = before.joint_world(&moving.skeleton, f, j);
                    let is = after.joint_world(&skeleton, f, j + 1);
                    assert!((was.translation - is.translation).length() < 1e-4, "{f} {j}");
                    assert!(was.rotation.angle_between(is.rotation) < 2e-3, "{f} {j}");
                }
            }
        }
    }

    #[test]
    fn without_a_root_bone_one_is_made_that_neither_sways_nor_rolls() {
        let clip = walker(false, 0.7, 0.0);
        let (track, skeleton, plan) = rooted(&clip);
        assert!(matches!(plan, RootPlan::Synthesize { .. }));
        assert_eq!(skeleton.name(JointIndex(0)), "Root");
        let facing = Quat::from_rotation_y(0.7);
        for f in 15..75 {
            let root = track.local(f, 0);
            assert!(root.rotation.angle_between(facing) < 0.02);
            let side = facing.inverse() * root.translation;
            assert!(side.x.abs() < 0.02 && root.translation.y == 0.0, "{f}: {side}");
            let before = Track::resample(clip.clone(), None, 30.0).joint_world(&clip.skeleton, f, 3).translation;
            assert!((before - track.joint_world(&skeleton, f, 4).translation).length() < 1e-5);
        }
    }
}
