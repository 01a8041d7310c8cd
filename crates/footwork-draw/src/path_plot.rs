//! A run from above, as an SVG of 1000 px: the commanded path, the walked path, the facing of the character, and its
//! transitions.
//!
//! +Z is up the page and +X to its left: a character that faces up the page has its left side on the left.

mod labels;
mod layout;
mod line;
#[cfg(test)]
mod tests;
mod view;

use crate::markup::{escape, number};
use crate::shapes::Colour;
use crate::svg::Stroke;
use footwork::math::Facing;
use glam::Vec3;
use labels::Labels;
use layout::Canvas;
use line::Line;
use std::fmt::Write;
use view::View;

/// Position and facing at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSample {
    /// Position in world space, in metres. Samples that are not finite are omitted.
    pub position: Vec3,
    /// Facing in world space.
    pub facing: Facing,
}

/// Data of the plot.
#[derive(Clone, Copy, Debug)]
pub struct PathPlot<'a> {
    /// Heading.
    pub title: &'a str,
    /// `[samples]` commanded path; may be empty.
    pub commanded: &'a [PathSample],
    /// `[samples]` path of the character; may be empty.
    pub walked: &'a [PathSample],
    /// Indices into `walked` of transitions; indices out of range are ignored.
    pub transitions: &'a [usize],
    /// Start index into `walked` and label of each part of the course, in any order; equal labels share a colour.
    pub sections: &'a [(usize, String)],
    /// Samples per second of both paths. The facing is ticked every 0.5 s, unless the rate is invalid.
    pub rate_hz: f32,
}

/// Maximum number of line segments of a path: ten minutes stay far below 500 kB.
const MAX_SEGMENTS: usize = 4000;
/// Maximum number of facing ticks and of transition circles; beyond it, every second (third, ...) is drawn.
const MAX_MARKS: usize = 2500;
/// Maximum number of labels in the plot; the legend lists more.
const MAX_LABELS: usize = 40;
/// Maximum number of labels in the legend.
const MAX_LEGEND: usize = 24;
const LABEL_CHARS: usize = 28;
/// Maximum number of points of a run that labels avoid.
const MAX_LABEL_POINTS: usize = 400;
const TICK_S: f32 = 0.5;
const TICK_PX: f64 = 11.0;
/// Smallest distance between marks.
const APART_PX: f64 = 4.0;
/// The commanded path is a pale band under the walked line, which shows where they differ.
const COMMANDED: Stroke = Stroke::solid(Colour::rgb(0xc3_ca_d4), 8.0);
const COMMANDED_TICK: Stroke = Stroke::solid(Colour::rgb(0x7c_84_90).alpha(178), 0.8);
const UNNAMED: Colour = Colour::rgb(0x33_38_3f);
/// Dark enough for thin lines on white. The first six are distinguishable with red-green colour blindness.
const COLOURS: [Colour; 10] = [
    Colour::rgb(0x00_72_b2),
    Colour::rgb(0xd5_5e_00),
    Colour::rgb(0x00_9e_73),
    Colour::rgb(0xb0_40_8a),
    Colour::rgb(0xb5_89_00),
    Colour::rgb(0x3b_3f_b6),
    Colour::rgb(0xc0_27_2d),
    Colour::rgb(0x3d_7f_1d),
    Colour::rgb(0x7a_52_30),
    Colour::rgb(0x00_8a_9a),
];

/// Draws the plot. Returns a valid file for any input; without data, the file contains a message.
pub fn svg(plot: &PathPlot<'_>) -> String {
    let points = plot.commanded.iter().chain(plot.walked).filter_map(|s| finite(s.position));
    let Some(view) = View::around(points) else {
        return layout::nothing(plot.title);
    };
    let runs = runs(plot);
    let mut canvas = Canvas::open(plot.title, &view);
    draw_commanded(&mut canvas, &view, plot);
    draw_walked(&mut canvas, &view, plot, &runs);
    draw_transitions(&mut canvas, &view, plot);
    draw_ends(&mut canvas, &view, plot.walked);
    draw_labels(&mut canvas, &view, plot, &runs);
    draw_legend(&mut canvas, &view, plot, &runs);
    canvas.close()
}

/// Returns the ground coordinates of a position, if it is finite and within 10 000 km.
fn finite(p: Vec3) -> Option<[f64; 2]> {
    let usable = |v: f32| v.is_finite() && v.abs() < 1e7;
    (usable(p.x) && usable(p.z)).then_some([f64::from(p.x), f64::from(p.z)])
}

/// Part of the walked path between two section starts.
struct Run<'a> {
    start: usize,
    /// End, exclusive.
    end: usize,
    label: &'a str,
    colour: Colour,
}

impl Run<'_> {
    fn samples(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    fn stroke(&self) -> Stroke {
        Stroke::solid(self.colour, 2.4)
    }
}

fn runs<'a>(plot: &PathPlot<'a>) -> Vec<Run<'a>> {
    let mut starts: Vec<(usize, &str)> =
        plot.sections.iter().filter(|s| s.0 < plot.walked.len()).map(|s| (s.0, s.1.as_str())).collect();
    starts.sort_by_key(|s| s.0);
    if starts.first().is_none_or(|s| s.0 > 0) && !plot.walked.is_empty() {
        starts.insert(0, (0, ""));
    }
    let mut known: Vec<&str> = Vec::new();
    let mut colour = |label: &'a str| {
        if label.is_empty() {
            return UNNAMED;
        }
        let k = known.iter().position(|l| *l == label).unwrap_or_else(|| {
            known.push(label);
            known.len() - 1
        });
        COLOURS[k % COLOURS.len()]
    };
    (0..starts.len())
        .map(|i| {
            let (start, label) = starts[i];
            let end = starts.get(i + 1).map_or(plot.walked.len(), |s| s.0);
            Run { start, end, label, colour: colour(label) }
        })
        .collect()
}

