//! A query that owns its numbers.

use super::candidates::Candidates;
use super::matched::Match;
use super::query::SearchQuery;

/// A copy of a [`SearchQuery`] for storage or recording. Costs of tags, of rest and of obstacles keep their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedQuery {
    /// `[columns]` normalised features.
    pub features: Vec<f32>,
    /// `[columns]` run-time weights.
    pub multipliers: Vec<f32>,
    /// The playing row and its cost.
    pub continuing: Option<Match>,
    /// Cost added to every other candidate.
    pub transition_cost: f32,
    /// Maximum cost of a match.
    pub max_cost: f32,
    /// Rows that the search may return.
    pub candidates: Candidates,
}

impl OwnedQuery {
    /// Copies a query.
    pub fn of(query: &SearchQuery) -> Self {
        Self {
            features: query.features.to_vec(),
            multipliers: query.multipliers.to_vec(),
            continuing: query.continuing,
            transition_cost: query.transition_cost,
            max_cost: query.max_cost,
            candidates: query.candidates,
        }
    }

    /// Returns the query.
    pub fn ask(&self) -> SearchQuery<'_> {
        SearchQuery {
            continuing: self.continuing,
            transition_cost: self.transition_cost,
            max_cost: self.max_cost,
            candidates: self.candidates,
            ..SearchQuery::new(&self.features, &self.multipliers)
        }
    }
}
