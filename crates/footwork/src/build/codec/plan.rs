//! What every track of every segment of a clip gets.

use super::captured::{Captured, place};
use super::measure::OFF_M;
use crate::math::{Quat, Transform};
use crate::motion::codec::{
    BitWriter, FINEST_LOG2, Keys, Kind, MOST_STRIDE_LOG2, Numbers, SEGMENT, Track, midpoint, midpoint_rotation,
};
use glam::Vec3;
use std::ops::Range;

/// First weight of a foot in contact, where other joints have 1. Changed where that is too little.
const FOOT_WEIGHT: f32 = 4.0;
/// A stride is taken if the mean error between its keys is at most this multiple of the mean error of steps...
const BETWEEN_MEAN: f32 = 1.2;
/// ... and the largest one this multiple.
const BETWEEN_WORST: f32 = 5.0;
/// Least magnitude of a component that is not stored. Its error grows with its inverse.
const LEAST_DROPPED: f32 = 0.25;

/// The plan of a clip.
pub struct Plan {
    /// Error of a stored component, times the square root of its weight, in metres.
    pub factor: f32,
    pub segments: Vec<Segment>,
    pub frames: usize,
    /// `[tracks]`: rotations of all joints, then translations.
    tracks: Vec<Values>,
}

/// The plan of a segment.
pub struct Segment {
    /// Multiplies the errors of all tracks.
    pub factor: f32,
    /// Weight of feet in contact.
    pub foot_weight: f32,
    /// `[tracks]` sum of squared displacements of all joints per squared error of a stored component.
    body: Vec<f32>,
    /// The same of the feet in contact.
    feet: Vec<f32>,
}

/// Values of a track in all frames, and what its strides lose.
struct Values {
    rotation: bool,
    /// `[frames]`: x y z w of a rotation, signs continuous; x y z 0 of a translation.
    values: Vec<[f32; 4]>,
    /// `[segments][stride_log2]` mean and largest error of a component between keys.
    between: Vec<[(f32, f32); MOST_STRIDE_LOG2 as usize + 1]>,
}

impl Plan {
    /// `error_m`: mean error, in metres.
    pub fn new(captured: &Captured, error_m: f32, frames: Range<usize>, labels: &[u8]) -> Self {
        let poses = captured.poses;
        let (joints, width) = (poses.joints, poses.translated.len());
        let mut tracks: Vec<Values> = Vec::with_capacity(joints + width);
        for j in 0..joints {
            let mut last = None;
            let rotations = frames.clone().map(|f| {
                let q = poses.rotations[f * joints + j];
                let q = last.map_or(q, |last| q.towards(last));
                last = Some(q);
                q.to_array()
            });
            tracks.push(Values::new(true, rotations.collect()));
        }
        for k in 0..width {
            let translations = frames.clone().map(|f| {
                let p = poses.translations[f * width + k];
                [p.x, p.y, p.z, 0.0]
            });
            tracks.push(Values::new(false, translations.collect()));
        }
        let segments = (0..frames.len())
            .step_by(SEGMENT)
            .map(|first| Segment::new(captured, frames.start, first..frames.len().min(first + SEGMENT), labels))
            .collect();
        Self { factor: error_m, segments, frames: frames.len(), tracks }
    }

    /// Returns the factors that the bits of a segment depend on.
    pub fn factors(&self, index: usize) -> [f32; 3] {
        let segment = &self.segments[index];
        [self.factor, segment.factor, segment.foot_weight]
    }

    /// Returns the bits of a segment.
    pub fn encode(&self, index: usize) -> Vec<u8> {
        let (segment, first) = (&self.segments[index], index * SEGMENT);
        let range = first..self.frames.min(first + SEGMENT);
        let mut bits = BitWriter::default();
        for (t, values) in self.tracks.iter().enumerate() {
            let weight = segment.body[t] + segment.feet[t] * segment.foot_weight;
            let error = self.factor * segment.factor / weight.sqrt();
            values.encode(range.clone(), error, &mut bits);
        }
        bits.finish()
    }
}

impl Segment {
    /// `first_frame`: first frame of the clip in the pool.
    fn new(captured: &Captured, first_frame: usize, frames: Range<usize>, labels: &[u8]) -> Self {
        let poses = captured.poses;
        let (joints, contacts) = (poses.joints, captured.contact_joints.len());
        let middle = first_frame + (frames.start + frames.end) / 2;
        let mut world = Vec::new();
        place(captured.skeleton, poses, middle, Vec3::ZERO, &mut world);
        // Squared displacement for a squared error of a component: an error of a component turns by twice as much, about an axis
        // in any direction.
        let turned = |of: &Transform, by: &Transform, off: f32| {
            ((of.translation - by.translation).length_squared() + off * off) * (8.0 / 3.0)
        };
        let (mut body, mut feet) =
            (vec![0.0; joints + poses.translated.len()], vec![0.0; joints + poses.translated.len()]);
        let add = |of: usize, off: f32, to: &mut Vec<f32>| {
            let mut by = Some(of);
            while let Some(j) = by {
                to[j] += turned(&world[of], &world[j], off);
                if let Ok(k) = poses.translated.binary_search_by_key(&j, |t| t.at()) {
                    to[joints + k] += 1.0;
                }
                by = captured.skeleton.parents()[j].map(|p| p.at());
            }
        };
        (0..joints).for_each(|j| add(j, OFF_M, &mut body));
        for (slot, joint) in captured.contact_joints.iter().enumerate() {
            if frames.clone().any(|f| labels[f * contacts + slot] == 1) {
                add(joint.at(), 0.0, &mut feet);
            }
        }
        Self { factor: 1.0, foot_weight: FOOT_WEIGHT, body, feet }
    }
}

