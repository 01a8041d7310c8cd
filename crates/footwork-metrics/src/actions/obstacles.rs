//! The field of obstacles: pillars, walls and people who walk to and fro, and a random stick. Each run is made twice, with the
//! obstacles in the input and without. The circle of a body is measured against them, at the root and at the hips.

use super::error::ActionsError;
use super::hips;
use crate::RATE_HZ;
use crate::samples::percentile_or_zero;
use footwork::advanced::math::{Random, cos, sin};
use footwork::input::{Gait, MotionInput, Obstacle, Obstacles, Stick};
use footwork::matcher::{Character, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::{Vec2, Vec3, Vec3Swizzles};
use rayon::prelude::*;
use serde::Serialize;
use std::f32::consts::TAU;
use std::sync::Arc;

/// Side of the squares that hold an obstacle each, in metres.
const CELL_M: f32 = 3.0;
/// Squares beyond that of the character whose obstacles are in the input.
const CELLS_AROUND: i32 = 2;
/// Radius of the measured body, in metres.
const BODY_M: f32 = 0.3;
/// Depth from which a body is inside, in metres.
const INSIDE_M: f32 = 1e-3;
/// Speed of the people, in m/s, and half of the way that they walk to and fro, in metres.
const PEOPLE: (f32, f32) = (1.3, 3.0);
/// Height of all obstacles, in metres.
const HEIGHT_M: f32 = 2.0;

/// Results of the field of obstacles.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ObstacleFigures {
    /// Depth of the body's circle in obstacles, at the root or the hips, 95th percentile of the frames in which it is inside, metres.
    pub inside_m_p95: f32,
    /// The greatest depth, metres.
    pub inside_m_max: f32,
    /// Share of the time in which the body is inside, relative to the same run without obstacles in the input.
    pub inside_time_ratio: f32,
    /// Share of the time in which the body is inside without obstacles in the input, percent.
    pub inside_pct_without: f32,
    /// Way of the root, relative to the same run without obstacles in the input.
    pub distance_ratio: f32,
}

/// A run through the field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleCourse {
    /// Number of runs.
    pub runs: usize,
    /// Length of each, seconds.
    pub seconds: u32,
    /// Seed of the fields and sticks.
    pub seed: u64,
}

/// Measurements of a run.
#[derive(Debug, Default)]
struct Seen {
    /// Depth of the body in obstacles in each frame, metres.
    depths_m: Vec<f32>,
    way_m: f32,
}

impl ObstacleCourse {
    /// Runs the course on all cores.
    ///
    /// # Errors
    /// Returns [`ActionsError`] if the input of a frame is rejected.
    pub fn run(&self, character: &Arc<Character>) -> Result<ObstacleFigures, ActionsError> {
        let run = |k: usize| {
            let seed = Random::sub_seed(self.seed, k as u64);
            [true, false].map(|given| self.one(character, seed, given)).into_iter().collect::<Result<Vec<_>, _>>()
        };
        let runs: Vec<Vec<Seen>> = (0..self.runs).into_par_iter().map(run).collect::<Result<_, _>>()?;
        let inside = |which: usize| -> Vec<f32> {
            let all = runs.iter().flat_map(|run| run[which].depths_m.iter().copied());
            all.filter(|depth_m| *depth_m > INSIDE_M).collect()
        };
        let way_m = |which: usize| runs.iter().map(|run| run[which].way_m).sum::<f32>();
        let (mut with, without) = (inside(0), inside(1));
        let frames: usize = runs.iter().map(|run| run[1].depths_m.len()).sum();
        Ok(ObstacleFigures {
            inside_m_p95: percentile_or_zero(&mut with, 95.0),
            inside_m_max: with.iter().copied().fold(0.0, f32::max),
            inside_time_ratio: with.len() as f32 / without.len().max(1) as f32,
            inside_pct_without: 100.0 * without.len() as f32 / frames.max(1) as f32,
            distance_ratio: way_m(0) / way_m(1).max(1e-3),
        })
    }

    /// Makes one run, with the obstacles in the input if they are `given`.
    fn one(&self, character: &Arc<Character>, seed: u64, given: bool) -> Result<Seen, ActionsError> {
        let mut matcher = MotionMatcher::of(Arc::clone(character), Transform::IDENTITY)?;
        let (mut stick, mut random, mut left_frames) = (Stick::default(), Random(!seed), 0u32);
        let (mut seen, mut near) = (Seen::default(), Vec::new());
        for frame in 1..=self.seconds * RATE_HZ as u32 {
            if left_frames == 0 {
                (stick, left_frames) = next_stick(&mut random);
            }
            left_frames -= 1;
            let before = matcher.pose().world_from_root().translation;
            write_field(seed, before, frame as f32 / RATE_HZ, &mut near);
            let obstacles = Obstacles::new(if given { &near } else { &[] });
            matcher.update(&MotionInput { obstacles, ..MotionInput::stick(stick) }, 1.0 / RATE_HZ)?;
            let root = matcher.pose().world_from_root();
            let circles = [root.translation, hips(&matcher)];
            let depth_m = |at: Vec3| near.iter().map(|o| depth_m(o, at)).fold(0.0, f32::max);
            seen.depths_m.push(circles.into_iter().map(depth_m).fold(0.0, f32::max));
            seen.way_m += (root.translation - before).xz().length();
        }
        Ok(seen)
    }
}

