//! `footwork report`: a database and a run on one self-contained page.
//!
//! ```text
//! database, settings --+                    +-- database, clips, features, coverage, search, quality --+
//!                      +--> Input --sections-+                                                           +--> page --> file
//! run (driven, trace) -+                    +-- figure (with the data that it plays), run --------------+
//! ```

mod actions;
mod clips;
mod coverage;
mod database;
mod features;
mod input;
mod machine;
mod page;
mod player;
mod quality;
mod run;
mod search;

pub use input::{Input, Run};

use crate::args::{Common, ReportArgs};
use crate::cast::Cast;
use crate::course;
use crate::output;
use crate::replay::in_trace;
use crate::run::Rerun;
use anyhow::{Result, bail};
use footwork::recorder::Trace;
use footwork_metrics::analysis::Usage;
use page::Section;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Length of a run that is simulated for a report, in seconds: all parts of the standard course.
const DRIVEN_S: f32 = 60.0;

/// Runs the command.
pub fn report(args: &ReportArgs, common: &Common) -> Result<()> {
    let (db, config) = common.open()?;
    if db.rows() == 0 {
        bail!("the database has no rows: expected at least one; add longer clips");
    }
    let db = Arc::new(db);
    let cast = Cast::of_database(&db, config.clone())?;
    let (driven, source) = match &args.trace {
        Some(path) => {
            let rerun = Rerun { trace: Arc::new(Trace::load(path)?), fork: None, json: common.json };
            (rerun.run(&cast).map_err(|error| in_trace(path, error))?, path.display().to_string())
        }
        None => {
            let drive = course::standard(DRIVEN_S, common)?;
            (drive.run(&cast)?, "The standard course".to_owned())
        }
    };
    let run = Run::of(&db, Arc::new(driven), source)?;
    let name = database_name(common);
    let title = args.title.clone().unwrap_or_else(|| format!("Motion matching report: {name}"));
    let input = Input { db, config, name, run, seed: common.seed, quick: args.quick, json: common.json };
    let told = write(&args.output, &title, &input)?;
    if common.json {
        out!("{told}");
    } else {
        let mb = told["bytes"].as_f64().unwrap_or_default() / 1e6;
        out!("{}: {mb:.1} MB; open it in a browser", args.output.display());
    }
    Ok(())
}

/// Returns the name of the database, without folders.
pub fn database_name(common: &Common) -> String {
    let file = common.db.as_ref().and_then(|path| path.file_name());
    file.map_or_else(|| "built-in data".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Writes the page, and returns its contents, for `--json`.
pub fn write(path: &Path, title: &str, input: &Input) -> Result<Value> {
    let run = &input.run;
    let usage = Usage::of(&input.db, run.playing.iter().copied(), run.dt_s);
    let (data, cut_s) = player::data(run);
    let mut sections: Vec<Section> =
        vec![run::figure(input, cut_s)?, database::section(input), run::section(input, &usage)];
    sections.extend(machine::section(input));
    sections.extend(actions::section(input));
    // Only a game knows the values of user channels: without them, no course can be simulated.
    let measured = !input.quick && input.db.schema.user_width == 0;
    if measured {
        sections.push(quality::section(input)?);
    }
    sections.push(coverage::section(input));
    sections.push(clips::section(input, &usage));
    sections.push(features::section(input));
    sections.push(features::scatter(input));
    if measured {
        sections.push(search::section(input)?);
    }
    let about = format!(
        "{}: {} clips, {:.1} minutes, {} rows of {} features",
        input.name,
        input.db.clips.len(),
        input.db.seconds() / 60.0,
        input.db.rows(),
        input.db.features.columns
    );
    let html = page::page(title, &about, &sections, &data);
    output::text(path, &html)?;
    Ok(json!({
        "output": path,
        "bytes": html.len(),
        "database": {
            "clips": input.db.clips.len(),
            "seconds": input.db.seconds(),
            "rows": input.db.rows(),
            "columns": input.db.features.columns,
            "content_hash": format!("{:032x}", input.db.content_hash()),
        },
        "run": {
            "source": run.source,
            "seconds": run.seconds(),
            "transitions": run.transitions.len(),
            "clips_played": usage.most_played().len(),
            "shown_s": cut_s.unwrap_or_else(|| run.seconds()),
        },
        "sections": sections.iter().map(|s| json!({ "id": s.id, "items": s.items })).collect::<Vec<_>>(),
    }))
}
