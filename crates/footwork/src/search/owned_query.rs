//! A query that owns its numbers.

use super::{Candidates, Match, SearchQuery};

/// A copy of a [`SearchQuery`], to be kept or recorded. Costs of tags and of rest are left at their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedQuery {
    /// `[columns]` normalised features.
    pub features: Vec<f32>,
    /// `[columns]` run-time weights.
    pub multipliers: Vec<f32>,
    /// The playing row and its cost.
    pub continuing: Option<Match>,
    /// Added to the cost of every other candidate.
    pub transition_cost: f32,
    /// What costs more is no match.
    pub max_cost: f32,
    /// Which rows may be played.
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

    /// The query.
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
