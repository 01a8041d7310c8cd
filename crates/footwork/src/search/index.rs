//! A search structure and its searches.

use super::backend::Backend;
use super::best::{self, Best};
use super::brute;
#[cfg(feature = "classics")]
use super::classics::{Classic, Setting};
use super::cost::{AllSquared, ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns};
use super::explain;
use super::matched::Match;
use super::moments::Moments;
use super::query::SearchQuery;
use super::tree::Tree;
use super::visit::Visit;
use crate::database::{Database, MirrorMode};
use crate::frames::RowIndex;
use crate::schema::Residual;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// A search structure, built from a database by [`SearchIndex::build`].
#[derive(Debug)]
pub struct SearchIndex(Structure);

/// A function that is called with each search and its limit.
struct Watch(Box<dyn Fn(&SearchQuery, f32) + Send + Sync>);

impl Debug for Watch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// The structures.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of a database")]
enum Structure {
    /// Needs only the features.
    Brute,
    Tree(Tree),
    Watched(Arc<SearchIndex>, Watch),
    #[cfg(feature = "classics")]
    Classic(Classic),
}

impl SearchIndex {
    /// Builds the structure with its default settings.
    pub fn build(db: &Database, backend: Backend) -> Self {
        match backend {
            Backend::Brute => Self(Structure::Brute),
            Backend::Tree => Self(Structure::Tree(Tree::build(db))),
            #[cfg(feature = "classics")]
            classic => {
                Self::build_with(db, &Setting::of(classic)).expect("needs no instructions that a processor may lack")
            }
        }
    }

    /// Builds the structure for queries with these `[columns]` multipliers. The matches are the same, and a tree finds them
    /// sooner. Other queries remain valid.
    pub fn build_for(db: &Database, backend: Backend, multipliers: &[f32]) -> Self {
        match backend {
            Backend::Tree => Self(Structure::Tree(Tree::build_for(db, multipliers))),
            other => Self::build(db, other),
        }
    }

    /// Builds the structure with these settings; returns `None` if this processor lacks the instructions.
    #[cfg(feature = "classics")]
    pub fn build_with(db: &Database, setting: &Setting) -> Option<Self> {
        Some(Self(match setting {
            Setting::Brute => Structure::Brute,
            Setting::Tree(kernel) => Structure::Tree(Tree::build(db).with_kernel(*kernel)?),
            classic => Structure::Classic(Classic::build(db, classic)?),
        }))
    }

    /// Returns an index with the same results, which calls `watch` with each search and its limit: the highest cost that a further row
    /// could have and still change the result. For tools that search a part of a database, and look for such rows in the other parts.
    pub fn watched(self: Arc<Self>, watch: impl Fn(&SearchQuery, f32) + Send + Sync + 'static) -> Self {
        Self(Structure::Watched(self, Watch(Box::new(watch))))
    }

    /// Returns the best candidate, or `None` if there is none. Allocates nothing. The query must be valid.
    pub fn search(&self, db: &Database, query: &SearchQuery) -> Option<Match> {
        let mut room = [Match::default()];
        (self.search_k(db, query, &mut room) == 1).then_some(room[0])
    }

    /// Writes the best `out.len()` candidates (including the playing row) to `out`, cheapest first; returns their number.
    /// Allocates nothing. The query must be valid.
    pub fn search_k(&self, db: &Database, query: &SearchQuery, out: &mut [Match]) -> usize {
        self.search_into(db, query, Best::new(out, query.max_cost))
    }

    /// Like [`SearchIndex::search_k`], but of each segment (a tenth of a second of a clip, counted from its start) only the best
    /// candidate. The playing row belongs to no segment.
    pub fn search_moments(&self, db: &Database, query: &SearchQuery, out: &mut [Match]) -> usize {
        self.search_into(db, query, Best::new(out, query.max_cost).one_per_moment(Moments::new(db)))
    }

    fn search_into(&self, db: &Database, query: &SearchQuery, mut best: Best) -> usize {
        debug_assert_eq!(query.validate(db), Ok(()));
        if let Some(playing) = query.continuing {
            best.offer(playing);
        }
        if db.residuals.contains(&Residual::Absolute) {
            self.passes(db, query, &PerColumn(&db.residuals), &mut best);
        } else {
            self.passes(db, query, &AllSquared, &mut best);
        }
        if let Structure::Watched(_, watch) = &self.0 {
            (watch.0)(query, best.limit());
        }
        best.finish()
    }

    /// Writes the result of [`SearchIndex::search`] for each query to the same index of `out`, up to the length of the shorter
    /// slice. Allocates nothing. The queries must be valid. To use several cores, split both slices. Sorting the queries by
    /// their playing rows improves cache use: 5 to 10 % less time for many queries.
    pub fn search_many(&self, db: &Database, queries: &[SearchQuery], out: &mut [Option<Match>]) {
        for (query, found) in queries.iter().zip(out) {
            *found = self.search(db, query);
        }
    }

    /// Returns the cost of a transition to a row by features; `None` for a row that is not a candidate.
    pub(crate) fn row_cost(db: &Database, query: &SearchQuery, row: RowIndex, mirrored: bool) -> Option<f32> {
        let rows = query.candidates.clip_rows(db, db.row_clips[row.at()].at());
        if !rows.contains(&row.at()) || !query.candidates.allow(db, row.at(), mirrored) {
            return None;
        }
        let cost = explain::cost_of(db, query, row, mirrored) + query.extra_cost(db, row.at(), mirrored);
        best::is_within(cost, query.max_cost.min(f32::MAX)).then_some(cost)
    }

    fn passes(&self, db: &Database, query: &SearchQuery, costs: &impl ColumnCost, best: &mut Best) {
        self.pass(&mut Visit::new(db, query, &PlainColumns, costs, false, best));
        if db.mirror == MirrorMode::Query {
            self.pass(&mut Visit::new(db, query, &MirroredColumns(&db.mirror_columns), costs, true, best));
        }
    }

    pub(super) fn pass(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        self.0.pass(visit);
    }

    /// Returns the memory of the structure beside the features, bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl Structure {
    fn pass(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        match self {
            Self::Brute => brute::visit(visit),
            Self::Tree(tree) => tree.visit(visit),
            Self::Watched(inner, _) => inner.0.pass(visit),
            #[cfg(feature = "classics")]
            Self::Classic(classic) => classic.visit(visit),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Brute => 0,
            Self::Tree(tree) => tree.bytes(),
            Self::Watched(inner, _) => inner.0.bytes(),
            #[cfg(feature = "classics")]
            Self::Classic(classic) => classic.bytes(),
        }
    }
}
