//! Input of a report: a database, settings, and a run.

use crate::film::{self, Reel};
use crate::run::Driven;
use anyhow::Result;
use footwork::database::Database;
use footwork::matcher::{MatcherConfig, Playing};
use footwork_draw::cell::Subject;
use footwork_draw::path_plot::PathSample;
use footwork_metrics::action_log::ActionLog;
use footwork_metrics::machine_log::MachineLog;
use std::sync::Arc;

/// Maximum length of the displayed run, in seconds.
const MOST_S: f64 = 1200.0;

/// Input of all sections.
pub struct Input {
    pub db: Arc<Database>,
    pub config: MatcherConfig,
    /// Name of the database, for the heading.
    pub name: String,
    pub run: Run,
    pub seed: u64,
    /// Leaves out sections that take seconds.
    pub quick: bool,
    pub json: bool,
}

/// A run to show, as plain data.
pub struct Run {
    /// Source of the run.
    pub source: String,
    /// Poses with the body around them.
    pub subject: Subject,
    /// Time between updates, in seconds.
    pub dt_s: f32,
    /// Length of the whole run, in seconds; only its first part is shown.
    pub whole_s: f64,
    /// `[updates]` commanded positions.
    pub commanded: Vec<PathSample>,
    /// `[updates]` positions of the character.
    pub walked: Vec<PathSample>,
    /// Updates with a transition.
    pub transitions: Vec<usize>,
    /// `[updates]` playing clip.
    pub playing: Vec<Playing>,
    /// First update and name of each part of the course.
    pub parts: Vec<(usize, String)>,
    /// True for a run on level ground.
    pub level: bool,
    /// Log of the state machine; empty without one.
    pub machine: MachineLog,
    /// Log of requests for actions; empty without requests.
    pub actions: ActionLog,
}

impl Run {
    /// Returns a simulated or replayed run with this database.
    pub fn of(db: &Database, driven: Arc<Driven>, source: String) -> Result<Self> {
        let dt_s = driven.summary.dt_s;
        let whole = driven.playing.len();
        let frames = whole.min((MOST_S / f64::from(dt_s)) as usize).max(1);
        let reel = Reel::run(Arc::clone(&driven), db, source.clone(), &source);
        Ok(Self {
            dt_s,
            whole_s: whole as f64 * f64::from(dt_s),
            commanded: driven.commanded[..frames].to_vec(),
            walked: driven.walked[..frames].to_vec(),
            transitions: driven.transitions.iter().copied().filter(|f| *f < frames).collect(),
            playing: driven.playing[..frames].to_vec(),
            parts: driven.parts.iter().filter(|p| p.0 < frames).cloned().collect(),
            machine: driven.machine.clone(),
            actions: driven.actions.clone(),
            level: driven.ground.is_some_and(|g| g.is_level()),
            subject: film::subject_of_run(&reel, frames)?,
            source,
        })
    }

    /// Returns the number of displayed updates.
    pub fn updates(&self) -> usize {
        self.playing.len()
    }

    /// Returns the length of the displayed part, in seconds.
    pub fn seconds(&self) -> f64 {
        self.updates() as f64 * f64::from(self.dt_s)
    }

    /// Returns the distance that the character walked, in metres.
    pub fn walked_m(&self) -> f32 {
        let step = |pair: &[PathSample]| (pair[1].position - pair[0].position).length();
        self.walked.windows(2).map(step).sum()
    }

    /// Returns the mean and the largest distance on the ground from the simulated character to the displayed one, in metres.
    pub fn path_error_m(&self) -> [f32; 2] {
        let apart = |(a, b): (&PathSample, &PathSample)| {
            let d = a.position - b.position;
            (d.x * d.x + d.z * d.z).sqrt()
        };
        let all = || self.walked.iter().zip(&self.commanded).map(apart);
        [all().sum::<f32>() / self.updates().max(1) as f32, all().fold(0.0, f32::max)]
    }
}
