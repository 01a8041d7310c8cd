//! Title, subtitle and legend.

use crate::cell::{FAINT, INK, Subject};
use crate::figure::Half;
use crate::layout::MARGIN;
use crate::shapes::{Anchor, Colour, Font, Frame, Picture, Point, cut};
use crate::timeline::triangle;

const HEADER_PX: f32 = 62.0;

/// Signs to list in the legend.
pub struct Marks {
    jumps: bool,
    borders: bool,
    commanded: bool,
    cells: bool,
}

impl Marks {
    pub fn of(subjects: &[Subject], cells: bool) -> Self {
        Self {
            jumps: subjects.iter().any(|s| s.motion.transitions.iter().any(|t| s.span.contains(&t.0))),
            borders: subjects
                .iter()
                .any(|s| s.motion.parts.iter().any(|p| p.start > s.span.start && p.start < s.span.end)),
            commanded: subjects.iter().any(|s| !s.motion.commanded.is_empty()),
            cells,
        }
    }

    /// Returns the entries in the order of the legend.
    fn names(&self) -> Vec<&'static str> {
        let mut names = vec![LEFT, RIGHT, PLANTED, if self.cells { TRACE_OF_CELL } else { TRACE }];
        let others = [(self.jumps, JUMPED), (self.borders, NEXT), (self.commanded, COMMANDED)];
        names.extend(others.iter().filter(|o| o.0).map(|o| o.1));
        names
    }
}

const LEFT: &str = "left";
const RIGHT: &str = "right";
const PLANTED: &str = "foot on the ground";
const TRACE: &str = "path of a foot";
const TRACE_OF_CELL: &str = "path of a foot, last 0.4 s";
const JUMPED: &str = "transition";
const NEXT: &str = "next clip or part";
const COMMANDED: &str = "commanded path";

/// Title, subtitle and legend above the figures.
pub struct Header<'a> {
    title: &'a str,
    subtitle: &'a str,
    /// Lines of the legend.
    legend: Vec<Vec<&'static str>>,
    /// True if the legend fits beside the subtitle.
    beside: bool,
}

impl<'a> Header<'a> {
    pub fn new(title: &'a str, subtitle: &'a str, marks: &Marks, avail: f32) -> Self {
        let names = marks.names();
        let room = avail - Font::Small.width(subtitle) - 24.0;
        if legend_width(&names) <= room {
            return Self { title, subtitle, legend: vec![names], beside: true };
        }
        let mut legend: Vec<Vec<&str>> = vec![Vec::new()];
        for name in names {
            let line = legend.len() - 1;
            if legend_width(&legend[line]) + legend_width(&[name]) + LEGEND_GAP_PX > avail && !legend[line].is_empty() {
                legend.push(vec![name]);
            } else {
                legend[line].push(name);
            }
        }
        Self { title, subtitle, legend, beside: false }
    }

    pub fn height(&self) -> f32 {
        HEADER_PX + if self.beside { 0.0 } else { LEGEND_LINE_PX * self.legend.len() as f32 }
    }

    pub fn draw(&self, picture: &mut Picture) {
        let avail = picture.width - 2.0 * MARGIN;
        let title = cut(self.title, (avail / Font::Large.advance()) as usize);
        picture.words([MARGIN, MARGIN + 18.0], Anchor::Start, Font::Large, INK, title);
        let mut y = MARGIN + 44.0;
        let subtitle = cut(self.subtitle, (avail / Font::Small.advance()) as usize);
        picture.words([MARGIN, y], Anchor::Start, Font::Small, FAINT, subtitle);
        for line in &self.legend {
            let mut x = MARGIN;
            if self.beside {
                x += avail - legend_width(line);
            } else {
                y += LEGEND_LINE_PX;
            }
            for name in line {
                sign(picture, name, [x, y]);
                picture.words([x + 20.0, y], Anchor::Start, Font::Small, INK, *name);
                x += 20.0 + Font::Small.width(name) + LEGEND_GAP_PX;
            }
        }
    }
}

const LEGEND_GAP_PX: f32 = 16.0;
const LEGEND_LINE_PX: f32 = 20.0;

fn legend_width(names: &[&str]) -> f32 {
    names.iter().map(|n| 20.0 + Font::Small.width(n) + LEGEND_GAP_PX).sum::<f32>() - LEGEND_GAP_PX
}

/// Draws the sign before an entry of the legend.
fn sign(p: &mut Picture, name: &str, [x, y]: Point) {
    let (left, right) = (Half::Left.colour(), Half::Right.colour());
    match name {
        LEFT => p.disc([x + 6.0, y - 4.0], [5.5, 5.5], left, Some((INK, 0.8))),
        RIGHT => p.disc([x + 6.0, y - 4.0], [5.5, 5.5], right, Some((INK, 0.8))),
        PLANTED => {
            p.rectangle(&Frame { left: x, top: y - 9.0, width: 14.0, height: 4.0 }, left);
            p.rectangle(&Frame { left: x, top: y - 4.0, width: 14.0, height: 4.0 }, right);
        }
        TRACE | TRACE_OF_CELL => p.line(vec![[x, y], [x + 5.0, y - 8.0], [x + 14.0, y - 3.0]], right, 1.6),
        JUMPED => triangle(p, [x + 7.0, y]),
        NEXT => p.dashed(vec![[x + 7.0, y + 2.0], [x + 7.0, y - 12.0]], INK, 2.0),
        _ => p.line(vec![[x, y - 4.0], [x + 14.0, y - 4.0]], Colour::rgb(0xb4bac4), 3.0),
    }
}
