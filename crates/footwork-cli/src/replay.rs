//! `footwork replay`: replays a recorded run, or continues it with other settings.

use crate::args::{Common, ReplayArgs};
use crate::cast::Cast;
use crate::course::stick_line;
use crate::database::in_file;
use crate::machine::{print_machine, print_requests};
use crate::output;
use crate::run::{Driven, Rerun};
use crate::simulate::print_summary;
use anyhow::{Context, Error, Result, anyhow, bail};
use footwork::recorder::{ReplayError, Trace};
use footwork_import::CharacterConfig;
use footwork_metrics::ground::GroundKind;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Runs the command.
pub fn replay(args: &ReplayArgs, common: &Common) -> Result<()> {
    let trace = Arc::new(Trace::load(&args.trace)?);
    let settings = match (&args.config, args.fork_at) {
        (Some(_), None) => {
            bail!("--config: a replay has the recorded settings; set the time of the change with --fork-at S")
        }
        (None, Some(_)) => bail!("--fork-at: expected the settings to continue with; give them with --config FILE"),
        (Some(file), Some(at_s)) => {
            check_time(at_s, &trace)?;
            Some((at_s, CharacterConfig::load(file)?.matcher))
        }
        (None, None) => None,
    };
    let cast = Cast::open(common)?;
    let fork = match settings {
        Some((at_s, config)) => {
            let character = cast.character.with_config(config).context("the configuration does not fit the database");
            let told = Common { config: args.config.clone(), ..Common::default() };
            Some((at_s, Arc::new(character.map_err(|error| in_file(&told, error))?)))
        }
        None => None,
    };
    let rerun = Rerun { trace: Arc::clone(&trace), fork, json: common.json };
    let driven = rerun.run(&cast).map_err(|error| in_trace(&args.trace, error))?;
    output::motion(&args.files, trace.title(), &cast.db, &driven)?;
    print(args, common, &trace, &cast, &driven)
}

fn check_time(at_s: f64, trace: &Trace) -> Result<()> {
    let seconds = trace.seconds();
    if !(0.0..seconds).contains(&at_s) {
        bail!("--fork-at {at_s}: expected a time from 0 to the end of the trace, which is at {seconds:.2} s");
    }
    Ok(())
}

/// Adds the file, and a way to fix it, to an error about a trace.
pub fn in_trace(path: &Path, error: Error) -> Error {
    let shown = path.display();
    match error.downcast_ref::<ReplayError>() {
        Some(ReplayError::OtherData { recorded, found }) => {
            let flags = match (recorded.has_networks(), recorded.database) {
                (false, _) => "the database with --db FILE",
                (true, None) => "the networks with --learned FILE, and no --db",
                (true, Some(_)) => "networks and database with --learned FILE --db FILE",
            };
            anyhow!(
                "{shown}: the trace is of other data: expected {recorded}, found {found}; name what it was recorded with: {flags}"
            )
        }
        Some(ReplayError::NoGround { name }) => {
            let known = GroundKind::ALL.map(GroundKind::name).join(", ");
            anyhow!(
                "{shown}: the ground `{name}` is not known here: expected one of {known}; replay it in its own program"
            )
        }
        _ => error.context(shown.to_string()),
    }
}

fn print(args: &ReplayArgs, common: &Common, trace: &Trace, cast: &Cast, driven: &Driven) -> Result<()> {
    let stick = trace.config().speeds.over(&cast.db.stick);
    let ground = match (trace.ground(), trace.asks_for_ground()) {
        ("", true) => "recorded",
        ("", false) => GroundKind::Level.name(),
        (name, _) => name,
    };
    if common.json {
        let mut summary = serde_json::to_value(&driven.summary)?;
        summary["stick"] = json!(stick);
        summary["course"] = json!(trace.title());
        summary["ground"] = json!(ground);
        if !driven.machine.states.is_empty() {
            summary["machine"] = json!(driven.machine);
        }
        if !driven.actions.requests.is_empty() {
            summary["actions"] = json!(driven.actions);
        }
        if let Some(at_s) = args.fork_at {
            summary["fork_at_s"] = json!(at_s);
            summary["assumes_level_ground"] = json!(driven.assumes_level_ground);
        }
        out!("{summary}");
        return Ok(());
    }
    out!("  {}", stick_line(&stick));
    print_summary(&driven.summary);
    print_machine(&driven.machine);
    print_requests(&driven.actions);
    if let (Some(at_s), Some(file)) = (args.fork_at, &args.config) {
        let told = match (driven.assumes_level_ground, trace.ground()) {
            (true, _) => "level ground without walls, since those of the recording are not known",
            (false, "") => "no ground asked for",
            (false, name) => &format!("ground `{name}`"),
        };
        out!("  from {at_s} s on with {}: {told}", file.display());
    }
    Ok(())
}
