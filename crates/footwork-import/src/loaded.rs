//! A motion file in memory, and its conversion to clips.

use crate::bvh::{self, Bvh, UnitGuess};
use crate::cache::{ClipCache, Kept};
use crate::format::{Format, MOST_BYTES};
use crate::import_error::ImportError;
use crate::place::Place;
use crate::scene::{ClipsAndNotes, SceneError};
use crate::units::Units;
use footwork::clip::RawClip;
use std::borrow::Cow;
use std::path::Path;

/// A file in memory.
pub(crate) enum Loaded<'a> {
    /// A parsed BVH file, and its key in the cache, if there is a cache.
    Bvh(Bvh, Option<String>),
    /// A cached clip, and its key in the cache.
    Kept(Box<Kept>, String),
    Bytes(Cow<'a, [u8]>, Format),
    Clips(ClipsAndNotes),
}

/// Reads a file; parses it if it is BVH, unless the cache holds it.
pub(crate) fn load<'a>(place: Place<'a>, path: &Path, cache: Option<&ClipCache>) -> Result<Loaded<'a>, ImportError> {
    let unread = |error| ImportError::Read { path: path.to_owned(), error };
    place.look(path).map_err(unread)?;
    let format = Format::of(path).ok_or_else(|| ImportError::UnknownFormat { path: path.to_owned() })?;
    let bytes = place.read(path, MOST_BYTES).map_err(unread)?;
    Ok(match format {
        Format::Bvh => {
            let key = cache.map(|c| c.key(&bytes, "bvh"));
            match cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(key)) {
                Some(kept) => Loaded::Kept(Box::new(kept), key.unwrap_or_default()),
                None => Loaded::Bvh(bvh::parse(&bytes, &path.display().to_string())?, key),
            }
        }
        other => Loaded::Bytes(bytes, other),
    })
}

impl Loaded<'_> {
    /// Converts the file to clips, except a BVH file, whose unit depends on the other files.
    pub fn unless_text(self, place: Place, path: &Path, units: Units) -> Result<Self, ImportError> {
        Ok(match self {
            text @ (Self::Bvh(..) | Self::Kept(..)) => text,
            other => Self::Clips(other.clips(place, path, units, None)?),
        })
    }

    /// Converts the file to clips.
    pub fn clips(
        self,
        place: Place,
        path: &Path,
        units: Units,
        cache: Option<&ClipCache>,
    ) -> Result<ClipsAndNotes, ImportError> {
        let (name, source) = (stem(path), path.display().to_string());
        let guess = self.guess();
        let scale = units.metres_per_unit().or(guess.map(|g| g.metres_per_unit));
        Ok(match self {
            Self::Bvh(file, key) => {
                let clip = file.to_clip(&name, &source, units)?;
                if let (Some(cache), Some(key), Some(scale)) = (cache, key, scale) {
                    cache.put(&key, scale, guess.map_or(f32::NAN, |g| g.body_length_units), &clip);
                }
                (vec![clip], Vec::new())
            }
            Self::Kept(kept, key) if scale == Some(kept.metres_per_unit) => {
                if let Some(cache) = cache {
                    cache.hit(&key);
                }
                (vec![RawClip { name, source, ..kept.clip }], Vec::new())
            }
            // The clip was cached with another unit: parse the file again.
            Self::Kept(_, key) => {
                let unread = |error| ImportError::Read { path: path.to_owned(), error };
                let bytes = place.read(path, MOST_BYTES).map_err(unread)?;
                return Self::Bvh(bvh::parse(&bytes, &source)?, Some(key)).clips(place, path, units, cache);
            }
            Self::Clips(clips) => clips,
            Self::Bytes(bytes, Format::Fbx) => read_fbx(&bytes, &name, &source, units)?,
            Self::Bytes(bytes, _) => {
                let folder = path.parent().map(|folder| (place, folder));
                crate::gltf::read(&bytes, &name, &source, folder, units)?
            }
        })
    }

    /// Returns the unit that a BVH file suggests; `None` for other formats, which define their unit.
    pub fn guess(&self) -> Option<UnitGuess> {
        match self {
            Self::Bvh(file, _) => bvh::guess_units(file),
            Self::Kept(kept, _) => {
                let cmu = crate::units::is_cmu(kept.clip.skeleton.names().iter().map(String::as_str));
                crate::units::guess(kept.body_length_units, cmu)
            }
            _ => None,
        }
    }
}

#[cfg(feature = "fbx")]
fn read_fbx(bytes: &[u8], name: &str, source: &str, units: Units) -> Result<ClipsAndNotes, SceneError> {
    crate::fbx::read(bytes, name, source, units)
}

#[cfg(not(feature = "fbx"))]
fn read_fbx(_: &[u8], _: &str, source: &str, _: Units) -> Result<ClipsAndNotes, SceneError> {
    Err(SceneError { file: source.to_owned(), problem: crate::scene::SceneProblem::FbxLeftOut })
}

/// Returns the name of a file without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
