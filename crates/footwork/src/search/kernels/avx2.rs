//! A block is two registers: boxes or rows 0 to 7, then 8 to 15.

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
    // All of one length, said once: no bounds are checked in the loop.
    let (blocks, up, down) = (&blocks[..pairs * step], &codes.up[..pairs], &codes.down[..pairs]);
    let weights = if WEIGHTED { &codes.weights[..pairs] } else { &[] };
    let cap = _mm256_set1_epi16(codes.cap as i16);
    let mut sum = [_mm256_setzero_si256(); 2];
    for pair in 0..pairs {
        let low = load(&blocks[pair * step]);
        let high = if BOXES { load(&blocks[pair * step + 1]) } else { low };
        let (up, down) = (_mm256_set1_epi32(up[pair] as i32), _mm256_set1_epi32(down[pair] as i32));
        for half in 0..2 {
            let mut d = _mm256_or_si256(_mm256_subs_epu16(low[half], up), _mm256_subs_epu16(down, high[half]));
            if WEIGHTED {
                d = _mm256_mulhi_epu16(d, _mm256_set1_epi32(weights[pair] as i32));
            }
            if !BOXES {
                d = _mm256_min_epu16(d, cap);
            }
            let part = if SQUARED { _mm256_madd_epi16(d, d) } else { _mm256_madd_epi16(d, _mm256_set1_epi16(1)) };
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
