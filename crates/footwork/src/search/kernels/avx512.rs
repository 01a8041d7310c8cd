//! A block is one register.

use super::{Block, Codes, LANES, Sums};
use core::arch::x86_64::*;

/// See [`super::Runnable`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn sums<const BOXES: bool, const SQUARED: bool, const WEIGHTED: bool>(
    blocks: &[Block],
    codes: &Codes,
    limit: i32,
) -> Sums {
    let step = if BOXES { 2 } else { 1 };
    let pairs = blocks.len() / step;
    // All of one length, said once: no bounds are checked in the loop.
    let (blocks, up, down) = (&blocks[..pairs * step], &codes.up[..pairs], &codes.down[..pairs]);
    let weights = if WEIGHTED { &codes.weights[..pairs] } else { &[] };
    let cap = _mm512_set1_epi16(codes.cap as i16);
    let mut sum = _mm512_setzero_si512();
    for pair in 0..pairs {
        let low = load(&blocks[pair * step]);
        let high = if BOXES { load(&blocks[pair * step + 1]) } else { low };
        let (up, down) = (_mm512_set1_epi32(up[pair] as i32), _mm512_set1_epi32(down[pair] as i32));
        let mut d = _mm512_or_si512(_mm512_subs_epu16(low, up), _mm512_subs_epu16(down, high));
        if WEIGHTED {
            d = _mm512_mulhi_epu16(d, _mm512_set1_epi32(weights[pair] as i32));
        }
        if !BOXES {
            d = _mm512_min_epu16(d, cap);
        }
        let part = if SQUARED { _mm512_madd_epi16(d, d) } else { _mm512_madd_epi16(d, _mm512_set1_epi16(1)) };
        sum = _mm512_add_epi32(sum, part);
    }
    let within = u32::from(_mm512_cmple_epi32_mask(sum, _mm512_set1_epi32(limit)));
    let mut sums = [0i32; LANES];
    // SAFETY: `sums` has the 64 bytes that are written; unaligned is allowed.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), sum) };
    Sums { sums, within }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> __m512i {
    // SAFETY: a block has 64 bytes and is aligned to 64.
    unsafe { _mm512_load_si512(block.0.as_ptr().cast()) }
}
