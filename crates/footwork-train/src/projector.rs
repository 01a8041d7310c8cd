//! The projector: from a query to the code of the row that a search returns.

use crate::body_loss::absolute;
use crate::dataset::{Dataset, accepted};
use crate::error::TrainError;
use crate::kinematics::{Kinematics, Placed};
use crate::pace::Limit;
use crate::perceptron::{Normalization, Perceptron, numbers};
use crate::phase::{Phase, PhaseRecord, VALIDATION_BATCHES, halves, tensor};
use crate::random::Random;
use crate::workshop::Workshop;
use footwork::advanced::learned::{Network, STEP_S, choice_weights};
use footwork::advanced::schema::ChannelKind;
use footwork::advanced::search::{Candidates, Match, SearchIndex, SearchQuery};
use footwork::database::Database;
use footwork::matcher::Backend;
use footwork::matcher::MatcherConfig;
use footwork::schema::FeatureSchema;
use glam::Vec3;
use rayon::prelude::*;
use std::sync::mpsc::sync_channel;

/// Weights of features, latent variables, and the distance between query and features.
const WEIGHTS: [f32; 3] = [1.0, 5.0, 0.3];
/// Names of the parts of the loss.
const PARTS: [&str; 3] = ["features", "latents", "distances"];
/// Seconds at the end of a clip that a search excludes.
const END_EXCLUSION_S: f32 = 0.333;
/// Maximum distance, in frames, between the body and the trajectory that a query combines, for queries from nearby frames.
const NEARBY: usize = 90;
/// Number of best matches that are compared again with the cost of the discontinuity, as in a character.
const MOMENTS: usize = 24;
/// Size of the discontinuity that a character's `discontinuity_cost` refers to, metres.
const SEAM_M: f32 = 0.1;
/// Approximate time over which a velocity difference is blended out, seconds.
const BLEND_S: f32 = 0.1;
/// Standard deviation of the displacement between root and simulated character, along each axis, metres.
const APART_M: f32 = 0.05;
/// Number of batches that are searched in advance.
const AHEAD: usize = 8;

/// Finds the targets of a projector: the exact search, and the code of each row.
#[derive(Debug)]
pub struct Oracle<'a> {
    db: &'a Database,
    index: SearchIndex,
    multipliers: Vec<f32>,
    candidates: Candidates,
    /// `[columns]` standard deviation of the features.
    spread: Vec<f32>,
    /// `[columns]` true for columns of the trajectory.
    trajectory: Vec<bool>,
    /// Columns of future root positions, and the axis of each: 0 to the side, 1 forward.
    future: Vec<(usize, usize)>,
    /// `[frames x width]` codes.
    codes: &'a [f32],
    width: usize,
    /// Cost of a discontinuity: a character's default, per m2.
    discontinuity_cost: f32,
    /// `[frames x joints]` joints in root space, and the velocity of each over the ground along the root's axes.
    joints: Vec<(Vec3, Vec3)>,
    joint_count: usize,
    /// Frame of each row, then of each mirrored row; 0 for rows that the search excludes.
    row_frames: Vec<usize>,
}

impl<'a> Oracle<'a> {
    /// Creates the oracle for a database and the codes of its frames.
    pub fn new(db: &'a Database, data: &Dataset, codes: &'a [f32]) -> Self {
        let (columns, multipliers) = (data.columns, choice_weights(db));
        let candidates = Candidates {
            end_exclusion_rows: (END_EXCLUSION_S * db.search_rate_hz).round() as usize,
            tags: accepted(db),
            ..Candidates::default()
        };
        let sides = if db.mirror == footwork::database::MirrorMode::Query { 2 } else { 1 };
        let mut row_frames = vec![0; sides * db.rows()];
        for clip in 0..db.clips.len() {
            for row in candidates.clip_rows(db, clip).filter(|row| candidates.allow(db, *row, false)) {
                let time_s = db.row_time_s(footwork::frames::RowIndex::new(row));
                for side in 0..sides {
                    let frame = data.frame_at(db.row_clips[row], side == 1, time_s);
                    row_frames[side * db.rows() + row] = frame.unwrap_or(0);
                }
            }
        }
        let trajectory = db.schema.channels.iter().flat_map(|c| c.columns.clone().map(|_| c.kind.is_trajectory()));
        Self {
            index: SearchIndex::build_for(db, Backend::Tree, &multipliers),
            multipliers,
            candidates,
            spread: Normalization::of(data.usable().map(|f| data.features(f)), columns, 0.0).std,
            trajectory: trajectory.collect(),
            future: future(&db.schema),
            codes,
            width: codes.len() / data.frames(),
            discontinuity_cost: MatcherConfig::default().search.discontinuity_cost / (SEAM_M * SEAM_M),
            joints: joints(db, data),
            joint_count: data.layout.joints,
            row_frames,
            db,
        }
    }

