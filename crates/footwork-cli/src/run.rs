//! Driving one character over a course, and recording the run.

use crate::course::Course;
use crate::ground::GroundKind;
use crate::progress;
use anyhow::Result;
use footwork::clip::{Annotations, RawClip};
use footwork::database::{Database, TagMask};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher, Playing};
use footwork::math::{Facing, Quat, Transform};
use footwork::search::Explanation;
use footwork_draw::path_plot::PathSample;
use glam::Vec3;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use xxhash_rust::xxh3::Xxh3;

/// A run to make.
#[derive(Debug)]
pub struct Drive {
    /// Input over time.
    pub course: Course,
    /// Ground of the run.
    pub ground: GroundKind,
    /// Length of the run, in seconds.
    pub seconds: f32,
    /// Time step, in seconds.
    pub dt_s: f32,
    /// Time from which the first search is explained, in seconds.
    pub explain_s: Option<f32>,
    /// Hides the progress bar.
    pub json: bool,
}

/// Measurements of a run; units are in the names.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub seconds: f32,
    pub dt_s: f32,
    pub search: &'static str,
    pub updates: usize,
    pub searches: u64,
    pub transitions: u64,
    pub searches_per_s: f32,
    pub transitions_per_s: f32,
    /// Mean horizontal distance between the simulated character and the displayed root.
    pub path_error_m: f32,
    pub path_error_max_m: f32,
    /// Mean angle between the two facings.
    pub heading_error_deg: f32,
    pub update_us_median: f32,
    pub update_us_p99: f32,
    /// Number of distinct clips played.
    pub clips_played: usize,
    /// Hash of all poses: equal hashes mean identical motion.
    pub pose_hash: String,
}

/// A recorded run.
#[derive(Debug)]
pub struct Driven {
    pub summary: Summary,
    /// Ground of the run.
    pub ground: GroundKind,
    pub explanation: Option<Explanation>,
    /// `[updates x joints]`.
    pub translations: Vec<Vec3>,
    /// `[updates x joints]`.
    pub rotations: Vec<Quat>,
    pub commanded: Vec<PathSample>,
    pub walked: Vec<PathSample>,
    /// Updates with a transition.
    pub transitions: Vec<usize>,
    /// `[updates]` number of transitions.
    pub transition_counts: Vec<u32>,
    /// `[updates x contact joints]` contacts of the playing frame.
    pub contacts: Vec<u8>,
    /// `[updates]` playing clip.
    pub playing: Vec<Playing>,
    /// First update and name of each part of the course.
    pub parts: Vec<(usize, String)>,
}

impl Drive {
    /// Makes the run with clips of a database. Measuring time does not affect the motion.
    pub fn run(self, db: &Arc<Database>, config: MatcherConfig) -> Result<Driven> {
        let search = config.search.backend.name();
        self.run_as(Character::new(Arc::clone(db), config)?, db, search)
    }

