//! Shared parts of all phases: the device, the seed, the observer and the checkpoints.

use crate::checkpoint::{Keeper, SavedPhase};
use crate::dataset::Dataset;
use crate::error::TrainError;
use crate::pace::Limit;
use crate::perceptron::Perceptron;
use crate::phase::{Course, CourseState, Phase, PhaseRecord, Tick};
use burn::tensor::Device;

/// Device, seed, observer and checkpoints of a phase.
pub struct Workshop<'a> {
    /// Device of the tensors, with derivatives.
    pub device: Device,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Called after each step.
    pub observer: &'a mut dyn FnMut(Tick),
    /// Writes checkpoints.
    pub keeper: Keeper,
}

impl Workshop<'_> {
    /// Begins a phase, or continues a saved one.
    ///
    /// # Errors
    /// Returns [`TrainError::Checkpoint`] if the saved networks have other sizes.
    pub fn begin(
        &mut self,
        phase: Phase,
        limit: Limit,
        parts: &[&str],
        networks: &mut [&mut Perceptron],
    ) -> Result<Course, TrainError> {
        let at = self.keeper.begun;
        self.keeper.begun += 1;
        let Some(saved) = self.keeper.checkpoint.phases.get(at) else {
            return Ok(Course::new(limit, CourseState::new(phase, parts)));
        };
        let fits = saved.course.record.phase == phase
            && saved.course.record.parts == parts
            && saved.course.sums.len() == parts.len()
            && saved.networks.len() == networks.len()
            && saved.networks.iter().zip(&*networks).all(|(s, n)| s.sizes == n.sizes);
        if !fits {
            let detail = format!("the networks of the {} have other sizes", phase.name());
            return Err(TrainError::Checkpoint { path: self.keeper.path.clone().unwrap_or_default(), detail });
        }
        networks.iter_mut().zip(&saved.networks).for_each(|(n, saved)| **n = saved.clone());
        Ok(Course::new(limit, saved.course.clone()))
    }

    /// Writes a checkpoint if one is due.
    ///
    /// # Errors
    /// Returns the error of [`Keeper::keep`].
    pub fn keep(&mut self, course: &Course, networks: &[&Perceptron]) -> Result<(), TrainError> {
        if self.keeper.is_due() { self.keeper.keep(saved(course.state(), networks)) } else { Ok(()) }
    }

    /// Ends a phase and writes a checkpoint of it.
    ///
    /// # Errors
    /// Returns the error of [`Keeper::keep`].
    pub fn end(&mut self, course: Course, networks: &[&Perceptron]) -> Result<PhaseRecord, TrainError> {
        if course.over {
            // The phase was saved at its end, and the phases after it must remain.
            return Ok(course.record);
        }
        let state = course.finish();
        let record = state.record.clone();
        self.keeper.keep(saved(state, networks))?;
        Ok(record)
    }

    /// Checks that the loss of a step is a number. `frames`: frames of its samples.
    ///
    /// # Errors
    /// Returns [`TrainError::NotFinite`] if it is not.
    pub fn check(&self, data: &Dataset, course: &Course, parts: &[f32], frames: &[usize]) -> Result<(), TrainError> {
        let loss: f32 = parts.iter().sum();
        if loss.is_finite() {
            return Ok(());
        }
        let offending = |frame: &usize| !data.is_finite(*frame);
        let frame = frames.iter().copied().find(offending).or_else(|| (0..data.frames()).find(offending));
        let frame = frame.or(frames.first().copied()).unwrap_or(0);
        let sequence = data.sequence_of(frame);
        Err(TrainError::NotFinite {
            phase: course.record.phase.name(),
            step: course.pace.steps,
            loss,
            clip: data.clip_names[sequence.clip.at()].clone(),
            time_s: sequence.time_s(frame),
            advice: self.keeper.advice(),
        })
    }
}

fn saved(course: CourseState, networks: &[&Perceptron]) -> SavedPhase {
    SavedPhase { course, networks: networks.iter().map(|n| (*n).clone()).collect() }
}
