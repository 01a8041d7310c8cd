//! 512-bit kernel. A block is one register.

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
    // Slices of equal length let the compiler omit bounds checks in the loop.
    let (blocks, above, below) = (&blocks[..pairs * step], &codes.above[..pairs], &codes.below[..pairs]);
    let weights = if WEIGHTED { &codes.weights[..pairs] } else { &[] };
    let ones = _mm512_set1_epi16(1);
    let mut sum = _mm512_setzero_si512();
    for pair in 0..pairs {
        let above = _mm512_set1_epi32(above[pair] as i32);
        let d = if BOXES {
            let (low, high) = (load(&blocks[pair * 2]), load(&blocks[pair * 2 + 1]));
            let below = _mm512_set1_epi32(below[pair] as i32);
            let d = _mm512_or_si512(_mm512_subs_epu16(low, above), _mm512_subs_epu16(below, high));
            // Twice the distance fits 16 bits: the upper half of the product with a weight in 32768ths.
            if WEIGHTED { _mm512_mulhi_epu16(_mm512_add_epi16(d, d), weight(weights[pair])) } else { d }
        } else {
            let d = _mm512_sub_epi16(load(&blocks[pair]), above);
            let d = if WEIGHTED { _mm512_mulhrs_epi16(d, weight(weights[pair])) } else { d };
            if SQUARED { d } else { _mm512_abs_epi16(d) }
        };
        let part = if SQUARED { _mm512_madd_epi16(d, d) } else { _mm512_madd_epi16(d, ones) };
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

#[inline]
#[target_feature(enable = "avx512f")]
fn weight(pair: u32) -> __m512i {
    _mm512_set1_epi32(pair as i32)
}
