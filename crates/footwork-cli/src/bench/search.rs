//! `footwork bench search`: measures all search structures on your own data.
//!
//! The time of a query is that of one call of `search`. Structures take turns after each block of queries, so that
//! other load on the machine affects all of them equally; before a block, some other queries run untimed. This is
//! repeated, and the median of its times counts for each query. Every result of every repetition is compared with
//! that of brute force.

use crate::args::{BenchSearchArgs, Common, SearchKind, SetKind};
use crate::progress;
use anyhow::{Context, Result, bail};
use footwork::advanced::search::OwnedQuery;
use footwork::advanced::search::classics::{Setting, Touched};
use footwork::advanced::search::{Match, SearchIndex};
use footwork::database::Database;
use footwork::matcher::Backend;
use footwork_metrics::query_sets::{QuerySet, queries};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Number of times each query is timed; brute force is timed once.
const PASSES: usize = 3;
/// Queries per block.
const BLOCK: usize = 400;
/// Untimed queries before a block: the preceding ones, or the last ones before the first block.
const WARM_UP: usize = 100;
/// Maximum number of queries for which touched rows are counted.
const COUNTED: usize = 100;
/// Bytes read before each search with `--cold`.
const COLD_BYTES: usize = 96_000_000;

/// Runs the command.
pub fn bench(args: &BenchSearchArgs, common: &Common) -> Result<()> {
    let db = Arc::new(common.open()?.0);
    if db.rows() == 0 {
        bail!("the database has no rows: expected at least one; add longer clips");
    }
    let settings: Vec<Setting> = chosen(&args.backend).into_iter().flat_map(Setting::of_interest).collect();
    let sets = asked(args, &db, common.seed)?;
    let steps = settings.len() * (1 + sets.len());
    let bar = progress::bar("measuring", steps as u64, common.json);
    let built: Vec<Built> = settings
        .into_iter()
        .filter_map(|setting| {
            bar.inc(1);
            Built::new(setting, &db)
        })
        .collect();
    let cold = Cold::new(args.cold);
    let mut results = Vec::new();
    for (set, questions) in &sets {
        results.extend(measure(*set, questions, &db, &built, &cold, &bar));
    }
    bar.finish_and_clear();
    let exact = results.iter().filter(|r| r.built.setting.is_exact()).all(|r| r.equal);
    if common.json {
        out!("{}", to_json(&db, &results, exact));
    } else {
        print(args, &db, &results, exact);
    }
    if !exact {
        bail!("an exact structure did not return the best row: please report this");
    }
    Ok(())
}

/// Measurements of an exact structure on the queries of a game.
#[derive(Debug)]
pub struct Exact {
    pub name: String,
    pub median_us: f64,
    pub p99_us: f64,
    pub build_ms: f64,
    /// Size of the index, in bytes.
    pub bytes: usize,
    /// True if every result equals that of brute force, to the bit.
    pub equal: bool,
}

/// Measures the exact structures, with their default settings, on `count` queries of a character under a random stick.
pub fn exact_structures(db: &Arc<Database>, count: usize, seed: u64) -> Result<Vec<Exact>> {
    let questions = queries(db, QuerySet::D, count, seed).context("the queries could not be made")?;
    let built: Vec<Built> = Backend::EXACT.iter().filter_map(|b| Built::new(Setting::of(*b), db)).collect();
    let bar = indicatif::ProgressBar::hidden();
    let measured = measure(QuerySet::D, &questions, db, &built, &Cold::new(false), &bar);
    let told = |m: &Measured| Exact {
        name: m.built.setting.backend().name().to_owned(),
        median_us: m.median_us,
        p99_us: m.p99_us,
        build_ms: m.built.build_ms,
        bytes: m.built.index.bytes(),
        equal: m.equal,
    };
    Ok(measured.iter().map(told).collect())
}

/// Returns the requested structures, each once; by default all.
fn chosen(kinds: &[SearchKind]) -> Vec<Backend> {
    let mut all: Vec<Backend> = kinds.iter().map(|k| (*k).into()).collect();
    if all.is_empty() {
        all = Backend::EXACT.iter().chain(Backend::APPROXIMATE).copied().collect();
    }
    let mut seen = Vec::new();
    all.retain(|b| {
        let new = !seen.contains(b);
        seen.push(*b);
        new
    });
    all
}

/// Returns the queries of each requested set; each set occurs once.
fn asked(args: &BenchSearchArgs, db: &Arc<Database>, seed: u64) -> Result<Vec<(QuerySet, Vec<OwnedQuery>)>> {
    let count = args.count.unwrap_or(if args.cold { 40 } else { 400 }) as usize;
    let set = |kind: &SetKind| match kind {
        SetKind::A => QuerySet::A,
        SetKind::B => QuerySet::B,
        SetKind::C => QuerySet::C,
        SetKind::D => QuerySet::D,
    };
    let wanted: Vec<QuerySet> = args.queries.iter().map(set).collect();
    let sets = QuerySet::ALL.into_iter().filter(|s| wanted.contains(s));
    sets.map(|s| {
        let made = queries(db, s, count, seed);
        Ok((s, made.with_context(|| format!("query set {} could not be made", s.name()))?))
    })
    .collect()
}

