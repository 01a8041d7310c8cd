//! Distances of 16 boxes, or of 16 rows, at once: integers, so that every kernel gives the same bits.
//!
//! The only module with `unsafe`: loads, stores and prefetch hints. The kernel is chosen when a tree is built
//! ([`Kernel::fastest`]) and can be set explicitly, for tests and for measurements.
//!
//! Data: a [`Block`] holds two columns of 16 boxes or rows, side by side (`[16][2]`), so that one multiply-add sums the
//! squares of both. Column pairs follow each other; a box has two blocks per pair, lowest values, then highest.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod codes;
mod portable;

pub use codes::{Block, Codes, LANES, Sums};

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// 512 bits at once.
    Avx512,
    /// 256 bits at once.
    Avx2,
    /// Plain loops, vectorised by the compiler; available on every machine.
    Portable,
}

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// Returns whether this processor can run the kernel.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx512 | Self::Avx2 => false,
            Self::Portable => true,
        }
    }

    /// Returns the fastest kernel that this processor can run.
    pub fn fastest() -> Self {
        Self::ALL.into_iter().find(|k| k.is_available()).unwrap_or(Self::Portable)
    }

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        }
    }
}

/// A kernel that can run on this processor. Created only by [`Runnable::new`]; the calls below rely on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runnable(Kernel);

impl Runnable {
    /// Returns the kernel, or `None` if the processor lacks the instructions.
    pub fn new(kernel: Kernel) -> Option<Self> {
        kernel.is_available().then_some(Self(kernel))
    }

    /// Returns the sums over columns of squared (or plain) distances to the query. Boxes have two blocks per pair, rows have
    /// one. Weighted distances of boxes are rounded down, those of rows to the nearest. All codes are less than 32768, and
    /// chosen such that no sum reaches 2^31.
    #[inline]
    pub fn sums<const BOXES: bool, const SQUARED: bool>(self, blocks: &[Block], codes: &Codes, limit: i32) -> Sums {
        match (self.0, codes.weights.is_empty()) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Runnable` of this kernel exists only if the processor has the instructions.
            (Kernel::Avx512, true) => unsafe { avx512::sums::<BOXES, SQUARED, false>(blocks, codes, limit) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Kernel::Avx512, false) => unsafe { avx512::sums::<BOXES, SQUARED, true>(blocks, codes, limit) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Kernel::Avx2, true) => unsafe { avx2::sums::<BOXES, SQUARED, false>(blocks, codes, limit) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Kernel::Avx2, false) => unsafe { avx2::sums::<BOXES, SQUARED, true>(blocks, codes, limit) },
            (_, true) => portable::sums::<BOXES, SQUARED, false>(blocks, codes, limit),
            (_, false) => portable::sums::<BOXES, SQUARED, true>(blocks, codes, limit),
        }
    }
}

/// Prefetches data into the cache.
#[inline]
pub fn prefetch<T>(data: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(data)).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing; the address lies within `data`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(data.as_ptr().cast::<i8>().add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers with a seed.
    fn numbers(seed: u64) -> impl FnMut() -> u32 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        }
    }

    #[test]
    fn all_kernels_give_the_same_bits() {
        for seed in 0..200 {
            let mut next = numbers(seed);
            let pairs = 1 + next() as usize % 20;
            let mut codes = |top: u32| -> Vec<u32> {
                (0..pairs).map(|_| (next() % (top + 1)) | (next() % (top + 1)) << 16).collect()
            };
            let (above, below, weights) = (codes(4095), codes(4095), codes(32767));
            let blocks: Vec<Block> =
                (0..2 * pairs).map(|_| Block(std::array::from_fn(|_| (next() % 4096) as u16))).collect();
            for weights in [&[][..], &weights] {
                let codes = Codes { above: &above, below: &below, weights };
                for limit in [i32::MAX, 10_000_000, 1000, -1] {
                    let all = |kernel: Kernel| {
                        let k = Runnable::new(kernel)?;
                        let rows = &blocks[..pairs];
                        Some([
                            k.sums::<true, true>(&blocks, &codes, limit),
                            k.sums::<true, false>(&blocks, &codes, limit),
                            k.sums::<false, true>(rows, &codes, limit),
                            k.sums::<false, false>(rows, &codes, limit),
                        ])
                    };
                    let expected = all(Kernel::Portable).unwrap();
                    for found in Kernel::ALL.into_iter().filter_map(all) {
                        for (a, b) in expected.iter().zip(&found) {
                            assert_eq!((a.within, a.sums), (b.within, b.sums));
                        }
                    }
                }
            }
        }
    }
}
