//! A course of boxes along +Z: walls, bars, steps, a box and a gap in a random order. Nothing in it says what it is.

use bevy::math::Vec3;

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
        z += CLEAR_M;
        let mut add = |deep_m: f32, high_m: f32| {
            let size = Vec3::new(WIDE_M, high_m, deep_m);
            pieces.push([size, Vec3::new(0.0, 0.5 * high_m, z + 0.5 * deep_m)]);
            z += deep_m;
        };
        match kind {
            // Walls.
            0 | 1 => add(random.between(0.2, 0.3), random.between(0.85, 1.1)),
            // A bar.
            2 => add(0.12, random.between(0.4, 0.6)),
            // A box to climb.
            3 => add(CLEAR_M, random.between(1.1, 1.4)),
            // Steps up, and one down.
            4 => {
                let rise_m = random.between(0.25, 0.4);
                add(2.5, rise_m);
                add(CLEAR_M, 2.0 * rise_m);
                add(2.5, rise_m);
            }
            // Two boxes with a gap between them.
            _ => {
                let high_m = random.between(1.1, 1.3);
                add(CLEAR_M, high_m);
                z += random.between(1.2, 2.0);
                let size = Vec3::new(WIDE_M, high_m, CLEAR_M);
                pieces.push([size, Vec3::new(0.0, 0.5 * high_m, z + 0.5 * CLEAR_M)]);
                z += CLEAR_M;
            }
        }
    }
    (pieces, z + CLEAR_M)
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((x ^ (x >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}
