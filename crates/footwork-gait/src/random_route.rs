//! Random routes: a random stick, filtered by the velocity spring of a game. The built-in ones, each with its mirror image.

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
            let route = Recipe::new(format!("route_{i}"), &["route"], legs(&mut random, ROUTE_S, &Style::ANY));
            let mirrored = route.mirrored(format!("route_{i}_mirrored"));
            [route, mirrored]
        })
        .collect()
}

/// Manner in which a random stick moves. Shares are those of all targets of the stick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Factor of the speeds of a full stick.
    pub pace: f32,
    /// Range of the time that a target is held, in seconds.
    pub held_s: [f32; 2],
    /// Whether the route begins with a run, and with a facing that stays.
    pub runs: bool,
    pub strafes: bool,
    /// Shares of targets that change between walk and run, and between strafing and turning.
    pub changes_gait: f32,
    pub changes_facing: f32,
    /// Share of small corrections; other changes are in any direction.
    pub small: f32,
    /// Share of a full push; other pushes are weaker.
    pub full: f32,
    /// Share of stops.
    pub stops: f32,
    /// Share of curves: targets that turn as long as they are held.
    pub curves: f32,
}

impl Style {
    /// Style of the built-in routes: all that a stick can request.
    pub(crate) const ANY: Self = Self {
        pace: 1.0,
        held_s: [0.5, 2.0],
        runs: false,
        strafes: false,
        changes_gait: 0.25,
        changes_facing: 0.2,
        small: 0.5,
        full: 0.7,
        stops: 0.12,
        curves: 0.0,
    };
}

/// Maximum turn rate of a curve, in radians per second, and the least radius of its path, in metres.
const CURVE_RAD_S: f32 = 1.2;
const CURVE_M: f32 = 1.5;

/// Returns stick targets for `seconds`, after a short stand.
pub(crate) fn legs(random: &mut Random, seconds: f32, style: &Style) -> Vec<Leg> {
    let mut legs = vec![Leg::steady(0.5, 0.0, 0.0, 0.0)];
    let (mut left, mut facing, mut strafe, mut run) = (seconds, 0.0f32, style.strafes, style.runs);
    while left > 0.0 {
        let [least_s, most_s] = style.held_s;
        let seconds = random.between(least_s, most_s).min(left.max(least_s));
        left -= seconds;
        if random.unit() < style.changes_gait {
            run = !run;
        }
        if random.unit() < style.changes_facing {
            strafe = !strafe;
        }
        let speeds = if run { RUN } else { WALK }.map(|mps| mps * style.pace);
        let turn = if random.unit() < style.small { random.between(-0.6, 0.6) } else { random.between(-PI, PI) };
        let push = if random.unit() < style.full { 1.0 } else { random.between(0.4, 1.0) };
        if random.unit() < style.stops {
            legs.push(Leg::goal(seconds.max(1.2), 0.0, 0.0, facing));
        } else if strafe {
            if random.unit() < 0.3 {
                facing += random.between(-1.0, 1.0);
            }
            let (v, way) = stick(speeds, random.between(-PI, PI));
            legs.push(Leg::goal(seconds, v * push, facing + way, facing));
        } else {
            facing += wrap_angle(turn);
            let leg = Leg::goal(seconds, speeds[0] * push, facing, facing);
            // Without curves, no number is drawn for them: the built-in routes stay the same.
            if style.curves > 0.0 && random.unit() < style.curves {
                let most = CURVE_RAD_S.min(leg.speed / CURVE_M);
                let rate = random.between(-most, most);
                facing += rate * seconds;
                legs.push(Leg { travel_rate: rate, facing_rate: rate, ..leg });
            } else {
                legs.push(leg);
            }
        }
    }
    legs
}
