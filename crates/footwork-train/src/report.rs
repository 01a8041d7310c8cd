//! Quality of networks: errors in centimetres against the database that they were trained on.

use crate::calibrate::quantile;
use crate::dataset::{Dataset, Sequence};
use crate::phase::Phase;
use crate::projector::Oracle;
use crate::random::Random;
use footwork::advanced::learned::{BodyLayout, Decompression, STEP_S, Sampler};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::pose::Pose;
use footwork_metrics::learned::{FRAMES, steps_in};
use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;

/// Distances of joints in root space, centimetres.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PointErrors {
    /// Mean.
    pub mean_cm: f32,
    /// 99th percentile.
    pub p99_cm: f32,
    /// Largest.
    pub max_cm: f32,
}

impl PointErrors {
    fn of(metres: Vec<f32>) -> Self {
        let mean = metres.iter().sum::<f32>() / metres.len().max(1) as f32;
        let max = metres.iter().copied().fold(0.0, f32::max);
        Self { mean_cm: 100.0 * mean, p99_cm: 100.0 * quantile(metres, 0.99), max_cm: 100.0 * max }
    }
}

/// Errors of trained networks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Quality {
    /// Error of poses that were compressed and decompressed: all joints.
    pub reconstruction: PointErrors,
    /// The same for contact joints.
    pub contact_joints: PointErrors,
    /// Mean speed in the world of joints in contact, cm/s: in compressed and decompressed poses, and in poses of the data.
    pub planted_cm_s: [f32; 2],
    /// Share of contact labels that are correct.
    pub contacts_right: f32,
    /// Error of the stepper from a compressed frame, against the decompressed continuation: frames of 1/60 s, and mean
    /// centimetres.
    pub stepper_cm: Vec<(usize, f32)>,
    /// Mean ratio of distances for queries like a game's: to the features that the projector finds, and to those that the search
    /// finds.
    pub projector_cost_ratio: f32,
    /// Mean distance of joints between the results of the projector and of the search, centimetres.
    pub projector_cm: f32,
}

/// Approximate number of measured poses.
const POSES: usize = 4000;
/// Approximate number of measured rollouts of the stepper.
const ROLLOUTS: usize = 150;
/// Number of measured queries.
const QUERIES: usize = 1000;

struct Poser<'a> {
    db: &'a Database,
    networks: &'a Networks,
    room: Decompression,
    body: Vec<f32>,
    pose: Pose,
}

impl<'a> Poser<'a> {
    fn new(db: &'a Database, networks: &'a Networks) -> Self {
        let body = vec![0.0; networks.layout().width()];
        Self { db, networks, room: Decompression::new(networks), body, pose: Pose::rest(&db.skeleton) }
    }

    /// Returns the joints of a body in root space.
    fn points(&mut self, body: &[f32]) -> Vec<Vec3> {
        self.networks.layout().decode(body, &mut self.pose);
        self.pose.set_world_from_root(footwork::math::Transform::IDENTITY);
        let mut placed = Vec::new();
        self.pose.world(&self.db.skeleton, &mut placed);
        placed.into_iter().map(|t| t.translation).collect()
    }

    fn points_of_code(&mut self, code: &[f32]) -> Vec<Vec3> {
        self.networks.decompress(code, &mut self.body, &mut self.room);
        let body = std::mem::take(&mut self.body);
        let points = self.points(&body);
        self.body = body;
        points
    }
}

fn distances(a: &[Vec3], b: &[Vec3]) -> Vec<f32> {
    a.iter().zip(b).skip(1).map(|(a, b)| a.distance(*b)).collect()
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}

#[derive(Default)]
struct Found {
    all: Vec<f32>,
    contact_joints: Vec<f32>,
    contacts_right: Vec<f32>,
    planted: [Vec<f32>; 2],
    stepped: [Vec<f32>; FRAMES.len()],
}

/// Measures networks against their database.
pub fn measure(db: &Database, data: &Dataset, networks: &Networks, oracle: &Oracle, seed: u64) -> Quality {
    let parts: Vec<Found> = data.sequences.par_iter().map(|s| measure_sequence(db, data, networks, s)).collect();
    let mut all = Found::default();
    for part in parts {
        all.all.extend(part.all);
        all.contact_joints.extend(part.contact_joints);
        all.contacts_right.extend(part.contacts_right);
        all.planted.iter_mut().zip(part.planted).for_each(|(a, p)| a.extend(p));
        all.stepped.iter_mut().zip(part.stepped).for_each(|(a, p)| a.extend(p));
    }
    let (projector_cost_ratio, projector_cm) = measure_projector(db, data, networks, oracle, seed);
    Quality {
        reconstruction: PointErrors::of(all.all),
        contact_joints: PointErrors::of(all.contact_joints),
        planted_cm_s: [0, 1].map(|i| 100.0 * mean(&all.planted[i])),
        contacts_right: mean(&all.contacts_right),
        stepper_cm: FRAMES.iter().zip(&all.stepped).map(|(n, e)| (*n, 100.0 * mean(e))).collect(),
        projector_cost_ratio,
        projector_cm,
    }
}

