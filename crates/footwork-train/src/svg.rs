//! Loss curves as an SVG.

use crate::phase::PhaseRecord;
use footwork_draw::shapes::{Anchor, Colour, Font, Frame, Picture, Point};

const WIDTH: f32 = 320.0;
const HEIGHT: f32 = 200.0;
const MARGIN: f32 = 44.0;
const BLACK: Colour = Colour::rgb(0);
const WHITE: Colour = Colour::rgb(0xff_ffff);
const BORDER: Colour = Colour::rgb(0x88_8888);
const GRID: Colour = Colour::rgb(0xdd_dddd);
/// Colours of the parts of a loss.
const COLOURS: [Colour; 8] = [
    Colour::rgb(0x44_77aa),
    Colour::rgb(0xee_6677),
    Colour::rgb(0x22_8833),
    Colour::rgb(0xcc_bb44),
    Colour::rgb(0x66_ccee),
    Colour::rgb(0xaa_3377),
    Colour::rgb(0xbb_bbbb),
    Colour::rgb(0x88_4400),
];

/// Returns one plot per phase: each part of the loss, their sum (black) and the validation (dots), logarithmic over the steps.
pub fn loss_curves(phases: &[PhaseRecord]) -> String {
    let (width, height) = ((WIDTH + MARGIN) * phases.len() as f32 + MARGIN, HEIGHT + 2.0 * MARGIN + 70.0);
    let mut picture = Picture { title: "losses".to_owned(), width, height, ..Picture::default() };
    for (at, phase) in phases.iter().enumerate() {
        plot(&mut picture, phase, MARGIN + at as f32 * (WIDTH + MARGIN));
    }
    footwork_draw::svg::write(&picture)
}

/// Maps steps and losses to the plot.
struct Scale {
    left: f32,
    steps: f32,
    low: f32,
    high: f32,
}

impl Scale {
    fn point(&self, step: u64, loss: f32) -> Point {
        let up = (loss.max(1e-9).log10() - self.low) / (self.high - self.low);
        [self.left + WIDTH * step as f32 / self.steps, MARGIN + HEIGHT * (1.0 - up.clamp(0.0, 1.0))]
    }

    fn line(&self, picture: &mut Picture, colour: Colour, points: impl Iterator<Item = (u64, f32)>) {
        picture.line(points.map(|(step, loss)| self.point(step, loss)).collect(), colour, 1.0);
    }
}

fn plot(picture: &mut Picture, phase: &PhaseRecord, left: f32) {
    let totals: Vec<f32> = phase.losses.iter().map(|parts| parts.iter().sum()).collect();
    let all = phase.losses.iter().flatten().chain(&totals).copied().filter(|v| *v > 0.0 && v.is_finite());
    let (low, high) = all.fold((f32::INFINITY, 1e-6f32), |(low, high), v| (low.min(v), high.max(v)));
    let low = low.clamp(high * 1e-4, high).log10().floor();
    let scale = Scale { left, steps: phase.steps.max(1) as f32, low, high: high.log10().ceil().max(low + 1.0) };
    let (name, steps, seconds) = (phase.phase.name(), phase.steps, phase.seconds);
    let heading = format!("{name}: {steps} steps, {seconds:.0} s, loss {:.3}", phase.last_loss());
    picture.words([left, MARGIN - 12.0], Anchor::Start, Font::Small, BLACK, heading);
    let frame = Frame { left, top: MARGIN, width: WIDTH, height: HEIGHT };
    picture.outlined(frame.corners(), WHITE, BORDER, 1.0);
    for decade in scale.low as i32..=scale.high as i32 {
        let value = 10f32.powi(decade);
        let [_, y] = scale.point(0, value);
        picture.line(vec![[left, y], [left + WIDTH, y]], GRID, 1.0);
        picture.words([left - 3.0, y + 3.0], Anchor::End, Font::Small, BLACK, value.to_string());
    }
    let mut at = [left, frame.bottom() + 18.0];
    for (part, name) in phase.parts.iter().enumerate() {
        let colour = COLOURS[part % COLOURS.len()];
        scale.line(picture, colour, phase.at.iter().copied().zip(phase.losses.iter().map(|parts| parts[part])));
        let width = Font::Small.width(name);
        if at[0] + width > frame.right() {
            at = [left, at[1] + 14.0];
        }
        picture.words(at, Anchor::Start, Font::Small, colour, name);
        at[0] += width + 14.0;
    }
    scale.line(picture, BLACK, phase.at.iter().copied().zip(totals));
    for (step, loss) in &phase.validation {
        picture.disc(scale.point(*step, *loss), [2.0; 2], BLACK, None);
    }
}
