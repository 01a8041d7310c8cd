//! Clips that were made on the spot: the feet tread, the root stays. Their speed is that of the ground under standing feet.

use super::config::RootMotionConfig;
use super::track::Track;
use crate::frames::JointIndex;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// A root that gets on more slowly is taken to stay, m/s.
const STAYS_MPS: f32 = 0.1;
/// Without being asked: feet that slide back faster than this, and evenly, tread.
const TREADS_MPS: f32 = 0.4;
const EVEN: f32 = 0.3;
/// Feet this low stand, metres over the lowest.
const STANDS_M: f32 = 0.03;

/// The speed that a clip's feet give its root, root space, m/s; `None` where it has one of its own or does not tread.
pub fn speed_mps(track: &Track, skeleton: &Skeleton, feet: &[JointIndex], config: &RootMotionConfig) -> Option<Vec3> {
    let n = track.frames();
    let asked = config.speed_from_feet.unwrap_or(false);
    if config.speed_from_feet == Some(false) || n < 3 || feet.is_empty() || !(asked || track.looping) {
        return None;
    }
    let seconds = (n - 1) as f32 / track.rate_hz;
    let way = track.local(n - 1, 0).translation - track.local(0, 0).translation;
    if way.length() > STAYS_MPS * seconds.max(1.0) {
        return None;
    }
    let mut standing = low_velocities(track, skeleton, feet);
    if standing.is_empty() {
        return None;
    }
    let middle = |values: &mut Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values[values.len() / 2]
    };
    let x = middle(&mut standing.iter().map(|v| v.x).collect());
    let z = middle(&mut standing.iter().map(|v| v.z).collect());
    let ground = Vec3::new(x, 0.0, z);
    let spread = middle(&mut standing.iter_mut().map(|v| (*v - ground).length()).collect());
    let treads = ground.length() > TREADS_MPS && spread < EVEN * ground.length();
    (treads || (asked && ground.length() > STAYS_MPS)).then_some(-ground)
}

/// How feet that are down move, root space on the ground, m/s.
fn low_velocities(track: &Track, skeleton: &Skeleton, feet: &[JointIndex]) -> Vec<Vec3> {
    let n = track.frames();
    let at =
        |f: usize, j: &JointIndex| track.local(f, 0).inverse_point(track.joint_world(skeleton, f, j.at()).translation);
    let paths: Vec<Vec<Vec3>> = feet.iter().map(|j| (0..n).map(|f| at(f, j)).collect()).collect();
    let mut velocities = Vec::new();
    for path in paths {
        let mut heights: Vec<f32> = path.iter().map(|p| p.y).collect();
        heights.sort_by(f32::total_cmp);
        let ground = heights[n / 20];
        for f in (1..n - 1).filter(|f| path[*f].y < ground + STANDS_M) {
            let v = (path[f + 1] - path[f - 1]) * (0.5 * track.rate_hz);
            velocities.push(Vec3::new(v.x, 0.0, v.z));
        }
    }
    velocities
}

/// Sends the root off at a speed of its own axes; the body goes with it.
pub fn set_off(track: &mut Track, speed_mps: Vec3) {
    let mut way = Vec3::ZERO;
    for f in 0..track.frames() {
        let root = track.local(f, 0);
        track.translations[f * track.joints] += way;
        way += root.rotation * speed_mps / track.rate_hz;
    }
    // Where a round leads shows from the new root.
    track.round = None;
}
