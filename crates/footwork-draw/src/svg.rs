//! Picture as SVG.

use crate::markup::{escape, number};
use crate::shapes::{Anchor, Colour, Font, Picture, Point, Shape};
use std::fmt::Write;

/// Maximum number of characters of a label.
const CHARS: usize = 400;

/// Returns a picture as an SVG file.
pub fn write(picture: &Picture) -> String {
    let (w, h) = (number(f64::from(picture.width)), number(f64::from(picture.height)));
    let title = escape(&picture.title, CHARS);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"'Noto Sans Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace\">\n\
         <title>{title}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n"
    );
    for shape in &picture.shapes {
        match shape {
            Shape::Area { points, fill, edge } => {
                let edge = edge.map(|(c, w)| stroke(c, w)).unwrap_or_default();
                let _ = writeln!(out, "<path d=\"{}Z\"{}{edge}/>", path(points), paint("fill", *fill));
            }
            Shape::Line { points, colour, width, dashed } => {
                let dash = if *dashed { " stroke-dasharray=\"4 3\"" } else { "" };
                let _ = writeln!(out, "<path d=\"{}\" fill=\"none\"{}{dash}/>", path(points), stroke(*colour, *width));
            }
            Shape::Words { at, anchor, font, colour, text } => words(&mut out, *at, *anchor, *font, *colour, text),
        }
    }
    out.push_str("</svg>\n");
    out
}

fn path(points: &[Point]) -> String {
    let mut d = String::new();
    for (i, [x, y]) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(f64::from(*x)), number(f64::from(*y)));
    }
    d
}

fn paint(what: &str, c: Colour) -> String {
    let colour = format!(" {what}=\"#{:02x}{:02x}{:02x}\"", c.0, c.1, c.2);
    match c.3 {
        255 => colour,
        a => format!("{colour} {what}-opacity=\"{:.2}\"", f32::from(a) / 255.0),
    }
}

fn stroke(c: Colour, width: f32) -> String {
    format!("{} stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"", paint("stroke", c))
}

fn words(out: &mut String, at: Point, anchor: Anchor, font: Font, colour: Colour, text: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if font == Font::Small { "" } else { " font-weight=\"600\"" };
    // The width of these typefaces is 0.6 of their size.
    let size = number(f64::from(font.advance() / 0.6));
    let (x, y, text) = (number(f64::from(at[0])), number(f64::from(at[1])), escape(text, CHARS));
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor}{}>{text}</text>",
        paint("fill", colour)
    );
}
