//! Joints of a file with their nodes, so that animation can be written into it.

use super::accessor::Tables;
use super::document::Document;
use super::nodes;
use crate::scene::{Rest, Scene, SceneError, SceneProblem, Trs, rest};
use footwork::math::Transform;
use footwork::skeleton::Skeleton;

/// The skeleton of a file, with the data of its nodes.
pub(crate) struct Placed {
    /// Skeleton in metres, with all transforms above the root applied.
    pub skeleton: Skeleton,
    /// `[joints]` index of the node.
    pub nodes: Vec<usize>,
    /// `[joints]` transform of the node in the file.
    pub local: Vec<Trs>,
    /// `[joints]` metres per unit of the node's translation.
    pub scales: Vec<f32>,
    /// Transform from the space of the root's parent to the world, without scale.
    pub above: Transform,
}

impl Placed {
    pub fn read(bytes: &[u8], source: &str) -> Result<Self, SceneError> {
        Self::find(bytes).map_err(|problem| SceneError { file: source.to_owned(), problem })
    }

    fn find(bytes: &[u8]) -> Result<Self, SceneProblem> {
        let document = Document::read(bytes, None)?;
        let nodes = nodes::read(&document, &mut Tables::new(&document))?;
        let scene = Scene { nodes, takes: Vec::new(), bytes: document.bytes };
        let Rest { skeleton, nodes, scales, above } = rest(&scene)?;
        let local = nodes.iter().map(|n| scene.nodes[*n].local).collect();
        Ok(Self { skeleton, local, nodes, scales, above })
    }
}
