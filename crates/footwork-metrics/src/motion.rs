//! Motion at 60 Hz as plain positions: the input of all metrics, captured or played.

use footwork::database::Database;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// The joints of a skeleton that the metrics use.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Joints with contact labels: toes.
    pub contact_joints: Vec<JointIndex>,
    /// `[joints]` the joint on the other side; the joint itself in the middle, and in a database without mirror images.
    pub mirror_joints: Vec<JointIndex>,
    /// Hip, knee and ankle above each contact joint that has them.
    pub legs: Vec<[JointIndex; 3]>,
    /// `[legs]` contact slot of the leg, and its ankle and toe.
    pub feet: Vec<(usize, [JointIndex; 2])>,
    /// The hips; the root if the hips are unknown.
    pub hips: JointIndex,
    /// The axis of the hips that points forward on average, unit, in the hips' own space. It differs between rigs.
    pub hips_forward: Vec3,
}

impl Subject {
    /// Returns the joints of a database.
    pub fn new(db: &Database) -> Self {
        let body = db.rig.body.as_ref();
        let hips = body.map(|body| body.hips).or(db.rig.roles.get("hips")).unwrap_or(JointIndex(0)).at();
        let ahead = |frame: usize| {
            let local =
                |j: JointIndex| Transform::new(Vec3::ZERO, db.poses.rotations[frame * db.poses.joints + j.at()]);
            db.skeleton.in_root(JointIndex::new(hips), local).rotation.inverse() * Vec3::Z
        };
        let clips = (0..db.originals()).map(ClipIndex::new).filter(|clip| !crate::is_aside(db, *clip));
        let frames = clips.flat_map(|clip| db.clips[clip.at()].frame_range());
        let legs: Vec<_> = body.iter().flat_map(|body| body.legs.iter().enumerate()).collect();
        let legs: Vec<_> = legs.into_iter().filter_map(|(slot, leg)| Some((slot, leg.as_ref()?))).collect();
        let sum = if hips == 0 { Vec3::Z } else { frames.map(ahead).sum() };
        Self {
            contact_joints: db.rig.contact_joints.clone(),
            mirror_joints: match &db.mirror_table {
                Some(table) => table.pairs.clone(),
                None => (0..db.skeleton.len()).map(JointIndex::new).collect(),
            },
            legs: legs.iter().map(|(_, l)| [l.hip, l.knee, l.ankle]).collect(),
            feet: legs.iter().map(|(slot, l)| (*slot, [l.ankle, l.toe])).collect(),
            hips: JointIndex::new(hips),
            hips_forward: sum.try_normalize().unwrap_or(Vec3::Z),
        }
    }
}

/// A frame of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFrame {
    /// Index of an original clip (not a mirror image).
    pub clip: ClipIndex,
    /// Nearest frame of the clip at 60 Hz.
    pub frame: usize,
    /// True if the clip is played mirrored.
    pub mirrored: bool,
}

/// Motion at 60 Hz.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Joints per frame, the root included.
    pub joints: usize,
    /// `[frames]` world from root, turned about +Y only.
    pub roots: Vec<Transform>,
    /// `[frames x joints]` world, metres.
    pub world: Vec<Vec3>,
    /// `[frames x joints]` root space, metres.
    pub root_space: Vec<Vec3>,
    /// `[frames]` facing of the hips, world.
    pub hips_facings: Vec<Facing>,
    /// `[frames x contact joints]` 1 if the foot is in contact in the source frame.
    pub contacts: Vec<u8>,
    /// `[frames]` the source frame.
    pub playing: Vec<SourceFrame>,
}

impl Motion {
    /// Creates motion without frames, for poses of a number of joints.
    pub fn new(joints: usize) -> Self {
        Self { joints, ..Self::default() }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.roots.len()
    }

    /// Adds a frame. `world`: `[joints]` transforms of the pose in world space.
    pub fn push(&mut self, subject: &Subject, world: &[Transform], contacts: &[u8], playing: SourceFrame) {
        let root = Transform::new(world[0].translation, Facing::from_rotation(world[0].rotation).rotation());
        let hips_ahead = world[subject.hips.at()].rotation * subject.hips_forward;
        self.roots.push(root);
        self.world.extend(world.iter().map(|t| t.translation));
        self.root_space.extend(world.iter().map(|t| root.inverse_point(t.translation)));
        self.hips_facings.push(Facing::from_direction(hips_ahead).unwrap_or_default());
        self.contacts.extend_from_slice(contacts);
        self.playing.push(playing);
    }

