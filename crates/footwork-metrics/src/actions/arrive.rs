//! The part of the course that arrives: marks at any distance and facing, from standing, walking and running.
//!
//! The character goes there by itself. Where and when it comes to rest is measured on the shown root, against the request alone.

use super::ask::{LONGEST_FRAMES, RUN_UP_FRAMES};
use super::error::ActionsError;
use crate::RATE_HZ;
use crate::samples::percentile_or_zero;
use footwork::advanced::math::Random;
use footwork::input::{ActionRequest, Goal, MotionInput};
use footwork::matcher::{ActionStep, Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::f32::consts::PI;
use std::sync::Arc;

/// Distances of the marks, in metres.
const AWAY_M: [f32; 2] = [0.5, 6.0];
/// Frames after the end of a request in which the root is observed: 1 s.
const AFTER_FRAMES: usize = 60;
/// Distance and angle from its last place within which the root rests: metres, degrees.
const RESTS: [f32; 2] = [0.01, 1.0];

/// Results of the arrivals of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ArrivalFigures {
    /// Number of requests to arrive.
    pub arrivals: usize,
    /// Share that was rejected, at once or after waiting, in percent.
    pub arrival_refused_pct: f32,
    /// Distance of the shown root from its requested place once it rests, 99th percentile, metres.
    pub arrival_m_p99: f32,
    /// Angle of the shown root from its requested facing once it rests, 99th percentile, degrees.
    pub arrival_deg_p99: f32,
    /// Difference between the requested and the real time of the rest, 99th percentile, seconds; of the requests that named a time.
    pub arrival_s_p99: f32,
    /// Time from the request to the rest, median, seconds.
    pub arrival_took_s_p50: f32,
    /// Reasons for which arrivals were rejected, with their numbers.
    pub arrival_reasons: BTreeMap<String, usize>,
}

/// A request to arrive.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Speed of the run-up, in m/s.
    speed_mps: f32,
    /// Distance, in metres, direction and facing, relative to the root.
    away_m: f32,
    to: Facing,
    facing: Facing,
    /// Time from the request to the rest, in seconds.
    instant_s: Option<f32>,
}

impl Asked {
    /// Draws request number `k` of a course with this seed.
    fn draw(seed: u64, k: usize) -> Self {
        let mut random = Random(Random::sub_seed(seed ^ 0x0a44_17e5, k as u64));
        let speed_mps = [0.0, random.between(0.8, 1.75), random.between(2.0, 4.0)][k % 3];
        let away_m = random.between(AWAY_M[0], AWAY_M[1]);
        let [to, facing] = [0, 1].map(|_| Facing::from_yaw(random.between(-PI, PI)));
        // Time to turn, to go at a walk and to turn again.
        let named_s = 3.0 + speed_mps * 0.5 + away_m / random.between(0.8, 1.2);
        Self { speed_mps, away_m, to, facing, instant_s: (random.unit() < 0.5).then_some(named_s) }
    }
}

/// What became of a request.
#[derive(Debug)]
enum Outcome {
    /// Distance in metres, angle in degrees, time since the request and time error in seconds.
    Arrived { off_m: f32, off_deg: f32, took_s: f32, off_s: Option<f32> },
    /// Reason.
    Refused(String),
}

/// Runs that many requests on all cores.
pub fn arrive(character: &Arc<Character>, seed: u64, requests: usize) -> Result<ArrivalFigures, ActionsError> {
    let run = |k: usize| one(character, &Asked::draw(seed, k));
    let outcomes: Vec<Outcome> = (0..requests).into_par_iter().map(run).collect::<Result<_, ActionsError>>()?;
    let mut out = ArrivalFigures { arrivals: requests, ..Default::default() };
    let [mut all_m, mut all_deg, mut all_s, mut took_s] = [const { Vec::new() }; 4];
    for outcome in outcomes {
        match outcome {
            Outcome::Arrived { off_m, off_deg, took_s: took, off_s } => {
                all_m.push(off_m);
                all_deg.push(off_deg);
                took_s.push(took);
                all_s.extend(off_s);
            }
            Outcome::Refused(reason) => *out.arrival_reasons.entry(reason).or_default() += 1,
        }
    }
    out.arrival_refused_pct = 100.0 * (requests - all_m.len()) as f32 / requests.max(1) as f32;
    (out.arrival_m_p99, out.arrival_deg_p99) =
        (percentile_or_zero(&mut all_m, 99.0), percentile_or_zero(&mut all_deg, 99.0));
    (out.arrival_s_p99, out.arrival_took_s_p50) =
        (percentile_or_zero(&mut all_s, 99.0), percentile_or_zero(&mut took_s, 50.0));
    Ok(out)
}

/// Runs up, requests, and observes the root until it rests.
fn one(character: &Arc<Character>, asked: &Asked) -> Result<Outcome, ActionsError> {
    let mut matcher = MotionMatcher::of(Arc::clone(character), Transform::IDENTITY)?;
    let run_up = Goal::Velocity { velocity: Vec3::Z * asked.speed_mps, facing: Some(Facing::FORWARD) };
    let mut input = MotionInput { goal: run_up, ..MotionInput::default() };
    for _ in 0..RUN_UP_FRAMES {
        matcher.update(&input, 1.0 / RATE_HZ)?;
    }
    let root = matcher.pose().world_from_root();
    let ahead = Facing::from_rotation(root.rotation);
    let position = root.translation + ahead.turned(asked.to.yaw()).direction() * asked.away_m;
    let facing = ahead.turned(asked.facing.yaw());
    let from_s = matcher.state().header.clock.time_s;
    let window_s = asked.instant_s.map(|s| [from_s + f64::from(s); 2]);
    let request = ActionRequest { go: true, window_s, ..ActionRequest::arrive(1, position, facing) };
    // After the arrival, the goal is a halt.
    input = MotionInput { goal: Goal::Velocity { velocity: Vec3::ZERO, facing: None }, action: Some(request), ..input };
    let (mut roots, mut left) = (Vec::new(), None);
    while roots.len() < LONGEST_FRAMES as usize && left.is_none_or(|at| roots.len() < at + AFTER_FRAMES) {
        matcher.update(&input, 1.0 / RATE_HZ)?;
        roots.push(matcher.pose().world_from_root());
        for event in &matcher.output().actions {
            match event.step {
                ActionStep::Refused(refusal) => return Ok(Outcome::Refused(refusal.text("arrival"))),
                ActionStep::Left => left = Some(roots.len()),
                _ => {}
            }
        }
    }
    if left.is_none() {
        return Ok(Outcome::Refused("not met".to_owned()));
    }
    let last = roots[roots.len() - 1];
    let off = |root: &Transform, place: Vec3, facing: Facing| {
        let turn = Facing::from_rotation(root.rotation).angle_to(facing);
        [((root.translation - place) * Vec3::new(1.0, 0.0, 1.0)).length(), turn.abs().to_degrees()]
    };
    let (place, heading) = (last.translation, Facing::from_rotation(last.rotation));
    let rests = |root: &&Transform| {
        let [m, deg] = off(root, place, heading);
        m < RESTS[0] && deg < RESTS[1]
    };
    let moves = roots.len() - roots.iter().rev().take_while(rests).count();
    let took_s = moves as f32 / RATE_HZ;
    let [off_m, off_deg] = off(&last, position, facing);
    Ok(Outcome::Arrived { off_m, off_deg, took_s, off_s: asked.instant_s.map(|s| (took_s - s).abs()) })
}
