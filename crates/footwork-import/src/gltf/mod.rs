//! Reads glTF 2.0 (`.glb`, `.gltf`).
//!
//! ```text
//! bytes --document--> JSON + buffers --(accessor, animation, rate)--> Scene --scene::clips--> Vec<RawClip>
//! ```
//!
//! glTF has the conventions of this library (metres, right-handed, +Y up, quaternions `x y z w`), so only scale and the
//! transforms above the skeleton are converted. Every animation becomes a clip. Keys (step, linear, cubic spline; whole and
//! sparse accessors; floats and normalised integers) are sampled at their own rate: the first of 30, 24, 25, 60, 48, 50, 90,
//! 100, 120, 144 and 240 Hz on whose frames they lie, or else the rate of their usual spacing. Images and meshes are ignored.
//!
//! `extras` of an animation may hold markers, which become events: `{"markers": [{"name": "step", "time": 0.5}]}`; `{"events":
//! ..}` is an alias. Times are in seconds of the animation.
//!
//! Source: Khronos Group, "glTF 2.0 Specification".

mod accessor;
mod animation;
mod document;
mod markers;
mod nodes;
mod placed;
mod rate;

use crate::place::Place;
use crate::scene::{self, ClipsAndNotes, Naming, Scene, SceneError, SceneProblem};
use crate::units::{Units, size_doubt};
use accessor::Tables;
use document::Document;
use footwork::clip::RawClip;
pub(crate) use placed::Placed;
use std::path::Path;

/// Reads all animations of a glTF file in memory, text or binary.
///
/// A single animation is named `name`, several are named `name.animation`. `folder` is the folder of buffers in separate files;
/// with `None` such files are rejected. `source` is the file's name in messages. With [`Units::Auto`] lengths are metres, as in
/// the standard.
///
/// # Errors
/// Returns a [`SceneError`] if the file is damaged, holds no animation or no skeleton, or scales its joints unevenly: see
/// [`SceneProblem`].
pub fn parse(
    bytes: &[u8],
    name: &str,
    source: &str,
    folder: Option<&Path>,
    units: Units,
) -> Result<Vec<RawClip>, SceneError> {
    Ok(read(bytes, name, source, folder.map(|folder| (Place::Disk, folder)), units)?.0)
}

/// As [`parse`], with messages about the clips.
pub(crate) fn read(
    bytes: &[u8],
    name: &str,
    source: &str,
    folder: Option<(Place, &Path)>,
    units: Units,
) -> Result<ClipsAndNotes, SceneError> {
    let naming = Naming { stem: name, source, units, file_metres_per_unit: 1.0 };
    clips(bytes, folder, &naming).map_err(|problem| SceneError { file: source.to_owned(), problem })
}

fn clips(bytes: &[u8], folder: Option<(Place, &Path)>, naming: &Naming<'_>) -> Result<ClipsAndNotes, SceneProblem> {
    let document = Document::read(bytes, folder)?;
    let mut tables = Tables::new(&document);
    let nodes = nodes::read(&document, &mut tables)?;
    let (takes, tracks) = animation::read(&document, &nodes, &mut tables)?;
    let scene = Scene { nodes, takes, bytes: tables.bytes() };
    let (clips, mut notes) = scene::clips(&scene, &tracks, naming)?;
    let said = if naming.units == Units::Auto { "as glTF is in metres" } else { "in the unit given" };
    notes.extend(clips.first().and_then(|c| size_doubt(&c.skeleton, said)));
    Ok((clips, notes))
}
