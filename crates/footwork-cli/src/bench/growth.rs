//! `footwork bench growth`: how the time of a search grows with the rows of the database.
//!
//! The database is compared with its half, quarter and eighth: each clip keeps the first part of its rows. Each size has its own
//! queries. Sizes take turns, with other queries untimed before each turn; the median of its times counts for each query.

use crate::args::{BenchGrowthArgs, Common};
use crate::progress;
use anyhow::{Context, Result, bail};
use footwork::advanced::math::{ln, powf};
use footwork::advanced::search::{OwnedQuery, SearchIndex};
use footwork::database::{Clip, Database, DatabaseContent};
use footwork::matcher::Backend;
use footwork_metrics::query_sets::{QuerySet, queries};
use serde_json::{Map, Value, json};
use std::f32::consts::LN_2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Number of doublings of the rows.
const DOUBLINGS: u32 = 3;
/// Number of times each query is timed.
const PASSES: usize = 5;
/// Untimed queries before a turn.
const WARM_UP: usize = 100;
/// Minimum number of rows of the database: the eighth must be large enough for a tree.
const LEAST_ROWS: usize = 4096;

/// A part of the database, with its index and its queries.
struct Size {
    db: Arc<Database>,
    index: SearchIndex,
    questions: Vec<OwnedQuery>,
}

/// Runs the command.
pub fn bench(args: &BenchGrowthArgs, common: &Common) -> Result<()> {
    let db = Arc::new(common.open()?.0);
    if db.rows() < LEAST_ROWS {
        bail!("the database has {} rows: expected at least {LEAST_ROWS}; add clips", db.rows());
    }
    let bar = progress::bar("measuring", 1 + QuerySet::ALL.len() as u64, common.json);
    let parts = (1..=DOUBLINGS).rev().map(|halvings| first_part(&db, halvings)).collect::<Result<Vec<_>>>()?;
    let sizes = parts.into_iter().map(Arc::new).chain([db]).map(|db| Size {
        index: SearchIndex::build(&db, Backend::Tree),
        questions: Vec::new(),
        db,
    });
    let mut sizes: Vec<Size> = sizes.collect();
    bar.inc(1);
    let rows: Vec<usize> = sizes.iter().map(|size| size.db.rows()).collect();
    let mut told = Vec::new();
    for set in QuerySet::ALL {
        for size in &mut sizes {
            let made = queries(&size.db, set, args.count as usize, common.seed);
            size.questions = made.with_context(|| format!("query set {} could not be made", set.name()))?;
        }
        let median_us = measure(&sizes);
        told.push((set, per_doubling(&rows, &median_us), median_us));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if common.json {
        let by_set = |of: &dyn Fn(&(QuerySet, f64, Vec<f64>)) -> Value| -> Map<String, Value> {
            told.iter().map(|t| (t.0.name().to_owned(), of(t))).collect()
        };
        let (growth, times) = (by_set(&|t| json!(t.1)), by_set(&|t| json!(t.2)));
        out!("{}", json!({ "rows": rows, "per_doubling": growth, "median_us": times }));
    } else {
        let rows: String = rows.iter().map(|rows| format!(" {rows:>9}")).collect();
        out!("median us, by rows{rows}  per doubling");
        for (set, growth, median_us) in &told {
            let times: String = median_us.iter().map(|us| format!(" {us:>9.2}")).collect();
            out!("  {:<16}{times} {growth:>13.2}", set.name());
        }
    }
    Ok(())
}

/// Returns a database in which each clip keeps the first of 2^`halvings` parts of its rows, and at least one row.
fn first_part(db: &Database, halvings: u32) -> Result<Database> {
    let content: &DatabaseContent = db;
    let kept = |clip: &Clip| {
        let range = clip.row_range();
        range.start..range.start + range.len().div_ceil(1 << halvings)
    };
    let rows: Vec<usize> = content.clips.iter().flat_map(kept).collect();
    let columns = content.features.columns;
    let mut part = content.clone();
    part.features.values =
        rows.iter().flat_map(|r| &content.features.values[r * columns..][..columns]).copied().collect();
    part.row_frames = rows.iter().map(|r| content.row_frames[*r]).collect();
    part.row_flags = rows.iter().map(|r| content.row_flags[*r]).collect();
    if !content.row_costs.is_empty() {
        part.row_costs = rows.iter().map(|r| content.row_costs[*r]).collect();
    }
    let mut first_row = 0;
    for (clip, whole) in part.clips.iter_mut().zip(&content.clips) {
        (clip.first_row, clip.rows) = (first_row, kept(whole).len() as u32);
        first_row += clip.rows;
    }
    Ok(Database::new(part)?)
}

/// Returns `[sizes]` the median time of a query, in microseconds.
fn measure(sizes: &[Size]) -> Vec<f64> {
    let mut times: Vec<Vec<Vec<f64>>> = sizes.iter().map(|size| vec![Vec::new(); size.questions.len()]).collect();
    for _ in 0..PASSES {
        for (size, times) in sizes.iter().zip(&mut times) {
            let search = |question: &OwnedQuery| black_box(size.index.search(&size.db, black_box(&question.ask())));
            let count = size.questions.len();
            for question in &size.questions[count - WARM_UP.min(count)..] {
                search(question);
            }
            for (question, times) in size.questions.iter().zip(times) {
                let started = Instant::now();
                search(question);
                times.push(started.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    times.iter_mut().map(|queries| middle(&mut queries.iter_mut().map(|t| middle(t)).collect::<Vec<_>>())).collect()
}

fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the factor of the time when the rows double: the geometric mean over all sizes.
fn per_doubling(rows: &[usize], median_us: &[f64]) -> f64 {
    let growth = |first: f64, last: f64| ln((last / first) as f32);
    let (first, last) = (0, rows.len() - 1);
    let doublings = growth(rows[first] as f64, rows[last] as f64) / LN_2;
    f64::from(powf(2.0, growth(median_us[first], median_us[last]) / LN_2 / doublings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_factor_of_the_time_per_doubling() {
        assert!((per_doubling(&[100, 200, 400, 800], &[1.0, 9.0, 9.0, 8.0]) - 2.0).abs() < 1e-5);
        assert!((per_doubling(&[100, 1600], &[3.0, 3.0]) - 1.0).abs() < 1e-5);
    }
}
