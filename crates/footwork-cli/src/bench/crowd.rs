//! `footwork bench crowd`: measures a frame of many characters that search at a fixed rate.

use crate::args::{BenchCrowdArgs, Common};
use crate::cast::Cast;
use crate::progress;
use anyhow::{Result, bail};
use footwork_metrics::crowd_times::CrowdTiming;
use serde_json::json;

/// Runs the command.
pub fn bench(args: &BenchCrowdArgs, common: &Common) -> Result<()> {
    let timing = CrowdTiming {
        character: Cast::open(common)?.character,
        characters: args.characters as usize,
        rate_hz: args.rate,
        threads: args.threads as usize,
        frames: args.frames,
        seed: common.seed,
    };
    let bar = progress::bar("measuring", u64::from(args.frames), common.json);
    let times = timing.run(&|| bar.inc(1));
    bar.finish_and_clear();
    let times = times?;
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    if common.json {
        out!(
            "{}",
            json!({
                "rows": timing.character.database().map(|db| db.rows()),
                "characters": args.characters,
                "threads": args.threads,
                "frames": args.frames,
                "searches_per_frame": round(times.searches_per_frame),
                "ms_per_frame": round(times.ms_per_frame),
                "one_at_a_time_ms_per_frame": round(times.one_at_a_time_ms_per_frame),
                "never_searching_ms_per_frame": round(times.never_searching_ms_per_frame),
                "same_bits": times.same_bits,
            })
        );
    } else {
        let (characters, threads) = (args.characters, args.threads);
        out!("{characters} characters, threads: {threads}, {:.1} searches per frame", times.searches_per_frame);
        out!("ms per frame of 1/60 s, medians of {} frames", args.frames);
        out!("  {:<18} {:>8.3}", "in one call", times.ms_per_frame);
        out!("  {:<18} {:>8.3}", "one at a time", times.one_at_a_time_ms_per_frame);
        out!("  {:<18} {:>8.3}", "never searching", times.never_searching_ms_per_frame);
        out!("bits of the first two: {}", if times.same_bits { "the same" } else { "NOT the same" });
    }
    if !times.same_bits {
        bail!("a crowd did not move as its characters do one at a time: please report this");
    }
    Ok(())
}
