//! A file with motion as plain data: nodes, takes, and how clips are to be named.

use crate::units::Units;
use footwork::clip::ClipEvent;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::BTreeSet;

/// A node against its parent: scaled, then turned, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trs {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

impl Trs {
    /// From the columns of a matrix. A mirror shows as one negative scale; shear is lost, and told by [`is_sheared`].
    pub fn from_columns(x: Vec3, y: Vec3, z: Vec3, translation: Vec3) -> Self {
        let mirrored = x.cross(y).dot(z) < 0.0;
        let scale = Vec3::new(if mirrored { -x.length() } else { x.length() }, y.length(), z.length());
        let axis = |v: Vec3, s: f32| if s == 0.0 { Vec3::ZERO } else { v / s };
        let rotation = Quat::from_axes(axis(x, scale.x), axis(y, scale.y), axis(z, scale.z));
        Self { translation, rotation, scale }
    }
}

/// True when the columns of a matrix are not at right angles.
pub(crate) fn is_sheared(x: Vec3, y: Vec3, z: Vec3) -> bool {
    const MOST_COSINE: f32 = 1e-3;
    [(x, y), (y, z), (z, x)].iter().any(|(a, b)| a.dot(*b).abs() > MOST_COSINE * a.length() * b.length())
}

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// Named by a skin, or of the file's type for bones.
    Joint,
    /// Nothing but a place: a group, a null, a joint that nobody calls one.
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
    /// As the file has it without any take.
    pub local: Trs,
    /// Where the mesh was bound to it, in a space that all bound nodes of the file share, metres.
    pub bind: Option<Transform>,
}

/// An animation of a file.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    pub name: String,
    /// Frames per second that its keys lie on.
    pub rate_hz: f64,
    /// First key.
    pub start_s: f64,
    /// Last key.
    pub end_s: f64,
    /// Nodes whose translation or rotation changes.
    pub moved: BTreeSet<usize>,
    /// Markers, seconds from the first key.
    pub events: Vec<ClipEvent>,
}

/// A file with motion, whatever its format.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub nodes: Vec<Node>,
    pub takes: Vec<Take>,
    /// Bytes that were read, against which what comes out is measured.
    pub bytes: usize,
}

/// Where nodes are, in a take, at a time.
pub(crate) trait Sample {
    fn local(&self, take: usize, node: usize, time_s: f64) -> Trs;
}

/// How clips are to come out.
pub(crate) struct Naming<'a> {
    /// Clip name of a single take; takes of several are named `stem.take`.
    pub stem: &'a str,
    /// The file, for messages.
    pub source: &'a str,
    /// Metres per unit of the file's own; `Auto` trusts the file.
    pub units: Units,
    /// Metres per unit that the nodes above have been converted by.
    pub file_metres_per_unit: f32,
}

/// The skeleton of a file without a look at its motion.
pub(crate) struct Rest {
    pub skeleton: Skeleton,
    /// `[joints]`.
    pub nodes: Vec<usize>,
    /// `[joints]` metres per unit of a node's translation.
    pub scales: Vec<f32>,
    /// From the space of the root's parent to the world, without scale.
    pub above: Transform,
}
