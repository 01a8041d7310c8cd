//! Motion at 60 Hz as plain positions: what all metrics look at, captured or played.

use footwork::database::Database;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// What of a skeleton is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Joints with contact labels: toes.
    pub contact_joints: Vec<JointIndex>,
    /// `[joints]` the joint on the other side; itself in the middle, and where there are no mirror images.
    pub mirror_joints: Vec<JointIndex>,
    /// Hip, knee and ankle above each contact joint that has them.
    pub legs: Vec<[JointIndex; 3]>,
    /// The hips; the root where nobody knows.
    pub hips: JointIndex,
    /// The axis of the hips that points ahead on average, unit, in the hips' own space: rigs differ.
    pub hips_forward: Vec3,
}

impl Subject {
    /// Of a database.
    pub fn new(db: &Database) -> Self {
        let body = db.rig.body.as_ref();
        let hips = body.map(|body| body.hips).or(db.rig.roles.get("hips")).unwrap_or(JointIndex(0)).at();
        let ahead = |frame: usize| db.poses.rotations[frame * db.poses.joints + hips].inverse() * Vec3::Z;
        let clips = (0..db.originals()).map(ClipIndex::new).filter(|clip| !crate::is_aside(db, *clip));
        let frames = clips.flat_map(|clip| db.clips[clip.at()].frame_range());
        let sum = if hips == 0 { Vec3::Z } else { frames.map(ahead).sum() };
        Self {
            contact_joints: db.rig.contact_joints.clone(),
            mirror_joints: match &db.mirror_table {
                Some(table) => table.pairs.clone(),
                None => (0..db.skeleton.len()).map(JointIndex::new).collect(),
            },
            legs: body.iter().flat_map(|body| body.legs.iter().flatten()).map(|l| [l.hip, l.knee, l.ankle]).collect(),
            hips: JointIndex::new(hips),
            hips_forward: sum.try_normalize().unwrap_or(Vec3::Z),
        }
    }
}

/// A frame of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFrame {
    /// A clip that is no mirror image.
    pub clip: ClipIndex,
    /// Frame of it at 60 Hz, the nearest.
    pub frame: usize,
    /// Played as in a mirror.
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
    /// `[frames]` where the hips face, world.
    pub hips_facings: Vec<Facing>,
    /// `[frames x contact joints]` 1 where the source frame touches.
    pub contacts: Vec<u8>,
    /// `[frames]` the source frame.
    pub playing: Vec<SourceFrame>,
}

impl Motion {
    /// Empty, for poses of that many joints.
    pub fn new(joints: usize) -> Self {
        Self { joints, ..Self::default() }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.roots.len()
    }

    /// Adds a frame. `world` is where the pose puts every joint.
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

    /// A joint's position in a space, metres.
    pub fn position(&self, space: Space, frame: usize, joint: JointIndex) -> Vec3 {
        let positions = match space {
            Space::Root => &self.root_space,
            Space::World => &self.world,
        };
        positions[frame * self.joints + joint.at()]
    }
}

/// Where positions are seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The character's root: what the body does.
    Root,
    /// The world: what is seen.
    World,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use footwork::math::Quat;

    /// Motion of two joints, root and toe, given by the root and the toe's place in the world at a time in seconds.
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

    /// A root that walks a circle.
    pub fn circling(time_s: f32) -> Transform {
        let yaw = Quat::from_rotation_y(time_s);
        Transform::new(yaw * Vec3::new(2.0, 0.0, 0.0), yaw)
    }
}
