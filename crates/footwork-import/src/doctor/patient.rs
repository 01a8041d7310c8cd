//! A clip under examination: a copy that is mended on the way, so that one fault does not look like five.

use footwork::clip::RawClip;
use footwork::math::Transform;
use glam::Vec3;
use std::sync::OnceLock;

/// A working copy of a clip, and what it looks like in the world.
#[derive(Debug)]
pub struct Patient {
    /// As mended so far.
    pub clip: RawClip,
    /// Frames that were cut from its start: findings count as the file does.
    pub cut_frames: usize,
    /// Rate of the clip as it came in: findings tell time as the file does.
    pub told_rate_hz: f32,
    /// Told to leave the set: a copy of another one.
    pub left_out: bool,
    world: OnceLock<Vec<Transform>>,
}

impl Patient {
    /// Before any examination.
    pub fn new(clip: RawClip) -> Self {
        Self { cut_frames: 0, told_rate_hz: clip.rate_hz, left_out: false, world: OnceLock::new(), clip }
    }

    /// The clip, to be changed.
    pub fn edit(&mut self) -> &mut RawClip {
        self.world = OnceLock::new();
        &mut self.clip
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.clip.frames()
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.clip.skeleton.len()
    }

    /// Frames in so many seconds, at least 1.
    pub fn frames_in(&self, seconds: f32) -> usize {
        ((seconds * self.clip.rate_hz).round() as usize).max(1)
    }

    /// A joint's name.
    pub fn name(&self, joint: usize) -> &str {
        &self.clip.skeleton.names()[joint]
    }

    /// Local transform.
    pub fn local(&self, frame: usize, joint: usize) -> Transform {
        let i = frame * self.joints() + joint;
        Transform::new(self.clip.translations[i], self.clip.rotations[i])
    }

    /// `[frames x joints]` in the world.
    pub fn world(&self) -> &[Transform] {
        self.world.get_or_init(|| {
            let mut world = Vec::new();
            let mut all = Vec::with_capacity(self.clip.rotations.len());
            for f in 0..self.frames() {
                self.clip.world(f, &mut world);
                all.extend_from_slice(&world);
            }
            all
        })
    }

    /// Where a joint is in the world.
    pub fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.world()[frame * self.joints() + joint].translation
    }

    /// Velocity of a joint in the world, m/s: central difference, one-sided at the ends.
    pub fn velocity(&self, frame: usize, joint: usize) -> Vec3 {
        let (a, b) = (frame.saturating_sub(1), (frame + 1).min(self.frames() - 1));
        (self.at(b, joint) - self.at(a, joint)) * (self.clip.rate_hz / (b - a).max(1) as f32)
    }

    /// How far the pose of a frame is from another's: mean over the joints but the root of the angle, radians, plus the
    /// change of place in the parent, metres.
    pub fn pose_distance(&self, a: usize, b: usize) -> f32 {
        let sum: f32 = (1..self.joints())
            .map(|j| {
                let (a, b) = (self.local(a, j), self.local(b, j));
                a.rotation.angle_between(b.rotation) + (a.translation - b.translation).length()
            })
            .sum();
        sum / (self.joints() - 1).max(1) as f32
    }

    /// Moves joint 0, and with it everything, by an offset per frame.
    pub fn shift(&mut self, offset: impl Fn(usize) -> Vec3) {
        let joints = self.joints();
        let clip = self.edit();
        for (f, at) in clip.translations.iter_mut().step_by(joints).enumerate() {
            *at += offset(f);
        }
    }
}

/// The middle value; 0 of none.
pub fn median(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// Stretches of `true`: first and one past the last.
pub fn runs(on: impl IntoIterator<Item = bool>) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    let mut start = None;
    let mut count = 0;
    for (i, now) in on.into_iter().enumerate() {
        count = i + 1;
        match (start, now) {
            (None, true) => start = Some(i),
            (Some(s), false) => {
                found.push([s, i]);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|s| [s, count]));
    found
}

/// Without its vertical part.
pub fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}
