//! Changes of a stick for which clips are made.

use super::gait::Gait;
use super::kit::angle_rad;
use super::route::Scenario;
use crate::input::{Gait as Pace, Stick};
use crate::math::{Facing, Random, lerp};
use crate::motion::StickSpeeds;
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;

/// Tested directions of a stick, in degrees from the body's facing, left positive.
const DIRECTIONS_DEG: [i32; 8] = [45, 90, 135, 180, -180, -135, -90, -45];
/// Maximum angle between a direction and a cycle that serves it, in radians.
const SERVES_RAD: f32 = 0.6;
/// Maximum lateral acceleration in curves, walking and running, in m/s2.
const ASIDE_MPS2: [f32; 2] = [3.0, 6.0];
/// Duration of a response, in seconds.
const RESPONSE_S: f32 = 2.0;
/// Routes with successive commands: number of routes, duration of each, range of a command's duration, and shares of
/// commands in which the stick rests, the character strafes, and the stick is partly deflected.
const ROUTES: u64 = 320;
const ROUTE_S: f32 = 3.0;
const HOLDS_S: [f32; 2] = [0.4, 2.0];
const RESTS: f32 = 0.33;
const STRAFES: f32 = 0.33;
const PARTLY: f32 = 0.2;
/// Partial deflections of the stick, and the full one.
const PARTS: [f32; 6] = [0.3, 0.45, 0.6, 0.75, 0.9, 1.0];
/// Turn rates of curves, as shares of the largest.
const CURVES: [f32; 8] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
const SEED: u64 = 13;
/// Number of phases of the stride at which a moving character turns or stops.
const PHASES: u32 = 8;
/// Duration of a short tap of the stick, in seconds.
const TAP_S: f32 = 0.35;

/// Returns all scenarios that can be made from the cycles.
pub fn all(gait: &Gait, speeds: &StickSpeeds) -> Vec<Scenario> {
    let mut out = Vec::new();
    for pace in [Pace::Walk, Pace::Run] {
        forward(&mut out, pace, speeds);
        strafing(&mut out, pace, gait);
    }
    for (from, to) in [(Pace::Walk, Pace::Run), (Pace::Run, Pace::Walk)] {
        for phase in [0.0, 0.5] {
            let name = format!("change_{}_{}_{}", word(from), word(to), foot(phase));
            let ahead = |pace| Stick::towards(Vec3::Z, pace);
            out.push(Scenario { before: Some(ahead(from)), after: vec![(0.0, ahead(to))], phase, ..named(name) });
        }
    }
    for deg in DIRECTIONS_DEG {
        let look = Stick { strafe: true, look: stick_of(deg), ..Stick::default() };
        let first = usize::from(deg < 0);
        out.push(Scenario { after: vec![(0.0, look)], first, ..named(format!("turn_{}", side(deg))) });
    }
    out.extend((0..ROUTES).map(|k| random(k, gait)));
    out
}

/// Returns a route with successive commands in any direction, each before the response to the previous one is over.
fn random(index: u64, gait: &Gait) -> Scenario {
    let mut random = Random(SEED + index);
    let aside = DIRECTIONS_DEG.iter().all(|deg| serves(gait, *deg));
    let stick = |random: &mut Random| {
        let pace = if random.unit() < 0.5 { Pace::Walk } else { Pace::Run };
        let [towards, look] = [0; 2].map(|_| Stick::towards(direction_rad(TAU * random.unit()), pace));
        let strafe = random.unit() < STRAFES && aside;
        let share = if random.unit() < PARTLY { lerp(PARTS[0], 1.0, random.unit()) } else { 1.0 };
        let movement = if random.unit() < RESTS { Vec2::ZERO } else { partly(towards, share).movement };
        Stick { movement, strafe, look: look.movement, ..towards }
    };
    let before = stick(&mut random);
    let mut after = Vec::new();
    let mut from_s = 0.0;
    while from_s < ROUTE_S {
        after.push((from_s, stick(&mut random)));
        from_s += HOLDS_S[0] + (HOLDS_S[1] - HOLDS_S[0]) * random.unit();
    }
    let moves = before.movement != Vec2::ZERO;
    Scenario { before: moves.then_some(before), after, seconds: ROUTE_S, ..named(format!("route_{index}")) }
}

/// Returns a stick that is partly deflected.
fn partly(stick: Stick, share: f32) -> Stick {
    Stick { movement: stick.movement * share, ..stick }
}

