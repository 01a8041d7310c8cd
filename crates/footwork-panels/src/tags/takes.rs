//! The takes that clips of a database come from, with their sidecars.

use super::sidecar::Sidecar;
use footwork::database::{Clip, Database};
use footwork::frames::ClipIndex;
use footwork_import::{Origin, Take};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files that a database is built from, as the importer tells.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Takes, with their sidecars.
    pub takes: Vec<Take>,
    /// Clips by name, before the build, and the parts of takes that they are.
    pub clips: Vec<(String, Origin)>,
}

/// A sidecar that was changed and is not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    /// Name of the take.
    pub take: String,
    /// File.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The text that the file had when it was read; `None` where there was no file.
    pub saved: Option<String>,
}

/// Where sidecars are saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Beside the files of the clips.
    Files,
    /// In this folder: the files are not known.
    Folder(String),
}

/// Folder of sidecars whose clips' files are not known.
const FOLDER: &str = "tags";

/// A take and its sidecar.
#[derive(Clone, Debug)]
pub(crate) struct EditedTake {
    pub take: Take,
    pub sidecar: Sidecar,
}

/// Where a clip lies in a take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub take: usize,
    /// Time in the take of the clip's first frame, seconds.
    pub start_s: f64,
}

/// All takes.
#[derive(Clone, Debug)]
pub(crate) struct Takes {
    pub list: Vec<EditedTake>,
    pub home: Home,
    /// `[clips of the database]`; `None` for what the build made.
    places: Vec<Option<Place>>,
    /// Clips by name, as they were built from, or as the database has them.
    by_name: BTreeMap<String, Place>,
}

impl Takes {
    /// Takes of known files.
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

    /// Takes as far as a database tells: names and times.
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

    /// Where a clip of the database comes from.
    pub fn place(&self, clip: ClipIndex) -> Option<Place> {
        self.places.get(clip.at()).copied().flatten()
    }

    /// Where a clip comes from, by its name before the build, or in the database.
    pub fn named(&self, clip: &str) -> Option<Place> {
        self.by_name.get(clip).copied()
    }

    /// A take by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|t| t.take.name == name)
    }

    /// The clips of the database that come from a take, with the time in the take of their first frames; no mirror images.
    pub fn parts<'a>(&'a self, db: &'a Database, take: usize) -> impl Iterator<Item = (ClipIndex, f64)> + 'a {
        let originals = self.places.iter().take(db.originals()).enumerate();
        let of_take = move |(clip, place): (usize, &Option<Place>)| {
            place.filter(|p| p.take == take).map(|p| (ClipIndex::new(clip), p.start_s))
        };
        originals.filter_map(of_take)
    }

    /// The file of a take's sidecar.
    pub fn path(&self, take: &Take) -> PathBuf {
        match &self.home {
            Home::Files => take.sidecar.clone(),
            Home::Folder(folder) => Path::new(folder.trim()).join(&take.sidecar),
        }
    }

    /// What is not saved, by take.
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

    /// Names that tags or events have anywhere, in the sidecars and in the database.
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

/// The name of a clip without what a build adds to that of a stored mirror image.
fn original(name: &str) -> &str {
    name.trim_end_matches(" (mirrored)")
}

/// The name of a clip without what a build adds to that of a part: `[start-end]`.
fn whole(name: &str) -> &str {
    let part = name.strip_suffix(']').and_then(|n| n.rsplit_once('['));
    let is_range = |range: &str| range.split('-').all(|s| s.parse::<f32>().is_ok());
    part.filter(|(_, range)| is_range(range)).map_or(name, |(whole, _)| whole)
}

/// A name that leads nowhere but into its folder.
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
