//! Flight recorder of a character: keeps the last minutes for bit-exact replay.

use bevy_ecs::prelude::*;
use footwork::advanced::matcher::One;
use footwork::input::{InputError, MotionInput};
use footwork::matcher::{Character, Turn};
use footwork::recorder::{FileError, Recorder, RecorderConfig, Trace};
use std::path::Path;

/// Recorder of the character's updates in a ring of fixed size. [`MotionRecorder::trace`] returns a copy to view, save or replay.
/// It does not influence motion.
///
/// If the game restores a [`crate::MotionState`], moves the entity or changes its settings, the recording continues with a key
/// frame. Other data start a new recording. Frames in which no time passes are not recorded.
#[derive(Component, Debug, Default)]
pub struct MotionRecorder {
    config: RecorderConfig,
    /// Created by the first update, because its size depends on the character.
    recorder: Option<Box<Recorder>>,
}

/// Reason why a recording could not be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionRecordingError {
    /// The character has not moved since the recorder was added.
    #[error("nothing is recorded yet; save after the character has moved")]
    Empty,
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl MotionRecorder {
    /// Creates a recorder with these limits. Default: ten minutes in at most 20 MB.
    pub fn new(config: RecorderConfig) -> Self {
        Self { config, recorder: None }
    }

    /// Returns the recorder, or `None` before the first update.
    pub fn get(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    /// Returns the recorder, to name a part or the ground, or to clear it; `None` before the first update.
    pub fn get_mut(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_deref_mut()
    }

    /// Returns a copy of the recording, or `None` if it is empty. Allocates; takes milliseconds for ten minutes.
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

    /// Updates the character and records the update.
    pub(crate) fn step(
        &mut self,
        character: &Character,
        input: &MotionInput,
        turn: Turn,
        dt_s: f32,
        one: One,
    ) -> Result<(), InputError> {
        if dt_s == 0.0 {
            return one.step(character, input, turn, dt_s);
        }
        let recorder = self.recorder.get_or_insert_with(|| Box::new(Recorder::new(character, self.config)));
        recorder.step(character, input, turn, dt_s, one)
    }
}
