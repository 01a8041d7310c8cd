//! Searches by themselves: one query, and why it found what it found; many queries.

use crate::arguments::Arguments;
use crate::arrays::{owned, values};
use crate::character::Character;
use crate::error::{error, lock, rejected};
use crate::input::{self, Input};
use crate::json;
use footwork::advanced::search::explain::Outcome;
use footwork::advanced::search::{Backend, Candidates, Explanation, Match, SearchIndex, SearchQuery};
use footwork::database::{Database, MirrorMode};
use footwork::frames::{FrameIndex, RowIndex};
use footwork::input::InputError;
use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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

/// Rows, costs, and whether the rows are mirrored, `[queries x k]`.
pub type Found<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<bool>>);

/// Maximum number of rows for each query.
const MOST_ROWS: usize = 4096;

/// Queries by features.
pub struct Nearest<'a, 'py> {
    /// (n, columns).
    pub queries: &'a Bound<'py, PyAny>,
    /// Rows for each query.
    pub k: usize,
    /// A condition of tags.
    pub tags: &'a str,
    /// (columns,); 1 for all if it is not given.
    pub weights: Option<&'a Bound<'py, PyAny>>,
}

impl<'py> Nearest<'_, 'py> {
    /// Searches.
    pub fn run(&self, db: &Database, index: &Index) -> PyResult<Found<'py>> {
        let (py, k, columns) = (self.queries.py(), self.k, db.features.columns);
        if !(1..=MOST_ROWS).contains(&k) {
            return Err(error(format_args!("`k`: expected 1 to {MOST_ROWS}, found {k}")));
        }
        let n =
            self.queries.cast::<PyUntypedArray>().ok().and_then(|array| array.shape().first().copied()).unwrap_or(0);
        let (queries, _) = values::<f32>("queries", self.queries, &[&[n, columns]])?;
        let weights = self.weights.map(|given| values::<f32>("weights", given, &[&[columns]])).transpose()?;
        let weights = weights.map_or_else(|| vec![1.0; columns], |(weights, _)| weights);
        let tags = db.accepted(&db.tag_query(self.tags).map_err(rejected)?);
        let candidates = Candidates { tags, ..Candidates::default() };
        let (mut rows, mut costs) = (vec![-1; n * k], vec![f32::INFINITY; n * k]);
        let mut mirrored = vec![false; n * k];
        py.detach(|| {
            let index = index.get_or_init(|| SearchIndex::build(db, Backend::Tree));
            let mut best = vec![Match::default(); k];
            for (i, features) in queries.chunks_exact(columns).enumerate() {
                let query = SearchQuery { candidates, ..SearchQuery::new(features, &weights) };
                query.validate(db).map_err(|fault| error(format_args!("`queries`, number {i}: {fault}")))?;
                let found = index.search_k(db, &query, &mut best);
                for (at, m) in (i * k..).zip(&best[..found]) {
                    (rows[at], costs[at], mirrored[at]) = (i64::from(m.row.0), m.cost, m.mirrored);
                }
            }
            Ok::<_, PyErr>(())
        })?;
        Ok((owned(py, rows, [n, k])?, owned(py, costs, [n, k])?, owned(py, mirrored, [n, k])?))
    }
}

/// A search: features, weights, and the highest cost that a further row could have and still change the result.
pub type Search = (Vec<f32>, Vec<f32>, f32);

/// The searches of a character, oldest first.
#[pyclass(frozen, module = "footwork._native")]
#[derive(Default)]
pub struct Notes(Arc<Mutex<Vec<Search>>>);

#[pymethods]
impl Notes {
    /// Returns the searches since the last call.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>, f32)>> {
        let searches = std::mem::take(&mut *lock(&self.0, "list of searches")?);
        let array = |values| PyArray1::from_vec(py, values);
        Ok(searches.into_iter().map(|(features, weights, limit)| (array(features), array(weights), limit)).collect())
    }
}

impl Notes {
    /// Returns an index that adds its searches.
    pub fn of(&self, index: &Arc<SearchIndex>) -> SearchIndex {
        let searches = Arc::clone(&self.0);
        Arc::clone(index).watched(move |query, limit| {
            let search = (query.features.to_vec(), query.multipliers.to_vec(), limit);
            searches.lock().unwrap_or_else(PoisonError::into_inner).push(search);
        })
    }
}

/// Returns the original clips with a row that a search could return, themselves or their mirror images: features alone cost no more than
/// the limit.
pub fn clips_within(db: &Database, features: &[f32], weights: &[f32], limit: f32) -> BTreeSet<usize> {
    let query = SearchQuery::new(features, weights);
    let sides: &[bool] = if db.mirror == MirrorMode::Query { &[false, true] } else { &[false] };
    let near = |row: usize| sides.iter().any(|side| query.distance(db, RowIndex::new(row), *side) <= limit);
    let found = db.clips.iter().filter(|clip| clip.row_range().any(near));
    found.map(|clip| db.clip_of_frame(FrameIndex(clip.first_frame)).at()).collect()
}

/// A query at a row takes user values from the row.
fn no_user(error: InputError) -> Result<(), InputError> {
    match error {
        InputError::UserWidth { .. } => Ok(()),
        other => Err(other),
    }
}
