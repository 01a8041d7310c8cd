//! Products of a layer, for each instruction set. An output is the sum of its products in the order of the inputs, and each
//! product is rounded before it is added, so vectors of any width give the same bits.
//!
//! The `unsafe` code consists of loads and stores of vectors within slices, and of calls of functions for the instructions
//! of a [`Kernel`].

#![allow(unsafe_code)]

use super::half::from_f16;
use super::layer::{Layer, Weights};
use crate::search::Kernel as Instructions;

/// Number of characters that are evaluated at once.
pub(super) const GROUP: usize = 8;

/// An instruction set that this processor supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(Instructions);

impl Kernel {
    /// Returns `None` if the processor lacks the instructions.
    #[cfg(test)]
    pub fn new(instructions: Instructions) -> Option<Self> {
        can_run(instructions).then_some(Self(instructions))
    }

    /// Returns the fastest instruction set of this processor.
    pub fn fastest() -> Self {
        Self(Instructions::ALL.into_iter().find(|i| can_run(*i)).unwrap_or(Instructions::Portable))
    }

    /// Evaluates one layer for one character. `inputs`: indices and values of the inputs in use.
    pub(super) fn layer(self, layer: &Layer, inputs: &[(u32, f32)], out: &mut [f32]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Kernel` of these instructions exists only if the processor has them.
            Instructions::Avx512 => unsafe { x86::layer_avx512(layer, inputs, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { x86::layer_avx2(layer, inputs, out) },
            _ => layer_of_one::<Portable>(layer, inputs, out),
        }
    }

    /// Evaluates one layer for [`GROUP`] characters, each at `stride` floats after the previous one.
    pub(super) fn layer_of_group(self, layer: &Layer, stride: usize, inputs: &[f32], out: &mut [f32]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx512 => unsafe { x86::group_avx512(layer, stride, inputs, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { x86::group_avx2(layer, stride, inputs, out) },
            _ => layer_of_group::<Portable, 1>(layer, stride, inputs, out),
        }
    }
}

/// Returns true if the processor has the instructions. Half floats need F16C, which is detected separately from AVX2.
fn can_run(instructions: Instructions) -> bool {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => instructions.is_available() && is_x86_feature_detected!("f16c"),
        _ => instructions.is_available(),
    }
}

/// Vectors of `LANES` floats.
trait Vectors {
    const LANES: usize;
    type V: Copy;

    /// Returns a vector with the same value in all lanes.
    fn splat(x: f32) -> Self::V;
    /// Returns `sum + x * w`, rounded twice.
    fn add_product(sum: Self::V, x: Self::V, w: Self::V) -> Self::V;
    /// Stores a vector to the first `LANES` values of the slice, which must have as many.
    fn store(v: Self::V, out: &mut [f32]);
    /// Loads the first `LANES` weights of the slice, which must have as many.
    fn f32(weights: &[f32]) -> Self::V;
    fn f16(weights: &[u16]) -> Self::V;
    fn i8(weights: &[i8]) -> Self::V;
}

/// A stored weight.
trait Weight: Copy {
    fn value(self) -> f32;
    fn load<S: Vectors>(weights: &[Self]) -> S::V;
}

impl Weight for f32 {
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
    #[inline(always)]
    fn load<S: Vectors>(weights: &[Self]) -> S::V {
        S::f32(weights)
    }
}

impl Weight for u16 {
    #[inline(always)]
    fn value(self) -> f32 {
        from_f16(self)
    }
    #[inline(always)]
    fn load<S: Vectors>(weights: &[Self]) -> S::V {
        S::f16(weights)
    }
}

impl Weight for i8 {
    #[inline(always)]
    fn value(self) -> f32 {
        f32::from(self)
    }
    #[inline(always)]
    fn load<S: Vectors>(weights: &[Self]) -> S::V {
        S::i8(weights)
    }
}

#[inline(always)]
fn layer_of_one<S: Vectors>(layer: &Layer, inputs: &[(u32, f32)], out: &mut [f32]) {
    match &layer.weights {
        Weights::F32(w) => sums_of_one::<S, _>(w, inputs, out),
        Weights::F16(w) => sums_of_one::<S, _>(w, inputs, out),
        Weights::I8(w, _) => sums_of_one::<S, _>(w, inputs, out),
    }
    finish(layer, out);
}

#[inline(always)]
fn layer_of_group<S: Vectors, const VECTORS: usize>(layer: &Layer, stride: usize, inputs: &[f32], out: &mut [f32]) {
    let outputs = layer.outputs();
    match &layer.weights {
        Weights::F32(w) => sums_of_group::<S, _, VECTORS>(w, outputs, stride, inputs, out),
        Weights::F16(w) => sums_of_group::<S, _, VECTORS>(w, outputs, stride, inputs, out),
        Weights::I8(w, _) => sums_of_group::<S, _, VECTORS>(w, outputs, stride, inputs, out),
    }
    out.chunks_mut(stride).take(GROUP).for_each(|out| finish(layer, &mut out[..outputs]));
}

/// Computes outputs from sums.
#[inline(always)]
fn finish(layer: &Layer, out: &mut [f32]) {
    if let Weights::I8(_, scale) = &layer.weights {
        out.iter_mut().zip(scale).for_each(|(o, s)| *o *= s);
    }
    // Adding 0.0 removes the sign of a zero bias: sums are never -0, with or without zero products.
    out.iter_mut().zip(&layer.bias).for_each(|(o, b)| *o += b + 0.0);
}

/// Computes `out[j] = sum over i of x[i] * w[i][j]`.
#[inline(always)]
fn sums_of_one<S: Vectors, W: Weight>(weights: &[W], inputs: &[(u32, f32)], out: &mut [f32]) {
    if out.len() < S::LANES {
        return few_sums(weights, inputs, out);
    }
    let vectors = out.len().div_ceil(S::LANES);
    let mut first = 0;
    while first < vectors {
        match vectors - first {
            16.. if S::LANES == 16 => first += tile::<S, W, 16>(weights, inputs, first, out),
            8.. => first += tile::<S, W, 8>(weights, inputs, first, out),
            4.. => first += tile::<S, W, 4>(weights, inputs, first, out),
            2.. => first += tile::<S, W, 2>(weights, inputs, first, out),
            _ => first += tile::<S, W, 1>(weights, inputs, first, out),
        }
    }
}

/// Computes the vectors `first` to `first + N`; returns `N`. The last vector of a layer overlaps the previous one if it
/// would exceed the end.
#[inline(always)]
fn tile<S: Vectors, W: Weight, const N: usize>(
    weights: &[W],
    inputs: &[(u32, f32)],
    first: usize,
    out: &mut [f32],
) -> usize {
    let outputs = out.len();
    let starts: [usize; N] = std::array::from_fn(|v| ((first + v) * S::LANES).min(outputs - S::LANES));
    let mut sums = [S::splat(0.0); N];
    for (i, x) in inputs {
        let row = &weights[*i as usize * outputs..][..outputs];
        let x = S::splat(*x);
        for v in 0..N {
            sums[v] = S::add_product(sums[v], x, W::load::<S>(&row[starts[v]..]));
        }
    }
    for v in 0..N {
        S::store(sums[v], &mut out[starts[v]..]);
    }
    N
}

/// Computes sums for fewer outputs than a vector has lanes.
#[inline(always)]
fn few_sums<W: Weight>(weights: &[W], inputs: &[(u32, f32)], out: &mut [f32]) {
    let outputs = out.len();
    out.fill(0.0);
    for (i, x) in inputs {
        let row = &weights[*i as usize * outputs..][..outputs];
        out.iter_mut().zip(row).for_each(|(sum, w)| *sum += x * w.value());
    }
}

/// Computes sums for [`GROUP`] characters, with `VECTORS` vectors of outputs at once.
#[inline(always)]
fn sums_of_group<S: Vectors, W: Weight, const VECTORS: usize>(
    weights: &[W],
    outputs: usize,
    stride: usize,
    inputs: &[f32],
    out: &mut [f32],
) {
    let width = weights.len() / outputs;
    if outputs < S::LANES {
        for (out, inputs) in out.chunks_mut(stride).zip(inputs.chunks(stride)).take(GROUP) {
            let out = &mut out[..outputs];
            out.fill(0.0);
            for (x, row) in inputs.iter().zip(weights.chunks_exact(outputs)) {
                out.iter_mut().zip(row).for_each(|(sum, w)| *sum += x * w.value());
            }
        }
        return;
    }
    let samples: [&[f32]; GROUP] = std::array::from_fn(|s| &inputs[s * stride..][..width]);
    for first in (0..outputs).step_by(VECTORS * S::LANES) {
        let starts: [usize; VECTORS] = std::array::from_fn(|v| (first + v * S::LANES).min(outputs - S::LANES));
        let mut sums = [[S::splat(0.0); VECTORS]; GROUP];
        for (i, row) in weights.chunks_exact(outputs).enumerate() {
            let w: [S::V; VECTORS] = std::array::from_fn(|v| W::load::<S>(&row[starts[v]..]));
            for s in 0..GROUP {
                let x = S::splat(samples[s][i]);
                for v in 0..VECTORS {
                    sums[s][v] = S::add_product(sums[s][v], x, w[v]);
                }
            }
        }
        for s in 0..GROUP {
            for v in 0..VECTORS {
                S::store(sums[s][v], &mut out[s * stride + starts[v]..]);
            }
        }
    }
}

/// Plain loops, vectorised by the compiler.
struct Portable;

impl Vectors for Portable {
    const LANES: usize = 4;
    type V = [f32; 4];

    #[inline(always)]
    fn splat(x: f32) -> [f32; 4] {
        [x; 4]
    }
    #[inline(always)]
    fn add_product(sum: [f32; 4], x: [f32; 4], w: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|j| sum[j] + x[j] * w[j])
    }
    #[inline(always)]
    fn store(v: [f32; 4], out: &mut [f32]) {
        out[..4].copy_from_slice(&v);
    }
    #[inline(always)]
    fn f32(weights: &[f32]) -> [f32; 4] {
        std::array::from_fn(|j| weights[..4][j])
    }
    #[inline(always)]
    fn f16(weights: &[u16]) -> [f32; 4] {
        std::array::from_fn(|j| from_f16(weights[..4][j]))
    }
    #[inline(always)]
    fn i8(weights: &[i8]) -> [f32; 4] {
        std::array::from_fn(|j| f32::from(weights[..4][j]))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Layer, Vectors, layer_of_group, layer_of_one};
    use core::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn layer_avx512(layer: &Layer, inputs: &[(u32, f32)], out: &mut [f32]) {
        layer_of_one::<Avx512>(layer, inputs, out);
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn group_avx512(layer: &Layer, stride: usize, inputs: &[f32], out: &mut [f32]) {
        layer_of_group::<Avx512, 2>(layer, stride, inputs, out);
    }

    #[target_feature(enable = "avx2,f16c")]
    pub fn layer_avx2(layer: &Layer, inputs: &[(u32, f32)], out: &mut [f32]) {
        layer_of_one::<Avx2>(layer, inputs, out);
    }

    #[target_feature(enable = "avx2,f16c")]
    pub fn group_avx2(layer: &Layer, stride: usize, inputs: &[f32], out: &mut [f32]) {
        layer_of_group::<Avx2, 1>(layer, stride, inputs, out);
    }

    /// 512-bit vectors. Used only in the functions above, which run only if the processor has the instructions.
    struct Avx512;

    impl Vectors for Avx512 {
        const LANES: usize = 16;
        type V = __m512;

        #[inline(always)]
        fn splat(x: f32) -> __m512 {
            // SAFETY: see `Avx512`.
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        fn add_product(sum: __m512, x: __m512, w: __m512) -> __m512 {
            // SAFETY: see `Avx512`.
            unsafe { _mm512_add_ps(sum, _mm512_mul_ps(x, w)) }
        }
        #[inline(always)]
        fn store(v: __m512, out: &mut [f32]) {
            let out = &mut out[..16];
            // SAFETY: see `Avx512`; the 64 bytes are there.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), v) }
        }
        #[inline(always)]
        fn f32(weights: &[f32]) -> __m512 {
            let weights = &weights[..16];
            // SAFETY: see `Avx512`; the 64 bytes are there.
            unsafe { _mm512_loadu_ps(weights.as_ptr()) }
        }
        #[inline(always)]
        fn f16(weights: &[u16]) -> __m512 {
            let weights = &weights[..16];
            // SAFETY: see `Avx512`; the 32 bytes are there.
            unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(weights.as_ptr().cast())) }
        }
        #[inline(always)]
        fn i8(weights: &[i8]) -> __m512 {
            let weights = &weights[..16];
            // SAFETY: see `Avx512`; the 16 bytes are there.
            unsafe { _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(weights.as_ptr().cast()))) }
        }
    }

    /// 256-bit vectors. Used only in the functions above, which run only if the processor has the instructions.
    struct Avx2;

    impl Vectors for Avx2 {
        const LANES: usize = 8;
        type V = __m256;

        #[inline(always)]
        fn splat(x: f32) -> __m256 {
            // SAFETY: see `Avx2`.
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn add_product(sum: __m256, x: __m256, w: __m256) -> __m256 {
            // SAFETY: see `Avx2`.
            unsafe { _mm256_add_ps(sum, _mm256_mul_ps(x, w)) }
        }
        #[inline(always)]
        fn store(v: __m256, out: &mut [f32]) {
            let out = &mut out[..8];
            // SAFETY: see `Avx2`; the 32 bytes are there.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), v) }
        }
        #[inline(always)]
        fn f32(weights: &[f32]) -> __m256 {
            let weights = &weights[..8];
            // SAFETY: see `Avx2`; the 32 bytes are there.
            unsafe { _mm256_loadu_ps(weights.as_ptr()) }
        }
        #[inline(always)]
        fn f16(weights: &[u16]) -> __m256 {
            let weights = &weights[..8];
            // SAFETY: see `Avx2`; the 16 bytes are there.
            unsafe { _mm256_cvtph_ps(_mm_loadu_si128(weights.as_ptr().cast())) }
        }
        #[inline(always)]
        fn i8(weights: &[i8]) -> __m256 {
            let weights = &weights[..8];
            // SAFETY: see `Avx2`; the 8 bytes are there.
            unsafe { _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(weights.as_ptr().cast()))) }
        }
    }
}
