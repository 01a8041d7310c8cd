//! What a report is about: a database, settings, and a run.

use crate::film;
use crate::trace::Trace;
use anyhow::{Result, bail};
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork::matcher::{MatcherConfig, Playing};
use footwork::math::Facing;
use footwork_draw::cell::Subject;
use footwork_draw::path_plot::PathSample;
use std::sync::Arc;

/// Longest run that is shown, in seconds.
const MOST_S: f64 = 1200.0;

/// Everything that sections are made from.
pub struct Input {
    pub db: Arc<Database>,
    pub config: MatcherConfig,
    /// Name of the database, for the heading.
    pub name: String,
    pub run: Run,
    pub seed: u64,
    /// Leaves out what takes seconds.
    pub quick: bool,
    pub json: bool,
}

/// A run to show, as plain data.
pub struct Run {
    /// Where it comes from.
    pub source: String,
    /// Poses with the body around them.
    pub subject: Subject,
    /// Seconds from one update to the next.
    pub dt_s: f32,
    /// Length of the whole run, of which the first part is shown, in seconds.
    pub whole_s: f64,
    /// `[updates]`.
    pub commanded: Vec<PathSample>,
    /// `[updates]`.
    pub walked: Vec<PathSample>,
    /// Updates with a transition.
    pub transitions: Vec<usize>,
    /// `[updates]`.
    pub playing: Vec<Playing>,
    /// First update and name of each part of the course.
    pub parts: Vec<(usize, String)>,
    /// True for a run on level ground.
    pub level: bool,
}

impl Run {
    /// Returns the run that a trace recorded. The trace must be of this database.
    pub fn of(db: &Database, trace: Trace, source: String) -> Result<Self> {
        let hash = format!("{:032x}", db.content_hash());
        if trace.database_hash != hash {
            bail!(
                "{source}: expected a run of the database with content {hash}, found one of {}; name its database with --db",
                trace.database_hash
            );
        }
        let joints = trace.skeleton.len();
        let frames = trace.frames().min((MOST_S * f64::from(trace.rate_hz)) as usize).max(1);
        let mut clips = trace.playing_clips.iter().take(frames);
        if let Some(clip) = clips.find(|c| **c as usize >= db.clips.len()) {
            bail!("{source}: expected clips 0 to {}, found clip {clip}; record it again", db.clips.len() - 1);
        }
        let root = |f: usize| (trace.translations[f * joints], Facing::from_rotation(trace.rotations[f * joints]));
        let simulated = |f: usize| {
            let [x, z] = trace.simulated_facings[f];
            PathSample { position: trace.simulated[f], facing: Facing { x, z } }
        };
        let playing = |f: usize| Playing {
            clip: ClipIndex(trace.playing_clips[f]),
            mirrored: trace.playing_mirrored[f] != 0,
            time_s: f64::from(trace.playing_times_s[f]),
        };
        Ok(Self {
            dt_s: 1.0 / trace.rate_hz,
            whole_s: trace.frames() as f64 / f64::from(trace.rate_hz),
            commanded: (0..frames).map(simulated).collect(),
            walked: (0..frames).map(root).map(|(position, facing)| PathSample { position, facing }).collect(),
            transitions: (0..frames).filter(|f| trace.transitions[*f] > 0).collect(),
            playing: (0..frames).map(playing).collect(),
            parts: trace.parts.iter().filter(|p| p.0 < frames).cloned().collect(),
            level: trace.ground.is_level(),
            subject: film::subject_of_run(trace, &source, frames)?,
            source,
        })
    }

    /// Returns the number of updates that are shown.
    pub fn updates(&self) -> usize {
        self.playing.len()
    }

    /// Returns the length of what is shown, in seconds.
    pub fn seconds(&self) -> f64 {
        self.updates() as f64 * f64::from(self.dt_s)
    }

    /// Returns the distance that the character walked, in metres.
    pub fn walked_m(&self) -> f32 {
        let step = |pair: &[PathSample]| (pair[1].position - pair[0].position).length();
        self.walked.windows(2).map(step).sum()
    }

    /// Returns the mean and the largest distance on the ground from the simulated character to the shown one, in metres.
    pub fn path_error_m(&self) -> [f32; 2] {
        let apart = |(a, b): (&PathSample, &PathSample)| {
            let d = a.position - b.position;
            (d.x * d.x + d.z * d.z).sqrt()
        };
        let all = || self.walked.iter().zip(&self.commanded).map(apart);
        [all().sum::<f32>() / self.updates().max(1) as f32, all().fold(0.0, f32::max)]
    }
}
