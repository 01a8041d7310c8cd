//! Which clips there are: what a stick can ask for, family by family, each with its mirror image.

use crate::body::Side;
use crate::path::Leg;
use crate::synth::Recipe;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

const DEG: f32 = PI / 180.0;
/// Speeds that a stick can ask for, m/s: (forward, side, back).
pub(crate) const RUN: [f32; 3] = [4.0, 3.0, 2.5];
pub(crate) const WALK: [f32; 3] = [1.75, 1.5, 1.25];

/// Velocity of a full stick at an angle from the facing: (speed, direction of travel). Axes are scaled separately, as
/// character controllers do.
pub(crate) fn stick(speeds: [f32; 3], angle: f32) -> (f32, f32) {
    let (s, c) = footwork::math::sin_cos(angle);
    let (x, z) = (s * speeds[1], c * if c > 0.0 { speeds[0] } else { speeds[2] });
    ((x * x + z * z).sqrt(), footwork::math::atan2(x, z))
}

/// Adds a recipe and its mirror image, `_left` and `_right`; the recipe must be the left one.
fn pair(out: &mut Vec<Recipe>, left: Recipe) {
    let base = left.name.clone();
    let right = left.mirrored(format!("{base}_right"));
    out.push(Recipe { name: format!("{base}_left"), first: Side::Left, ..left });
    out.push(Recipe { first: Side::Right, ..right });
}

/// Tag of a gait at a speed.
fn gait(speed: f32) -> &'static str {
    if speed < 2.1 { "walk" } else { "run" }
}

fn cm(speed: f32) -> i32 {
    (speed * 100.0 + 0.5) as i32
}

/// Everything but the random routes.
pub(crate) fn recipes() -> Vec<Recipe> {
    let mut out = Vec::new();
    let loops = |r: Recipe| Recipe { looping: true, ..r };
    out.push(loops(Recipe::new("idle", &["idle"], vec![Leg::steady(10.0, 0.0, 0.0, 0.0)])));
    straight(&mut out);
    starts_and_stops(&mut out);
    curves(&mut out);
    turns(&mut out);
    strafes(&mut out);
    backward(&mut out);
    out
}

fn straight(out: &mut Vec<Recipe>) {
    for v in [0.8, 1.25, 1.75, 2.5, 3.0, 4.0] {
        let name = format!("{}_{}", gait(v), cm(v));
        out.push(Recipe::new(name.clone(), &[gait(v)], vec![Leg::steady(5.0, v, 0.0, 0.0)]));
        let mut looped = Recipe::new(format!("{name}_loop"), &[gait(v)], vec![Leg::steady(2.2, v, 0.0, 0.0)]);
        looped.looping = true;
        out.push(looped);
    }
    for (from, to) in [(1.75, 4.0), (4.0, 1.75), (1.25, 2.5), (2.5, 1.25)] {
        let legs = vec![Leg::steady(0.8, from, 0.0, 0.0), Leg::goal(2.0, to, 0.0, 0.0)];
        out.push(Recipe::new(format!("change_{}_{}", cm(from), cm(to)), &["change"], legs));
    }
}

fn starts_and_stops(out: &mut Vec<Recipe>) {
    for v in [WALK[0], RUN[0]] {
        let stand = Leg::steady(0.6, 0.0, 0.0, 0.0);
        for first in Side::BOTH {
            let foot = ["left", "right"][first.at()];
            let start = vec![stand, Leg::goal(2.2, v, 0.0, 0.0)];
            let name = format!("start_{}_{foot}_foot", gait(v));
            out.push(Recipe { first, ..Recipe::new(name, &["start", gait(v)], start) });
            // Half a step later the other foot is in front.
            let cadence = crate::laws::cadence_hz(v);
            let seconds = 0.6 + if first == Side::Left { 0.0 } else { 1.0 / cadence };
            let stop = vec![Leg::steady(seconds, v, 0.0, 0.0), Leg::goal(1.9, 0.0, 0.0, 0.0)];
            let name = format!("stop_{}_{foot}_foot", gait(v));
            out.push(Recipe::new(name, &["stop", gait(v)], stop));
        }
        for angle in [45, 90, 135, 180] {
            let a = angle as f32 * DEG;
            let name = format!("start_{}_{angle}", gait(v));
            pair(out, Recipe::new(name, &["start", gait(v)], vec![stand, Leg::goal(1.8, v, a, a)]));
        }
    }
}

