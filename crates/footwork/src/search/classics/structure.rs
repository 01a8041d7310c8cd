//! The structures, as one type.

use super::rows::apart;
use super::setting::Setting;
use super::{boxes, clusters, flat, kdtree, pca, voxel};
use crate::database::Database;
use crate::search::cost::{ColumnCost, ColumnOrder};
use crate::search::visit::Visit;

/// The structures.
#[derive(Debug)]
pub(in crate::search) enum Classic {
    Boxes(boxes::Boxes),
    Flat(flat::Flat),
    KdTree(kdtree::KdTree),
    Pca(pca::Pca),
    Voxels(voxel::Voxels),
    Clusters(clusters::Clusters),
}

impl Classic {
    /// Builds the structure; returns `None` for settings of another one.
    pub fn build(db: &Database, setting: &Setting) -> Option<Self> {
        Some(match setting {
            Setting::Brute | Setting::Tree(_) => return None,
            Setting::Boxes => Self::Boxes(boxes::Boxes::build(db)),
            Setting::Flat(s) => Self::Flat(flat::Flat::build(db, s)),
            Setting::KdTree(s) => Self::KdTree(kdtree::KdTree::build(db, s)),
            Setting::Pca(s) => Self::Pca(pca::Pca::build(db, s)),
            Setting::Voxels(s) => Self::Voxels(voxel::Voxels::build(db, s)),
            Setting::Clusters(s) => Self::Clusters(clusters::Clusters::build(db, s)),
        })
    }

    pub fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        match self {
            Self::Boxes(boxes) => boxes.visit(visit),
            Self::Flat(flat) => apart(flat, visit),
            Self::KdTree(tree) => apart(tree, visit),
            Self::Pca(pca) => apart(pca, visit),
            Self::Voxels(voxels) => apart(voxels, visit),
            Self::Clusters(clusters) => apart(clusters, visit),
        }
    }

    /// Bytes beside the features.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Boxes(boxes) => boxes.bytes(),
            Self::Flat(flat) => flat.bytes(),
            Self::KdTree(tree) => tree.bytes(),
            Self::Pca(pca) => pca.bytes(),
            Self::Voxels(voxels) => voxels.bytes(),
            Self::Clusters(clusters) => clusters.bytes(),
        }
    }
}
