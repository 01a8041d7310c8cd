//! The projector: from a query to the code of the row that a search would find.

use crate::body_loss::absolute;
use crate::dataset::{Dataset, accepted};
use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::{Normalization, Perceptron, numbers};
use crate::phase::{Phase, PhaseRecord, VALIDATION_BATCHES, Workshop};
use crate::random::Random;
use footwork::database::Database;
use footwork::learned::Network;
use footwork::search::{Backend, Candidates, SearchIndex, SearchQuery};
use rayon::prelude::*;
use std::sync::mpsc::sync_channel;

/// Weights of features, latent variables, and the distance between query and features.
const WEIGHTS: [f32; 3] = [1.0, 5.0, 0.3];
/// Names of the parts of the loss.
const PARTS: [&str; 3] = ["features", "latents", "distances"];
/// Seconds at the end of a clip that a search does not enter.
const END_EXCLUSION_S: f32 = 0.333;
/// Frames between a body and a trajectory that a game combines, at most.
const NEARBY: usize = 90;
/// Batches that are searched ahead.
const AHEAD: usize = 8;

/// Finds what a projector should find: the exact search, and the code of each row.
#[derive(Debug)]
pub struct Oracle<'a> {
    db: &'a Database,
    index: SearchIndex,
    multipliers: Vec<f32>,
    candidates: Candidates,
    /// `[columns]` standard deviation of the features.
    spread: Vec<f32>,
    /// `[columns]` true where a column describes where the root goes.
    trajectory: Vec<bool>,
    latents: usize,
    /// `[rows x latents]` for each row and then for each row in a mirror; zero where a row cannot be found.
    row_latents: Vec<f32>,
}

impl<'a> Oracle<'a> {
    /// For a database and the codes of its frames.
    pub fn new(db: &'a Database, data: &Dataset, codes: &[f32]) -> Self {
        let columns = data.columns;
        let width = codes.len() / data.frames();
        let candidates = Candidates {
            end_exclusion_rows: (END_EXCLUSION_S * db.search_rate_hz).round() as usize,
            tags: accepted(db),
            ..Candidates::default()
        };
        let latents = width - columns;
        let sides = if db.mirror == footwork::database::MirrorMode::Query { 2 } else { 1 };
        let mut row_latents = vec![0.0; sides * db.rows() * latents];
        for clip in 0..db.clips.len() {
            for row in candidates.clip_rows(db, clip).filter(|row| candidates.allow(db, *row, false)) {
                let index = footwork::frames::RowIndex::new(row);
                let time_s = db.row_time_s(index);
                for side in 0..sides {
                    let frame = data.frame_at(db.row_clips[row], side == 1, time_s);
                    if let Some(frame) = frame {
                        let code = &codes[frame * width + columns..][..latents];
                        row_latents[(side * db.rows() + row) * latents..][..latents].copy_from_slice(code);
                    }
                }
            }
        }
        let trajectory = db.schema.channels.iter().flat_map(|c| c.columns.clone().map(|_| c.kind.is_trajectory()));
        Self {
            index: SearchIndex::build(db, Backend::Tree),
            multipliers: vec![1.0; columns],
            candidates,
            spread: Normalization::of(data.usable().map(|f| data.features(f)), columns, 0.0).std,
            trajectory: trajectory.collect(),
            latents,
            row_latents,
            db,
        }
    }

    /// A query to learn from, and the frame of its body: most are like a game's, some far from the data.
    pub fn query(&self, data: &Dataset, random: &mut Random) -> (usize, Vec<f32>) {
        let frame = random.below(data.frames());
        let query = match random.below(8) {
            0 => self.noisy(data.features(frame), (0.0, 0.05), random),
            1..=3 => {
                let nearby = data.sequence_of(frame).frames.clone();
                let offset = random.below(2 * NEARBY + 1);
                let other = (frame + offset).saturating_sub(NEARBY).clamp(nearby.start, nearby.end);
                self.mixed(data, (frame, other), random)
            }
            4..=5 => self.mixed(data, (frame, random.below(data.frames())), random),
            _ => self.noisy(data.features(frame), (1.0, 1.0), random),
        };
        (frame, query)
    }

