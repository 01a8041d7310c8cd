//! Conversion between the phase of a blend space and the time of one of its clips.

/// Phase differences below this count as zero.
const NO_PHASE: f64 = 1e-12;

/// An increasing, piecewise linear map from phase to time, which repeats in a loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timeline {
    /// Ascending, at least two. In a loop, the last is the first, one cycle later.
    phases: Vec<f64>,
    /// Ascending, in seconds of the clip.
    times_s: Vec<f64>,
    looping: bool,
}

impl Timeline {
    /// Creates a timeline through pairs of phase and seconds: at least two, ascending.
    pub fn new(knots: &[(f64, f64)], looping: bool) -> Self {
        Self { phases: knots.iter().map(|k| k.0).collect(), times_s: knots.iter().map(|k| k.1).collect(), looping }
    }

    /// Returns the phases of one cycle.
    pub fn strides(&self) -> f64 {
        self.phases[self.phases.len() - 1] - self.phases[0]
    }

    /// Returns the duration of one cycle, in seconds.
    fn round_s(&self) -> f64 {
        self.times_s[self.times_s.len() - 1] - self.times_s[0]
    }

    /// Returns the whole cycles before a phase, and the phase within its cycle.
    fn within(&self, phase: f64) -> (f64, f64) {
        if !self.looping {
            return (0.0, phase);
        }
        let rounds = ((phase - self.phases[0]) / self.strides()).floor();
        (rounds, phase - rounds * self.strides())
    }

    /// Returns the last segment that begins at or before a phase of a cycle.
    fn segment(&self, x: f64) -> usize {
        self.phases[1..self.phases.len() - 1].partition_point(|p| *p <= x)
    }

    fn segment_slope(&self, i: usize) -> f64 {
        (self.times_s[i + 1] - self.times_s[i]) / (self.phases[i + 1] - self.phases[i])
    }

    /// Returns the time within the cycle (of a loop), in seconds. Phases that differ by whole cycles return identical bits.
    pub fn time_in_round_s(&self, phase: f64) -> f64 {
        let (_, x) = self.within(phase);
        let i = self.segment(x);
        self.times_s[i] + (x - self.phases[i]) * self.segment_slope(i)
    }

    /// Returns the time including whole cycles, in seconds.
    pub fn time_s(&self, phase: f64) -> f64 {
        self.time_in_round_s(phase) + self.within(phase).0 * self.round_s()
    }

    /// Returns the seconds per phase just after or just before a phase, and the phase where that slope ends (infinite: never).
    pub fn piece(&self, phase: f64, forward: bool) -> (f64, f64) {
        let (rounds, x) = self.within(phase);
        let offset = rounds * self.strides();
        let last = self.phases.len() - 1;
        if forward {
            // A knot that is reached within rounding counts as passed.
            let next = self.phases[1..].partition_point(|p| *p <= x + NO_PHASE);
            return match (next == last, self.looping) {
                (false, _) => (self.segment_slope(next), offset + self.phases[next + 1]),
                (true, true) => (self.segment_slope(0), offset + self.phases[last] + (self.phases[1] - self.phases[0])),
                (true, false) => (self.segment_slope(last - 1), f64::INFINITY),
            };
        }
        let before = self.phases.partition_point(|p| *p < x - NO_PHASE);
        match (before == 0, self.looping) {
            (false, _) if before > last => (self.segment_slope(last - 1), offset + self.phases[last]),
            (false, _) => (self.segment_slope(before - 1), offset + self.phases[before - 1]),
            (true, true) => {
                (self.segment_slope(last - 1), offset + self.phases[0] - (self.phases[last] - self.phases[last - 1]))
            }
            (true, false) => (self.segment_slope(0), f64::NEG_INFINITY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Timeline {
        Timeline::new(&[(0.0, 0.3), (0.4, 0.5), (1.0, 1.5), (2.0, 2.3)], true)
    }

    #[test]
    fn time_rises_with_phase_round_after_round() {
        let t = line();
        assert_eq!([t.time_s(0.0), t.time_s(0.4), t.time_s(2.0)], [0.3, 0.5, 2.3]);
        assert!((t.time_s(2.4) - 2.5).abs() < 1e-12 && (t.time_s(-1.0) + 0.5).abs() < 1e-12);
        assert_eq!(t.time_in_round_s(0.75), t.time_in_round_s(6.75));
        let open = Timeline::new(&[(0.0, 0.0), (1.0, 2.0)], false);
        assert_eq!([open.time_s(-0.5), open.time_s(1.5)], [-1.0, 3.0]);
    }

    #[test]
    fn pieces_are_the_slope_and_its_end() {
        let t = line();
        for k in -40..80 {
            let phase = f64::from(k) * 0.05;
            for (forward, sign) in [(true, 1.0), (false, -1.0)] {
                let (slope, end) = t.piece(phase, forward);
                let moved = (t.time_s(phase + sign * 1e-6) - t.time_s(phase)) * sign / 1e-6;
                assert!((moved - slope).abs() < 1e-6, "{phase} {forward}: {moved} {slope}");
                assert!((end - phase) * sign > 1e-9, "{phase} {forward}: {end}");
                assert!((t.time_s(end) - t.time_s(phase) - slope * (end - phase)).abs() < 1e-9);
            }
        }
    }
}
