//! Encoding of poses within bounds of the error: which step and which keys every track of every segment gets.
//!
//! An error of a rotation moves every joint that hangs on it, the more the farther away. The sum of the squared errors of all
//! joints is least, for a number of bits, if every stored component contributes the same to it (the condition of Lagrange). That
//! gives the steps of all tracks of a segment relative to each other. One factor per clip remains. It follows from the measured error, as
//! do factors of segments whose worst joint, or a foot in contact, is beyond its bound.

mod captured;
mod measure;
mod plan;

use crate::motion::PosePool;
use crate::motion::codec::{EncodedPoses, REACH, decode_again};
use crate::parallel;
pub use captured::Captured;
use measure::{Errors, Places};
use plan::Plan;
use std::ops::Range;

/// An encoding of poses.
pub struct Encoder<'a> {
    pub captured: Captured<'a>,
    /// Mean error, in metres, measured [`measure::OFF_M`] off each joint.
    pub error_m: f32,
}

/// 99 of 100 errors are at most this multiple of the mean one.
const P99: f32 = 5.0;
/// Every error is at most this multiple of the mean one.
const WORST: f32 = 15.0;
/// Most rounds of measuring and changing steps.
const ROUNDS: usize = 24;
/// Rounds in which the factor of a clip follows the mean error.
const COARSE_ROUNDS: usize = 5;

impl Encoder<'_> {
    /// Encodes the clips of the pool: `frames` of each, and its contact labels, `[frames x contact joints]`. Returns the bits of each.
    pub fn encode(&self, frames: &[usize], labels: &[Vec<u8>]) -> Vec<EncodedPoses> {
        let mut clips: Vec<(Range<usize>, &[u8])> = Vec::with_capacity(frames.len());
        for (frames, labels) in frames.iter().zip(labels) {
            let first = clips.last().map_or(0, |(before, _)| before.end);
            clips.push((first..first + frames, labels));
        }
        parallel::map(&clips, |(frames, labels)| self.run(frames.clone(), labels))
    }

    /// Encodes a clip.
    fn run(&self, frames: Range<usize>, labels: &[u8]) -> EncodedPoses {
        let places = Places::of(&self.captured, frames.clone());
        let mut plan = Plan::new(&self.captured, self.error_m, frames, labels);
        let (mut trial, mut errors) = (Trial::new(&plan, self.captured.poses), Errors::default());
        let mut round = 0;
        loop {
            trial.follow(&plan);
            errors.measure(&self.captured, &places, &trial.decoded, labels, &trial.again);
            let within = self.tighten(&mut plan, &errors, round);
            round += 1;
            if within || round == ROUNDS {
                return trial.encoded(&plan);
            }
        }
    }

    /// Changes the factors of a clip and of its segments where errors are beyond their bounds. Returns true if none is, and none can
    /// be larger.
    fn tighten(&self, plan: &mut Plan, errors: &Errors, round: usize) -> bool {
        let ratio = (self.error_m / errors.mean.max(1e-9)).min(P99 * self.error_m / errors.p99.max(1e-9));
        let mut within = ratio >= 1.0;
        if ratio < 1.0 || (round < COARSE_ROUNDS && ratio > 1.04) {
            plan.factor *= (ratio * 0.985).clamp(0.2, 5.0);
            within = false;
        }
        for (segment, worst) in plan.segments.iter_mut().zip(&errors.worst) {
            let joint = WORST * self.error_m / worst.joint.max(1e-9);
            if joint < 1.0 {
                segment.factor *= (joint * 0.9).max(0.3);
                within = false;
            }
            let foot = self.error_m / worst.foot.max(1e-9);
            if foot < 1.0 {
                let factor = (foot * 0.9).max(0.3);
                segment.foot_weight /= factor * factor;
                within = false;
            }
        }
        within
    }
}

/// The bits of a plan, and the poses that they stand for. After a change of the plan, only changed segments and their neighbours are
/// encoded and decoded again.
struct Trial {
    /// `[segments]` bits.
    segments: Vec<Vec<u8>>,
    decoded: PosePool,
    /// `[segments]` factors of the last plan.
    factors: Vec<[f32; 3]>,
    /// `[segments]` those that were decoded for the last plan.
    again: Vec<bool>,
}

impl Trial {
    fn new(plan: &Plan, poses: &PosePool) -> Self {
        let segments = vec![Vec::new(); plan.segments.len()];
        let decoded = PosePool { joints: poses.joints, translated: poses.translated.clone(), ..PosePool::default() };
        let factors = vec![[f32::NAN; 3]; segments.len()];
        Self { again: vec![false; segments.len()], segments, decoded, factors }
    }

    /// Encodes and decodes what has changed since the last plan.
    fn follow(&mut self, plan: &Plan) {
        self.again.fill(false);
        for (i, segment) in self.segments.iter_mut().enumerate() {
            let factors = plan.factors(i);
            if factors == std::mem::replace(&mut self.factors[i], factors) {
                continue;
            }
            let bits = plan.encode(i);
            if bits != *segment {
                *segment = bits;
                let last = (i + REACH).min(self.again.len() - 1);
                self.again[i.saturating_sub(REACH)..=last].fill(true);
            }
        }
        decode_again(&mut self.decoded, plan.frames, &self.segments, &self.again)
            .unwrap_or_else(|fault| unreachable!("poses that were just encoded: {fault}"));
    }

    fn encoded(&self, plan: &Plan) -> EncodedPoses {
        let mut all = EncodedPoses { runs: vec![plan.frames as u32], starts: vec![0], bytes: Vec::new() };
        for segment in &self.segments {
            all.bytes.extend(segment);
            all.starts.push(all.bytes.len() as u64);
        }
        all
    }
}

/// Replaces the poses of a pool with those that the bits of its clips stand for, clip by clip, and returns all bits.
pub fn decode_into(poses: &mut PosePool, clips: Vec<EncodedPoses>) -> EncodedPoses {
    let mut all = EncodedPoses::default();
    let (mut rotation, mut translation) = (0, 0);
    for clip in clips {
        let decoded = decoded(&clip, poses);
        poses.rotations[rotation..][..decoded.rotations.len()].copy_from_slice(&decoded.rotations);
        poses.translations[translation..][..decoded.translations.len()].copy_from_slice(&decoded.translations);
        rotation += decoded.rotations.len();
        translation += decoded.translations.len();
        all = all.followed_by(&clip);
    }
    all
}

/// Decodes poses that were just encoded from those of `pool`.
fn decoded(encoded: &EncodedPoses, pool: &PosePool) -> PosePool {
    let decoded = encoded.decode(pool.joints, &pool.translated);
    decoded.unwrap_or_else(|fault| unreachable!("poses that were just encoded: {fault}"))
}

#[cfg(test)]
mod tests;
