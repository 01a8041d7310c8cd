//! `footwork simulate --course stances`: the state machine's course.

use crate::args::{Common, SimulateArgs};
use crate::cast::Cast;
use crate::course;
use crate::machine::print_machine;
use crate::networks::BUILT_IN;
use crate::progress;
use anyhow::{Result, bail};
use footwork_metrics::stances::{INSTANT_S, StancesCourse};
use std::path::Path;

/// Runs the course and prints its figures.
pub fn stances(args: &SimulateArgs, seconds: f64, common: &Common) -> Result<()> {
    if let Some(flag) = course::file_flag(args) {
        bail!("{flag}: the course `stances` writes no files; use another course with --machine");
    }
    if args.chooser.is_some() {
        bail!("--chooser: the course `stances` is about one machine; use another course");
    }
    if !args.cues.cues.is_empty() {
        bail!("--set and --fire: the course `stances` sets the variables itself; use another course with --machine");
    }
    if args.tags.is_some() {
        bail!("--tags: the course `stances` is about the tags of the states; use another course with --machine");
    }
    let machine = args.machine.as_deref().unwrap_or(Path::new(BUILT_IN));
    let cast = Cast::open(common)?.run_by(Some(machine))?;
    let course = StancesCourse { seconds, seed: common.seed, dt_s: args.dt, jitter: args.jitter };
    let bar = progress::bar("driving", (seconds / INSTANT_S).round() as u64, common.json);
    let found = course.run(&cast.character, || bar.inc(1))?;
    bar.finish_and_clear();
    if common.json {
        out!("{}", course::summary(&found, args, common)?);
        return Ok(());
    }
    out!(
        "  {} requests of a stance: reached after {:.2} s (median), {:.2} s (90 %), {:.2} s (at most); {} missed; held {:.0} % of the time",
        found.requests,
        found.stance_delay_s_p50,
        found.stance_delay_s_p90,
        found.stance_delay_s_max,
        found.stance_missed,
        found.stance_held_pct
    );
    out!(
        "  {} of them announced: reached {:.2} s from their time (90 %), {:.2} s (at most)",
        found.announced,
        found.announced_off_s_p90,
        found.announced_off_s_max
    );
    out!(
        "  {} gestures, {} broken off: {} notifies, {} lost, {} doubled",
        found.gestures,
        found.gestures_broken_off,
        found.notifies_fired,
        found.notifies_lost,
        found.notifies_doubled
    );
    for missed in &found.missed {
        let due = missed.due_s.map_or_else(String::new, |due_s| format!(", due at {due_s:.2} s"));
        let reached = missed.reached_s.map_or_else(|| "never".to_owned(), |s| format!("at {s:.2} s"));
        out!("    missed: requested at {:.2} s{due}, reached {reached}", missed.at_s);
    }
    out!("  {} states entered, {} transitions of playback", found.states_entered, found.transitions);
    print_machine(&found.machine);
    out!("  decision hash {}", found.decision_hash);
    Ok(())
}
