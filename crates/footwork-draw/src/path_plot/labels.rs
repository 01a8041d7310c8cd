//! Placement of labels: beside their own line, nearer to it than to any other.

use super::view::View;

/// Mean width of a sans-serif character at the size of the labels, and its height.
const CHAR_PX: f64 = 7.6;
const HEIGHT_PX: f64 = 15.0;
/// Distances between a line and its label, in the order of trial.
const DISTANCES_PX: [f64; 4] = [7.0, 14.0, 26.0, 44.0];
/// Anchors on a line, as shares of its points, in the order of trial: from the middle to the ends.
const ANCHORS: [f64; 9] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.25, 0.75, 0.12, 0.88];
/// Minimum distance at which a leader connects a line with its label.
const LEADER_PX: f64 = 12.0;

/// Label on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Left, top, right, bottom.
    pub bounds: [f64; 4],
    /// Leader from the line to the label, if they are apart.
    pub leader: Option<[[f64; 2]; 2]>,
}

/// Labels of a page.
pub struct Labels<'a> {
    view: &'a View,
    /// `[lines]` points on the page.
    lines: &'a [Vec<[f64; 2]>],
    taken: Vec<[f64; 4]>,
}

impl<'a> Labels<'a> {
    /// Returns an empty set of labels.
    pub fn new(view: &'a View, lines: &'a [Vec<[f64; 2]>]) -> Self {
        Self { view, lines, taken: Vec::new() }
    }

    /// Returns the best free position for a label of a line, or `None` if every position is taken.
    pub fn place(&mut self, line: usize, chars: usize) -> Option<Label> {
        let width = CHAR_PX * chars as f64 + 4.0;
        let points = &self.lines[line];
        let anchor = |share: f64| points.get((share * points.len() as f64) as usize).copied();
        let mut best: Option<(f64, Label)> = None;
        for (i, [x, y]) in ANCHORS.into_iter().filter_map(anchor).enumerate() {
            for distance in DISTANCES_PX {
                for [sx, sy] in [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]] {
                    let d = if sx != 0 && sy != 0 { 0.7 * distance } else { distance };
                    let left = x + match sx {
                        1 => d,
                        -1 => -d - width,
                        _ => -0.5 * width,
                    };
                    let top = y + match sy {
                        1 => d,
                        -1 => -d - HEIGHT_PX,
                        _ => -0.5 * HEIGHT_PX,
                    };
                    let bounds = [left, top, left + width, top + HEIGHT_PX];
                    if !self.view.holds(&bounds) || self.taken.iter().any(|t| overlap(t, &bounds)) {
                        continue;
                    }
                    let cost = self.cost(line, &bounds) + 0.3 * distance + 2.0 * i as f64;
                    if best.as_ref().is_none_or(|b| cost < b.0) {
                        let end = [x.clamp(bounds[0], bounds[2]), y.clamp(bounds[1], bounds[3])];
                        let leader = (distance > LEADER_PX).then_some([[x, y], end]);
                        best = Some((cost, Label { bounds, leader }));
                    }
                }
            }
        }
        let label = best?.1;
        self.taken.push(label.bounds);
        Some(label)
    }

    /// Returns a cost for lines under the label, and for lines nearer to it than its own.
    fn cost(&self, line: usize, bounds: &[f64; 4]) -> f64 {
        let (mut under, mut own, mut other) = (0.0, f64::MAX, f64::MAX);
        for (i, points) in self.lines.iter().enumerate() {
            for p in points {
                let distance = distance(*p, bounds);
                if distance == 0.0 {
                    under += if i == line { 2.0 } else { 12.0 };
                }
                let nearest = if i == line { &mut own } else { &mut other };
                *nearest = nearest.min(distance);
            }
        }
        // The own line must be at most half as far as any other.
        under + 8.0 * (own - 0.5 * other).clamp(0.0, 50.0)
    }
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Returns the distance of a point from a box; 0 inside.
fn distance([x, y]: [f64; 2], b: &[f64; 4]) -> f64 {
    let (dx, dy) = ((b[0] - x).max(x - b[2]).max(0.0), (b[1] - y).max(y - b[3]).max(0.0));
    (dx * dx + dy * dy).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_nearer_to_its_own_line_than_to_any_other() {
        // Two walks side by side, 60 px apart, and a third across both.
        let along = |y: f64| -> Vec<[f64; 2]> { (0..40).map(|i| [f64::from(i) * 0.25, y]).collect() };
        let across: Vec<[f64; 2]> = (0..40).map(|i| [5.0, f64::from(i) * 0.15 - 2.0]).collect();
        let view = View::around(along(0.0).into_iter().chain(along(1.0)).chain(across.iter().copied())).unwrap();
        let lines: Vec<Vec<[f64; 2]>> =
            [along(0.0), along(1.0), across].iter().map(|l| l.iter().map(|p| view.place(*p)).collect()).collect();
        let mut labels = Labels::new(&view, &lines);
        for line in 0..3 {
            let label = labels.place(line, 8).unwrap();
            let near = |l: &Vec<[f64; 2]>| l.iter().map(|p| distance(*p, &label.bounds)).fold(f64::MAX, f64::min);
            let own = near(&lines[line]);
            for (other, points) in lines.iter().enumerate().filter(|(i, _)| *i != line) {
                assert!(own < near(points), "line {line}: {own} px, line {other}: {} px", near(points));
            }
        }
    }

    #[test]
    fn labels_of_one_point_do_not_cover_each_other() {
        let view = View::around([[0.0, 0.0]].into_iter()).unwrap();
        let lines = vec![vec![view.place([0.0, 0.0])]; 6];
        let mut labels = Labels::new(&view, &lines);
        let placed: Vec<Label> = (0..6).filter_map(|i| labels.place(i, 10)).collect();
        assert!(placed.len() >= 4, "{}", placed.len());
        for (i, a) in placed.iter().enumerate() {
            assert!(placed[..i].iter().all(|b| !overlap(&a.bounds, &b.bounds)));
        }
    }
}
