//! Page of a scatter plot: rows along their two principal axes.

use crate::session::Session;
use crate::style;
use egui_plot::{MarkerShape, Plot, PlotPoints, Points};
use footwork::advanced::matcher::LastSearch;
use footwork::database::{Database, TagMask};
use footwork_draw::paint::colour as paint;
use footwork_metrics::analysis::Scatter;

/// Maximum number of points.
const MOST_POINTS: usize = 4000;

/// Colouring of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Colour {
    #[default]
    Clip,
    Tag(usize),
    Cost,
}

/// Page of the scatter plot.
#[derive(Debug, Default)]
pub(super) struct Plane {
    colour: Colour,
    scatter: Option<Scatter>,
}

impl Plane {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let db = session.database.clone();
        let scatter = self.scatter.get_or_insert_with(|| Scatter::of(&db, MOST_POINTS));
        ui.horizontal(|ui| {
            ui.label("colour by");
            let words = match self.colour {
                Colour::Clip => "clip",
                Colour::Tag(t) => db.tags.get(t).map_or("tag", String::as_str),
                Colour::Cost => "cost for now",
            };
            egui::ComboBox::from_id_salt("colour").selected_text(words).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.colour, Colour::Clip, "clip");
                ui.selectable_value(&mut self.colour, Colour::Cost, "cost for now");
                for (t, tag) in db.tags.iter().enumerate() {
                    ui.selectable_value(&mut self.colour, Colour::Tag(t), tag);
                }
            });
        });
        let matcher = session.shown();
        let playing = matcher.last_search().and_then(LastSearch::chosen);
        let query = matcher.last_query();
        let mut groups: std::collections::BTreeMap<[u8; 4], Vec<[f64; 2]>> = Default::default();
        for (row, [x, y]) in scatter.rows.iter().zip(&scatter.points) {
            let colour = match self.colour {
                Colour::Clip => style::clip(db.row_clips[row.at()].at()),
                Colour::Tag(t) if db.row_tags(row.at()).intersects(&tag(&db, t)) => paint(style::MATCHED),
                Colour::Tag(_) => ui.visuals().weak_text_color(),
                Colour::Cost => {
                    let cost = query.as_ref().map_or(0.0, |q| q.distance(&db, *row, false));
                    // Eight steps from near to far.
                    let share = (footwork::advanced::math::ln(1.0 + cost) / 3.0).clamp(0.0, 1.0);
                    let step = (share * 8.0).floor() / 8.0;
                    egui::ecolor::Hsva::new(0.33 - 0.33 * step, 0.8, 0.85, 1.0).into()
                }
            };
            groups.entry(colour.to_array()).or_default().push([f64::from(*x), f64::from(*y)]);
        }
        let plot =
            Plot::new("scatter").data_aspect(1.0).show_axes(false).height(ui.available_height().max(160.0) - 24.0);
        let explained = scatter.explained;
        let now = playing.map(|m| scatter.project(db.features.row(m.row)));
        let shown = plot.show(ui, |plot| {
            for (colour, points) in groups {
                let [r, g, b, a] = colour;
                let colour = egui::Color32::from_rgba_premultiplied(r, g, b, a);
                plot.points(Points::new("", PlotPoints::from(points)).radius(1.6).color(colour));
            }
            if let Some([x, y]) = now {
                let here = vec![[f64::from(x), f64::from(y)]];
                let marker = Points::new("plays", PlotPoints::from(here)).radius(7.0).shape(MarkerShape::Circle);
                plot.points(marker.filled(false).color(paint(style::MATCHED)));
            }
            plot.response().clicked().then(|| plot.pointer_coordinate()).flatten()
        });
        ui.label(format!("The two main axes hold {:.0} % of the spread.", 100.0 * (explained[0] + explained[1])));
        if let Some(at) = shown.inner {
            let distance = |p: &[f32; 2]| {
                let [x, y] = [f64::from(p[0]) - at.x, f64::from(p[1]) - at.y];
                x * x + y * y
            };
            let nearest = scatter.points.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            if let Some((k, _)) = nearest {
                let row = scatter.rows[k];
                session.show_moment(db.row_clips[row.at()], db.row_time_s(row));
            }
        }
    }
}

fn tag(db: &Database, index: usize) -> TagMask {
    db.tags.get(index).and_then(|name| db.tag_mask(name).ok()).unwrap_or_default()
}