    /// Returns the frame of a body, and a training query for it. Most queries are like a game's, some far from the data.
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

    /// Returns a frame, and a query like a game's: the body of this frame with the trajectory of another one.
    pub fn mixed_query(&self, data: &Dataset, random: &mut Random) -> (usize, Vec<f32>) {
        let frames = (random.below(data.frames()), random.below(data.frames()));
        (frames.0, self.mixed(data, frames, random))
    }

    fn mixed(&self, data: &Dataset, (body, trajectory): (usize, usize), random: &mut Random) -> Vec<f32> {
        let mut query = data.features(body).to_vec();
        let other = data.features(trajectory);
        let columns = self.trajectory.iter().enumerate().filter(|(_, is)| **is);
        columns.for_each(|(column, _)| query[column] = other[column]);
        // The root is not at the position of the simulated character.
        let apart = [(); 2].map(|()| APART_M * random.normal());
        for (column, axis) in &self.future {
            query[*column] += apart[*axis] / self.db.features.scale[*column];
        }
        self.noisy(&query, (0.0, 0.2), random)
    }

    /// Adds noise of up to `most` standard deviations of each column, increased by `more`. Small noise is more frequent than
    /// large noise.
    fn noisy(&self, query: &[f32], (more, most): (f32, f32), random: &mut Random) -> Vec<f32> {
        let share = random.unit();
        let sigma = most * share * share;
        query.iter().zip(&self.spread).map(|(v, spread)| v + (spread + more) * sigma * random.normal()).collect()
    }

    /// Returns the frame of the row that a character with the body of `body` would choose, and its cost without the
    /// discontinuity. Of the best matches, it is the one with the lowest sum of match cost and discontinuity cost.
    pub fn find_frame(&self, body: usize, query: &[f32]) -> Option<(usize, f32)> {
        let mut search = SearchQuery::new(query, &self.multipliers);
        search.candidates = self.candidates;
        let mut best = [Match::default(); MOMENTS];
        let kept = self.index.search_moments(self.db, &search, &mut best);
        let moments = best[..kept].iter().map(|found| {
            let side = usize::from(found.mirrored) * self.db.rows();
            let frame = self.row_frames[side + found.row.at()];
            (found.cost + self.discontinuity_cost * self.seam(body, frame), frame, found.cost)
        });
        moments.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, frame, cost)| (frame, cost))
    }

    /// Returns the discontinuity between two frames: the mean square over the body, m2.
    fn seam(&self, from: usize, to: usize) -> f32 {
        let of = |frame: usize| &self.joints[frame * self.joint_count..][..self.joint_count];
        let squares = of(from)
            .iter()
            .zip(of(to))
            .map(|((p, v), (q, w))| (*p - *q).length_squared() + BLEND_S * BLEND_S * (*v - *w).length_squared());
        squares.sum::<f32>() / self.joint_count as f32
    }

    /// Returns the cost of features for a query.
    pub fn cost(&self, query: &[f32], features: &[f32]) -> f32 {
        let columns = query.iter().zip(features).zip(&self.multipliers);
        columns.map(|((q, x), m)| ((q - x) * m) * ((q - x) * m)).sum()
    }

    /// Writes the code of the row of [`Oracle::find_frame`], and returns its cost.
    pub fn find(&self, body: usize, query: &[f32], code: &mut [f32]) -> Option<f32> {
        let (frame, cost) = self.find_frame(body, query)?;
        code.copy_from_slice(&self.codes[frame * self.width..][..self.width]);
        Some(cost)
    }
}

fn joints(db: &Database, data: &Dataset) -> Vec<(Vec3, Vec3)> {
    let (kinematics, layout) = (Kinematics::new(&db.skeleton, &data.layout), &data.layout);
    let frames: Vec<Vec<(Vec3, Vec3)>> = (0..data.frames())
        .into_par_iter()
        .map_init(<[Placed; 2]>::default, |placed, frame| {
            // The frame after the last of a sequence has no successor. It has no velocity, and is not a result of the search.
            let later = if frame == data.sequence_of(frame).frames.end { frame } else { frame + 1 };
            kinematics.place(data.body(frame), &mut placed[0]);
            kinematics.place(data.body(later), &mut placed[1]);
            let root = Vec3::from_slice(&data.body(frame)[layout.root_velocity.clone()]);
            let joints = placed[0].positions.iter().zip(&placed[1].positions);
            joints.map(|(p, q)| (*p, root + (*q - *p) / STEP_S as f32)).collect()
        })
        .collect();
    frames.concat()
}

