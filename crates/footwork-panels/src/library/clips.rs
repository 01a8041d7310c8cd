//! Page of clips: filter, sort and play the clips of a database.

use crate::mode::Mode;
use crate::session::Session;
use egui::{RichText, Sense};
use egui_extras::{Column, TableBuilder};
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
        let wanted = self.filter.trim().to_lowercase();
        let fits = |k: &usize| {
            let name_fits = db.clips[*k].name.to_lowercase().contains(&wanted);
            name_fits || tags(&db, *k).iter().any(|t| t.to_lowercase().contains(&wanted))
        };
        let fitting = (0..db.originals()).filter(fits);
        let (mut shown, mut made): (Vec<usize>, Vec<usize>) = fitting.partition(|k| !is_made(&db, *k));
        let seconds = |k: usize| db.view(ClipIndex::new(k), false).seconds();
        for list in [&mut shown, &mut made] {
            match self.order {
                Order::Name => list.sort_by(|a, b| db.clips[*a].name.cmp(&db.clips[*b].name)),
                Order::Seconds => list.sort_by(|a, b| seconds(*b).total_cmp(&seconds(*a))),
                Order::Played => list.sort_by(|a, b| played[*b].total_cmp(&played[*a])),
            }
        }
        let shows_made = self.shows_made || !wanted.is_empty();
        let fold = (!made.is_empty()).then_some(Line::Made(made.len()));
        let made = made.into_iter().filter(|_| shows_made).map(Line::Clip);
        let lines: Vec<Line> = shown.into_iter().map(Line::Clip).chain(fold).chain(made).collect();
        let playing = match &session.mode {
            Mode::Clip(player) => Some(player.clip),
            _ => session.shown().character().plays_clips().then(|| session.shown().output().playing.clip),
        };
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
                body.rows(18.0, lines.len(), |mut row| {
                    let k = match lines[row.index()] {
                        Line::Clip(k) => k,
                        Line::Made(count) => {
                            let mark = if shows_made { "▼" } else { "▶" };
                            row.col(|ui| {
                                ui.add(
                                    egui::Label::new(format!("{mark} {count} made clips")).selectable(false).truncate(),
                                );
                            });
                            (0..2).for_each(|_| _ = row.col(|_| {}));
                            let response =
                                row.response().on_hover_text("Clips that the build made out of captured ones");
                            fold_clicked |= response.clicked();
                            return;
                        }
                    };
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
        self.shows_made ^= fold_clicked;
        if let Some(clip) = clicked {
            session.play_clip(clip);
        }
    }
}

/// Returns true for a clip that the build made.
fn is_made(db: &Database, clip: usize) -> bool {
    db.clip_tags(&db.clips[clip]).contains(&Database::MADE)
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
