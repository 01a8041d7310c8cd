//! Polylines, simplified to what is visible.

use crate::markup::number;
use std::fmt::Write;

/// Maximum shift of a simplified line, in pixels; it is not visible.
const TOLERANCE_PX: f64 = 0.2;
/// Number of points simplified together. For a path that zigzags at every sample, the time grows with the square of this.
const CHUNK: usize = 256;

/// A path on the page, in pieces between missing samples.
pub struct Line(Vec<Vec<[f64; 2]>>);

impl Line {
    /// Collects points; `None` starts a new piece. Points that coincide within the tolerance are dropped.
    pub fn of(points: impl Iterator<Item = Option<[f64; 2]>>) -> Self {
        let mut pieces: Vec<Vec<[f64; 2]>> = vec![Vec::new()];
        for p in points {
            let Some(piece) = pieces.last_mut() else { continue };
            match p {
                Some(p) if piece.last().is_none_or(|q| distance(p, *q) > TOLERANCE_PX) => piece.push(p),
                None if !piece.is_empty() => pieces.push(Vec::new()),
                _ => (),
            }
        }
        pieces.retain(|p| p.len() > 1);
        Self(pieces)
    }

    /// Returns SVG path data of each line, with at most `segments` segments in all: the tolerance grows until they fit.
    pub fn fitted(lines: &[Self], segments: usize) -> Vec<String> {
        let mut tolerance = TOLERANCE_PX;
        loop {
            let thin: Vec<Vec<Vec<[f64; 2]>>> =
                lines.iter().map(|l| l.0.iter().map(|p| simplify(p, tolerance)).collect()).collect();
            let count: usize = thin.iter().flatten().map(|p| p.len() - 1).sum();
            // Beyond the width of the page, every piece is one segment.
            if count <= segments || tolerance > 1000.0 {
                let mut left = segments;
                return thin.iter().map(|pieces| data(pieces, &mut left)).collect();
            }
            tolerance *= 2.0;
        }
    }
}

/// Returns path data; pieces that do not fit into `left` segments are dropped.
fn data(pieces: &[Vec<[f64; 2]>], left: &mut usize) -> String {
    let mut d = String::new();
    for piece in pieces {
        let Some(rest) = left.checked_sub(piece.len() - 1) else { continue };
        *left = rest;
        for (i, [x, y]) in piece.iter().enumerate() {
            let _ = write!(d, "{}{} {}", if i == 0 { "M" } else { "L" }, number(*x), number(*y));
        }
    }
    d
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// Returns the distance of a point to a segment.
pub fn distance_to(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length2 = d[0] * d[0] + d[1] * d[1];
    let t = if length2 > 0.0 { ((d[0] * e[0] + d[1] * e[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
    distance(p, [a[0] + d[0] * t, a[1] + d[1] * t])
}

/// Removes points whose absence shifts the line by at most `tolerance`, but keeps one in [`CHUNK`].
///
/// Source: Douglas and Peucker (1973), with an explicit stack: recursion could overflow on long paths.
pub fn simplify(points: &[[f64; 2]], tolerance: f64) -> Vec<[f64; 2]> {
    let mut keep: Vec<bool> = (0..points.len()).map(|i| i % CHUNK == 0 || i + 1 == points.len()).collect();
    let last = points.len().saturating_sub(1);
    let mut stack: Vec<(usize, usize)> = (0..last).step_by(CHUNK).map(|a| (a, (a + CHUNK).min(last))).collect();
    while let Some((a, b)) = stack.pop() {
        let (mut worst, mut at) = (tolerance, 0);
        for i in a + 1..b {
            let d = distance_to(points[i], points[a], points[b]);
            if d > worst {
                (worst, at) = (d, i);
            }
        }
        if at > 0 {
            keep[at] = true;
            stack.extend([(a, at), (at, b)]);
        }
    }
    points.iter().zip(keep).filter(|(_, k)| *k).map(|(p, _)| *p).collect()
}
