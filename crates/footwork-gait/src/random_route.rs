//! Random routes: a random stick, filtered by the velocity spring of a game; each with its mirror image.

use crate::path::Leg;
use crate::recipe::Recipe;
use crate::repertoire::{RUN, WALK, stick};
use footwork::advanced::math::{Random, wrap_angle};
use std::f32::consts::PI;

/// Length of a route, in seconds.
const ROUTE_S: f32 = 36.0;
/// Number of routes; each is also mirrored.
const ROUTES: usize = 8;

/// Returns the routes of a seed.
pub(crate) fn recipes(seed: u64) -> Vec<Recipe> {
    (0..ROUTES)
        .flat_map(|i| {
            let mut random = Random(seed ^ (i as u64).wrapping_mul(0xD134_2543_DE82_EF95));
            let route = Recipe::new(format!("route_{i}"), &["route"], legs(&mut random));
            let mirrored = route.mirrored(format!("route_{i}_mirrored"));
            [route, mirrored]
        })
        .collect()
}

/// Stick targets, each held for 0.5 to 2 seconds.
fn legs(random: &mut Random) -> Vec<Leg> {
    let mut legs = vec![Leg::steady(0.5, 0.0, 0.0, 0.0)];
    let (mut left, mut facing, mut strafe, mut run) = (ROUTE_S, 0.0f32, false, false);
    while left > 0.0 {
        let seconds = random.between(0.5, 2.0).min(left.max(0.5));
        left -= seconds;
        if random.unit() < 0.25 {
            run = !run;
        }
        if random.unit() < 0.2 {
            strafe = !strafe;
        }
        let speeds = if run { RUN } else { WALK };
        // Half of all changes are small corrections, the others are in any direction.
        let turn = if random.unit() < 0.5 { random.between(-0.6, 0.6) } else { random.between(-PI, PI) };
        let push = if random.unit() < 0.7 { 1.0 } else { random.between(0.4, 1.0) };
        if random.unit() < 0.12 {
            legs.push(Leg::goal(seconds.max(1.2), 0.0, 0.0, facing));
        } else if strafe {
            if random.unit() < 0.3 {
                facing += random.between(-1.0, 1.0);
            }
            let (v, way) = stick(speeds, random.between(-PI, PI));
            legs.push(Leg::goal(seconds, v * push, facing + way, facing));
        } else {
            facing += wrap_angle(turn);
            legs.push(Leg::goal(seconds, speeds[0] * push, facing, facing));
        }
    }
    legs
}