/// Adds scenarios of a character that faces its direction of movement.
fn forward(out: &mut Vec<Scenario>, pace: Pace, speeds: &StickSpeeds) {
    let towards = |deg: i32| Stick::towards(direction(deg), pace);
    let word = word(pace);
    for first in [0, 1] {
        let foot = ["left", "right"][first];
        for deg in [0].into_iter().chain(DIRECTIONS_DEG) {
            let name = format!("start_{word}_{}_{foot}_foot", side(deg));
            out.push(Scenario { after: vec![(0.0, towards(deg))], first, ..named(name) });
        }
    }
    for phase in (0..PHASES).map(|k| f64::from(k) / f64::from(PHASES)) {
        for deg in DIRECTIONS_DEG {
            let name = format!("plant_{word}_{}_{}", side(deg), foot(phase));
            out.push(Scenario { before: Some(towards(0)), after: vec![(0.0, towards(deg))], phase, ..named(name) });
        }
        let rest = Stick { gait: pace, ..Stick::default() };
        let name = format!("stop_{word}_{}", foot(phase));
        out.push(Scenario { before: Some(towards(0)), after: vec![(0.0, rest)], phase, ..named(name) });
    }
    for share in PARTS {
        let name = format!("pace_{word}_{:.0}", 100.0 * share);
        out.push(Scenario { before: Some(partly(towards(0), share)), seconds: 3.0, ..named(name) });
    }
    let run = usize::from(pace == Pace::Run);
    let speed = [speeds.walk.forward_mps, speeds.run.forward_mps][run];
    for share in CURVES {
        for sign in [1.0, -1.0] {
            let turn_radps = sign * share * ASIDE_MPS2[run] / speed;
            let name = format!("curve_{word}_{:.0}_{}", 100.0 * share, if sign > 0.0 { "left" } else { "right" });
            out.push(Scenario { before: Some(towards(0)), turn_radps, seconds: 3.0, ..named(name) });
        }
    }
}

/// Adds scenarios of a character that faces +Z, in the directions that cycles serve.
fn strafing(out: &mut Vec<Scenario>, pace: Pace, gait: &Gait) {
    let word = word(pace);
    let towards = |deg: i32| Stick { strafe: true, look: Vec2::Y, ..Stick::towards(direction(deg), pace) };
    let rest = Stick { strafe: true, look: Vec2::Y, gait: pace, ..Stick::default() };
    let directions = [0].into_iter().chain(DIRECTIONS_DEG).filter(|d| *d != -180);
    let served: Vec<i32> = directions.filter(|d| serves(gait, *d)).collect();
    if served.len() == DIRECTIONS_DEG.len() {
        for (tightness, turn_radps) in [("slow", 0.8), ("quick", 1.6)] {
            for sign in [1.0, -1.0] {
                let name = format!("strafe_circle_{word}_{tightness}_{}", if sign > 0.0 { "left" } else { "right" });
                let circle = named(name);
                let seconds = TAU / turn_radps;
                out.push(Scenario { before: Some(towards(0)), turn_radps: sign * turn_radps, seconds, ..circle });
            }
        }
    }
    for deg in &served {
        let first = usize::from(*deg < 0);
        if *deg != 0 {
            let name = format!("strafe_pace_{word}_{}", side(*deg));
            out.push(Scenario { before: Some(towards(*deg)), seconds: 3.0, ..named(name) });
            let name = format!("strafe_start_{word}_{}", side(*deg));
            out.push(Scenario { after: vec![(0.0, towards(*deg))], first, ..named(name) });
            for phase in [0.0, 0.5] {
                let name = format!("strafe_stop_{word}_{}_{}", side(*deg), foot(phase));
                out.push(Scenario { before: Some(towards(*deg)), after: vec![(0.0, rest)], phase, ..named(name) });
            }
        }
        if pace == Pace::Walk {
            let name = format!("step_{}", side(*deg));
            out.push(Scenario { after: vec![(0.0, towards(*deg)), (TAP_S, rest)], first, ..named(name) });
        }
        for to in served.iter().filter(|to| *to != deg) {
            let name = format!("strafe_change_{word}_{}_{}", side(*deg), side(*to));
            // Half of the changes start at each half of the stride.
            let phase = if (deg + to).rem_euclid(2) == 0 { 0.0 } else { 0.5 };
            out.push(Scenario { before: Some(towards(*deg)), after: vec![(0.0, towards(*to))], phase, ..named(name) });
        }
    }
}

fn named(name: String) -> Scenario {
    Scenario { name, before: None, after: Vec::new(), turn_radps: 0.0, seconds: RESPONSE_S, phase: 0.0, first: 0 }
}

fn word(pace: Pace) -> &'static str {
    if pace == Pace::Walk { "walk" } else { "run" }
}

/// Returns a name for the phase of the stride at which a scenario starts.
fn foot(phase: f64) -> String {
    format!("phase_{:.0}", 100.0 * phase)
}

/// Returns true if a cycle moves approximately in a direction.
fn serves(gait: &Gait, deg: i32) -> bool {
    gait.cycles.iter().any(|c| angle_rad(c.velocity_mps, direction(deg)) < SERVES_RAD)
}

fn direction_rad(yaw_rad: f32) -> Vec3 {
    Facing::from_yaw(yaw_rad).direction()
}

fn direction(deg: i32) -> Vec3 {
    // A half turn to the left and one to the right are slightly less than 180 degrees, to be distinguishable.
    let deg = (deg as f32).clamp(-179.0, 179.0);
    direction_rad(deg.to_radians())
}

fn stick_of(deg: i32) -> Vec2 {
    Stick::towards(direction(deg), Pace::Walk).movement
}

fn side(deg: i32) -> String {
    match deg {
        0 => "0".to_owned(),
        d => format!("{}_{}", d.abs(), if d > 0 { "left" } else { "right" }),
    }
}
