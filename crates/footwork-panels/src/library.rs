//! The database: its clips, features, coverage.

use crate::session::{Mode, Session};
use crate::style;
use egui::{RichText, Sense};
use egui_extras::{Column, TableBuilder};
use egui_plot::{Bar, BarChart, MarkerShape, Plot, PlotPoints, Points};
use footwork::database::{Database, TagMask};
use footwork::frames::ClipIndex;
use footwork::matcher::LastSearch;
use footwork::motion::StickSpeeds;
use footwork::trajectory::{DIRECTIONS, SPEEDS_MPS, TURNS_DEG_S};
use footwork_draw::paint::colour as paint;
use footwork_metrics::analysis::{Coverage, CoverageCell, Histogram, Scatter, histograms};
use std::sync::Arc;

/// Points of the scatter plot, at most.
const MOST_POINTS: usize = 4000;
const BINS: usize = 40;

/// What is shown of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Clips,
    Features,
    Scatter,
    Coverage,
}

/// How clips are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Name,
    Seconds,
    Played,
}

/// How points are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Colour {
    #[default]
    Clip,
    Tag(usize),
    Cost,
}

/// The panel.
#[derive(Debug, Default)]
pub struct Library {
    page: Page,
    filter: String,
    order: Order,
    colour: Colour,
    /// The database that the rest is of.
    database: Option<Arc<Database>>,
    histograms: Vec<Histogram>,
    scatter: Option<Scatter>,
    /// With the speeds that it was made for.
    coverage: Option<(StickSpeeds, Coverage)>,
    column: usize,
}

