//! The probe: layouts without mark-up are crossed by actions that it proposes.

use crate::common;

use common::Random;
use common::actions::{character, database};
use footwork::actions::{Proposals, RayHit};
use footwork::input::{ActionRequest, Gait, GroundPoint, MotionInput, Stick};
use footwork::matcher::{ActionStep, MotionMatcher};
use footwork::math::Transform;
use glam::Vec3;

const DT_S: f32 = 1.0 / 60.0;

/// Boxes on the ground: low and high corners. The ground is at height 0, with holes.
#[derive(Debug, Default)]
struct World {
    boxes: Vec<[Vec3; 2]>,
    floors: Vec<[Vec3; 2]>,
}

impl World {
    /// Draws three obstacles along +Z. Returns the end of each, too.
    fn draw(seed: u64) -> (Self, Vec<(f32, &'static str)>) {
        let mut r = Random(Random::sub_seed(31, seed));
        let (mut world, mut ends, mut z, mut floor) = (Self::default(), Vec::new(), 5.0, -9.0);
        for _ in 0..3 {
            z += r.between(0.0, 1.5);
            let mut across = |deep_m: f32, height_m: f32| {
                world.boxes.push([Vec3::new(-4.0, 0.0, z), Vec3::new(4.0, height_m, z + deep_m)]);
                deep_m
            };
            let (deep_m, name) = match r.below(5) {
                0 => (across(r.between(0.1, 0.25), r.between(0.45, 0.75)), "low wall"),
                1 => (across(r.between(0.1, 0.25), r.between(0.85, 1.15)), "wall"),
                2 => (across(5.0, r.between(1.05, 1.55)), "ledge"),
                3 => (across(4.0, r.between(0.2, 0.4)), "step"),
                _ => {
                    world.floors.push([Vec3::new(-9.0, -1.0, floor), Vec3::new(9.0, 0.0, z)]);
                    let wide_m = r.between(1.1, 1.7);
                    floor = z + wide_m;
                    (wide_m, "gap")
                }
            };
            z += deep_m;
            ends.push((z, name));
            z += 5.0;
        }
        world.floors.push([Vec3::new(-9.0, -1.0, floor), Vec3::new(9.0, 0.0, z + 30.0)]);
        (world, ends)
    }

    fn all(&self) -> impl Iterator<Item = &[Vec3; 2]> {
        self.boxes.iter().chain(&self.floors)
    }

    /// Returns the first hit of a ray.
    fn cast(&self, from: Vec3, along: Vec3, most_m: f32) -> Option<RayHit> {
        let hit = |[low, high]: &[Vec3; 2]| {
            let (mut enter_m, mut leave_m, mut normal) = (f32::NEG_INFINITY, f32::INFINITY, Vec3::ZERO);
            for k in 0..3 {
                if along[k].abs() < 1e-6 {
                    if from[k] < low[k] || from[k] > high[k] {
                        return None;
                    }
                    continue;
                }
                let (a, b) = ((low[k] - from[k]) / along[k], (high[k] - from[k]) / along[k]);
                if a.min(b) > enter_m {
                    (enter_m, normal) = (a.min(b), Vec3::ZERO);
                    normal[k] = -along[k].signum();
                }
                leave_m = leave_m.min(a.max(b));
            }
            let met = enter_m <= leave_m && enter_m >= 0.0 && enter_m <= most_m;
            met.then_some(RayHit { distance_m: enter_m, normal })
        };
        self.all().filter_map(hit).min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))
    }

    /// Returns the ground on which a body at a point stands: the highest top that it could step on. Walls are none.
    fn ground(&self, at: Vec3) -> GroundPoint {
        let under = |[low, high]: &&[Vec3; 2]| (low.x..=high.x).contains(&at.x) && (low.z..=high.z).contains(&at.z);
        let deep = |[low, high]: &&[Vec3; 2]| high.z - low.z > 1.0 && high.y <= at.y + 0.5;
        let top_m = self.all().filter(under).filter(deep).map(|[_, high]| high.y).fold(f32::NEG_INFINITY, f32::max);
        GroundPoint { height_m: if top_m.is_finite() { top_m } else { 0.0 }, ..GroundPoint::default() }
    }
}

