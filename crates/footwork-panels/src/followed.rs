//! The recording of a running game's character, as it arrives.

use crate::tracks::Tracks;
use footwork::recorder::Replay;
use std::time::Duration;
use web_time::Instant;

/// Maximum time per frame for replaying received updates.
const BUDGET: Duration = Duration::from_millis(8);

/// A growing recording, replayed to its newest update.
#[derive(Debug)]
pub(crate) struct Followed {
    /// Name of the game and the character.
    pub name: String,
    pub replay: Replay,
    /// Number of updates that the game left out.
    pub lost: u64,
    /// True once no more updates arrive.
    pub ended: bool,
}

impl Followed {
    /// Replays received updates within the frame's time budget, and adds each to `tracks`.
    pub fn catch_up(&mut self, tracks: &mut Tracks) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < BUDGET {
            let update = self.replay.updates_done();
            match self.replay.step() {
                Ok(true) => {
                    let (replay, dt_s) = (&self.replay, self.replay.trace().dt_s(update));
                    tracks.push(replay.matcher(), replay.input().action.as_ref(), dt_s, 0.0);
                }
                Ok(false) => break,
                // The error was reported before.
                Err(_) if self.ended => break,
                Err(e) => {
                    self.ended = true;
                    return Err(format!("{}: {e}", self.name));
                }
            }
        }
        Ok(())
    }
}
