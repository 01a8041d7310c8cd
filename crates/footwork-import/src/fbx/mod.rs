//! FBX (`.fbx`) in: binary and ASCII, versions 3000 to 7700, through the `ufbx` library. Needs the feature `fbx` (on by
//! default), which compiles C.
//!
//! Every animation stack that moves a joint is a clip, sampled at the file's own frame rate from the first of its keys to
//! the last, within the range that the stack claims. Axes and units are those that the file declares, brought to ours;
//! rotation orders, pre- and post-rotations, pivots, layers and inherited scale are taken as the format defines them.
//! Meshes, cameras, lights and helpers outside the skeleton are left out; constraints are not solved (bake them).
//!
//! Source: the `ufbx` library's documentation, which is the nearest to a specification there is.

mod takes;
mod transform;

use crate::scene::{self, ClipsAndNotes, Naming, Node, NodeKind, Scene, SceneError, SceneProblem};
use crate::units::{Units, size_doubt};
use footwork::clip::RawClip;
use takes::Stacks;
use transform::{rigid, trs};
use ufbx::{ElementType, ErrorType, InheritModeHandling, LoadOpts, SpaceConversion};

/// Deeper trees of nodes are damage.
const DEEPEST: u32 = 1024;
/// Memory for reading, in either of the library's two pools: so many bytes per byte of the file (usual are 3), and so
/// many for any file.
const BYTES_PER_BYTE: usize = 10;
const ALWAYS_ALLOWED: usize = 1 << 24;

/// Reads all animation stacks of an FBX file in memory.
///
/// A single one is named `name`, several are `name.stack`. `source` is what messages call the file. With [`Units::Auto`]
/// the file's own unit holds.
///
/// # Errors
/// A file that is damaged, holds no animation or no skeleton, or scales its joints unevenly: see [`SceneProblem`].
pub fn parse(bytes: &[u8], name: &str, source: &str, units: Units) -> Result<Vec<RawClip>, SceneError> {
    Ok(read(bytes, name, source, units)?.0)
}

/// As [`parse`], with what should be said about the clips.
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
        // Scale goes into distances at once, instead of standing at the root for our own code to remove.
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

/// The nodes of a file. The one above all has nothing to say here: what it would convert is converted.
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
        // Under the node above all, characters stand beside each other.
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
