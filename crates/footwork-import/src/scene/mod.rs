//! Common part of glTF and FBX: a tree of nodes, some of them joints, and takes that move them.
//!
//! ```text
//! gltf, fbx --(nodes, takes, a way to sample them)--> Scene --joints--> SceneSkeleton --bake--> Vec<RawClip>
//! ```
//!
//! [`joints`] finds the skeleton among cameras, meshes and helpers. [`bake`] samples it at a constant rate, applies the
//! transforms above the root to the root, and turns scale into distance, as joints have no scale here.

mod bake;
mod error;
mod joints;
mod limits;
mod model;

pub use error::{SceneError, SceneProblem};
pub(crate) use model::{Naming, Node, NodeKind, Rest, Sample, Scene, Take, Trs, is_sheared};

use crate::units::Units;
use footwork::clip::RawClip;

/// Clips, and messages about them.
pub(crate) type ClipsAndNotes = (Vec<RawClip>, Vec<String>);

/// Returns all clips of a file.
pub(crate) fn clips(scene: &Scene, sample: &impl Sample, naming: &Naming<'_>) -> Result<ClipsAndNotes, SceneProblem> {
    if scene.takes.is_empty() {
        return Err(SceneProblem::NoAnimation);
    }
    let rig = joints::find(scene)?;
    let mut notes = rig.notes.clone();
    let moving: Vec<usize> = (0..scene.takes.len()).filter(|t| rig.moves_in(&scene.takes[*t])).collect();
    let still = scene.takes.iter().enumerate().filter(|(i, _)| !moving.contains(i));
    notes.extend(still.map(|(_, t)| format!("take `{}` moves no joint: left out", t.name)));
    if moving.is_empty() {
        return Err(SceneProblem::NothingMoves);
    }
    let names = bake::names(naming.stem, &moving.iter().map(|t| scene.takes[*t].name.as_str()).collect::<Vec<_>>());
    let mut bake = bake::Bake::new(scene, &rig, naming)?;
    let clips: Result<Vec<_>, _> =
        moving.iter().zip(names).map(|(take, name)| bake.clip(*take, name, sample)).collect();
    Ok((clips?, notes))
}

/// Returns the skeleton of a file with the nodes' own transforms.
pub(crate) fn rest(scene: &Scene) -> Result<Rest, SceneProblem> {
    let rig = joints::find(scene)?;
    let naming = Naming { stem: "", source: "", units: Units::Auto, file_metres_per_unit: 1.0 };
    bake::Bake::new(scene, &rig, &naming)?.standing()
}
