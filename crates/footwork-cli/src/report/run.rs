//! Sections: the figure that plays the run, and a top view of the run.

use super::input::{Input, Run};
use super::page::{Section, inline, name, note, picture, table};
use anyhow::Result;
use footwork_draw::path_plot::{self, PathPlot};
use footwork_draw::strip::{CameraMode, Moments, Strip};
use footwork_draw::view::View;
use footwork_metrics::analysis::Usage;
use std::slice;

/// Maximum number of listed clips.
const LISTED: usize = 12;
/// Number of poses in the still pictures, and seconds between them.
const POSES: usize = 6;
const EVERY_S: f64 = 0.5;

/// Returns the section of the figure. `cut_s`: end of the figure's motion if it does not play all of the run.
pub fn figure(input: &Input, cut_s: Option<f64>) -> Result<Section> {
    let run = &input.run;
    let mut html = String::from(
        "<div class=\"player screen\" id=\"player\">\n\
         <canvas id=\"stage\" tabindex=\"0\" role=\"img\" aria-label=\"The character in motion. Arrow keys orbit, plus and minus zoom, \
         space plays and pauses.\"></canvas>\n\
         <canvas id=\"marks\" aria-hidden=\"true\"></canvas>\n\
         <input type=\"range\" id=\"scrub\" min=\"0\" value=\"0\" step=\"1\" aria-label=\"Time in the run\">\n\
         <div class=\"controls\"><button type=\"button\" id=\"play\">Play</button>\
         <label>Speed <select id=\"speed\"><option value=\"0.1\">0.1</option><option value=\"0.25\">0.25</option>\
         <option value=\"0.5\">0.5</option><option value=\"1\" selected>1</option><option value=\"2\">2</option></select></label>\
         <span class=\"group\" role=\"group\" aria-label=\"View\"><button type=\"button\" data-view=\"side\">Side</button>\
         <button type=\"button\" data-view=\"front\">Front</button><button type=\"button\" data-view=\"top\">Top</button>\
         <button type=\"button\" data-view=\"quarter\">Three-quarter</button></span>\
         <output id=\"told\"></output></div>\n</div>\n",
    );
    html.push_str(
        "<p class=\"note screen\">Drag to orbit; scroll over the selected figure, or pinch, to zoom. Blue is the left side, orange the \
         right side. The grid is 0.5 m wide and fixed in the world; a disc marks a foot on the ground. Magenta marks above the slider \
         are transitions to other clips.</p>\n",
    );
    if let Some(cut_s) = cut_s {
        let whole = run.whole_s;
        html.push_str(&note(&format!(
            "The figure plays the first {cut_s:.0} of {whole:.0} s: more would make this file too large."
        )));
    }
    html.push_str("<div class=\"still\">");
    html.push_str(&picture(&still(run)?, "strip"));
    html.push_str("</div>\n");
    Ok(Section { id: "figure", title: "Figure", items: run.updates(), html })
}

/// Draws poses for printing, and for readers without scripts.
fn still(run: &Run) -> Result<footwork_draw::shapes::Picture> {
    let start = run.walked.first().map(|s| s.position).unwrap_or_default();
    let moves = run.walked.iter().position(|s| (s.position - start).length() > 0.2).unwrap_or(0);
    let last_s = (run.seconds() - f64::from(run.dt_s)).max(0.0);
    let from = (moves as f64 * f64::from(run.dt_s)).min((last_s - EVERY_S * (POSES - 1) as f64).max(0.0));
    let to = (from + EVERY_S * (POSES - 1) as f64).min(last_s);
    let mut subject = run.subject.clone();
    subject.span = subject.motion.frame_at(from)..subject.motion.frame_at(to) + 1;
    let strip = Strip {
        title: format!("{POSES} poses of the run"),
        subjects: slice::from_ref(&subject),
        span_s: [from, to],
        moments: Moments::Frames(POSES),
        views: &[View::ThreeQuarter],
        camera: CameraMode::Follow,
        width: 1100.0,
    };
    Ok(strip.draw()?.picture)
}

/// Returns the section with the top view of the run, and its clips.
pub fn section(input: &Input, usage: &Usage) -> Section {
    let (run, db) = (&input.run, &*input.db);
    let [mean, most] = run.path_error_m();
    let seconds = run.seconds();
    let mut html = note(&format!(
        "{}: {seconds:.0} s, {:.0} m, {} transitions ({:.1} per second). The character is {:.1} cm from the simulated one on average, \
         {:.1} cm at most.",
        name(&run.source),
        run.walked_m(),
        run.transitions.len(),
        run.transitions.len() as f64 / seconds.max(1e-9),
        100.0 * mean,
        100.0 * most
    ));
    let plot = PathPlot {
        title: "The run from above",
        commanded: &run.commanded,
        walked: &run.walked,
        transitions: &run.transitions,
        sections: &run.parts,
        rate_hz: 1.0 / run.dt_s,
    };
    html.push_str(&inline(&path_plot::svg(&plot), "top"));
    let played = usage.most_played();
    let mut rows = Vec::new();
    for clip in played.iter().take(LISTED) {
        let (c, s) = (&db.clips[clip.at()], usage.clip_s[clip.at()]);
        rows.push(vec![name(&c.name), format!("{s:.1}"), format!("{:.0} %", f64::from(100.0 * s) / seconds.max(1e-9))]);
    }
    html.push_str("<h3>What it plays</h3>\n");
    html.push_str(&note(&format!(
        "{} of {} clips, and {} of {} rows. The most played:",
        played.len(),
        db.clips.len(),
        db.rows() - usage.unused_rows(),
        db.rows()
    )));
    html.push_str(&table("played", &["Clip", "#Seconds", "#Share"], &rows));
    Section { id: "run", title: "Run", items: run.transitions.len(), html }
}
