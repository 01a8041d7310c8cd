//! Plain integer loops, vectorised by the compiler.

use super::{Block, Codes, LANES, Sums};

/// See [`super::Runnable`].
pub fn sums<const BOXES: bool, const SQUARED: bool, const WEIGHTED: bool>(
    blocks: &[Block],
    codes: &Codes,
    limit: i32,
) -> Sums {
    let mut sums = [0i32; LANES];
    let step = if BOXES { 2 } else { 1 };
    for (pair, lines) in blocks.chunks_exact(step).enumerate() {
        let (low, high) = (&lines[0].0, &lines[step - 1].0);
        let (above, below) = (halves(codes.above[pair]), halves(codes.below[pair]));
        let weight = if WEIGHTED { halves(codes.weights[pair]) } else { [0; 2] };
        for lane in 0..LANES {
            for half in 0..2 {
                let at = 2 * lane + half;
                let weight = i32::from(weight[half]);
                let mut d = if BOXES {
                    i32::from(low[at].saturating_sub(above[half]) | below[half].saturating_sub(high[at]))
                } else {
                    i32::from(low[at]) - i32::from(above[half])
                };
                if WEIGHTED {
                    d = if BOXES { (d * weight) >> 15 } else { (d * weight + (1 << 14)) >> 15 };
                }
                sums[lane] += if SQUARED { d * d } else { d.abs() };
            }
        }
    }
    Sums::new(sums, limit)
}

fn halves(word: u32) -> [u16; 2] {
    [word as u16, (word >> 16) as u16]
}
