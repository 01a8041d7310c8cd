//! `footwork simulate`: drives a character over a course.

use crate::actions;
use crate::args::{Common, SimulateArgs};
use crate::cast::Cast;
use crate::choose::Choosing;
use crate::course::{parse, stick_line};
use crate::interrupt::guarded;
use crate::machine::{LISTED, print_machine, print_stay};
use crate::output;
use crate::print;
use crate::run::{Drive, Driven, Summary};
use crate::stances;
use anyhow::{Context, Result, bail};
use footwork::advanced::motion::StickSpeeds;
use footwork::advanced::search::Explanation;
use footwork::database::{Database, TagQuery};
use footwork::machine::Machine;
use footwork_metrics::courses::Cues;
use footwork_metrics::ground::GroundKind;
use serde_json::json;

/// The courses with separate reports.
const STANCES: &str = "stances";
const ACTIONS: &str = "actions";

/// Runs the command.
pub fn simulate(args: &SimulateArgs, common: &Common) -> Result<()> {
    if !(args.dt > 0.0 && args.dt <= 1.0) {
        bail!("--dt {}: expected more than 0 and at most 1 second", args.dt);
    }
    if args.course == ACTIONS {
        return actions::actions(args, common);
    }
    if args.requests.is_some() {
        bail!("--requests: expected with --course actions");
    }
    if args.request.is_some() {
        bail!("--request: expected with --course actions");
    }
    let stances = args.course == STANCES;
    let seconds = args.seconds.unwrap_or(if stances { 600.0 } else { 60.0 });
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        bail!("--seconds {seconds}: expected more than 0 and at most 86400 seconds");
    }
    if stances {
        return stances::stances(args, f64::from(seconds), common);
    }
    if args.jitter {
        bail!("--jitter: expected with --course stances or actions");
    }
    let (course, columns) = parse(&args.course, common.seed)?;
    let ground = GroundKind::from(args.ground);
    let (chooser, cast) = match &args.chooser {
        Some(file) => Choosing::open(file, common).map(|(chooser, cast)| (Some(chooser), cast))?,
        None => (None, Cast::open(common)?.run_by(args.machine.as_deref())?),
    };
    let machine = cast.character.machine();
    let known = match &chooser {
        Some(chooser) => chooser.known(),
        None => machine.iter().map(|machine| machine.variables()).collect(),
    };
    let cues = match columns.first() {
        Some(column) if known.is_empty() => {
            bail!("{}: the column `{}`: expected with --machine or --chooser", args.course, column.name)
        }
        None if known.is_empty() && !args.cues.cues.is_empty() => {
            bail!("--set and --fire: expected with --machine or --chooser")
        }
        _ => Cues::new(&known, &columns, &args.cues.cues).context("variables and triggers")?,
    };
    for warning in machine.map(Machine::warnings).unwrap_or_default() {
        print::note(format_args!("{warning}"));
    }
    let stick = cast.character.config().speeds.over(&cast.db.stick);
    let drive = Drive {
        course,
        cues: Some(cues),
        chooser,
        ground,
        tags: tag_query(&cast.db, args.tags.as_deref())?,
        seconds,
        dt_s: args.dt,
        explain_s: args.explain,
        record: args.trace.is_some().then(|| args.course.clone()),
        json: common.json,
    };
    let driven = drive.run(&cast)?;
    let db = &cast.db;
    write_files(args, common, db, &driven)?;
    if common.json {
        print_json(args, common, &driven, &stick, machine)?;
    } else {
        print_text(&driven, &stick);
    }
    Ok(())
}

/// Writes the requested files.
fn write_files(args: &SimulateArgs, common: &Common, db: &Database, driven: &Driven) -> Result<()> {
    output::motion(&args.files, &format!("course {}, seed {}", args.course, common.seed), db, driven)?;
    if let (Some(path), Some(trace)) = (&args.trace, &driven.trace) {
        guarded(path, || trace.save(path))?;
    }
    Ok(())
}

/// Prints the results as JSON.
fn print_json(
    args: &SimulateArgs,
    common: &Common,
    driven: &Driven,
    stick: &StickSpeeds,
    machine: Option<&Machine>,
) -> Result<()> {
    let mut summary = serde_json::to_value(&driven.summary)?;
    summary["stick"] = json!(stick);
    summary["course"] = json!(args.course);
    summary["ground"] = json!(GroundKind::from(args.ground).name());
    summary["seed"] = json!(common.seed);
    if let Some(explanation) = &driven.explanation {
        summary["explanation"] = serde_json::to_value(explanation)?;
    }
    if let Some(machine) = machine {
        summary["machine"] = json!(driven.machine);
        summary["machine"]["warnings"] = json!(machine.warnings());
    }
    if !driven.chosen.is_empty() {
        summary["characters"] = json!(driven.chosen);
    }
    if let Some(stay) = &driven.stay {
        summary["stay"] = serde_json::to_value(stay)?;
    }
    out!("{summary}");
    Ok(())
}

/// Prints the results as text.
fn print_text(driven: &Driven, stick: &StickSpeeds) {
    out!("  {}", stick_line(stick));
    print_summary(&driven.summary);
    for chosen in driven.chosen.iter().take(LISTED) {
        let when = chosen.when.as_ref().map_or_else(String::new, |when| format!(", since `{when}`"));
        out!("  {:>8.2} s  character {}{when}", chosen.from_s, chosen.character);
    }
    print_machine(&driven.machine);
    if let Some(stay) = &driven.stay {
        print_stay(stay);
    }
    if let Some(explanation) = &driven.explanation {
        print_explanation(explanation);
    }
}

/// Returns the query of `--tags`.
pub fn tag_query(db: &Database, text: Option<&str>) -> Result<TagQuery> {
    db.tag_query(text.unwrap_or_default()).context("--tags")
}

/// Prints a summary as text.
pub fn print_summary(s: &Summary) {
    out!(
        "  {:.0} s in {} updates: {:.1} searches/s, {:.2} transitions/s",
        s.seconds,
        s.updates,
        s.searches_per_s,
        s.transitions_per_s
    );
    out!(
        "  path error {:.1} cm (at most {:.1}), heading error {:.1} degrees, root at most {:.1} cm off the ground",
        s.path_error_m * 100.0,
        s.path_error_max_m * 100.0,
        s.heading_error_deg,
        s.root_height_max_m * 100.0
    );
    out!(
        "  {:.1} us per update (99 %: {:.1}), search `{}`, {} clips played",
        s.update_us_median,
        s.update_us_p99,
        s.search,
        s.clips_played
    );
    out!("  pose hash {}", s.pose_hash);
}

fn print_explanation(e: &Explanation) {
    let left_out: Vec<String> = e.excluded.iter().map(|(why, rows)| format!("{rows} ({why})")).collect();
    out!("\n{} rows; excluded: {}", e.rows, left_out.join(", "));
    print_candidates(e, true);
}

/// Prints one candidate per line, with its most expensive channels below it.
pub fn print_candidates(e: &Explanation, channels: bool) {
    for c in &e.candidates {
        let side = if c.mirrored { " mirrored" } else { "" };
        out!("  {:<36} {:>6.2} s{side}  cost {:>8.3}  {}", c.clip, c.time_s, c.cost, c.verdict);
        if !channels {
            continue;
        }
        let mut parts: Vec<_> = c.channels.iter().collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let parts: Vec<String> = parts.iter().take(4).map(|(label, cost)| format!("{label} {cost:.3}")).collect();
        let tags = if c.tags == 0.0 { String::new() } else { format!("; tags {:.3}", c.tags) };
        out!("      {}{tags}", parts.join(", "));
    }
}
