//! The networks of a session's character.

use crate::session::Session;
use footwork::learned::Networks;
use footwork::matcher::Character;
use footwork_metrics::eval::Mover;
use std::sync::Arc;

impl Session {
    /// Returns the networks that can replace the clips.
    pub fn networks(&self) -> Option<&Arc<Networks>> {
        self.networks.as_ref()
    }

    /// Sets networks that can replace the clips; see [`Session::play_networks`].
    ///
    /// # Errors
    /// Returns a message if the networks are of other data; nothing changes.
    pub fn set_networks(&mut self, networks: Arc<Networks>) -> Result<(), String> {
        networks.check_schema(&self.database).map_err(|e| e.to_string())?;
        self.networks = Some(networks);
        if self.plays_networks() { self.play_networks(true) } else { Ok(()) }
    }

    /// Returns true while networks play.
    pub fn plays_networks(&self) -> bool {
        !self.matcher.character().plays_clips()
    }

    /// Lets networks or clips play. The character continues from the pose shown, and a new recording starts.
    ///
    /// # Errors
    /// Returns a message if there are no networks, or they are of other data; nothing changes.
    pub fn play_networks(&mut self, play: bool) -> Result<(), String> {
        let config = self.tuning.matcher().clone();
        let database = self.database.clone();
        let character = match &self.networks {
            Some(networks) if play => {
                Character::learned(networks.clone(), Some(database), config).map_err(|e| e.to_string())
            }
            None if play => Err("no networks are loaded: drop a .fwnet file of this data".to_owned()),
            _ => Character::new(database, config).map_err(|e| e.to_string()),
        };
        self.become_a(character?)
    }

    /// Returns the mover for `footwork eval`.
    pub(crate) fn mover(&self) -> Mover {
        match &self.networks {
            Some(networks) if self.plays_networks() => Mover::Learned(networks.clone()),
            _ => Mover::Exact,
        }
    }
}
