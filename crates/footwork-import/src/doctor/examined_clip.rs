//! A clip under examination: a copy in which faults are fixed one by one, so that each is reported once.

use footwork::clip::RawClip;
use footwork::math::Transform;
use glam::Vec3;
use std::sync::OnceLock;

/// A working copy of a clip, with its world transforms.
#[derive(Debug)]
pub struct ExaminedClip {
    /// The clip, with the fixes so far.
    pub clip: RawClip,
    /// Number of frames cut from the start. Findings use the frame numbers of the file.
    pub cut_frames: usize,
    /// Rate of the original clip, in Hz. Findings use the times of the file.
    pub told_rate_hz: f32,
    /// True if the clip is left out of the set, as a copy of another clip.
    pub left_out: bool,
    world: OnceLock<Vec<Transform>>,
}

impl ExaminedClip {
    /// Returns an unexamined clip.
    pub fn new(clip: RawClip) -> Self {
        Self { cut_frames: 0, told_rate_hz: clip.rate_hz, left_out: false, world: OnceLock::new(), clip }
    }

    /// Returns the clip for changes.
    pub fn edit(&mut self) -> &mut RawClip {
        self.world = OnceLock::new();
        &mut self.clip
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.clip.frames()
    }

    /// Returns the number of joints.
    pub fn joints(&self) -> usize {
        self.clip.skeleton.len()
    }

    /// Returns the number of frames in a duration, at least 1.
    pub fn frames_in(&self, seconds: f32) -> usize {
        ((seconds * self.clip.rate_hz).round() as usize).max(1)
    }

    /// Returns the name of a joint.
    pub fn name(&self, joint: usize) -> &str {
        &self.clip.skeleton.names()[joint]
    }

    /// Returns a local transform.
    pub fn local(&self, frame: usize, joint: usize) -> Transform {
        let i = frame * self.joints() + joint;
        Transform::new(self.clip.translations[i], self.clip.rotations[i])
    }

    /// Returns `[frames x joints]` world transforms.
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

    /// Returns the world position of a joint.
    pub fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.world()[frame * self.joints() + joint].translation
    }

    /// Returns the world velocity of a joint, m/s: central difference, one-sided at the ends.
    pub fn velocity(&self, frame: usize, joint: usize) -> Vec3 {
        let (a, b) = (frame.saturating_sub(1), (frame + 1).min(self.frames() - 1));
        (self.at(b, joint) - self.at(a, joint)) * (self.clip.rate_hz / (b - a).max(1) as f32)
    }

    /// Returns the distance between the poses of two frames: the mean, over all joints but the root, of the angle in radians
    /// plus the change of local position in metres.
    pub fn pose_distance(&self, a: usize, b: usize) -> f32 {
        let sum: f32 = (1..self.joints())
            .map(|j| {
                let (a, b) = (self.local(a, j), self.local(b, j));
                a.rotation.angle_between(b.rotation) + (a.translation - b.translation).length()
            })
            .sum();
        sum / (self.joints() - 1).max(1) as f32
    }

    /// Moves joint 0, and all joints below it, by an offset per frame.
    pub fn shift(&mut self, offset: impl Fn(usize) -> Vec3) {
        let joints = self.joints();
        let clip = self.edit();
        for (f, at) in clip.translations.iter_mut().step_by(joints).enumerate() {
            *at += offset(f);
        }
    }
}

/// Returns the median; 0 if there are no values.
pub fn median(mut values: Vec<f32>) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// Returns the runs of `true`: first index, and one past the last.
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

/// Returns a vector without its vertical component.
pub fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}
