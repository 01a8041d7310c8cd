//! Random numbers that depend only on the seed, the phase and the step, so that a resumed run draws the same numbers as an
//! uninterrupted one.

/// The numbers of a step of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Random(footwork::advanced::math::Random);

impl Random {
    /// Creates the stream of a step of a phase.
    pub fn new(seed: u64, phase: u64, step: u64) -> Self {
        let hash = |value: u64| footwork::advanced::math::Random(value).bits();
        let mut mixed = footwork::advanced::math::Random(seed ^ hash(phase.wrapping_add(0x51)));
        let first = mixed.bits();
        Self(footwork::advanced::math::Random(first ^ hash(step)))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f32 {
        self.0.unit()
    }

    /// Returns a number below `count`, which must be above 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
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
