//! Finding the row that fits best.
//!
//! Every search takes the same [`SearchQuery`], looks at the same candidates ([`Candidates`]) and returns the same
//! [`Match`]: the row and the bits of its cost. [`brute`] is the definition; the others are ways to get there sooner.
//!
//! Order of candidates: cost, then what already plays, then unmirrored, then the lowest row.

pub mod boxes;
pub mod brute;
mod candidates;
mod cost;
pub mod explain;

pub use boxes::Boxes;
pub use candidates::{Candidates, Exclusion, TagFilter};
pub use cost::{AllSquared, ColumnCost, ColumnOrder, MirroredColumns, PerColumn, PlainColumns, row_cost};
pub use explain::{CandidateReport, Explanation, Verdict};

use crate::database::{Database, MirrorMode};
use crate::frames::RowIndex;
use crate::schema::Residual;
use serde::{Deserialize, Serialize};

/// A kind of search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Backend {
    /// Every row, in order: the oracle.
    Brute,
    /// Two levels of boxes of 16 and 64 rows, in database order. Source: Holden et al., "Learned Motion Matching" (2020).
    #[default]
    Boxes,
}

impl Backend {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 2] = [Self::Brute, Self::Boxes];

    /// Its name in configuration files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brute => "brute",
            Self::Boxes => "boxes",
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// `[columns]` normalised features that are wanted.
    pub features: &'a [f32],
    /// `[columns]` run-time weights; 1 is the stored weight, exactly.
    pub multipliers: &'a [f32],
    /// What plays now and what it costs to let it play on: it wins ties, pays no transition cost, and is the result when
    /// nothing is cheaper.
    pub continuing: Option<Match>,
    /// Added to the cost of every other candidate.
    pub transition_cost: f32,
    /// Which rows may be jumped to.
    pub candidates: Candidates,
}

/// What is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Row.
    pub row: RowIndex,
    /// True when the row fits as seen in a mirror (`mirror = query`).
    pub mirrored: bool,
    /// Cost, transition cost included.
    pub cost: f32,
    /// True when it is what already plays.
    pub continuing: bool,
}

/// Why a query cannot be asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Another schema's query.
    #[error("the query's `{what}` has {found} values; the database has {expected} columns")]
    Width {
        /// `features` or `multipliers`.
        what: &'static str,
        /// Columns of the database.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// NaN or infinity.
    #[error("the query's `{what}`, value {index}, is {value}")]
    NotFinite {
        /// `features`, `multipliers` or `costs`.
        what: &'static str,
        /// Place.
        index: usize,
        /// Value.
        value: f32,
    },
}

impl SearchQuery<'_> {
    /// Checks widths and numbers.
    ///
    /// # Errors
    /// A width that is not the database's, a number that is not finite.
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
        let costs = [self.transition_cost, self.continuing.map_or(0.0, |c| c.cost)];
        match costs.iter().position(|c| !c.is_finite()) {
            Some(index) => Err(QueryError::NotFinite { what: "costs", index, value: costs[index] }),
            None => Ok(()),
        }
    }
}

/// A structure to search with; made from a database by [`Database::search_index`].
#[derive(Debug)]
#[non_exhaustive]
pub enum SearchIndex {
    /// Needs nothing beside the features.
    Brute,
    /// Boxes.
    Boxes(Boxes),
}

impl SearchIndex {
    /// Makes the structure.
    pub fn build(db: &Database, backend: Backend) -> Self {
        match backend {
            Backend::Brute => Self::Brute,
            Backend::Boxes => Self::Boxes(Boxes::build(db)),
        }
    }

    /// The best candidate, or `None` where there is none. Allocates nothing. The query must be valid.
    pub fn search(&self, db: &Database, query: &SearchQuery) -> Option<Match> {
        debug_assert_eq!(query.validate(db), Ok(()));
        if db.residuals.contains(&Residual::Absolute) {
            self.passes(db, query, &PerColumn(&db.residuals))
        } else {
            self.passes(db, query, &AllSquared)
        }
    }

    fn passes(&self, db: &Database, query: &SearchQuery, costs: &impl ColumnCost) -> Option<Match> {
        let mut best = query.continuing;
        self.pass(db, query, &PlainColumns, costs, false, &mut best);
        if db.mirror == MirrorMode::Query {
            self.pass(db, query, &MirroredColumns(&db.mirror_columns), costs, true, &mut best);
        }
        best
    }

    fn pass(
        &self,
        db: &Database,
        query: &SearchQuery,
        order: &impl ColumnOrder,
        costs: &impl ColumnCost,
        mirrored: bool,
        best: &mut Option<Match>,
    ) {
        match self {
            Self::Brute => brute::pass(db, query, order, costs, mirrored, best),
            Self::Boxes(boxes) => boxes.pass(db, query, order, costs, mirrored, best),
        }
    }

    /// Bytes held beside the features.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Brute => 0,
            Self::Boxes(boxes) => boxes.bytes(),
        }
    }
}
