//! Rows of an evaluation, as JSON and as a table.

use footwork::database::Database;
use footwork_metrics::RATE_HZ;
use footwork_metrics::eval::{Row, keys};
use footwork_metrics::gate::Gate;
use footwork_metrics::samples::Occurrence;
use serde_json::{Map, Value, json};

/// Returns all keys, `null` if a metric does not apply to a row, and the worst frame of each bound.
pub fn as_json(row: &Row, gate: &Gate, db: &Database) -> Value {
    let mut object = Map::new();
    object.insert("variant".into(), json!(row.variant));
    for key in keys() {
        let value = row.values.get(key);
        object.insert(key.into(), json!(value.map(|v| v.mean)));
        object.insert(format!("{key}_sd"), json!(value.and_then(|v| v.sd)));
    }
    let of_row = gate.bounds.iter().filter(|b| b.variant == row.variant);
    let worst = of_row.filter_map(|b| Some((b.key.to_owned(), moment_json(row.values.get(b.key)?.worst?, db))));
    object.insert("worst".into(), worst.collect());
    Value::Object(object)
}

fn moment_json((value, m): (f32, Occurrence), db: &Database) -> Value {
    json!({
        "value": value,
        "course": m.course,
        "run": m.run,
        "time_s": seconds(m.frame),
        "joint": db.skeleton.name(m.joint),
        "clip": db.clips[m.clip.at()].name,
        "clip_time_s": seconds(m.clip_frame),
    })
}

pub fn seconds(frame: usize) -> f32 {
    frame as f32 / RATE_HZ
}

/// Prints a table with a row per metric and a column per variant.
pub fn print_table(rows: &[Row]) {
    let width = keys().map(str::len).max().unwrap_or(0);
    let heads: Vec<String> = rows.iter().map(|r| format!("{:>16}", r.variant)).collect();
    out!("{:width$} {}", "", heads.concat());
    for key in keys() {
        let cells: Vec<String> = rows.iter().map(|r| cell(r, key)).collect();
        out!("{key:width$} {}", cells.concat());
    }
}

fn cell(row: &Row, key: &str) -> String {
    let Some(value) = row.values.get(key) else { return format!("{:>16}", "-") };
    let spread = value.sd.map(|sd| format!(" ±{}", figures(sd))).unwrap_or_default();
    format!("{:>16}", figures(value.mean) + &spread)
}

/// Formats a value with three significant figures.
pub fn figures(value: f32) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
