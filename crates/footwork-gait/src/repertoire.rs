//! List of clips: all motions that a stick can request, by family, each with its mirror image.

use crate::body::Side;
use crate::ground::Ground;
use crate::path::Leg;
use crate::recipe::{Recipe, Standing};
use std::f32::consts::{FRAC_PI_2, PI, TAU};

pub(crate) const DEG: f32 = PI / 180.0;
/// Speeds that a stick can request, in m/s: (forward, side, back).
pub(crate) const RUN: [f32; 3] = [4.0, 3.0, 2.5];
pub(crate) const WALK: [f32; 3] = [1.75, 1.5, 1.25];

/// Returns the velocity of a full stick at an angle from the facing: (speed, direction of travel). Axes are scaled separately, as
/// in character controllers.
pub(crate) fn stick(speeds: [f32; 3], angle: f32) -> (f32, f32) {
    let (s, c) = footwork::advanced::math::sin_cos(angle);
    let (x, z) = (s * speeds[1], c * if c > 0.0 { speeds[0] } else { speeds[2] });
    ((x * x + z * z).sqrt(), footwork::advanced::math::atan2(x, z))
}

/// Adds a recipe and its mirror image, `_left` and `_right`; the recipe must be the left one.
pub(crate) fn pair(out: &mut Vec<Recipe>, left: Recipe) {
    let base = left.name.clone();
    let left = Recipe { name: format!("{base}_left"), first: Side::Left, ..left };
    out.push(left.clone());
    out.push(left.mirrored(format!("{base}_right")));
}

/// Returns the tag of the gait at a speed.
pub(crate) fn gait(speed: f32) -> &'static str {
    if speed < 2.1 { "walk" } else { "run" }
}

/// Returns a length or speed for names, in centimetres.
pub(crate) fn cm(metres: f32) -> i32 {
    (metres * 100.0 + 0.5) as i32
}

/// Returns all recipes on level ground except the random routes.
pub(crate) fn recipes() -> Vec<Recipe> {
    let mut out = Vec::new();
    idles(&mut out);
    straight(&mut out);
    starts(&mut out);
    stops(&mut out);
    curves(&mut out);
    arcs(&mut out);
    turns(&mut out);
    small_steps(&mut out);
    strafes(&mut out);
    backward(&mut out);
    out
}

fn idles(out: &mut Vec<Recipe>) {
    // Whole breaths (0.3 Hz) and whole sways (0.2 Hz), so that the loop is closed.
    let idle = |name: &str, seconds: f32| {
        let recipe = Recipe::new(name, &["idle"], vec![Leg::steady(seconds, 0.0, 0.0, 0.0)]);
        Recipe { looping: true, ..recipe }
    };
    out.push(idle("idle", 10.0));
    // After a stop, one foot is slightly ahead, and stays so.
    pair(out, Recipe { stagger_m: 0.03, ..idle("idle_staggered", 10.0) });
    // Standing people shift their weight between the legs about once a minute; games need it more often.
    out.push(Recipe { standing: Standing::Shifting { period_s: 10.0 }, ..idle("idle_shifting", 10.0) });
}

fn straight(out: &mut Vec<Recipe>) {
    for v in [0.5, 0.8, 1.0, 1.25, 1.3, 1.5, 1.75, 2.0, 2.5, 3.2, 4.0, 4.75, 5.5] {
        let name = format!("{}_{}", gait(v), cm(v));
        out.push(Recipe::new(name.clone(), &[gait(v)], vec![Leg::steady(4.0, v, 0.0, 0.0)]));
        let seconds = if v < 0.7 { 6.8 } else { 4.3 };
        let looped = Recipe::new(format!("{name}_loop"), &[gait(v)], vec![Leg::steady(seconds, v, 0.0, 0.0)]);
        out.push(Recipe { looping: true, ..looped });
    }
    let changes =
        [(0.8, 1.75), (1.75, 0.8), (1.25, 2.5), (2.5, 1.25), (1.75, 4.0), (4.0, 1.75), (3.2, 5.5), (5.5, 3.2)];
    for (from, to) in changes {
        let legs = vec![Leg::steady(0.8, from, 0.0, 0.0), Leg::goal(2.0, to, 0.0, 0.0)];
        out.push(Recipe::new(format!("change_{}_{}", cm(from), cm(to)), &["change"], legs));
    }
}

/// Starts from standing: forward with either foot, turning to seven other directions, and strafing in them.
fn starts(out: &mut Vec<Recipe>) {
    let stand = Leg::steady(0.6, 0.0, 0.0, 0.0);
    for speeds in [WALK, RUN] {
        let (v, kind) = (speeds[0], gait(speeds[0]));
        for first in Side::BOTH {
            let foot = ["left", "right"][first.at()];
            let start = vec![stand, Leg::goal(2.2, v, 0.0, 0.0)];
            let recipe = Recipe::new(format!("start_{kind}_{foot}_foot"), &["start", kind], start);
            // The seed of the variation comes from the name, so that the starts with either foot are alike.
            let seed = Recipe::new(format!("start_{kind}"), &[], Vec::new()).seed;
            out.push(Recipe { first, insists: true, seed, ..recipe });
        }
        for angle in [45, 90, 135, 180] {
            let a = angle as f32 * DEG;
            let legs = vec![stand, Leg::goal(1.8, v, a, a)];
            let name = format!("start_{kind}_{angle}");
            pair(out, Recipe::new(name.clone(), &["start", kind], legs.clone()));
            // To turn about, people step with the foot on the side of the turn.
            if speeds == WALK && angle < 180 {
                crossed(out, Recipe::new(format!("{name}_crossed"), &["start", kind], legs));
            }
        }
    }
    for angle in [45, 90, 135, 180] {
        let (v, travel) = stick(WALK, angle as f32 * DEG);
        let legs = vec![stand, Leg::goal(1.6, v, travel, 0.0)];
        crossed(out, Recipe::new(format!("strafe_walk_{angle}_start_crossed"), &["strafe", "start", "walk"], legs));
    }
}

