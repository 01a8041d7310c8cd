//! The number of nodes and rows that a search visits.

use crate::database::{Database, MirrorMode};
use crate::schema::Residual;
use crate::search::best::Best;
use crate::search::cost::{AllSquared, ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns};
use crate::search::visit::Visit;
use crate::search::{Match, SearchIndex, SearchQuery};
use std::cell::Cell;

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