/// Results of a run.
#[derive(Debug, Default)]
struct Crossed {
    /// Positions along +Z at which actions were entered.
    entered_m: Vec<f32>,
    refused: usize,
    least_in_5_s_m: f32,
}

/// Crosses a world with the stick held ahead. The first proposal that is not rejected is kept.
fn cross(world: &World, gait: Gait, end_m: f32) -> Crossed {
    let mut m = MotionMatcher::of(character(), Transform::IDENTITY).unwrap();
    let db = database();
    let ground = |at: Vec3| world.ground(at);
    let ray = |from: Vec3, along: Vec3, most_m: f32| world.cast(from, along, most_m);
    let (mut action, mut id, mut tried): (Option<ActionRequest>, u16, usize) = (None, 0, 0);
    let mut seen = Crossed { least_in_5_s_m: f32::INFINITY, ..Crossed::default() };
    let mut ways_m = vec![0.0f32];
    for frame in 0..60 * 60 {
        if action.is_none() && frame % 6 == 0 {
            let found: Proposals = m.character().probe(m.state(), &ray);
            let next = found.found().iter().filter(|p| p.kinds[0] != Some("sit") && p.distance_m < 3.0).nth(tried);
            action = next.and_then(|p| p.request(&db, id + 1));
            id += u16::from(action.is_some());
            tried = if action.is_some() { tried } else { 0 };
        }
        let input = MotionInput { ground: Some(&ground), action, ..MotionInput::stick(Stick::towards(Vec3::Z, gait)) };
        m.update(&input, DT_S).unwrap();
        let at_m = m.pose().world_from_root().translation.z;
        for event in m.output().actions.iter().filter(|e| e.id == id) {
            match event.step {
                ActionStep::Entered { .. } => seen.entered_m.push(at_m),
                ActionStep::Left => (action, tried) = (None, 0),
                ActionStep::Refused(_) => (action, tried, seen.refused) = (None, tried + 1, seen.refused + 1),
                _ => {}
            }
        }
        // An obstacle that was passed without an action is not requested any more.
        if let Some(request) = action
            && m.character().playing_action(m.state()).is_none()
            && request.contacts[0].is_some_and(|c| c.position.z < at_m - 0.3)
        {
            (action, tried) = (None, 0);
        }
        ways_m.push(at_m);
        if frame >= 300 {
            seen.least_in_5_s_m = seen.least_in_5_s_m.min(at_m - ways_m[frame - 300]);
        }
        if at_m > end_m + 1.0 {
            break;
        }
    }
    seen
}

#[test]
fn layouts_without_mark_up_are_crossed_with_the_stick_held_ahead() {
    let (mut taken, mut of_all, mut least_m) = (0, 0, f32::INFINITY);
    let mut missed: std::collections::BTreeMap<&str, [usize; 2]> = Default::default();
    for seed in 0..50 {
        let (world, ends) = World::draw(seed);
        let gait = if seed % 2 == 0 { Gait::Walk } else { Gait::Run };
        let seen = cross(&world, gait, ends[2].0);
        let mut from_m = 0.0;
        for (end_m, name) in ends {
            let met = seen.entered_m.iter().any(|at_m| (from_m..end_m).contains(at_m));
            (taken, of_all, from_m) = (taken + usize::from(met), of_all + 1, end_m);
            let counts = missed.entry(name).or_default();
            *counts = [counts[0] + usize::from(met), counts[1] + 1];
        }
        least_m = least_m.min(seen.least_in_5_s_m);
    }
    assert!(taken * 100 >= of_all * 95 && least_m >= 0.5, "{taken} of {of_all}, {least_m} m in 5 s, {missed:?}");
}
