//! `footwork eval --learned`: compares networks with the exact search that they replace.

use super::table::{as_json, print_table};
use crate::args::{Common, EvalArgs};
use crate::{networks, progress};
use anyhow::{Result, bail};
use footwork::advanced::learned::{Decompression, Network, NetworkParts, NetworkScratch, STEP_S};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::matcher::MatcherConfig;
use footwork_metrics::eval::{Evaluation, Mover, Row, T90_MEAN, Variant, free};
use footwork_metrics::gate::Gate;
use footwork_metrics::learned::{NetworkErrors, compare, learned_rows};
use serde_json::{Value, json};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Number of poses that are compared.
const SAMPLES: usize = 6000;
/// Frames between two projections: ten a second at 60 Hz.
const FRAMES_PER_PROJECTION: f64 = 6.0;
/// Frames between two steps of the stepper, at 60 Hz; frames between two codes need no network.
const FRAMES_PER_STEP: f64 = 60.0 * STEP_S;
/// Characters in a batch.
const BATCH: usize = 64;

/// Limits of the verdict: errors below them are not visible in play.
const RECONSTRUCTION_MEAN_CM: f32 = 1.0;
const RECONSTRUCTION_P99_CM: f32 = 6.0;
const TOES_MEAN_CM: f32 = 1.5;
/// Maximum ratio to the value of the exact search, and the tolerance added to it.
const WORSE: f32 = 1.15;
const SKATE_CM_S: f32 = 0.5;

/// Runs the command.
pub fn eval(file: &Path, args: &EvalArgs, common: &Common, db: &Arc<Database>, config: &MatcherConfig) -> Result<()> {
    let networks = Arc::new(networks::open(file)?);
    let errors = compare(db, &networks, SAMPLES)?;
    let times = Times::of(db, &networks);
    let courses: Vec<&str> = args.courses.iter().map(String::as_str).collect();
    let evaluation = Evaluation::new(Arc::clone(db), &courses, 0..args.seeds as usize);
    let variants = variants(config, &networks);
    let bar = progress::bar("evaluating", (evaluation.steps() * variants.len()) as u64, common.json);
    let mut rows: Vec<Row> = Vec::new();
    for variant in &variants {
        let mut row = evaluation.run(variant, &|| bar.inc(1))?.row;
        if let Mover::Learned(_) = variant.mover {
            // No clip of the database is played.
            row.values.retain(|key, _| !key.ends_with("_over_source_pct") && *key != "coverage_pct");
        }
        rows.push(row);
    }
    rows.push(evaluation.mocap());
    bar.finish_and_clear();
    let bytes = Bytes::of(db, &networks);
    let faults = faults(&errors, &rows);
    let verdict = match faults.as_slice() {
        [] => "as good as the clips they were trained on".to_owned(),
        faults => format!("not as good as the clips they were trained on: {}", faults.join("; ")),
    };
    if common.json {
        let mut all = serde_json::to_value(&errors)?;
        let gate = Gate::default();
        all["bytes"] = bytes.json();
        all["us_per_frame_batch1"] = json!(times.batch1_us);
        all["us_per_frame_batch1_dense"] = json!(times.dense_us);
        all["us_per_frame_batch64"] = json!(times.batch64_us);
        all["calibration"] = serde_json::to_value(networks.calibration)?;
        all["courses"] = json!(args.courses);
        all["seeds"] = json!(args.seeds);
        all["stick"] = json!(config.speeds.over(&db.stick));
        all["verdict"] = json!(verdict);
        all["passes"] = json!(faults.is_empty());
        all["rows"] = rows.iter().map(|row| as_json(row, &gate, db)).collect::<Vec<Value>>().into();
        out!("{all}");
    } else {
        print_errors(&errors);
        bytes.print();
        out!(
            "one core, per character and frame: {:.1} us alone (dense products {:.1}), {:.1} us in a batch of {BATCH}",
            times.batch1_us,
            times.dense_us,
            times.batch64_us
        );
        print_table(&rows);
        out!("{}: {verdict}", file.display());
    }
    if !faults.is_empty() {
        bail!("{}: {verdict}", file.display());
    }
    Ok(())
}

