//! Plots of numbers as display lists: histogram, scatter, heat map, bars.
//!
//! The colours match those of the other pictures, so that a page can replace each of them on a dark background.

use crate::cell::{BORDER, FAINT, INK};
use crate::shapes::{Anchor, Colour, Font, Frame, Picture, Point, cut};

/// Colour of data without a group.
pub const DATA: Colour = Colour::rgb(0x3f7fc4);
/// Colour of missing data, or of values beyond a limit.
pub const ALERT: Colour = Colour::rgb(0xc0272d);
/// Colours of groups, in order. The first six are distinguishable with red-green colour blindness.
pub const GROUPS: [Colour; 8] = [
    Colour::rgb(0x0072b2),
    Colour::rgb(0xd55e00),
    Colour::rgb(0x009e73),
    Colour::rgb(0xb0408a),
    Colour::rgb(0xb58900),
    Colour::rgb(0x3b3fb6),
    Colour::rgb(0x7a5230),
    Colour::rgb(0x6b7280),
];

/// Distribution of values in bins of equal width.
#[derive(Clone, Copy, Debug)]
pub struct HistogramPlot<'a> {
    /// Name of the values.
    pub title: &'a str,
    /// Unit of the values; may be empty.
    pub unit: &'a str,
    /// First and last value.
    pub range: [f32; 2],
    /// `[bins]` counts.
    pub counts: &'a [u32],
}

impl HistogramPlot<'_> {
    /// Draws the histogram, `width` x `height` pixels.
    pub fn draw(&self, width: f32, height: f32) -> Picture {
        let mut picture = Picture { title: self.title.to_owned(), width, height, ..Picture::default() };
        let frame = Frame { left: 6.0, top: 24.0, width: width - 12.0, height: height - 44.0 };
        let chars = (frame.width / Font::Small.advance()) as usize;
        picture.words([frame.left, 15.0], Anchor::Start, Font::SmallBold, INK, cut(self.title, chars));
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1) as f32;
        let bar = frame.width / self.counts.len().max(1) as f32;
        for (i, count) in self.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            // At least one pixel, so that a single row is visible beside thousands.
            let tall = (*count as f32 / most * frame.height).max(1.0);
            let left = frame.left + bar * i as f32;
            let gap = if bar > 4.0 { 1.0 } else { 0.0 };
            picture.rectangle(&Frame { left, top: frame.bottom() - tall, width: bar - gap, height: tall }, DATA);
        }
        let base = frame.bottom() + 0.5;
        picture.line(vec![[frame.left, base], [frame.right(), base]], FAINT, 1.0);
        let y = frame.bottom() + 15.0;
        let [low, high] = self.range.map(|v| value(v, self.range));
        let high = format!("{high} {}", self.unit);
        picture.words([frame.left, y], Anchor::Start, Font::Small, FAINT, low);
        picture.words([frame.right(), y], Anchor::End, Font::Small, FAINT, high.trim_end());
        picture
    }
}

/// Formats a value with the decimals that its range needs.
fn value(v: f32, [low, high]: [f32; 2]) -> String {
    let size = (high - low).abs().max(low.abs()).max(high.abs());
    let text = match size {
        s if !s.is_finite() || s >= 1e5 => format!("{v:.0e}"),
        s if s >= 100.0 => format!("{v:.0}"),
        s if s >= 10.0 => format!("{v:.1}"),
        s if s >= 0.01 || s == 0.0 => format!("{v:.2}"),
        _ => format!("{v:.0e}"),
    };
    if text.trim_start_matches('-').bytes().all(|b| b == b'0' || b == b'.') { "0".to_owned() } else { text }
}

/// Points in two dimensions, with groups.
#[derive(Clone, Copy, Debug)]
pub struct ScatterPlot<'a> {
    /// Title.
    pub title: &'a str,
    /// Positions. Points that are not finite are omitted.
    pub points: &'a [[f32; 2]],
    /// `[points]` index into `names`; invalid indices belong to the last group.
    pub groups: &'a [usize],
    /// Names of the groups. At most as many as [`GROUPS`].
    pub names: &'a [String],
    /// Names of the horizontal and the vertical axis.
    pub axes: [&'a str; 2],
    /// Line drawn over the points, such as through the rows of a run; may be empty.
    pub trail: &'a [[f32; 2]],
}

