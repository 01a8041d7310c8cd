//! A character of a running game: what its recorder sends is replayed as it comes.

use crate::session::{Mode, Session};
use crate::tracks::Tracks;
use footwork::recorder::{DataId, Piece, Replay};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;

/// Updates that are kept: half an hour at 60 per second. The oldest are dropped.
const MOST_UPDATES: usize = 1 << 17;
/// Bytes that are kept.
const MOST_BYTES: usize = 256 << 20;
/// Time of a frame that may be spent on replaying what has come.
const BUDGET: Duration = Duration::from_millis(8);

/// The recording that grows, at its newest update.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The game and the character.
    pub name: String,
    pub replay: Replay,
    lost: u64,
    /// Nothing more comes.
    ended: bool,
}

/// How far a session is with a character of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Following<'a> {
    /// The game and the character.
    pub name: &'a str,
    /// Updates that were received and are not shown yet.
    pub waiting: usize,
    /// Updates that the game left out: the recording goes on after each gap.
    pub lost: u64,
    /// The connection has ended; the recording is still there.
    pub ended: bool,
}

impl Session {
    /// Checks whether a character with this data can be replayed here.
    ///
    /// # Errors
    /// What is to be opened first, in words.
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

    /// Takes the next piece of a recording that is being made elsewhere. The first piece of one begins anew: from then on the
    /// character of the game is shown, until [`Session::restart`]. `name` is what it is called.
    ///
    /// # Errors
    /// Pieces of other data, damaged ones, and those that do not follow, in words; what is shown stays.
    pub fn receive(&mut self, name: &str, piece: &Piece) -> Result<(), String> {
        if let Some(data) = piece.data() {
            return self.begin_following(name, piece, data);
        }
        let Some(followed) = self.followed.as_mut().filter(|f| !f.ended) else { return Ok(()) };
        let replay = &mut followed.replay;
        replay.append(piece).map_err(|e| e.to_string()).inspect_err(|_| followed.ended = true)?;
        followed.lost += piece.lost();
        let most = if replay.trace().bytes() > MOST_BYTES { replay.trace().updates() / 2 } else { MOST_UPDATES };
        // The last key frame and all after it are never dropped.
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
        tracks.push(replay.matcher(), replay.trace().dt_s(0), 0.0);
        self.tracks = tracks;
        self.mode = Mode::Live;
        self.followed = Some(Box::new(Followed { name: name.to_owned(), replay, lost: 0, ended: false }));
        Ok(())
    }

    /// The connection has ended: what was received stays.
    pub fn end_following(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.ended = true;
        }
    }

    /// The character of a game that is shown, or whose recording is.
    pub fn following(&self) -> Option<Following<'_>> {
        let Followed { name, replay, lost, ended } = &**self.followed.as_ref()?;
        let waiting = replay.trace().updates() - replay.updates_done();
        Some(Following { name, waiting, lost: *lost, ended: *ended })
    }

    /// Replays what has come, as far as there is time for it in a frame.
    pub(crate) fn catch_up(&mut self) -> Result<(), String> {
        let Some(followed) = &mut self.followed else { return Ok(()) };
        let start = Instant::now();
        while start.elapsed() < BUDGET {
            let update = followed.replay.updates_done();
            match followed.replay.step() {
                Ok(true) => self.tracks.push(followed.replay.matcher(), followed.replay.trace().dt_s(update), 0.0),
                Ok(false) => break,
                // Told once.
                Err(_) if followed.ended => break,
                Err(e) => {
                    followed.ended = true;
                    return Err(format!("{}: {e}", followed.name));
                }
            }
        }
        Ok(())
    }

    /// Settings of the game that differ from those here: name, value there, value here. None while no game is followed.
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

    /// Takes the settings of the game over, as one step that can be undone.
    pub fn take_settings(&mut self) {
        let Some(followed) = &self.followed else { return };
        let mut tuning = self.tuning.clone();
        let there = followed.replay.matcher().config().clone();
        if let Err(what) = tuning.adopt(&there).and_then(|()| self.replace_tuning(&tuning)) {
            self.message = Some(format!("settings of the game: {what}"));
        }
    }
}

/// Values that differ, by their path.
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