/// A search structure with its build time.
struct Built {
    setting: Setting,
    index: SearchIndex,
    build_ms: f64,
}

impl Built {
    fn new(setting: Setting, db: &Database) -> Option<Self> {
        let started = Instant::now();
        let index = SearchIndex::build_with(db, &setting)?;
        Some(Self { setting, index, build_ms: started.elapsed().as_secs_f64() * 1e3 })
    }
}

/// Other data that replaces the contents of the CPU cache.
struct Cold(Vec<u64>);

impl Cold {
    fn new(wanted: bool) -> Self {
        Self(if wanted { vec![1; COLD_BYTES / 8] } else { Vec::new() })
    }

    /// Reads all data once.
    fn stream(&self) {
        black_box(black_box(&self.0).iter().fold(0u64, |sum, v| sum.wrapping_add(*v)));
    }
}

/// Results of one structure on one query set.
struct Measured<'a> {
    set: QuerySet,
    built: &'a Built,
    median_us: f64,
    mean_us: f64,
    p99_us: f64,
    /// Share of queries whose best row, or one of equal cost, was found.
    recall: f64,
    /// Mean ratio of the found cost to the best cost.
    cost_ratio: f64,
    /// Mean number of nodes and rows touched.
    nodes_touched: f64,
    rows_touched: f64,
    /// True if row, side and bits of the cost always equal those of brute force.
    equal: bool,
}

fn measure<'a>(
    set: QuerySet,
    questions: &[OwnedQuery],
    db: &Database,
    built: &'a [Built],
    cold: &Cold,
    bar: &indicatif::ProgressBar,
) -> Vec<Measured<'a>> {
    let is_cold = !cold.0.is_empty();
    let passes = if is_cold { 1 } else { PASSES };
    let mut times = vec![vec![Vec::with_capacity(passes); questions.len()]; built.len()];
    let mut truth = Vec::with_capacity(questions.len());
    let mut truth_us = Vec::with_capacity(questions.len());
    let brute = SearchIndex::build(db, Backend::Brute);
    for q in questions {
        let query = q.ask();
        cold.stream();
        let started = Instant::now();
        truth.push(black_box(brute.search(db, black_box(&query))));
        truth_us.push(started.elapsed().as_secs_f64() * 1e6);
    }
    let mut equal = vec![true; built.len()];
    let mut found: Vec<Vec<Option<Match>>> = vec![vec![None; questions.len()]; built.len()];
    let starts = || (0..questions.len()).step_by(BLOCK);
    for (pass, start) in (0..passes).flat_map(|pass| starts().map(move |start| (pass, start))) {
        let block = start..(start + BLOCK).min(questions.len());
        for (b, built) in built.iter().enumerate() {
            if built.setting == Setting::Brute {
                for i in block.clone().filter(|_| pass == 0) {
                    times[b][i].push(truth_us[i]);
                    found[b][i] = truth[i];
                }
                continue;
            }
            if !is_cold {
                warm_up(built, questions, db, start);
            }
            for i in block.clone() {
                let query = questions[i].ask();
                cold.stream();
                let started = Instant::now();
                let answer = black_box(built.index.search(db, black_box(&query)));
                let us = started.elapsed().as_secs_f64() * 1e6;
                times[b][i].push(us);
                equal[b] &= same(answer, truth[i]);
                found[b][i] = answer;
            }
        }
    }
    let measured = built.iter().enumerate().map(|(b, built)| {
        bar.inc(1);
        let mut us: Vec<f64> = times[b].iter_mut().map(|t| middle(t)).collect();
        us.sort_by(f64::total_cmp);
        let n = questions.len() as f64;
        let as_good = |(f, t): (&Option<Match>, &Option<Match>)| f.map(|m| m.cost) == t.map(|m| m.cost);
        let ratio = |(f, t): (&Option<Match>, &Option<Match>)| match (f, t) {
            (Some(f), Some(t)) if f.cost > t.cost => f64::from(f.cost) / f64::from(t.cost).max(1e-6),
            _ => 1.0,
        };
        let pairs = || found[b].iter().zip(&truth);
        let counted = &questions[..questions.len().min(COUNTED)];
        let touched: Vec<Touched> = counted.iter().map(|q| built.index.touched(db, &q.ask())).collect();
        let mean = |of: fn(&Touched) -> usize| touched.iter().map(of).sum::<usize>() as f64 / counted.len() as f64;
        Measured {
            set,
            built,
            median_us: us[us.len() / 2],
            mean_us: us.iter().sum::<f64>() / n,
            p99_us: us[us.len() * 99 / 100],
            recall: pairs().filter(|p| as_good(*p)).count() as f64 / n,
            cost_ratio: pairs().map(ratio).sum::<f64>() / n,
            nodes_touched: mean(|t| t.nodes),
            rows_touched: mean(|t| t.rows),
            equal: equal[b],
        }
    });
    measured.collect()
}

