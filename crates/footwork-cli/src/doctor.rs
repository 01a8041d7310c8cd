//! `footwork doctor`: checks motion files, and fixes copies of them.

use crate::args::{Common, DoctorArgs, OutputFormat};
use crate::build::source_clips;
use crate::clips;
use crate::database::{in_source, sources};
use crate::print::styled;
use crate::progress;
use anstyle::{AnsiColor, Style};
use anyhow::Result;
use footwork::clip::RawClip;
use footwork_import::doctor::{CHECKS, Check, DanceCardCell, Diagnosis, DoctorOptions, Finding, Severity, examine};
use footwork_import::{Imported, check_rules};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

/// Exit codes in addition to those of all commands.
const WARNINGS: u8 = 3;
const ERRORS: u8 = 4;

/// Findings listed per check and severity; more are counted, unless `--all` is given.
const SHOWN: usize = 3;

/// Runs the command.
pub fn doctor(args: &DoctorArgs, common: &Common) -> Result<ExitCode> {
    let start = Instant::now();
    let mut config = common.character()?;
    if let Some(units) = &args.units {
        config.source.units = units.clone();
    }
    let Imported { clips, notes, fixes, .. } = source_clips(&args.clips, common, &config, None)?;
    if let Some(file) = &common.config {
        check_rules(&config.build.clips, &clips, file)?;
    }
    let (count, seconds) = (clips.len(), clips.iter().map(RawClip::seconds).sum::<f32>());
    let folder = args.fix.as_ref().map(|path| clips::Folder {
        flag: "--fix",
        path,
        format: OutputFormat::Bvh,
        force: args.force,
    });
    folder.as_ref().map(|folder| folder.files(clips.iter().map(|c| c.name.as_str()))).transpose()?;
    let bar = progress::bar("examining", CHECKS.len() as u64, common.json);
    let tell = |done: usize, _| bar.set_position(done as u64);
    let options =
        DoctorOptions { build: config.build, matcher: config.matcher, checks: chosen(args), progress: Some(&tell) };
    let sources = sources(&clips);
    let mut diagnosis = examine(clips, &options).map_err(|error| in_source(&sources, common, error))?;
    diagnosis.findings.splice(0..0, fixes.iter().map(Finding::of_fix).filter(|f| options.checks.contains(&f.check)));
    bar.finish_and_clear();
    if let Some(folder) = &folder {
        folder.write(&diagnosis.clips, common.json, clips::bvh)?;
    }
    let left = |f: &&Finding| args.fix.is_none() || !f.mends;
    let worst = diagnosis.findings.iter().filter(left).map(|f| f.severity).max();
    if common.json {
        let mut told = to_json(&diagnosis, args, count, seconds, start.elapsed().as_secs_f64());
        told["notes"] = notes.iter().map(ToString::to_string).collect();
        out!("{told}");
    } else {
        notes.iter().for_each(|note| out!("note: {note}"));
        print(&diagnosis, args, count, seconds);
    }
    Ok(match worst {
        Some(Severity::Error) => ExitCode::from(ERRORS),
        Some(Severity::Warning) => ExitCode::from(WARNINGS),
        _ => ExitCode::SUCCESS,
    })
}

/// Returns the requested checks, in the order in which they run.
fn chosen(args: &DoctorArgs) -> Vec<Check> {
    let wanted = |c: &Check| (args.only.is_empty() || args.only.contains(c)) && !args.skip.contains(c);
    CHECKS.iter().map(|c| c.check).filter(wanted).collect()
}

fn counts(findings: &[Finding]) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&str, usize> =
        [Severity::Error, Severity::Warning, Severity::Hint].map(|s| (s.name(), 0)).into();
    for f in findings {
        *counts.entry(f.severity.name()).or_default() += 1;
    }
    counts
}

