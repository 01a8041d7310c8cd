//! `footwork film`: motion as a picture, pose by pose.
//!
//! ```text
//! motion files, .fwdb, .fwtrace --source--> Reel --(seconds, clips)--> Subject --draw--> Picture --svg, raster--> file
//!                                                                              --animated--> Pictures --gif, webp--> file
//! ```

mod animated;
mod reel;
mod source;

use crate::args::{CameraKind, Common, FilmArgs, ViewKind};
use crate::kind::extension;
use crate::output;
use animated::{Film, Format};
use anyhow::{Context, Result, anyhow, bail};
use footwork_draw::animation::Animation;
use footwork_draw::cell::Subject;
use footwork_draw::contact_sheet::ContactSheet;
use footwork_draw::error::DrawError;
use footwork_draw::figure::Figure;
use footwork_draw::ground::Ground;
use footwork_draw::layout::Drawn;
use footwork_draw::motion::Motion;
use footwork_draw::strip::{CameraMode, Moments, Strip};
use footwork_draw::view::View;
use footwork_draw::{raster, svg};
use footwork_metrics::ground::GroundKind;
pub use reel::{Reel, tracks};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default length of a strip, in seconds.
const DEFAULT_S: f64 = 3.0;
/// Clips per page of a contact sheet.
const PAGE: usize = 12;
const WIDTHS: std::ops::RangeInclusive<u32> = 480..=6000;
/// Default width, in pixels.
const WIDTH: u32 = 1600;

/// Runs the command.
pub fn film(args: &FilmArgs, common: &Common) -> Result<()> {
    check(args)?;
    if let Some(format) = Format::of(&args.output) {
        return play(format, args, common);
    }
    let kind = Kind::of("--output", &args.output)?;
    let width = args.width.unwrap_or(WIDTH);
    if !WIDTHS.contains(&width) {
        bail!("--width {width}: expected {} to {} pixels", WIDTHS.start(), WIDTHS.end());
    }
    let reels = reels(args, common)?;
    let (drawn, mut told) = if args.sheet { contact_sheet(args, &reels[0])? } else { film_strip(args, &reels)? };
    kind.save(&args.output, &drawn)?;
    if common.json {
        told["output"] = json!(args.output);
        told["width"] = json!(drawn.picture.width);
        told["height"] = json!(drawn.picture.height);
        told["cells"] = json!(drawn.cells);
        out!("{told}");
    } else {
        let (w, h) = (drawn.picture.width, drawn.picture.height);
        let shown = told["shown"].as_str().map(|shown| format!("{shown}, ")).unwrap_or_default();
        out!("{}: {shown}{} cells, {w} x {h} pixels", args.output.display(), drawn.cells);
    }
    Ok(())
}

/// Writes an animated picture.
fn play(format: Format, args: &FilmArgs, common: &Common) -> Result<()> {
    let film = Film::of(args)?;
    let reels = reels(args, common)?;
    let [reel] = &reels[..] else { bail!("--compare: expected a .png or .svg picture, found an animated one") };
    let span_s = span(args, &reels)?;
    let subject = subject(reel, figure(reel)?, label(reel), span_s)?;
    let views = views(args);
    let [view] = views[..] else {
        bail!("--view: expected one view in an animated picture, found {}", views.len());
    };
    let scene = Animation {
        title: args.title.clone().unwrap_or_else(|| subject.label.clone()),
        subject: &subject,
        span_s,
        every_s: film.every_s,
        view,
        camera: camera(args),
        width: film.width as f32,
    };
    let scene = scene.scene().map_err(|e| film.too_many(e))?;
    let bytes = film.encode(format, &scene, common.json)?;
    output::bytes(&args.output, &bytes)?;
    let (w, h, frames) = (film.width, scene.height, scene.times_s.len());
    if common.json {
        let told = json!({
            "output": args.output,
            "sources": [told(&subject, &reel.source, only_clip(reel))],
            "from_s": span_s[0],
            "to_s": span_s[1],
            "times_s": scene.times_s,
            "every_s": film.every_s,
            "views": [view.name()],
            "width": w,
            "height": h,
            "cells": frames,
            "bytes": bytes.len(),
        });
        out!("{told}");
    } else {
        let mb = bytes.len() as f64 / 1e6;
        out!("{}: {frames} pictures of {w} x {h} pixels, {mb:.1} MB", args.output.display());
    }
    Ok(())
}

