//! Page of clips: filter, sort and play the clips of a database.

use crate::mode::Mode;
use crate::session::Session;
use egui::{RichText, Sense};
use egui_extras::{Column, TableBuilder, TableRow};
use footwork::database::Database;
use footwork::frames::ClipIndex;

/// Order of the clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Name,
    Seconds,
    Played,
}

/// Page of clips.
#[derive(Debug, Default)]
pub(super) struct Clips {
    filter: String,
    order: Order,
    /// True to list the clips that the build made.
    shows_made: bool,
}

/// Line of the list.
enum Line {
    Clip(usize),
    /// Number of made clips. A click shows or hides them.
    Made(usize),
}

impl Clips {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let db = session.database.clone();
        let played = played_s(session);
        ui.add(
            egui::TextEdit::singleline(&mut self.filter).hint_text("find a clip or tag").desired_width(f32::INFINITY),
        );
        let lines = self.lines(&db, &played);
        let playing = match &session.mode {
            Mode::Clip(player) => Some(player.clip),
            _ => session.shown().character().plays_clips().then(|| session.shown().output().playing.clip),
        };
        let shows_made = self.shows_made || self.is_filtered();
        let (mut clicked, mut fold_clicked) = (None, false);
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
                body.rows(18.0, lines.len(), |mut row| match lines[row.index()] {
                    Line::Made(count) => fold_clicked |= fold_line(&mut row, count, shows_made),
                    Line::Clip(k) => {
                        row.set_selected(playing.is_some_and(|clip| clip.at() == k));
                        if clip_line(&mut row, &db, k, played[k]) {
                            clicked = Some(ClipIndex::new(k));
                        }
                    }
                });
            });
        self.shows_made ^= fold_clicked;
        if let Some(clip) = clicked {
            session.play_clip(clip);
        }
    }

    /// Returns the lines of the clips that fit the filter, in their order.
    fn lines(&self, db: &Database, played: &[f32]) -> Vec<Line> {
        let wanted = self.filter.trim().to_lowercase();
        let fits = |k: &usize| {
            let name_fits = db.clips[*k].name.to_lowercase().contains(&wanted);
            name_fits || tags(db, *k).iter().any(|t| t.to_lowercase().contains(&wanted))
        };
        let fitting = (0..db.originals()).filter(fits);
        let (mut shown, mut made): (Vec<usize>, Vec<usize>) = fitting.partition(|k| !db.is_made(&db.clips[*k]));
        let seconds = |k: usize| seconds(db, k);
        for list in [&mut shown, &mut made] {
            match self.order {
                Order::Name => list.sort_by(|a, b| db.clips[*a].name.cmp(&db.clips[*b].name)),
                Order::Seconds => list.sort_by(|a, b| seconds(*b).total_cmp(&seconds(*a))),
                Order::Played => list.sort_by(|a, b| played[*b].total_cmp(&played[*a])),
            }
        }
        let shows_made = self.shows_made || self.is_filtered();
        let fold = (!made.is_empty()).then_some(Line::Made(made.len()));
        let made = made.into_iter().filter(|_| shows_made).map(Line::Clip);
        shown.into_iter().map(Line::Clip).chain(fold).chain(made).collect()
    }

    fn is_filtered(&self) -> bool {
        !self.filter.trim().is_empty()
    }
}

/// Draws the line of made clips. Returns true if it is clicked.
fn fold_line(row: &mut TableRow, count: usize, is_open: bool) -> bool {
    let mark = if is_open { "▼" } else { "▶" };
    row.col(|ui| {
        ui.add(egui::Label::new(format!("{mark} {count} made clips")).selectable(false).truncate());
    });
    (0..2).for_each(|_| _ = row.col(|_| {}));
    row.response().on_hover_text("Clips that the build made out of captured ones").clicked()
}

/// Draws the line of a clip. Returns true if it is clicked.
fn clip_line(row: &mut TableRow, db: &Database, k: usize, played_s: f32) -> bool {
    let clip = &db.clips[k];
    row.col(|ui| {
        let loops = if clip.looping() { "↻ " } else { "" };
        ui.add(egui::Label::new(format!("{loops}{}", clip.name)).selectable(false).truncate());
    });
    row.col(|ui| {
        ui.add(egui::Label::new(format!("{:.1}", seconds(db, k))).selectable(false));
    });
    row.col(|ui| {
        ui.add(egui::Label::new(format!("{played_s:.1}")).selectable(false));
    });
    let response = row.response().on_hover_ui(|ui| {
        ui.label(format!("{}: {} frames, {} rows", clip.name, clip.frames, clip.rows));
        let tags = tags(db, k).join(", ");
        ui.label(if tags.is_empty() { "no tags".to_owned() } else { tags });
    });
    response.clicked()
}

/// Returns the duration of a clip, in seconds.
fn seconds(db: &Database, clip: usize) -> f64 {
    db.view(ClipIndex::new(clip), false).seconds()
}

/// Returns the tags that any row of a clip has.
fn tags(db: &Database, clip: usize) -> Vec<&str> {
    let all = db.clips[clip].row_range().fold(Default::default(), |all, row| all | *db.row_tags(row));
    db.tag_names(all).collect()
}

/// Returns the `[clips]` seconds that each clip was played in the recording.
fn played_s(session: &Session) -> Vec<f32> {
    let mut played = vec![0.0; session.database.clips.len()];
    for s in session.tracks.iter() {
        if let Some(p) = s.clip.and_then(|clip| played.get_mut(clip.at())) {
            *p += s.dt_s;
        }
    }
    played
}
