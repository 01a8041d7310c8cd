//! `footwork eval`: measures the quality of motion.

mod learned;
mod table;

use crate::args::{Common, EvalArgs};
use crate::cast::{Cast, open_machine};
use crate::course::stick_line;
use crate::film::{self, Reel};
use crate::progress;
use crate::run::Drive;
use anyhow::{Context, Result, bail};
use footwork::advanced::files::read_text_at_most;
use footwork::advanced::motion::StickSpeeds;
use footwork::database::{Database, TagQuery};
use footwork::matcher::MatcherConfig;
use footwork::motion::PaceConfig;
use footwork_import::CharacterConfig;
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::{Run, Script, course};
use footwork_metrics::eval::{Evaluation, METRICS, Mover, Variant, free, without_feet};
use footwork_metrics::gate::{Bound, Broken, Gate, Limit};
use footwork_metrics::ground::GroundKind;
use footwork_metrics::samples::Occurrence;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
pub use table::figures;
use table::{as_json, print_table, seconds};

/// Time filmed before and after the worst frame, in seconds.
const AROUND_S: f32 = 1.0;

/// Runs the command.
pub fn eval(args: &EvalArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    let db = Arc::new(db);
    if let Some(file) = &args.learned {
        return learned::eval(file, args, common, &db, &config);
    }
    let variants = variants(args, &config, &db)?;
    let gate = args.gate.as_ref().map(|file| read_gate(file, &variants)).transpose()?;
    if let Some(path) = &args.film {
        film::check_name("--film", path)?;
    }
    let courses: Vec<&str> = args.courses.iter().map(String::as_str).collect();
    let evaluation = Evaluation::new(Arc::clone(&db), &courses, 0..args.seeds as usize);
    let bar = progress::bar("evaluating", (evaluation.steps() * variants.len()) as u64, common.json);
    let mut rows = Vec::new();
    let mut played = None;
    for variant in &variants {
        let evaluated =
            evaluation.run(variant, &|| bar.inc(1)).with_context(|| format!("variant `{}`", variant.name))?;
        rows.push(evaluated.row);
        // The clips played by the first variant are the reference for all.
        played.get_or_insert(evaluated.played);
    }
    rows.push(evaluation.mocap());
    rows.extend(played);
    bar.finish_and_clear();
    let stick = variants[0].config.speeds.over(&db.stick);
    let gate = gate.unwrap_or_default();
    let broken = gate.broken(&rows);
    if let (Some(path), Some(worst)) = (&args.film, broken.iter().find(|b| moment(b).is_some())) {
        film_worst(path, worst, &variants, &db)?;
    }
    if common.json {
        let rows: Vec<Value> = rows.iter().map(|row| as_json(row, &gate, &db)).collect();
        let machines: Vec<Value> = variants.iter().filter_map(machine_json).collect();
        let all = json!({
            "courses": args.courses, "seeds": args.seeds, "stick": stick, "machines": machines, "rows": rows,
        });
        out!("{all}");
    } else {
        out!("{}", stick_line(&stick));
        for machine in variants.iter().filter_map(machine_json) {
            out!(
                "state machine {}: {} states, {} transitions, {} terms in conditions, {} other numbers",
                machine["variant"].as_str().unwrap_or_default(),
                machine["states"],
                machine["transitions"],
                machine["terms"],
                machine["numbers"]
            );
        }
        print_table(&rows);
    }
    let Some(file) = &args.gate else { return Ok(()) };
    if !broken.is_empty() {
        let lines: Vec<String> = broken.iter().map(|b| format!("\n  {}", broken_line(b, &db))).collect();
        bail!("{}: {} of {} bounds do not hold{}", file.display(), broken.len(), gate.bounds.len(), lines.concat());
    }
    if !common.json {
        out!("{}: all {} bounds hold", file.display(), gate.bounds.len());
    }
    Ok(())
}

/// Returns variants by name or file; names must be unique.
fn variants(args: &EvalArgs, default: &MatcherConfig, db: &Arc<Database>) -> Result<Vec<Variant>> {
    let mut variants: Vec<Variant> = Vec::new();
    let machine = args.machine.iter().map(|file| of_machine(file, default, db));
    for variant in args.variants.iter().map(|name| variant(name, default, db)).chain(machine) {
        let variant = variant?;
        if variants.iter().any(|v| v.name == variant.name) {
            bail!(
                "--variants: expected unique names, found `{}` twice; files are named without folder and extension",
                variant.name
            );
        }
        variants.push(variant);
    }
    Ok(variants)
}

/// Returns the variant of a state machine, named after its file.
fn of_machine(file: &Path, default: &MatcherConfig, db: &Arc<Database>) -> Result<Variant> {
    let mover = Mover::Machine(open_machine(file, db)?);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // `locomotion.machine.toml` is `locomotion`.
    let name = name.split('.').next().unwrap_or_default().to_owned();
    Ok(Variant { name, config: default.clone(), mover })
}