/// Returns the first frames of a run with the body around them.
pub fn subject_of_run(reel: &Reel, frames: usize) -> Result<Subject> {
    let last_s = (frames.max(1) - 1) as f64 / f64::from(reel.rate_hz);
    subject(reel, figure(reel)?, reel.source.clone(), [0.0, last_s])
}

/// Writes a strip of a run.
pub fn film_run(path: &Path, title: &str, run: Reel, span_s: [f64; 2]) -> Result<()> {
    film_runs(path, title, &[run], &[View::Side, View::ThreeQuarter], span_s)
}

/// Writes a strip of runs with their names, one above the other.
pub fn film_runs(path: &Path, title: &str, reels: &[Reel], views: &[View], span_s: [f64; 2]) -> Result<()> {
    let span_s = reels.iter().fold(span_s, |[from, to], reel| [from, to.min(reel.seconds())]);
    let of_reel = |reel: &Reel| subject(reel, figure(reel)?, reel.source.clone(), span_s);
    let subjects = reels.iter().map(of_reel).collect::<Result<Vec<_>>>()?;
    let drawn = Strip {
        title: title.to_owned(),
        subjects: &subjects,
        span_s,
        moments: Moments::Auto,
        views,
        camera: CameraMode::Follow,
        width: 1600.0,
    };
    Kind::of("the picture", path)?.save(path, &drawn.draw()?)
}

/// Rejects a file name without a known extension.
pub fn check_name(flag: &str, path: &Path) -> Result<()> {
    Kind::of(flag, path).map(|_| ())
}

/// Kind of picture file.
#[derive(Clone, Copy)]
enum Kind {
    Png,
    Svg,
}

impl Kind {
    fn of(flag: &str, path: &Path) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "png" => Ok(Self::Png),
            "svg" => Ok(Self::Svg),
            _ => bail!("{flag} {}: expected a name that ends in .png or .svg", path.display()),
        }
    }

    fn save(self, path: &Path, drawn: &Drawn) -> Result<()> {
        match self {
            Self::Png => output::bytes(path, &raster::write(&drawn.picture)?),
            Self::Svg => output::text(path, &svg::write(&drawn.picture)),
        }
    }
}

fn check(args: &FilmArgs) -> Result<()> {
    for (flag, value) in [("--from", args.from), ("--to", args.to)] {
        if let Some(v) = value.filter(|v| !(v.is_finite() && (0.0..=1e7).contains(v))) {
            bail!("{flag} {v}: expected a time of 0 seconds or later");
        }
    }
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from >= to
    {
        bail!("--from {from} --to {to}: expected a --to that is later than --from");
    }
    if let Some(v) = args.every.filter(|v| !(v.is_finite() && *v >= 0.001)) {
        bail!("--every {v}: expected at least 0.001 seconds");
    }
    if args.frames == Some(0) {
        bail!("--frames 0: expected at least 1");
    }
    Ok(())
}

/// Opens one source, or the two to compare.
fn reels(args: &FilmArgs, common: &Common) -> Result<Vec<Reel>> {
    let clip = args.clip.as_deref().filter(|c| !args.sheet && *c != "all");
    if !args.compare.is_empty() {
        return args.compare.iter().map(|word| Reel::open(word, clip, common)).collect();
    }
    let is_trace = |word: &PathBuf| extension(word) == "fwtrace";
    if args.learned.is_some() && args.trace.is_none() && !args.source.as_ref().is_some_and(is_trace) {
        bail!("--learned: expected a trace to replay with the networks; name networks as the source to film them");
    }
    let mut reel = match (&args.source, &args.trace, &common.db) {
        (Some(word), None, Some(_)) if is_trace(word) => Reel::trace(word, common)?,
        (Some(word), None, None) => return Ok(vec![filtered(Reel::open(word, clip, common)?, args)?]),
        (None, Some(trace), _) => Reel::trace(trace, common)?,
        (None, None, Some(path)) => return Ok(vec![filtered(Reel::open(path, clip, common)?, args)?]),
        (None, None, None) => Reel::built_in(common)?,
        _ => bail!("SOURCE, --db, --trace: expected one source, found several; use --compare A B for two"),
    };
    if let Some(clip) = clip {
        if reel.is_run() {
            bail!("--clip: a trace has no clips; use --from and --to");
        }
        reel.choose(clip)?;
    }
    Ok(vec![filtered(reel, args)?])
}