fn future(schema: &FeatureSchema) -> Vec<(usize, usize)> {
    let mut columns = Vec::new();
    for channel in &schema.channels {
        let ChannelKind::TrajectoryPosition(positions) = &channel.kind else { continue };
        let t = &positions.0;
        for (at, _) in t.slots.iter().enumerate().filter(|(_, slot)| schema.times_s[**slot] > 0.0) {
            let first = channel.columns.start + at * t.dimensions;
            columns.extend([(first, 0), (first + t.dimensions - 1, 1)]);
        }
    }
    columns
}

/// Queries, and the codes that a search finds for them.
#[derive(Debug)]
struct Batch {
    /// `[samples x columns]` queries.
    queries: Vec<f32>,
    /// `[samples x width]` codes.
    codes: Vec<f32>,
    /// `[samples]` frames of the queries' bodies.
    frames: Vec<usize>,
}

/// A query and the code that a search finds for it.
type Sample<'a> = (&'a [f32], &'a [f32]);

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
    /// Creates an untrained network for codes, `[frames x width]`.
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

    /// Trains until the limit. Another thread searches in advance.
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

    /// Returns the losses of a batch. With a learning rate, makes an optimiser step if they are finite.
    fn step(&mut self, batch: &Batch, rate: Option<f32>, shop: &Workshop) -> [f32; PARTS.len()] {
        let (columns, width, device) = (self.input.mean.len(), self.output.mean.len(), &shop.device);
        let samples: Vec<Sample> = batch.queries.chunks_exact(columns).zip(batch.codes.chunks_exact(width)).collect();
        let (parts, gradients) = halves(&samples, |samples| {
            let mut inputs = samples.iter().flat_map(|(query, _)| query.iter().copied()).collect::<Vec<f32>>();
            inputs.chunks_exact_mut(columns).for_each(|row| self.input.apply(row));
            let network = self.network.on(device);
            let outputs = network.run(tensor(device, inputs, columns));
            let (parts, by_outputs) = self.losses(samples, &numbers(outputs.clone()));
            let gradient = rate.map(|_| {
                let mut gradients = (outputs * tensor(device, by_outputs, width)).sum().backward();
                network.gradient(&mut gradients)
            });
            (parts, gradient)
        });
        let Some(rate) = rate.filter(|_| parts.iter().all(|part| part.is_finite())) else { return parts };
        self.network.descend(&gradients, rate);
        parts
    }

    fn losses(&self, samples: &[Sample], outputs: &[f32]) -> ([f32; PARTS.len()], Vec<f32>) {
        let (columns, width) = (self.input.mean.len(), self.output.mean.len());
        let count = samples.len() as f32;
        let latents = (width - columns) as f32;
        let mut parts = [0.0; PARTS.len()];
        let mut by_outputs = vec![0.0; outputs.len()];
        let rows = outputs.chunks_exact(width).zip(by_outputs.chunks_exact_mut(width));
        for ((outputs, by_outputs), (query, codes)) in rows.zip(samples) {
            let (mut found, mut best) = (0.0, 0.0);
            for i in 0..width {
                let value = outputs[i] * self.output.std[i] + self.output.mean[i];
                let (part, size) = if i < columns { (0, columns as f32) } else { (1, latents) };
                // Features are of order 1; latent variables are divided by their standard deviation.
                let unit = if i < columns { 1.0 } else { self.output.std[i] };
                let (loss, slope) = absolute((value - codes[i]) / unit, WEIGHTS[part] / (size * count));
                parts[part] += loss;
                by_outputs[i] = slope * self.output.std[i] / unit;
                if i < columns {
                    found += (value - query[i]) * (value - query[i]);
                    best += (codes[i] - query[i]) * (codes[i] - query[i]);
                }
            }
            let distance = found.sqrt().max(1e-6);
            let (loss, slope) = absolute(distance - best.sqrt(), WEIGHTS[2] / count);
            parts[2] += loss;
            for i in 0..columns {
                let value = outputs[i] * self.output.std[i] + self.output.mean[i];
                by_outputs[i] += slope * (value - query[i]) / distance * self.output.std[i];
            }
        }
        (parts, by_outputs)
    }

    /// Returns the network for use at run time.
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
    let work = queries.par_chunks(columns).zip(codes.par_chunks_mut(width)).zip(&frames);
    work.for_each(|((query, code), body)| {
        // There are rows, and queries are finite: the search returns a match.
        let _ = oracle.find(*body, query, code);
    });
    Batch { queries, codes, frames }
}