fn variants(config: &MatcherConfig, networks: &Arc<Networks>) -> Vec<Variant> {
    let movers = [
        ("exact", Mover::Exact),
        ("decompressor", Mover::Decompressor(networks.clone())),
        ("learned", Mover::Learned(networks.clone())),
    ];
    let both = |(name, mover): (&str, Mover)| {
        let locked = Variant { name: name.to_owned(), config: config.clone(), mover };
        let name = format!("{}_free", locked.name);
        let free = Variant { name, config: free(config), mover: locked.mover.clone() };
        [locked, free]
    };
    movers.into_iter().flat_map(both).collect()
}

/// Returns a line for each value that exceeds its limit.
fn faults(errors: &NetworkErrors, rows: &[Row]) -> Vec<String> {
    let mut faults = Vec::new();
    let limits = [
        ("mean error of poses", errors.reconstruction_mean_cm, RECONSTRUCTION_MEAN_CM),
        ("99th percentile of the error of poses", errors.reconstruction_p99_cm, RECONSTRUCTION_P99_CM),
        ("mean error of toes", errors.toes_mean_cm, TOES_MEAN_CM),
    ];
    let over = limits.into_iter().filter(|(_, found, most)| found.is_nan() || found > most);
    faults.extend(over.map(|(what, found, most)| format!("{what} {found:.2} cm, at most {most}")));
    let row = |name: &str| rows.iter().find(|row| row.variant == name);
    let (Some(learned), Some(exact)) = (row("learned"), row("exact")) else { return faults };
    let skates = ["label_skate_cm_s", "height_weighted_skate_cm_s"].map(|key| (key, SKATE_CM_S));
    for (key, beyond) in skates.into_iter().chain([(T90_MEAN, 0.0), ("path_error_m", 0.0)]) {
        let (Some(found), Some(exact)) = (learned.values.get(key), exact.values.get(key)) else { continue };
        if found.mean > WORSE * exact.mean + beyond {
            faults.push(format!("{key} {:.3}, the exact search has {:.3}", found.mean, exact.mean));
        }
    }
    faults
}

fn print_errors(e: &NetworkErrors) {
    out!(
        "poses: mean {:.2} cm, 99 % {:.2}, largest {:.2}; toes mean {:.2}",
        e.reconstruction_mean_cm,
        e.reconstruction_p99_cm,
        e.reconstruction_max_cm,
        e.toes_mean_cm
    );
    let [a, b, c] = e.stepper_cm;
    out!("stepper: mean {a:.2} cm after 6 frames, {b:.2} after 20, {c:.2} after 60");
    out!(
        "projector: {:.0} % of queries find the best moment; distances {:.2} times those of the exact search",
        100.0 * e.projector_recall,
        e.projector_cost_ratio
    );
}

/// Memory of all parts, in bytes, for the three ways to move a character.
struct Bytes {
    poses: usize,
    features: usize,
    latents: usize,
    decompressor: usize,
    stepper: usize,
    projector: usize,
    /// Data of all three networks besides their weights.
    rest: usize,
}

impl Bytes {
    fn of(db: &Database, networks: &Networks) -> Self {
        let NetworkParts { decompressor, stepper, projector, .. } = &**networks;
        let weights = [decompressor, stepper, projector].map(Network::bytes);
        Self {
            poses: db.poses.bytes(),
            features: size_of_val(db.features.values.as_slice()),
            latents: db.rows() * networks.latents() * size_of::<f32>(),
            decompressor: weights[0],
            stepper: weights[1],
            projector: weights[2],
            rest: networks.bytes() - weights.iter().sum::<usize>(),
        }
    }

    fn exact(&self) -> usize {
        self.poses + self.features
    }

    fn decompressed(&self) -> usize {
        self.features + self.latents + self.decompressor + self.rest
    }

