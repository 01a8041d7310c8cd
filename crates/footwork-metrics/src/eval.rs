//! The evaluation: variants over all courses, with several runs each, and the same metrics of the captured motion.

mod table;

pub use table::{CAPTURED_ROWS, COVERAGE, METRICS, Metric, ONE_KIND, Pooling, T90_MEAN, keys};

use crate::courses::{Course, Run, course};
use crate::measure::{Measurement, Place};
use crate::motion::SourceFrame;
use crate::recording::{RecordError, Recording, record};
use crate::samples::{Occurrence, Samples, mean_and_sd};
use crate::source::Source;
use footwork::adjust::feet::FeetConfig;
use footwork::advanced::motion::StickSpeeds;
use footwork::database::{Database, MirrorMode};
use footwork::learned::Networks;
use footwork::machine::Machine;
use footwork::matcher::{Character, MatcherConfig};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A set of settings and a motion source for the same database.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Name of its row.
    pub name: String,
    /// Settings.
    pub config: MatcherConfig,
    /// Source of its motion.
    pub mover: Mover,
}

/// Source of poses and of decisions.
#[derive(Clone, Debug, Default)]
pub enum Mover {
    /// Search, and poses from clips.
    #[default]
    Exact,
    /// Search, and poses from a decompressor.
    Decompressor(Arc<Networks>),
    /// Networks alone.
    Learned(Arc<Networks>),
    /// A state machine for the database.
    Machine(Arc<Machine>),
}

/// Returns the same settings without foot locks and IK, so that the motion is as blended.
pub fn without_feet(config: &MatcherConfig) -> MatcherConfig {
    let feet = FeetConfig { enabled: false, ..config.feet };
    MatcherConfig { feet, ..config.clone() }
}

/// Returns the same settings without pose adjustments: feet slide as blended, and the root follows the clips.
pub fn free(config: &MatcherConfig) -> MatcherConfig {
    let mut config = without_feet(config);
    (config.root.adjust, config.root.clamp) = (false, false);
    config
}

/// A metric's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Mean over runs.
    pub mean: f32,
    /// Standard deviation over runs; `None` for a single one.
    pub sd: Option<f32>,
    /// The largest sample, and its frame.
    pub worst: Option<(f32, Occurrence)>,
}

/// The values of a variant. Metrics that do not apply to it are absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the variant, or `mocap`, `mocap_played`.
    pub variant: String,
    /// By key.
    pub values: BTreeMap<&'static str, Value>,
}

/// The row of a variant, and the row of the captured frames that it played.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The variant.
    pub row: Row,
    /// The frames of the source, as often as they were played.
    pub played: Row,
}

/// Courses and runs over one database.
#[derive(Debug)]
pub struct Evaluation {
    db: Arc<Database>,
    /// The character whose search index all others share.
    first: Arc<OnceLock<Arc<Character>>>,
    source: Arc<Source>,
    /// Number of the first run.
    first_run: usize,
    /// `[runs][courses]`.
    runs: Vec<Vec<Course>>,
}

/// The characters of a variant.
struct Subject {
    with_feet: Arc<Character>,
    /// `None` if the variant has no foot adjustments to disable.
    without_feet: Option<Arc<Character>>,
}

/// Measurements of one run of one course.
struct Driven {
    with_feet: Measurement,
    without_feet: Measurement,
    played: Measurement,
    /// With foot adjustments.
    recording: Recording,
    coverage: Option<f32>,
}

impl Evaluation {
    /// Prepares the runs with these numbers (see [`Run::new`]) over courses by name; unknown names are ignored.
    pub fn new(db: Arc<Database>, courses: &[&str], runs: Range<usize>) -> Self {
        let source = Arc::new(Source::new(&db));
        Self { db, first: Arc::default(), source, first_run: 0, runs: Vec::new() }.over(courses, runs)
    }

    /// Prepares other courses and runs over the same database; the search index and what was measured of the clips are shared.
    pub fn over(&self, courses: &[&str], runs: Range<usize>) -> Self {
        let Self { db, first, source, .. } = self;
        let first_run = runs.start;
        let of_run = |number| courses.iter().filter_map(|name| course(name, Run::new(number))).collect();
        let runs = runs.map(of_run).collect();
        Self { db: db.clone(), first: first.clone(), source: source.clone(), first_run, runs }
    }

