//! Data of the open panels: the growing recording of a character, and its settings.

use super::settings::{MotionInspected, MotionPanels};
use crate::assets::{MotionConfig, MotionNetworks};
use crate::components::{MotionCharacter, MotionKind};
use crate::recorder::MotionRecorder;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};
use bevy_time::{Time, Virtual};
use footwork::advanced::recorder::{Cursor, Piece};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::matcher::MatcherConfig;
use footwork::recorder::Recorder;
use footwork_panels::{Session, Studio, Tuning};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const NO_RECORDER: &str = "No character has a `MotionRecorder`: insert one, and its motion is shown here.";
const NOTHING_YET: &str = "Nothing is recorded yet: the character has not moved.";
const NO_DATABASE: &str = "This character moves by networks without a database, and the panels show a database. Save its \
    recording with `MotionRecorder::save`, and replay it with `footwork replay --learned`.";

/// Data of the open panels.
#[derive(Resource, Default)]
pub struct MotionInspection {
    /// A mutex only because the studio is not `Sync`; it is never contended.
    studio: Option<Mutex<Studio>>,
    character: Option<Entity>,
    opening: Option<Task<Result<Studio, String>>>,
    /// True if opening failed, so that it is not repeated at once.
    failed: bool,
    message: Option<String>,
    /// Read position in the recording.
    cursor: Cursor,
    piece: Piece,
    /// True if the panels have paused the game's time.
    holds_time: bool,
    applies: bool,
}

impl MotionInspection {
    /// Returns the panels, or `None` if there is nothing to show.
    pub fn studio(&mut self) -> Option<&mut Studio> {
        // Only a panic while the lock was held can poison it.
        self.studio.as_mut().and_then(|studio| studio.get_mut().ok())
    }

    /// Returns the character shown.
    pub fn character(&self) -> Option<Entity> {
        self.character
    }

    /// Returns true while the panels show the newest update of the game.
    pub fn follows(&mut self) -> bool {
        self.studio().is_some_and(|s| s.session.following().is_some_and(|f| !f.ended) && s.session.is_live())
    }

    /// Returns the reason why nothing is shown, or the result of the last action.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Shows the game again, after a review.
    pub fn follow(&mut self) {
        self.failed = false;
        match self.studio().map(|s| &mut s.session) {
            Some(session) if session.following().is_some_and(|f| !f.ended) => session.go_live(),
            // Read the recording again from its start.
            _ => self.cursor = Cursor::default(),
        }
    }

    /// Applies the panels' settings to the character in the game, in the next frame. Affects all characters with the same
    /// settings file.
    pub fn apply(&mut self) {
        self.applies = true;
    }

    pub(crate) fn say(&mut self, words: impl Into<String>) {
        self.message = Some(words.into());
    }

    fn forget(&mut self, character: Option<Entity>) {
        *self = Self { character, holds_time: self.holds_time, ..Self::default() };
    }
}

/// Returns the settings of a character in the game, from its file.
pub(crate) fn settings_of(character: &MotionCharacter, configs: &Assets<MotionConfig>) -> MatcherConfig {
    character.config.as_ref().and_then(|handle| configs.get(handle)).map(|c| c.0.clone()).unwrap_or_default()
}

/// Pauses the game's time while the panels are open, if they are set to do so.
pub(crate) fn hold_time(
    mut inspection: ResMut<MotionInspection>,
    panels: Res<MotionPanels>,
    mut time: ResMut<Time<Virtual>>,
) {
    let holds = panels.open && panels.pause;
    if holds && !inspection.holds_time && !time.is_paused() {
        time.pause();
        inspection.holds_time = true;
    } else if !holds && inspection.holds_time {
        time.unpause();
        inspection.holds_time = false;
    }
}

/// Applies settings to the game.
pub(crate) fn apply_settings(
    mut inspection: ResMut<MotionInspection>,
    mut characters: Query<&mut MotionCharacter>,
    mut configs: ResMut<Assets<MotionConfig>>,
) {
    if !std::mem::take(&mut inspection.applies) {
        return;
    }
    let entity = inspection.character;
    let Some(config) = inspection.studio().map(|s| s.session.tuning.matcher().clone()) else { return };
    let Some(mut character) = entity.and_then(|e| characters.get_mut(e).ok()) else { return };
    let done = match &character.config {
        Some(handle) => configs.insert(handle.id(), MotionConfig(config)).map_err(|e| e.to_string()),
        None => {
            character.config = Some(configs.add(MotionConfig(config)));
            Ok(())
        }
    };
    let words = "The game has the settings. They are not saved to a file.".to_owned();
    inspection.say(done.err().unwrap_or(words));
}

