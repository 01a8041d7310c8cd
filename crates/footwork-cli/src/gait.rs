//! `footwork gait`: lists, measures and writes the clips of the built-in character.

use crate::args::{Common, GaitArgs, OutputFormat};
use crate::clips;
use crate::database::name_fits;
use anyhow::{Result, bail};
use footwork::clip::RawClip;
use footwork_gait::{GaitClip, GaitOptions, Gate, PACK_19, corpus, coverage, gates, generate};
use serde_json::json;
use std::path::Path;

/// Runs the command.
pub fn gait(args: &GaitArgs, common: &Common) -> Result<()> {
    if let (Some(hours), Some(folder)) = (args.hours, &args.output) {
        return write_corpus(hours, folder, args, common);
    }
    // The gates test the clips of the search. The loops of blend spaces close less well, so reports and written files exclude
    // them; they are part of the built-in data only.
    let cycles = !args.report && args.output.is_none();
    let options = GaitOptions { seed: common.seed, cycles, actions: args.actions, ..GaitOptions::BUILT_IN };
    let clips = generate(&options);
    if args.report {
        return report(&clips, args, common);
    }
    let wanted = |c: &&GaitClip| {
        let name = &c.clip.name;
        (args.pack.is_none() || PACK_19.contains(&name.as_str()))
            && args.clip.as_ref().is_none_or(|w| name_fits(w, name))
    };
    let chosen: Vec<&GaitClip> = clips.iter().filter(wanted).collect();
    if chosen.is_empty() {
        let pattern = args.clip.as_deref().unwrap_or_default();
        bail!("--clip {pattern}: no built-in clip has this in its name; `footwork gait` lists them");
    }
    if let Some(folder) = &args.output {
        let clips: Vec<RawClip> = chosen.iter().map(|c| c.clip.clone()).collect();
        let folder = clips::Folder { flag: "--output", path: folder, format: OutputFormat::Bvh, force: args.force };
        folder.write(&clips, common.json, clips::bvh)?;
    }
    if common.json {
        let list: Vec<_> = chosen.iter().map(|c| clip_json(c)).collect();
        out!("{}", json!({ "seconds": seconds(&chosen), "clip_list": list, "folder": args.output }));
        return Ok(());
    }
    out!("{} clips, {:.1} min", chosen.len(), seconds(&chosen) / 60.0);
    for c in &chosen {
        let kind = if c.clip.looping { "loop" } else { "" };
        out!("  {:<40} {:>6.2} s  {:<16} {kind}", c.clip.name, clip_seconds(c), tags(c).join(", "));
    }
    if let Some(folder) = &args.output {
        out!("{} clips written to {}", chosen.len(), folder.display());
    }
    Ok(())
}

/// Generates and writes the routes of a corpus one by one.
fn write_corpus(hours: f64, folder: &Path, args: &GaitArgs, common: &Common) -> Result<()> {
    let routes = corpus(hours, common.seed);
    let clips = routes.iter().map(|route| route.generate().clip);
    let target = clips::Folder { flag: "--output", path: folder, format: OutputFormat::Bvh, force: args.force };
    target.write_each(routes.iter().map(|r| r.name.as_str()), clips, common.json, clips::bvh)?;
    let seconds: f64 = routes.iter().map(|r| r.seconds).sum();
    if common.json {
        out!("{}", json!({ "seconds": seconds, "clips": routes.len(), "folder": folder }));
    } else {
        out!("{} clips, {:.2} h, written to {}", routes.len(), seconds / 3600.0, folder.display());
    }
    Ok(())
}

fn clip_seconds(c: &GaitClip) -> f64 {
    c.clip.frames() as f64 / f64::from(c.clip.rate_hz)
}

fn seconds(clips: &[&GaitClip]) -> f64 {
    clips.iter().map(|c| clip_seconds(c)).sum()
}

/// Returns the tags of a clip, each once.
fn tags(c: &GaitClip) -> Vec<&str> {
    let mut tags: Vec<&str> = Vec::new();
    for tag in &c.clip.annotations.tags {
        if !tags.contains(&tag.name.as_str()) {
            tags.push(&tag.name);
        }
    }
    tags
}

fn clip_json(c: &GaitClip) -> serde_json::Value {
    json!({
        "name": c.clip.name,
        "seconds": clip_seconds(c),
        "looping": c.clip.looping,
        "tags": tags(c),
        "footsteps": c.truth.footsteps.len(),
    })
}

fn report(person: &[GaitClip], args: &GaitArgs, common: &Common) -> Result<()> {
    let reference = if args.reference.is_empty() {
        Vec::new()
    } else {
        clips::read(&args.reference, Path::new(""), &common.character()?.source, common)?
    };
    let gates = gates(person, &reference);
    let broken = gates.iter().filter(|g| !g.holds()).count();
    if common.json {
        let list: Vec<_> = gates.iter().map(gate_json).collect();
        let cells: Vec<_> = coverage(person)
            .iter()
            .filter(|c| c.asked_s > 0.0 || c.have_s > 0.0)
            .map(|c| {
                json!({
                    "speed_mps": c.speed_mps,
                    "turn_deg_s": c.turn_deg_s,
                    "travel_deg": c.travel_deg,
                    "asked_s": c.asked_s,
                    "have_s": c.have_s,
                    "hole": c.is_hole(),
                })
            })
            .collect();
        out!("{}", json!({ "clips": person.len(), "gates": list, "coverage": cells }));
    } else {
        out!("{:<40} {:>9} {:>9} {:>9}", "gate", "value", "low", "high");
        for g in &gates {
            let verdict = if g.holds() { "" } else { "  DOES NOT HOLD" };
            out!("{:<40} {:>9.2} {:>9.2} {:>9.2}{verdict}", g.name, g.value, g.low, g.high);
            out!("    {}", g.source);
            if !g.at.is_empty() {
                out!("    at {}", g.at);
            }
        }
        out!("{} of {} gates hold", gates.len() - broken, gates.len());
    }
    if broken > 0 {
        bail!("{broken} of {} gates do not hold", gates.len());
    }
    Ok(())
}

fn gate_json(g: &Gate) -> serde_json::Value {
    json!({
        "name": g.name,
        "value": g.value,
        "low": g.low,
        "high": g.high,
        "holds": g.holds(),
        "source": g.source,
        "at": g.at,
    })
}
