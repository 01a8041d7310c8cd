//! A tree of boxes, 16 wide, over rows in an order of its own: the fastest of the exact searches, and the default.
//!
//! A visit bounds 16 children at once in integers (`kernels`), visits the nearest first and drops those that cannot hold a
//! match. A leaf does the same with rows, and the few remaining rows (two or three per search) are compared, by the one
//! cost formula, with the features as stored. Bounds never exceed a cost (proof in `grid.rs`), and only nodes and rows above
//! the limit are dropped, so the match is the one that comparing every row finds, including ties.
//!
//! All queries are supported: multipliers, mirrors, tags and exclusions are applied during the descent. The tree is fastest
//! with the multipliers that it was built for.
//!
//! # Data
//! Level 0 holds the leaves, `[leaves x pairs]` blocks of 16 rows in codes. Each level above has `[nodes x box pairs x 2]`
//! blocks: the boxes of a node's 16 children, lowest and highest codes in turn. Each node but the last of a level is full, so
//! node `i` of a level has the children `16 i` to `16 i + 15` of the level below. Takes some 72 bytes per row at 27 columns;
//! twice as much where rare tags have a second tree, in which a search for them visits few other rows.

mod build;
mod grid;
mod nodes;
mod walk;

use super::cost::{ColumnCost, ColumnOrder, PerColumn};
use super::kernels::{Kernel, Runnable};
use super::visit::Visit;
use crate::database::Database;
use crate::parallel;
use grid::Grid;
use nodes::Nodes;
use walk::Walk;

/// Queries whose tags accept at most 1 / `FEW` of the rows search the tree in which rows of equal tags lie together.
const FEW: usize = 8;

/// A search tree.
#[derive(Debug)]
pub(crate) struct Tree {
    kernel: Runnable,
    grid: Grid,
    all: Nodes,
    /// The same rows, grouped by their sets of tags before their features; `None` if no set is rare.
    by_tags: Option<Nodes>,
}

impl Tree {
    /// Builds a tree over all rows that may be entered, with the fastest kernel.
    pub fn build(db: &Database) -> Self {
        Self::build_for(db, &vec![1.0; db.features.columns])
    }

    /// Builds a tree that is fastest for queries with these `[columns]` multipliers.
    pub(crate) fn build_for(db: &Database, multipliers: &[f32]) -> Self {
        // A column with multiplier 0 needs a scale, too.
        let weight = |m: &f32| if m.is_normal() { f64::from(m.abs()) } else { 1.0 };
        let weights: Vec<f64> = multipliers.iter().map(weight).collect();
        let mut rows: Vec<u32> = (0..db.rows()).filter(|r| !db.row_flags[*r].no_entry()).map(|r| r as u32).collect();
        let costs = PerColumn(&db.residuals);
        let grid = Grid::new(&db.features, &rows, &weights, |column| costs.is_absolute(column));
        let some_are_rare = rows.iter().any(|row| db.row_set(*row as usize).1 * FEW <= db.rows());
        let mut grouped = if some_are_rare { rows.clone() } else { Vec::new() };
        let by_tags = || {
            build::arrange_by(&|row| db.row_set(row as usize).0, &db.features, &weights, &mut grouped);
            Nodes::new(db, &grid, grouped)
        };
        let all = || {
            build::arrange(&db.features, &weights, &mut rows);
            Nodes::new(db, &grid, rows)
        };
        let (by_tags, all) = parallel::join(|| some_are_rare.then(by_tags), all);
        let kernel = Runnable::new(Kernel::fastest()).expect("the fastest available kernel is available");
        Self { kernel, grid, all, by_tags }
    }

    /// Replaces the kernel; returns `None` if this processor cannot run it. The matches are the same.
    #[cfg(feature = "classics")]
    pub fn with_kernel(self, kernel: Kernel) -> Option<Self> {
        Some(Self { kernel: Runnable::new(kernel)?, ..self })
    }

    /// Returns the memory of the tree, bytes.
    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.by_tags.as_ref().map_or(0, Nodes::bytes)
    }

    /// Offers every row that could be among the best.
    pub(super) fn visit(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        let few = visit.query.candidates.tags.rows().saturating_mul(FEW) <= visit.db.rows();
        let nodes = self.by_tags.as_ref().filter(|_| few).unwrap_or(&self.all);
        if let Some(root) = nodes.levels.last() {
            Walk::new(self.kernel, &self.grid, nodes, root.tags[0], visit).run();
        }
    }
}
