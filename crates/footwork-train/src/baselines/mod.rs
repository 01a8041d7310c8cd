//! Two older methods of learning locomotion, for comparison with learned motion matching.
//!
//! - `direct`: maps pose and goal to the next second. If several continuations exist, it predicts their mean.
//! - `pfnn`: a network whose weights depend on the phase of the gait, which distinguishes those continuations.
//!
//! ```text
//!  Dataset --direct, pfnn--> trained networks --walkers--> bodies --drive--> Recording --> metrics, steady walk
//! ```
//!
//! They serve for comparison only, not for games: they have no file format, no foot locks and no transitions.

pub mod bodies;
pub mod direct;
pub mod drive;
pub mod gait;
pub mod pfnn;
pub mod phase_labels;
pub mod training;
pub mod walkers;

use crate::dataset::Dataset;
use crate::error::TrainError;
use crate::pace::Limit;
use bodies::PairLoss;
use burn::tensor::Device;
use direct::{Direct, DirectSizes, TrainedDirect};
use drive::Stage;
use footwork::database::Database;
use footwork_metrics::eval::{Evaluation, Mover, Row, Variant, free};
use footwork_metrics::recording::{RecordError, Recording, record};
use footwork_metrics::source::Source;
use gait::SteadyWalk;
use pfnn::{Pfnn, PfnnSizes, TrainedPfnn};
use rayon::prelude::*;
use std::sync::Arc;
use training::{Training, TrainingRecord};
use walkers::{DirectWalker, PfnnWalker, Walker};

/// Interval between evaluations of the direct mapping, seconds: that of the search.
const ASK_S: f32 = 0.1;
/// Longer interval, seconds: a whole second is predicted at once, unless a command changes.
const ASK_RARELY_S: f32 = 1.0;

/// Settings: the baselines to train, and their limits.
#[derive(Clone, Debug)]
pub struct BaselineSettings {
    /// Limit of the direct mapping; `None` to omit it.
    pub direct: Option<Limit>,
    /// Limit of the phase-functioned network; `None` to omit it.
    pub pfnn: Option<Limit>,
    /// Sizes of the direct mapping.
    pub direct_sizes: DirectSizes,
    /// Sizes of the phase-functioned network.
    pub pfnn_sizes: PfnnSizes,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Trained baselines.
#[derive(Clone, Debug)]
pub struct Baselines {
    /// Direct mapping.
    pub direct: Option<Arc<TrainedDirect>>,
    /// Phase-functioned network.
    pub pfnn: Option<Arc<TrainedPfnn>>,
    /// Records of their training.
    pub records: Vec<TrainingRecord>,
}

/// Creates an idle walker.
pub type MakeWalker<'a> = Box<dyn Fn() -> Box<dyn Walker> + Sync + 'a>;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct BaselineRow {
    /// Metrics of `footwork eval`.
    pub row: Row,
    /// Steady walk.
    pub walk: SteadyWalk,
}

impl Baselines {
    /// Trains the baselines on a database. `observer` is called with the name, the progress from 0 to 1, and the loss.
    ///
    /// # Errors
    /// Returns a [`TrainError`] for a database without usable motion or without a left and a right foot, and for losses that are
    /// not numbers.
    pub fn train(
        db: &Database,
        settings: &BaselineSettings,
        device: &Device,
        observer: &mut dyn FnMut(&str, f32, f32),
    ) -> Result<Self, TrainError> {
        let data = Dataset::read(db)?;
        let loss = PairLoss::new(db, &data);
        let mut trained = Self { direct: None, pfnn: None, records: Vec::new() };
        let (device, seed) = (device.clone(), settings.seed);
        if let Some(limit) = settings.direct {
            let mut direct = Direct::new(db, &data, &loss, settings.direct_sizes, seed);
            let mut training = Training { device: device.clone(), seed, limit, observer: &mut *observer };
            trained.records.push(direct.train(&data, &loss, &mut training)?);
            trained.direct = Some(Arc::new(direct.finish(&loss.numbers)));
        }
        if let Some(limit) = settings.pfnn {
            let mut pfnn = Pfnn::new(db, &data, &loss, settings.pfnn_sizes, seed)?;
            let mut training = Training { device, seed, limit, observer };
            trained.records.push(pfnn.train(&data, &loss, &mut training)?);
            trained.pfnn = Some(Arc::new(pfnn.finish(&loss.numbers)));
        }
        Ok(trained)
    }

    /// Returns names and constructors of all walkers.
    pub fn walkers(&self) -> Vec<(&'static str, MakeWalker<'_>)> {
        let mut all: Vec<(&'static str, MakeWalker<'_>)> = Vec::new();
        if let Some(network) = &self.direct {
            for (name, interval_s) in [("direct", ASK_S), ("direct_1s", ASK_RARELY_S)] {
                all.push((name, Box::new(move || Box::new(DirectWalker::new(network.clone(), interval_s)))));
            }
        }
        if let Some(network) = &self.pfnn {
            all.push(("pfnn", Box::new(|| Box::new(PfnnWalker::new(network.clone())))));
        }
        all
    }

    /// Evaluates the exact search and all baselines over courses, each also as `_free`: without foot locks, and with a root that
    /// is not pulled. The steady walk takes `walk_s` seconds.
    ///
    /// # Errors
    /// Returns a [`TrainError`] for a database that does not fit the default settings or the courses.
    pub fn compare(&self, stage: &Stage, courses: &[&str], walk_s: f32) -> Result<Vec<BaselineRow>, TrainError> {
        let (db, config) = (&stage.db, stage.character.config());
        let evaluation = Evaluation::new(db.clone(), courses, 0..1);
        let source = Source::new(db);
        let walk = gait::walk(walk_s);
        let mut rows = Vec::new();
        for (name, config) in [("exact", config.clone()), ("exact_free", free(config))] {
            let character = Arc::new(stage.character.with_config(config.clone()).map_err(RecordError::from)?);
            let variant = Variant { name: name.to_owned(), config, mover: Mover::Exact };
            let row = evaluation.run(&variant, &|| ())?.row;
            let recording = record(&character, db, &source, &walk)?;
            rows.push(BaselineRow { row, walk: SteadyWalk::of(&recording, &source) });
        }
        let walkers = self.walkers();
        let all: Vec<(String, bool, usize)> = walkers
            .iter()
            .enumerate()
            .flat_map(|(at, (name, _))| [((*name).to_owned(), true, at), (format!("{name}_free"), false, at)])
            .collect();
        let found: Result<Vec<BaselineRow>, RecordError> = all
            .par_iter()
            .map(|(name, pulled, at)| {
                let make = &walkers[*at].1;
                let drive =
                    |source: &Source, rows: &[_]| -> Recording { stage.record(&mut *make(), *pulled, rows, source) };
                let over =
                    |source: &Source, course: &footwork_metrics::courses::Course| Ok(drive(source, &course.rows));
                let mut row = evaluation.run_recorded(name, stage.character.stick(), &over, &|| ())?.row;
                // Baselines do not play clips of the database.
                row.values.retain(|key, _| !key.ends_with("_over_source_pct"));
                Ok(BaselineRow { row, walk: SteadyWalk::of(&drive(&source, &walk.rows), &source) })
            })
            .collect();
        rows.extend(found?);
        Ok(rows)
    }
}
