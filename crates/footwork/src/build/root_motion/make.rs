//! Makes a root under the body, and smooths the path of roots.

use crate::build::config::RootMotionConfig;
use crate::build::loops::Round;
use crate::build::track::Track;
use crate::frames::JointIndex;
use crate::math::{Facing, Transform, savgol};
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Returns the track with a new joint 0 under `joint`, facing across `sides`. `skeleton` is that of the given track.
pub fn synthesize(
    track: Track,
    skeleton: &Skeleton,
    (joint, sides): (JointIndex, (JointIndex, JointIndex)),
    config: &RootMotionConfig,
) -> Track {
    let n = track.frames();
    let mut world = Vec::new();
    let mut raw: Vec<Transform> = Vec::with_capacity(n);
    for f in 0..n {
        track.world(skeleton, f, &mut world);
        let p = world[joint.at()].translation;
        let last = raw.last().map_or(Facing::FORWARD, |t: &Transform| Facing::from_rotation(t.rotation));
        let facing = Facing::from_direction(body_forward(&world, sides)).unwrap_or(last);
        raw.push(Transform::new(Vec3::new(p.x, 0.0, p.z), facing.rotation()));
    }
    let roots = smooth(&raw, track.rate_hz, track.round.filter(|_| track.looping).map(|r| r.world), config);
    let joints = track.joints;
    let mut out = Track {
        joints: joints + 1,
        translations: Vec::with_capacity(n * (joints + 1)),
        rotations: Vec::with_capacity(n * (joints + 1)),
        // The path was smoothed along the source's cycles, so the root has the same displacement per cycle.
        round: track.round.map(|r| Round { exact: true, ..r }),
        ..track.clone()
    };
    for (f, root) in roots.iter().enumerate() {
        out.translations.push(root.translation);
        out.rotations.push(root.rotation);
        for j in 0..joints {
            let local = track.local(f, j);
            let local = if j == 0 { root.inverse() * local } else { local };
            out.translations.push(local.translation);
            out.rotations.push(local.rotation);
        }
    }
    out
}

/// Sets `above`, joints of the skeleton before it got its root, to their rest pose. Their other children keep their world
/// transforms.
pub fn rest(mut track: Track, skeleton: &Skeleton, above: &[JointIndex]) -> Track {
    for joint in above {
        let children: Vec<usize> = skeleton.children(*joint).map(|c| c.at() + 1).collect();
        for f in 0..track.frames() {
            let old = track.local(f, joint.at() + 1);
            let new = skeleton.rest()[joint.at()];
            let carry = new.inverse() * old;
            set(&mut track, f, joint.at() + 1, new);
            for c in &children {
                let local = carry * track.local(f, *c);
                set(&mut track, f, *c, local);
            }
        }
    }
    track
}

/// Smooths position and facing. A loop is first extended on both sides by its own cycles (`round` transforms the world by
/// one cycle), so that its ends are smoothed like the rest.
pub fn smooth(raw: &[Transform], rate_hz: f32, round: Option<Transform>, config: &RootMotionConfig) -> Vec<Transform> {
    let n = raw.len();
    let mut path = raw.to_vec();
    let mut skip = 0;
    let window = |seconds: f32| (seconds * rate_hz).round() as usize;
    if let Some(round) = round.filter(|_| n > 2) {
        // A window longer than a short loop extends over several cycles.
        let reach = window(config.position_window_s.max(config.facing_window_s)) / 2 + 1;
        let rounds = reach.div_ceil(n);
        let (mut ahead, mut behind) = (raw.to_vec(), raw.to_vec());
        let back = round.inverse();
        for _ in 0..rounds {
            ahead.iter_mut().for_each(|t| *t = round * *t);
            behind.iter_mut().for_each(|t| *t = back * *t);
            path.extend_from_slice(&ahead);
            path.splice(0..0, behind.iter().copied());
        }
        skip = rounds * n;
    }
    let smoothed = |seconds: f32, value: &dyn Fn(&Transform) -> f32| {
        let values: Vec<f64> = path.iter().map(|t| f64::from(value(t))).collect();
        savgol::smooth(&values, window(seconds), 3, false)
    };
    let x = smoothed(config.position_window_s, &|t| t.translation.x);
    let z = smoothed(config.position_window_s, &|t| t.translation.z);
    let fx = smoothed(config.facing_window_s, &|t| t.rotation.forward().x);
    let fz = smoothed(config.facing_window_s, &|t| t.rotation.forward().z);
    (skip..skip + n)
        .map(|i| {
            let facing = Facing::from_direction(Vec3::new(fx[i] as f32, 0.0, fz[i] as f32));
            let rotation = facing.map_or(path[i].rotation, Facing::rotation);
            Transform::new(Vec3::new(x[i] as f32, 0.0, z[i] as f32), rotation)
        })
        .collect()
}

/// Returns the displacement of the root in one cycle, relative to its first frame: to the last frame, plus the mean of the
/// steps before and after the transition.
pub fn loop_delta(roots: &[Transform]) -> Transform {
    let n = roots.len();
    let whole = roots[0].inverse() * roots[n - 1];
    if n < 2 {
        return whole;
    }
    let a = roots[n - 2].inverse() * roots[n - 1];
    let b = roots[0].inverse() * roots[1];
    whole * Transform::new((a.translation + b.translation) * 0.5, a.rotation.nlerp(b.rotation, 0.5))
}

/// Computes the displacement of one cycle of a looping track.
pub fn close_loop(track: &mut Track) {
    let n = track.frames();
    if !track.looping || n < 3 {
        track.looping = false;
        return;
    }
    let roots: Vec<Transform> = (0..n).map(|f| track.local(f, 0)).collect();
    track.loop_delta = Some(match track.round.filter(|r| r.exact) {
        Some(round) => roots[0].inverse() * round.world * roots[0],
        None => loop_delta(&roots),
    });
}

/// Returns the body's facing in world space.
pub(super) fn body_forward(world: &[Transform], (left, right): (JointIndex, JointIndex)) -> Vec3 {
    (world[left.at()].translation - world[right.at()].translation).cross(Vec3::Y)
}

/// Sets a local transform of a track.
pub(super) fn set(track: &mut Track, frame: usize, joint: usize, t: Transform) {
    let i = frame * track.joints + joint;
    track.translations[i] = t.translation;
    track.rotations[i] = t.rotation;
}