    /// A query like a game's: the body of one frame with the trajectory of another.
    pub fn mixed_query(&self, data: &Dataset, random: &mut Random) -> Vec<f32> {
        let frames = (random.below(data.frames()), random.below(data.frames()));
        self.mixed(data, frames, random)
    }

    fn mixed(&self, data: &Dataset, (body, trajectory): (usize, usize), random: &mut Random) -> Vec<f32> {
        let mut query = data.features(body).to_vec();
        let other = data.features(trajectory);
        let columns = self.trajectory.iter().enumerate().filter(|(_, is)| **is);
        columns.for_each(|(column, _)| query[column] = other[column]);
        self.noisy(&query, (0.0, 0.2), random)
    }

    /// Adds noise, up to `most` times the spread of each column and `more`; more often little than much.
    fn noisy(&self, query: &[f32], (more, most): (f32, f32), random: &mut Random) -> Vec<f32> {
        let share = random.unit();
        let sigma = most * share * share;
        query.iter().zip(&self.spread).map(|(v, spread)| v + (spread + more) * sigma * random.normal()).collect()
    }

    /// The code of the row that fits best, and its distance from the query squared.
    pub fn find(&self, query: &[f32], code: &mut [f32]) -> Option<f32> {
        let mut search = SearchQuery::new(query, &self.multipliers);
        search.candidates = self.candidates;
        let found = self.index.search(self.db, &search)?;
        let columns = query.len();
        let side = usize::from(found.mirrored) * self.db.rows();
        let values = self.db.features.row(found.row);
        if found.mirrored {
            for (out, from) in code[..columns].iter_mut().zip(&self.db.mirror_columns) {
                *out = from.sign * values[from.column];
            }
        } else {
            code[..columns].copy_from_slice(values);
        }
        let latents = &self.row_latents[(side + found.row.at()) * self.latents..][..self.latents];
        code[columns..].copy_from_slice(latents);
        Some(found.cost)
    }
}

/// Queries, and what a search finds for them.
#[derive(Debug)]
struct Batch {
    /// `[samples x columns]`.
    queries: Vec<f32>,
    /// `[samples x width]`.
    codes: Vec<f32>,
    /// `[samples]` frames of the queries' bodies.
    frames: Vec<usize>,
}

/// The projector in training.
#[derive(Debug)]
pub struct Projector {
    /// The network.
    pub network: Perceptron,
    batch: usize,
    input: Normalization,
    output: Normalization,
}

impl Projector {
    /// An untrained network for codes, `[frames x width]`.
    pub fn new(data: &Dataset, codes: &[f32], (hidden, batch): (usize, usize), seed: u64) -> Self {
        let width = codes.len() / data.frames();
        let output = Normalization::of(data.usable().map(|frame| &codes[frame * width..][..width]), width, 1e-4);
        let mut input =
            Normalization { mean: output.mean[..data.columns].to_vec(), std: output.std[..data.columns].to_vec() };
        input.share_spread(0..data.columns);
        let mut random = Random::new(seed, Phase::Projector as u64, u64::MAX);
        let sizes = vec![data.columns, hidden, hidden, hidden, hidden, width];
        Self { network: Perceptron::new(sizes, &mut random), batch, input, output }
    }

