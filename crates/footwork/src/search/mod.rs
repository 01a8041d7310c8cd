//! Search: finds the row that best matches a query.
//!
//! Every search takes the same [`SearchQuery`] and considers the same candidates ([`Candidates`]). `brute` is the definition.
//! The exact structures ([`Backend::EXACT`]) return the same [`Match`] sooner: the same row and the same bits of its cost. The
//! approximate ones ([`Backend::APPROXIMATE`]) may return another row.
//!
//! Order of candidates: cost, then the playing row, then unmirrored, then the lowest row.

mod best;
pub(crate) mod brute;
mod candidates;
#[cfg(feature = "classics")]
pub mod classics;
mod cost;
pub mod explain;
pub(crate) mod kernels;
pub(crate) mod moments;
mod owned_query;
mod shown;
mod tree;
mod visit;

pub(crate) use best::Best;
pub use candidates::{Ahead, Candidates, Exclusion};
pub(crate) use cost::{AllSquared, ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns, row_cost};
pub use explain::{CandidateReport, Explanation, Verdict};
pub use kernels::Kernel;
pub use owned_query::OwnedQuery;
pub use shown::ShownRows;
pub(crate) use tree::Tree;

use crate::choices;
use crate::database::{Database, MirrorMode, SetBits, TagCosts};
use crate::frames::RowIndex;
use crate::schema::Residual;
use moments::Moments;
use serde::{Deserialize, Serialize};
use visit::Visit;

choices! {
    /// A kind of search.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Backend = Tree {
        /// Every row, in order: the definition.
        Brute = "brute",
        /// Two levels of boxes of 16 and 64 rows, in database order. Source: Holden et al., "Learned Motion Matching" (2020).
        #[cfg(feature = "classics")]
        Boxes = "boxes",
        /// A tree of boxes, 16 wide, with vector instructions where the processor has them.
        Tree = "tree",
        /// The boxes with vector instructions, sorted.
        #[cfg(feature = "classics")]
        Flat = "flat",
        /// A kd-tree with backtracking.
        #[cfg(feature = "classics")]
        KdTree = "kdtree",
        /// Principal components and a kd-tree over them: approximate.
        #[cfg(feature = "classics")]
        Pca = "pca",
        /// A table by the position of a joint: approximate.
        #[cfg(feature = "classics")]
        Voxel = "voxel",
        /// k-means: approximate.
        #[cfg(feature = "classics")]
        Clusters = "clusters",
    }
}

impl Backend {
    /// Those that return the same result to the bit as comparing every row.
    pub const EXACT: &'static [Self] = &[
        Self::Brute,
        #[cfg(feature = "classics")]
        Self::Boxes,
        Self::Tree,
        #[cfg(feature = "classics")]
        Self::Flat,
        #[cfg(feature = "classics")]
        Self::KdTree,
    ];
    /// Those that may return another row than the best one.
    #[cfg(feature = "classics")]
    pub const APPROXIMATE: &'static [Self] = &[Self::Pca, Self::Voxel, Self::Clusters];
}

/// A search query.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// `[columns]` desired normalised features.
    pub features: &'a [f32],
    /// `[columns]` run-time weights; 1 is the stored weight, exactly.
    pub multipliers: &'a [f32],
    /// The playing row and its cost of continuing. It wins ties, pays no transition cost, and is the result if no candidate is
    /// cheaper.
    pub continuing: Option<Match>,
    /// Cost added to every other candidate, beside the row's own cost (`Database::row_costs`).
    pub transition_cost: f32,
    /// Cost bias of candidates by their tags; negative values attract.
    pub tag_costs: Option<&'a TagCosts>,
    /// Maximum cost of a match, including the playing row. The search may return `None`.
    pub max_cost: f32,
    /// Cost of a transition per second, 0 or more. Every other candidate pays it times `Database::row_unrest`, and times the
    /// rate at which it would be repeated if it was shown before (`shown`).
    pub rest_cost: f32,
    /// Rows that were shown recently.
    pub shown: &'a [ShownRows],
    /// Rows that the search may return.
    pub candidates: Candidates,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Row.
    pub row: RowIndex,
    /// True if the row is mirrored (`mirror = query`).
    pub mirrored: bool,
    /// Cost, including the transition cost.
    pub cost: f32,
    /// True for the playing row.
    pub continuing: bool,
}

/// Error of an invalid query.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The number of values differs from the columns of the database.
    #[error("the query's `{what}` has {found} values; the database has {expected} columns")]
    Width {
        /// `features` or `multipliers`.
        what: &'static str,
        /// Columns of the database.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A value is NaN or infinite.
    #[error("the query's `{what}`, value {index}, is {value}")]
    NotFinite {
        /// `features`, `multipliers`, `tag_costs` or `costs`.
        what: &'static str,
        /// Index of the value.
        index: usize,
        /// Value.
        value: f32,
    },
}

impl<'a> SearchQuery<'a> {
    /// Creates a query for these features, with all rows as candidates, no other costs and no limit.
    pub fn new(features: &'a [f32], multipliers: &'a [f32]) -> Self {
        Self {
            features,
            multipliers,
            continuing: None,
            transition_cost: 0.0,
            tag_costs: None,
            max_cost: f32::INFINITY,
            rest_cost: 0.0,
            shown: &[],
            candidates: Candidates::default(),
        }
    }

