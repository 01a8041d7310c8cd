//! Loops of steady locomotion: whole strides of a made clip, closed.
//!
//! A character that is commanded steadily plays such a loop on and on; without it, each clip would end in a transition.

use super::kit::{close_gap, mix_in};
use super::route::LEAD_S;
use super::steps::Steps;
use crate::math::Transform;
use crate::pose::Pose;

/// Maximum number of strides of a loop.
const MOST_STRIDES: usize = 8;
/// Minimum duration of a loop, in seconds.
const SHORTEST_S: f32 = 0.6;

/// Whole strides of a steady clip.
pub struct Loop {
    /// `[frames]` in world space.
    pub poses: Vec<Pose>,
    /// `[frames]` contacts of the left and the right foot.
    pub on: [Vec<bool>; 2],
    /// Displacement of the root over the loop.
    pub delta: Transform,
}

/// Returns whole strides of a steady clip as a loop: as many as end nearest to a frame. They are sampled so that the loop has a whole
/// number of frames; what differs at its ends is distributed over its frames. `on`: contacts of each foot. Returns `None` if the clip
/// is too short.
pub fn closed(poses: &[Pose], on: &[Vec<bool>; 2], steps: &Steps, rate_hz: f32) -> Option<Loop> {
    let start = (LEAD_S * rate_hz).round() as usize;
    let last = poses.len() - 1;
    let strides_per_frame = (steps.moments[last].phase - steps.moments[start].phase) / (last - start) as f64;
    let shortest = f64::from(SHORTEST_S * rate_hz);
    let fits = |length: &f64| *length >= shortest && start as f64 + length <= last as f64;
    let lengths = (1..=MOST_STRIDES).map(|strides| strides as f64 / strides_per_frame).filter(fits);
    let length = lengths.min_by(|a, b| (a - a.round()).abs().total_cmp(&(b - b.round()).abs()))?;
    let frames = length.round() as usize;
    let place = |k: usize| start as f64 + k as f64 * length / frames as f64;
    let sample = |place: f64| {
        let before = place as usize;
        let mut pose = poses[before].clone();
        mix_in(&mut pose, &poses[(before + 1).min(last)], place.fract() as f32);
        pose
    };
    let (first, after) = (sample(place(0)), sample(place(frames)));
    let mut inside: Vec<Pose> = (0..frames).map(|k| sample(place(k))).collect();
    close_gap(&mut inside, &after);
    let on = on.each_ref().map(|on| (0..frames).map(|k| on[place(k).round() as usize]).collect());
    let delta = first.world_from_root().inverse() * after.world_from_root();
    Some(Loop { poses: inside, on, delta })
}
