//! What inference looks at: ways of hands, feet and hips through a clip, smoothed.

use crate::database::Database;
use crate::frames::{ClipIndex, JointIndex};
use crate::math::{Facing, Transform};
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Half of the stretch over which positions are averaged, seconds.
const SMOOTH_S: f32 = 0.017;
/// Half of the stretch over which velocities are measured, seconds.
const SPEED_S: f32 = 0.025;

/// A joint's way, in the space of the clip.
#[derive(Debug)]
pub(super) struct Way {
    pub joint: JointIndex,
    /// `[frames]` as the clip has it, metres.
    pub raw: Vec<Vec3>,
    /// `[frames]` smoothed, metres.
    pub at: Vec<Vec3>,
    /// `[frames]` m/s.
    pub speed_mps: Vec<f32>,
}

/// A clip, sampled.
#[derive(Debug)]
pub(super) struct Track {
    pub rate_hz: f32,
    /// `[frames]`.
    pub root: Vec<Transform>,
    /// `[frames]` radians.
    pub yaw_rad: Vec<f32>,
    pub hips: Option<Way>,
    /// Left and right.
    pub hands: [Option<Way>; 2],
    /// `[contact joints]`.
    pub feet: Vec<Way>,
    /// Height of each foot's joint over the ground that it stands on, metres.
    pub foot_m: Vec<f32>,
    /// How high the hips of the standing body are, metres.
    pub standing_m: f32,
    /// Where the hands of the standing body are, root space.
    pub hanging: [Vec3; 2],
}

impl Track {
    pub fn of(db: &Database, clip: ClipIndex, mirrored: bool) -> Self {
        let view = db.view(clip, mirrored);
        let rig = &db.rig;
        let rate_hz = view.rate_hz;
        let frames = (view.seconds() * f64::from(rate_hz)).round() as usize + 1;
        let hands = ["left_hand", "right_hand"].map(|name| rig.joint(&db.skeleton, name));
        let hips = rig.body.as_ref().map(|b| b.hips).or_else(|| rig.joint(&db.skeleton, "hips"));
        let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
        let mut root = Vec::with_capacity(frames);
        let wanted: Vec<JointIndex> = hands.iter().flatten().chain(&hips).chain(&rig.contact_joints).copied().collect();
        let mut ways: Vec<Vec<Vec3>> = vec![Vec::with_capacity(frames); wanted.len()];
        for f in 0..frames {
            view.sample(f as f64 / f64::from(rate_hz), &mut pose, &mut velocity);
            let at = pose.world_from_root();
            root.push(at);
            for (way, joint) in ways.iter_mut().zip(&wanted) {
                way.push(at.point(pose.in_root(&db.skeleton, *joint).translation));
            }
        }
        let mut ways = ways.into_iter().zip(&wanted).map(|(at, joint)| Way::new(*joint, &at, rate_hz));
        let hands = hands.map(|h| h.and_then(|_| ways.next()));
        let hips = hips.and_then(|_| ways.next());
        let standing = |joint: JointIndex| rig.standing[joint.at()].translation;
        Self {
            rate_hz,
            yaw_rad: root.iter().map(|t| Facing::from_rotation(t.rotation).yaw()).collect(),
            root,
            standing_m: hips.as_ref().map_or(0.0, |h| standing(h.joint).y),
            hanging: [0, 1].map(|k| hands[k].as_ref().map_or(Vec3::ZERO, |h: &Way| standing(h.joint))),
            foot_m: rig.contact_joints.iter().map(|j| standing(*j).y).collect(),
            hips,
            hands,
            feet: ways.collect(),
        }
    }

    pub fn frames(&self) -> usize {
        self.root.len()
    }

    pub fn time_s(&self, frame: usize) -> f32 {
        frame as f32 / self.rate_hz
    }

    /// Frames of so many seconds.
    pub fn frames_of(&self, seconds: f32) -> usize {
        (seconds * self.rate_hz).round() as usize
    }
}

impl Way {
    fn new(joint: JointIndex, raw: &[Vec3], rate_hz: f32) -> Self {
        let at = mean(raw, ((SMOOTH_S * rate_hz).round() as usize).max(1));
        let half = ((SPEED_S * rate_hz).round() as usize).max(1);
        let last = at.len() - 1;
        let speed = |f: usize| {
            let (a, b) = (f.saturating_sub(half), (f + half).min(last));
            (at[b] - at[a]).length() * rate_hz / (b - a).max(1) as f32
        };
        Self { joint, raw: raw.to_vec(), speed_mps: (0..at.len()).map(speed).collect(), at }
    }
}

/// Means over `half` frames to either side.
fn mean(of: &[Vec3], half: usize) -> Vec<Vec3> {
    let around = |f: usize| {
        // As far to either side: an end stays where it is.
        let h = half.min(f).min(of.len() - 1 - f);
        of[f - h..=f + h].iter().sum::<Vec3>() / (2 * h + 1) as f32
    };
    (0..of.len()).map(around).collect()
}

/// Stretches of frames that hold, at least `least` long.
pub(super) fn runs(frames: usize, least: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for f in 0..=frames {
        match (start, f < frames && holds(f)) {
            (None, true) => start = Some(f),
            (Some(s), false) => {
                if f - s >= least.max(1) {
                    found.push((s, f));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}
