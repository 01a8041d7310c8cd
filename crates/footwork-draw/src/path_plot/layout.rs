//! Page: placement of the ground, grid, legend.

use super::labels::Label;
use super::view::{LEFT, PLOT_WIDTH, TOP, View};
use crate::markup::{escape, number};
use crate::shapes::{Anchor, Colour};
use crate::svg::{Page, Stroke, Text};
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
/// Space below the plot for the numbers of the grid.
const BOTTOM: f64 = 34.0;
const LEGEND: f64 = LEFT + PLOT_WIDTH + 18.0;
const LEGEND_STEP: f64 = 19.0;
const FAMILY: &str = "Helvetica, Arial, sans-serif";
/// Radius of the circle of a transition, in pixels.
const TRANSITION_PX: f64 = 2.8;
const WHITE: Colour = Colour::rgb(0xff_ff_ff);
const BLACK: Colour = Colour::rgb(0x11_11_11);
const GREY: Colour = Colour::rgb(0x66_66_77);
const START: Colour = Colour::rgb(0x1a_98_50);
const TEXT: Text = Text { anchor: Anchor::Start, size: 13.0, bold: false, colour: Colour::rgb(0x22_26_2b) };
const HEADING: Text = Text { size: 18.0, bold: true, ..TEXT };

/// SVG file under construction.
pub struct Canvas {
    page: Page,
    title: String,
    legend_y: f64,
    bottom: f64,
}

impl Canvas {
    /// Starts a file with heading and grid.
    pub fn open(title: &str, view: &View) -> Self {
        let (mut page, title) = headed(title);
        let (right, bottom) = (LEFT + PLOT_WIDTH, TOP + view.height);
        let mut lines = String::new();
        let numbers = Text { size: 11.0, colour: GREY, ..TEXT };
        for x in view.grid(0) {
            let px = view.place([x, 0.0])[0];
            let _ = write!(lines, "M{} {TOP}V{}", number(px), number(bottom));
            page.text([px, bottom + 15.0], Text { anchor: Anchor::Middle, ..numbers }, &number(x));
        }
        for z in view.grid(1) {
            let y = view.place([0.0, z])[1];
            let _ = write!(lines, "M{LEFT} {}H{}", number(y), number(right));
            page.text([LEFT - 6.0, y + 4.0], Text { anchor: Anchor::End, ..numbers }, &number(z));
        }
        page.path(&lines, None, Some(Stroke::solid(Colour::rgb(0xe3_e5_e8), 1.0)));
        let frame = format!("M{LEFT} {TOP}H{}V{}H{LEFT}Z", number(right), number(bottom));
        page.path(&frame, None, Some(Stroke::solid(Colour::rgb(0xb5_b9_bf), 1.0)));
        Self { page, title, legend_y: TOP + 12.0, bottom: TOP + view.height + BOTTOM }
    }

    /// Adds an unfilled path. Does nothing without data.
    pub fn path(&mut self, data: &str, stroke: Stroke) {
        self.page.path(data, None, Some(stroke));
    }

    /// Adds a hollow circle for each transition.
    pub fn transitions(&mut self, at: impl IntoIterator<Item = [f64; 2]>) {
        self.page.circles(at, TRANSITION_PX, WHITE.alpha(153), Stroke::solid(BLACK, 0.9));
    }

    /// Adds a green disc at the start.
    pub fn start_mark(&mut self, at: [f64; 2]) {
        self.page.circles([at], 6.0, START, Stroke::solid(WHITE, 1.5));
    }

    /// Adds a black square at the end.
    pub fn end_mark(&mut self, [x, y]: [f64; 2]) {
        let square = format!("M{} {}h10v10h-10Z", number(x - 5.0), number(y - 5.0));
        self.page.path(&square, Some(BLACK), Some(Stroke::solid(WHITE, 1.5)));
    }