impl ScatterPlot<'_> {
    /// Draws the plot, `width` x `height` pixels, with the same scale on both axes.
    pub fn draw(&self, width: f32, height: f32) -> Picture {
        const LEGEND_PX: f32 = 190.0;
        let mut picture = Picture { title: self.title.to_owned(), width, height, ..Picture::default() };
        let legend = if self.names.len() > 1 { LEGEND_PX } else { 0.0 };
        let frame = Frame { left: 26.0, top: 8.0, width: width - legend - 34.0, height: height - 34.0 };
        picture.line([frame.corners(), vec![frame.corners()[0]]].concat(), BORDER, 1.0);
        let [x, y] = [frame.left + frame.width / 2.0, frame.bottom() + 18.0];
        picture.words([x, y], Anchor::Middle, Font::Small, FAINT, self.axes[0]);
        // Text is always horizontal, so the name of the vertical axis is at its top.
        picture.words([frame.left + 6.0, frame.top + 16.0], Anchor::Start, Font::Small, FAINT, self.axes[1]);
        let finite = |p: &&[f32; 2]| p[0].is_finite() && p[1].is_finite();
        let mut bounds = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for [x, y] in self.points.iter().chain(self.trail).filter(finite) {
            bounds = [bounds[0].min(*x), bounds[1].min(*y), bounds[2].max(*x), bounds[3].max(*y)];
        }
        let [w, h] = [bounds[2] - bounds[0], bounds[3] - bounds[1]].map(|v| v.max(1e-6));
        let scale = ((frame.width - 24.0) / w).min((frame.height - 40.0) / h);
        let middle = [(bounds[0] + bounds[2]) / 2.0, (bounds[1] + bounds[3]) / 2.0];
        let centre = [frame.left + frame.width / 2.0, frame.top + frame.height / 2.0 + 6.0];
        let place = |p: &[f32; 2]| [centre[0] + (p[0] - middle[0]) * scale, centre[1] - (p[1] - middle[1]) * scale];
        let last = self.names.len().clamp(1, GROUPS.len()) - 1;
        for (i, p) in self.points.iter().enumerate().filter(|(_, p)| finite(p)) {
            let group = self.groups.get(i).copied().unwrap_or(last).min(last);
            mark(&mut picture, place(p), group);
        }
        let trail: Vec<Point> = self.trail.iter().filter(finite).map(place).collect();
        picture.line(trail, INK.alpha(120), 1.0);
        for (group, name) in self.names.iter().enumerate().take(GROUPS.len()).filter(|_| legend > 0.0) {
            let y = frame.top + 14.0 + 20.0 * group as f32;
            mark(&mut picture, [frame.right() + 18.0, y - 4.0], group);
            let chars = ((LEGEND_PX - 30.0) / Font::Small.advance()) as usize;
            picture.words([frame.right() + 28.0, y], Anchor::Start, Font::Small, INK, cut(name, chars));
        }
        picture
    }
}

/// Draws a point of a group. Groups differ in shape as well as colour.
fn mark(picture: &mut Picture, [x, y]: Point, group: usize) {
    let colour = GROUPS[group % GROUPS.len()].alpha(190);
    let points = match group % 4 {
        0 => vec![[x - 1.7, y - 1.7], [x + 1.7, y - 1.7], [x + 1.7, y + 1.7], [x - 1.7, y + 1.7]],
        1 => vec![[x, y - 2.6], [x + 2.4, y + 1.8], [x - 2.4, y + 1.8]],
        2 => vec![[x, y - 2.6], [x + 2.6, y], [x, y + 2.6], [x - 2.6, y]],
        _ => vec![[x, y + 2.6], [x - 2.4, y - 1.8], [x + 2.4, y - 1.8]],
    };
    picture.area(points, colour);
}

