//! A query, and the cost of a row.

use super::blocked::Blocked;
use super::candidates::Candidates;
use super::cost::{MirroredColumns, PerColumn, PlainColumns, row_cost};
use super::matched::Match;
use super::shown::ShownRows;
use crate::database::{Database, SetBits, TagCosts};
use crate::frames::RowIndex;

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
    /// Obstacles near the character. Every row pays for a path into them, and so does the playing row.
    pub blocked: Option<&'a Blocked>,
    /// Rows that the search may return.
    pub candidates: Candidates,
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
            blocked: None,
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

    /// Returns the cost of a row beside its distance: the transition cost, plus that of its tags, of the row, at rest, and of obstacles.
    #[inline]
    pub fn extra_cost(&self, db: &Database, row: usize, mirrored: bool) -> f32 {
        self.with_obstacles(db, row, mirrored, self.extra_cost_in_the_open(db, row, mirrored))
    }

    /// Returns the same without obstacles: a lower bound of it.
    #[inline]
    pub(crate) fn extra_cost_in_the_open(&self, db: &Database, row: usize, mirrored: bool) -> f32 {
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

    /// Returns the cost of a row beside its distance, with that of obstacles: `open` is [`SearchQuery::extra_cost_in_the_open`].
    #[inline]
    pub(crate) fn with_obstacles(&self, db: &Database, row: usize, mirrored: bool, open: f32) -> f32 {
        self.blocked.map_or(open, |blocked| open + blocked.of_row(db, row, mirrored))
    }

    /// Returns the cost of the playing row beside its distance: at rest, a transition that will be needed anyway, and that of a path
    /// into obstacles. `playing`: its `[columns]` features.
    pub(crate) fn extra_cost_of_playing(
        db: &Database,
        row: RowIndex,
        rest_cost: f32,
        (blocked, playing): (&Blocked, &[f32]),
    ) -> f32 {
        let cost = if db.row_unrest[row.at()] > 1.0 { rest_cost } else { 0.0 };
        if blocked.is_empty() { cost } else { cost + blocked.of_features(db, playing) }
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