    fn learned(&self) -> usize {
        self.decompressor + self.stepper + self.projector + self.rest
    }

    fn json(&self) -> Value {
        json!({
            "poses": self.poses,
            "features": self.features,
            "latents": self.latents,
            "decompressor": self.decompressor,
            "stepper": self.stepper,
            "projector": self.projector,
            "other": self.rest,
            "total": self.learned(),
            "total_exact": self.exact(),
            "total_decompressor": self.decompressed(),
        })
    }

    fn print(&self) {
        out!("{:14} {:>9} {:>13} {:>9}   (MB)", "", "exact", "decompressor", "learned");
        let row = |name: &str, bytes: usize, of: [bool; 3]| {
            let cell = |(holds, width): (bool, usize)| {
                let figure = if holds { format!("{:.2}", bytes as f64 / 1e6) } else { "-".to_owned() };
                format!(" {figure:>width$}")
            };
            let cells: String = of.into_iter().zip([9, 13, 9]).map(cell).collect();
            out!("{name:14}{cells}");
        };
        row("poses", self.poses, [true, false, false]);
        row("features", self.features, [true, true, false]);
        row("latents", self.latents, [false, true, false]);
        row("decompressor", self.decompressor, [false, true, true]);
        row("stepper", self.stepper, [false, false, true]);
        row("projector", self.projector, [false, false, true]);
        let mega = |bytes: usize| bytes as f64 / 1e6;
        out!(
            "{:14} {:>9.2} {:>13.2} {:>9.2}",
            "total",
            mega(self.exact()),
            mega(self.decompressed()),
            mega(self.learned())
        );
    }
}

/// Microseconds per character and frame: stepper and decompressor, and for a single character a share of the projector.
struct Times {
    batch1_us: f64,
    /// As `batch1_us`, without skipping inputs that are 0.
    dense_us: f64,
    batch64_us: f64,
}

impl Times {
    /// Returns medians over codes of the database.
    fn of(db: &Database, networks: &Networks) -> Self {
        let rows = learned_rows(db);
        let mut room = Decompression::new(networks);
        let width = networks.code_width();
        let codes: Vec<f32> = (0..BATCH)
            .flat_map(|k| {
                let mut code = vec![0.0; width];
                let row = rows.get(k * rows.len() / BATCH).copied().unwrap_or_default();
                networks.project(db.features.row(row), &mut code, &mut room);
                code
            })
            .collect();
        let queries: Vec<f32> = codes.chunks_exact(width).flat_map(|c| &c[..networks.columns()]).copied().collect();
        let mut room = NetworkScratch::default();
        let mut one = |network: &Network, inputs: &[f32], dense: bool| {
            let mut out = vec![0.0; network.outputs()];
            median_us(BATCH, || {
                for input in inputs.chunks_exact(network.inputs()) {
                    if dense {
                        network.run_dense(input, &mut out, &mut room);
                    } else {
                        network.run(input, &mut out, &mut room);
                    }
                    black_box(&out);
                }
            })
        };
        let mut frame = |dense: bool| {
            (one(&networks.stepper, &codes, dense) + one(&networks.decompressor, &codes, dense)) / FRAMES_PER_STEP
                + one(&networks.projector, &queries, dense) / FRAMES_PER_PROJECTION
        };
        let (batch1_us, dense_us) = (frame(false), frame(true));
        let mut room = NetworkScratch::default();
        let mut many = |network: &Network| {
            let mut out = vec![0.0; BATCH * network.outputs()];
            median_us(BATCH, || {
                network.run_many(&codes, &mut out, &mut room);
                black_box(&out);
            })
        };
        let batch64_us = (many(&networks.stepper) + many(&networks.decompressor)) / FRAMES_PER_STEP;
        Self { batch1_us, dense_us, batch64_us }
    }
}

/// Returns the median time of a call over this number of characters, per character.
fn median_us(characters: usize, mut call: impl FnMut()) -> f64 {
    const ROUNDS: usize = 41;
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_nanos() as f64 / 1e3 / characters as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