/// Removes mirror images unless one was selected; for a contact sheet keeps the requested clips.
fn filtered(mut reel: Reel, args: &FilmArgs) -> Result<Reel> {
    if args.actions {
        reel.actions()?;
    }
    if reel.takes.len() > 1 {
        reel.originals();
    }
    if let Some(wanted) = args.clip.as_deref().filter(|c| args.sheet && *c != "all") {
        reel.filter(wanted)?;
    }
    if args.sheet && !args.actions {
        reel.travelling_first();
    }
    Ok(reel)
}

/// Returns the time span to draw, within all sources.
fn span(args: &FilmArgs, reels: &[Reel]) -> Result<[f64; 2]> {
    let ends = reels.iter().filter(|r| !r.endless()).map(Reel::seconds);
    let end = ends.fold(f64::INFINITY, f64::min);
    let from = args.from.unwrap_or(0.0);
    // A loop repeats as often as needed; by default one cycle is shown.
    let rounds = reels.iter().map(Reel::seconds).fold(0.0, f64::max);
    let to = args.to.unwrap_or((from + DEFAULT_S).min(if end.is_finite() { end } else { from.max(rounds) })).min(end);
    if from > end + 1e-6 {
        let shorter = reels.iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds())).map(|r| r.source.as_str());
        let shorter = shorter.unwrap_or_default();
        bail!("--from {from}: expected a time before the end; {shorter} ends at {end:.2} s");
    }
    if to - from > 3600.0 {
        bail!("--from, --to: expected at most an hour in one picture, found {:.0} s", to - from);
    }
    Ok([from, to.max(from)])
}

fn subject(reel: &Reel, figure: Figure, label: String, [from, to]: [f64; 2]) -> Result<Subject> {
    let motion = reel.motion(from, to)?;
    let span = motion.frame_at(from)..motion.frame_at(to) + 1;
    let ground = ground(reel, &motion, &figure);
    Ok(Subject { label, motion, figure, contact_names: contact_names(reel), span, ground })
}

fn figure(reel: &Reel) -> Result<Figure> {
    Ok(Figure::of(&reel.skeleton, &reel.rig, &reel.samples()?))
}

/// Returns the ground of a recorded run; for other sources, the ground under the planted feet.
fn ground(reel: &Reel, motion: &Motion, figure: &Figure) -> Ground {
    match reel.ground() {
        Some(GroundKind::Level) => Ground::Level,
        Some(kind) => {
            let sole_m = figure.ground_m;
            Ground::Known(Arc::new(move |p| kind.at(p).height_m + sole_m))
        }
        None => Ground::under(motion, figure),
    }
}

fn contact_names(reel: &Reel) -> Vec<String> {
    reel.rig.contact_joints.iter().map(|j| reel.skeleton.name(*j).to_owned()).collect()
}

/// Returns source and clip, without folders.
fn label(reel: &Reel) -> String {
    let name =
        Path::new(&reel.source).file_name().map_or_else(|| reel.source.clone(), |n| n.to_string_lossy().into_owned());
    match &reel.takes[..] {
        [take] if name.starts_with(&take.name) => name,
        [take] => format!("{name}: {}", take.name),
        takes => format!("{name}: {} clips", takes.len()),
    }
}

fn views(args: &FilmArgs) -> Vec<View> {
    let view = |kind: &ViewKind| match kind {
        ViewKind::Side => View::Side,
        ViewKind::Front => View::Front,
        ViewKind::Top => View::Top,
        ViewKind::ThreeQuarter => View::ThreeQuarter,
    };
    args.view.iter().map(view).collect()
}

fn width(args: &FilmArgs) -> f32 {
    args.width.unwrap_or(WIDTH) as f32
}

fn camera(args: &FilmArgs) -> CameraMode {
    match args.camera {
        CameraKind::Follow => CameraMode::Follow,
        CameraKind::Fixed => CameraMode::Fixed,
    }
}

