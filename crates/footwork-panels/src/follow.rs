//! Follows a character of a running game: replays the updates of its recorder as they arrive.

use crate::followed::Followed;
use crate::mode::Mode;
use crate::session::Session;
use crate::tracks::Tracks;
use footwork::advanced::recorder::{DataId, Piece};
use footwork::recorder::Replay;
use serde_json::Value;
use std::sync::Arc;

/// Maximum number of kept updates: 36 minutes at 60 per second. The oldest are dropped.
const MOST_UPDATES: usize = 1 << 17;
/// Bytes above which half of the updates are dropped.
const MOST_BYTES: usize = 256 << 20;
/// Progress of following a character of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Following<'a> {
    /// Name of the game and the character.
    pub name: &'a str,
    /// Number of received updates that are not replayed yet.
    pub waiting: usize,
    /// Number of updates that the game left out. The recording continues after each gap.
    pub lost: u64,
    /// True once the connection has ended. The recording remains.
    pub ended: bool,
}

impl Session {
    /// Checks whether a character with this data can be replayed here.
    ///
    /// # Errors
    /// Returns a message with the file to open first.
    pub fn fits(&self, data: DataId) -> Result<(), String> {
        let here = self.database.content_hash();
        if data.database != Some(here) {
            return Err(format!(
                "it plays {data}, and `{}` is database {here:032x}; open the file that the game has",
                self.name
            ));
        }
        if data.has_networks() && self.networks.is_none() {
            return Err(format!("it plays {data}; open the networks (.fwnet) that the game has"));
        }
        Ok(())
    }

    /// Takes the next piece of a recording from a game. A first piece starts a new recording: the session shows the game's
    /// character from then on, until [`Session::restart`]. `name` is its displayed name.
    ///
    /// # Errors
    /// Returns a message if the piece is of other data, is damaged, or does not continue the recording. The recording so far
    /// remains.
    pub fn receive(&mut self, name: &str, piece: &Piece) -> Result<(), String> {
        if let Some(data) = piece.data() {
            return self.begin_following(name, piece, data);
        }
        let Some(followed) = self.followed.as_mut().filter(|f| !f.ended) else { return Ok(()) };
        let replay = &mut followed.replay;
        replay.append(piece).map_err(|e| e.to_string()).inspect_err(|_| followed.ended = true)?;
        followed.lost += piece.lost();
        let most = if replay.trace().bytes() > MOST_BYTES { replay.trace().updates() / 2 } else { MOST_UPDATES };
        // The last key frame and all later updates are never dropped.
        if replay.trace().bytes() > 2 * MOST_BYTES {
            followed.ended = true;
            return Err(format!("the game sends more than {} MB without a key frame", MOST_BYTES >> 20));
        }
        let dropped = replay.keep(most);
        if dropped > 0 {
            self.tracks.keep(self.tracks.len() - dropped);
            if let Mode::Review(review) = &self.mode {
                let (update, playing) = (review.update.saturating_sub(dropped), review.playing);
                self.review_anew(update, playing);
            }
        }
        Ok(())
    }

    fn begin_following(&mut self, name: &str, piece: &Piece, data: DataId) -> Result<(), String> {
        self.fits(data)?;
        if self.networks.is_some() && data.has_networks() != self.plays_networks() {
            self.play_networks(data.has_networks())?;
        }
        let character = Arc::clone(self.matcher.character());
        let ground = Self::named_ground(piece.ground().unwrap_or_default());
        let replay = Replay::begin(piece, character, ground).map_err(|e| e.to_string())?;
        let mut tracks = Tracks::new(self.database.schema.channels.len());
        tracks.push(replay.matcher(), replay.input().action.as_ref(), replay.trace().dt_s(0), 0.0);
        self.tracks = tracks;
        self.mode = Mode::Live;
        self.followed = Some(Box::new(Followed { name: name.to_owned(), replay, lost: 0, ended: false }));
        Ok(())
    }

    /// Marks the connection as ended. The received recording remains.
    pub fn end_following(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.ended = true;
        }
    }

    /// Returns the followed character of a game; also after its connection has ended.
    pub fn following(&self) -> Option<Following<'_>> {
        let Followed { name, replay, lost, ended } = &**self.followed.as_ref()?;
        let waiting = replay.trace().updates() - replay.updates_done();
        Some(Following { name, waiting, lost: *lost, ended: *ended })
    }

    /// Returns settings that differ between the game and the session: name, value there, value here. Empty if no game is
    /// followed.
    pub fn other_settings(&self) -> Vec<(String, Value, Value)> {
        let Some(followed) = &self.followed else { return Vec::new() };
        let (there, here) = (followed.replay.matcher().config(), self.tuning.matcher());
        if there == here {
            return Vec::new();
        }
        let mut all = Vec::new();
        if let (Ok(there), Ok(here)) = (serde_json::to_value(there), serde_json::to_value(here)) {
            differences(&mut Vec::new(), &there, &here, &mut |path, there, here| {
                all.push((path.join("."), there.clone(), here.clone()));
            });
        }
        all
    }

    /// Copies the settings of the game, as one undo step.
    pub fn take_settings(&mut self) {
        let Some(followed) = &self.followed else { return };
        let mut tuning = self.tuning.clone();
        let there = followed.replay.matcher().config().clone();
        if let Err(what) = tuning.adopt(&there).and_then(|()| self.replace_tuning(&tuning)) {
            self.message = Some(format!("settings of the game: {what}"));
        }
    }
}

/// Reports values that differ, with their paths.
fn differences(path: &mut Vec<String>, there: &Value, here: &Value, tell: &mut dyn FnMut(&[String], &Value, &Value)) {
    match (there, here) {
        _ if there == here => {}
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                path.push(name.clone());
                let of = |side: &serde_json::Map<String, Value>| side.get(name).cloned().unwrap_or(Value::Null);
                differences(path, &of(a), &of(b), tell);
                path.pop();
            }
        }
        _ => tell(path, there, here),
    }
}
