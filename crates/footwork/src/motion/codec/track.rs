//! One track of a segment: its grid, and its keys.

use super::bits::BitReader;
#[cfg(feature = "build")]
use super::bits::BitWriter;
use super::component::Component;
use super::keys::SEGMENT;
use crate::math::Quat;
use glam::Vec3;

/// Largest binary logarithm of the frames from key to key.
pub const MOST_STRIDE_LOG2: u8 = 3;
/// Finest step: 2^-22. Numbers of rotations then have at most 24 bits and are exact in `f32`.
#[cfg(feature = "build")]
pub const FINEST_LOG2: u32 = 22;
const KIND_BITS: u32 = 4;
const STRIDE_BITS: u32 = 2;
const STEP_BITS: u32 = 5;

/// Numbers of a track: for each stored component those of all keys of a segment, in steps.
pub type Numbers = [[i64; SEGMENT]; 4];

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Three components of a rotation, and the sign of the fourth.
    Three { dropped: usize, negative: bool },
    /// Four components, to be normalised: no component is large in the whole segment.
    Four,
    /// Metres.
    Translation,
}

impl Kind {
    /// Reads the kind of a rotation.
    pub fn rotation(bits: &mut BitReader) -> Result<Self, &'static str> {
        match bits.read(KIND_BITS)? as usize {
            code @ 0..8 => Ok(Self::Three { dropped: code >> 1, negative: code & 1 == 1 }),
            8 => Ok(Self::Four),
            _ => Err("a kind of track is unknown"),
        }
    }

    pub fn components(self) -> usize {
        if self == Self::Four { 4 } else { 3 }
    }
}

/// Grid and components of a track in a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    pub kind: Kind,
    /// Binary logarithm of the frames from key to key.
    pub stride_log2: u8,
    /// The step is `2^-step_log2`.
    pub step_log2: u32,
}

impl Track {
    /// Returns the number of bits before the numbers of a segment, for tracks of so many rotations and translations.
    pub fn least_bits(rotations: usize, translations: usize) -> u64 {
        u64::from(STRIDE_BITS + STEP_BITS) * (rotations + translations) as u64 + u64::from(KIND_BITS) * rotations as u64
    }

    /// Reads a track whose kind is known.
    pub fn read(kind: Kind, bits: &mut BitReader) -> Result<Self, &'static str> {
        Ok(Self { kind, stride_log2: bits.read(STRIDE_BITS)? as u8, step_log2: bits.read(STEP_BITS)? as u32 })
    }

    /// Writes what [`Kind::rotation`] and [`Self::read`] read.
    #[cfg(feature = "build")]
    pub fn write(&self, bits: &mut BitWriter) {
        match self.kind {
            Kind::Three { dropped, negative } => bits.write((dropped << 1) as u64 | u64::from(negative), KIND_BITS),
            Kind::Four => bits.write(8, KIND_BITS),
            Kind::Translation => {}
        }
        bits.write(self.stride_log2.into(), STRIDE_BITS);
        bits.write(self.step_log2.into(), STEP_BITS);
    }

    /// Returns the bits of the first number of a component; `None` if it states them itself.
    fn base_bits(&self) -> Option<u32> {
        (self.kind != Kind::Translation).then_some(self.step_log2 + 2)
    }

    /// Reads the numbers of all keys.
    pub fn read_numbers(&self, keys: usize, bits: &mut BitReader) -> Result<Numbers, &'static str> {
        let mut numbers = [[0; SEGMENT]; 4];
        for out in &mut numbers[..self.kind.components()] {
            Component::read(bits, self.base_bits())?.read_numbers(bits, &mut out[..keys])?;
        }
        Ok(numbers)
    }

    /// Writes the numbers of all keys.
    #[cfg(feature = "build")]
    pub fn write_numbers(&self, numbers: &Numbers, keys: usize, bits: &mut BitWriter) {
        for numbers in &numbers[..self.kind.components()] {
            let numbers = &numbers[..keys];
            Component::shortest(numbers).write(numbers, self.base_bits(), bits);
        }
    }

    fn step(&self) -> f64 {
        1.0 / (1u64 << self.step_log2) as f64
    }

    /// Returns the rotation of a key.
    #[inline]
    pub fn rotation(&self, numbers: &Numbers, key: usize) -> Quat {
        // Exact: a number of at most 24 bits times a power of two.
        let step = self.step() as f32;
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| numbers[i][key] as f32 * step);
        let Kind::Three { dropped, negative } = self.kind else {
            return Quat::from_xyzw(a, b, c, d).normalize();
        };
        let square = 1.0 - (a * a + b * b + c * c);
        let last = square.max(0.0).sqrt();
        let last = if negative { -last } else { last };
        match dropped {
            0 => Quat::from_xyzw(last, a, b, c),
            1 => Quat::from_xyzw(a, last, b, c),
            2 => Quat::from_xyzw(a, b, last, c),
            _ => Quat::from_xyzw(a, b, c, last),
        }
    }

    /// Returns the translation of a key, in metres.
    #[inline]
    pub fn translation(&self, numbers: &Numbers, key: usize) -> Vec3 {
        let [x, y, z] = [0, 1, 2].map(|i| (numbers[i][key] as f64 * self.step()) as f32);
        Vec3::new(x, y, z)
    }
}