/// Adds a pair that starts with the opposite foot.
fn crossed(out: &mut Vec<Recipe>, left: Recipe) {
    let from = out.len();
    pair(out, left);
    for recipe in &mut out[from..] {
        recipe.first = Side::Right;
        recipe.insists = true;
    }
}

fn stops(out: &mut Vec<Recipe>) {
    for v in [0.5, 0.8, 1.25, 1.75, 2.5, 3.2, 4.0, 5.5] {
        for half_steps in 0..2 {
            // Half a stride later, the other foot is in front.
            let seconds = 0.6 + half_steps as f32 / crate::laws::cadence_hz(v);
            let legs = vec![Leg::steady(seconds, v, 0.0, 0.0), Leg::goal(2.0, 0.0, 0.0, 0.0)];
            let foot = ["left", "right"][half_steps];
            let name = format!("stop_{}_{}_{foot}_foot", gait(v), cm(v));
            out.push(Recipe::new(name, &["stop", gait(v)], legs));
        }
    }
}

/// Adds one or two steps in each direction, and small turns.
fn small_steps(out: &mut Vec<Recipe>) {
    let stand = |seconds: f32| Leg::steady(seconds, 0.0, 0.0, 0.0);
    for angle in [0, 45, 90, 135, 180] {
        let a = angle as f32 * DEG;
        let legs = vec![stand(0.4), Leg::goal(0.55, 0.9, a, 0.0), Leg::goal(1.5, 0.0, a, 0.0)];
        let recipe = Recipe::new(format!("step_{angle}"), &["step", "walk"], legs);
        pair(out, Recipe { insists: angle % 180 == 0, ..recipe });
    }
    for angle in [20, 30] {
        let legs = vec![stand(0.4), Leg::goal(1.6, 0.0, 0.0, angle as f32 * DEG)];
        pair(out, Recipe::new(format!("pivot_{angle}"), &["turn"], legs));
    }
}

/// Slopes of 10 and 20 degrees and stairs of 18 cm, up and down: each from level ground onto it and off it again.
pub(crate) fn terrain() -> Vec<Recipe> {
    let mut out = Vec::new();
    for (degrees, speed) in [(10, 1.25), (20, 1.0)] {
        for (way, sign) in [("up", 1.0), ("down", -1.0)] {
            let grade = sign * footwork::advanced::math::tan(degrees as f32 * DEG);
            let recipe = Recipe::new(
                format!("slope_{way}_{degrees}"),
                &["slope", "walk"],
                vec![Leg::steady(8.0 / speed, speed, 0.0, 0.0)],
            );
            out.push(Recipe { ground: Ground::Ramp { start_m: 1.5, length_m: 5.0, grade }, ..recipe });
        }
    }
    for (way, sign, speed) in [("up", 1.0, 0.5), ("down", -1.0, 0.55)] {
        let ground = Ground::Stairs { start_m: 1.4, steps: 10, rise_m: sign * 0.18, tread_m: 0.29 };
        let recipe =
            Recipe::new(format!("stairs_{way}"), &["stairs", "walk"], vec![Leg::steady(5.6 / speed, speed, 0.0, 0.0)]);
        out.push(Recipe { ground, ..recipe });
    }
    out
}

fn curves(out: &mut Vec<Recipe>) {
    let curves = [
        (0.8, 0.6),
        (1.25, 1.0),
        (1.25, 2.0),
        (1.75, 1.0),
        (1.75, 1.5),
        (1.75, 3.0),
        (2.5, 2.5),
        (3.2, 2.5),
        (4.0, 2.5),
        (4.0, 4.0),
        (4.0, 8.0),
    ];
    for (v, radius) in curves {
        let rate = v / radius;
        let leg = Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(3.6, v, 0.0, 0.0) };
        let name = format!("curve_{}_radius_{}", cm(v), cm(radius));
        pair(out, Recipe::new(name, &["curve", gait(v)], vec![leg]));
    }
}

/// Adds arcs in any direction, as requested by a partly pushed stick: travel and facing turn together.
fn arcs(out: &mut Vec<Recipe>) {
    for (kind, speeds, share, turns) in
        [("slow", WALK, 0.4, [60, 120].as_slice()), ("walk", WALK, 0.85, &[60, 120]), ("run", RUN, 0.85, &[60])]
    {
        for angle in [0, 45, 90, 135, 180] {
            for turn in turns {
                let rate = *turn as f32 * DEG;
                let (v, travel) = stick(speeds, angle as f32 * DEG);
                // Straight ahead and straight back, outward is the mirror image of inward.
                let ways = [("in", 1.0), ("out", -1.0)];
                for (way, side) in ways.into_iter().take(if angle % 180 == 0 { 1 } else { 2 }) {
                    let steady = Leg::steady(1.6, share * v, travel, 0.0);
                    let legs = vec![Leg { travel_rate: side * rate, facing_rate: side * rate, ..steady }];
                    let name = format!("arc_{kind}_{angle}_{turn}_{way}");
                    pair(out, Recipe::new(name, &["curve", gait(speeds[0])], legs));
                }
            }
        }
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
            // Sharp turns also start from the other foot.
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
        // The direction of travel rotates while the facing stays.
        let v = speeds[2];
        let circle = Leg { travel_rate: TAU / 8.0, ..Leg::steady(8.0, v, 0.0, 0.0) };
        pair(out, Recipe::new(format!("strafe_{kind}_circle"), &tags, vec![circle]));
        // Around a point that the body faces.
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
