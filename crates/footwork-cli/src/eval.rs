//! `footwork eval`: how good is the motion?

use crate::args::{Common, EvalArgs};
use crate::progress;
use anyhow::{Context, Result, bail};
use footwork::database::Database;
use footwork::matcher::MatcherConfig;
use footwork_import::CharacterConfig;
use footwork_metrics::eval::{Evaluation, Row, Variant, keys};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Runs the command.
pub fn eval(args: &EvalArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    let variants = args.variants.iter().map(|name| variant(name, &config, &db)).collect::<Result<Vec<_>>>()?;
    let courses: Vec<&str> = args.courses.iter().map(String::as_str).collect();
    let evaluation = Evaluation::new(Arc::new(db), &courses, args.seeds as usize);
    let bar = progress::bar("evaluating", (evaluation.steps() * variants.len()) as u64, common.json);
    let mut rows = Vec::new();
    let mut played = None;
    for variant in &variants {
        let evaluated =
            evaluation.run(variant, &|| bar.inc(1)).with_context(|| format!("variant `{}`", variant.name))?;
        rows.push(evaluated.row);
        // What the first variant plays is the yardstick of all.
        played.get_or_insert(evaluated.played);
    }
    rows.push(evaluation.mocap());
    rows.extend(played);
    bar.finish_and_clear();
    if common.json {
        out!(
            "{}",
            json!({ "courses": args.courses, "seeds": args.seeds, "rows": rows.iter().map(as_json).collect::<Vec<_>>() })
        );
    } else {
        print_table(&rows);
    }
    Ok(())
}

/// A variant by name or file.
fn variant(name: &str, default: &MatcherConfig, db: &Database) -> Result<Variant> {
    let config = match name {
        "default" => default.clone(),
        "reference" => MatcherConfig::reference(),
        "default_free" => free(default.clone()),
        "reference_free" => free(MatcherConfig::reference()),
        file if file.ends_with(".toml") => CharacterConfig::load(Path::new(file))?.matcher,
        other => bail!(
            "no variant is named `{other}`: expected default, reference, default_free, reference_free, or a .toml file"
        ),
    };
    config.validate(db).with_context(|| format!("variant `{name}` does not fit the database"))?;
    Ok(Variant { name: name.to_owned(), config })
}

/// Nothing done to the animation: feet slide as they are blended, the root goes where the clips lead it.
fn free(config: MatcherConfig) -> MatcherConfig {
    let mut config = footwork_metrics::eval::without_feet(&config);
    (config.root.adjust, config.root.clamp) = (false, false);
    config
}

/// All keys; `null` for what has no meaning for a row.
fn as_json(row: &Row) -> Value {
    let mut object = Map::new();
    object.insert("variant".into(), json!(row.variant));
    for key in keys() {
        let value = row.values.get(key);
        object.insert(key.into(), json!(value.map(|v| v.mean)));
        object.insert(format!("{key}_sd"), json!(value.and_then(|v| v.sd)));
    }
    Value::Object(object)
}

/// Metrics down, variants across.
fn print_table(rows: &[Row]) {
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

/// Three figures.
fn figures(value: f32) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
