//! SVG files.

use crate::markup::{escape, number};
use crate::shapes::{Anchor, Colour, Font, Picture, Point, Shape};
use std::fmt::Write;

/// Maximum number of characters of a label.
const CHARS: usize = 400;
/// Typefaces with characters of one width, which is 0.6 of their size.
const MONOSPACED: &str = "'Noto Sans Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// Returns a picture as an SVG file.
pub fn write(picture: &Picture) -> String {
    let mut page = Page::default();
    for shape in &picture.shapes {
        match shape {
            Shape::Area { points, fill, edge } => {
                let edge = edge.map(|(colour, width)| Stroke { colour, width, dashed: false });
                page.path(&format!("{}Z", path(points)), Some(*fill), edge);
            }
            Shape::Line { points, colour, width, dashed } => {
                page.path(&path(points), None, Some(Stroke { colour: *colour, width: *width, dashed: *dashed }));
            }
            Shape::Words { at, anchor, font, colour, text } => {
                let size = f64::from(font.advance() / 0.6);
                let style = Text { anchor: *anchor, size, bold: *font != Font::Small, colour: *colour };
                page.text(at.map(f64::from), style, &escape(text, CHARS));
            }
        }
    }
    let size = [picture.width, picture.height].map(f64::from);
    page.finish(size, &escape(&picture.title, CHARS), MONOSPACED)
}

fn path(points: &[Point]) -> String {
    let mut d = String::new();
    for (i, [x, y]) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(f64::from(*x)), number(f64::from(*y)));
    }
    d
}

/// Style of a line.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width, in pixels.
    pub width: f32,
    /// True for a dashed line.
    pub dashed: bool,
}

impl Stroke {
    /// Returns a solid line.
    pub const fn solid(colour: Colour, width: f32) -> Self {
        Self { colour, width, dashed: false }
    }

    fn attributes(&self) -> String {
        let Self { colour, width, dashed } = self;
        let dash = if *dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let colour = paint("stroke", *colour);
        format!("{colour} stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{dash}")
    }
}

/// Style of a text.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Part of the text that is at the point.
    pub anchor: Anchor,
    /// Size, in pixels.
    pub size: f64,
    /// True for bold type.
    pub bold: bool,
    /// Colour.
    pub colour: Colour,
}

impl Text {
    /// Writes the attributes of a text on the baseline at a point.
    fn attributes(&self, at: [f64; 2]) -> String {
        let anchor = match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if self.bold { " font-weight=\"600\"" } else { "" };
        let ([x, y], size) = (at.map(number), number(self.size));
        format!("x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor}")
    }
}

/// An SVG file under construction. Text must be escaped. Later elements cover earlier ones.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// Adds a path with SVG path data. Does nothing without data.
    pub fn path(&mut self, data: &str, fill: Option<Colour>, stroke: Option<Stroke>) {
        if !data.is_empty() {
            let fill = fill.map_or(" fill=\"none\"".to_owned(), |fill| paint("fill", fill));
            let stroke = stroke.as_ref().map(Stroke::attributes).unwrap_or_default();
            let _ = writeln!(self.0, "<path d=\"{data}\"{fill}{stroke}/>");
        }
    }

    /// Adds a text on the baseline at a point.
    pub fn text(&mut self, at: [f64; 2], style: Text, text: &str) {
        let _ = writeln!(self.0, "<text {}{}>{text}</text>", style.attributes(at), paint("fill", style.colour));
    }

    /// Adds a line around the letters of a text. The text itself follows: many renderers do not support `paint-order`.
    pub fn halo(&mut self, at: [f64; 2], style: Text, around: Stroke, text: &str) {
        let _ = writeln!(self.0, "<text {}{}>{text}</text>", style.attributes(at), around.attributes());
    }

    /// Adds circles of one style.
    pub fn circles(&mut self, at: impl IntoIterator<Item = [f64; 2]>, radius: f64, fill: Colour, stroke: Stroke) {
        let _ = write!(self.0, "<g{}{}>", paint("fill", fill), stroke.attributes());
        for [x, y] in at {
            let _ = write!(self.0, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", number(x), number(y), number(radius));
        }
        self.0.push_str("</g>\n");
    }

    /// Returns the file, with this size in pixels, description and typefaces, on white.
    pub fn finish(self, size: [f64; 2], title: &str, family: &str) -> String {
        let ([w, h], body) = (size.map(number), self.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"{family}\">\n\
             <title>{title}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n{body}</svg>\n"
        )
    }
}

fn paint(what: &str, c: Colour) -> String {
    let colour = format!(" {what}=\"#{:02x}{:02x}{:02x}\"", c.0, c.1, c.2);
    match c.3 {
        255 => colour,
        a => format!("{colour} {what}-opacity=\"{:.2}\"", f32::from(a) / 255.0),
    }
}
