//! Random numbers from a seed.

/// A stream of random numbers from a seed: SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
/// The same seed gives the same numbers on every machine and in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(pub u64);

/// 2^64 divided by the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Returns the seed of a stream of its own for each pair of a seed and a number.
    pub const fn sub_seed(seed: u64, number: u64) -> u64 {
        seed ^ number.wrapping_mul(STEP)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1, excluding 1, in steps of 2^-24.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a number from 0 to 1, excluding 1, in steps of 2^-53.
    pub fn unit_f64(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number from `low` to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns an index below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Returns one of the values.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns a number of nearly a normal distribution with mean 0 and variance 1, from -6 to 6: the sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567, as published with the reference implementation (Vigna, prng.di.unimi.it/splitmix64.c).
    #[test]
    fn the_stream_is_that_of_the_reference() {
        let mut random = Random(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423_u64];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn numbers_stay_in_their_ranges_and_have_their_means() {
        let mut random = Random(5);
        let n = 20_000;
        let (mut unit, mut square) = (0.0, 0.0);
        for _ in 0..n {
            let u = random.unit();
            assert!((0.0..1.0).contains(&u) && random.below(3) < 3 && random.below(0) == 0);
            assert!((0.0..1.0).contains(&random.unit_f64()) && (2.0..=3.0).contains(&random.between(2.0, 3.0)));
            unit += u / n as f32;
            let normal = random.normal();
            square += normal * normal / n as f32;
        }
        assert!((unit - 0.5).abs() < 0.01 && (square - 1.0).abs() < 0.05, "{unit} {square}");
    }
}
