//! The motion that a reading looks at: paths of hands, feet and hips through a clip.

use crate::database::Database;
use crate::frames::{ClipIndex, JointIndex};
use crate::math::{Facing, Transform};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Distance from its mean position within which a joint counts as resting, in metres.
const DWELL_M: f32 = 0.012;
/// The same at the ends of a contact, if the motion has no noise, in metres.
const STILL_M: f32 = 0.003;
/// The same, as a multiple of the largest distance in the middle of the contact.
const NOISE: f32 = 3.0;
/// Distance of a touching hand from where it hangs, in metres.
const AWAY_M: f32 = 0.22;
/// Distance within which an arm hangs from its shoulder, in metres.
const HANGS_M: f32 = 0.06;
/// Time before and after a frame within which hips that are still move less than [`DWELL_M`], in seconds.
const STILL_S: f32 = 0.05;
/// Rounds in which a stretch grows around its mean position.
const GROWTHS: usize = 4;
/// Longest time from the last frame away from a contact to the contact, in seconds.
const REACHES_S: f32 = 0.04;

/// Path of a joint.
#[derive(Debug)]
pub struct Way {
    pub joint: JointIndex,
    /// `[frames]` positions: clip space, in metres.
    pub at: Vec<Vec3>,
}

/// A clip, or a part of one, sampled at its frames. Frames count from the first of the part.
#[derive(Debug)]
pub struct Track {
    pub rate_hz: f32,
    /// First frame of the part, in frames of the clip.
    pub first: usize,
    /// `[frames]` roots: clip space.
    pub root: Vec<Transform>,
    /// `[frames]` headings of the roots, in radians.
    pub yaw_rad: Vec<f32>,
    pub hips: Option<Way>,
    /// Left and right.
    pub hands: [Option<Way>; 2],
    /// Left and right.
    pub shoulders: [Option<Way>; 2],
    /// `[contact joints]`.
    pub feet: Vec<Way>,
    /// `[contact joints]` of `[frames]`: true where the joint touches the ground.
    pub touches: Vec<Vec<bool>>,
    /// `[contact joints]` height of the joint over the ground that it stands on, in metres.
    pub foot_m: Vec<f32>,
    /// Joints whose contacts are named, with the frames of these.
    pub named: Vec<(JointIndex, Vec<Range<usize>>)>,
    /// Height of the hips of the standing body, in metres.
    pub standing_m: f32,
    /// Hands of the standing body: root space, in metres.
    pub hanging: [Vec3; 2],
    /// The same, from the shoulders.
    pub arm: [Vec3; 2],
}

impl Track {
    /// Samples a clip. Allocates.
    pub fn of(db: &Database, clip: ClipIndex, mirrored: bool) -> Self {
        let (view, rig) = (db.view(clip, mirrored), &db.rig);
        let rate_hz = view.rate_hz;
        let hands = ["left_hand", "right_hand"].map(|name| rig.joint(&db.skeleton, name));
        let shoulders = ["left_up_arm", "right_up_arm"].map(|name| rig.joint(&db.skeleton, name));
        let hips = rig.body.as_ref().map(|b| b.hips).or_else(|| rig.joint(&db.skeleton, "hips"));
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let joints: Vec<JointIndex> =
            hands.iter().chain(&shoulders).flatten().chain(&hips).chain(&rig.contact_joints).copied().collect();
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
        let shoulders = shoulders.map(|shoulder| shoulder.and_then(|_| ways.next()));
        let hips = hips.and_then(|_| ways.next());
        let standing = |joint: JointIndex| rig.standing[joint.at()].translation;
        let hanging = |way: &Option<Way>| way.as_ref().map_or(Vec3::ZERO, |hand| standing(hand.joint));
        Self {
            rate_hz,
            first: 0,
            yaw_rad: root.iter().map(|t| Facing::from_rotation(t.rotation).yaw()).collect(),
            root,
            standing_m: hips.as_ref().map_or(0.0, |hips| standing(hips.joint).y),
            hanging: [hanging(&hands[0]), hanging(&hands[1])],
            arm: [0, 1].map(|side| hanging(&hands[side]) - hanging(&shoulders[side])),
            foot_m: rig.contact_joints.iter().map(|joint| standing(*joint).y).collect(),
            hips,
            hands,
            shoulders,
            feet: ways.collect(),
            touches,
            named: named(db, clip, mirrored),
        }
    }

