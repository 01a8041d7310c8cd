//! The training data: features and bodies of a database at 30 Hz, in sequences that never cross clips.

use crate::error::TrainError;
use crate::perceptron::Normalization;
use footwork::advanced::database::AcceptedTags;
use footwork::advanced::learned::{BodyLayout, STEP_S, Sampler};
use footwork::database::{Clip, Database, MirrorMode};
use footwork::frames::ClipIndex;
use rayon::prelude::*;
use std::ops::Range;

/// Frames of the longest training window. Loops are sampled past their end by this number.
pub const LONGEST_WINDOW: usize = 12;
/// Rotation components with a smaller standard deviation count as constant.
const LEAST_ROTATION: f32 = 1e-4;
/// Translations with a smaller standard deviation count as constant, metres.
const LEAST_TRANSLATION: f32 = 2e-4;
/// Other numbers with a smaller standard deviation count as constant.
const LEAST_OTHER: f32 = 1e-5;

/// A series of consecutive frames of one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// Clip.
    pub clip: ClipIndex,
    /// True if the clip is mirrored.
    pub mirrored: bool,
    /// First frame in the clip, in steps of [`STEP_S`] from its start.
    pub first: usize,
    /// Frames in the data set, without the successor of the last one. The data set holds it as well, directly after them.
    pub frames: Range<usize>,
}

impl Sequence {
    /// Returns the seconds from the start of the clip to a frame of the data set.
    pub fn time_s(&self, frame: usize) -> f64 {
        (self.first + frame - self.frames.start) as f64 * STEP_S
    }
}

/// All frames, as plain arrays.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Number of features per frame.
    pub columns: usize,
    /// `[frames x columns]` normalised features.
    pub features: Vec<f32>,
    /// Layout of a body's numbers.
    pub layout: BodyLayout,
    /// `[frames x width]` bodies.
    pub bodies: Vec<f32>,
    /// `[clips]` names.
    pub clip_names: Vec<String>,
    /// Sequences in the order of their frames.
    pub sequences: Vec<Sequence>,
    /// Indices of the body's numbers that vary, in ascending order.
    pub outputs: Vec<u32>,
    /// `[width]` means of all numbers of the body.
    pub means: Vec<f32>,
}

/// Samples of one clip.
#[derive(Default)]
struct Sampled {
    features: Vec<f32>,
    bodies: Vec<f32>,
    /// First frame in the clip and number of frames, without the successor of the last.
    runs: Vec<(usize, usize)>,
}

impl Dataset {
    /// Samples all clips of a database, except frames that locomotion on level ground does not use.
    ///
    /// # Errors
    /// Returns [`TrainError::NoMotion`] if no frames remain.
    pub fn read(db: &Database) -> Result<Self, TrainError> {
        let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
        let clips: Vec<(ClipIndex, bool)> =
            sides.iter().flat_map(|side| (0..db.clips.len()).map(|c| (ClipIndex::new(c), *side))).collect();
        let accepted = accepted(db);
        let sampled: Vec<Sampled> =
            clips.par_iter().map(|(clip, mirrored)| sample(db, *clip, *mirrored, &accepted)).collect();
        let layout = BodyLayout::of(db);
        let mut data = Self {
            columns: db.features.columns,
            features: Vec::new(),
            bodies: Vec::new(),
            clip_names: db.clips.iter().map(|c| c.name.clone()).collect(),
            sequences: Vec::new(),
            outputs: Vec::new(),
            means: Vec::new(),
            layout,
        };
        for ((clip, mirrored), sampled) in clips.into_iter().zip(sampled) {
            let mut at = data.frames();
            for (first, frames) in sampled.runs {
                data.sequences.push(Sequence { clip, mirrored, first, frames: at..at + frames });
                at += frames + 1;
            }
            data.features.extend(sampled.features);
            data.bodies.extend(sampled.bodies);
        }
        if data.sequences.is_empty() {
            return Err(TrainError::NoMotion);
        }
        data.find_outputs();
        Ok(data)
    }

    /// Returns the number of frames, including successors.
    pub fn frames(&self) -> usize {
        self.features.len() / self.columns
    }

    /// Returns the duration of the motion, in seconds.
    pub fn seconds(&self) -> f64 {
        self.sequences.iter().map(|s| s.frames.len()).sum::<usize>() as f64 * STEP_S
    }

    /// Returns the `[columns]` features of a frame.
    pub fn features(&self, frame: usize) -> &[f32] {
        &self.features[frame * self.columns..][..self.columns]
    }

    /// Returns the `[width]` body of a frame.
    pub fn body(&self, frame: usize) -> &[f32] {
        let width = self.layout.width();
        &self.bodies[frame * width..][..width]
    }