/// Searches for the questions before the first of a block, so that caches hold the structure.
fn warm_up(built: &Built, questions: &[OwnedQuery], db: &Database, start: usize) {
    let n = questions.len();
    for i in 0..WARM_UP.min(n) {
        let before = (start + n - WARM_UP.min(n) + i) % n;
        black_box(built.index.search(db, black_box(&questions[before].ask())));
    }
}

/// True for the same row, side and bits of the cost.
fn same(a: Option<Match>, b: Option<Match>) -> bool {
    let all = |m: Match| (m.row, m.mirrored, m.cost.to_bits(), m.continuing);
    a.map(all) == b.map(all)
}

fn middle(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the median of the boxes over that of the tree (with its fastest kernel).
fn boxes_over_tree(results: &[Measured], set: QuerySet) -> Option<f64> {
    let median = |setting: Setting| results.iter().find(|r| r.set == set && r.built.setting == setting);
    let (boxes, tree) = (median(Setting::Boxes)?, median(Setting::of(Backend::Tree))?);
    Some(boxes.median_us / tree.median_us)
}

fn to_json(db: &Database, results: &[Measured], exact: bool) -> Value {
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    let list: Vec<Value> = results
        .iter()
        .map(|r| {
            json!({
                "queries": r.set.name(),
                "backend": r.built.setting.backend().name(),
                "setting": r.built.setting.to_string(),
                "kernel": r.built.setting.kernel().map(|k| k.name()),
                "median_us": round(r.median_us),
                "mean_us": round(r.mean_us),
                "p99_us": round(r.p99_us),
                "recall": r.recall,
                "cost_ratio": r.cost_ratio,
                "nodes_touched": r.nodes_touched,
                "rows_touched": r.rows_touched,
                "index_bytes": r.built.index.bytes(),
                "build_ms": round(r.built.build_ms),
            })
        })
        .collect();
    let ratios: serde_json::Map<String, Value> = QuerySet::ALL
        .into_iter()
        .map(|s| (s.name().to_owned(), json!(boxes_over_tree(results, s).map(round))))
        .collect();
    json!({
        "rows": db.rows(),
        "columns": db.features.columns,
        "results": list,
        "ratio_boxes_over_tree": ratios,
        "exact": exact,
    })
}

fn print(args: &BenchSearchArgs, db: &Database, results: &[Measured], exact: bool) {
    let cold = if args.cold { "; 96 MB of other data read before each search" } else { "" };
    out!("{} rows, {} columns{cold}", db.rows(), db.features.columns);
    for set in QuerySet::ALL {
        let of_set: Vec<&Measured> = results.iter().filter(|r| r.set == set).collect();
        if of_set.is_empty() {
            continue;
        }
        out!("\n{}", about(set));
        out!(
            "  {:<48} {:>9} {:>9} {:>9} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9}",
            "",
            "median us",
            "mean",
            "99 %",
            "recall",
            "cost",
            "nodes",
            "rows",
            "KB",
            "build ms"
        );
        for r in &of_set {
            out!("{}", line(r));
        }
        if let Some(ratio) = boxes_over_tree(results, set) {
            out!("  boxes over tree: {ratio:.1}");
        }
        let good = of_set.iter().filter(|r| !r.built.setting.is_exact() && r.recall >= 0.99);
        if let Some(best) = good.min_by(|a, b| a.median_us.total_cmp(&b.median_us)) {
            out!(
                "  fastest approximate structure with a recall of at least 0.99: {} ({:.1} us)",
                name(best),
                best.median_us
            );
        }
    }
    let count = results.iter().filter(|r| r.built.setting.is_exact()).count();
    let verdict = if exact { "the best row on every query" } else { "NOT the best row on every query" };
    out!("\nexact structures ({count} measurements): {verdict}");
}

fn about(set: QuerySet) -> &'static str {
    match set {
        QuerySet::A => "a: rows with a perturbed trajectory",
        QuerySet::B => "b: consecutive rows with a blended trajectory",
        QuerySet::C => "c: normal noise",
        QuerySet::D => "d: queries of a game",
    }
}

fn name(r: &Measured) -> String {
    let kernel = r.built.setting.kernel().map(|k| k.name().to_owned());
    let setting = kernel.unwrap_or_else(|| r.built.setting.to_string());
    format!("{:<8} {setting}", r.built.setting.backend().name()).trim_end().to_owned()
}

fn line(r: &Measured) -> String {
    let recall = if r.built.setting.is_exact() && r.equal { "exact".to_owned() } else { format!("{:.3}", r.recall) };
    format!(
        "  {:<48} {:>9.2} {:>9.2} {:>9.2} {recall:>7} {:>7.3} {:>9.0} {:>9.0} {:>9.0} {:>9.1}",
        name(r),
        r.median_us,
        r.mean_us,
        r.p99_us,
        r.cost_ratio,
        r.nodes_touched,
        r.rows_touched,
        r.built.index.bytes() as f64 / 1e3,
        r.built.build_ms,
    )
}