/// Character with a recorder.
#[derive(QueryData)]
pub(crate) struct Recorded {
    entity: Entity,
    recorder: &'static MotionRecorder,
    character: &'static MotionCharacter,
    kind: Option<&'static MotionKind>,
    name: Option<&'static Name>,
    marked: Has<MotionInspected>,
}

/// Opens the recording of a character, and follows the game.
pub(crate) fn inspect(
    mut inspection: ResMut<MotionInspection>,
    panels: Res<MotionPanels>,
    recorded: Query<Recorded>,
    configs: Res<Assets<MotionConfig>>,
    networks: Res<Assets<MotionNetworks>>,
) {
    if !panels.open {
        // Retry after a failure when the panels are opened again.
        inspection.failed = false;
        return;
    }
    let inspection = &mut *inspection;
    let marked = recorded.iter().filter(|r| r.marked).map(|r| r.entity).min();
    let before = inspection.character.filter(|e| recorded.contains(*e));
    let chosen = marked.or(before).or_else(|| recorded.iter().map(|r| r.entity).min());
    if chosen != inspection.character {
        inspection.forget(chosen);
    }
    let Some(seen) = chosen.and_then(|e| recorded.get(e).ok()) else { return inspection.say(NO_RECORDER) };
    let Some((kind, recorder)) = seen.kind.zip(seen.recorder.get()).filter(|(_, r)| r.updates() > 0) else {
        if inspection.studio.is_none() {
            inspection.say(NOTHING_YET);
        }
        return;
    };
    let Some(database) = kind.character.database() else {
        inspection.forget(chosen);
        return inspection.say(NO_DATABASE);
    };
    if inspection.studio().is_some_and(|s| !Arc::ptr_eq(s.session.database(), database)) {
        // The database was loaded again.
        inspection.forget(chosen);
    }
    if inspection.studio.is_none() {
        let start = || Start {
            name: seen.name.map_or_else(|| format!("character {}", seen.entity), |n| n.as_str().to_owned()),
            database: database.clone(),
            config: settings_of(seen.character, &configs),
            file: panels.settings.clone(),
            networks: seen.character.networks.as_ref().and_then(|h| networks.get(h)).map(|n| n.0.clone()),
        };
        return inspection.open(start);
    }
    let name = inspection.studio().map(|s| s.session.name.clone()).unwrap_or_default();
    inspection.keep_up(&name, recorder);
}

impl MotionInspection {
    /// Opens the panels on another thread, because a session prepares the database's searches.
    fn open(&mut self, start: impl FnOnce() -> Start) {
        if self.failed {
            return;
        }
        let Some(task) = &mut self.opening else {
            self.say("The panels open ..");
            let start = start();
            self.opening = Some(AsyncComputeTaskPool::get().spawn(async move { start.open() }));
            return;
        };
        let Some(opened) = block_on(poll_once(task)) else { return };
        self.opening = None;
        match opened {
            Ok(studio) => {
                self.studio = Some(Mutex::new(studio));
                self.cursor = Cursor::default();
                self.message = None;
            }
            Err(what) => {
                self.failed = true;
                self.say(what);
            }
        }
    }

    /// Passes new updates to the panels, which replay them.
    fn keep_up(&mut self, name: &str, recorder: &Recorder) {
        let Self { studio, cursor, piece, .. } = self;
        let Some(studio) = studio.as_mut().and_then(|studio| studio.get_mut().ok()) else { return };
        if recorder.read(cursor, usize::MAX, piece)
            && let Err(what) = studio.session.receive(name, piece)
        {
            self.say(what);
        }
    }
}

/// Data for opening the panels.
struct Start {
    name: String,
    database: Arc<Database>,
    config: MatcherConfig,
    file: PathBuf,
    networks: Option<Arc<Networks>>,
}

impl Start {
    fn open(self) -> Result<Studio, String> {
        let mut tuning = read_settings(&self.file)?;
        tuning.adopt(&self.config)?;
        let mut session = Session::new(self.name, self.database, tuning)?;
        if let Some(networks) = self.networks {
            session.set_networks(networks)?;
        }
        Ok(Studio::new(session))
    }
}

/// Reads the settings file, so that its comments and other content are preserved.
fn read_settings(file: &Path) -> Result<Tuning, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::Unsupported) => return Ok(Tuning::default()),
        Err(e) => return Err(format!("{}: cannot read: {e}", file.display())),
    };
    let fix = "mend it, or name another file in `MotionPanels::settings`";
    Tuning::parse(&text).map_err(|e| format!("{}: {e}; {fix}", file.display()))
}
