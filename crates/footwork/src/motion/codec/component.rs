//! The numbers of one component of a track, as differences.

use super::bits::BitReader;
#[cfg(feature = "build")]
use super::bits::{BitWriter, signed_bits};

const ORDER_BITS: u32 = 2;
/// Bits of a width.
const WIDTH_BITS: u32 = 6;
/// Widest number that can be read at once.
const MOST_BITS: u32 = 56;
const RANGE: &str = "a track is out of range";

/// A component: its numbers as differences of stored ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Component {
    /// 0: distances from `base`. 1: changes from number to number, less `slope`, after the first one, `base`. 2: changes of changes,
    /// after the first one, `base`, and the first change, `slope`.
    order: u32,
    /// Bits of a stored number, in two's complement.
    width: u32,
    base: i64,
    slope: i64,
}

impl Component {
    /// `base_bits`: bits of the base; without it, the number of its bits stands before it.
    pub fn read(bits: &mut BitReader, base_bits: Option<u32>) -> Result<Self, &'static str> {
        let order = bits.read(ORDER_BITS)? as u32;
        let width = bits.read(WIDTH_BITS)? as u32;
        let base = match base_bits {
            Some(n) => bits.read_signed(n)?,
            None => read_number(bits)?,
        };
        let slope = if order == 0 { 0 } else { read_number(bits)? };
        if order > 2 || width > MOST_BITS { Err(RANGE) } else { Ok(Self { order, width, base, slope }) }
    }

    /// Reads the numbers of all keys.
    pub fn read_numbers(&self, bits: &mut BitReader, out: &mut [i64]) -> Result<(), &'static str> {
        bits.require(out.len().saturating_sub(self.order as usize) * self.width as usize)?;
        let (mut value, mut change) = (self.base, self.slope);
        for (i, out) in out.iter_mut().enumerate() {
            let difference = if i < self.order as usize { 0 } else { bits.read_signed(self.width)? };
            // Wrapping: damaged numbers may have any sum.
            value = match self.order {
                0 => self.base.wrapping_add(difference),
                _ if i == 0 => self.base,
                1 => value.wrapping_add(self.slope).wrapping_add(difference),
                _ => {
                    change = change.wrapping_add(difference);
                    value.wrapping_add(change)
                }
            };
            *out = value;
        }
        Ok(())
    }
}

/// Reads a number whose bits stand before it.
fn read_number(bits: &mut BitReader) -> Result<i64, &'static str> {
    let width = bits.read(WIDTH_BITS)? as u32;
    if width > MOST_BITS { Err(RANGE) } else { bits.read_signed(width) }
}

#[cfg(feature = "build")]
impl Component {
    /// Returns the component with the fewest bits for given numbers.
    pub fn shortest(numbers: &[i64]) -> Self {
        let first = numbers.first().copied().unwrap_or(0);
        let first_change = numbers.get(1).map_or(0, |second| second - first);
        let (mut values, mut changes, mut turns) = (Range::of(first), Range::of(first_change), Range::of(0));
        let mut before = first_change;
        for pair in numbers.windows(2) {
            let change = pair[1] - pair[0];
            values.add(pair[1]);
            changes.add(change);
            turns.add(change - before);
            before = change;
        }
        let all = [
            Self { order: 0, width: values.bits_around(values.middle()), base: values.middle(), slope: 0 },
            Self { order: 1, width: changes.bits_around(changes.middle()), base: first, slope: changes.middle() },
            Self { order: 2, width: turns.bits_around(0), base: first, slope: first_change },
        ];
        let size = |c: &Self| {
            let slope = if c.order == 0 { 0 } else { WIDTH_BITS + signed_bits(c.slope) };
            numbers.len().saturating_sub(c.order as usize) as u32 * c.width + slope
        };
        all.into_iter().min_by_key(size).unwrap_or_default()
    }

    /// Returns the numbers that are stored.
    fn differences<'a>(&'a self, numbers: &'a [i64]) -> impl Iterator<Item = i64> + 'a {
        (self.order as usize..numbers.len()).map(|i| match self.order {
            0 => numbers[i] - self.base,
            1 => numbers[i] - numbers[i - 1] - self.slope,
            _ => numbers[i] - 2 * numbers[i - 1] + numbers[i - 2],
        })
    }

    /// Writes what [`Self::read`] and [`Self::read_numbers`] read.
    pub fn write(&self, numbers: &[i64], base_bits: Option<u32>, bits: &mut BitWriter) {
        bits.write(self.order.into(), ORDER_BITS);
        bits.write(self.width.into(), WIDTH_BITS);
        match base_bits {
            Some(n) => bits.write(self.base as u64, n),
            None => write_number(self.base, bits),
        }
        if self.order != 0 {
            write_number(self.slope, bits);
        }
        self.differences(numbers).for_each(|n| bits.write(n as u64, self.width));
    }
}

/// Least and largest of some numbers.
#[cfg(feature = "build")]
struct Range(i64, i64);

#[cfg(feature = "build")]
impl Range {
    fn of(n: i64) -> Self {
        Self(n, n)
    }

    fn add(&mut self, n: i64) {
        *self = Self(self.0.min(n), self.1.max(n));
    }

    fn middle(&self) -> i64 {
        self.0 + (self.1 - self.0 + 1) / 2
    }

    /// Returns the bits of the differences from a number.
    fn bits_around(&self, n: i64) -> u32 {
        signed_bits(self.0 - n).max(signed_bits(self.1 - n))
    }
}

#[cfg(feature = "build")]
fn write_number(n: i64, bits: &mut BitWriter) {
    bits.write(signed_bits(n).into(), WIDTH_BITS);
    bits.write(n as u64, signed_bits(n));
}
