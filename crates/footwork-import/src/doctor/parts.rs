//! The parts of a skeleton that checks examine: hips, sides, feet and arms.

use super::examined_clip::{ExaminedClip, level};
use footwork::advanced::build::find_sides;
use footwork::advanced::motion::{is_left, other_side};
use footwork::advanced::rig::Leg;
use footwork::build::{BuildConfig, BuildError, JointRoles};
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::rig::Rig;
use footwork::skeleton::Skeleton;
use glam::Vec3;

/// A foot, or a paw.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// The joint that touches the ground.
    pub toe: usize,
    /// The joint above the toe; the same joint if the ankle touches the ground.
    pub ankle: usize,
    /// The whole leg, if it has three joints.
    pub leg: Option<Leg>,
}

/// The parts of one skeleton.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Anatomy: roles, and joints that touch the ground. Its body is empty if a file has no root above the hips.
    pub rig: Rig,
    /// Middle of the body: the hips, or else the first joint with two or more children.
    pub hips: usize,
    /// A left and a right joint across the body.
    pub sides: Option<(usize, usize)>,
    /// Feet or paws, left first; empty if unknown.
    pub feet: Vec<Foot>,
    /// Shoulder, elbow, hand: left, right.
    pub arms: Option<[[usize; 3]; 2]>,
    /// `[joints]` the same joint on the other side.
    pub twins: Vec<Option<usize>>,
    /// True if a build gives the clips a root of its own, whatever the motion of joint 0.
    pub root_is_made: bool,
}

/// Returns the indices of clips, grouped by equal joints and hierarchy, in the order of the first clip of each group.
pub fn by_skeleton(clips: &[RawClip]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, clip) in clips.iter().enumerate() {
        let alike = |group: &&mut Vec<usize>| {
            let skeleton = &clips[group[0]].skeleton;
            skeleton.names() == clip.skeleton.names() && skeleton.parents() == clip.skeleton.parents()
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

impl Parts {
    /// Finds the parts of clips that share a skeleton.
    ///
    /// # Errors
    /// Returns a [`BuildError`] if a role or contact joint of the configuration is missing.
    pub fn of(clips: &[&RawClip], config: &BuildConfig) -> Result<Self, BuildError> {
        let skeleton = &clips.first().ok_or(BuildError::NoClips)?.skeleton;
        let roles = JointRoles::of_clips(clips, &config.roles)?;
        let contacts = config.contact_joints(skeleton, &roles)?;
        let rig = Rig::find(skeleton, roles, &contacts);
        let legs = Leg::find(skeleton, &rig.roles, &contacts);
        let feet = contacts.iter().zip(legs).map(|(toe, leg)| Foot {
            toe: toe.at(),
            ankle: leg.map_or(toe.at(), |l| l.ankle.at()),
            leg,
        });
        let branches = |j: &JointIndex| skeleton.children(*j).count() >= 2;
        let hips = rig.roles.get("hips").or_else(|| (0..skeleton.len()).map(JointIndex::new).find(branches));
        let parent = |j: usize| skeleton.parents()[j].map(JointIndex::at);
        let arm = |role: &str| {
            let hand = rig.roles.get(role)?.at();
            let elbow = parent(hand)?;
            Some([parent(elbow)?, elbow, hand])
        };
        Ok(Self {
            hips: hips.map_or(0, JointIndex::at),
            sides: find_sides(skeleton, &rig.roles).map(|(l, r)| (l.at(), r.at())),
            feet: feet.collect(),
            arms: arm("left_hand").zip(arm("right_hand")).map(|(l, r)| [l, r]),
            twins: skeleton.names().iter().map(|n| Some(skeleton.find(&other_side(n)?)?.at())).collect(),
            rig,
            root_is_made: false,
        })
    }

    /// Returns left joints with their twins.
    pub fn pairs<'a>(&'a self, skeleton: &'a Skeleton) -> impl Iterator<Item = (usize, usize)> + 'a {
        let twin = |(j, t): (usize, &Option<usize>)| t.map(|t| (j, t));
        self.twins.iter().enumerate().filter_map(twin).filter(|(j, _)| is_left(&skeleton.names()[*j]))
    }

    /// Returns the facing of the body in a frame, horizontal, unit length; zero if it is unknown.
    pub fn forward(&self, p: &ExaminedClip, frame: usize) -> Vec3 {
        let Some((l, r)) = self.sides else { return Vec3::ZERO };
        level((p.at(frame, l) - p.at(frame, r)).cross(Vec3::Y)).normalize_or_zero()
    }

    /// Returns the top of the body: head, neck or chest.
    pub fn top(&self) -> Option<usize> {
        ["head", "neck", "chest"].iter().find_map(|r| self.rig.roles.get(r)).map(JointIndex::at)
    }
}
