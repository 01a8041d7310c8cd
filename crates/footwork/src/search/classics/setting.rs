//! The structures with their settings.

use super::rows::Columns;
use super::{clusters, flat, kdtree, pca, voxel};
use crate::search::{Backend, Kernel};
use std::fmt;

/// A structure and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// Every row.
    Brute,
    /// The boxes as published.
    Boxes,
    /// The tree, searched with these instructions.
    Tree(Kernel),
    /// See [`flat`].
    Flat(flat::Settings),
    /// See [`kdtree`].
    KdTree(kdtree::Settings),
    /// See [`pca`].
    Pca(pca::Settings),
    /// See [`voxel`].
    Voxels(voxel::Settings),
    /// See [`clusters`].
    Clusters(clusters::Settings),
}

impl Setting {
    /// Returns the default setting of a backend, with the fastest kernel.
    pub fn of(backend: Backend) -> Self {
        match backend {
            Backend::Brute => Self::Brute,
            Backend::Boxes => Self::Boxes,
            Backend::Tree => Self::Tree(Kernel::fastest()),
            Backend::Flat => Self::Flat(flat::Settings::default()),
            Backend::KdTree => Self::KdTree(kdtree::Settings::default()),
            Backend::Pca => Self::Pca(pca::Settings::default()),
            Backend::Voxel => Self::Voxels(voxel::Settings::default()),
            Backend::Clusters => Self::Clusters(clusters::Settings::default()),
        }
    }

    /// Returns the settings of a backend that are worth measuring: its defaults; the tree under every kernel that runs here; the
    /// approximate ones (including a kd-tree that visits some leaves) from fast and inaccurate to slow and accurate.
    pub fn of_interest(backend: Backend) -> Vec<Self> {
        match backend {
            Backend::Tree => Kernel::ALL.into_iter().filter(|k| k.is_available()).map(Self::Tree).collect(),
            Backend::KdTree => {
                let exact = kdtree::Settings::default();
                let some = |leaves| kdtree::Settings { leaves, ..exact };
                let o3de =
                    |leaves, min_leaf_rows| kdtree::Settings { leaves, min_leaf_rows, ..kdtree::Settings::o3de() };
                let settings = [exact, some(4), some(16), some(64), some(256)].into_iter();
                let o3de = [o3de(1, 1000), o3de(4, 1000), o3de(16, 1000)];
                settings.chain(o3de).map(Self::KdTree).collect()
            }
            Backend::Pca => [(4, 200), (4, 2000), (8, 200), (12, 200), (20, 200)]
                .map(|(components, candidates)| pca::Settings { components, candidates, ..Default::default() })
                .map(Self::Pca)
                .to_vec(),
            Backend::Voxel => [0.1, 0.2, 0.4]
                .map(|position_m| voxel::Settings { position_m, ..Default::default() })
                .map(Self::Voxels)
                .to_vec(),
            Backend::Clusters => {
                let all = [1, 4, 16, 48].map(|nearest| clusters::Settings { nearest, ..Default::default() });
                let paths = [8, 32].map(|nearest| clusters::Settings { nearest, ..clusters::Settings::trajectory() });
                all.into_iter().chain(paths).map(Self::Clusters).collect()
            }
            exact => vec![Self::of(exact)],
        }
    }

    /// Returns the backend of the structure.
    pub fn backend(&self) -> Backend {
        match self {
            Self::Brute => Backend::Brute,
            Self::Boxes => Backend::Boxes,
            Self::Tree(_) => Backend::Tree,
            Self::Flat(_) => Backend::Flat,
            Self::KdTree(_) => Backend::KdTree,
            Self::Pca(_) => Backend::Pca,
            Self::Voxels(_) => Backend::Voxel,
            Self::Clusters(_) => Backend::Clusters,
        }
    }

    /// Returns the kernel of the search, for structures with a choice of kernels.
    pub fn kernel(&self) -> Option<Kernel> {
        if let Self::Tree(kernel) = self { Some(*kernel) } else { None }
    }

    /// Returns whether the structure returns the same result as comparing every row, to the bit.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::KdTree(s) => s.leaves == 0,
            other => Backend::EXACT.contains(&other.backend()),
        }
    }
}

/// Writes the settings that distinguish it from others of its structure; empty if it has no settings.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Brute | Self::Boxes | Self::Tree(_) => Ok(()),
            Self::Flat(s) => write!(f, "boxes of {} and {}", s.small_rows, 4 * s.small_rows),
            Self::KdTree(s) => {
                let o3de =
                    kdtree::Settings { leaves: s.leaves, min_leaf_rows: s.min_leaf_rows, ..kdtree::Settings::o3de() };
                if *s == o3de {
                    write!(f, "O3DE, leaves of {} or more: ", s.min_leaf_rows)?;
                }
                match s.leaves {
                    0 => f.write_str("exact"),
                    1 => f.write_str("1 leaf"),
                    n => write!(f, "{n} leaves"),
                }
            }
            Self::Pca(s) => write!(f, "{} components, {} candidates", s.components, s.candidates),
            Self::Voxels(s) => write!(f, "followers within {} m", s.position_m),
            Self::Clusters(s) => {
                let of = match s.columns {
                    Columns::All => "",
                    Columns::Pose => " of poses",
                    Columns::Trajectory => " of trajectories",
                };
                write!(f, "{} of {} clusters{of}", s.nearest, s.clusters)
            }
        }
    }
}
