//! Section: every clip, and repeated motion.

use super::input::Input;
use super::page::{Section, name, note, table};
use footwork::database::{Clip, Database};
use footwork_metrics::analysis::{Usage, repeats};

/// Distance of rows below which motion counts as the same: the default of `[build.prune]`.
const SAME: f32 = 0.05;
/// Maximum number of listed repetitions.
const LISTED: usize = 12;

pub fn section(input: &Input, usage: &Usage) -> Section {
    let db = &*input.db;
    let row = |(i, c): (usize, &Clip)| {
        let tags = db.clip_tags(c);
        let seconds = c.frames as f32 / db.pose_rate_hz;
        vec![
            i.to_string(),
            name(&c.name),
            format!("{seconds:.2}"),
            c.rows.to_string(),
            format!("{:.2}", speed_mps(db, c)),
            kind(c, &tags),
            tags.iter().map(|t| name(t)).collect::<Vec<_>>().join(", "),
            format!("{:.1}", usage.clip_s[i]),
        ]
    };
    let rows: Vec<Vec<String>> = db.clips.iter().enumerate().map(row).collect();
    let head = ["#No.", "Clip", "#Seconds", "#Rows", "#Mean m/s", "Kind", "Tags", "#Played s"];
    let unused = usage.unused_clips().len();
    let mut html = note(&format!(
        "The run plays {} of {} clips; <em>Played</em> counts its seconds. A clip that no run plays costs memory and search \
         time. <span class=\"screen\">Click a heading to sort.</span>",
        db.clips.len() - unused,
        db.clips.len()
    ));
    html.push_str(
        "<p class=\"screen\"><label>Show clips whose name or tags contain <input type=\"search\" id=\"filter\" \
         autocomplete=\"off\"></label> <output id=\"shown\" for=\"filter\"></output></p>\n",
    );
    html.push_str(&table("clips sortable", &head, &rows));
    if !input.quick {
        html.push_str(&repeated(db));
    }
    Section { id: "clips", title: "Clips", items: db.clips.len(), html }
}

/// Returns the mean speed of the root over the ground.
fn speed_mps(db: &Database, clip: &Clip) -> f32 {
    let at = |f: usize| {
        let p = db.poses.root(f).translation;
        [p.x, p.z]
    };
    let frames = clip.frame_range();
    let steps = frames.start + 1..frames.end;
    let way: f32 = steps
        .map(|f| {
            let ([a, b], [c, d]) = (at(f - 1), at(f));
            ((c - a) * (c - a) + (d - b) * (d - b)).sqrt()
        })
        .sum();
    way * db.pose_rate_hz / (clip.frames.max(2) - 1) as f32
}

fn kind(clip: &Clip, tags: &[&str]) -> String {
    let signs = [
        (clip.looping(), "loop"),
        (tags.contains(&Database::MADE), "made"),
        (clip.mirrored, "mirrored"),
        (tags.contains(&Database::NO_LOCOMOTION), "no locomotion"),
    ];
    signs.iter().filter(|s| s.0).map(|s| s.1).collect::<Vec<_>>().join(", ")
}

fn repeated(db: &Database) -> String {
    // Made clips share their beginnings and ends intentionally.
    let is_made = |clip: &str| db.clips.iter().any(|c| c.name == clip && db.is_made(c));
    let mut found = repeats(db, SAME);
    found.retain(|p| !is_made(&p.clip));
    let seconds: f32 = found.iter().map(|p| p.end_s - p.start_s).sum();
    let mut html = String::from("<h3>Motion that is there twice</h3>\n");
    if found.is_empty() {
        html.push_str(&note("No captured clip repeats another."));
        return html;
    }
    html.push_str(&note(&format!(
        "{} stretches, {seconds:.1} s in all, are nearly equal to an earlier clip (distance of the features below {SAME}). \
         <code>[build.prune]</code> leaves them out.",
        found.len()
    )));
    found.sort_by(|a, b| (b.end_s - b.start_s).total_cmp(&(a.end_s - a.start_s)));
    let rows: Vec<Vec<String>> = found
        .iter()
        .take(LISTED)
        .map(|p| vec![name(&p.clip), format!("{:.2}", p.start_s), format!("{:.2}", p.end_s), name(&p.same_as)])
        .collect();
    html.push_str(&table("repeats", &["Clip", "#From s", "#To s", "Same as"], &rows));
    html
}
