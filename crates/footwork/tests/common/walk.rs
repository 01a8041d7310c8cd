//! A built-in walk, frame by frame, as an external animation graph would provide it.

use footwork::adjust::lower_body::LowerBody;
use footwork::advanced::adjust::Reach;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use footwork::rig::Body;
use footwork::skeleton::Skeleton;
use footwork_gait::{GaitClip, GaitOptions, generate};
use glam::Vec3;
use std::sync::OnceLock;

/// Reach of the legs in the tests: the matcher's default.
pub const REACH: Reach = Reach { soft_m: 0.03, kept_m: 0.01 };

/// A clip with its known contacts and body.
pub struct Walk {
    pub clip: &'static GaitClip,
    pub skeleton: Skeleton,
    pub body: Body,
    pub toes: [JointIndex; 2],
}

impl Walk {
    /// Loads a built-in clip by name.
    pub fn new(name: &str) -> Self {
        static CLIPS: OnceLock<Vec<GaitClip>> = OnceLock::new();
        let clips = CLIPS.get_or_init(|| generate(&GaitOptions { routes: false, ..Default::default() }));
        let clip = clips.iter().find(|c| c.clip.name == name).unwrap_or_else(|| panic!("no built-in clip `{name}`"));
        let skeleton = clip.clip.skeleton.clone();
        let toes = ["LeftToe", "RightToe"].map(|n| skeleton.require(n).unwrap());
        let body = Body::find(&skeleton, &Default::default(), &toes).unwrap();
        Self { clip, skeleton, body, toes }
    }

    pub fn joint(&self, name: &str) -> JointIndex {
        self.skeleton.require(name).unwrap()
    }

    pub fn frames(&self) -> usize {
        self.clip.clip.frames()
    }

    pub fn dt_s(&self) -> f32 {
        1.0 / self.clip.clip.rate_hz
    }

    pub fn contacts(&self, frame: usize) -> [bool; 2] {
        self.clip.truth.contacts[frame]
    }

    /// Returns the pose of a frame, including the root.
    pub fn pose(&self, frame: usize) -> Pose {
        let (c, n) = (&self.clip.clip, self.skeleton.len());
        Pose {
            translations: c.translations[frame * n..][..n].to_vec(),
            rotations: c.rotations[frame * n..][..n].to_vec(),
        }
    }

    /// Applies `stages` to the pelvis and the legs of a pose.
    pub fn bend(&self, pose: &mut Pose, stages: impl FnOnce(&mut LowerBody, &mut Pose)) {
        let mut lower = LowerBody::of(&self.skeleton, &self.body, REACH, pose);
        stages(&mut lower, pose);
        lower.write(pose);
    }

    /// Returns the transform of a joint in the world.
    pub fn at(&self, pose: &Pose, joint: JointIndex) -> Transform {
        pose.world_from_root() * pose.in_root(&self.skeleton, joint)
    }

    /// Returns the mean speed over the ground of toes in contact, in m/s; `change` modifies each frame into the displayed pose.
    pub fn slide_mps(&self, mut change: impl FnMut(usize, &mut Pose)) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0f32);
        let mut before: Option<[Vec3; 2]> = None;
        for frame in 0..self.frames() {
            let mut pose = self.pose(frame);
            change(frame, &mut pose);
            let toes = self.toes.map(|t| self.at(&pose, t).translation);
            if let Some(before) = before.replace(toes) {
                for side in 0..2 {
                    if self.contacts(frame)[side] && self.contacts(frame - 1)[side] {
                        let moved = toes[side] - before[side];
                        sum += Vec3::new(moved.x, 0.0, moved.z).length() / self.dt_s();
                        count += 1.0;
                    }
                }
            }
        }
        assert!(count > 30.0);
        sum / count
    }
}

/// Returns a rotation about +Y, from degrees.
pub fn yaw(deg: f32) -> Quat {
    Quat::from_rotation_y(deg.to_radians())
}
