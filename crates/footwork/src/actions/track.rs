//! The motion that a reading looks at: paths of hands, feet and hips through a clip.

use crate::database::Database;
use crate::frames::{ClipIndex, JointIndex};
use crate::math::{Facing, Transform};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::ops::Range;

/// Distance from its mean position within which a joint counts as resting, in metres.
const DWELL_M: f32 = 0.012;

/// Path of a joint.
#[derive(Debug)]
pub struct Way {
    pub joint: JointIndex,
    /// `[frames]` positions: clip space, in metres.
    pub at: Vec<Vec3>,
}

/// A clip, sampled at its frames.
#[derive(Debug)]
pub struct Track {
    pub rate_hz: f32,
    /// `[frames]` roots: clip space.
    pub root: Vec<Transform>,
    /// `[frames]` headings of the roots, in radians.
    pub yaw_rad: Vec<f32>,
    pub hips: Option<Way>,
    /// Left and right.
    pub hands: [Option<Way>; 2],
    /// `[contact joints]`.
    pub feet: Vec<Way>,
    /// `[contact joints]` of `[frames]`: true where the joint touches the ground.
    pub touches: Vec<Vec<bool>>,
    /// `[contact joints]` height of the joint over the ground that it stands on, in metres.
    pub foot_m: Vec<f32>,
    /// Height of the hips of the standing body, in metres.
    pub standing_m: f32,
    /// Hands of the standing body: root space, in metres.
    pub hanging: [Vec3; 2],
}

impl Track {
    /// Samples a clip. Allocates.
    pub fn of(db: &Database, clip: ClipIndex, mirrored: bool) -> Self {
        let (view, rig) = (db.view(clip, mirrored), &db.rig);
        let rate_hz = view.rate_hz;
        let hands = ["left_hand", "right_hand"].map(|name| rig.joint(&db.skeleton, name));
        let hips = rig.body.as_ref().map(|b| b.hips).or_else(|| rig.joint(&db.skeleton, "hips"));
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let joints: Vec<JointIndex> = hands.iter().flatten().chain(&hips).chain(&rig.contact_joints).copied().collect();
        let mut ways: Vec<Way> = joints.iter().map(|joint| Way { joint: *joint, at: Vec::new() }).collect();
        let mut root = Vec::with_capacity(view.frames);
        let mut touches = vec![Vec::with_capacity(view.frames); rig.contact_joints.len()];
        for f in 0..view.frames {
            let time_s = f as f64 / f64::from(rate_hz);
            view.sample(time_s, &mut pose, &mut velocity);
            let at = pose.world_from_root();
            root.push(at);
            for way in &mut ways {
                way.at.push(at.point(pose.in_root(&db.skeleton, way.joint).translation));
            }
            for (slot, touches) in touches.iter_mut().enumerate() {
                touches.push(db.touches_at(clip, mirrored, slot, time_s));
            }
        }
        let mut ways = ways.into_iter();
        let hands = hands.map(|hand| hand.and_then(|_| ways.next()));
        let hips = hips.and_then(|_| ways.next());
        let standing = |joint: JointIndex| rig.standing[joint.at()].translation;
        let hanging = |way: &Option<Way>| way.as_ref().map_or(Vec3::ZERO, |hand| standing(hand.joint));
        Self {
            rate_hz,
            yaw_rad: root.iter().map(|t| Facing::from_rotation(t.rotation).yaw()).collect(),
            root,
            standing_m: hips.as_ref().map_or(0.0, |hips| standing(hips.joint).y),
            hanging: [hanging(&hands[0]), hanging(&hands[1])],
            foot_m: rig.contact_joints.iter().map(|joint| standing(*joint).y).collect(),
            hips,
            hands,
            feet: ways.collect(),
            touches,
        }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.root.len()
    }

    /// Returns the time of a frame, in seconds of the clip.
    pub fn time_s(&self, frame: usize) -> f32 {
        frame as f32 / self.rate_hz
    }

    /// Returns the number of frames in a time.
    pub fn frames_of(&self, seconds: f32) -> usize {
        (seconds * self.rate_hz).round() as usize
    }

    /// Returns `[frames]` the distance over the ground that the root has covered, in metres.
    pub fn travel_m(&self) -> Vec<f32> {
        let mut travelled_m = 0.0;
        let steps = (0..self.frames()).map(|f| {
            let way = self.root[f].translation - self.root[f.saturating_sub(1)].translation;
            travelled_m += crate::math::flat(way).length();
            travelled_m
        });
        steps.collect()
    }
}

impl Way {
    /// Returns the speed at a frame, in m/s: that of the step between its neighbours.
    pub fn speed_mps(&self, frame: usize, rate_hz: f32) -> f32 {
        let (a, b) = (frame.saturating_sub(1), (frame + 1).min(self.at.len() - 1));
        (self.at[b] - self.at[a]).length() * rate_hz / (b - a).max(1) as f32
    }

    /// Returns the mean position in the middle half of a range of frames, in metres.
    pub fn rest(&self, frames: &Range<usize>) -> Vec3 {
        let quarter = frames.len() / 4;
        let middle = &self.at[frames.start + quarter..(frames.end - quarter).max(frames.start + quarter + 1)];
        middle.iter().sum::<Vec3>() / middle.len() as f32
    }

    /// Returns the range around `core` in which the joint stays near its mean position in `core`, and that position. The ends are those
    /// of the motion itself: nothing is smoothed.
    pub fn dwell(&self, core: Range<usize>) -> (Range<usize>, Vec3) {
        let at = self.rest(&core);
        let near = |f: &usize| (self.at[*f] - at).length() < DWELL_M;
        let middle = (core.start + core.end) / 2;
        let start = (0..middle).rev().take_while(near).last().unwrap_or(middle);
        let end = (middle..self.at.len()).take_while(near).last().map_or(middle + 1, |f| f + 1);
        (start..end, at)
    }
}

/// Returns the ranges of frames in which `holds` is true, at least `least` long.
pub fn runs(frames: usize, least: usize, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for f in 0..=frames {
        match (start, f < frames && holds(f)) {
            (None, true) => start = Some(f),
            (Some(s), false) => {
                if f - s >= least.max(1) {
                    found.push(s..f);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}
