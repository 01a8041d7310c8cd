//! `footwork simulate --course actions`: requests for actions, within and outside of what people do.

use crate::args::{Common, SimulateArgs};
use crate::cast::Cast;
use crate::progress;
use anyhow::{Result, bail};
use footwork_metrics::actions::ActionsCourse;
use serde_json::json;

/// Runs the course and prints its figures; a second of `--seconds` stands for one request of either sort.
pub fn actions(args: &SimulateArgs, seconds: f64, common: &Common) -> Result<()> {
    let other = [("--bvh", &args.bvh), ("--glb", &args.glb), ("--svg", &args.svg), ("--trace", &args.trace)];
    if let Some((flag, _)) = other.iter().find(|(_, file)| file.is_some()) {
        bail!("{flag}: the course `actions` writes no files; use another course");
    }
    if args.tags.is_some() {
        bail!("--tags: the course `actions` is about the tags of actions; use another course");
    }
    let cast = Cast::open(common)?.run_by(args.machine.as_deref())?;
    let requests = (seconds.round() as usize).max(1);
    let course = ActionsCourse { requests, seed: common.seed, dt_s: args.dt, jitter: args.jitter };
    let bar = progress::bar("asking", 2 * requests as u64, common.json);
    let found = course.run(&cast.character, || bar.inc(1))?;
    bar.finish_and_clear();
    if common.json {
        let mut summary = serde_json::to_value(&found)?;
        summary["course"] = json!(args.course);
        summary["seed"] = json!(common.seed);
        out!("{summary}");
        return Ok(());
    }
    out!(
        "  {} requests: {:.1} % of the reachable taken, {:.1} % of the others refused",
        found.requests,
        found.taken_pct_of_reachable,
        found.refused_pct_of_unreachable
    );
    for (kind, pct) in &found.taken_by_kind_pct {
        out!("    {kind}: {pct:.1} %");
    }
    out!(
        "  {} contacts: {:.1} mm off (median), {:.1} mm (99 %); {} at a named instant: {:.3} s off (99 %)",
        found.contacts,
        1e3 * found.contact_error_m_p50,
        1e3 * found.contact_error_m_p99,
        found.timed,
        found.contact_error_s_p99
    );
    out!("  {} notifies lost, {} doubled", found.notifies_lost, found.notifies_doubled);
    out!("  decision hash {}", found.decision_hash);
    Ok(())
}