    /// Adds a label with escaped text.
    pub fn label(&mut self, label: &Label, text: &str, colour: Colour) {
        if let Some([[x0, y0], [x1, y1]]) = label.leader {
            let leader = format!("M{} {}L{} {}", number(x0), number(y0), number(x1), number(y1));
            self.path(&leader, Stroke::solid(colour, 1.0));
        }
        let [left, _, _, bottom] = label.bounds;
        let (at, style) = ([left + 2.0, bottom - 3.0], Text { bold: true, colour, ..TEXT });
        self.page.halo(at, style, Stroke::solid(WHITE, 3.0), text);
        self.page.text(at, style, text);
    }

    /// Adds a legend entry: a sample of a line and escaped text.
    pub fn legend_line(&mut self, stroke: Stroke, text: &str) {
        let sample = format!("M{} {}h26", number(LEGEND), number(self.legend_y - 4.0));
        self.path(&sample, stroke);
        self.legend_text(text);
    }

    /// Adds a legend entry of escaped text.
    pub fn legend_text(&mut self, text: &str) {
        self.page.text([LEGEND + 34.0, self.legend_y], TEXT, text);
        self.legend_y += LEGEND_STEP;
    }

    /// Adds the legend entry of the ticks.
    pub fn legend_ticks(&mut self, text: &str) {
        let ticks = format!("M{} {}h26m-20 0l4 -10m6 10l4 -10", number(LEGEND), number(self.legend_y - 2.0));
        self.path(&ticks, Stroke::solid(Colour::rgb(0x33_38_3f), 1.1));
        self.legend_text(text);
    }

    /// Adds the legend entry of the transitions.
    pub fn legend_transitions(&mut self, text: &str) {
        self.transitions([[LEGEND + 13.0, self.legend_y - 4.0]]);
        self.legend_text(text);
    }

    /// Adds the legend entries of disc and square.
    pub fn legend_ends(&mut self) {
        self.start_mark([LEGEND + 13.0, self.legend_y - 4.0]);
        self.legend_text("start");
        self.end_mark([LEGEND + 13.0, self.legend_y - 4.0]);
        self.legend_text("end");
    }

    /// Adds the axes and the scale bar.
    pub fn legend_axes(&mut self, view: &View) {
        let (x, y) = (LEGEND + 62.0, self.legend_y + 62.0);
        let arrows = format!("M{0} {1}v-48m-4 8l4 -8l4 8M{0} {1}h-44m8 -4l-8 4l8 4", number(x), number(y));
        self.path(&arrows, Stroke::solid(BLACK, 1.4));
        self.page.text([x + 8.0, y - 38.0], TEXT, "+Z");
        self.page.text([x - 44.0, y + 18.0], TEXT, "+X");
        self.page.text([x + 8.0, y - 14.0], TEXT, "seen from above");
        let bar = view.step_m * view.px_per_m;
        self.page.text([LEGEND, y + 66.0], TEXT, &format!("{} m (grid {0} m)", number(view.step_m)));
        let scale = format!("M{} {}v-8m0 4h{}m0 -4v8", number(LEGEND), number(y + 48.0), number(bar));
        self.path(&scale, Stroke::solid(BLACK, 1.6));
        self.legend_y = y + 66.0;
    }

    /// Returns the whole file.
    pub fn close(self) -> String {
        let height = self.bottom.max(self.legend_y + 16.0);
        self.page.finish([WIDTH, height], &self.title, FAMILY)
    }
}

/// Returns a file with a message for missing data.
pub fn nothing(title: &str) -> String {
    let (mut page, title) = headed(title);
    page.text([LEFT, 90.0], Text { colour: GREY, ..TEXT }, "nothing to show");
    page.finish([WIDTH, 160.0], &title, FAMILY)
}

/// Returns a page with a heading, and the escaped heading.
fn headed(title: &str) -> (Page, String) {
    let (mut page, title) = (Page::default(), escape(title, 90));
    page.text([LEFT, 28.0], HEADING, &title);
    (page, title)
}
