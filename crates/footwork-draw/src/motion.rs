//! Motion to draw, as plain data: poses in the world, contacts, transitions.

use footwork::advanced::math::atan2;
use footwork::math::{Facing, Transform};
use glam::Vec3;

/// Maximum number of steps for finding the direction of a path.
const MOST_STEPS: usize = 5000;

/// Frames of a time span, in world space.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Frames per second.
    pub rate_hz: f32,
    /// Time shown for frame 0, in seconds.
    pub first_s: f64,
    /// Number of joints of a pose.
    pub joints: usize,
    /// `[frames x joints]` `world_from_joint`.
    pub world: Vec<Transform>,
    /// Number of contact joints.
    pub slots: usize,
    /// `[frames x contact joints]` nonzero for a planted joint.
    pub contacts: Vec<u8>,
    /// Frames with transitions, and the number of transitions in each.
    pub transitions: Vec<(usize, u32)>,
    /// Starts of clips, cycles and parts of a course.
    pub parts: Vec<MotionPart>,
    /// Frames at which the position is discontinuous, in order.
    pub borders: Vec<usize>,
    /// `[frames]` name of the playing clip; empty for a single clip.
    pub playing: Vec<String>,
    /// `[frames]` commanded position; empty without a command.
    pub commanded: Vec<Vec3>,
    /// Names over time, one lane each below the contacts: states, montages.
    pub tracks: Vec<Track>,
}

/// Names over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Name of the track.
    pub name: String,
    /// Start and end in seconds of the motion, and name; sorted by start.
    pub spans: Vec<([f64; 2], String)>,
}

/// Part of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionPart {
    /// First frame.
    pub start: usize,
    /// Name of the clip or the part.
    pub name: String,
    /// True if the position is discontinuous at the start.
    pub apart: bool,
}

impl Motion {
    /// Creates a motion of single poses without time: `[poses x joints]` in world space, `[poses x contact joints]` contacts.
    pub fn samples(joints: usize, world: Vec<Transform>, contacts: Vec<u8>) -> Self {
        let slots = contacts.len() * joints / world.len().max(1);
        Self {
            rate_hz: 1.0,
            first_s: 0.0,
            joints,
            world,
            slots,
            contacts,
            transitions: Vec::new(),
            parts: Vec::new(),
            borders: Vec::new(),
            playing: Vec::new(),
            commanded: Vec::new(),
            tracks: Vec::new(),
        }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.world.len() / self.joints
    }

    /// Returns the `[joints]` pose of a frame, `world_from_joint`.
    pub fn world(&self, frame: usize) -> &[Transform] {
        &self.world[frame * self.joints..][..self.joints]
    }

    /// Returns the root of a frame, `world_from_root`.
    pub fn root(&self, frame: usize) -> Transform {
        self.world[frame * self.joints]
    }

    /// Returns true if a contact joint is planted.
    pub fn planted(&self, frame: usize, slot: usize) -> bool {
        self.contacts[frame * self.slots + slot] != 0
    }

    /// Returns the frame nearest to a time.
    pub fn frame_at(&self, time_s: f64) -> usize {
        let f = ((time_s - self.first_s) * f64::from(self.rate_hz)).round();
        (f.max(0.0) as usize).min(self.frames() - 1)
    }

    /// Returns the time of a frame, in seconds.
    pub fn time_s(&self, frame: usize) -> f64 {
        self.first_s + frame as f64 / f64::from(self.rate_hz)
    }

    /// Returns the range around a frame, up to the next discontinuities of position.
    pub fn piece(&self, frame: usize) -> std::ops::Range<usize> {
        let after = self.borders.partition_point(|b| *b <= frame);
        let start = after.checked_sub(1).map_or(0, |before| self.borders[before]);
        start..self.borders.get(after).copied().unwrap_or(self.frames())
    }

    /// Returns the speed over the ground, in m/s.
    pub fn speed_mps(&self, frame: usize) -> f32 {
        // 0.1 s on both sides, to average out the sway of each step.
        let half = ((self.rate_hz * 0.1).round() as usize).max(1);
        let piece = self.piece(frame);
        let (a, b) = (frame.saturating_sub(half).max(piece.start), (frame + half).min(piece.end - 1));
        let way = flat(self.root(b).translation - self.root(a).translation).length();
        way * self.rate_hz / (b - a).max(1) as f32
    }

    /// Returns the direction of movement in a range of frames. For a path there and back, it is the first direction; for motion
    /// in place, the facing.
    pub fn ahead(&self, range: std::ops::Range<usize>) -> Facing {
        let last = range.end.max(range.start + 1) - 1;
        let at = |f: usize| flat(self.root(f).translation);
        let way = at(last) - at(range.start);
        // A long motion is measured in steps of several frames, which hardly changes the length.
        let step = range.len().div_ceil(MOST_STEPS).max(1);
        let walked: f32 = (range.start..last).step_by(step).map(|f| (at((f + step).min(last)) - at(f)).length()).sum();
        if way.length() > 0.4 && way.length() > 0.8 * walked {
            return Facing::from_direction(way).unwrap_or_default();
        }
        if let Some(axis) = self.axis(range.clone()).filter(|_| walked > 1.0) {
            let quarter = at(range.start + (last - range.start) / 4) - at(range.start);
            let there = if quarter.length() > 0.1 { quarter } else { way };
            return if axis.dot(there) < 0.0 { Facing::from_direction(-axis) } else { Facing::from_direction(axis) }
                .unwrap_or_default();
        }
        if way.length() > 0.4 && way.length() > 0.6 * walked {
            return Facing::from_direction(way).unwrap_or_default();
        }
        let facing = |f: usize| Facing::from_rotation(self.root(f).rotation).direction();
        let mean = range.clone().step_by(step).map(facing).sum::<Vec3>() / range.len().div_ceil(step).max(1) as f32;
        Facing::from_direction(if mean.length() > 0.6 { mean } else { facing(range.start) }).unwrap_or_default()
    }

    /// Returns the axis of a long and narrow path.
    fn axis(&self, range: std::ops::Range<usize>) -> Option<Vec3> {
        let range = range.clone().step_by(range.len().div_ceil(MOST_STEPS).max(1));
        let n = range.len().max(1) as f32;
        let at = |f: usize| flat(self.root(f).translation);
        let middle = range.clone().map(at).sum::<Vec3>() / n;
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for p in range.map(|f| at(f) - middle) {
            xx += p.x * p.x / n;
            xz += p.x * p.z / n;
            zz += p.z * p.z / n;
        }
        // Variance along and across the principal axis of the positions.
        let half = ((xx - zz) * (xx - zz) / 4.0 + xz * xz).sqrt();
        let (along, across) = ((xx + zz) / 2.0 + half, (xx + zz) / 2.0 - half);
        let axis = Facing::from_yaw(0.5 * atan2(2.0 * xz, zz - xx)).direction();
        (along > 9.0 * across.max(1e-6)).then_some(axis)
    }
}

/// Returns the horizontal part of a vector.
pub fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}
