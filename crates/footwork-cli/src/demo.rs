//! `footwork` without a command: runs the demo, a course with every kind of motion on the built-in data.

use crate::args::{Common, MotionFiles};
use crate::cast::Cast;
use crate::course;
use crate::film::{self, Reel};
use crate::kind::Kind;
use crate::networks;
use crate::output;
use crate::report;
use crate::run::Driven;
use crate::simulate::print_summary;
use anyhow::{Context, Result};
use footwork_draw::view::View;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Folder of the files.
const FOLDER: &str = "footwork-demo";
/// Files in the folder.
pub const FILES: [(&str, Kind); 7] = [
    ("index.html", Kind::Html),
    ("demo.bvh", Kind::Bvh),
    ("demo.glb", Kind::Glb),
    ("path.svg", Kind::Svg),
    ("strip.png", Kind::Picture),
    ("learned.png", Kind::Picture),
    ("summary.json", Kind::Json),
];
/// Length of the run, in seconds: the standard course, then a random stick.
const SECONDS: f32 = 90.0;

/// Returns the path of one of the files.
pub fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Runs the demo.
pub fn demo(common: &Common) -> Result<()> {
    let start = Instant::now();
    let (db, config) = common.open()?;
    let db = Arc::new(db);
    let built_s = start.elapsed().as_secs_f32();
    let cast = Cast::of_database(&db, config.clone())?;
    let driven = Arc::new(course::standard(SECONDS, common)?.run(&cast)?);

    std::fs::create_dir_all(FOLDER).with_context(|| format!("cannot make the folder {FOLDER}"))?;
    let files = MotionFiles { bvh: Some(path("demo.bvh")), glb: Some(path("demo.glb")), svg: Some(path("path.svg")) };
    output::motion(&files, "footwork demo", &db, &driven)?;
    let title = "footwork demo: motion matching on built-in data";
    film::film_run(&path("strip.png"), title, reel(&cast, &driven, "exact"), telling(&driven))?;
    film_learned(&cast, &driven, common)?;
    let run = report::Run::of(&db, Arc::clone(&driven), "The standard course".to_owned())?;
    let name = report::database_name(common);
    let input = report::Input { db: db.clone(), config, name, run, seed: common.seed, quick: false, json: common.json };
    report::write(&path("index.html"), "footwork demo: motion matching", &input)?;
    let summary = json!({
        "database": {
            "clips": db.clips.len(),
            "seconds": db.seconds(),
            "frames": db.frames(),
            "rows": db.rows(),
            "columns": db.features.columns,
            "bytes": db.bytes(),
            "content_hash": format!("{:032x}", db.content_hash()),
            "ready_after_s": built_s,
        },
        "run": driven.summary,
        "parts": driven.parts.iter().map(|(update, name)| json!({
            "start_s": *update as f32 * driven.summary.dt_s,
            "name": name,
        })).collect::<Vec<_>>(),
        "seed": common.seed,
        "files": FILES.map(|(name, _)| name),
    });
    output::text(&path("summary.json"), &format!("{summary:#}\n"))?;
    if common.json {
        out!("{summary}");
        return Ok(());
    }
    out!(
        "database: {} clips, {:.1} min, {} rows of {} features, ready in {built_s:.1} s",
        db.clips.len(),
        db.seconds() / 60.0,
        db.rows(),
        db.features.columns
    );
    out!("course:");
    print_summary(&driven.summary);
    out!("written to {FOLDER}/:");
    out!("  index.html    open this first, in a browser: the character plays, and what the database holds");
    out!("  demo.glb      the motion on a mannequin, for any glTF viewer or Blender");
    out!("  demo.bvh      the motion for animation tools");
    out!("  path.svg      the commanded and the walked path from above");
    out!("  strip.png     film strip of the first steps: poses, contacts, transitions");
    out!("  learned.png   the same steps, searched exactly and out of networks");
    out!("  summary.json  the figures above");
    out!("next: footwork build <folder with clips> -o mine.fwdb; footwork simulate --db mine.fwdb");
    Ok(())
}

fn reel(cast: &Cast, driven: &Arc<Driven>, name: &str) -> Reel {
    Reel::run(Arc::clone(driven), &cast.db, name.to_owned(), "standard")
}

/// Films the first steps, beside those of networks that were trained on the same clips.
fn film_learned(exact: &Cast, driven: &Arc<Driven>, common: &Common) -> Result<()> {
    let alone = Common { db: None, ..common.clone() }.learned(Some(&PathBuf::from(networks::BUILT_IN)));
    let cast = Cast::open(&alone)?;
    let span_s = telling(driven);
    let learned = Arc::new(course::standard(span_s[1] as f32, common)?.run(&cast)?);
    let runs = [reel(exact, driven, "exact"), reel(&cast, &learned, "learned")];
    film::film_runs(&path("learned.png"), "footwork demo: exact and learned", &runs, &[View::Side], span_s)
}

/// Returns the time span in which the character first moves: from rest through transitions to a steady gait.
fn telling(driven: &Driven) -> [f64; 2] {
    const BEFORE_S: f64 = 0.4;
    const SECONDS: f64 = 4.0;
    let start = driven.walked.first().map(|s| s.position).unwrap_or_default();
    let left = driven.walked.iter().position(|s| (s.position - start).length() > 0.1).unwrap_or(0);
    let from_s = (left as f64 * f64::from(driven.summary.dt_s) - BEFORE_S).max(0.0);
    // Rounded to a tenth of a second, to be readable.
    let from_s = (from_s * 10.0).floor() / 10.0;
    [from_s, from_s + SECONDS]
}
