//! Loss curves as an SVG.

use crate::phase::PhaseRecord;
use std::fmt::Write;

const WIDTH: f32 = 320.0;
const HEIGHT: f32 = 200.0;
const MARGIN: f32 = 44.0;
/// Colours of the parts of a loss.
const COLOURS: [&str; 8] = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#884400"];

/// Returns one plot per phase: each part of the loss, their sum (black) and the validation (dots), logarithmic over the steps.
pub fn loss_curves(phases: &[PhaseRecord]) -> String {
    let (width, height) = ((WIDTH + MARGIN) * phases.len() as f32 + MARGIN, HEIGHT + 2.0 * MARGIN + 70.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (at, phase) in phases.iter().enumerate() {
        plot(&mut svg, phase, MARGIN + at as f32 * (WIDTH + MARGIN));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Maps steps and losses to the plot.
struct Scale {
    left: f32,
    steps: f32,
    low: f32,
    high: f32,
}

impl Scale {
    fn point(&self, step: u64, loss: f32) -> (f32, f32) {
        let up = (loss.max(1e-9).log10() - self.low) / (self.high - self.low);
        (self.left + WIDTH * step as f32 / self.steps, MARGIN + HEIGHT * (1.0 - up.clamp(0.0, 1.0)))
    }

    fn line(&self, svg: &mut String, colour: &str, points: impl Iterator<Item = (u64, f32)>) {
        let points: Vec<String> =
            points.map(|(s, l)| self.point(s, l)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(svg, "<polyline fill=\"none\" stroke=\"{colour}\" points=\"{}\"/>", points.join(" "));
    }
}

fn plot(svg: &mut String, phase: &PhaseRecord, left: f32) {
    let totals: Vec<f32> = phase.losses.iter().map(|parts| parts.iter().sum()).collect();
    let all = phase.losses.iter().flatten().chain(&totals).copied().filter(|v| *v > 0.0 && v.is_finite());
    let (low, high) = all.fold((f32::INFINITY, 1e-6f32), |(low, high), v| (low.min(v), high.max(v)));
    let low = low.clamp(high * 1e-4, high).log10().floor();
    let scale = Scale { left, steps: phase.steps.max(1) as f32, low, high: high.log10().ceil().max(low + 1.0) };
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" font-size=\"13\">{}: {} steps, {:.0} s, loss {:.3}</text>\n\
         <rect x=\"{left}\" y=\"{MARGIN}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#888\"/>",
        MARGIN - 12.0,
        phase.phase.name(),
        phase.steps,
        phase.seconds,
        phase.last_loss()
    );
    for decade in scale.low as i32..=scale.high as i32 {
        let value = 10f32.powi(decade);
        let (_, y) = scale.point(0, value);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            left + WIDTH,
            left - 3.0,
            y + 3.0
        );
    }
    for (part, name) in phase.parts.iter().enumerate() {
        let colour = COLOURS[part % COLOURS.len()];
        scale.line(svg, colour, phase.at.iter().copied().zip(phase.losses.iter().map(|parts| parts[part])));
        let (x, y) = (left + (part % 4) as f32 * 80.0, MARGIN + HEIGHT + 18.0 + (part / 4) as f32 * 14.0);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{name}</text>");
    }
    scale.line(svg, "black", phase.at.iter().copied().zip(totals));
    for (step, loss) in &phase.validation {
        let (x, y) = scale.point(*step, *loss);
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
    }
}
