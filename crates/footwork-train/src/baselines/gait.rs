//! Measures a long steady walk: whether it continues, and how large its steps are.

use footwork::input::{Gait, Stick};
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::Course;
use footwork_metrics::motion::{Motion, Space};
use footwork_metrics::recording::Recording;
use footwork_metrics::samples::percentile;
use footwork_metrics::source::Source;
use glam::Vec3;
use serde::Serialize;

/// Seconds of the walk.
pub const WALK_S: f32 = 600.0;
/// A root, or feet relative to it, slower than this for [`FROZEN_S`] are frozen, m/s.
pub const FROZEN_MPS: f32 = 0.1;
/// Minimum duration of frozen motion, seconds.
pub const FROZEN_S: f32 = 1.0;
/// Seconds at the start that are not measured, since the character sets off.
const START_S: f32 = 2.0;

/// Measurements of a steady walk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SteadyWalk {
    /// Time at which it freezes, seconds; `None` if it does not.
    pub freezes_s: Option<f32>,
    /// Range of the toes' heights, cm: from the 5th to the 95th percentile.
    pub lift_cm: f32,
    /// Range of the toes' positions ahead of the root, cm: from the 5th to the 95th percentile.
    pub swing_cm: f32,
}

/// Returns a course with a full stick ahead, walking.
pub fn walk(seconds: f32) -> Course {
    let rows = vec![Stick::towards(Vec3::Z, Gait::Walk); (seconds * RATE_HZ).round() as usize];
    Course::on_level("steady walk", rows)
}

impl SteadyWalk {
    /// Measures a recording of [`walk`].
    pub fn of(recording: &Recording, source: &Source) -> Self {
        let (motion, toes) = (&recording.motion, &source.subject.contact_joints);
        let from = ((START_S * RATE_HZ) as usize).min(motion.frames());
        let range_cm = |of: &dyn Fn(usize, footwork::frames::JointIndex) -> f32| {
            let of_toe = |toe: &footwork::frames::JointIndex| {
                let mut all: Vec<f32> = (from..motion.frames()).map(|frame| of(frame, *toe)).collect();
                if all.is_empty() { 0.0 } else { percentile(&mut all, 95.0) - percentile(&mut all, 5.0) }
            };
            100.0 * toes.iter().map(of_toe).sum::<f32>() / toes.len().max(1) as f32
        };
        Self {
            freezes_s: frozen_at(motion, from, source).map(|frame| frame as f32 / RATE_HZ),
            lift_cm: range_cm(&|frame, toe| motion.position(Space::World, frame, toe).y),
            swing_cm: range_cm(&|frame, toe| motion.position(Space::Root, frame, toe).z),
        }
    }
}

/// Returns the first frame from which root or feet do not move for long enough.
fn frozen_at(motion: &Motion, from: usize, source: &Source) -> Option<usize> {
    let step_m = FROZEN_MPS / RATE_HZ;
    let toes = &source.subject.contact_joints;
    let rests = |frame: usize| {
        let root = motion.roots[frame].translation.distance(motion.roots[frame - 1].translation);
        let place = |frame: usize, toe| motion.position(Space::Root, frame, toe);
        let feet = toes.iter().map(|toe| place(frame, *toe).distance(place(frame - 1, *toe))).fold(0.0, f32::max);
        // NaN counts as no motion.
        [root < step_m || !root.is_finite(), feet < step_m || !feet.is_finite()]
    };
    let mut since = [from; 2];
    for frame in from.max(1)..motion.frames() {
        for (since, rests) in since.iter_mut().zip(rests(frame)) {
            if !rests {
                *since = frame;
            } else if (frame - *since) as f32 >= FROZEN_S * RATE_HZ {
                return Some(*since);
            }
        }
    }
    None
}
