//! Plain loops over whole numbers; compilers make vectors of them.

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
        let (up, down) = (halves(codes.up[pair]), halves(codes.down[pair]));
        let weight = if WEIGHTED { halves(codes.weights[pair]) } else { [0; 2] };
        for lane in 0..LANES {
            for half in 0..2 {
                let at = 2 * lane + half;
                let mut d = low[at].saturating_sub(up[half]) | down[half].saturating_sub(high[at]);
                if WEIGHTED {
                    d = ((u32::from(d) * u32::from(weight[half])) >> 16) as u16;
                }
                if !BOXES {
                    d = d.min(codes.cap);
                }
                let d = i32::from(d);
                sums[lane] += if SQUARED { d * d } else { d };
            }
        }
    }
    let within = sums.iter().enumerate().map(|(lane, sum)| u32::from(*sum <= limit) << lane).sum();
    Sums { sums, within }
}

fn halves(word: u32) -> [u16; 2] {
    [word as u16, (word >> 16) as u16]
}
