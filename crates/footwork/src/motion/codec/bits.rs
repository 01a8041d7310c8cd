//! Bits of a byte array, the lowest of a byte first.

/// Reads numbers of any width.
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

pub const SHORT: &str = "it ends too early";

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns an error unless so many bits are left.
    pub fn require(&self, bits: usize) -> Result<(), &'static str> {
        if bits <= self.bytes.len() * 8 - self.at { Ok(()) } else { Err(SHORT) }
    }

    /// Returns the next `bits` bits, at most 56.
    #[inline]
    pub fn read(&mut self, bits: u32) -> Result<u64, &'static str> {
        self.require(bits as usize)?;
        let (byte, shift) = (self.at / 8, self.at % 8);
        let rest = &self.bytes[byte.min(self.bytes.len())..];
        let word = rest.first_chunk().map_or_else(
            || rest.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b)),
            |eight| u64::from_le_bytes(*eight),
        );
        self.at += bits as usize;
        Ok(word >> shift & ((1u64 << bits) - 1))
    }

    /// Returns the next `bits` bits as a signed number, at most 56.
    pub fn read_signed(&mut self, bits: u32) -> Result<i64, &'static str> {
        let v = self.read(bits)?;
        let unused = 64 - bits.max(1);
        Ok((v << unused) as i64 >> unused)
    }

    /// Returns an error unless only zeros up to the end of a byte are left.
    pub fn end(&mut self) -> Result<(), &'static str> {
        let left = self.bytes.len() * 8 - self.at;
        if left < 8 && self.read(left as u32)? == 0 { Ok(()) } else { Err("it is longer than its tracks") }
    }
}

/// Writes what [`BitReader`] reads.
#[cfg(feature = "build")]
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    word: u64,
    used: u32,
}

#[cfg(feature = "build")]
impl BitWriter {
    /// Appends the low `bits` bits of a value, at most 56.
    pub fn write(&mut self, value: u64, bits: u32) {
        self.word |= (value & ((1u64 << bits) - 1)) << self.used;
        self.used += bits;
        while self.used >= 8 {
            self.bytes.push(self.word as u8);
            self.word >>= 8;
            self.used -= 8;
        }
    }

    /// Returns the bytes; the last one is filled up with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        self.write(0, (8 - self.used) % 8);
        self.bytes
    }
}

/// Returns the bits of a signed number in two's complement, 0 for 0.
#[cfg(feature = "build")]
pub fn signed_bits(n: i64) -> u32 {
    if n == 0 { 0 } else { 65 - (n ^ n >> 63).leading_zeros() }
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn numbers_of_any_width_come_back_and_nothing_is_read_beyond_the_end() {
        let mut random = Random(3);
        let all: Vec<(u64, u32)> = (0..500)
            .map(|_| {
                let bits = (random.unit() * 56.99) as u32;
                (random.bits() & ((1 << bits) - 1), bits)
            })
            .collect();
        let mut writer = BitWriter::default();
        all.iter().for_each(|(value, bits)| writer.write(*value, *bits));
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        for (value, bits) in &all {
            assert_eq!(reader.read(*bits), Ok(*value));
        }
        assert_eq!(reader.end(), Ok(()));
        assert!(reader.read(8).is_err() && BitReader::new(&bytes).end().is_err());
        let mut signed = BitWriter::default();
        for v in [-4i64, -1, 0, 3] {
            signed.write(v as u64, 3);
        }
        let bytes = signed.finish();
        let mut reader = BitReader::new(&bytes);
        assert_eq!([(); 4].map(|()| reader.read_signed(3).unwrap()), [-4, -1, 0, 3]);
        assert_eq!(BitReader::new(&[]).read_signed(0), Ok(0));
    }
}
