//! Searches by themselves: one query, and why it found what it found.

use crate::arguments::Arguments;
use crate::character::Character;
use crate::error::{error, rejected};
use crate::input::{self, Input};
use crate::json;
use footwork::advanced::search::explain::Outcome;
use footwork::advanced::search::{Explanation, SearchIndex};
use footwork::input::InputError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::OnceLock;

/// The index of a character's search, built when it is first needed.
pub type Index = OnceLock<SearchIndex>;

/// A query at a pose of a clip.
pub struct Query<'a> {
    /// Name or number of the clip.
    pub clip: &'a str,
    /// Time in the clip, in seconds.
    pub time_s: f64,
    /// Number of candidates to tell.
    pub k: usize,
    /// The goal and the tags; without a goal, the clip's own future.
    pub inputs: Option<&'a Bound<'a, PyDict>>,
}

impl Query<'_> {
    /// Searches, and explains the result.
    pub fn run<'py>(&self, py: Python<'py>, character: &Character, index: &Index) -> PyResult<Bound<'py, PyAny>> {
        let shared = &character.shared;
        let db = shared.database().ok_or_else(|| error("`search`: expected a character of a database"))?;
        let mut arguments = Arguments::new("Character.search()", self.inputs);
        let input = Input::of(&mut arguments)?.resolve(shared)?;
        arguments.finish(&input::NAMES)?;
        let input = input.borrow();
        input.validate(db.schema.user_width).or_else(no_user).map_err(rejected)?;
        let clip = db.clip_named(self.clip).map_err(rejected)?;
        let seconds = db.view(clip, false).seconds();
        if !(0.0..=seconds).contains(&self.time_s) {
            return Err(error(format_args!("`time`: expected 0 to {seconds:.2} seconds, found {}", self.time_s)));
        }
        let row = db.row_at(clip, self.time_s);
        let row = row.ok_or_else(|| error(format_args!("clip `{}`: expected at least one row", self.clip)))?;
        let k = self.k;
        let told = py.detach(|| {
            let recorded = shared.query_at_row(&input, row)?;
            let query = recorded.ask();
            let config = &shared.config().search;
            let winner = index.get_or_init(|| SearchIndex::build(db, config.backend)).search(db, &query);
            let stays = recorded.continuing.map_or(f32::INFINITY, |c| c.cost);
            let jumped = winner.is_some_and(|w| !w.continuing && w.cost < stays * (1.0 - config.minimum_improvement));
            let outcome = Outcome { winner, jumped };
            let mut told = Explanation::of(db, &query, db.features.row(row), outcome, 2 * db.rows());
            told.keep_best(k, false);
            Some(told)
        });
        json::explanation(py, &told.ok_or_else(|| error("`search`: expected a character of a database"))?)
    }
}

/// A query at a row takes user values from the row.
fn no_user(error: InputError) -> Result<(), InputError> {
    match error {
        InputError::UserWidth { .. } => Ok(()),
        other => Err(other),
    }
}
