//! Errors of networks against the motion that they replace.

use crate::query_sets::{QuerySet, queries};
use crate::samples::{Samples, Statistic};
use footwork::advanced::learned::{Decompression, STEP_S, Sampler, choice_weights};
use footwork::advanced::search::{Candidates, SearchIndex, SearchQuery};
use footwork::database::Database;
use footwork::frames::{JointIndex, RowIndex};
use footwork::learned::{Networks, NetworksError};
use footwork::matcher::Backend;
use footwork::matcher::ConfigError;
use footwork::pose::{Pose, PoseVelocity, RootMotion};
use glam::Vec3;
use std::sync::Arc;

/// Offset of the compared points from a joint, along each of its axes, in metres.
const OFF_JOINT_M: f32 = 0.03;
/// Frames of 1/60 s after which the stepper is compared with the clip.
pub const FRAMES: [usize; 3] = [6, 20, 60];

/// Returns the number of stepper steps in a number of frames of 1/60 s.
pub fn steps_in(frames: usize) -> usize {
    (frames as f64 / 60.0 / STEP_S).round() as usize
}

/// A row of the same clip counts as the best row if it is nearer to it than this, in seconds.
const SAME_MOMENT_S: f64 = 0.1;

/// Errors of networks. Distances are between points 3 cm off the joints, in root space.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NetworkErrors {
    /// Mean distance between a pose and the decompressed pose of its code, in cm.
    pub reconstruction_mean_cm: f32,
    /// 99th percentile of the same, cm.
    pub reconstruction_p99_cm: f32,
    /// Largest of the same, cm.
    pub reconstruction_max_cm: f32,
    /// Mean of the same over the joints that touch the ground, cm.
    pub toes_mean_cm: f32,
    /// Mean distance from the clip after 6, 20 and 60 steps of 1/60 s, cm.
    pub stepper_cm: [f32; 3],
    /// Share of queries for which the projector finds the best row, or a row of its clip within 0.1 s.
    pub projector_recall: f32,
    /// Mean distance from queries to the rows that the projector finds, divided by the mean distance to the best rows.
    pub projector_cost_ratio: f32,
}

/// Networks and a database that do not fit each other.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The networks were trained on other features.
    #[error(transparent)]
    Networks(#[from] NetworksError),
    /// The networks have no compressor, which computes latent variables.
    #[error("the networks have no compressor: train them again")]
    NoCompressor,
    /// The database has no motion for networks: no locomotion on level ground.
    #[error("the database has no locomotion on level ground to compare networks with")]
    NothingToCompare,
    /// The schema has values that only a game can supply.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// Returns the rows that networks are trained on: locomotion on level ground.
pub fn learned_rows(db: &Database) -> Vec<RowIndex> {
    let accepted = db.accepted(&crate::level_tags(db));
    (0..db.rows()).filter(|row| db.accepts(&accepted, *row)).map(RowIndex::new).collect()
}

/// Compares networks with the database that they were trained on, at about `samples` rows.
///
/// # Errors
/// Returns [`CompareError`] for networks that were trained on another database or have no compressor.
pub fn compare(db: &Arc<Database>, networks: &Networks, samples: usize) -> Result<NetworkErrors, CompareError> {
    networks.check_schema(db)?;
    let rows = learned_rows(db);
    let rows: Vec<RowIndex> = rows.iter().step_by((rows.len() / samples.max(1)).max(1)).copied().collect();
    if rows.is_empty() {
        return Err(CompareError::NothingToCompare);
    }
    let mut bench = Bench::new(db, networks);
    let (mut all, mut toes) = (Samples::default(), Samples::default());
    let mut steps: [Samples; 3] = Default::default();
    for row in &rows {
        bench.compress(*row).ok_or(CompareError::NoCompressor)?;
        bench.reconstruction(*row, &mut all, &mut toes);
        bench.steps(*row, &mut steps);
    }
    let of = |s: &Samples, statistic| s.statistic(statistic).unwrap_or(0.0);
    let (projector_recall, projector_cost_ratio) = projector(db, networks, rows.len().min(2000))?;
    Ok(NetworkErrors {
        reconstruction_mean_cm: of(&all, Statistic::Mean),
        reconstruction_p99_cm: of(&all, Statistic::Percentile(99.0)),
        reconstruction_max_cm: of(&all, Statistic::Max),
        toes_mean_cm: of(&toes, Statistic::Mean),
        stepper_cm: steps.map(|s| of(&s, Statistic::Mean)),
        projector_recall,
        projector_cost_ratio,
    })
}

/// Returns recall and cost ratio over queries of a game.
fn projector(db: &Arc<Database>, networks: &Networks, count: usize) -> Result<(f32, f32), CompareError> {
    let multipliers = choice_weights(db);
    let index = SearchIndex::build_for(db, Backend::Tree, &multipliers);
    let mut room = Decompression::new(networks);
    let mut code = vec![0.0; networks.code_width()];
    let candidates = Candidates { tags: db.accepted(&crate::level_tags(db)), ..Candidates::default() };
    let nearest =
        |features: &[f32]| index.search(db, &SearchQuery { candidates, ..SearchQuery::new(features, &multipliers) });
    let (mut found, mut asked, mut ours, mut best) = (0.0f32, 0.0f32, 0.0f64, 0.0f64);
    for query in queries(db, QuerySet::D, count, 1)? {
        let Some(exact) = nearest(&query.features) else { continue };
        networks.project(&query.features, &mut code, &mut room);
        let features = &code[..db.features.columns];
        let Some(near) = nearest(features) else { continue };
        let apart_s = (db.row_time_s(near.row) - db.row_time_s(exact.row)).abs();
        let same_clip = db.row_clips[near.row.at()] == db.row_clips[exact.row.at()];
        found += f32::from(u8::from(same_clip && apart_s <= SAME_MOMENT_S));
        asked += 1.0;
        ours += distance(&query.features, features, &multipliers);
        best += distance(&query.features, db.features.row(exact.row), &multipliers);
    }
    Ok((found / asked.max(1.0), (ours / best.max(1e-6)) as f32))
}

fn distance(a: &[f32], b: &[f32], multipliers: &[f32]) -> f64 {
    let columns = a.iter().zip(b).zip(multipliers);
    columns.map(|((a, b), m)| f64::from((a - b) * m) * f64::from((a - b) * m)).sum::<f64>().sqrt()
}

/// Working buffers of a comparison.
struct Bench<'a> {
    db: &'a Database,
    networks: &'a Networks,
    sampler: Sampler<'a>,
    room: Decompression,
    code: Vec<f32>,
    body: Vec<f32>,
    pose: Pose,
    still: PoseVelocity,
    motions: [RootMotion; 2],
}