    /// Returns a part. Allocates.
    pub fn cut(&self, part: &Range<usize>) -> Self {
        let way = |way: &Way| Way { joint: way.joint, at: way.at[part.clone()].to_vec() };
        let ways = |of: &[Option<Way>; 2]| [0, 1].map(|side| of[side].as_ref().map(way));
        let inside = |of: &Range<usize>| {
            of.start.max(part.start) - part.start..of.end.min(part.end).max(part.start) - part.start
        };
        let named = |(joint, frames): &(JointIndex, Vec<Range<usize>>)| {
            (*joint, frames.iter().map(inside).filter(|frames| !frames.is_empty()).collect())
        };
        Self {
            first: self.first + part.start,
            root: self.root[part.clone()].to_vec(),
            yaw_rad: self.yaw_rad[part.clone()].to_vec(),
            hips: self.hips.as_ref().map(way),
            hands: ways(&self.hands),
            shoulders: ways(&self.shoulders),
            feet: self.feet.iter().map(way).collect(),
            touches: self.touches.iter().map(|touches| touches[part.clone()].to_vec()).collect(),
            named: self.named.iter().map(named).collect(),
            foot_m: self.foot_m.clone(),
            ..*self
        }
    }

    /// Returns the named contacts of a joint; `None` if they are to be read.
    pub fn named(&self, joint: JointIndex) -> Option<&[Range<usize>]> {
        self.named.iter().find(|(named, _)| *named == joint).map(|(_, frames)| frames.as_slice())
    }

    /// Returns true if a hand is away from where it hangs at the standing body. While the body is still, an arm that hangs down from its
    /// shoulder touches nothing, however low the shoulder is.
    pub fn is_away(&self, hand: usize, frame: usize) -> bool {
        let Some(way) = &self.hands[hand] else { return false };
        let (root, at) = (&self.root[frame], way.at[frame]);
        let hangs = |shoulder: &Way| {
            let arm = root.rotation.inverse() * (at - shoulder.at[frame]);
            (arm - self.arm[hand]).length() < HANGS_M
        };
        let around = self.frames_of(STILL_S).max(1);
        let (a, b) = (frame.saturating_sub(around), (frame + around).min(self.frames() - 1));
        let still = self.hips.as_ref().is_some_and(|hips| (hips.at[b] - hips.at[a]).length() < DWELL_M);
        (root.inverse_point(at) - self.hanging[hand]).length() > AWAY_M
            && !(still && self.shoulders[hand].as_ref().is_some_and(hangs))
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.root.len()
    }

    /// Returns the time of a frame, in seconds of the clip.
    pub fn time_s(&self, frame: usize) -> f32 {
        (self.first + frame) as f32 / self.rate_hz
    }

    /// Returns the frame at a time, in seconds of the clip: at most the last.
    pub fn frame_at(&self, time_s: f32) -> usize {
        self.frames_of(time_s).saturating_sub(self.first).min(self.frames() - 1)
    }

    /// Returns the number of frames in a time.
    pub fn frames_of(&self, seconds: f32) -> usize {
        (seconds * self.rate_hz).round() as usize
    }

