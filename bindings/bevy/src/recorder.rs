//! The flight recorder of a character: what happened in the last minutes, to be replayed bit for bit.

use crate::step::step_one;
use bevy_ecs::prelude::*;
use footwork::input::{InputError, MotionInput};
use footwork::matcher::{Character, Turn};
use footwork::recorder::{One, Recorder, RecorderConfig, Trace, TraceError};
use std::path::Path;

/// Records the character's updates: a ring of fixed size, of which [`MotionRecorder::trace`] makes a copy to look at, to save, or to
/// replay. It does not influence motion.
///
/// Where the game restores a [`crate::MotionState`], moves the entity elsewhere or gives it other settings, the recording goes on
/// with a key frame. Other data begin a new one. Frames in which no time passes are not recorded.
#[derive(Component, Debug, Default)]
pub struct MotionRecorder {
    config: RecorderConfig,
    /// Made with the first update: its size depends on the character.
    recorder: Option<Box<Recorder>>,
}

/// A recording could not be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionRecordingError {
    /// The character has not moved since it has a recorder.
    #[error("nothing is recorded yet; save after the character has moved")]
    Empty,
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] TraceError),
}

impl MotionRecorder {
    /// A recorder that keeps so much. The default is ten minutes in at most 20 MB.
    pub fn new(config: RecorderConfig) -> Self {
        Self { config, recorder: None }
    }

    /// The recorder itself; `None` before the first update.
    pub fn get(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    /// The recorder itself, to name a part or the ground, or to forget all; `None` before the first update.
    pub fn get_mut(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_deref_mut()
    }

    /// A copy of the recording; `None` while there is nothing in it. Allocates; takes milliseconds for ten minutes.
    pub fn trace(&self) -> Option<Trace> {
        self.get().filter(|r| r.updates() > 0).map(Recorder::trace)
    }

    /// Writes the recording to a `.fwtrace` file, for the studio and for `footwork replay`.
    ///
    /// # Errors
    /// Returns [`MotionRecordingError`] if nothing is recorded, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), MotionRecordingError> {
        Ok(self.trace().ok_or(MotionRecordingError::Empty)?.save(path)?)
    }

    /// Moves the character and records that.
    pub(crate) fn step(
        &mut self,
        character: &Character,
        input: &MotionInput,
        turn: Turn,
        dt_s: f32,
        one: One,
    ) -> Result<(), InputError> {
        if dt_s == 0.0 {
            return step_one(character, input, turn, dt_s, one);
        }
        let recorder = self.recorder.get_or_insert_with(|| Box::new(Recorder::new(character, self.config)));
        recorder.step(character, input, turn, dt_s, one)
    }
}
