//! Values of one quantity, the largest of them, and their statistics.

use footwork::frames::{ClipIndex, JointIndex};

/// Frame and joint of a measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    /// Name of the course; `mocap` for captured motion.
    pub course: &'static str,
    /// Run, from 0.
    pub run: usize,
    /// Frame of the run at 60 Hz.
    pub frame: usize,
    /// Joint; 0 (the root) for values of the whole character.
    pub joint: JointIndex,
    /// The playing clip.
    pub clip: ClipIndex,
    /// Frame of the clip at 60 Hz.
    pub clip_frame: usize,
}

/// Values of one quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    values: Vec<f32>,
    worst: Option<(f32, Occurrence)>,
}

/// A statistic of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Arithmetic mean.
    Mean,
    /// The value below which this percentage of the values lies, interpolated linearly; 50 is the median.
    Percentile(f32),
    /// Largest value.
    Max,
    /// Percentage of values above this.
    PctOver(f32),
    /// Sum.
    Sum,
}

impl Samples {
    /// Adds a value. For all quantities, larger is worse.
    pub fn push(&mut self, value: f32, moment: impl FnOnce() -> Occurrence) {
        self.values.push(value);
        if self.worst.is_none_or(|(worst, _)| value > worst) {
            self.worst = Some((value, moment()));
        }
    }

    /// Adds all samples of another set.
    pub fn append(&mut self, other: &Self) {
        self.values.extend_from_slice(&other.values);
        if let Some(theirs) = other.worst
            && self.worst.is_none_or(|ours| theirs.0 > ours.0)
        {
            self.worst = Some(theirs);
        }
    }

    /// Returns the values, in order of measurement.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the largest value, and its frame.
    pub fn worst(&self) -> Option<(f32, Occurrence)> {
        self.worst
    }

    /// Returns a statistic; `None` without values.
    pub fn statistic(&self, statistic: Statistic) -> Option<f32> {
        if self.values.is_empty() {
            return None;
        }
        let sum = || self.values.iter().map(|v| f64::from(*v)).sum::<f64>();
        let count = self.values.len() as f64;
        Some(match statistic {
            Statistic::Mean => (sum() / count) as f32,
            Statistic::Sum => sum() as f32,
            Statistic::Max => self.values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            Statistic::PctOver(limit) => {
                let over = self.values.iter().filter(|v| **v > limit).count();
                (100.0 * over as f64 / count) as f32
            }
            Statistic::Percentile(pct) => percentile(&mut self.values.clone(), pct),
        })
    }
}

/// Returns the value below which `pct` percent of the values lie, interpolated linearly. `values` must not be empty, and is
/// reordered.
pub fn percentile(values: &mut [f32], pct: f32) -> f32 {
    let at = f64::from(pct.clamp(0.0, 100.0)) / 100.0 * (values.len() - 1) as f64;
    let (_, low, above) = values.select_nth_unstable_by(at as usize, f32::total_cmp);
    let high = above.iter().copied().fold(f32::INFINITY, f32::min);
    let share = (at - at.floor()) as f32;
    if share > 0.0 { footwork::advanced::math::lerp(*low, high, share) } else { *low }
}

/// Returns the same; 0 for an empty list.
pub fn percentile_or_zero(values: &mut [f32], pct: f32) -> f32 {
    if values.is_empty() { 0.0 } else { percentile(values, pct) }
}

/// Returns the median of the values, which are sorted by it; 0 for an empty list.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Returns mean and standard deviation of a statistic over runs. The deviation is that of a sample; `None` for fewer than two
/// runs.
pub fn mean_and_sd(values: &[f32]) -> Option<(f32, Option<f32>)> {
    let count = values.len() as f64;
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / count;
    let square = values.iter().map(|v| (f64::from(*v) - mean) * (f64::from(*v) - mean)).sum::<f64>();
    let sd = (values.len() > 1).then(|| (square / (count - 1.0)).sqrt() as f32);
    (!values.is_empty()).then_some((mean as f32, sd))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[f32]) -> Samples {
        let mut s = Samples::default();
        for (frame, v) in values.iter().enumerate() {
            s.push(*v, || Occurrence {
                course: "a",
                run: 0,
                frame,
                joint: JointIndex(0),
                clip: ClipIndex(0),
                clip_frame: 0,
            });
        }
        s
    }

    #[test]
    fn statistics_of_known_values() {
        let mut s = samples(&[4.0, 1.0]);
        s.append(&samples(&[2.0, 3.0, 9.0]));
        let is = |statistic, value: f32| {
            let found = s.statistic(statistic).unwrap();
            assert!((found - value).abs() < 1e-6, "{statistic:?}: {found}");
        };
        is(Statistic::Mean, 3.8);
        is(Statistic::Sum, 19.0);
        is(Statistic::Max, 9.0);
        is(Statistic::Percentile(50.0), 3.0);
        is(Statistic::Percentile(90.0), 7.0);
        is(Statistic::Percentile(100.0), 9.0);
        is(Statistic::PctOver(2.0), 60.0);
        assert_eq!(s.worst().map(|(v, m)| (v, m.frame)), Some((9.0, 2)));
        assert_eq!(Samples::default().statistic(Statistic::Mean), None);
    }

    #[test]
    fn the_spread_over_runs_is_the_samples() {
        assert_eq!(mean_and_sd(&[]), None);
        assert_eq!(mean_and_sd(&[2.0]), Some((2.0, None)));
        assert_eq!(mean_and_sd(&[1.0, 3.0]), Some((2.0, Some(2f32.sqrt()))));
    }
}
