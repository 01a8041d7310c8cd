//! Takes of a database's clips, with their sidecars.

use super::sidecar::Sidecar;
use footwork::database::{Clip, Database};
use footwork::frames::ClipIndex;
use footwork_import::{Origin, Take};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files from which a database is built, from the importer.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Takes, with their sidecars.
    pub takes: Vec<Take>,
    /// Clips before the build: names, and their parts of takes.
    pub clips: Vec<(String, Origin)>,
}

/// Changed sidecar that is not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// Name of the take.
    pub take: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Text to save.
    pub text: String,
    /// Text of the file when it was read; `None` if there was no file.
    pub saved: Option<String>,
}

/// Location of saved sidecars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Beside the files of the clips.
    Files,
    /// This folder, because the clips' files are not known.
    Folder(String),
}

/// Default folder of sidecars if the clips' files are not known.
const FOLDER: &str = "tags";

/// A take and its sidecar.
#[derive(Clone, Debug)]
pub(crate) struct EditedTake {
    pub take: Take,
    pub sidecar: Sidecar,
}

/// Position of a clip in a take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub take: usize,
    /// Time of the clip's first frame in the take, in seconds.
    pub start_s: f64,
}

/// All takes of a database.
#[derive(Clone, Debug)]
pub(crate) struct Takes {
    pub list: Vec<EditedTake>,
    pub home: Home,
    /// `[clips of the database]` positions; `None` for clips that the build made.
    places: Vec<Option<Place>>,
    /// Positions by clip name, before the build or in the database.
    by_name: BTreeMap<String, Place>,
}

impl Takes {
    /// Creates the takes of known files.
    pub fn of_sources(sources: Sources, db: &Database) -> Result<Self, String> {
        let read = |mut take: Take| {
            let sidecar = Sidecar::read(take.text.take(), &take)?;
            Ok(EditedTake { take, sidecar })
        };
        let list: Result<Vec<_>, String> = sources.takes.into_iter().map(read).collect();
        let place = |o: Origin| Place { take: o.take, start_s: f64::from(o.start_s) };
        let by_name: BTreeMap<String, Place> = sources.clips.into_iter().map(|(name, o)| (name, place(o))).collect();
        let part = |clip: &Clip| {
            let place = by_name.get(original(&clip.name)).or_else(|| by_name.get(whole(original(&clip.name))))?;
            Some(Place { start_s: place.start_s + f64::from(clip.source_start_s), ..*place })
        };
        let places = db.clips.iter().map(part).collect();
        Ok(Self { list: list?, home: Home::Files, places, by_name })
    }

    /// Derives names and durations of takes from a database.
    pub fn of_database(db: &Database) -> Self {
        let mut takes: BTreeMap<String, usize> = BTreeMap::new();
        let (mut list, mut by_name): (Vec<EditedTake>, BTreeMap<String, Place>) = Default::default();
        let mut place = |clip: &Clip| {
            if db.clip_tags(clip).contains(&Database::MADE) {
                return None;
            }
            let name = whole(original(&clip.name));
            let take = *takes.entry(name.to_owned()).or_insert_with(|| {
                let take = Take {
                    name: name.to_owned(),
                    sidecar: format!("{}.tags.toml", file_name(name)).into(),
                    text: None,
                    rate_hz: db.pose_rate_hz,
                    frames: 1,
                };
                list.push(EditedTake { take, sidecar: Sidecar::empty() });
                list.len() - 1
            });
            let known = &mut list[take].take.frames;
            let first = (clip.source_start_s * db.pose_rate_hz).round().max(0.0) as usize;
            *known = (*known).max(first + clip.frames as usize);
            let place = Place { take, start_s: f64::from(clip.source_start_s) };
            if !clip.mirrored {
                by_name.insert(clip.name.clone(), place);
            }
            Some(place)
        };
        let places = db.clips.iter().map(&mut place).collect();
        Self { list, home: Home::Folder(FOLDER.to_owned()), places, by_name }
    }

    /// Returns the position of a clip of the database in its take.
    pub fn place(&self, clip: ClipIndex) -> Option<Place> {
        self.places.get(clip.at()).copied().flatten()
    }

    /// Returns the position of a clip, by its name before the build or in the database.
    pub fn named(&self, clip: &str) -> Option<Place> {
        self.by_name.get(clip).copied()
    }

    /// Returns the index of a take.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|t| t.take.name == name)
    }

    /// Returns the clips of the database from a take, with the times of their first frames in it. Omits mirror images.
    pub fn parts<'a>(&'a self, db: &'a Database, take: usize) -> impl Iterator<Item = (ClipIndex, f64)> + 'a {
        let originals = self.places.iter().take(db.originals()).enumerate();
        let of_take = move |(clip, place): (usize, &Option<Place>)| {
            place.filter(|p| p.take == take).map(|p| (ClipIndex::new(clip), p.start_s))
        };
        originals.filter_map(of_take)
    }

    /// Returns the path of a take's sidecar.
    pub fn path(&self, take: &Take) -> PathBuf {
        match &self.home {
            Home::Files => take.sidecar.clone(),
            Home::Folder(folder) => Path::new(folder.trim()).join(&take.sidecar),
        }
    }

    /// Returns the unsaved sidecars, in the order of takes.
    pub fn unsaved(&self) -> Vec<Unsaved> {
        let changed = self.list.iter().filter(|t| t.sidecar.is_changed());
        let unsaved = |t: &EditedTake| Unsaved {
            take: t.take.name.clone(),
            path: self.path(&t.take),
            text: t.sidecar.text(),
            saved: t.sidecar.saved().map(str::to_owned),
        };
        changed.map(unsaved).collect()
    }

    /// Returns all names of tags or events, in the sidecars and in the database.
    pub fn names(&self, db: &Database, kind: super::Kind) -> Vec<String> {
        let built = if kind == super::Kind::Event { &db.event_names } else { &db.tags };
        let mut names = built.clone();
        let marks = self.list.iter().flat_map(|t| t.sidecar.marks());
        names.extend(marks.filter(|(_, m)| m.kind == kind).map(|(_, m)| m.name));
        names.sort();
        names.dedup();
        names
    }
}

/// Returns a clip's name without the suffix of a stored mirror image.
fn original(name: &str) -> &str {
    name.trim_end_matches(" (mirrored)")
}

/// Returns a clip's name without the suffix of a part, `[start-end]`.
fn whole(name: &str) -> &str {
    let part = name.strip_suffix(']').and_then(|n| n.rsplit_once('['));
    let is_range = |range: &str| range.split('-').all(|s| s.parse::<f32>().is_ok());
    part.filter(|(_, range)| is_range(range)).map_or(name, |(whole, _)| whole)
}

/// Converts a name to a safe file name, without path separators or leading dots.
fn file_name(name: &str) -> String {
    let safe = |c: char| if matches!(c, '/' | '\\' | ':' | '\0') { '_' } else { c };
    name.chars().map(safe).collect::<String>().trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_and_files() {
        assert_eq!(whole("walk[0.00-1.23]"), "walk");
        assert_eq!(whole("walk[a]"), "walk[a]");
        assert_eq!(whole("walk"), "walk");
        assert_eq!(original("walk (mirrored)"), "walk");
        assert_eq!(file_name("../../a\\b"), "_.._a_b");
    }
}
