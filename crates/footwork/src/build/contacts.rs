//! When does a foot touch the ground? When it is slow and low, flicker removed.

use super::config::ContactConfig;
use super::track::Track;
use crate::frames::JointIndex;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// Labels `[frames x joints]`: known ones from the clip, the others detected.
pub fn label(track: &Track, skeleton: &Skeleton, joints: &[JointIndex], config: &ContactConfig) -> Vec<u8> {
    let n = track.frames();
    let mut labels = vec![0u8; n * joints.len()];
    for (slot, joint) in joints.iter().enumerate() {
        let known = track.annotations.contacts.iter().find(|c| c.joint == skeleton.name(*joint));
        let on: Vec<bool> = match known {
            Some(c) => c.on.clone(),
            None => detect(track, skeleton, *joint, config),
        };
        for (f, on) in on.into_iter().enumerate() {
            labels[f * joints.len() + slot] = u8::from(on);
        }
    }
    labels
}

fn detect(track: &Track, skeleton: &Skeleton, joint: JointIndex, config: &ContactConfig) -> Vec<bool> {
    let n = track.frames();
    let positions: Vec<Vec3> = (0..n).map(|f| track.joint_world(skeleton, f, joint.at()).translation).collect();
    let mut heights: Vec<f32> = positions.iter().map(|p| p.y).collect();
    heights.sort_by(f32::total_cmp);
    let ground = heights[n / 20];
    let touching: Vec<bool> = (0..n)
        .map(|f| {
            let speed = speed_mps(track, &positions, f);
            speed < config.speed_mps && positions[f].y - ground < config.height_m
        })
        .collect();
    let window = (config.window_s * track.rate_hz).round() as usize;
    if track.loop_delta.is_none() {
        return median(&touching, window);
    }
    let thrice: Vec<bool> = touching.iter().cycle().take(3 * n).copied().collect();
    median(&thrice, window.min(n))[n..2 * n].to_vec()
}

/// Central difference inside the clip and around a loop, one-sided at the ends of others.
fn speed_mps(track: &Track, positions: &[Vec3], frame: usize) -> f32 {
    let n = positions.len();
    let difference = match track.round_in_world() {
        Some(round) if frame == 0 => round.inverse_point(positions[n - 1]) - positions[1 % n],
        Some(round) if frame == n - 1 => round.point(positions[0]) - positions[n.saturating_sub(2)],
        _ => positions[(frame + 1).min(n - 1)] - positions[frame.saturating_sub(1)],
    };
    let one_sided = n > 1 && track.loop_delta.is_none() && (frame == 0 || frame == n - 1);
    difference.length() * track.rate_hz / if one_sided { 1.0 } else { 2.0 }
}

/// Majority over a window of `window` frames (made odd), cut off at the ends.
fn median(values: &[bool], window: usize) -> Vec<bool> {
    let half = (window | 1) / 2;
    (0..values.len())
        .map(|i| {
            let around = &values[i.saturating_sub(half)..(i + half + 1).min(values.len())];
            2 * around.iter().filter(|v| **v).count() > around.len()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::track::tests::raw;
    use crate::clip::ContactTrack;

    #[test]
    fn flicker_is_removed_and_long_contacts_stay() {
        let v: Vec<bool> = "0100000111111011110000".chars().map(|c| c == '1').collect();
        let m: String = median(&v, 6).iter().map(|b| if *b { '1' } else { '0' }).collect();
        assert_eq!(m, "0000000111111111110000");
    }

    #[test]
    fn slow_and_low_touches_fast_or_high_does_not() {
        let mut clip = raw(90, 30.0);
        for f in 0..90 {
            // Stands, is carried up, hangs still in the air.
            let y = if f < 30 { 0.0 } else { ((f - 30) as f32 * 0.05).min(1.0) };
            clip.translations[f * 2] = Vec3::new(0.0, y, 0.0);
        }
        let track = Track::resample(clip.clone(), None, 30.0);
        let on = label(&track, &clip.skeleton, &[JointIndex(0)], &ContactConfig::default());
        assert!(on[..28].iter().all(|v| *v == 1));
        assert!(on[33..].iter().all(|v| *v == 0));
    }

    #[test]
    fn known_contacts_are_taken_as_they_are() {
        let mut clip = raw(10, 30.0);
        clip.annotations.contacts.push(ContactTrack { joint: "Hips".into(), on: vec![true; 10] });
        let track = Track::resample(clip.clone(), None, 30.0);
        assert_eq!(label(&track, &clip.skeleton, &[JointIndex(1)], &ContactConfig::default()), vec![1; 10]);
    }
}
