//! The sources that a session can show: the live character, a recording, or a clip.

use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork::recorder::{Replay, Trace};
use std::ops::Range;
use std::sync::Arc;

/// Displayed source.
#[derive(Debug)]
pub(crate) enum Mode {
    /// The character as it is driven, or as a game sends it.
    Live,
    /// A recording.
    Review(Box<Review>),
    /// A clip of the database.
    Clip(ClipPlayer),
}

/// Recording under review.
#[derive(Debug)]
pub(crate) struct Review {
    pub trace: Arc<Trace>,
    pub replay: Replay,
    /// Index of the update shown.
    pub update: usize,
    pub playing: bool,
    /// Range of updates that repeats.
    pub looped: Option<Range<usize>>,
    /// Time passed since the update shown, in seconds.
    pub ahead_s: f32,
    /// True for a recording from a file, after which the character cannot continue live.
    pub opened: bool,
}

/// Playback of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClipPlayer {
    pub clip: ClipIndex,
    pub time_s: f64,
    pub playing: bool,
}

impl Review {
    /// Returns true if only the recording has the results of hooks, such as those for ground and walls.
    pub fn has_answers(&self) -> bool {
        self.trace.asks_for_walls() || self.trace.asks_for_ground() && self.trace.ground().is_empty()
    }

    /// Shows an update.
    pub fn show(&mut self, update: usize) -> Result<(), String> {
        let update = update.min(self.trace.updates().saturating_sub(1));
        let done = self.replay.updates_done();
        let moved = match update {
            // The update is already shown, or is the next one.
            _ if done == update + 1 => Ok(()),
            _ if done == update => self.replay.step().map(|_| ()),
            _ => self.replay.seek(update),
        };
        moved.map_err(|e| e.to_string())?;
        self.update = update;
        Ok(())
    }

    /// Continues a playing recording by a time.
    pub fn advance(&mut self, dt_s: f32) -> Result<(), String> {
        if !self.playing || self.trace.updates() == 0 {
            return Ok(());
        }
        self.ahead_s += dt_s;
        loop {
            let range = self.looped.clone().unwrap_or(0..self.trace.updates());
            let (next, wraps) = match self.update + 1 {
                next if next < range.end => (next, false),
                _ => (range.start, true),
            };
            if wraps && self.looped.is_none() {
                (self.playing, self.ahead_s) = (false, 0.0);
                return Ok(());
            }
            let step_s = self.trace.dt_s(next);
            if self.ahead_s < step_s {
                return Ok(());
            }
            self.ahead_s -= step_s.max(1e-4);
            self.show(next)?;
        }
    }
}

impl ClipPlayer {
    /// Continues a playing clip by a time.
    pub fn advance(&mut self, db: &Database, dt_s: f32) {
        if !self.playing {
            return;
        }
        let (clip, seconds) = (&db.clips[self.clip.at()], db.view(self.clip, false).seconds());
        self.time_s += f64::from(dt_s);
        if !clip.looping() && self.time_s > seconds {
            self.time_s = 0.0;
        }
    }
}
