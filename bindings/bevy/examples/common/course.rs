//! A course of boxes along +Z: walls, bars, steps, a box and a gap in a random order. Nothing in it says what it is.

use bevy::math::Vec3;
use footwork::advanced::math::Random;

/// Size and middle of a box, in metres.
pub type Piece = [Vec3; 2];

/// Width of the course, in metres.
const WIDE_M: f32 = 4.0;
/// Length of level ground before an obstacle, and of platforms, in metres.
const CLEAR_M: f32 = 4.5;

/// Obstacles of a course: the same ones, each of another size, in an order that the seed sets. Returns them with its length, in metres.
pub fn course(seed: u64) -> (Vec<Piece>, f32) {
    let mut random = Random(seed);
    let mut order = [0, 1, 2, 3, 4, 5];
    for k in (1..order.len()).rev() {
        order.swap(k, (random.between(0.0, 1.0) * (k + 1) as f32) as usize % (k + 1));
    }
    let (mut pieces, mut z) = (Vec::new(), 0.0);
    for kind in order {
        let mut add = |clear_m: f32, deep_m: f32, high_m: f32| {
            z += clear_m;
            let size = Vec3::new(WIDE_M, high_m, deep_m);
            pieces.push([size, Vec3::new(0.0, 0.5 * high_m, z + 0.5 * deep_m)]);
            z += deep_m;
        };
        match kind {
            // Walls.
            0 | 1 => add(CLEAR_M, random.between(0.2, 0.3), random.between(0.85, 1.1)),
            // A bar.
            2 => add(CLEAR_M, 0.12, random.between(0.4, 0.6)),
            // A box to climb.
            3 => add(CLEAR_M, CLEAR_M, random.between(1.1, 1.4)),
            // Steps up, and one down.
            4 => {
                let rise_m = random.between(0.25, 0.4);
                add(CLEAR_M, 2.5, rise_m);
                add(0.0, CLEAR_M, 2.0 * rise_m);
                add(0.0, 2.5, rise_m);
            }
            // Two boxes with a gap between them.
            _ => {
                let high_m = random.between(1.1, 1.3);
                add(CLEAR_M, CLEAR_M, high_m);
                add(random.between(1.2, 2.0), CLEAR_M, high_m);
            }
        }
    }
    (pieces, z + CLEAR_M)
}
