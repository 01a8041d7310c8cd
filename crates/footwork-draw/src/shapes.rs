//! Display list of a picture: areas, lines and text, in drawing order.

use footwork::advanced::math::sin_cos;

/// Red, green, blue, opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour(pub u8, pub u8, pub u8, pub u8);

impl Colour {
    /// Returns an opaque colour from 0xRRGGBB.
    pub const fn rgb(hex: u32) -> Self {
        Self((hex >> 16) as u8, (hex >> 8) as u8, hex as u8, 255)
    }

    /// Returns the colour with another opacity.
    pub const fn alpha(self, alpha: u8) -> Self {
        Self(self.0, self.1, self.2, alpha)
    }

    /// Returns a mix with another colour; the opacity is unchanged.
    pub fn towards(self, to: Self, share: f32) -> Self {
        let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
        Self(mix(self.0, to.0), mix(self.1, to.1), mix(self.2, to.2), self.3)
    }
}

/// Position on the page, in pixels from the left and the top.
pub type Point = [f32; 2];

/// Size and weight of text. All characters have the same width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Font {
    /// Regular, 7 pixels per character.
    Small,
    /// Bold, 7 pixels per character.
    SmallBold,
    /// Bold, 11 pixels per character.
    Large,
}

impl Font {
    /// Returns the distance from one character to the next, in pixels.
    pub fn advance(self) -> f32 {
        match self {
            Self::Small | Self::SmallBold => 7.0,
            Self::Large => 11.0,
        }
    }

    /// Returns the width of a text, in pixels.
    pub fn width(self, text: &str) -> f32 {
        self.advance() * text.chars().count() as f32
    }
}

/// Alignment of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The point is at the start.
    Start,
    /// The point is in the middle.
    Middle,
    /// The point is at the end.
    End,
}

/// Shape on the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Closed area.
    Area {
        /// Corners, in order around the area.
        points: Vec<Point>,
        /// Fill colour.
        fill: Colour,
        /// Colour and width of the border; the width is in pixels.
        edge: Option<(Colour, f32)>,
    },
    /// Open line.
    Line {
        /// Points from start to end.
        points: Vec<Point>,
        /// Colour.
        colour: Colour,
        /// Width, in pixels.
        width: f32,
        /// True for a dashed line.
        dashed: bool,
    },
    /// Line of text.
    Words {
        /// Point on the baseline.
        at: Point,
        /// Part of the text that is at the point.
        anchor: Anchor,
        /// Size and weight.
        font: Font,
        /// Colour.
        colour: Colour,
        /// Text, one line.
        text: String,
    },
}

/// Picture.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Description, for readers who cannot see the picture.
    pub title: String,
    /// Width, in pixels.
    pub width: f32,
    /// Height, in pixels.
    pub height: f32,
    /// Shapes, in drawing order.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// Adds an area.
    pub fn area(&mut self, points: Vec<Point>, fill: Colour) {
        self.shapes.push(Shape::Area { points, fill, edge: None });
    }

    /// Adds an area with an edge.
    pub fn outlined(&mut self, points: Vec<Point>, fill: Colour, edge: Colour, width: f32) {
        self.shapes.push(Shape::Area { points, fill, edge: Some((edge, width)) });
    }

    /// Adds a rectangle.
    pub fn rectangle(&mut self, b: &Frame, fill: Colour) {
        self.area(b.corners(), fill);
    }

    /// Adds an ellipse. `radius` is half its width and half its height.
    pub fn disc(&mut self, at: Point, radius: [f32; 2], fill: Colour, edge: Option<(Colour, f32)>) {
        let points = ring(24).map(|[x, y]| [at[0] + x * radius[0], at[1] + y * radius[1]]).collect();
        self.shapes.push(Shape::Area { points, fill, edge });
    }

    /// Adds a polyline. Does nothing with fewer than two points.
    pub fn line(&mut self, points: Vec<Point>, colour: Colour, width: f32) {
        if points.len() > 1 {
            self.shapes.push(Shape::Line { points, colour, width, dashed: false });
        }
    }

    /// Adds a dashed polyline.
    pub fn dashed(&mut self, points: Vec<Point>, colour: Colour, width: f32) {
        self.shapes.push(Shape::Line { points, colour, width, dashed: true });
    }

    /// Adds text, unless it is empty.
    pub fn words(&mut self, at: Point, anchor: Anchor, font: Font, colour: Colour, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.shapes.push(Shape::Words { at, anchor, font, colour, text });
        }
    }

    /// Adds a polyline, clipped to a frame.
    pub fn line_within(&mut self, points: &[Point], within: &Frame, colour: Colour, width: f32) {
        let mut run: Vec<Point> = Vec::new();
        for pair in points.windows(2) {
            let Some([a, b]) = within.cut(pair[0], pair[1]) else {
                self.line(std::mem::take(&mut run), colour, width);
                continue;
            };
            if run.last() != Some(&a) {
                self.line(std::mem::take(&mut run), colour, width);
                run.push(a);
            }
            run.push(b);
        }
        self.line(run, colour, width);
    }
}