    /// Trains until the limit. Another thread searches ahead.
    ///
    /// # Errors
    /// Returns a [`TrainError`] if a loss is not a number, or training is interrupted.
    pub fn train(
        &mut self,
        data: &Dataset,
        oracle: &Oracle,
        limit: Limit,
        shop: &mut Workshop,
    ) -> Result<PhaseRecord, TrainError> {
        let mut course = shop.begin(Phase::Projector, limit, &PARTS, &mut [&mut self.network])?;
        let (sizes, seed, begun) = ((self.batch, self.output.mean.len()), shop.seed, course.pace.steps);
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(AHEAD);
            scope.spawn(move || {
                let mut step = begun;
                while sender.send(searched(data, oracle, (seed, step), sizes)).is_ok() {
                    step += 1;
                }
            });
            while !course.is_over() {
                let Ok(batch) = receiver.recv() else { break };
                let parts = self.step(&batch, Some(course.pace.rate()), shop);
                shop.check(data, &course, &parts, &batch.frames)?;
                course.finish_step(&parts, shop.observer);
                if course.is_validation_due() {
                    let fixed = (1..=VALIDATION_BATCHES).map(|i| searched(data, oracle, (seed, u64::MAX - i), sizes));
                    course.validate(fixed.map(|batch| self.step(&batch, None, shop).iter().sum::<f32>()).sum());
                }
                shop.keep(&course, &[&self.network])?;
            }
            Ok::<(), TrainError>(())
        })?;
        shop.end(course, &[&self.network])
    }

    /// The losses of a batch, and with a learning rate a step against them if they are finite.
    fn step(&mut self, batch: &Batch, rate: Option<f32>, shop: &Workshop) -> [f32; PARTS.len()] {
        let (columns, width) = (self.input.mean.len(), self.output.mean.len());
        let mut inputs = batch.queries.clone();
        inputs.chunks_exact_mut(columns).for_each(|row| self.input.apply(row));
        let network = self.network.on(&shop.device);
        let outputs = network.run(shop.tensor(inputs, columns));
        let (parts, by_outputs) = self.losses(batch, &numbers(outputs.clone()));
        let Some(rate) = rate.filter(|_| parts.iter().all(|part| part.is_finite())) else { return parts };
        let mut gradients = (outputs * shop.tensor(by_outputs, width)).sum().backward();
        self.network.descend(&network, &mut gradients, rate);
        parts
    }

    fn losses(&self, batch: &Batch, outputs: &[f32]) -> ([f32; PARTS.len()], Vec<f32>) {
        let (columns, width) = (self.input.mean.len(), self.output.mean.len());
        let samples = (outputs.len() / width) as f32;
        let latents = (width - columns) as f32;
        let mut parts = [0.0; PARTS.len()];
        let mut by_outputs = vec![0.0; outputs.len()];
        let rows = outputs.chunks_exact(width).zip(by_outputs.chunks_exact_mut(width));
        let rows = rows.zip(batch.codes.chunks_exact(width)).zip(batch.queries.chunks_exact(columns));
        for (((outputs, by_outputs), codes), query) in rows {
            let (mut found, mut best) = (0.0, 0.0);
            for i in 0..width {
                let value = outputs[i] * self.output.std[i] + self.output.mean[i];
                let (part, size) = if i < columns { (0, columns as f32) } else { (1, latents) };
                // Features have sizes near 1; latent variables are counted in their own spread.
                let unit = if i < columns { 1.0 } else { self.output.std[i] };
                let (loss, slope) = absolute((value - codes[i]) / unit, WEIGHTS[part] / (size * samples));
                parts[part] += loss;
                by_outputs[i] = slope * self.output.std[i] / unit;
                if i < columns {
                    found += (value - query[i]) * (value - query[i]);
                    best += (codes[i] - query[i]) * (codes[i] - query[i]);
                }
            }
            let distance = found.sqrt().max(1e-6);
            let (loss, slope) = absolute(distance - best.sqrt(), WEIGHTS[2] / samples);
            parts[2] += loss;
            for i in 0..columns {
                let value = outputs[i] * self.output.std[i] + self.output.mean[i];
                by_outputs[i] += slope * (value - query[i]) / distance * self.output.std[i];
            }
        }
        (parts, by_outputs)
    }

    /// The network for use.
    pub fn to_network(&self) -> Network {
        self.network.to_network(&self.input, &self.output)
    }
}

fn searched(data: &Dataset, oracle: &Oracle, (seed, step): (u64, u64), (samples, width): (usize, usize)) -> Batch {
    let columns = data.columns;
    let mut random = Random::new(seed, Phase::Projector as u64, step);
    let mut queries = Vec::with_capacity(samples * columns);
    let mut frames = Vec::with_capacity(samples);
    for _ in 0..samples {
        let (frame, query) = oracle.query(data, &mut random);
        frames.push(frame);
        queries.extend(query);
    }
    let mut codes = vec![0.0; samples * width];
    let work = queries.par_chunks(columns).zip(codes.par_chunks_mut(width));
    work.for_each(|(query, code)| {
        // Rows exist, and queries are finite: something is found.
        let _ = oracle.find(query, code);
    });
    Batch { queries, codes, frames }
}
