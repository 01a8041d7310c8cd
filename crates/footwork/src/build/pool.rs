//! The pose pool of all tracks.

use super::track::Track;
use crate::clip::Annotations;
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::memory;
use crate::motion::{ClipView, PosePool};
use crate::skeleton::Skeleton;
use std::ops::Range;

/// Size of dropped tracks after which their memory is returned to the system, in bytes.
const RETURNED: usize = 32 << 20;

/// A track whose frames are in the pool.
#[derive(Clone, Debug)]
pub struct PooledClip {
    pub name: String,
    pub rate_hz: f32,
    /// Its frames of the pool.
    pub range: Range<usize>,
    pub annotations: Annotations,
    pub loop_delta: Option<Transform>,
    pub source_start_s: f32,
}

impl PooledClip {
    pub fn frames(&self) -> usize {
        self.range.len()
    }

    /// Returns the clip for sampling.
    pub fn view<'a>(&self, skeleton: &'a Skeleton, poses: &'a PosePool) -> ClipView<'a> {
        let (rate_hz, loop_delta) = (self.rate_hz, self.loop_delta);
        ClipView { skeleton, poses, start: self.range.start, frames: self.frames(), rate_hz, loop_delta, mirror: None }
    }
}

/// Moves the frames of all tracks to one pool. Joints whose translation always equals that of the rest pose store none.
pub fn pool(tracks: Vec<Track>, skeleton: &Skeleton) -> (PosePool, Vec<PooledClip>) {
    const STILL_M: f32 = 1e-4;
    let joints = skeleton.len();
    let moves = |j: usize| {
        let rest = skeleton.rest()[j].translation;
        let moved = |t: &Track| {
            t.translations.iter().skip(j).step_by(joints).any(|p| (*p - rest).abs().max_element() > STILL_M)
        };
        j == 0 || tracks.iter().any(moved)
    };
    let translated: Vec<usize> = (0..joints).filter(|j| moves(*j)).collect();
    let frames: usize = tracks.iter().map(Track::frames).sum();
    let mut pool = PosePool {
        joints,
        translated: translated.iter().map(|j| JointIndex::new(*j)).collect(),
        rotations: memory::large_array(frames * joints),
        translations: memory::large_array(frames * translated.len()),
    };
    let mut clips = Vec::with_capacity(tracks.len());
    // Each track is dropped before the next one is copied, so that poses are in memory once.
    let mut freed = 0;
    for track in tracks {
        if freed >= RETURNED {
            memory::return_freed();
            freed = 0;
        }
        freed += size_of_val(&track.rotations[..]) + size_of_val(&track.translations[..]);
        let start = pool.frames();
        pool.rotations.extend_from_slice(&track.rotations);
        for frame in track.translations.chunks_exact(joints) {
            pool.translations.extend(translated.iter().map(|j| frame[*j]));
        }
        let Track { name, rate_hz, annotations, loop_delta, source_start_s, .. } = track;
        clips.push(PooledClip { name, rate_hz, range: start..pool.frames(), annotations, loop_delta, source_start_s });
    }
    memory::return_freed();
    (pool, clips)
}
