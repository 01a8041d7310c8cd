//! 256-bit kernel. A block is two registers: boxes or rows 0 to 7, then 8 to 15.

use super::{Block, Codes, LANES, Sums};
use core::arch::x86_64::*;

/// See [`super::Runnable`].
#[target_feature(enable = "avx2")]
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
    let ones = _mm256_set1_epi16(1);
    let mut sum = [_mm256_setzero_si256(); 2];
    for pair in 0..pairs {
        let (above, below) = (both(above[pair]), both(below[pair]));
        let weight = if WEIGHTED { both(weights[pair]) } else { ones };
        let (low, high) = (load(&blocks[pair * step]), load(&blocks[pair * step + step - 1]));
        for half in 0..2 {
            let d = if BOXES {
                let d = _mm256_or_si256(_mm256_subs_epu16(low[half], above), _mm256_subs_epu16(below, high[half]));
                // Twice the distance fits 16 bits: the upper half of the product with a weight in 32768ths.
                if WEIGHTED { _mm256_mulhi_epu16(_mm256_add_epi16(d, d), weight) } else { d }
            } else {
                let d = _mm256_sub_epi16(low[half], above);
                let d = if WEIGHTED { _mm256_mulhrs_epi16(d, weight) } else { d };
                if SQUARED { d } else { _mm256_abs_epi16(d) }
            };
            let part = if SQUARED { _mm256_madd_epi16(d, d) } else { _mm256_madd_epi16(d, ones) };
            sum[half] = _mm256_add_epi32(sum[half], part);
        }
    }
    let mut sums = [0i32; LANES];
    let mut beyond = 0;
    for half in 0..2 {
        let greater = _mm256_cmpgt_epi32(sum[half], _mm256_set1_epi32(limit));
        beyond |= (_mm256_movemask_ps(_mm256_castsi256_ps(greater)) as u32) << (8 * half);
        // SAFETY: each half of `sums` has the 32 bytes that are written; unaligned is allowed.
        unsafe { _mm256_storeu_si256(sums[8 * half..][..8].as_mut_ptr().cast(), sum[half]) };
    }
    Sums { sums, within: !beyond & 0xffff }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block) -> [__m256i; 2] {
    let half: *const __m256i = block.0.as_ptr().cast();
    // SAFETY: a block has 64 bytes and is aligned to 64.
    unsafe { [_mm256_load_si256(half), _mm256_load_si256(half.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn both(pair: u32) -> __m256i {
    _mm256_set1_epi32(pair as i32)
}
