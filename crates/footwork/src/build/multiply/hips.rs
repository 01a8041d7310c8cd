//! Height of the hips of made clips, compared with the captured height at the same speed.

use super::kit::Kit;
use crate::build::track::Track;
use crate::math::{flat, median};
use crate::pose::Pose;

/// Width of a range of speeds, in m/s, and number of ranges; the last one has no upper limit.
const RANGE_MPS: f32 = 0.25;
const RANGES: usize = 32;
/// Time over which the speed is measured, in seconds.
const SPEED_S: f32 = 0.2;
/// Time of captured motion that a range needs, in seconds: the loop of a sprint is shorter than 0.7 s, and its speed varies.
const ENOUGH_S: f32 = 0.2;

/// Median heights of the hips of captured clips, by the speed of the root.
#[derive(Clone, Debug)]
pub struct HipHeights {
    /// `[ranges]` metres; `None` for ranges with too few frames.
    ranges_m: Vec<Option<f32>>,
}

impl HipHeights {
    /// Measures tracks.
    pub fn of(kit: &Kit, tracks: &[&Track]) -> Self {
        let mut ranges = vec![(Vec::new(), 0.0); RANGES];
        for track in tracks {
            let poses: Vec<Pose> = (0..track.frames()).map(|frame| track.pose(frame)).collect();
            for (range, hips_m) in heights(kit, &poses, track.rate_hz) {
                let (known, seconds) = &mut ranges[range];
                known.push(hips_m);
                *seconds += 1.0 / track.rate_hz;
            }
        }
        let typical = |(known, seconds): (Vec<f32>, f32)| (seconds >= ENOUGH_S).then(|| median(known));
        Self { ranges_m: ranges.into_iter().map(typical).collect() }
    }

    /// Returns the median, over the frames of a clip, of the height of the hips as a factor on the captured one; `None` without captured
    /// frames, and for clips that are too short for a speed. A frame is compared with the lower one of the heights at the next captured
    /// speeds below and above its own, since made poses lie between captured ones.
    pub fn ratio(&self, kit: &Kit, poses: &[Pose], rate_hz: f32) -> Option<f32> {
        let at = |range: usize| {
            let slower = self.ranges_m[..=range].iter().rev().find_map(|hips_m| *hips_m);
            let faster = self.ranges_m[range..].iter().find_map(|hips_m| *hips_m);
            slower.into_iter().chain(faster).min_by(f32::total_cmp)
        };
        let heights = heights(kit, poses, rate_hz);
        let ratios: Option<Vec<f32>> = heights.into_iter().map(|(range, hips_m)| Some(hips_m / at(range)?)).collect();
        ratios.filter(|ratios| !ratios.is_empty()).map(median)
    }
}

/// Returns the range of the speed and the height of the hips, in metres, of each frame; nothing for a clip that is too short for a speed.
/// The first frames have the speed of the first one that has a past.
fn heights(kit: &Kit, poses: &[Pose], rate_hz: f32) -> Vec<(usize, f32)> {
    let frames = (SPEED_S * rate_hz).round().max(1.0) as usize;
    let of_frame = |frame: usize| {
        let measured = frame.max(frames);
        let [now, before] = [measured, measured - frames].map(|f| poses[f].world_from_root().translation);
        let speed_mps = flat(now - before).length() * rate_hz / frames as f32;
        let range = ((speed_mps / RANGE_MPS) as usize).min(RANGES - 1);
        (range, poses[frame].in_root(kit.skeleton, kit.hips).translation.y)
    };
    if poses.len() > frames { (0..poses.len()).map(of_frame).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::track::tests::raw;
    use crate::frames::JointIndex;
    use crate::rig::Leg;
    use glam::Vec3;

    const HIPS: JointIndex = JointIndex(1);

    #[test]
    fn hips_are_compared_at_the_captured_speeds_below_and_above() {
        let walk = Track::resample(raw(120, 60.0), None, 60.0);
        let clip = raw(1, 60.0);
        let leg = Leg { hip: HIPS, knee: HIPS, ankle: HIPS, toe: HIPS, hinge: Vec3::ZERO };
        let kit = Kit { skeleton: &clip.skeleton, hips: HIPS, legs: [leg; 2], slots: [0, 1], contact_joints: 2 };
        let known = HipHeights::of(&kit, &[&walk]);
        let poses = |mps: f32, share: f32| -> Vec<Pose> {
            let lowered = |frame| {
                let mut pose = walk.pose(frame);
                pose.translations[0] *= mps;
                pose.translations[1] *= share;
                pose
            };
            (0..walk.frames()).map(lowered).collect()
        };
        for (mps, share) in [(1.0, 1.0), (1.0, 0.9), (0.0, 0.97), (50.0, 0.9)] {
            let ratio = known.ratio(&kit, &poses(mps, share), 60.0).unwrap();
            assert!((ratio - share).abs() < 1e-4, "{ratio} at {mps} m/s");
        }
        // Between a walk and a run with low hips, low hips are no fault.
        let mut run = walk.clone();
        run.translations.chunks_exact_mut(2).for_each(|frame| (frame[0], frame[1]) = (frame[0] * 4.0, frame[1] * 0.9));
        let both = HipHeights::of(&kit, &[&walk, &run]);
        for (mps, share, ratio) in [(2.0, 0.9, 1.0), (1.0, 0.9, 0.9), (9.0, 0.9, 1.0)] {
            assert!((both.ratio(&kit, &poses(mps, share), 60.0).unwrap() - ratio).abs() < 1e-4);
        }
        assert_eq!(known.ratio(&kit, &poses(1.0, 1.0)[..12], 60.0), None);
        assert_eq!(HipHeights::of(&kit, &[]).ratio(&kit, &poses(1.0, 1.0), 60.0), None);
    }
}
