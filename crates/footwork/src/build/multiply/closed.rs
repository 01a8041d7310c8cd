//! Loops of steady locomotion: whole strides of a made clip, closed.
//!
//! A character that is commanded steadily plays such a loop on and on; without it, each clip would end in a transition.

use super::kit::Kit;
use super::marked;
use super::route::LEAD_S;
use super::steps::Steps;
use crate::build::track::Track;
use crate::math::Quat;
use crate::pose::Pose;

/// Maximum number of strides of a loop.
const MOST_STRIDES: usize = 8;
/// Minimum duration of a loop, in seconds.
const SHORTEST_S: f32 = 0.6;

/// Returns whole strides of a steady clip as a loop: as many as end nearest to a frame. The difference between its ends is
/// distributed over its frames. Returns `None` if the clip has no stride.
pub fn closed(kit: &Kit, open: &Track, poses: &[Pose], steps: &Steps, on: &[Vec<bool>; 2]) -> Option<Track> {
    let start = (LEAD_S * open.rate_hz).round() as usize;
    let last = poses.len() - 1;
    let strides_per_frame = (steps.moments[last].phase - steps.moments[start].phase) / (last - start) as f64;
    let off_and_frames = |strides: usize| {
        let frames = strides as f64 / strides_per_frame;
        ((frames - frames.round()).abs(), frames.round() as usize)
    };
    let shortest = (SHORTEST_S * open.rate_hz) as usize;
    let fits = |(_, frames): &(f64, usize)| *frames >= shortest && start + frames <= last;
    let (_, frames) = (1..=MOST_STRIDES).map(off_and_frames).filter(fits).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (first, after) = (&poses[start], &poses[start + frames]);
    let mut inside = poses[start..start + frames].to_vec();
    for (k, pose) in inside.iter_mut().enumerate() {
        let share = k as f32 / frames as f32;
        for j in 1..pose.len() {
            let gap = (after.rotations[j].inverse() * first.rotations[j]).to_rotation_vector();
            pose.translations[j] += (first.translations[j] - after.translations[j]) * share;
            pose.rotations[j] = (pose.rotations[j] * Quat::from_rotation_vector(gap * share)).renormalize();
        }
    }
    let on = on.each_ref().map(|on| on[start..start + frames].to_vec());
    let mut track = marked(kit, &open.name, &inside, on, open.rate_hz);
    track.annotations.tags.clone_from(&open.annotations.tags);
    track.annotations.loops = Some(true);
    track.looping = true;
    track.loop_delta = Some(first.world_from_root().inverse() * after.world_from_root());
    Some(track)
}