fn film_strip(args: &FilmArgs, reels: &[Reel]) -> Result<(Drawn, Value)> {
    let span_s = span(args, reels)?;
    let letters = if reels.len() > 1 { &["A  ", "B  "][..] } else { &[""] };
    let subjects: Vec<Subject> = reels
        .iter()
        .zip(letters)
        .map(|(r, letter)| subject(r, figure(r)?, format!("{letter}{}", label(r)), span_s))
        .collect::<Result<_>>()?;
    let moments = match (args.frames, args.every) {
        (Some(n), _) => Moments::Frames(n),
        (None, Some(s)) => Moments::Every(s),
        (None, None) => Moments::Auto,
    };
    let title = match (&args.title, &subjects[..]) {
        (Some(title), _) => title.clone(),
        (None, [one]) => one.label.clone(),
        (None, all) => all.iter().map(|s| s.label.as_str()).collect::<Vec<_>>().join("   "),
    };
    let mut views = views(args);
    let mut seen = Vec::new();
    views.retain(|v| {
        !seen.contains(v) && {
            seen.push(*v);
            true
        }
    });
    let camera = camera(args);
    let drawn = Strip { title, subjects: &subjects, span_s, moments, views: &views, camera, width: width(args) };
    let drawn = drawn.draw().map_err(too_many)?;
    let told = json!({
        "sources": subjects.iter().zip(reels).map(|(s, r)| told(s, &r.source, only_clip(r))).collect::<Vec<_>>(),
        "from_s": span_s[0],
        "to_s": span_s[1],
        "times_s": drawn.times_s,
        "views": views.iter().map(|v| v.name()).collect::<Vec<_>>(),
        "camera": if camera == CameraMode::Fixed { "fixed" } else { "follow" },
    });
    Ok((drawn, told))
}

/// Adds the relevant flags to an error.
fn too_many(error: DrawError) -> anyhow::Error {
    match error {
        DrawError::TooManyPoses { poses, most } => {
            anyhow!(
                "{poses} poses: expected at most {most} in one picture; set a smaller --frames, or a longer --every"
            )
        }
        other => other.into(),
    }
}

fn only_clip(reel: &Reel) -> Option<&str> {
    if let [take] = &reel.takes[..] { Some(&take.name) } else { None }
}

/// Returns the contents of a source, for `--json`.
fn told(s: &Subject, source: &str, clip: Option<&str>) -> Value {
    let rate = f64::from(s.motion.rate_hz);
    let contacts: Vec<Value> = s
        .contact_names
        .iter()
        .enumerate()
        .map(|(slot, name)| {
            let frames = s.span.clone().filter(|f| s.motion.planted(*f, slot)).count();
            json!({ "joint": name, "seconds": frames as f64 / rate })
        })
        .collect();
    let transitions: u64 = s.motion.transitions.iter().filter(|t| s.span.contains(&t.0)).map(|t| u64::from(t.1)).sum();
    let parts = s.motion.parts.iter().filter(|p| p.start < s.span.end);
    json!({
        "source": source,
        "clip": clip,
        "rate_hz": s.motion.rate_hz,
        "contacts": contacts,
        "transitions": transitions,
        "parts": parts.map(|p| json!({ "name": p.name, "start_s": s.motion.time_s(p.start) })).collect::<Vec<_>>(),
    })
}

fn contact_sheet(args: &FilmArgs, reel: &Reel) -> Result<(Drawn, Value)> {
    if args.from.is_some() || args.to.is_some() || args.every.is_some() || !args.compare.is_empty() {
        bail!("--sheet: not with --from, --to, --every or --compare: a contact sheet shows whole clips");
    }
    let pages = reel.takes.len().div_ceil(PAGE);
    if !(1..=pages).contains(&args.page) {
        bail!("--page {}: {} clips fill {pages} page(s)", args.page, reel.takes.len());
    }
    let columns = args.frames.unwrap_or(10);
    if columns > 60 {
        bail!("--frames {columns}: expected at most 60 in a row of a contact sheet");
    }
    let takes = &reel.takes[(args.page - 1) * PAGE..(args.page * PAGE).min(reel.takes.len())];
    let figure = figure(reel)?;
    let mut subjects = Vec::new();
    for take in takes {
        let motion = reel.motion_of(take)?;
        let span = 0..motion.frames();
        let ground = ground(reel, &motion, &figure);
        let contact_names = contact_names(reel);
        subjects.push(Subject {
            label: take.name.clone(),
            motion,
            figure: figure.clone(),
            contact_names,
            span,
            ground,
        });
    }
    let view = *views(args).first().context("--view: expected at least one view")?;
    let shown = format!(
        "clips {} to {} of {}, page {} of {pages}",
        (args.page - 1) * PAGE + 1,
        (args.page - 1) * PAGE + takes.len(),
        reel.takes.len(),
        args.page
    );
    let subtitle = format!("{shown} | view: {}", view.name());
    let width = width(args);
    let title = args.title.clone().unwrap_or_else(|| label(reel));
    let drawn = ContactSheet { title, subtitle, subjects: &subjects, view, columns, width }.draw()?;
    let told = json!({
        "sources": subjects.iter().map(|s| told(s, &reel.source, Some(&s.label))).collect::<Vec<_>>(),
        "page": args.page,
        "pages": pages,
        "shown": shown,
        "views": [view.name()],
    });
    Ok((drawn, told))
}
