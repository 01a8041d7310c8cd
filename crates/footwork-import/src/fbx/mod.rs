//! Reads FBX (`.fbx`): binary and ASCII, versions 3000 to 7700, with the `ufbx` library. Needs the feature `fbx` (on by
//! default), which compiles C.
//!
//! Every animation stack that moves a joint becomes a clip. It is sampled at the file's frame rate from the first of its keys
//! to the last, within the time range of the stack. The declared axes and units are converted to those of this library;
//! rotation orders, pre- and post-rotations, pivots, layers and inherited scale follow the format's definition. Meshes,
//! cameras, lights and helpers outside the skeleton are left out; constraints are not solved (bake them).
//!
//! Source: the documentation of the `ufbx` library, as FBX has no public specification.

mod takes;
mod transform;

use crate::scene::{self, ClipsAndNotes, Naming, Node, NodeKind, Scene, SceneError, SceneProblem};
use crate::units::{Units, size_doubt};
use footwork::clip::RawClip;
use takes::Stacks;
use transform::{rigid, trs};
use ufbx::{ElementType, ErrorType, InheritModeHandling, LoadOpts, SpaceConversion};

/// Maximum depth of the node tree; a deeper one is damaged.
const DEEPEST: u32 = 1024;
/// Memory limit of each of the library's two pools: bytes per byte of the file (3 are usual), plus bytes for any file.
const BYTES_PER_BYTE: usize = 10;
const ALWAYS_ALLOWED: usize = 1 << 24;

/// Reads all animation stacks of an FBX file in memory.
///
/// A single stack is named `name`, several are named `name.stack`. `source` is the file's name in messages. With
/// [`Units::Auto`] the file's own unit is used.
///
/// # Errors
/// Returns a [`SceneError`] if the file is damaged, holds no animation or no skeleton, or scales its joints unevenly: see
/// [`SceneProblem`].
pub fn parse(bytes: &[u8], name: &str, source: &str, units: Units) -> Result<Vec<RawClip>, SceneError> {
    Ok(read(bytes, name, source, units)?.0)
}

/// As [`parse`], with messages about the clips.
pub(crate) fn read(bytes: &[u8], name: &str, source: &str, units: Units) -> Result<ClipsAndNotes, SceneError> {
    clips(bytes, name, source, units).map_err(|problem| SceneError { file: source.to_owned(), problem })
}

fn clips(bytes: &[u8], stem: &str, source: &str, units: Units) -> Result<ClipsAndNotes, SceneProblem> {
    let file = load(bytes)?;
    let unit_m = file.settings.original_unit_meters as f32;
    let nodes = nodes(&file)?;
    let stacks = Stacks::new(&file);
    let scene = Scene { nodes, takes: stacks.takes(), bytes: bytes.len() };
    let naming = Naming { stem, source, units, file_metres_per_unit: unit_m };
    let (clips, mut notes) = scene::clips(&scene, &stacks, &naming)?;
    let said = match units {
        Units::Auto => format!("as the file says that its unit is {unit_m} m"),
        _ => "in the unit given".to_owned(),
    };
    notes.extend(clips.first().and_then(|c| size_doubt(&c.skeleton, &said)));
    Ok((clips, notes))
}

fn load(bytes: &[u8]) -> Result<ufbx::SceneRoot, SceneProblem> {
    let mut opts = LoadOpts {
        ignore_geometry: true,
        ignore_embedded: true,
        node_depth_limit: DEEPEST,
        file_format: ufbx::FileFormat::Fbx,
        // The library applies scale to distances, so that no root scale remains.
        space_conversion: SpaceConversion::ModifyGeometry,
        inherit_mode_handling: InheritModeHandling::CompensateNoFallback,
        target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        ..LoadOpts::default()
    };
    let limit = ALWAYS_ALLOWED + BYTES_PER_BYTE * bytes.len();
    opts.temp_allocator.memory_limit = limit;
    opts.result_allocator.memory_limit = limit;
    let unreadable = |what: String| SceneProblem::Unreadable { format: "FBX", what };
    ufbx::load_memory(bytes, opts).map_err(|e| match e.type_ {
        ErrorType::EmptyFile => unreadable("it is empty".into()),
        ErrorType::TruncatedFile => unreadable("it ends too early: it is truncated".into()),
        ErrorType::UnrecognizedFileFormat => unreadable("its first bytes are not those of an FBX file".into()),
        ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            unreadable(format!("reading it would take more than {} MB", limit >> 20))
        }
        ErrorType::UnsupportedVersion => SceneProblem::Unsupported {
            what: format!("an FBX version that is too old or too new ({})", e.info()),
            todo: "export FBX 2014 to 2020 (7400 to 7700), or convert it with Autodesk's FBX Converter",
        },
        _ => {
            let (what, info) = (e.description.to_string(), e.info().trim());
            unreadable(if info.is_empty() { what } else { format!("{what} ({info})") })
        }
    })
}

/// Returns the nodes of a file. The library's root node is ignored: its conversions are already applied.
fn nodes(file: &ufbx::Scene) -> Result<Vec<Node>, SceneProblem> {
    let mut nodes: Vec<Node> = Vec::with_capacity(file.nodes.count);
    for n in file.nodes.into_iter() {
        let kind = match n.attrib_type {
            ElementType::Bone => NodeKind::Joint,
            ElementType::Mesh => NodeKind::Mesh,
            ElementType::Camera | ElementType::Light | ElementType::StereoCamera | ElementType::CameraSwitcher => {
                NodeKind::Other
            }
            _ => NodeKind::Plain,
        };
        // Characters are separate trees below the library's root node.
        let parent = n.parent.as_ref().filter(|p| !p.is_root).map(|p| p.element.typed_id as usize);
        let name = if n.element.name.is_empty() && !n.is_root {
            format!("node_{}", n.element.typed_id)
        } else {
            n.element.name.to_string()
        };
        nodes.push(Node { name, parent, kind, local: trs(&n.local_transform), bind: None });
    }
    for cluster in file.skin_clusters.into_iter() {
        if let Some(n) = cluster.bone_node.as_ref().and_then(|n| nodes.get_mut(n.element.typed_id as usize)) {
            n.kind = NodeKind::Joint;
        }
    }
    for pose in file.poses.into_iter().filter(|p| p.is_bind_pose) {
        for bone in pose.bone_poses.into_iter() {
            let Some(n) = nodes.get_mut(bone.bone_node.element.typed_id as usize) else { continue };
            n.bind = n.bind.or_else(|| rigid(&bone.bone_to_world));
        }
    }
    Ok(nodes)
}
