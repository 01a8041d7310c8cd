//! Placement of the ground on the page.

pub const LEFT: f64 = 46.0;
pub const TOP: f64 = 46.0;
pub const PLOT_WIDTH: f64 = 734.0;
const PLOT_HEIGHT: std::ops::RangeInclusive<f64> = 420.0..=1100.0;
/// Minimum distance between grid lines, in pixels.
const GRID_PX: f64 = 46.0;
/// Space around the paths, in pixels.
const PAD_PX: f64 = 34.0;

/// Mapping from the ground to the page: equal axes, +Z up, +X to the left.
pub struct View {
    /// Ground coordinates (x, z) in the middle of the plot.
    centre: [f64; 2],
    pub px_per_m: f64,
    pub height: f64,
    /// Distance between grid lines, in metres.
    pub step_m: f64,
}

impl View {
    /// Returns the view that shows all points `(x, z)`; `None` without points.
    pub fn around(points: impl Iterator<Item = [f64; 2]>) -> Option<Self> {
        let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
        for p in points {
            for i in 0..2 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        if low[0] > high[0] {
            return None;
        }
        // An idle character is shown on four metres of ground.
        let [w, h] = [0, 1].map(|i| (high[i] - low[i]).max(4.0));
        let inner = |px: f64| px - 2.0 * PAD_PX;
        let px_per_m = (inner(PLOT_WIDTH) / w).min(inner(*PLOT_HEIGHT.end()) / h);
        let height = (h * px_per_m + 2.0 * PAD_PX).clamp(*PLOT_HEIGHT.start(), *PLOT_HEIGHT.end());
        let mut step_m = 1.0;
        for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
            if step_m * px_per_m >= GRID_PX {
                break;
            }
            step_m *= factor;
        }
        Some(Self { centre: [0, 1].map(|i| (low[i] + high[i]) / 2.0), px_per_m, height, step_m })
    }

    /// Returns the position of a ground point `(x, z)` on the page.
    pub fn place(&self, p: [f64; 2]) -> [f64; 2] {
        [
            LEFT + PLOT_WIDTH / 2.0 - (p[0] - self.centre[0]) * self.px_per_m,
            TOP + self.height / 2.0 - (p[1] - self.centre[1]) * self.px_per_m,
        ]
    }

    /// Returns true for a box (left, top, right, bottom) within the plot.
    pub fn holds(&self, b: &[f64; 4]) -> bool {
        b[0] > LEFT && b[2] < LEFT + PLOT_WIDTH && b[1] > TOP && b[3] < TOP + self.height
    }

    /// Returns the multiples of the grid's step within the plot along x (0) or z (1), in metres.
    pub fn grid(&self, axis: usize) -> impl Iterator<Item = f64> + '_ {
        let half = [PLOT_WIDTH, self.height][axis] / 2.0 / self.px_per_m;
        let first = ((self.centre[axis] - half) / self.step_m).ceil();
        let last = ((self.centre[axis] + half) / self.step_m).floor();
        (0..=(last - first).max(0.0) as usize).map(move |k| (first + k as f64) * self.step_m)
    }
}