/// Returns a text shortened to at most `chars` characters.
pub fn cut(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(chars.saturating_sub(2)).collect();
    short.push_str("..");
    if chars < 4 { String::new() } else { short }
}

/// Returns `n` points on a unit circle.
pub fn ring(n: usize) -> impl Iterator<Item = [f32; 2]> {
    (0..n).map(move |k| {
        let (s, c) = sin_cos(k as f32 / n as f32 * std::f32::consts::TAU);
        [c, s]
    })
}

/// Rectangle on the page, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Distance from the left.
    pub left: f32,
    /// Distance from the top.
    pub top: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Frame {
    /// Returns the right edge.
    pub fn right(&self) -> f32 {
        self.left + self.width
    }

    /// Returns the lower edge.
    pub fn bottom(&self) -> f32 {
        self.top + self.height
    }

    /// Returns the corners, in order around the rectangle.
    pub fn corners(&self) -> Vec<Point> {
        let (l, t, r, b) = (self.left, self.top, self.right(), self.bottom());
        vec![[l, t], [r, t], [r, b], [l, b]]
    }

    /// Returns true for points inside and on the edge.
    pub fn contains(&self, p: Point) -> bool {
        (self.left..=self.right()).contains(&p[0]) && (self.top..=self.bottom()).contains(&p[1])
    }

    /// Returns the part of a segment within the frame (Liang and Barsky).
    pub fn cut(&self, a: Point, b: Point) -> Option<[Point; 2]> {
        let d = [b[0] - a[0], b[1] - a[1]];
        let (mut from, mut to) = (0.0f32, 1.0f32);
        let borders = [(0, self.left, self.right()), (1, self.top, self.bottom())];
        for (axis, low, high) in borders {
            if d[axis] == 0.0 {
                if a[axis] < low || a[axis] > high {
                    return None;
                }
                continue;
            }
            let (t, u) = ((low - a[axis]) / d[axis], (high - a[axis]) / d[axis]);
            from = from.max(t.min(u));
            to = to.min(t.max(u));
        }
        let at = |t: f32| {
            if t == 0.0 {
                a
            } else if t == 1.0 {
                b
            } else {
                [a[0] + d[0] * t, a[1] + d[1] * t]
            }
        };
        (from < to).then(|| [at(from), at(to)])
    }
}

impl Frame {
    /// Returns the part of a polygon within the frame (Sutherland and Hodgman).
    pub fn clip(&self, mut polygon: Vec<Point>) -> Vec<Point> {
        let borders = [(0, self.left, 1.0f32), (0, self.right(), -1.0), (1, self.top, 1.0), (1, self.bottom(), -1.0)];
        for (axis, border, sign) in borders {
            let inside = |p: Point| sign * (p[axis] - border) >= 0.0;
            let mut kept = Vec::with_capacity(polygon.len() + 2);
            for (i, b) in polygon.iter().enumerate() {
                let a = polygon[(i + polygon.len() - 1) % polygon.len()];
                if inside(a) != inside(*b) {
                    let t = (border - a[axis]) / (b[axis] - a[axis]);
                    kept.push([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]);
                }
                if inside(*b) {
                    kept.push(*b);
                }
            }
            polygon = kept;
        }
        polygon
    }
}

/// Returns the convex hull of points, in order around it.
pub fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let mut around: Vec<Point> = Vec::with_capacity(points.len() + 1);
    let turn = |o: Point, a: Point, b: Point| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    for pass in 0..2 {
        let start = around.len();
        let walk: &mut dyn Iterator<Item = &Point> =
            if pass == 0 { &mut points.iter() } else { &mut points.iter().rev() };
        for p in walk {
            while around.len() >= start + 2 && turn(around[around.len() - 2], around[around.len() - 1], *p) <= 0.0 {
                around.pop();
            }
            around.push(*p);
        }
        around.pop();
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_leaves_inner_points_out() {
        let square = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0], [1.0, 0.0]];
        let mut h = hull(square);
        h.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        assert_eq!(h, [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]);
    }

    #[test]
    fn a_polygon_is_cut_at_the_border() {
        let frame = Frame { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        let mut corner = frame.clip(vec![[5.0, 5.0], [15.0, 5.0], [15.0, 15.0], [5.0, 15.0]]);
        corner.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        assert_eq!(corner, [[5.0, 5.0], [5.0, 10.0], [10.0, 5.0], [10.0, 10.0]]);
        assert!(frame.clip(vec![[20.0, 20.0], [30.0, 20.0], [30.0, 30.0]]).is_empty());
    }

    #[test]
    fn a_line_is_cut_at_the_border_and_goes_on_where_it_comes_back() {
        let frame = Frame { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        assert_eq!(frame.cut([-5.0, 5.0], [5.0, 5.0]), Some([[0.0, 5.0], [5.0, 5.0]]));
        assert_eq!(frame.cut([-5.0, 5.0], [-1.0, 9.0]), None);
        let mut picture = Picture::default();
        picture.line_within(&[[5.0, 5.0], [15.0, 5.0], [15.0, 6.0], [5.0, 6.0]], &frame, Colour::rgb(0), 1.0);
        assert_eq!(picture.shapes.len(), 2);
    }
}