fn draw_commanded(canvas: &mut Canvas, view: &View, plot: &PathPlot<'_>) {
    let line = Line::of(plot.commanded.iter().map(|s| finite(s.position).map(|p| view.place(p))));
    let d = Line::fitted(&[line], MAX_SEGMENTS).concat();
    canvas.path(&d, COMMANDED);
    let d = ticks(view, plot.commanded, 0..plot.commanded.len(), plot.rate_hz);
    canvas.path(&d, COMMANDED_TICK);
}

fn draw_walked(canvas: &mut Canvas, view: &View, plot: &PathPlot<'_>, runs: &[Run<'_>]) {
    let lines: Vec<Line> = runs
        .iter()
        .map(|r| {
            // One sample more, so that the lines meet.
            let samples = &plot.walked[r.start..(r.end + 1).min(plot.walked.len())];
            Line::of(samples.iter().map(|s| finite(s.position).map(|p| view.place(p))))
        })
        .collect();
    for (r, d) in runs.iter().zip(Line::fitted(&lines, MAX_SEGMENTS)) {
        canvas.path(&d, r.stroke());
        let d = ticks(view, plot.walked, r.start..r.end, plot.rate_hz);
        canvas.path(&d, Stroke::solid(r.colour.alpha(204), 1.1));
    }
}

/// Returns short lines from the character's position along its facing.
fn ticks(view: &View, samples: &[PathSample], range: std::ops::Range<usize>, rate_hz: f32) -> String {
    let mut d = String::new();
    if !(rate_hz.is_finite() && rate_hz > 0.0) {
        return d;
    }
    let every = f64::from(TICK_S * rate_hz).max(1.0);
    let thin = (samples.len() as f64 / every / MAX_MARKS as f64).ceil().max(1.0);
    let every = every * thin;
    let mut last: Option<([f64; 2], Facing)> = None;
    let mut k = (range.start as f64 / every).ceil();
    while ((k * every).round() as usize) < range.end {
        let s = &samples[(k * every).round() as usize];
        k += 1.0;
        let Some(direction) = Facing::from_direction(s.facing.direction()) else { continue };
        if let Some([x, y]) = finite(s.position).map(|p| view.place(p)) {
            let turned = |from: Facing| from.xz().dot(direction.xz()) < 0.95;
            if last.is_some_and(|(p, facing)| near(p, [x, y]) && !turned(facing)) {
                continue;
            }
            last = Some(([x, y], direction));
            let (dx, dy) = (-f64::from(direction.x) * TICK_PX, -f64::from(direction.z) * TICK_PX);
            let _ = write!(d, "M{} {}l{} {}", number(x), number(y), number(dx), number(dy));
        }
    }
    d
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs()) < APART_PX
}

fn draw_transitions(canvas: &mut Canvas, view: &View, plot: &PathPlot<'_>) {
    let thin = plot.transitions.len().div_ceil(MAX_MARKS).max(1);
    let at = plot.transitions.iter().step_by(thin).filter_map(|i| finite(plot.walked.get(*i)?.position));
    let mut shown: Vec<[f64; 2]> = Vec::new();
    for at in at.map(|p| view.place(p)) {
        if !shown.last().is_some_and(|last| near(*last, at)) {
            shown.push(at);
        }
    }
    canvas.transitions(shown);
}

fn draw_ends(canvas: &mut Canvas, view: &View, walked: &[PathSample]) {
    let places = || walked.iter().filter_map(|s| finite(s.position)).map(|p| view.place(p));
    if let (Some(start), Some(end)) = (places().next(), places().next_back()) {
        canvas.start_mark(start);
        canvas.end_mark(end);
    }
}

/// Draws one label per run, beside the run's own line.
fn draw_labels(canvas: &mut Canvas, view: &View, plot: &PathPlot<'_>, runs: &[Run<'_>]) {
    let lines: Vec<Vec<[f64; 2]>> = runs
        .iter()
        .map(|r| {
            let step = r.samples().len().div_ceil(MAX_LABEL_POINTS).max(1);
            let samples = plot.walked[r.samples()].iter().step_by(step);
            samples.filter_map(|s| finite(s.position)).map(|p| view.place(p)).collect()
        })
        .collect();
    let mut labels = Labels::new(view, &lines);
    for (i, r) in runs.iter().enumerate().filter(|(_, r)| !r.label.is_empty()).take(MAX_LABELS) {
        if let Some(label) = labels.place(i, r.label.chars().count().min(LABEL_CHARS)) {
            canvas.label(&label, &escape(r.label, LABEL_CHARS), r.colour);
        }
    }
}

fn draw_legend(canvas: &mut Canvas, view: &View, plot: &PathPlot<'_>, runs: &[Run<'_>]) {
    canvas.legend_line(COMMANDED, "commanded path");
    let mut seen: Vec<&str> = Vec::new();
    for r in runs {
        if seen.contains(&r.label) {
            continue;
        }
        seen.push(r.label);
        if seen.len() <= MAX_LEGEND {
            let text = if r.label.is_empty() { "walked".to_owned() } else { escape(r.label, LABEL_CHARS) };
            canvas.legend_line(r.stroke(), &text);
        }
    }
    if seen.len() > MAX_LEGEND {
        canvas.legend_text(&format!("and {} more", seen.len() - MAX_LEGEND));
    }
    canvas.legend_ticks("facing, every 0.5 s");
    let transitions = plot.transitions.iter().filter(|i| **i < plot.walked.len()).count();
    canvas.legend_transitions(&format!("transition ({transitions})"));
    canvas.legend_ends();
    canvas.legend_axes(view);
}
