//! Poses as bits, for files: few bits per joint and frame, decoded to the same bits on every machine.
//!
//! The frames of a clip (a run) are cut into segments of [`SEGMENT`]. In a segment, every track (the rotation of a joint, the
//! translation of a joint that has one) has a grid of its own: a step of a power of two, the least value of each component, and
//! the bits that its values need above that. A component that does not change takes none. Of a rotation, three components are
//! stored, and the sign of the fourth, which is the largest. A track that moves smoothly has values only every second, fourth or
//! eighth frame (keys); those between them follow from the cubic through four neighbours (Catmull-Rom).
//!
//! Ranges per segment and a width of bits per track are the scheme of ACL (Nicholas Frechette, "Animation Compression: Variable
//! Quantization", 2016); the steps and the keys are those of this library.

mod bits;
mod component;
mod keys;
mod track;

#[cfg(feature = "build")]
pub(crate) use bits::BitWriter;
use bits::{BitReader, SHORT};
pub(crate) use keys::{Keys, SEGMENT};
#[cfg(feature = "build")]
pub(crate) use keys::{midpoint, midpoint_rotation};
#[cfg(feature = "build")]
pub(crate) use track::{FINEST_LOG2, Numbers};
pub(crate) use track::{Kind, MOST_STRIDE_LOG2, Track};

use super::PosePool;
use crate::frames::JointIndex;
use crate::math::Quat;
use crate::memory;
use crate::parallel;
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use glam::Vec3;
use std::ops::Range;

/// The poses of a database as bits. Default: no frames.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedPoses {
    /// Frames of each run.
    pub(crate) runs: Vec<u32>,
    /// First byte of each segment, and the length of `bytes`.
    pub(crate) starts: Vec<u64>,
    /// Segments, one after the other.
    pub(crate) bytes: Vec<u8>,
}

impl Default for EncodedPoses {
    fn default() -> Self {
        Self { runs: Vec::new(), starts: vec![0], bytes: Vec::new() }
    }
}

impl EncodedPoses {
    /// Returns the size in a file, in bytes.
    pub fn size(&self) -> usize {
        4 * self.runs.len() + 8 * self.starts.len() + self.bytes.len()
    }

    /// Returns the poses. Numbers are finite. [`Database::new`](crate::database::Database::new) checks their range.
    ///
    /// # Errors
    /// Returns the fault of bits that are damaged.
    pub fn decode(&self, joints: usize, translated: &[JointIndex]) -> Result<PosePool, String> {
        let segments: u64 = self.runs.iter().map(|n| u64::from(*n).div_ceil(SEGMENT as u64)).sum();
        let ends = [self.starts.first(), self.starts.last()] == [Some(&0), Some(&(self.bytes.len() as u64))];
        if self.starts.len() as u64 != segments + 1 || !ends || !self.starts.is_sorted() {
            return Err(format!("expected the starts of {segments} segments in {} bytes", self.bytes.len()));
        }
        // Numbers of frames may be damaged: no room for frames that have no bits.
        let least_bits = Track::least_bits(joints, translated.len());
        let short = |bounds: &&[u64]| (bounds[1] - bounds[0]).saturating_mul(8) < least_bits;
        if let Some(bounds) = self.starts.windows(2).find(short) {
            return Err(format!("segment at byte {}: {SHORT}", bounds[0]));
        }
        let frames: usize = self.runs.iter().map(|n| *n as usize).sum();
        let mut pool = PosePool {
            joints,
            translated: translated.to_vec(),
            rotations: room(frames, joints)?,
            translations: room(frames, translated.len())?,
        };
        let mut starts = &self.starts[..];
        let runs = Run::all(&self.runs, &mut pool).map(|run| {
            let (own, after) = (&starts[..=run.segments()], &starts[run.segments()..]);
            starts = after;
            (run, own)
        });
        let done = parallel::map_owned(runs.collect(), |(run, starts)| self.decode_run(run, starts));
        done.into_iter().collect::<Result<(), _>>()?;
        Ok(pool)
    }

    /// Decodes a run. `starts` are those of its segments, and its end.
    fn decode_run(&self, mut run: Run, starts: &[u64]) -> Result<(), String> {
        for (first, bounds) in (0..run.frames).step_by(SEGMENT).zip(starts.windows(2)) {
            let segment = &self.bytes[bounds[0] as usize..bounds[1] as usize];
            run.read(first, segment).map_err(|fault| format!("segment at byte {}: {fault}", bounds[0]))?;
        }
        run.between_keys(|_| true);
        Ok(())
    }
}

impl EncodedPoses {
    /// Adds the runs of others after these.
    pub(crate) fn followed_by(mut self, other: &Self) -> Self {
        let before = self.bytes.len() as u64;
        self.runs.extend(&other.runs);
        self.starts.extend(other.starts[1..].iter().map(|start| before + start));
        self.bytes.extend(&other.bytes);
        self
    }

    /// Returns the bits of the frames in ascending ranges; `None` if a range begins or ends within a run.
    pub(crate) fn part(&self, ranges: &[Range<usize>]) -> Option<Self> {
        let mut part = Self::default();
        let (mut frame, mut segment, mut kept) = (0, 0, 0);
        for run in &self.runs {
            let (frames, segments) = (*run as usize, (*run as usize).div_ceil(SEGMENT));
            let range = ranges.get(ranges.partition_point(|range| range.end <= frame));
            if range.is_some_and(|range| range.start <= frame && frame + frames <= range.end) {
                let starts = &self.starts[segment..=segment + segments];
                let (first, before) = (starts[0], part.bytes.len() as u64);
                part.runs.push(*run);
                part.starts.extend(starts[1..].iter().map(|start| before + start - first));
                part.bytes.extend_from_slice(&self.bytes[first as usize..starts[segments] as usize]);
                kept += frames;
            }
            (frame, segment) = (frame + frames, segment + segments);
        }
        (kept == ranges.iter().map(Range::len).sum::<usize>()).then_some(part)
    }
}