    /// True if all numbers of a frame and its successor are finite.
    pub fn is_finite(&self, frame: usize) -> bool {
        let frames = frame..(frame + 2).min(self.frames());
        frames.into_iter().all(|f| self.features(f).iter().chain(self.body(f)).all(|v| v.is_finite()))
    }

    /// Returns all frames that have a successor.
    pub fn usable(&self) -> impl Iterator<Item = usize> + '_ {
        self.sequences.iter().flat_map(|s| s.frames.clone())
    }

    /// Returns the sequence of a frame.
    pub fn sequence_of(&self, frame: usize) -> &Sequence {
        let after = self.sequences.partition_point(|s| s.frames.start <= frame);
        &self.sequences[after.saturating_sub(1)]
    }

    /// Returns the first frames of all windows with a number of frames. Each window lies inside a sequence.
    pub fn windows(&self, frames: usize) -> Windows {
        let mut ends = Vec::with_capacity(self.sequences.len());
        let mut starts = Vec::with_capacity(self.sequences.len());
        let mut total = 0;
        for s in &self.sequences {
            // The successor of the last frame counts as a frame.
            let here = (s.frames.len() + 2).saturating_sub(frames);
            if here > 0 {
                total += here;
                ends.push(total);
                starts.push(s.frames.start);
            }
        }
        Windows { starts, ends }
    }

    /// Returns the frame of a clip that is nearest to a time.
    pub fn frame_at(&self, clip: ClipIndex, mirrored: bool, time_s: f64) -> Option<usize> {
        let step = (time_s / STEP_S).round() as usize;
        let of_clip = self.sequences.iter().filter(|s| s.clip == clip && s.mirrored == mirrored);
        let nearest = |s: &Sequence| step.clamp(s.first, s.first + s.frames.len() - 1);
        let best = of_clip.min_by_key(|s| nearest(s).abs_diff(step))?;
        Some(best.frames.start + nearest(best) - best.first)
    }

    fn find_outputs(&mut self) {
        let width = self.layout.width();
        let Normalization { mean, std } = Normalization::of(self.bodies.chunks_exact(width), width, 0.0);
        let least = |at: usize| {
            if self.layout.rotations.contains(&at) {
                LEAST_ROTATION
            } else if self.layout.translations.contains(&at) {
                LEAST_TRANSLATION
            } else {
                LEAST_OTHER
            }
        };
        self.outputs = (0..width).filter(|at| std[*at] > least(*at)).map(|at| at as u32).collect();
        self.means = mean;
    }
}

/// The first frames of all windows of a length.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Windows {
    /// Number of windows.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// True without windows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the first frame of a window.
    pub fn start(&self, window: usize) -> usize {
        let at = self.ends.partition_point(|end| *end <= window);
        let before = if at == 0 { 0 } else { self.ends[at - 1] };
        self.starts[at] + window - before
    }
}

/// Returns the tags of rows that locomotion on level ground uses.
pub fn accepted(db: &Database) -> AcceptedTags {
    db.accepted(&footwork_metrics::level_tags(db))
}

fn sample(db: &Database, clip: ClipIndex, mirrored: bool, accepted: &AcceptedTags) -> Sampled {
    let c = &db.clips[clip.at()];
    let mut sampled = Sampled::default();
    if c.rows == 0 {
        return sampled;
    }
    let cycle = (db.view(clip, false).seconds() / STEP_S + 1e-6).floor() as usize;
    let frames = if c.looping() { cycle + LONGEST_WINDOW } else { cycle + 1 };
    let mut sampler = Sampler::new(db);
    let mut features = vec![0.0; db.features.columns];
    let mut body = vec![0.0; sampler.layout().width()];
    let is_accepted = |frame: usize| db.accepts(accepted, nearest_row(db, c, frame));
    let mut first = 0;
    while first < frames {
        let end = (first..frames).find(|f| !is_accepted(*f)).unwrap_or(frames);
        // At least one frame and its successor.
        if end - first > 1 {
            for frame in first..end {
                sampler.sample(clip, mirrored, frame as f64 * STEP_S, &mut features, &mut body);
                sampled.features.extend(&features);
                sampled.bodies.extend(&body);
            }
            sampled.runs.push((first, end - first - 1));
        }
        first = end.max(first + 1);
    }
    sampled
}

fn nearest_row(db: &Database, clip: &Clip, frame: usize) -> usize {
    let row = (frame as f64 * STEP_S * f64::from(db.search_rate_hz)).round() as usize;
    let rows = clip.rows as usize;
    clip.first_row as usize + if clip.looping() { row % rows } else { row.min(rows - 1) }
}