    /// Returns true if the foot of a contact slot is in contact in the source frame.
    pub fn touches(&self, frame: usize, slot: usize) -> bool {
        self.contacts[frame * (self.contacts.len() / self.frames()) + slot] != 0
    }

    /// Returns the position of a joint in a space, metres.
    pub fn position(&self, space: Space, frame: usize, joint: JointIndex) -> Vec3 {
        let positions = match space {
            Space::Root => &self.root_space,
            Space::World => &self.world,
        };
        positions[frame * self.joints + joint.at()]
    }
}

/// Coordinate space of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Space of the character's root: motion of the body alone.
    Root,
    /// World space: visible motion.
    World,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::testing::{captured, clips};
    use footwork::clip::RawClip;
    use footwork::math::Quat;
    use footwork::skeleton::Skeleton;

    /// Motion of two joints, root and toe, from functions of a time in seconds. The toe is in world space.
    pub fn moving(frames: usize, root: impl Fn(f32) -> Transform, toe: impl Fn(f32) -> Vec3) -> Motion {
        let mut motion = Motion::new(2);
        for frame in 0..frames {
            let time_s = frame as f32 / crate::RATE_HZ;
            let (root, toe) = (root(time_s), toe(time_s));
            motion.roots.push(root);
            motion.world.extend([root.translation, toe]);
            motion.root_space.extend([Vec3::ZERO, root.inverse_point(toe)]);
            motion.hips_facings.push(Facing::from_rotation(root.rotation));
            motion.contacts.push(1);
            motion.playing.push(SourceFrame { clip: ClipIndex(0), frame, mirrored: false });
        }
        motion
    }

    /// A root that moves on a circle.
    pub fn circling(time_s: f32) -> Transform {
        let yaw = Quat::from_rotation_y(time_s);
        Transform::new(yaw * Vec3::new(2.0, 0.0, 0.0), yaw)
    }

    /// Inserts a joint between the hips of a clip and their parent, turned about two axes.
    fn with_a_turned_parent(clip: &RawClip) -> RawClip {
        let turned = Transform::new(Vec3::ZERO, Quat::from_rotation_x(-1.5) * Quat::from_rotation_y(0.7));
        let (skeleton, hips) = (&clip.skeleton, clip.skeleton.find("Hips").unwrap());
        let shifted = |joint: JointIndex| if joint >= hips { JointIndex::new(joint.at() + 1) } else { joint };
        let inserted = |local: &[Transform]| -> Vec<Transform> {
            let mut local = local.to_vec();
            local[hips.at()] = turned.inverse() * local[hips.at()];
            local.insert(hips.at(), turned);
            local
        };
        let mut names = skeleton.names().to_vec();
        names.insert(hips.at(), "carrier".into());
        let mut parents: Vec<_> = skeleton.parents().iter().map(|parent| parent.map(shifted)).collect();
        parents.insert(hips.at(), skeleton.parents()[hips.at()]);
        parents[hips.at() + 1] = Some(hips);
        let mut out =
            RawClip { skeleton: Skeleton::new(names, parents, inserted(skeleton.rest())).unwrap(), ..clip.clone() };
        (out.translations, out.rotations) = (0..clip.frames())
            .flat_map(|frame| {
                let at = |joint: usize| frame * skeleton.len() + joint;
                let local = |joint| Transform::new(clip.translations[at(joint)], clip.rotations[at(joint)]);
                inserted(&(0..skeleton.len()).map(local).collect::<Vec<_>>())
            })
            .map(|local| (local.translation, local.rotation))
            .unzip();
        out
    }

    #[test]
    fn hips_face_ahead_under_any_joint() {
        let clips = clips();
        let walk = clips.iter().find(|clip| clip.name == "walk_175").unwrap();
        let forward = |clip: RawClip| Subject::new(&captured(&[clip])).hips_forward;
        let (plain, turned) = (forward(walk.clone()), forward(with_a_turned_parent(walk)));
        assert!((plain - turned).length() < 1e-3, "{plain} {turned}");
    }
}