/// Table with a value in each cell.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap<'a> {
    /// Title.
    pub title: &'a str,
    /// Names of the columns, from the left.
    pub columns: &'a [String],
    /// Names of the rows, from the top.
    pub rows: &'a [String],
    /// `[rows x columns]` cells.
    pub cells: &'a [HeatCell],
}

/// Cell of a heat map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatCell {
    /// Share of the full colour, from 0 (background) to 1.
    pub share: f32,
    /// Text.
    pub text: String,
    /// True for a border in the colour of missing data.
    pub alert: bool,
}

impl HeatMap<'_> {
    /// Draws the map, `width` pixels wide.
    pub fn draw(&self, width: f32) -> Picture {
        const NAMES_PX: f32 = 84.0;
        const ROW_PX: f32 = 34.0;
        const TOP_PX: f32 = 46.0;
        let height = TOP_PX + ROW_PX * self.rows.len() as f32 + 6.0;
        let mut picture = Picture { title: self.title.to_owned(), width, height, ..Picture::default() };
        picture.words([4.0, 16.0], Anchor::Start, Font::SmallBold, INK, self.title);
        let cell = (width - NAMES_PX - 4.0) / self.columns.len().max(1) as f32;
        let chars = (cell / Font::Small.advance()) as usize;
        for (c, name) in self.columns.iter().enumerate() {
            let x = NAMES_PX + cell * (c as f32 + 0.5);
            picture.words([x, TOP_PX - 8.0], Anchor::Middle, Font::Small, FAINT, cut(name, chars));
        }
        for (r, name) in self.rows.iter().enumerate() {
            let top = TOP_PX + ROW_PX * r as f32;
            picture.words([NAMES_PX - 6.0, top + 20.0], Anchor::End, Font::Small, FAINT, cut(name, 11));
            for c in 0..self.columns.len() {
                let Some(shown) = self.cells.get(r * self.columns.len() + c) else { continue };
                let left = NAMES_PX + cell * c as f32;
                let frame = Frame { left: left + 1.0, top: top + 1.0, width: cell - 2.0, height: ROW_PX - 2.0 };
                let (edge, width) = if shown.alert { (ALERT, 2.0) } else { (BORDER, 1.0) };
                // The text is readable also on the darkest cell.
                let alpha = (shown.share.clamp(0.0, 1.0) * 150.0) as u8;
                let fill = DATA.alpha(alpha);
                let inset = Frame {
                    left: frame.left + width / 2.0,
                    top: frame.top + width / 2.0,
                    width: frame.width - width,
                    height: frame.height - width,
                };
                picture.outlined(inset.corners(), fill, edge, width);
                let at = [frame.left + frame.width / 2.0, top + 21.0];
                picture.words(at, Anchor::Middle, Font::Small, INK, cut(&shown.text, chars));
            }
        }
        picture
    }
}

/// Values as horizontal bars.
#[derive(Clone, Copy, Debug)]
pub struct BarPlot<'a> {
    /// Title.
    pub title: &'a str,
    /// Names, values, and texts of the values.
    pub bars: &'a [(String, f32, String)],
}