    /// Returns the distance of a row (or its mirror image, if `mirrored`) from the query, without other costs: the sum over
    /// columns, in order, of ((q - x) * m) squared, or absolute where the schema defines it so.
    pub fn distance(&self, db: &Database, row: RowIndex, mirrored: bool) -> f32 {
        let (values, costs) = (db.features.row(row), &PerColumn(&db.residuals));
        if mirrored {
            row_cost(self.features, self.multipliers, values, &MirroredColumns(&db.mirror_columns), costs)
        } else {
            row_cost(self.features, self.multipliers, values, &PlainColumns, costs)
        }
    }

    /// Returns the cost bias of a row by its tags.
    #[inline]
    pub fn tag_cost(&self, db: &Database, row: usize) -> f32 {
        self.tag_costs.map_or(0.0, |costs| costs.of_row(db, row))
    }

    /// Returns the cost of a row beside its distance: the transition cost, plus that of its tags, of the row, and at rest.
    #[inline]
    pub fn extra_cost(&self, db: &Database, row: usize, mirrored: bool) -> f32 {
        let mut sum = self.transition_cost + self.tag_cost(db, row);
        if !db.row_costs.is_empty() {
            sum += db.row_costs[row];
        }
        if self.rest_cost > 0.0 {
            let again_hz = self.shown.iter().map(|s| s.again_hz(row, mirrored)).fold(0.0, f32::max);
            sum += self.rest_cost * (db.row_unrest[row] + again_hz);
        }
        sum
    }

    /// Returns the cost of the playing row beside its distance: at rest, a transition that will be needed anyway.
    pub(crate) fn extra_cost_of_playing(db: &Database, row: RowIndex, rest_cost: f32) -> f32 {
        if db.row_unrest[row.at()] > 1.0 { rest_cost } else { 0.0 }
    }

    /// Returns a lower bound of the extra cost of candidates with these sets of tags: costs of rows are never negative. Summed in
    /// the same order, so that it is a lower bound after rounding.
    pub(crate) fn least_extra_cost_among(&self, sets: SetBits) -> f32 {
        self.transition_cost + self.tag_costs.map_or(0.0, |costs| costs.least_among(sets))
    }

    /// Returns a lower bound of the extra cost of all candidates.
    #[cfg(feature = "classics")]
    pub(crate) fn least_extra_cost(&self) -> f32 {
        self.transition_cost + self.tag_costs.map_or(0.0, TagCosts::least)
    }

    /// Checks widths and numbers.
    ///
    /// # Errors
    /// Returns [`QueryError`] if a width differs from the database's or a number is not finite.
    pub fn validate(&self, db: &Database) -> Result<(), QueryError> {
        let columns = db.features.columns;
        for (what, values) in [("features", self.features), ("multipliers", self.multipliers)] {
            if values.len() != columns {
                return Err(QueryError::Width { what, expected: columns, found: values.len() });
            }
            if let Some(index) = values.iter().position(|v| !v.is_finite()) {
                return Err(QueryError::NotFinite { what, index, value: values[index] });
            }
        }
        let tag_costs = self.tag_costs.map_or(&[][..], TagCosts::costs);
        let all = tag_costs.iter().scan(0.0f32, |all, c| {
            *all += c.cost.abs();
            Some(*all)
        });
        if let Some((index, value)) = all.enumerate().find(|(_, all)| !all.is_finite()) {
            return Err(QueryError::NotFinite { what: "tag_costs", index, value });
        }
        // Infinity means no limit; only NaN is invalid.
        let max_cost = if self.max_cost.is_nan() { f32::NAN } else { 0.0 };
        let costs = [self.transition_cost, self.continuing.map_or(0.0, |c| c.cost), max_cost, self.rest_cost];
        match costs.iter().position(|c| !c.is_finite()) {
            Some(index) => Err(QueryError::NotFinite { what: "costs", index, value: costs[index] }),
            None => Ok(()),
        }
    }
}

/// A search structure, built from a database by [`SearchIndex::build`].
#[derive(Debug)]
pub struct SearchIndex(Structure);

/// The structures.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of a database")]
enum Structure {
    /// Needs only the features.
    Brute,
    Tree(Tree),
    #[cfg(feature = "classics")]
    Classic(classics::Classic),
}

impl SearchIndex {
    /// Builds the structure with its default settings.
    pub fn build(db: &Database, backend: Backend) -> Self {
        match backend {
            Backend::Brute => Self(Structure::Brute),
            Backend::Tree => Self(Structure::Tree(Tree::build(db))),
            #[cfg(feature = "classics")]
            classic => {
                classics::Setting::of(classic).build(db).expect("needs no instructions that a processor may lack")
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
        best.len()
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

    fn pass(&self, visit: &mut Visit<impl ColumnOrder, impl ColumnCost>) {
        match &self.0 {
            Structure::Brute => brute::visit(visit),
            Structure::Tree(tree) => tree.visit(visit),
            #[cfg(feature = "classics")]
            Structure::Classic(classic) => classic.visit(visit),
        }
    }

    /// Returns the memory of the structure beside the features, bytes.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Structure::Brute => 0,
            Structure::Tree(tree) => tree.bytes(),
            #[cfg(feature = "classics")]
            Structure::Classic(classic) => classic.bytes(),
        }
    }
}