fn to_json(diagnosis: &Diagnosis, args: &DoctorArgs, clips: usize, seconds: f32, elapsed_s: f64) -> Value {
    let checks: Vec<Value> = chosen(args)
        .into_iter()
        .map(|c| {
            let info = c.info();
            let found = diagnosis.findings.iter().filter(|f| f.check == c).count();
            json!({ "name": info.name, "finds": info.finds, "mends": info.mends, "findings": found })
        })
        .collect();
    let card: Vec<&DanceCardCell> = diagnosis.dance_card.iter().collect();
    json!({
        "clips": clips,
        "seconds": seconds,
        "worst": diagnosis.worst(),
        "counts": counts(&diagnosis.findings),
        "findings": diagnosis.findings,
        "checks": checks,
        "dance_card": card,
        "fixed": args.fix.as_ref().map(|folder| json!({ "folder": folder, "clips": diagnosis.clips.len() })),
        "elapsed_s": elapsed_s,
    })
}

fn print_finding(f: &Finding) {
    let mut place = f.clip.clone();
    if let Some(joint) = &f.joint {
        place += &format!(" {joint}");
    }
    if let (Some([a, b]), Some([from, to])) = (f.frames, f.seconds) {
        place += &if a == b {
            format!(" frame {a} ({from:.2} s)")
        } else {
            format!(" frames {a}-{b} ({from:.2}-{to:.2} s)")
        };
    }
    let place = if place.is_empty() { "all clips".to_owned() } else { place };
    let mark = if f.mends { "fix" } else { "you" };
    styled(&[
        (style(f.severity), f.severity.name()),
        (Style::new(), &format!(": {place}: {} ", f.what)),
        (Style::new().dimmed(), &format!("[{mark}: {}]", f.mend)),
    ]);
}

fn style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Hint => AnsiColor::Cyan,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// Returns the style of a count: plain for zero.
fn count_style(severity: Severity, count: usize) -> Style {
    if count > 0 { style(severity) } else { Style::new() }
}

fn print(diagnosis: &Diagnosis, args: &DoctorArgs, clips: usize, seconds: f32) {
    let findings = &diagnosis.findings;
    for info in CHECKS.iter() {
        for severity in [Severity::Error, Severity::Warning, Severity::Hint] {
            let these: Vec<&Finding> =
                findings.iter().filter(|f| f.check == info.check && f.severity == severity).collect();
            let shown = if args.all || info.check == Check::Coverage { these.len() } else { SHOWN.min(these.len()) };
            these.iter().take(shown).for_each(|f| print_finding(f));
            if these.len() > shown {
                let mut named: Vec<&str> = these[shown..].iter().map(|f| f.clip.as_str()).collect();
                named.dedup();
                let more = these.len() - shown;
                let words = format!(": {more} more of {} in {} clip(s) (--all lists them)", info.name, named.len());
                styled(&[(style(severity), severity.name()), (Style::new(), &words)]);
            }
        }
    }
    let counts = counts(findings);
    let minutes = seconds / 60.0;
    let mut parts = vec![(Style::new(), format!("{clips} clip(s), {minutes:.1} min: "))];
    for (i, severity) in [Severity::Error, Severity::Warning, Severity::Hint].into_iter().enumerate() {
        let (count, name) = (counts[severity.name()], severity.name());
        parts.push((Style::new(), if i > 0 { ", ".to_owned() } else { String::new() }));
        parts.push((count_style(severity, count), format!("{count} {name}(s)")));
    }
    let parts: Vec<(Style, &str)> = parts.iter().map(|(style, text)| (*style, text.as_str())).collect();
    styled(&parts);
    let mends = findings.iter().filter(|f| f.mends).count();
    match &args.fix {
        Some(folder) => {
            changes(findings);
            out!(
                "{} clip(s) written to {}; {} finding(s) left",
                diagnosis.clips.len(),
                folder.display(),
                findings.len() - mends
            );
        }
        None if mends > 0 => out!("{mends} can be fixed in copies: run with --fix FOLDER"),
        None => {}
    }
}

/// Prints the changes, one line per clip.
fn changes(findings: &[Finding]) {
    let mut by_clip: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for f in findings.iter().filter(|f| f.mends) {
        *by_clip.entry(&f.clip).or_default().entry(&f.mend).or_default() += 1;
    }
    for (clip, mends) in by_clip {
        let words = mends.iter().map(|(m, n)| if *n > 1 { format!("{m} ({n} times)") } else { (*m).to_owned() });
        out!("changed {clip}: {}", words.collect::<Vec<_>>().join("; "));
    }
}