fn measure_sequence(db: &Database, data: &Dataset, networks: &Networks, s: &Sequence) -> Found {
    let mut poser = Poser::new(db, networks);
    let mut sampler = Sampler::for_character(db, networks.character());
    let mut found = Found::default();
    let layout = networks.layout().clone();
    let code_at = |frame: usize, sampler: &mut Sampler, poser: &mut Poser| {
        let mut code = vec![0.0; networks.code_width()];
        networks.compress(sampler, (s.clip, s.mirrored, s.time_s(frame)), &mut code, &mut poser.room);
        code
    };
    // Rollouts start at some of the measured poses, evenly over the whole data set.
    let stride = (data.frames() / POSES).max(1);
    let rollouts = (POSES / ROLLOUTS).max(1);
    let last = steps_in(FRAMES[FRAMES.len() - 1]);
    for frame in s.frames.clone().filter(|frame| frame % stride == 0) {
        let code = code_at(frame, &mut sampler, &mut poser);
        let truth = poser.points(data.body(frame));
        let points = poser.points_of_code(&code);
        found.all.extend(distances(&points, &truth));
        found.contact_joints.extend(db.rig.contact_joints.iter().map(|j| points[j.at()].distance(truth[j.at()])));
        let contacts = layout.contacts.clone().map(|i| (poser.body[i] > 0.5) == (data.body(frame)[i] > 0.5));
        found.contacts_right.extend(contacts.map(|right| f32::from(u8::from(right))));
        let later = code_at(frame + 1, &mut sampler, &mut poser);
        let root = root_motion(&layout, &poser.body);
        let later_points = poser.points_of_code(&later);
        let decompressed = [root, root_motion(&layout, &poser.body)];
        let recorded = [data.body(frame), data.body(frame + 1)].map(|body| root_motion(&layout, body));
        let later_truth = poser.points(data.body(frame + 1));
        for (joint, contact) in db.rig.contact_joints.iter().zip(layout.contacts.clone()) {
            if data.body(frame)[contact] > 0.5 && data.body(frame + 1)[contact] > 0.5 {
                let j = joint.at();
                found.planted[0].push(speed([points[j], later_points[j]], decompressed));
                found.planted[1].push(speed([truth[j], later_truth[j]], recorded));
            }
        }
        if (frame / stride).is_multiple_of(rollouts) && frame + last < s.frames.end {
            let mut stepped = code;
            for step in 1..=last {
                networks.advance(&mut stepped, &mut poser.room);
                if let Some(slot) = FRAMES.iter().position(|n| steps_in(*n) == step) {
                    let points = poser.points_of_code(&stepped);
                    let truth = code_at(frame + step, &mut sampler, &mut poser);
                    let truth = poser.points_of_code(&truth);
                    found.stepped[slot].push(mean(&distances(&points, &truth)));
                }
            }
        }
    }
    found
}

/// Returns velocity and turn of the root.
fn root_motion(layout: &BodyLayout, body: &[f32]) -> (Vec3, Vec3) {
    (Vec3::from_slice(&body[layout.root_velocity.clone()]), Vec3::Y * body[layout.root_turn.start])
}

/// Returns the speed in the world of a joint between two positions in root space, one frame apart.
fn speed(places: [Vec3; 2], roots: [(Vec3, Vec3); 2]) -> f32 {
    let carried = [0, 1].map(|i: usize| roots[i].0 + roots[i].1.cross(places[i]));
    ((places[1] - places[0]) / STEP_S as f32 + 0.5 * (carried[0] + carried[1])).length()
}

fn measure_projector(db: &Database, data: &Dataset, networks: &Networks, oracle: &Oracle, seed: u64) -> (f32, f32) {
    let measured: Vec<(f32, f32)> = (0..QUERIES)
        .into_par_iter()
        .map_init(
            || Poser::new(db, networks),
            |poser, i| {
                let mut random = Random::new(seed, 1 + Phase::ALL.len() as u64, i as u64);
                let (body, query) = oracle.mixed_query(data, &mut random);
                let (mut code, mut best) = (vec![0.0; networks.code_width()], vec![0.0; networks.code_width()]);
                networks.project(&query, &mut code, &mut poser.room);
                let cost = oracle.find(body, &query, &mut best).unwrap_or(0.0).sqrt();
                let found = oracle.cost(&query, &code).sqrt();
                let points = poser.points_of_code(&code);
                let truth = poser.points_of_code(&best);
                (found / cost.max(1e-3), mean(&distances(&points, &truth)))
            },
        )
        .collect();
    let (ratios, errors): (Vec<f32>, Vec<f32>) = measured.into_iter().unzip();
    (mean(&ratios), 100.0 * mean(&errors))
}
