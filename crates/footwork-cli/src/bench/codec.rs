//! `footwork bench codec`: measures size, errors and time of encoded poses.

use crate::args::{BenchCodecArgs, Common};
use crate::build::source_clips;
use crate::database::{Poses, build_clips};
use anyhow::Result;
use footwork_metrics::codec_error::CodecError;
use serde_json::json;
use std::time::Instant;

/// Decodings that are timed. The fastest counts.
const RUNS: usize = 5;

/// Runs the command.
pub fn bench(args: &BenchCodecArgs, common: &Common) -> Result<()> {
    let (database, _) = common.open()?;
    let mut config = common.character()?;
    config.build.pose_rate_hz = Some(database.pose_rate_hz);
    config.build.search_rate_hz = database.search_rate_hz;
    config.build.mirror = database.mirror;
    let source = source_clips(&args.source, common, &config, None)?;
    let (captured, _) = build_clips(source.clips, &config, common, Poses::Captured)?;
    let error = CodecError::of(&database, &captured)?;
    let (frames, joints) = (database.frames(), database.skeleton.len());
    let bytes = database.encoded_poses().map_or(database.poses.bytes(), |encoded| encoded.size());
    let decode_us = database.encoded_poses().map(|encoded| {
        let times = (0..RUNS).map(|_| {
            let start = Instant::now();
            let poses = encoded.decode(joints, &database.poses.translated);
            (start.elapsed().as_secs_f64() * 1e6, poses.is_ok_and(|poses| poses == database.poses))
        });
        times.filter(|(_, same)| *same).map(|(us, _)| us).fold(f64::INFINITY, f64::min) / frames as f64
    });
    let bits = bytes as f64 * 8.0 / (frames * joints) as f64;
    let round = |v: f64| (v * 10_000.0).round() / 10_000.0;
    if common.json {
        out!(
            "{}",
            json!({
                "frames": frames,
                "joints": joints,
                "pose_bytes": bytes,
                "captured_pose_bytes": captured.poses.bytes(),
                "bits_per_bone_sample": round(bits),
                "error_mm_mean": round(error.mean_mm),
                "error_mm_p99": round(error.p99_mm),
                "error_mm_max": round(error.max_mm),
                "worst": { "clip": error.clip, "time_s": round(error.time_s), "joint": error.joint },
                "contact_slide_mm_max": round(error.slide_mm),
                "decode_us": decode_us.map(round),
            })
        );
        return Ok(());
    }
    let CodecError { mean_mm, p99_mm, max_mm, clip, time_s, joint, slide_mm } = &error;
    out!("{frames} poses of {joints} joints in {:.2} MB: {bits:.2} bits per joint and frame", bytes as f64 / 1e6);
    out!("  as captured    {:>8.2} MB", captured.poses.bytes() as f64 / 1e6);
    out!("  error, mean    {mean_mm:>8.4} mm, 3 cm off each joint");
    out!("  99 of 100 below{p99_mm:>8.4} mm");
    out!("  largest        {max_mm:>8.4} mm: clip `{clip}`, {time_s:.2} s, `{joint}`");
    out!("  feet slide     {slide_mm:>8.4} mm at most in a contact, beyond what they do as captured");
    if let Some(us) = decode_us {
        out!("  decoding       {us:>8.4} us per pose, all in order");
    }
    Ok(())
}
