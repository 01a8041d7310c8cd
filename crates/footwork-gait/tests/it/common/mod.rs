//! All clips once, with forward kinematics: shared by the tests.

// Each test program uses only a part of this.
#![allow(dead_code)]

use footwork::math::{Quat, Transform};
use footwork::pose::Pose;
use footwork_gait::{GaitClip, GaitOptions, generate, joint, skeleton};
use glam::Vec3;
use std::sync::OnceLock;

/// A clip and the world transforms of its joints.
pub struct Walked {
    pub gait: GaitClip,
    /// `[frames][joints]` world.
    pub world: Vec<Vec<Transform>>,
}

impl Walked {
    pub fn name(&self) -> &str {
        &self.gait.clip.name
    }

    pub fn frames(&self) -> usize {
        self.world.len()
    }

    pub fn rate(&self) -> f32 {
        self.gait.clip.rate_hz
    }

    pub fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.world[frame][joint].translation
    }

    pub fn rotation(&self, frame: usize, joint: usize) -> Quat {
        self.gait.clip.rotations[frame * joint::COUNT + joint]
    }

    /// Returns the position of a joint relative to the root, along the root's axes.
    pub fn in_root(&self, frame: usize, joint: usize) -> Vec3 {
        self.gait.truth.root[frame].inverse_point(self.at(frame, joint))
    }
}

pub const TOES: [usize; 2] = [joint::LEFT_TOE, joint::RIGHT_TOE];

/// Returns all clips on level ground: those of the default options, then the crouch and the gestures.
pub fn all() -> &'static [Walked] {
    static ALL: OnceLock<Vec<Walked>> = OnceLock::new();
    ALL.get_or_init(|| {
        generate(&GaitOptions { crouch: true, gestures: true, ..GaitOptions::default() })
            .into_iter()
            .map(walk)
            .collect()
    })
}

pub fn find(name: &str) -> &'static Walked {
    all().iter().find(|w| w.name() == name).unwrap_or_else(|| panic!("no clip is named {name}"))
}

/// Returns a clip with the world transforms of its joints.
pub fn walk(gait: GaitClip) -> Walked {
    let skeleton = skeleton();
    let world = (0..gait.clip.frames())
        .map(|f| {
            let range = f * joint::COUNT..(f + 1) * joint::COUNT;
            let pose = Pose {
                translations: gait.clip.translations[range.clone()].to_vec(),
                rotations: gait.clip.rotations[range].to_vec(),
            };
            let mut world = Vec::new();
            pose.world(&skeleton, &mut world);
            world
        })
        .collect();
    Walked { gait, world }
}
