//! Picture as shapes of egui, for windows, web pages and games.

use crate::shapes::{Anchor, Colour, Font, Picture, Point, Shape};
use egui::epaint::{PathShape, PathStroke};
use egui::{Align2, Color32, FontFamily, FontId, Pos2, Stroke, Vec2};

/// Width of a character of egui's monospaced typeface, as a share of its size.
const ADVANCE: f32 = 0.6;

/// Converts a colour to egui.
pub fn colour(c: Colour) -> Color32 {
    Color32::from_rgba_unmultiplied(c.0, c.1, c.2, c.3)
}

/// Draws a picture with its upper left corner at `origin`. Areas must be convex, as those of figures and ground are.
pub fn paint(painter: &egui::Painter, origin: Pos2, picture: &Picture) {
    let place = |p: &Point| origin + Vec2::new(p[0], p[1]);
    for shape in &picture.shapes {
        match shape {
            Shape::Area { points, fill, edge } => {
                let edge = edge.map_or(Stroke::NONE, |(c, width)| Stroke::new(width, colour(c)));
                let points = points.iter().map(place).collect();
                painter.add(PathShape::convex_polygon(points, colour(*fill), edge));
            }
            Shape::Line { points, colour: c, width, dashed: false } => {
                let points = points.iter().map(place).collect();
                painter.add(PathShape::line(points, PathStroke::new(*width, colour(*c))));
            }
            Shape::Line { points, colour: c, width, dashed: true } => {
                let points: Vec<Pos2> = points.iter().map(place).collect();
                painter.extend(egui::Shape::dashed_line(&points, Stroke::new(*width, colour(*c)), 4.0, 3.0));
            }
            Shape::Words { at, anchor, font, colour: c, text } => {
                let align = match anchor {
                    Anchor::Start => Align2::LEFT_BOTTOM,
                    Anchor::Middle => Align2::CENTER_BOTTOM,
                    Anchor::End => Align2::RIGHT_BOTTOM,
                };
                let family = if *font == Font::Small { FontFamily::Proportional } else { FontFamily::Monospace };
                let id = FontId::new(font.advance() / ADVANCE, family);
                // The point is on the baseline, a fifth of the size above the lower edge.
                painter.text(place(at) + Vec2::new(0.0, 0.2 * id.size), align, text, id, colour(*c));
            }
        }
    }
}
