//! Page: placement of the ground, grid, legend.

use super::labels::Label;
use super::view::{LEFT, PLOT_WIDTH, TOP, View};
use crate::markup::{escape, number};
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
/// Space below the plot for the numbers of the grid.
const BOTTOM: f64 = 34.0;
const LEGEND: f64 = LEFT + PLOT_WIDTH + 18.0;
const LEGEND_STEP: f64 = 19.0;
/// SVG file under construction.
pub struct Canvas {
    head: String,
    body: String,
    legend_y: f64,
    bottom: f64,
}

impl Canvas {
    /// Starts a file with heading and grid.
    pub fn open(title: &str, view: &View) -> Self {
        let mut c = Self {
            head: escape(title, 90),
            body: String::new(),
            legend_y: TOP + 12.0,
            bottom: TOP + view.height + BOTTOM,
        };
        let (right, bottom) = (LEFT + PLOT_WIDTH, TOP + view.height);
        let mut lines = String::new();
        c.raw("<g fill=\"#667\" font-size=\"11\">\n");
        for x in view.grid(0) {
            let px = number(view.place([x, 0.0])[0]);
            let _ = write!(lines, "M{px} {TOP}V{}", number(bottom));
            let text = number(x);
            c.raw(&format!("<text x=\"{px}\" y=\"{}\" text-anchor=\"middle\">{text}</text>\n", number(bottom + 15.0)));
        }
        for z in view.grid(1) {
            let y = view.place([0.0, z])[1];
            let _ = write!(lines, "M{LEFT} {}H{}", number(y), number(right));
            let (x, y, text) = (number(LEFT - 6.0), number(y + 4.0), number(z));
            c.raw(&format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{text}</text>\n"));
        }
        c.raw("</g>\n");
        c.path(&lines, "stroke=\"#e3e5e8\" stroke-width=\"1\"");
        let frame = format!("M{LEFT} {TOP}H{}V{}H{LEFT}Z", number(right), number(bottom));
        c.path(&frame, "stroke=\"#b5b9bf\" stroke-width=\"1\"");
        c
    }

    /// Appends markup.
    pub fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    /// Appends an unfilled path. Does nothing without data.
    pub fn path(&mut self, d: &str, style: &str) {
        if !d.is_empty() {
            let _ = writeln!(self.body, "<path d=\"{d}\" fill=\"none\" {style}/>");
        }
    }

    /// Appends a green disc at the start.
    pub fn start_mark(&mut self, [x, y]: [f64; 2]) {
        let (x, y) = (number(x), number(y));
        self.raw(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"#1a9850\" stroke=\"#fff\" stroke-width=\"1.5\"/>\n"
        ));
    }

    /// Appends a black square at the end.
    pub fn end_mark(&mut self, [x, y]: [f64; 2]) {
        let (x, y) = (number(x - 5.0), number(y - 5.0));
        self.raw(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"#111\" stroke=\"#fff\" stroke-width=\"1.5\"/>\n"
        ));
    }

    /// Appends a label with escaped text.
    pub fn label(&mut self, label: &Label, text: &str, colour: &str) {
        if let Some([[x0, y0], [x1, y1]]) = label.leader {
            let d = format!("M{} {}L{} {}", number(x0), number(y0), number(x1), number(y1));
            self.path(&d, &format!("stroke=\"{colour}\" stroke-width=\"1\""));
        }
        let [left, _, _, bottom] = label.bounds;
        let at = format!("x=\"{}\" y=\"{}\" font-weight=\"600\"", number(left + 2.0), number(bottom - 3.0));
        // Drawn twice, because many renderers do not support `paint-order`.
        let halo = "stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\"";
        self.raw(&format!("<text {at} {halo}>{text}</text><text {at} fill=\"{colour}\">{text}</text>\n"));
    }

    /// Appends a legend entry: a sample of a line and escaped text.
    pub fn legend_line(&mut self, colour: &str, style: &str, text: &str) {
        let d = format!("M{} {}h26", number(LEGEND), number(self.legend_y - 4.0));
        self.path(&d, &format!("stroke=\"{colour}\" {style}"));
        self.legend_entry(text);
    }

    /// Appends a legend entry of escaped text.
    pub fn legend_text(&mut self, text: &str) {
        self.legend_entry(text);
    }

    /// Appends the legend entry of the ticks.
    pub fn legend_ticks(&mut self, text: &str) {
        let y = self.legend_y - 2.0;
        let d = format!("M{} {}h26m-20 0l4 -10m6 10l4 -10", number(LEGEND), number(y));
        self.path(&d, "stroke=\"#33383f\" stroke-width=\"1.1\"");
        self.legend_entry(text);
    }

    /// Appends the legend entry of the hollow circles.
    pub fn legend_circle(&mut self, text: &str) {
        let (x, y) = (number(LEGEND + 13.0), number(self.legend_y - 4.0));
        self.raw(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.8\" fill=\"#fff\" stroke=\"#111\" stroke-width=\"0.9\"/>\n"
        ));
        self.legend_entry(text);
    }

    /// Appends the legend entries of disc and square.
    pub fn legend_ends(&mut self) {
        self.start_mark([LEGEND + 13.0, self.legend_y - 4.0]);
        self.legend_entry("start");
        self.end_mark([LEGEND + 13.0, self.legend_y - 4.0]);
        self.legend_entry("end");
    }

    /// Appends the axes and the scale bar.
    pub fn legend_axes(&mut self, view: &View) {
        let (x, y) = (LEGEND + 62.0, self.legend_y + 62.0);
        let arrows = format!("M{0} {1}v-48m-4 8l4 -8l4 8M{0} {1}h-44m8 -4l-8 4l8 4", number(x), number(y));
        self.path(&arrows, "stroke=\"#111\" stroke-width=\"1.4\"");
        let mut text = |x: f64, y: f64, t: &str| {
            self.raw(&format!("<text x=\"{}\" y=\"{}\">{t}</text>\n", number(x), number(y)));
        };
        text(x + 8.0, y - 38.0, "+Z");
        text(x - 44.0, y + 18.0, "+X");
        text(x + 8.0, y - 14.0, "seen from above");
        let bar = view.step_m * view.px_per_m;
        text(LEGEND, y + 66.0, &format!("{} m (grid {0} m)", number(view.step_m)));
        let d = format!("M{} {}v-8m0 4h{}m0 -4v8", number(LEGEND), number(y + 48.0), number(bar));
        self.path(&d, "stroke=\"#111\" stroke-width=\"1.6\"");
        self.legend_y = y + 66.0;
    }

    fn legend_entry(&mut self, text: &str) {
        let (x, y) = (number(LEGEND + 34.0), number(self.legend_y));
        self.raw(&format!("<text x=\"{x}\" y=\"{y}\">{text}</text>\n"));
        self.legend_y += LEGEND_STEP;
    }

    /// Returns the whole file.
    pub fn close(self) -> String {
        let height = self.bottom.max(self.legend_y + 16.0);
        page(&self.head, height, &self.body)
    }
}

/// Returns a file with a message for missing data.
pub fn nothing(title: &str) -> String {
    page(&escape(title, 90), 160.0, "<text x=\"46\" y=\"90\" fill=\"#667\">nothing to show</text>\n")
}

fn page(title: &str, height: f64, body: &str) -> String {
    let height = number(height);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#22262b\">\n\
         <title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"18\" font-weight=\"600\">{title}</text>\n\
         {body}</svg>\n"
    )
}