impl Values {
    fn new(rotation: bool, values: Vec<[f32; 4]>) -> Self {
        let mut track = Self { rotation, between: vec![Default::default(); values.len().div_ceil(SEGMENT)], values };
        for stride_log2 in 1..=MOST_STRIDE_LOG2 {
            let between = track.between_keys(stride_log2);
            for (i, (had, got)) in track.values.chunks(SEGMENT).zip(between.chunks(SEGMENT)).enumerate() {
                let squares =
                    had.iter().zip(got).map(|(a, b)| (0..4).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f32>());
                let squares: Vec<f32> = squares.map(|s| s / 3.0).filter(|s| *s > 0.0).collect();
                let mean = squares.iter().sum::<f32>() / squares.len().max(1) as f32;
                let worst = squares.iter().fold(0.0f32, |w, s| w.max(*s));
                track.between[i][usize::from(stride_log2)] = (mean.sqrt(), worst.sqrt());
            }
        }
        track
    }

    /// Returns the values with those between keys from the keys.
    fn between_keys(&self, stride_log2: u8) -> Vec<[f32; 4]> {
        let mut out = self.values.clone();
        let frames = out.len();
        for log2 in (0..stride_log2).rev() {
            let gap = 1usize << log2;
            for f in (gap..frames.saturating_sub(gap)).step_by(2 * gap) {
                let at =
                    [f.checked_sub(3 * gap), Some(f - gap), Some(f + gap), Some(f + 3 * gap).filter(|f| *f < frames)];
                let [a, b, c, d] = at.map(|f| f.map(|f| out[f]));
                let (Some(b), Some(c)) = (b, c) else { continue };
                out[f] = if self.rotation {
                    let quat = Quat::from_array;
                    midpoint_rotation(a.map(quat), quat(b), quat(c), d.map(quat)).to_array()
                } else {
                    let vec = |v: [f32; 4]| Vec3::new(v[0], v[1], v[2]);
                    let p = midpoint(a.map(vec), vec(b), vec(c), d.map(vec));
                    [p.x, p.y, p.z, 0.0]
                };
            }
        }
        out
    }

    /// Writes the track of a segment. `error`: root of the mean squared error of a component.
    fn encode(&self, frames: Range<usize>, error: f32, bits: &mut BitWriter) {
        let between = &self.between[frames.start / SEGMENT];
        let fits = |s: &u8| {
            let (mean, worst) = between[usize::from(*s)];
            mean <= error * BETWEEN_MEAN && worst <= error * BETWEEN_WORST
        };
        let stride_log2 = (1..=MOST_STRIDE_LOG2).rev().find(fits).unwrap_or(0);
        let keys = Keys { first: frames.start, end: frames.end, frames: self.values.len(), stride_log2 };
        // Errors of rounding are uniform: their mean square is a twelfth of that of the step.
        let step = error * 12.0f32.sqrt();
        let step_log2 = (0..FINEST_LOG2).find(|k| 1.0 / (1u32 << k) as f32 <= step).unwrap_or(FINEST_LOG2);
        let kind = if self.rotation { self.kind(keys.clone()) } else { Kind::Translation };
        let scale = f64::from(1u32 << step_log2);
        let dropped = if let Kind::Three { dropped, .. } = kind { dropped } else { 4 };
        let mut numbers: Numbers = [[0; SEGMENT]; 4];
        let mut count = 0;
        for f in keys {
            let stored = self.values[f].iter().enumerate().filter(|(i, _)| *i != dropped);
            for ((_, value), numbers) in stored.zip(&mut numbers) {
                numbers[count] = (f64::from(*value) * scale).round() as i64;
            }
            count += 1;
        }
        let track = Track { kind, stride_log2, step_log2 };
        track.write(bits);
        track.write_numbers(&numbers, count, bits);
    }

    /// Returns which components of the rotations are stored.
    fn kind(&self, keys: Keys) -> Kind {
        let mut least = [f32::INFINITY; 4];
        for f in keys.clone() {
            least.iter_mut().zip(self.values[f]).for_each(|(l, v)| *l = l.min(v.abs()));
        }
        let dropped = (0..4).fold(3, |best, i| if least[i] > least[best] { i } else { best });
        let negative = self.values[keys.first][dropped] < 0.0;
        let one_sign = keys.into_iter().all(|f| (self.values[f][dropped] < 0.0) == negative);
        if least[dropped] >= LEAST_DROPPED && one_sign { Kind::Three { dropped, negative } } else { Kind::Four }
    }
}
