//! List of loops for blend spaces, which a search does not need: walking and running in every direction, and curves.

use crate::path::Leg;
use crate::recipe::Recipe;
use crate::repertoire::{DEG, RUN, WALK, cm, gait, pair, stick};
use footwork::database::Database;
use std::f32::consts::PI;

/// Speeds and turns of the curves: m/s, degrees per second.
const CURVES: [(f32, [i32; 2]); 4] = [(0.8, [60, 120]), (1.75, [60, 120]), (2.5, [60, 100]), (4.0, [45, 90])];
/// Deflection of the stick for the slow walk, as a share of full.
const SLOW: f32 = 0.5;

/// Returns the recipes of the loops.
pub(crate) fn cycles() -> Vec<Recipe> {
    let mut out = Vec::new();
    for (kind, speeds) in [("slow", WALK.map(|v| SLOW * v)), ("walk", WALK), ("run", RUN)] {
        for angle in [45, 90, 135] {
            let (v, travel) = stick(speeds, angle as f32 * DEG);
            pair(&mut out, cycle(format!("cycle_{kind}_{angle}"), Leg::steady(seconds(v), v, travel, 0.0)));
        }
        let v = speeds[2];
        out.push(cycle(format!("cycle_{kind}_180"), Leg::steady(seconds(v), v, PI, 0.0)));
    }
    for (v, turns) in CURVES {
        for turn in turns {
            let rate = turn as f32 * DEG;
            let leg = Leg { travel_rate: rate, facing_rate: rate, ..Leg::steady(seconds(v), v, 0.0, 0.0) };
            pair(&mut out, cycle(format!("cycle_{}_{}_turn_{turn}", gait(v), cm(v)), leg));
        }
    }
    out
}

/// Returns a length of several strides, in seconds.
fn seconds(speed: f32) -> f32 {
    if speed < 0.9 { 5.0 } else { 3.0 }
}

fn cycle(name: String, leg: Leg) -> Recipe {
    Recipe { looping: true, ..Recipe::new(name, &["cycle", Database::NO_LOCOMOTION], vec![leg]) }
}
