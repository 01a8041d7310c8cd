//! Height of the hips and bend of the knees, compared with those of the captured motion at the same speed.

use crate::RATE_HZ;
use crate::metrics::feet::knee_extension_deg;
use crate::motion::{Motion, Space, Subject};
use crate::samples::percentile;
use glam::{Vec3, Vec3Swizzles};

/// Width of a range of speeds, m/s.
const RANGE_MPS: f32 = 0.25;
/// Number of ranges; the last one has no upper limit.
const RANGES: usize = 32;
/// Frames over which the speed is measured: 0.2 s.
const SPEED_FRAMES: usize = 12;
/// Minimum number of captured frames in a range; with fewer, the nearest range is used that has so many.
const ENOUGH: usize = 30;

/// Medians of captured frames, by the speed of the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posture {
    /// `[ranges]` `None` for ranges with too few frames.
    ranges: Vec<Option<Typical>>,
}

/// Medians of a range of speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// Height of the hips above the ground, metres.
    pub hips_m: f32,
    /// Angle of the knee of a free leg, and of a leg whose foot is in contact, degrees; 180 is straight. `NaN` without such frames.
    pub knee_deg: [f32; 2],
}

impl Posture {
    /// Measures captured motion on level ground.
    pub fn of(captured: &[&Motion], subject: &Subject) -> Self {
        let mut ranges = vec![(Vec::new(), [Vec::new(), Vec::new()]); RANGES];
        for motion in captured {
            for frame in 0..motion.frames() {
                let Some(speed_mps) = speed_mps(motion, frame) else { continue };
                let (hips, knees) = &mut ranges[range_of(speed_mps)];
                hips.push(motion.position(Space::World, frame, subject.hips).y);
                for (leg, (slot, _)) in subject.legs.iter().zip(&subject.feet) {
                    let touches = motion.touches(frame, *slot);
                    knees[usize::from(touches)].push(knee_extension_deg(motion, frame, *leg));
                }
            }
        }
        let median = |values: &mut Vec<f32>| if values.is_empty() { f32::NAN } else { percentile(values, 50.0) };
        let typical = |(mut hips, knees): (Vec<f32>, [Vec<f32>; 2])| {
            let knee_deg = knees.map(|mut knees| median(&mut knees));
            (hips.len() >= ENOUGH).then(|| Typical { hips_m: median(&mut hips), knee_deg })
        };
        Self { ranges: ranges.into_iter().map(typical).collect() }
    }

    /// Returns the captured posture at a speed, or at the nearest speed that was captured; `None` without captured frames.
    pub fn at(&self, speed_mps: f32) -> Option<Typical> {
        let range = range_of(speed_mps);
        let known = self.ranges.iter().enumerate().filter_map(|(i, typical)| Some((i, (*typical)?)));
        known.min_by_key(|(i, _)| i.abs_diff(range)).map(|(_, typical)| typical)
    }
}

/// Returns the horizontal speed of the root over the last 0.2 s, m/s; `None` near the start.
pub fn speed_mps(motion: &Motion, frame: usize) -> Option<f32> {
    speed_of_mps(|frame| motion.roots[frame].translation, frame)
}

/// Returns the same for something whose position in a frame is `at`, in metres.
pub fn speed_of_mps(at: impl Fn(usize) -> Vec3, frame: usize) -> Option<f32> {
    let step = (at(frame) - at(frame.checked_sub(SPEED_FRAMES)?)).xz();
    Some(step.length_squared().sqrt() * RATE_HZ / SPEED_FRAMES as f32)
}

fn range_of(speed_mps: f32) -> usize {
    ((speed_mps / RANGE_MPS) as usize).min(RANGES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use footwork::frames::{ClipIndex, JointIndex};
    use footwork::math::{Facing, Quat, Transform};

    /// A body of hip, knee and ankle, whose root moves at a speed. The hip is the root.
    fn walking(frames: usize, speed_mps: f32, knee_m: f32, touches: u8) -> Motion {
        let mut motion = Motion::new(3);
        for frame in 0..frames {
            let root = Transform::new(Vec3::Z * (speed_mps * frame as f32 / RATE_HZ), Quat::IDENTITY);
            let leg = [Vec3::Y, Vec3::new(0.0, 0.5, knee_m), Vec3::ZERO].map(|p| root.point(p));
            motion.roots.push(root);
            motion.world.extend(leg);
            motion.root_space.extend(leg);
            motion.hips_facings.push(Facing::default());
            motion.contacts.push(touches);
            motion.playing.push(crate::motion::SourceFrame { clip: ClipIndex(0), frame, mirrored: false });
        }
        motion
    }

    #[test]
    fn the_posture_at_a_speed_is_that_of_the_nearest_captured_speed() {
        let subject = Subject {
            contact_joints: vec![JointIndex(2)],
            mirror_joints: Vec::new(),
            legs: vec![[0, 1, 2].map(JointIndex)],
            feet: vec![(0, [JointIndex(2); 2])],
            hips: JointIndex(0),
            hips_forward: Vec3::Z,
        };
        let (slow, fast) = (walking(100, 1.1, 0.0, 1), walking(100, 4.0, 0.5, 0));
        let posture = Posture::of(&[&slow, &fast], &subject);
        for (speed_mps, knee_deg, touches) in [(0.0, 180.0, 1), (1.2, 180.0, 1), (2.9, 90.0, 0), (99.0, 90.0, 0)] {
            let typical = posture.at(speed_mps).unwrap();
            assert!((typical.hips_m - 1.0).abs() < 1e-5 && (typical.knee_deg[touches] - knee_deg).abs() < 0.1);
            assert!(typical.knee_deg[1 - touches].is_nan());
        }
        assert_eq!(Posture::of(&[&walking(20, 1.0, 0.0, 1)], &subject).at(1.0), None);
        assert_eq!(speed_mps(&slow, 11), None);
        assert!((speed_mps(&slow, 12).unwrap() - 1.1).abs() < 1e-4);
    }
}