    /// Makes the run with any character; `search` is what chooses, for the summary.
    pub fn run_as(mut self, character: Character, db: &Database, search: &'static str) -> Result<Driven> {
        let updates = (self.seconds / self.dt_s).round().max(1.0) as usize;
        let mut character = MotionMatcher::of(Arc::new(character), Transform::IDENTITY)?;
        let mut driven = Driven { ground: self.ground, ..Driven::empty() };
        let mut watch = Watch::default();
        // On level ground, clips of slopes and stairs are excluded.
        let level = self.ground == GroundKind::Level;
        let uneven = if level { footwork_metrics::uneven_tags(db) } else { TagMask::default() };
        let kind = self.ground;
        let ground = move |at: Vec3| kind.at(at);
        let bar = progress::bar("driving", updates as u64, self.json);
        for k in 0..updates {
            let time_s = (k as f64 * f64::from(self.dt_s)) as f32;
            let part = self.course.part(time_s);
            if driven.parts.last().is_none_or(|p| p.1 != part) {
                driven.parts.push((k, part.to_owned()));
            }
            let now = character.state().header.simulation;
            let mut input = self.course.input(time_s, &now);
            input.tags.forbidden |= uneven;
            input.ground = if level { None } else { Some(&ground) };
            let start = Instant::now();
            character.update(&input, self.dt_s)?;
            watch.update_us.push(start.elapsed().as_nanos() as f32 / 1e3);
            driven.record(k, &character, &mut watch);
            let wanted = self.explain_s.is_some_and(|t| time_s >= t) && driven.explanation.is_none();
            if wanted && character.output().searches > 0 {
                driven.explanation = character.explain(8);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        driven.summary = watch.summary(&character, updates, self.dt_s, search);
        Ok(driven)
    }
}

impl Driven {
    fn empty() -> Self {
        Self {
            summary: Watch::default().empty_summary(),
            ground: GroundKind::Level,
            explanation: None,
            translations: Vec::new(),
            rotations: Vec::new(),
            commanded: Vec::new(),
            walked: Vec::new(),
            transitions: Vec::new(),
            transition_counts: Vec::new(),
            contacts: Vec::new(),
            playing: Vec::new(),
            parts: Vec::new(),
        }
    }

    fn record(&mut self, update: usize, character: &MotionMatcher, watch: &mut Watch) {
        let pose = character.pose();
        for (t, r) in pose.translations.iter().zip(&pose.rotations) {
            for v in t.to_array().into_iter().chain(r.to_array()) {
                watch.hash.update(&v.to_le_bytes());
            }
        }
        self.translations.extend_from_slice(&pose.translations);
        self.rotations.extend_from_slice(&pose.rotations);
        let header = &character.state().header;
        let simulation = &header.simulation;
        let root = pose.world_from_root();
        let facing = Facing::from_rotation(root.rotation);
        self.commanded.push(PathSample { position: simulation.position, facing: simulation.facing });
        self.walked.push(PathSample { position: root.translation, facing });
        let output = character.output();
        if output.transitions > 0 {
            self.transitions.push(update);
        }
        self.transition_counts.push(output.transitions);
        self.contacts.extend(output.contacts.iter().map(|foot| u8::from(foot.touching)));
        self.playing.push(header.playing);
        let apart = simulation.position - root.translation;
        watch.path_error_m.push((apart.x * apart.x + apart.z * apart.z).sqrt());
        watch.heading_error_rad.push(facing.angle_to(simulation.facing).abs());
        let clip = header.playing.clip.at();
        watch.played.resize(watch.played.len().max(clip + 1), false);
        watch.played[clip] = true;
    }

    /// Returns the motion as a clip.
    pub fn clip(&self, db: &Database, name: &str) -> RawClip {
        RawClip {
            name: name.to_owned(),
            source: "footwork".to_owned(),
            skeleton: db.skeleton.clone(),
            rate_hz: 1.0 / self.summary.dt_s,
            looping: false,
            translations: self.translations.clone(),
            rotations: self.rotations.clone(),
            annotations: Annotations::default(),
        }
    }
}

/// Measurements collected during a run.
#[derive(Default)]
struct Watch {
    hash: Xxh3,
    update_us: Vec<f32>,
    path_error_m: Vec<f32>,
    heading_error_rad: Vec<f32>,
    played: Vec<bool>,
}

impl Watch {
    fn empty_summary(&self) -> Summary {
        Summary {
            seconds: 0.0,
            dt_s: 0.0,
            search: "",
            updates: 0,
            searches: 0,
            transitions: 0,
            searches_per_s: 0.0,
            transitions_per_s: 0.0,
            path_error_m: mean(&self.path_error_m),
            path_error_max_m: self.path_error_m.iter().copied().fold(0.0, f32::max),
            heading_error_deg: mean(&self.heading_error_rad).to_degrees(),
            update_us_median: 0.0,
            update_us_p99: 0.0,
            clips_played: self.played.iter().filter(|p| **p).count(),
            pose_hash: format!("{:032x}", self.hash.digest128()),
        }
    }

    fn summary(mut self, character: &MotionMatcher, updates: usize, dt_s: f32, search: &'static str) -> Summary {
        let header = &character.state().header;
        let seconds = updates as f32 * dt_s;
        self.update_us.sort_by(f32::total_cmp);
        Summary {
            seconds,
            dt_s,
            search,
            updates,
            searches: header.searches,
            transitions: header.transitions,
            searches_per_s: header.searches as f32 / seconds,
            transitions_per_s: header.transitions as f32 / seconds,
            update_us_median: self.update_us[updates / 2],
            update_us_p99: self.update_us[(updates * 99 / 100).min(updates - 1)],
            ..self.empty_summary()
        }
    }
}

/// Returns the mean, summed in double precision.
fn mean(values: &[f32]) -> f32 {
    (values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len().max(1) as f64) as f32
}
