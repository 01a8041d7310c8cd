//! The pose pool of all tracks.

use super::track::Track;
use crate::frames::JointIndex;
use crate::large_pages;
use crate::motion::PosePool;
use crate::skeleton::Skeleton;

/// Returns all tracks in one pool. Joints whose translation always equals that of the rest pose store none.
pub fn pool(tracks: &[Track], skeleton: &Skeleton) -> PosePool {
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
    let mut pool = PosePool {
        joints,
        translated: translated.iter().map(|j| JointIndex::new(*j)).collect(),
        ..PosePool::default()
    };
    pool.rotations.reserve_exact(tracks.iter().map(|t| t.rotations.len()).sum());
    pool.translations.reserve_exact(tracks.iter().map(Track::frames).sum::<usize>() * translated.len());
    large_pages::advise(&mut pool.rotations);
    large_pages::advise(&mut pool.translations);
    for t in tracks {
        pool.rotations.extend_from_slice(&t.rotations);
        for frame in t.translations.chunks_exact(joints) {
            pool.translations.extend(translated.iter().map(|j| frame[*j]));
        }
    }
    pool
}