/// Number of segments on each side that a changed segment affects: values between keys follow from keys less than a segment away.
#[cfg(feature = "build")]
pub(crate) const REACH: usize = 1;
const _: () = assert!(3 * ((1 << MOST_STRIDE_LOG2) - 1) < SEGMENT);

/// Decodes the wanted segments of a run of `frames`. `pool` has this run alone; its other segments stay as they are, so those within
/// [`REACH`] of a changed one must be wanted, too.
///
/// # Errors
/// Returns the fault of bits that are damaged.
#[cfg(feature = "build")]
pub(crate) fn decode_again(
    pool: &mut PosePool,
    frames: usize,
    segments: &[Vec<u8>],
    wanted: &[bool],
) -> Result<(), &'static str> {
    pool.rotations.resize(frames * pool.joints, Quat::IDENTITY);
    pool.translations.resize(frames * pool.translated.len(), Vec3::ZERO);
    let runs = [frames as u32];
    let mut run = Run::all(&runs, pool).next().expect("one run");
    for (i, segment) in segments.iter().enumerate().filter(|(i, _)| wanted[*i]) {
        run.read(i * SEGMENT, segment)?;
    }
    run.between_keys(|i| wanted[i]);
    Ok(())
}

/// A run that is being decoded.
struct Run<'a> {
    frames: usize,
    joints: usize,
    width: usize,
    /// `[frames x joints]`.
    rotations: &'a mut [Quat],
    /// `[frames x width]`.
    translations: &'a mut [Vec3],
    /// `[segments x tracks]` binary logarithm of the frames from key to key.
    strides: Vec<u8>,
}

impl<'a> Run<'a> {
    /// Returns the runs of a pool, given the frames of each.
    fn all(runs: &'a [u32], pool: &'a mut PosePool) -> impl Iterator<Item = Self> {
        let (joints, width) = (pool.joints, pool.translated.len());
        let (mut rotations, mut translations) = (&mut pool.rotations[..], &mut pool.translations[..]);
        runs.iter().map(move |frames| {
            let frames = *frames as usize;
            let own = rotations.split_off_mut(..frames * joints).unwrap_or_default();
            let moved = translations.split_off_mut(..frames * width).unwrap_or_default();
            let strides = vec![0; frames.div_ceil(SEGMENT) * (joints + width)];
            Self { frames, joints, width, rotations: own, translations: moved, strides }
        })
    }

    fn segments(&self) -> usize {
        self.frames.div_ceil(SEGMENT)
    }

    /// Reads the keys of the segment that begins with frame `first`.
    fn read(&mut self, first: usize, segment: &[u8]) -> Result<(), &'static str> {
        let end = self.frames.min(first + SEGMENT);
        let (joints, width) = (self.joints, self.width);
        let mut bits = BitReader::new(segment);
        let tracks = joints + width;
        let strides = first / SEGMENT * tracks;
        let (rotations, translations) = (&mut *self.rotations, &mut *self.translations);
        for j in 0..tracks {
            let kind = if j < joints { Kind::rotation(&mut bits)? } else { Kind::Translation };
            let track = Track::read(kind, &mut bits)?;
            self.strides[strides + j] = track.stride_log2;
            let keys = Keys { first, end, frames: self.frames, stride_log2: track.stride_log2 };
            let numbers = track.read_numbers(keys.clone().count(), &mut bits)?;
            for (key, f) in keys.enumerate() {
                if j < joints {
                    rotations[f * joints + j] = track.rotation(&numbers, key);
                } else {
                    translations[f * width + j - joints] = track.translation(&numbers, key);
                }
            }
        }
        bits.end()
    }

    /// Fills the frames between keys in the wanted segments, the widest gaps first: their neighbours are then known.
    fn between_keys(&mut self, wanted: impl Fn(usize) -> bool) {
        let (joints, width, frames) = (self.joints, self.width, self.frames);
        let tracks = joints + width;
        let (rotations, translations) = (&mut *self.rotations, &mut *self.translations);
        for log2 in (0..MOST_STRIDE_LOG2).rev() {
            let gap = 1usize << log2;
            let between = (gap..frames.saturating_sub(gap)).step_by(2 * gap);
            for f in between.filter(|f| wanted(f / SEGMENT)) {
                let strides = &self.strides[f / SEGMENT * tracks..][..tracks];
                let at =
                    [f.checked_sub(3 * gap), Some(f - gap), Some(f + gap), Some(f + 3 * gap).filter(|f| *f < frames)];
                for j in (0..joints).filter(|j| strides[*j] > log2) {
                    let [a, b, c, d] = at.map(|f| f.map(|f| rotations[f * joints + j]));
                    if let (Some(b), Some(c)) = (b, c) {
                        rotations[f * joints + j] = keys::midpoint_rotation(a, b, c, d);
                    }
                }
                for k in (0..width).filter(|k| strides[joints + k] > log2) {
                    let [a, b, c, d] = at.map(|f| f.map(|f| translations[f * width + k]));
                    if let (Some(b), Some(c)) = (b, c) {
                        translations[f * width + k] = keys::midpoint(a, b, c, d);
                    }
                }
            }
        }
    }
}

/// Returns `frames x width` zeros.
fn room<T: Zeroable>(frames: usize, width: usize) -> Result<Vec<T>, String> {
    let values = frames.checked_mul(width).and_then(|values| try_zeroed_vec(values).ok());
    let mut values = values.ok_or_else(|| format!("{frames} frames are too many for the memory of this machine"))?;
    memory::large_pages(&mut values);
    Ok(values)
}