/// Returns a stick, and the frames for which it is held.
fn next_stick(random: &mut Random) -> (Stick, u32) {
    let yaw = random.between(0.0, TAU);
    let gait = if random.unit() < 0.4 { Gait::Run } else { Gait::Walk };
    let push = if random.unit() < 0.1 { 0.0 } else { random.between(0.5, 1.0) };
    let held = (random.between(0.4, 2.4) * RATE_HZ) as u32;
    (Stick { movement: Vec2::new(sin(yaw), cos(yaw)) * push, gait, ..Stick::default() }, held)
}

/// Writes the obstacles around a position at a time to `near`.
fn write_field(seed: u64, at: Vec3, time_s: f32, near: &mut Vec<Obstacle>) {
    near.clear();
    let cell = |v: f32| (v / CELL_M).round() as i32;
    for x in cell(at.x) - CELLS_AROUND..=cell(at.x) + CELLS_AROUND {
        for z in cell(at.z) - CELLS_AROUND..=cell(at.z) + CELLS_AROUND {
            near.extend(in_cell(seed, x, z, time_s));
        }
    }
}

/// Returns the obstacle of a square; none in the one of the start.
fn in_cell(seed: u64, x: i32, z: i32, time_s: f32) -> Option<Obstacle> {
    let key = ((x as u32 as u64) << 32) | z as u32 as u64;
    let mut r = Random(Random::sub_seed(seed, key));
    let middle = Vec3::new(x as f32, 0.0, z as f32) * CELL_M;
    let at = middle + Vec3::new(r.between(-0.8, 0.8), 0.0, r.between(-0.8, 0.8));
    let facing = Facing::from_yaw(r.between(0.0, TAU));
    let of = match r.below(10) {
        0..3 => Obstacle::circle(at, r.between(0.15, 0.6), HEIGHT_M),
        3..6 => {
            let half_m = Vec2::new(r.between(0.1, 1.2), r.between(0.1, 0.5));
            Obstacle::cuboid(at, half_m, facing, HEIGHT_M)
        }
        6..8 => {
            let (speed_mps, half_way_m) = PEOPLE;
            let phase = (r.unit() + time_s * speed_mps / (4.0 * half_way_m)).fract();
            let (share, sign) = if phase < 0.5 { (4.0 * phase - 1.0, 1.0) } else { (3.0 - 4.0 * phase, -1.0) };
            let along = facing.direction();
            Obstacle::circle(at + along * half_way_m * share, 0.3, HEIGHT_M).moving(along * speed_mps * sign)
        }
        _ => return None,
    };
    (x != 0 || z != 0).then_some(of)
}

/// Returns how deep the circle of a body is in an obstacle, in metres; 0 outside. Boxes are measured by their corners and edges.
fn depth_m(of: &Obstacle, at: Vec3) -> f32 {
    let (p, centre) = (at.xz(), of.position.xz());
    if of.half_m == Vec2::ZERO {
        return (of.radius_m + BODY_M - p.distance(centre)).max(0.0);
    }
    let (along, across) = (of.facing.xz(), Vec2::new(of.facing.z, -of.facing.x));
    let corner = |x: f32, z: f32| centre + across * (of.half_m.x * x) + along * (of.half_m.y * z);
    let corners = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0), corner(-1.0, 1.0)];
    let edges = (0..4).map(|k| (corners[k], corners[(k + 1) % 4]));
    let to_edge = |(a, b): (Vec2, Vec2)| {
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        p.distance(a.lerp(b, t))
    };
    let nearest_m = edges.clone().map(to_edge).fold(f32::INFINITY, f32::min);
    let sides = edges.map(|(a, b)| (b - a).perp_dot(p - a));
    let within = sides.clone().all(|s| s <= 0.0) || sides.into_iter().all(|s| s >= 0.0);
    if within { BODY_M + nearest_m } else { (BODY_M - nearest_m).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_a_body_is_that_of_its_circle_in_a_turned_box() {
        let wall = Obstacle::cuboid(Vec3::ZERO, Vec2::new(2.0, 0.5), Facing { x: 1.0, z: 0.0 }, 1.0);
        let depth = |x: f32, z: f32| depth_m(&wall, Vec3::new(x, 3.0, z));
        assert!((depth(0.7, 0.0) - 0.1).abs() < 1e-6 && (depth(0.0, 1.9) - 0.4).abs() < 1e-6);
        assert_eq!((depth(0.81, 0.0), depth(0.0, 2.31), depth(0.75, 2.25)), (0.0, 0.0, 0.0));
    }
}
