//! Random numbers that depend only on the seed, the phase and the step, so that a resumed run draws the same numbers as an
//! uninterrupted one.

/// A stream of random numbers (Splitmix64).
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the stream of a step of a phase.
    pub fn new(seed: u64, phase: u64, step: u64) -> Self {
        let mut mixed = Self(seed);
        mixed.0 ^= Self(phase.wrapping_add(0x51)).bits();
        mixed.0 = mixed.bits() ^ Self(step).bits();
        mixed
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a number below `count`, which must be above 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Returns a number of a normal distribution with mean 0 and standard deviation 1.
    pub fn normal(&mut self) -> f32 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f32::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_steps_differ_and_repeat() {
        let first = |seed, phase, step| Random::new(seed, phase, step).bits();
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let all = [first(1, 2, 3), first(2, 2, 3), first(1, 3, 3), first(1, 2, 4)];
        assert!((0..4).all(|i| (0..i).all(|j| all[i] != all[j])));
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let mut random = Random::new(5, 0, 0);
        let values: Vec<f32> = (0..20_000).map(|_| random.normal()).collect();
        let mean = values.iter().sum::<f32>() / 20_000.0;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }
}
