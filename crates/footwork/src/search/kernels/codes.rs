//! What kernels read and return.

/// Number of boxes or rows that are bounded at once.
pub const LANES: usize = 16;

/// Two columns of 16 boxes or rows, `[16][2]`: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [u16; 2 * LANES]);

/// A query in codes: two columns to a word, the first in the lower half.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    /// `[pairs]` codes that lowest values of boxes above the query, or values of rows, are compared with.
    pub above: &'a [u32],
    /// `[pairs]` codes that highest values of boxes below the query are compared with.
    pub below: &'a [u32],
    /// `[pairs]` factors on distances, in 32768ths and below 32768; empty where all are 1.
    pub weights: &'a [u32],
}

/// 16 sums, and a bit for each that is at most the requested limit. The sums of others may be incomplete.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    /// Sum per box or row.
    pub sums: [i32; LANES],
    /// Bit per box or row: the sum is within the limit.
    pub within: u32,
}

impl Sums {
    /// Compares sums with the limit.
    pub fn new(sums: [i32; LANES], limit: i32) -> Self {
        let within = sums.iter().enumerate().map(|(lane, sum)| u32::from(*sum <= limit) << lane).sum();
        Self { sums, within }
    }
}
