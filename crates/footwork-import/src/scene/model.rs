//! A file with motion as plain data: nodes, takes, and settings of the output.

use crate::units::Units;
use footwork::clip::ClipEvent;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::BTreeSet;

/// Transform of a node relative to its parent: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trs {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

impl Trs {
    /// Returns the transform of a matrix, from its columns. A mirror becomes one negative scale; shear is lost, see
    /// [`is_sheared`].
    pub fn from_columns(x: Vec3, y: Vec3, z: Vec3, translation: Vec3) -> Self {
        let mirrored = x.cross(y).dot(z) < 0.0;
        let scale = Vec3::new(if mirrored { -x.length() } else { x.length() }, y.length(), z.length());
        let axis = |v: Vec3, s: f32| if s == 0.0 { Vec3::ZERO } else { v / s };
        let rotation = Quat::from_axes(axis(x, scale.x), axis(y, scale.y), axis(z, scale.z));
        Self { translation, rotation, scale }
    }
}

/// Returns true if the columns of a matrix are not at right angles.
pub(crate) fn is_sheared(x: Vec3, y: Vec3, z: Vec3) -> bool {
    const MOST_COSINE: f32 = 1e-3;
    [(x, y), (y, z), (z, x)].iter().any(|(a, b)| a.dot(*b).abs() > MOST_COSINE * a.length() * b.length())
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// Joint of a skin, or of the file's type for bones.
    Joint,
    /// A transform only: a group, a null, or a joint that is not marked as one.
    Plain,
    /// Carries a mesh.
    Mesh,
    /// Camera, light: never part of a skeleton.
    Other,
}

/// A node of a file.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub kind: NodeKind,
    /// Transform in the file without any take.
    pub local: Trs,
    /// Bind transform of the mesh, in a space shared by all bound nodes of the file, in metres.
    pub bind: Option<Transform>,
}

/// An animation of a file.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    pub name: String,
    /// Rate of its keys, in frames per second.
    pub rate_hz: f64,
    /// Time of the first key, in seconds.
    pub start_s: f64,
    /// Time of the last key, in seconds.
    pub end_s: f64,
    /// Nodes whose translation or rotation changes.
    pub moved: BTreeSet<usize>,
    /// Markers, in seconds from the first key.
    pub events: Vec<ClipEvent>,
}

/// A file with motion, whatever its format.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub nodes: Vec<Node>,
    pub takes: Vec<Take>,
    /// Number of bytes read, which limits the size of the output.
    pub bytes: usize,
}

/// Samples the local transform of a node, in a take, at a time.
pub(crate) trait Sample {
    fn local(&self, take: usize, node: usize, time_s: f64) -> Trs;
}

/// Names and units of the clips.
pub(crate) struct Naming<'a> {
    /// Clip name of a single take; if there are several, they are named `stem.take`.
    pub stem: &'a str,
    /// The file's name in messages.
    pub source: &'a str,
    /// Metres per file unit; `Auto` keeps the file's own unit.
    pub units: Units,
    /// Metres per unit that the nodes were converted with.
    pub file_metres_per_unit: f32,
}

/// The skeleton of a file, without its motion.
pub(crate) struct Rest {
    pub skeleton: Skeleton,
    /// `[joints]` node of each joint.
    pub nodes: Vec<usize>,
    /// `[joints]` metres per unit of a node's translation.
    pub scales: Vec<f32>,
    /// Transform from the space of the root's parent to the world, without scale.
    pub above: Transform,
}