/// Returns the size of a variant's state machine, as a measure of its authoring effort.
fn machine_json(variant: &Variant) -> Option<Value> {
    let Mover::Machine(machine) = &variant.mover else { return None };
    let (states, transitions, terms) = machine.size();
    Some(json!({
        "variant": variant.name, "states": states, "transitions": transitions, "terms": terms, "numbers": machine.numbers(),
    }))
}

/// Returns the same settings with the speeds of an adult, whatever the clips do.
fn at_fixed_speeds(default: &MatcherConfig) -> MatcherConfig {
    let (mut config, StickSpeeds { walk, run, .. }) = (default.clone(), StickSpeeds::default());
    for (own, pace) in [(&mut config.speeds.walk, walk), (&mut config.speeds.run, run)] {
        let [forward_mps, side_mps, back_mps] = [pace.forward_mps, pace.side_mps, pace.back_mps].map(Some);
        *own = PaceConfig { forward_mps, side_mps, back_mps };
    }
    config
}

/// Returns a variant by name or file.
fn variant(word: &str, default: &MatcherConfig, db: &Database) -> Result<Variant> {
    let mut name = word.to_owned();
    let config = match word {
        "default" => default.clone(),
        "reference" => MatcherConfig::reference(),
        "fixed_speeds" => at_fixed_speeds(default),
        "default_free" => free(default),
        "reference_free" => free(&MatcherConfig::reference()),
        file if file.ends_with(".toml") => {
            name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            CharacterConfig::load(Path::new(file))?.matcher
        }
        other => bail!(
            "--variants: unknown variant `{other}`: expected default, reference, default_free, reference_free, fixed_speeds, or a .toml file"
        ),
    };
    config.validate(db).with_context(|| format!("variant `{word}` does not fit the database"))?;
    Ok(Variant { name, config, mover: Mover::Exact })
}

/// Maximum size of a file of thresholds, in bytes.
const MOST_BYTES: u64 = 16 << 20;

fn read_gate(file: &Path, variants: &[Variant]) -> Result<Gate> {
    let text = read_text_at_most(file, MOST_BYTES).with_context(|| format!("cannot read {}", file.display()))?;
    let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
    Gate::parse(&text, &names).with_context(|| file.display().to_string())
}

/// Returns the worst frame of a broken bound.
fn moment(broken: &Broken<'_>) -> Option<Occurrence> {
    Some(broken.value?.worst?.1)
}

/// Returns a line about a broken bound: value, limit and worst frame.
fn broken_line(b: &Broken<'_>, db: &Database) -> String {
    let known = |v: Option<f32>| v.map_or_else(|| "not measured".to_owned(), figures);
    let of = match &b.bound.limit {
        Limit::Value(_) => String::new(),
        Limit::Times(factor, other) => format!(" ({factor} x {other})"),
    };
    let (value, at_most) = (known(b.value.map(|v| v.mean)), known(b.at_most));
    let line = format!("{} {}: {value}, at most {at_most}{of}", b.bound.variant, b.bound.key);
    let Some((worst, m)) = b.value.and_then(|v| v.worst) else { return line };
    format!(
        "{line}; worst {} on course {}, run {}, at {:.2} s: clip {} at {:.2} s, joint {}",
        figures(worst),
        m.course,
        m.run,
        seconds(m.frame),
        db.clips[m.clip.at()].name,
        seconds(m.clip_frame),
        db.skeleton.name(m.joint)
    )
}

/// Repeats the run of a variant up to the worst frame, and films it.
fn film_worst(path: &Path, broken: &Broken<'_>, variants: &[Variant], db: &Arc<Database>) -> Result<()> {
    let Bound { variant: name, key, .. } = broken.bound;
    let found = moment(broken).and_then(|m| Some((m, course(m.course, Run::new(m.run))?)));
    let (Some((m, course)), Some(variant)) = (found, variants.iter().find(|v| v.name == *name)) else { return Ok(()) };
    let feet_off = METRICS.iter().any(|m| m.key == *key && !m.feet);
    let config = if feet_off { without_feet(&variant.config) } else { variant.config.clone() };
    let at_s = seconds(m.frame);
    let last_s = (at_s + AROUND_S).min(seconds(course.rows.len()));
    let drive = Drive {
        ground: GroundKind::Level,
        course: Script::Rows(course.rows),
        cues: None,
        chooser: None,
        seconds: last_s,
        dt_s: 1.0 / RATE_HZ,
        tags: TagQuery::default(),
        explain_s: None,
        record: None,
        json: true,
    };
    let mut cast = Cast::of_database(db, config)?;
    if let Mover::Machine(machine) = &variant.mover {
        cast = cast.with_machine(Arc::clone(machine))?;
    }
    let driven = drive.run(&cast)?;
    let title = format!("{name}, {key}: worst at {at_s:.2} s of course {}, run {}", m.course, m.run);
    let span_s = [f64::from((at_s - AROUND_S).max(0.0)), f64::from(last_s)];
    film::film_run(path, &title, Reel::run(Arc::new(driven), db, name.clone(), m.course), span_s)
}
