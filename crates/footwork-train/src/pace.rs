//! Limits and progress of phases.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// After a duration.
    Time(Duration),
    /// After a number of steps, which makes results reproducible.
    Steps(u64),
}

/// The progress of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    limit: Limit,
    start: Instant,
    /// Time spent before `start`, in an interrupted run.
    before: Duration,
    /// Steps done.
    pub steps: u64,
}

/// Maximum of the learning rate.
const HIGHEST_RATE: f32 = 1e-3;
/// Share of a phase in which the learning rate increases.
const WARMUP: f32 = 0.01;

impl Pace {
    /// Starts or continues a phase, after a number of steps and a duration.
    pub fn new(limit: Limit, steps: u64, before: Duration) -> Self {
        Self { limit, start: Instant::now(), before, steps }
    }

    /// Returns the estimated seconds until the end.
    pub fn left_s(&self) -> f64 {
        let progress = f64::from(self.progress()).clamp(1e-6, 1.0);
        self.elapsed().as_secs_f64() * (1.0 - progress) / progress
    }

    /// Returns the progress: 0 at the start, 1 and more at the end.
    pub fn progress(&self) -> f32 {
        match self.limit {
            Limit::Time(limit) => self.elapsed().as_secs_f32() / limit.as_secs_f32().max(1e-3),
            Limit::Steps(steps) => self.steps as f32 / steps.max(1) as f32,
        }
    }

    /// Returns the time spent.
    pub fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// Returns the learning rate: a short rise, then a cosine that falls to 0.
    pub fn rate(&self) -> f32 {
        let progress = self.progress().min(1.0);
        let falling = 0.5 * (1.0 + (std::f32::consts::PI * progress).cos());
        HIGHEST_RATE * falling.max(1e-3) * (progress / WARMUP).clamp(0.02, 1.0)
    }

    /// True if the phase is over.
    pub fn is_over(&self) -> bool {
        self.progress() >= 1.0
    }
}