    /// Returns the number of calls of `progress` for a variant.
    pub fn steps(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// Returns the row of the database's own motion, every frame once.
    pub fn mocap(&self) -> Row {
        let mut measurement = Measurement::default();
        measurement.add_source(&self.source);
        captured_row(CAPTURED_ROWS[0], &[measurement])
    }

    /// Runs a variant over all courses; `progress` is called after every course.
    ///
    /// # Errors
    /// Returns [`RecordError`] if the configuration does not fit the database, or the database needs input that a course lacks.
    pub fn run(&self, variant: &Variant, progress: &(dyn Fn() + Sync)) -> Result<Evaluated, RecordError> {
        let subject = self.subject(variant)?;
        self.evaluate(&variant.name, &|course, run| self.drive(&subject, course, run), progress)
    }

    /// Evaluates motion that does not come from a matcher: `record` records it over a course. `speeds` are the speeds of full
    /// sticks.
    ///
    /// # Errors
    /// Returns the error of `record`.
    pub fn run_recorded(
        &self,
        name: &str,
        speeds: &StickSpeeds,
        record: &(dyn Fn(&Source, &Course) -> Result<Recording, RecordError> + Sync),
        progress: &(dyn Fn() + Sync),
    ) -> Result<Evaluated, RecordError> {
        let drive = |course: &Course, run: usize| {
            let (source, recording) = (&self.source, record(&self.source, course)?);
            let [mut with_feet, mut without_feet, mut played] = std::array::from_fn(|_| Measurement::default());
            if ONE_KIND.contains(&course.name) {
                with_feet.add_one_kind(source, &recording, course, run, speeds);
            } else {
                with_feet.add_recording(source, &recording, course, run, speeds);
                without_feet = with_feet.clone();
                played.add_played(source, &recording, run);
            }
            Ok(Driven { with_feet, without_feet, played, recording, coverage: None })
        };
        self.evaluate(name, &drive, progress)
    }

    fn evaluate(
        &self,
        name: &str,
        drive: &(dyn Fn(&Course, usize) -> Result<Driven, RecordError> + Sync),
        progress: &(dyn Fn() + Sync),
    ) -> Result<Evaluated, RecordError> {
        let all = self.runs.iter().enumerate();
        let mut jobs: Vec<(usize, &Course)> = all.flat_map(|(run, cs)| cs.iter().map(move |c| (run, c))).collect();
        // The longest first, so that no thread runs a long course alone at the end.
        jobs.sort_by_key(|(run, course)| (std::cmp::Reverse(course.rows.len()), *run));
        let driven: Result<Vec<Driven>, RecordError> = jobs
            .par_iter()
            .with_max_len(1)
            .map(|(run, course)| {
                let driven = drive(course, self.first_run + *run);
                progress();
                driven
            })
            .collect();
        let driven = driven?;
        let (mut with, mut without, mut played) = (self.empty(), self.empty(), self.empty());
        for ((run, _), driven) in jobs.iter().zip(&driven) {
            with[*run].append(&driven.with_feet);
            without[*run].append(&driven.without_feet);
            played[*run].append(&driven.played);
        }
        for run in 0..self.runs.len() {
            // The played frames of a run are known only after all of its courses.
            let of_run = || jobs.iter().zip(&driven).filter(|((r, c), _)| *r == run && !ONE_KIND.contains(&c.name));
            let frames: Vec<SourceFrame> = of_run().flat_map(|(_, d)| &d.recording.motion.playing).copied().collect();
            let limits_mps = self.source.velocity_change_p999_of_mps(&frames);
            for ((_, course), driven) in of_run() {
                let (played, recording) = (&mut played[run], &driven.recording);
                let place = Place { course: course.name, run: self.first_run + run };
                with[run].add_over_played(played, &self.source, recording, place, &limits_mps);
            }
        }
        let coverage: Vec<f32> = driven.iter().filter_map(|d| d.coverage).collect();
        let mut values = BTreeMap::new();
        for metric in METRICS {
            let value = metric.value(if metric.feet { &with } else { &without });
            values.extend(value.map(|v| (metric.key, v)));
        }
        values.extend(t90_mean(&values).map(|v| (T90_MEAN, v)));
        if let Some((mean, sd)) = mean_and_sd(&coverage) {
            values.insert(COVERAGE, Value { mean, sd, worst: None });
        }
        let row = Row { variant: name.to_owned(), values };
        Ok(Evaluated { row, played: captured_row(CAPTURED_ROWS[1], &played) })
    }

    /// Returns a character with these settings; the search index is built once.
    fn character_of(&self, config: &MatcherConfig, mover: &Mover) -> Result<Arc<Character>, RecordError> {
        let machine = match mover {
            Mover::Exact => None,
            Mover::Machine(machine) => Some(machine.clone()),
            Mover::Decompressor(networks) => {
                let character = Character::decompressed(networks.clone(), self.db.clone(), config.clone())?;
                return Ok(Arc::new(character));
            }
            Mover::Learned(networks) => {
                return Ok(Arc::new(Character::learned(networks.clone(), None, config.clone())?));
            }
        };
        let first = match self.first.get() {
            Some(first) => first,
            None => {
                let character = Character::new(Arc::clone(&self.db), config.clone())?;
                self.first.get_or_init(|| Arc::new(character))
            }
        };
        let own = if first.config() == config { first.clone() } else { Arc::new(first.with_config(config.clone())?) };
        if machine.is_some() { Ok(Arc::new(own.with_machine(machine)?)) } else { Ok(own) }
    }

    fn empty(&self) -> Vec<Measurement> {
        vec![Measurement::default(); self.runs.len()]
    }

    /// Creates the characters that a variant needs for all courses.
    fn subject(&self, variant: &Variant) -> Result<Subject, RecordError> {
        let with_feet = self.character_of(&variant.config, &variant.mover)?;
        let bare = without_feet(&variant.config);
        // Without foot adjustments to disable, the motion is the same.
        let other = (bare != variant.config).then(|| with_feet.with_config(bare)).transpose()?;
        Ok(Subject { with_feet, without_feet: other.map(Arc::new) })
    }

    fn drive(&self, subject: &Subject, course: &Course, run: usize) -> Result<Driven, RecordError> {
        let source = &self.source;
        let character = &subject.with_feet;
        let speeds = character.stick();
        let [mut with_feet, mut without_feet, mut played] = std::array::from_fn(|_| Measurement::default());
        let on = record(character, &self.db, source, course)?;
        if ONE_KIND.contains(&course.name) {
            with_feet.add_one_kind(source, &on, course, run, speeds);
            return Ok(Driven { with_feet, without_feet, played, recording: on, coverage: None });
        }
        let off = match &subject.without_feet {
            Some(bare) => record(bare, &self.db, source, course)?,
            None => on.clone(),
        };
        if let Some(frame) = on.first_other_decision(&off) {
            let time_s = frame as f32 / crate::RATE_HZ;
            return Err(RecordError::FeetDecide { course: course.name, run, time_s });
        }
        with_feet.add_recording(source, &on, course, run, speeds);
        with_feet.add_corrections(source, &on, &off, Place { course: course.name, run });
        without_feet.add_recording(source, &off, course, run, speeds);
        played.add_played(source, &on, run);
        let coverage = (course.name == "f").then(|| {
            let mut frames = on.motion.playing.clone();
            frames.sort_unstable();
            frames.dedup();
            let sides = if self.db.mirror == MirrorMode::Off { 1 } else { 2 };
            100.0 * frames.len() as f32 / (source.frames() * sides).max(1) as f32
        });
        Ok(Driven { with_feet, without_feet, played, recording: on, coverage })
    }
}

impl Metric {
    /// Returns the value over `[runs]` measurements; `None` without samples.
    fn value(&self, runs: &[Measurement]) -> Option<Value> {
        let of_runs: Vec<f32> = runs.iter().filter_map(|m| m.of(self.quantity).statistic(self.statistic)).collect();
        let (mut mean, sd) = mean_and_sd(&of_runs)?;
        if self.pooling == Pooling::AllRuns {
            let mut all = Samples::default();
            runs.iter().for_each(|m| all.append(m.of(self.quantity)));
            mean = all.statistic(self.statistic)?;
        }
        let worst = runs.iter().filter_map(|m| m.of(self.quantity).worst()).max_by(|a, b| a.0.total_cmp(&b.0));
        Some(Value { mean, sd, worst })
    }
}

/// Returns the mean of the six medians, if all are known. `worst` is the slowest response of all.
fn t90_mean(values: &BTreeMap<&'static str, Value>) -> Option<Value> {
    const MEDIANS: [&str; 6] =
        ["t90_90_vel_s", "t90_90_head_s", "t90_180_vel_s", "t90_180_head_s", "t90_start_s", "t90_stop_s"];
    let of: Vec<&Value> = MEDIANS.iter().filter_map(|key| values.get(key)).collect();
    let worst = of.iter().filter_map(|v| v.worst).max_by(|a, b| a.0.total_cmp(&b.0));
    let mean = of.iter().map(|v| v.mean).sum::<f32>() / MEDIANS.len() as f32;
    (of.len() == MEDIANS.len()).then_some(Value { mean, sd: None, worst })
}

/// A row of captured motion.
fn captured_row(name: &str, runs: &[Measurement]) -> Row {
    let values = METRICS.iter().filter(|m| m.captured).filter_map(|m| m.value(runs).map(|v| (m.key, v))).collect();
    Row { variant: name.to_owned(), values }
}