fn curves(out: &mut Vec<Recipe>) {
    for (v, radius) in [(1.25, 1.0), (1.25, 2.0), (1.75, 1.5), (1.75, 3.0), (2.5, 2.5), (4.0, 4.0), (4.0, 8.0)] {
        let rate = v / radius;
        let leg = Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(3.6, v, 0.0, 0.0) };
        let name = format!("curve_{}_radius_{}", cm(v), cm(radius));
        pair(out, Recipe::new(name, &["curve", gait(v)], vec![leg]));
    }
}

fn turns(out: &mut Vec<Recipe>) {
    for angle in [45, 90, 135, 180] {
        let a = angle as f32 * DEG;
        let legs = vec![Leg::steady(0.5, 0.0, 0.0, 0.0), Leg::goal(2.0, 0.0, 0.0, a)];
        pair(out, Recipe::new(format!("turn_{angle}"), &["turn"], legs));
    }
    for v in [WALK[0], RUN[0]] {
        for angle in [45, 90, 135, 180] {
            let a = angle as f32 * DEG;
            // Sharp turns also from the other foot.
            let variants: &[f32] = if angle == 90 || angle == 180 { &[0.0, 1.0] } else { &[0.0] };
            for late in variants.iter().copied() {
                let seconds = 0.6 + late / crate::laws::cadence_hz(v);
                let legs = vec![Leg::steady(seconds, v, 0.0, 0.0), Leg::goal(1.8, v, a, a)];
                let name = format!("plant_{}_{angle}{}", gait(v), if late > 0.0 { "_late" } else { "" });
                pair(out, Recipe::new(name, &["turn", gait(v)], legs));
            }
        }
    }
}

fn strafes(out: &mut Vec<Recipe>) {
    for speeds in [WALK, RUN] {
        let kind = gait(speeds[0]);
        let tags = ["strafe", kind];
        let to = |seconds: f32, angle: i32| {
            let (v, travel) = stick(speeds, angle as f32 * DEG);
            Leg::goal(seconds, v, travel, 0.0)
        };
        let steady = |seconds: f32, angle: i32| Leg { exact: true, ..to(seconds, angle) };
        for angle in [45, 90, 135] {
            pair(out, Recipe::new(format!("strafe_{kind}_{angle}"), &tags, vec![steady(2.6, angle)]));
            let legs = vec![Leg::steady(0.5, 0.0, 0.0, 0.0), to(1.6, angle), Leg::goal(1.5, 0.0, 0.0, 0.0)];
            pair(out, Recipe::new(format!("strafe_{kind}_{angle}_and_stop"), &tags, legs));
        }
        for (a, b) in [(0, 90), (90, 180), (90, 0), (180, 90), (45, -45), (90, -90), (135, -135), (45, -135), (0, 180)]
        {
            let legs = vec![steady(0.6, a), to(1.6, b)];
            pair(out, Recipe::new(format!("strafe_{kind}_{a}_to_{b}"), &tags, legs));
        }
        // Travel goes round while the facing stays.
        let v = speeds[2];
        let circle = Leg { travel_rate: TAU / 8.0, ..Leg::steady(8.0, v, 0.0, 0.0) };
        pair(out, Recipe::new(format!("strafe_{kind}_circle"), &tags, vec![circle]));
        // Around a point that is faced.
        let rate = speeds[1] / 3.0;
        let orbit = Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(4.0, speeds[1], -FRAC_PI_2, 0.0) };
        pair(out, Recipe::new(format!("strafe_{kind}_orbit"), &tags, vec![orbit]));
    }
}

fn backward(out: &mut Vec<Recipe>) {
    for v in [WALK[2], RUN[2]] {
        let kind = gait(v);
        let tags = ["backward", kind];
        out.push(Recipe::new(format!("backward_{kind}"), &tags, vec![Leg::steady(4.0, v, PI, 0.0)]));
        let legs = vec![Leg::steady(0.5, 0.0, 0.0, 0.0), Leg::goal(2.0, v, PI, 0.0), Leg::goal(1.6, 0.0, PI, 0.0)];
        out.push(Recipe::new(format!("backward_{kind}_and_stop"), &tags, legs));
        let rate = v / 2.5;
        let legs = vec![Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(3.5, v, PI, 0.0) }];
        pair(out, Recipe::new(format!("backward_{kind}_curve"), &tags, legs));
    }
}