    /// Returns `[frames]` the distance over the ground that the root has covered, in metres.
    pub fn travel_m(&self) -> Arc<[f32]> {
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
    /// Returns the mean position in the middle half of a range of frames, in metres.
    pub fn rest(&self, frames: &Range<usize>) -> Vec3 {
        let quarter = frames.len() / 4;
        let middle = &self.at[frames.start + quarter..(frames.end - quarter).max(frames.start + quarter + 1)];
        middle.iter().sum::<Vec3>() / middle.len() as f32
    }

    /// Returns the stretches of at least `least` frames in which the joint dwells and `holds` is true: each lies within [`DWELL_M`] of
    /// its mean position, which is the second value.
    pub fn dwells(&self, least: usize, rate_hz: f32, holds: impl Fn(usize) -> bool) -> Vec<(Range<usize>, Vec3)> {
        let spread_m = |from: usize| {
            let at = &self.at[from..from + least];
            let mean = at.iter().sum::<Vec3>() / least as f32;
            at.iter().map(|p| (*p - mean).length()).fold(0.0, f32::max)
        };
        let windows = (self.at.len() + 1).saturating_sub(least.max(1));
        let dwells = |from: usize| (from..from + least).all(&holds) && spread_m(from) < DWELL_M;
        let mut found: Vec<(Range<usize>, Vec3)> = Vec::new();
        for starts in runs(windows, 1, dwells) {
            let stillest = starts.min_by(|a, b| spread_m(*a).total_cmp(&spread_m(*b))).unwrap_or(0);
            let dwell = self.dwell(stillest..stillest + least, rate_hz);
            // A shorter rest at its true ends is only a turn there.
            if dwell.0.len() >= least && found.last().is_none_or(|(before, _)| before.end <= dwell.0.start) {
                found.push(dwell);
            }
        }
        found
    }

    /// Returns the frames around `core` in which the joint touches, and its mean position.
    fn dwell(&self, core: Range<usize>, rate_hz: f32) -> (Range<usize>, Vec3) {
        let mut frames = core;
        for _ in 0..GROWTHS {
            frames = self.within(&frames, self.rest(&frames), DWELL_M);
        }
        let at = self.rest(&frames);
        let quarter = frames.len() / 4;
        let middle = &self.at[frames.start + quarter..frames.end - quarter];
        let noise_m = middle.iter().map(|p| (*p - at).length()).fold(0.0, f32::max);
        let still = self.within(&frames, at, (NOISE * noise_m).clamp(STILL_M, DWELL_M));
        // The steps into the contact and out of it, continued at their speed, end between two frames.
        let most = REACHES_S * rate_hz;
        let left = |near: Option<&Vec3>, far: Option<&Vec3>| {
            let (Some(near), Some(far)) = (near, far) else { return 0.0 };
            let (near_m, far_m) = ((*near - at).length(), (*far - at).length());
            if far_m > near_m { (near_m / (far_m - near_m)).min(most) } else { most }
        };
        let before = |k: usize| still.start.checked_sub(k).and_then(|f| self.at.get(f));
        let after = |k: usize| self.at.get(still.end - 1 + k);
        let start = (still.start as f32 - 1.0 + left(before(1), before(2))).max(0.0);
        let last = (still.end as f32 - left(after(1), after(2))).min(self.at.len() as f32 - 1.0);
        let (start, last) = (start.round() as usize, last.round() as usize);
        (start..last.max(start) + 1, at)
    }

    /// Returns the frames around the middle of others in which the joint stays within a distance of a point.
    fn within(&self, frames: &Range<usize>, at: Vec3, most_m: f32) -> Range<usize> {
        let near = |f: &usize| (self.at[*f] - at).length() < most_m;
        let middle = (frames.start + frames.end) / 2;
        let start = (0..middle).rev().take_while(near).last().unwrap_or(middle);
        let end = (middle..self.at.len()).take_while(near).last().map_or(middle + 1, |f| f + 1);
        start..end
    }
}

/// Returns the joints whose contacts the curves of a clip name, with the frames of these.
fn named(db: &Database, clip: ClipIndex, mirrored: bool) -> Vec<(JointIndex, Vec<Range<usize>>)> {
    let (count, frames) = (db.curve_names.len(), db.clips[clip.at()].frame_range());
    let of_curve = |(k, name): (usize, &String)| {
        let joint = db.skeleton.find(Database::joint_of_contact_curve(name)?)?;
        let pairs = db.mirror_table.as_ref().filter(|_| mirrored).map(|table| &table.pairs);
        let touches = |f: usize| db.curves[(frames.start + f) * count + k] > 0.5;
        let runs = runs(frames.len(), 1, touches);
        (!runs.is_empty()).then(|| (pairs.map_or(joint, |pairs| pairs[joint.at()]), runs))
    };
    db.curve_names.iter().enumerate().filter_map(of_curve).collect()
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