impl BarPlot<'_> {
    /// Draws the bars, `width` pixels wide.
    pub fn draw(&self, width: f32) -> Picture {
        const ROW_PX: f32 = 24.0;
        let advance = Font::Small.advance();
        let longest = |of: &dyn Fn(&(String, f32, String)) -> usize| self.bars.iter().map(of).max().unwrap_or(0) as f32;
        let names = longest(&|b| b.0.chars().count()).min(30.0) * advance + 12.0;
        let values = longest(&|b| b.2.chars().count()) * advance + 14.0;
        let height = ROW_PX * self.bars.len() as f32 + 8.0;
        let mut picture = Picture { title: self.title.to_owned(), width, height, ..Picture::default() };
        let most = self.bars.iter().map(|b| b.1).filter(|v| v.is_finite()).fold(f32::MIN_POSITIVE, f32::max);
        let room = (width - names - values).max(10.0);
        for (i, (name, v, words)) in self.bars.iter().enumerate() {
            let top = 4.0 + ROW_PX * i as f32;
            picture.words([names - 8.0, top + 16.0], Anchor::End, Font::Small, INK, cut(name, 30));
            let long = if v.is_finite() { (v / most * room).clamp(1.0, room) } else { 1.0 };
            picture.rectangle(&Frame { left: names, top: top + 4.0, width: long, height: ROW_PX - 8.0 }, DATA);
            picture.words([names + long + 6.0, top + 16.0], Anchor::Start, Font::Small, INK, words.clone());
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;

    fn areas(picture: &Picture) -> usize {
        picture.shapes.iter().filter(|s| matches!(s, Shape::Area { .. })).count()
    }

    /// Checks that all shapes lie within the picture, and all coordinates are finite.
    fn inside(picture: &Picture) {
        let page = Frame { left: -0.01, top: -0.01, width: picture.width + 0.02, height: picture.height + 0.02 };
        for shape in &picture.shapes {
            let points = match shape {
                Shape::Area { points, .. } | Shape::Line { points, .. } => points.clone(),
                Shape::Words { at, .. } => vec![*at],
            };
            assert!(points.iter().all(|p| page.contains(*p)), "{shape:?}");
        }
    }

    #[test]
    fn a_histogram_has_a_bar_for_every_bin_with_rows() {
        let counts = [3, 0, 1, 100_000];
        let plot = HistogramPlot { title: "Hips velocity z", unit: "m/s", range: [-1.0, 4.5], counts: &counts };
        let picture = plot.draw(220.0, 110.0);
        assert_eq!(areas(&picture), 3);
        inside(&picture);
        inside(
            &HistogramPlot { title: "", unit: "", range: [f32::NAN, f32::INFINITY], counts: &[] }.draw(220.0, 110.0),
        );
    }

    #[test]
    fn a_scatter_has_a_mark_for_every_finite_point_and_the_legend() {
        let points = [[0.0, 0.0], [1.0, 5.0], [f32::NAN, 1.0], [-1e15, 1e15]];
        let names = ["walk".to_owned(), "run".to_owned()];
        let plot = ScatterPlot {
            title: "rows",
            points: &points,
            groups: &[0, 1, 0, 99],
            names: &names,
            axes: ["first", "second"],
            trail: &[[0.0, 0.0], [1.0, 1.0]],
        };
        let picture = plot.draw(700.0, 400.0);
        assert_eq!(areas(&picture), 3 + 2);
        inside(&picture);
        let none = ScatterPlot { points: &[], groups: &[], names: &[], trail: &[], ..plot };
        assert_eq!(areas(&none.draw(700.0, 400.0)), 0);
    }

    #[test]
    fn heat_maps_and_bars_say_in_words_what_their_colours_show() {
        let cells = [
            HeatCell { share: 1.0, text: "12 s".into(), alert: false },
            HeatCell { share: f32::NAN, text: "none".into(), alert: true },
        ];
        let (columns, rows) = (["left".to_owned(), "right".to_owned()], ["1 to 2 m/s".to_owned()]);
        let map = HeatMap { title: "ahead", columns: &columns, rows: &rows, cells: &cells }.draw(300.0);
        let words: Vec<&str> = map
            .shapes
            .iter()
            .filter_map(|s| if let Shape::Words { text, .. } = s { Some(text.as_str()) } else { None })
            .collect();
        assert!(words.contains(&"none") && words.contains(&"12 s"), "{words:?}");
        assert_eq!(areas(&map), 2);
        inside(&map);
        let bars = [("tree".to_owned(), 30.0, "30 us".to_owned()), ("brute".to_owned(), f32::NAN, "-".to_owned())];
        let plot = BarPlot { title: "search", bars: &bars }.draw(500.0);
        assert_eq!(areas(&plot), 2);
        inside(&plot);
    }
}