impl Library {
    /// Draws it.
    pub(crate) fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        if self.database.as_ref().is_none_or(|db| !Arc::ptr_eq(db, &session.database)) {
            *self = Self { database: Some(session.database.clone()), page: self.page, ..Self::default() };
        }
        let db = session.database.clone();
        let made = db.clips[..db.originals()].iter().filter(|c| db.clip_tags(c).contains(&Database::MADE)).count();
        ui.label(format!(
            "{}: {} clips and {made} made of them, {:.1} minutes, {} rows of {} features, {:.1} MB",
            session.name,
            db.originals() - made,
            db.seconds() / 60.0,
            db.rows(),
            db.features.columns,
            db.bytes() as f64 / 1e6,
        ));
        ui.horizontal(|ui| {
            for (page, words) in [
                (Page::Clips, "Clips"),
                (Page::Features, "Features"),
                (Page::Scatter, "Scatter"),
                (Page::Coverage, "Coverage"),
            ] {
                ui.selectable_value(&mut self.page, page, words);
            }
        });
        ui.separator();
        match self.page {
            Page::Clips => self.clips(ui, session),
            Page::Features => self.features(ui, session),
            Page::Scatter => self.scatter(ui, session),
            Page::Coverage => self.coverage(ui, session),
        }
    }

    fn clips(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let db = session.database.clone();
        let played = played_s(session);
        ui.add(
            egui::TextEdit::singleline(&mut self.filter).hint_text("find a clip or tag").desired_width(f32::INFINITY),
        );
        let wanted = self.filter.trim().to_lowercase();
        let fits = |k: &usize| {
            let name_fits = db.clips[*k].name.to_lowercase().contains(&wanted);
            name_fits || tags(&db, *k).iter().any(|t| t.to_lowercase().contains(&wanted))
        };
        let mut shown: Vec<usize> = (0..db.originals()).filter(fits).collect();
        let seconds = |k: usize| db.view(ClipIndex::new(k), false).seconds();
        match self.order {
            Order::Name => shown.sort_by(|a, b| db.clips[*a].name.cmp(&db.clips[*b].name)),
            Order::Seconds => shown.sort_by(|a, b| seconds(*b).total_cmp(&seconds(*a))),
            Order::Played => shown.sort_by(|a, b| played[*b].total_cmp(&played[*a])),
        }
        let playing = match &session.mode {
            Mode::Clip(player) => Some(player.clip),
            _ => session.shown().character().plays_clips().then(|| session.shown().output().playing.clip),
        };
        let mut clicked = None;
        let table = TableBuilder::new(ui).striped(true).sense(Sense::click()).auto_shrink(false);
        let table = table.column(Column::remainder().at_least(110.0).clip(true)).columns(Column::auto(), 2);
        table
            .header(20.0, |mut header| {
                for (order, words) in [(Order::Name, "clip"), (Order::Seconds, "s"), (Order::Played, "played")] {
                    header.col(|ui| {
                        ui.selectable_value(&mut self.order, order, RichText::new(words).strong());
                    });
                }
            })
            .body(|body| {
                body.rows(18.0, shown.len(), |mut row| {
                    let k = shown[row.index()];
                    let clip = &db.clips[k];
                    row.set_selected(playing.is_some_and(|clip| clip.at() == k));
                    row.col(|ui| {
                        let loops = if clip.looping() { "↻ " } else { "" };
                        ui.add(egui::Label::new(format!("{loops}{}", clip.name)).selectable(false).truncate());
                    });
                    row.col(|ui| {
                        ui.add(egui::Label::new(format!("{:.1}", seconds(k))).selectable(false));
                    });
                    row.col(|ui| {
                        ui.add(egui::Label::new(format!("{:.1}", played[k])).selectable(false));
                    });
                    let response = row.response().on_hover_ui(|ui| {
                        ui.label(format!("{}: {} frames, {} rows", clip.name, clip.frames, clip.rows));
                        let tags = tags(&db, k).join(", ");
                        ui.label(if tags.is_empty() { "no tags".to_owned() } else { tags });
                    });
                    if response.clicked() {
                        clicked = Some(ClipIndex::new(k));
                    }
                });
            });
        if let Some(clip) = clicked {
            session.play_clip(clip);
        }
    }

    fn features(&mut self, ui: &mut egui::Ui, session: &Session) {
        if self.histograms.is_empty() {
            self.histograms = histograms(&session.database, BINS);
        }
        let Some(h) = self.histograms.get(self.column) else { return };
        egui::ComboBox::from_id_salt("column").selected_text(&h.label).width(ui.available_width()).show_ui(ui, |ui| {
            for (c, other) in self.histograms.iter().enumerate() {
                ui.selectable_value(&mut self.column, c, &other.label);
            }
        });
        let [low, high] = h.range.map(f64::from);
        let width = (high - low) / h.counts.len().max(1) as f64;
        let bars = h
            .counts
            .iter()
            .enumerate()
            .map(|(k, count)| Bar::new(low + (k as f64 + 0.5) * width, f64::from(*count)).width(width));
        let chart = BarChart::new("rows", bars.collect()).color(style::channel(h.channel));
        let plot = Plot::new("histogram").height(220.0).allow_scroll(false).x_axis_label(h.unit);
        plot.show(ui, |plot| {
            plot.bar_chart(chart);
            let (now, asked) = self.now(session);
            if let Some(v) = asked {
                plot.vline(egui_plot::VLine::new("asked", f64::from(v)).color(paint(style::COMMANDED)).width(2.0));
            }
            if let Some(v) = now {
                plot.vline(egui_plot::VLine::new("plays", f64::from(v)).color(paint(style::MATCHED)).width(2.0));
            }
        });
        ui.label("Green: what the last search asked for. Red: the row that plays.");
    }

    /// The value of the column in the row that plays, and as it was asked for.
    fn now(&self, session: &Session) -> (Option<f32>, Option<f32>) {
        let (db, matcher) = (&session.database, session.shown());
        let raw = |v: f32| db.features.denormalize(self.column, v);
        let asked = matcher.last_query().and_then(|q| q.features.get(self.column).copied()).map(raw);
        let row = matcher.last_search().and_then(LastSearch::chosen);
        (row.map(|m| raw(db.features.row(m.row)[self.column])), asked)
    }

    fn coverage(&mut self, ui: &mut egui::Ui, session: &Session) {
        let db = &session.database;
        let stick = session.tuning.matcher().speeds.over(&db.stick);
        if self.coverage.as_ref().is_none_or(|c| c.0 != stick) {
            self.coverage = Some((stick, Coverage::of(db, &stick)));
        }
        let Some((_, coverage)) = &self.coverage else { return };
        let missing = coverage.missing().len();
        ui.label(format!(
            "{:.0} % of what a random stick asks for is there; {missing} kinds of motion are missing (framed).",
            100.0 * coverage.covered()
        ));
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (s, speeds) in SPEEDS_MPS.windows(2).enumerate() {
                ui.add_space(4.0);
                ui.label(RichText::new(format!("{} to {} m/s", speeds[0], speeds[1])).strong());
                egui::Grid::new(("coverage", s)).num_columns(6).spacing([3.0, 3.0]).show(ui, |ui| {
                    ui.label("");
                    for turns in TURNS_DEG_S.windows(2) {
                        let middle = 0.5 * (turns[0] + turns[1]);
                        ui.label(RichText::new(format!("{middle:+.0}°/s")).small());
                    }
                    ui.end_row();
                    for (d, direction) in DIRECTIONS.iter().enumerate() {
                        ui.label(RichText::new(*direction).small());
                        for t in 0..TURNS_DEG_S.len() - 1 {
                            cell(ui, coverage.cell(s, t, d));
                        }
                        ui.end_row();
                    }
                });
            }
        });
    }

    fn scatter(&mut self, ui: &mut egui::Ui, session: &mut Session) {
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
                    // In eight steps from near to far.
                    let share = (footwork::math::ln(1.0 + cost) / 3.0).clamp(0.0, 1.0);
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

/// Seconds of one kind of motion.
fn cell(ui: &mut egui::Ui, cell: &CoverageCell) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(38.0, 17.0), Sense::hover());
    let seconds = cell.seconds();
    let visuals = ui.visuals();
    // From nothing to a minute.
    let share = (footwork::math::ln(1.0 + seconds) / 4.1).clamp(0.0, 1.0);
    let empty = visuals.faint_bg_color;
    let full = paint(style::COMMANDED);
    ui.painter().rect_filled(rect, 2.0, empty.lerp_to_gamma(full, share));
    if cell.is_missing() {
        let frame = egui::Stroke::new(1.5, visuals.error_fg_color);
        ui.painter().rect_stroke(rect, 2.0, frame, egui::StrokeKind::Inside);
    }
    let words = if seconds > 0.0 { format!("{seconds:.0}") } else { String::new() };
    let font = egui::FontId::proportional(10.0);
    ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, words, font, visuals.strong_text_color());
    response.on_hover_ui(|ui| {
        let card = &cell.card;
        ui.label(format!(
            "captured {:.1} s, made {:.1} s, mirrored {:.1} s",
            card.have_s, cell.made_s, cell.mirrored_s
        ));
        let asked = if card.asked { format!("{:.1} s per minute", card.asked_s_per_min) } else { "never".to_owned() };
        ui.label(format!("a random stick asks for it {asked}"));
    });
}

fn tag(db: &Database, index: usize) -> TagMask {
    db.tags.get(index).and_then(|name| db.tag_mask(name).ok()).unwrap_or_default()
}

/// Tags of a clip, anywhere in it.
fn tags(db: &Database, clip: usize) -> Vec<&str> {
    let all = db.clips[clip].row_range().fold(Default::default(), |all, row| all | *db.row_tags(row));
    db.tag_names(all).collect()
}

/// `[clips]` seconds for which each was played in the recording.
fn played_s(session: &Session) -> Vec<f32> {
    let mut played = vec![0.0; session.database.clips.len()];
    for s in session.tracks.iter() {
        if let Some(p) = s.clip.and_then(|clip| played.get_mut(clip.at())) {
            *p += s.dt_s;
        }
    }
    played
}
