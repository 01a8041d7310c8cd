//! Courses, by name or file.

use crate::args::{Common, SimulateArgs};
use crate::run::Drive;
use anyhow::{Context, Result, bail};
use footwork::advanced::files::read_text_at_most;
use footwork::advanced::motion::{PaceSpeeds, StickSpeeds};
use footwork::database::TagQuery;
use footwork_metrics::RATE_HZ;
use footwork_metrics::courses::{Column, Script, parse_csv};
use footwork_metrics::ground::GroundKind;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Maximum size of a CSV file, in bytes: enough for several days.
const MOST_BYTES: u64 = 1 << 28;

/// Returns the speeds of a full stick, as a line.
pub fn stick_line(stick: &StickSpeeds) -> String {
    let pace = |p: &PaceSpeeds| format!("{:.2} ahead, {:.2} aside, {:.2} back", p.forward_mps, p.side_mps, p.back_mps);
    let turns = if stick.goes == [true; 8] { "" } else { "; it turns to where no clip strafes" };
    format!("full stick, m/s: walk {}; run {}{turns}", pace(&stick.walk), pace(&stick.run))
}

/// Returns the argument if it is a path instead of a course name.
pub fn file(word: &str) -> Option<&str> {
    word.contains(['.', '/', '\\']).then_some(word)
}

/// Returns the first flag of `simulate` that names a file to write, for courses that write none.
pub fn file_flag(args: &SimulateArgs) -> Option<&'static str> {
    let files = args.files.flags().map(|(flag, file, _)| (flag, file));
    files.into_iter().chain([("--trace", &args.trace)]).find(|(_, file)| file.is_some()).map(|(flag, _)| flag)
}

/// Returns the result of a course with its name and seed, for `--json`.
pub fn summary(found: &impl Serialize, args: &SimulateArgs, common: &Common) -> Result<Value> {
    let mut summary = serde_json::to_value(found)?;
    summary["course"] = json!(args.course);
    summary["seed"] = json!(common.seed);
    Ok(summary)
}

/// Returns a course by name or file, and the variables and triggers in its file; see `footwork simulate --help`.
pub fn parse(name: &str, seed: u64) -> Result<(Script, Vec<Column>)> {
    if let Some(script) = Script::by_name(name, seed) {
        return Ok((script, Vec::new()));
    }
    let Some(file) = file(name) else {
        bail!("no course is named `{name}`: expected standard, random, none, stances, actions, or a CSV file");
    };
    let text =
        read_text_at_most(Path::new(file), MOST_BYTES).with_context(|| format!("cannot read the course {file}"))?;
    let table = parse_csv(&text).with_context(|| format!("course {file}"))?;
    Ok((Script::Rows(table.sticks), table.columns))
}

/// Returns a run over the standard course on level ground, at the rate at which motion is measured.
pub fn standard(seconds: f32, common: &Common) -> Result<Drive> {
    Ok(Drive {
        course: parse("standard", common.seed)?.0,
        cues: None,
        chooser: None,
        ground: GroundKind::Level,
        seconds,
        dt_s: 1.0 / RATE_HZ,
        tags: TagQuery::default(),
        explain_s: None,
        record: None,
        json: common.json,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_course_is_refused() {
        assert!(parse("walk", 1).unwrap_err().to_string().contains("standard, random"));
    }
}