impl<'a> Bench<'a> {
    fn new(db: &'a Database, networks: &'a Networks) -> Self {
        let joints = db.skeleton.len();
        Self {
            db,
            networks,
            sampler: Sampler::for_character(db, networks.character()),
            room: Decompression::new(networks),
            code: vec![0.0; networks.code_width()],
            body: vec![0.0; networks.layout().width()],
            pose: Pose::rest(&db.skeleton),
            still: PoseVelocity::zero(joints),
            motions: [RootMotion::zero(joints), RootMotion::zero(joints)],
        }
    }

    /// Computes the code of a row.
    fn compress(&mut self, row: RowIndex) -> Option<()> {
        let clip = self.db.row_clips[row.at()];
        let at = (clip, self.db.clips[clip.at()].mirrored, self.db.row_time_s(row));
        self.networks.compress(&mut self.sampler, at, &mut self.code, &mut self.room)
    }

    /// Writes the joints of the clip into the first motion, and those of the code into the second.
    fn place(&mut self, row: RowIndex, later_s: f64) {
        let clip = self.db.row_clips[row.at()];
        let view = self.db.view(clip, self.db.clips[clip.at()].mirrored);
        let mut velocity = self.still.clone();
        view.sample(self.db.row_time_s(row) + later_s, &mut self.pose, &mut velocity);
        self.motions[0].from_pose(&self.db.skeleton, &self.pose, &self.still);
        self.networks.decompress(&self.code, &mut self.body, &mut self.room);
        self.networks.layout().decode(&self.body, &mut self.pose);
        self.motions[1].from_pose(&self.db.skeleton, &self.pose, &self.still);
    }

    /// Returns the mean distance between the points of a joint, in cm.
    fn error_cm(&self, joint: usize) -> f32 {
        let [a, b] = &self.motions;
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let apart = |axis: Vec3| {
            let point = |m: &RootMotion| m.point(JointIndex::new(joint), axis * OFF_JOINT_M).0;
            (point(a) - point(b)).length()
        };
        100.0 * axes.map(apart).iter().sum::<f32>() / axes.len() as f32
    }

    fn moment(&self, row: RowIndex, joint: usize) -> crate::samples::Occurrence {
        crate::samples::Occurrence {
            course: "mocap",
            run: 0,
            frame: 0,
            joint: JointIndex::new(joint),
            clip: self.db.row_clips[row.at()],
            clip_frame: (self.db.row_time_s(row) / STEP_S).round() as usize,
        }
    }

    fn reconstruction(&mut self, row: RowIndex, all: &mut Samples, toes: &mut Samples) {
        self.place(row, 0.0);
        for joint in 1..self.db.skeleton.len() {
            all.push(self.error_cm(joint), || self.moment(row, joint));
        }
        for joint in &self.db.rig.contact_joints {
            toes.push(self.error_cm(joint.at()), || self.moment(row, joint.at()));
        }
    }

    /// Advances from the code of a row. The comparison stops at the end of the clip.
    fn steps(&mut self, row: RowIndex, out: &mut [Samples; 3]) {
        let clip = self.db.row_clips[row.at()];
        let (view, from_s) = (self.db.view(clip, self.db.clips[clip.at()].mirrored), self.db.row_time_s(row));
        let mut step = 0;
        for (samples, frames) in out.iter_mut().zip(FRAMES) {
            let after = steps_in(frames);
            let later_s = after as f64 * STEP_S;
            if !view.covers(from_s, from_s + later_s) {
                return;
            }
            while step < after {
                self.networks.advance(&mut self.code, &mut self.room);
                step += 1;
            }
            self.place(row, later_s);
            let joints = self.db.skeleton.len();
            let mean = (1..joints).map(|j| self.error_cm(j)).sum::<f32>() / (joints - 1) as f32;
            samples.push(mean, || self.moment(row, 0));
        }
    }
}
