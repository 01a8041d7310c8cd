//! Test whether the clips' joint 0 is their root: it must move with the body in every clip that travels.

use crate::build::track::Track;
use crate::frames::JointIndex;
use crate::math::median;
use crate::roles::JointRoles;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Minimum displacement of a travelling body, in heights of its hips. A fall or a step is shorter.
const TRAVELS: f32 = 1.5;
/// Maximum distance of the hips from their usual position over the root, in heights of the hips and as a share of the
/// displacement.
const STAYS_OVER: f32 = 0.5;
const OF_THE_WAY: f32 = 0.125;
/// Share of the frames that must agree, so that glitches have no effect.
const MOST: f32 = 0.9;
/// Maximum number of clips in the message.
const NAMED: usize = 3;

/// Returns true if joint 0 stays low and upright while the hips (another joint) are higher, and follows them over the
/// ground. Also returns a message about a joint 0 that does not.
pub fn has_root(tracks: &[Track], skeleton: &Skeleton, roles: &JointRoles) -> (bool, Option<String>) {
    let body = roles.get("hips").unwrap_or(JointIndex::new(1.min(skeleton.len() - 1)));
    if body.at() == 0 || skeleton.len() < 3 || !low_and_upright(tracks, skeleton, body) {
        return (false, None);
    }
    if tracks.iter().all(|t| stays(t, skeleton, 0)) && tracks.iter().any(|t| !stays(t, skeleton, body.at())) {
        return (false, None);
    }
    let travelling: Vec<(&Track, bool)> =
        tracks.iter().filter_map(|t| leaves_root(t, skeleton, body).map(|leaves| (t, leaves))).collect();
    let left: Vec<String> = travelling.iter().filter(|(_, l)| *l).map(|(t, _)| format!("`{}`", t.name)).collect();
    if left.is_empty() {
        return (true, None);
    }
    let more = if left.len() > NAMED { ", ..." } else { "" };
    let told = format!(
        "joint `{}` does not move with the body in {} of {} clips that travel ({}{more}): all clips get a root under the body; \
         `root.mode = \"existing\"` overrides",
        skeleton.names()[0],
        left.len(),
        travelling.len(),
        left[..left.len().min(NAMED)].join(", ")
    );
    (false, Some(told))
}

fn low_and_upright(tracks: &[Track], skeleton: &Skeleton, body: JointIndex) -> bool {
    let (mut upright, mut low, mut seen) = (0usize, 0usize, 0usize);
    for track in tracks {
        for f in (0..track.frames()).step_by(10) {
            let root = track.local(f, 0);
            let hips = track.joint_world(skeleton, f, body.at()).translation;
            seen += 1;
            upright += usize::from((root.rotation * Vec3::Y).y > 0.999);
            low += usize::from((hips.y - root.translation.y).abs() > 0.1 || root.translation.y.abs() < 0.05);
        }
    }
    // A body that lies down lowers its hips to the root's height, so most frames decide, not all.
    upright * 100 >= seen * 99 && low * 10 >= seen * 8
}

/// Returns true if a travelling body leaves joint 0 behind; `None` if the body stays in place.
fn leaves_root(track: &Track, skeleton: &Skeleton, body: JointIndex) -> Option<bool> {
    let frames = || (0..track.frames()).step_by(3);
    let ground = Vec3::new(1.0, 0.0, 1.0);
    let hips: Vec<Vec3> = frames().map(|f| track.joint_world(skeleton, f, body.at()).translation).collect();
    let height = median(hips.iter().map(|p| p.y.abs()).collect());
    let way = hips.iter().map(|p| ((*p - hips[0]) * ground).length()).fold(0.0, f32::max);
    if way < TRAVELS * height {
        return None;
    }
    // Positions are relative to the root, which may turn.
    let over: Vec<Vec3> = frames()
        .zip(&hips)
        .map(|(f, hips)| {
            let root = track.local(f, 0);
            root.rotation.yaw_twist().inverse() * ((*hips - root.translation) * ground)
        })
        .collect();
    let usual = Vec3::new(median(over.iter().map(|p| p.x).collect()), 0.0, median(over.iter().map(|p| p.z).collect()));
    let mut off: Vec<f32> = over.iter().map(|p| (*p - usual).length()).collect();
    off.sort_by(f32::total_cmp);
    let off = off[(MOST * (off.len() - 1) as f32) as usize];
    Some(off > (STAYS_OVER * height).max(OF_THE_WAY * way))
}

/// Returns true if a joint never leaves its position on the ground.
fn stays(track: &Track, skeleton: &Skeleton, joint: usize) -> bool {
    const FAR_M: f32 = 0.3;
    let at = |f: usize| track.joint_world(skeleton, f, joint).translation * Vec3::new(1.0, 0.0, 1.0);
    let first = at(0);
    (0..track.frames()).step_by(10).all(|f| (at(f) - first).length() < FAR_M)
}
