//! Half floats: 16 bits, as IEEE 754 defines them.

/// Factor 2^112 between the exponents of half and single floats.
const EXPONENTS_APART: f32 = f32::from_bits((127 + 112) << 23);

/// Returns the value of a finite half float, exactly.
#[inline(always)]
pub(super) fn from_f16(half: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * EXPONENTS_APART;
    f32::from_bits(magnitude.to_bits() | (u32::from(half & 0x8000) << 16))
}

/// Returns the nearest half float, ties to even. Larger values become the largest half float.
pub(super) fn to_f16(value: f32) -> u16 {
    const LARGEST: f32 = 65504.0;
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = value.abs().min(LARGEST);
    // Below 2^-14 half floats are multiples of 2^-24.
    const SMALLEST_NORMAL: f32 = f32::from_bits((127 - 14) << 23);
    if magnitude < SMALLEST_NORMAL {
        const STEPS: f32 = f32::from_bits((127 + 24) << 23);
        return sign | (magnitude * STEPS).round_ties_even() as u16;
    }
    let bits = magnitude.to_bits() - ((127 - 15) << 23);
    let rounded = bits + 0xfff + ((bits >> 13) & 1);
    sign | (rounded >> 13) as u16
}
