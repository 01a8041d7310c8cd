//! Loops of steady locomotion: whole strides of a made clip, closed.
//!
//! A character that is commanded steadily plays such a loop on and on; without it, each clip would end in a transition.

use super::gates::Limits;
use super::kit::{Kit, mix_in};
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

/// Returns whole strides of a steady clip as a loop: as many as end nearest to a frame. They are sampled so that the loop has a whole
/// number of frames; what differs at its ends is distributed over its frames. Returns the reason if the loop is implausible.
pub fn closed(
    (kit, limits): (&Kit, &Limits),
    open: &Track,
    poses: &[Pose],
    steps: &Steps,
    on: &[Vec<bool>; 2],
) -> Result<Track, String> {
    let start = (LEAD_S * open.rate_hz).round() as usize;
    let last = poses.len() - 1;
    let strides_per_frame = (steps.moments[last].phase - steps.moments[start].phase) / (last - start) as f64;
    let shortest = f64::from(SHORTEST_S * open.rate_hz);
    let fits = |length: &f64| *length >= shortest && start as f64 + length <= last as f64;
    let lengths = (1..=MOST_STRIDES).map(|strides| strides as f64 / strides_per_frame).filter(fits);
    let length = lengths.min_by(|a, b| (a - a.round()).abs().total_cmp(&(b - b.round()).abs()));
    let length = length.ok_or("it is shorter than a stride")?;
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
    for (k, pose) in inside.iter_mut().enumerate() {
        let share = k as f32 / frames as f32;
        for j in 1..pose.len() {
            let gap = (after.rotations[j].inverse() * first.rotations[j]).to_rotation_vector();
            pose.translations[j] += (first.translations[j] - after.translations[j]) * share;
            pose.rotations[j] = (pose.rotations[j] * Quat::from_rotation_vector(gap * share)).renormalize();
        }
    }
    let on: [Vec<bool>; 2] = on.each_ref().map(|on| (0..frames).map(|k| on[place(k).round() as usize]).collect());
    if let Some(reason) = limits.refuse(kit, &inside, &on, open.rate_hz) {
        return Err(format!("as a loop, {reason}"));
    }
    let mut track = marked(kit, &open.name, &inside, on, open.rate_hz);
    track.annotations.tags.clone_from(&open.annotations.tags);
    track.annotations.loops = Some(true);
    track.looping = true;
    track.loop_delta = Some(first.world_from_root().inverse() * after.world_from_root());
    Ok(track)
}
