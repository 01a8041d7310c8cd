//! Search structures of other systems, to be measured beside the tree: boxes, kd-trees, principal components, voxels, clusters.
//! Only with the feature `classics`: games need the tree alone.
//!
//! ```
//! use footwork::matcher::Backend;
//! use footwork::advanced::search::classics::{Setting, pca};
//!
//! // The default setting of a backend, and the same structure with more candidates.
//! assert_eq!(Setting::of(Backend::Pca), Setting::Pca(pca::Settings::default()));
//! let more = Setting::Pca(pca::Settings { candidates: 1000, ..pca::Settings::default() });
//! assert_eq!(more.to_string(), "4 components, 1000 candidates");
//! assert!(!more.is_exact());
//! ```

mod boxes;
pub mod clusters;
pub mod flat;
pub mod kdtree;
pub mod pca;
mod rows;
pub mod voxel;

pub use rows::Columns;

use super::cost::{AllSquared, ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns};
use super::visit::Visit;
use super::{Backend, Best, Kernel, Match, SearchIndex, SearchQuery, Structure, Tree};
use crate::database::{Database, MirrorMode};
use crate::schema::Residual;
use rows::apart;
use std::cell::Cell;
use std::fmt;

/// The structures.
#[derive(Debug)]
pub(super) enum Classic {
    Boxes(boxes::Boxes),
    Flat(flat::Flat),
    KdTree(kdtree::KdTree),
    Pca(pca::Pca),
    Voxels(voxel::Voxels),
    Clusters(clusters::Clusters),
}

impl Classic {
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

    /// Builds the structure; returns `None` if this processor lacks the instructions.
    pub fn build(&self, db: &Database) -> Option<SearchIndex> {
        Some(SearchIndex(match self {
            Self::Brute => Structure::Brute,
            Self::Tree(kernel) => Structure::Tree(Tree::build(db).with_kernel(*kernel)?),
            Self::Boxes => Structure::Classic(Classic::Boxes(boxes::Boxes::build(db))),
            Self::Flat(s) => Structure::Classic(Classic::Flat(flat::Flat::build(db, s))),
            Self::KdTree(s) => Structure::Classic(Classic::KdTree(kdtree::KdTree::build(db, s))),
            Self::Pca(s) => Structure::Classic(Classic::Pca(pca::Pca::build(db, s))),
            Self::Voxels(s) => Structure::Classic(Classic::Voxels(voxel::Voxels::build(db, s))),
            Self::Clusters(s) => Structure::Classic(Classic::Clusters(clusters::Clusters::build(db, s))),
        }))
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

/// Number of nodes and rows that a search visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Nodes (boxes, branches of trees) whose bound was computed; 0 for structures without nodes.
    pub nodes: usize,
    /// Rows whose cost was computed from the stored features, completely or until it was too high.
    pub rows: usize,
}

impl SearchIndex {
    /// Counts the nodes and rows that a search for the best row visits. Slower than the search itself: for measurements.
    pub fn touched(&self, db: &Database, query: &SearchQuery) -> Touched {
        let mut room = [Match::default()];
        let mut best = Best::new(&mut room, query.max_cost);
        if let Some(playing) = query.continuing {
            best.offer(playing);
        }
        let touched = Cell::default();
        if db.residuals.contains(&Residual::Absolute) {
            self.count(db, query, &PerColumn(&db.residuals), &touched, &mut best);
        } else {
            self.count(db, query, &AllSquared, &touched, &mut best);
        }
        touched.get()
    }

    fn count(
        &self,
        db: &Database,
        query: &SearchQuery,
        costs: &impl ColumnCost,
        touched: &Cell<Touched>,
        best: &mut Best,
    ) {
        self.pass(&mut Visit::new(db, query, &Counted { order: PlainColumns, touched }, costs, false, best));
        if db.mirror == MirrorMode::Query {
            let order = Counted { order: MirroredColumns(&db.mirror_columns), touched };
            self.pass(&mut Visit::new(db, query, &order, costs, true, best));
        }
    }
}

/// Counts nodes, and rows by the first column of each sum.
struct Counted<'a, O> {
    order: O,
    touched: &'a Cell<Touched>,
}

impl<O> Counted<'_, O> {
    fn add(&self, nodes: usize, rows: usize) {
        let so_far = self.touched.get();
        self.touched.set(Touched { nodes: so_far.nodes + nodes, rows: so_far.rows + rows });
    }
}

impl<O: ColumnOrder> ColumnOrder for Counted<'_, O> {
    fn value(&self, row: &[f32], column: usize) -> f32 {
        if column == 0 {
            self.add(0, 1);
        }
        self.order.value(row, column)
    }
    fn source(&self, column: usize) -> (usize, f32) {
        self.order.source(column)
    }
    fn touch(&self, nodes: usize) {
        self.add(nodes, 0);
    }
}
