//! `footwork bench update`: measures the update of one character without search, stage by stage, and the additional cost of a
//! search.

use crate::args::{BenchUpdateArgs, Common};
use crate::progress;
use anyhow::Result;
use footwork_metrics::update_times::{StageTime, Stages, Timing, UpdateTimes};
use serde_json::{Value, json};
use std::sync::Arc;

/// Runs the command.
pub fn bench(args: &BenchUpdateArgs, common: &Common) -> Result<()> {
    let (database, config) = common.open()?;
    let timing =
        Timing { database: Arc::new(database), config, networks: None, frames: args.frames, seed: common.seed };
    let bar = progress::bar("measuring", u64::from(args.frames), common.json);
    let times = timing.run(&|| bar.inc(1));
    bar.finish_and_clear();
    print(&times?, common.json);
    Ok(())
}

fn print(times: &UpdateTimes, as_json: bool) {
    let time = |stages: Stages, figure: fn(&StageTime) -> f64| times.of(stages).map_or(0.0, figure);
    let search = |stages: Stages| time(stages, |t| t.search_us);
    let default = time(Stages::Default, |t| t.update_us);
    let updates = times.times.iter().filter(|t| !Stages::SEARCHES.contains(&t.stages));
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    if as_json {
        let row = |t: &StageTime| {
            let over = round(t.update_us - default);
            json!({ "stages": t.stages.name(), "median_us": round(t.update_us), "over_default_us": over })
        };
        let rows: Vec<Value> = updates.map(row).collect();
        let one_candidate = round(search(Stages::OneCandidate));
        let searches = json!({
            "searches": times.searches, "median_us": round(search(Stages::Default)), "one_candidate_us": one_candidate,
        });
        let foresight = json!({
            "median_us": round(search(Stages::Foresight)), "bake_ms": round(times.baked.ms), "bytes": times.baked.bytes,
        });
        let (joints, frames) = (times.joints, times.frames);
        out!(
            "{}",
            json!({ "joints": joints, "frames": frames, "rows": rows, "search": searches, "foresight": foresight })
        );
        return;
    }
    out!("{} joints, {} frames without a search, us per update of one character", times.joints, times.frames);
    for t in updates {
        let over = t.update_us - default;
        out!("  {:<18} {:>7.2} {over:>+7.2}  {}", t.stages.name(), t.update_us, t.stages.about());
    }
    out!(
        "a search adds {:.2} us; with `candidates = 1` {:.2} us (medians of {} frames)",
        search(Stages::Default),
        search(Stages::OneCandidate),
        times.searches
    );
    out!(
        "with `foresight_cost` {:.2} us; its table has {:.2} MB and takes {:.0} ms to make",
        search(Stages::Foresight),
        times.baked.bytes as f64 / 1e6,
        times.baked.ms
    );
}
