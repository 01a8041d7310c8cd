//! Editing of tags in a session.

use super::sidecar::Sidecar;
use super::takes::{EditedTake, Home, Sources, Takes, Unsaved};
use crate::history::Step;
use crate::mode::{ClipPlayer, Mode};
use crate::session::Session;
use crate::tuning::Tuning;
use footwork::frames::ClipIndex;
use footwork_import::Take;

/// Position of the shown clip in its take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClipPlace {
    pub take: usize,
    pub clip: ClipIndex,
    /// Time shown in the take, in seconds.
    pub time_s: f64,
}

impl Session {
    /// Adds the files of the clips, so that their sidecars can be edited.
    ///
    /// # Errors
    /// Returns a message if a sidecar does not fit its take.
    pub fn with_sources(mut self, sources: Sources) -> Result<Self, String> {
        self.takes = Takes::of_sources(sources, &self.database)?;
        Ok(self)
    }

    /// Returns true if the files of the clips are known.
    pub fn has_files(&self) -> bool {
        self.takes.home == Home::Files
    }

    /// Returns the shown clip in its take; `None` while no clip is shown, and for clips that the build made.
    pub(crate) fn clip_place(&self) -> Option<ClipPlace> {
        let Mode::Clip(player) = &self.mode else { return None };
        let place = self.takes.place(player.clip)?;
        let view = self.database.view(player.clip, false);
        let looping = self.database.clips[player.clip.at()].looping();
        let time_s = if looping { player.time_s.rem_euclid(view.seconds().max(1e-6)) } else { player.time_s };
        Some(ClipPlace { take: place.take, clip: player.clip, time_s: place.start_s + time_s })
    }

    /// Shows a time of a take in the clip that contains it, or the nearest. Returns false if the database has no clip of the
    /// take.
    pub(crate) fn show_take(&mut self, take: usize, time_s: f64) -> bool {
        let db = self.database.clone();
        let within = |(clip, start_s): (ClipIndex, f64)| {
            let last_s = f64::from(db.clips[clip.at()].frames.saturating_sub(1)) / f64::from(db.pose_rate_hz);
            let inside = (time_s - start_s).clamp(0.0, last_s);
            ((time_s - start_s - inside).abs(), clip, inside)
        };
        let nearest = self.takes.parts(&db, take).map(within).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, clip, time_s)) = nearest else { return false };
        self.mode = Mode::Clip(ClipPlayer { clip, time_s, playing: false });
        true
    }

    /// Edits the sidecar of a take; `moving` is as for [`Session::set`]. Reports errors in [`Session::message`].
    pub(crate) fn edit_tags<T>(
        &mut self,
        take: usize,
        moving: bool,
        edit: impl FnOnce(&mut Sidecar, &Take) -> Result<T, String>,
    ) -> Option<T> {
        let EditedTake { take, sidecar } = self.takes.list.get_mut(take)?;
        let before = sidecar.document().clone();
        match edit(sidecar, take) {
            Ok(made) => {
                if sidecar.text() != before.to_string() {
                    self.history.keep(Step::Tags { take: take.name.clone(), document: before }, moving);
                }
                Some(made)
            }
            Err(what) => {
                self.message = Some(what);
                None
            }
        }
    }

    /// Returns true if there is a step to undo.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Returns true if there is a step to redo.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Undoes the last change of a setting or of tags.
    pub fn undo(&mut self) {
        let Self { history, tuning, takes, message, .. } = self;
        history.undo(|step| swap(tuning, takes, message, step));
        self.reapply();
    }

    /// Redoes the last undone change.
    pub fn redo(&mut self) {
        let Self { history, tuning, takes, message, .. } = self;
        history.redo(|step| swap(tuning, takes, message, step));
        self.reapply();
    }

    /// Returns the changed sidecars that are not saved.
    pub fn unsaved_tags(&self) -> Vec<Unsaved> {
        self.takes.unsaved()
    }

    /// Marks a sidecar as saved.
    pub fn mark_tags_saved(&mut self, saved: &Unsaved) {
        if let Some(k) = self.takes.find(&saved.take) {
            self.takes.list[k].sidecar.mark_saved(Some(saved.text.clone()));
        }
    }

    /// Replaces sidecars by those of files: names (`<clip>.tags.toml`) and texts. Replaces all or none.
    ///
    /// # Errors
    /// Returns a message if no clip has a sidecar of this name, or if a text does not fit its clip.
    pub fn open_sidecars(&mut self, files: &[(String, String)]) -> Result<(), String> {
        let mut opened = Vec::new();
        for (name, text) in files {
            let of = |t: &EditedTake| t.take.sidecar.file_name().is_some_and(|n| n.to_string_lossy() == *name);
            let Some(k) = self.takes.list.iter().position(of) else {
                return Err(format!("{name}: no clip of {} has this sidecar", self.name));
            };
            opened.push((k, Sidecar::read(Some(text.clone()), &self.takes.list[k].take)?));
        }
        for (k, new) in opened {
            let EditedTake { take, sidecar } = &mut self.takes.list[k];
            let before = sidecar.document().clone();
            self.history.keep(Step::Tags { take: take.name.clone(), document: before }, false);
            *sidecar = new;
        }
        Ok(())
    }

    /// Replaces the data by that of another session, after a rebuild. Settings, unsaved tags, history, driver, position and the
    /// shown clip remain.
    ///
    /// # Errors
    /// Returns a message if the settings do not fit the data; nothing changes.
    pub fn continue_with(&mut self, mut new: Self) -> Result<(), String> {
        new.set_tuning(self.tuning.clone())?;
        let shown = self.clip_place();
        let old_root = self.matcher.pose().world_from_root();
        let plays_networks = self.plays_networks();
        let old = std::mem::replace(self, new);
        self.steering = old.steering;
        self.history = old.history;
        self.findings = old.findings;
        self.message = old.message;
        for t in old.takes.list.iter().filter(|t| t.sidecar.is_changed()) {
            let Some(k) = self.takes.find(&t.take.name) else { continue };
            let EditedTake { take, sidecar } = &mut self.takes.list[k];
            if let Err(what) = sidecar.swap(t.sidecar.document().clone(), take) {
                self.message = Some(what);
            }
        }
        self.ground = old.ground;
        self.networks = old.networks;
        let runs = old.matcher.character().machine().is_some();
        if let Some(machine) = old.machine
            && let Err(what) = self.set_machine(machine.spec().clone()).and_then(|()| self.run_machine(runs))
        {
            self.message = Some(what);
        }
        self.keep_machine_file(old.machine_file);
        if plays_networks && let Err(what) = self.play_networks(true) {
            self.message = Some(what);
        }
        self.begin_at(old_root);
        // By name, because the rebuilt data may have other takes.
        let shown = shown.and_then(|p| Some((self.takes.find(&old.takes.list[p.take].take.name)?, p.time_s)));
        if let Some((take, time_s)) = shown {
            self.show_take(take, time_s);
        }
        Ok(())
    }
}

/// Applies a document. Returns the replaced one, or the document itself if it no longer fits.
fn swap(tuning: &mut Tuning, takes: &mut Takes, message: &mut Option<String>, step: Step) -> Step {
    match step {
        Step::Settings(document) => Step::Settings(tuning.swap(document)),
        Step::Tags { take, document } => {
            let Some(k) = takes.find(&take) else { return Step::Tags { take, document } };
            let EditedTake { take: of, sidecar } = &mut takes.list[k];
            let document = sidecar.swap(document.clone(), of).unwrap_or_else(|what| {
                *message = Some(what);
                document
            });
            Step::Tags { take, document }
        }
    }
}
