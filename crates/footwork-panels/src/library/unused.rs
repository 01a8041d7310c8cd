//! Page of unused motion: rows that the recording never plays.

use crate::session::Session;
use egui::{RichText, Sense};
use egui_extras::{Column, TableBuilder};
use footwork::database::Database;
use footwork::frames::{ClipIndex, RowIndex};
use footwork::matcher::Playing;
use footwork_metrics::analysis::Usage;

/// Minimum time between counts of the recording, in seconds.
const EVERY_S: f64 = 0.5;

/// A clip and its unused part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Idle {
    pub clip: ClipIndex,
    pub seconds: f32,
    /// Duration of rows never played, in seconds.
    pub idle_s: f32,
    /// First row never played.
    pub first: RowIndex,
}

/// Page of unused motion.
#[derive(Debug, Default)]
pub(super) struct Unused {
    /// Time of the last count, and its number of updates.
    counted: Option<(f64, usize)>,
    recorded_s: f32,
    whole_only: bool,
    idle: Vec<Idle>,
}

impl Unused {
    pub fn ui(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        let now_s = ui.input(|i| i.time);
        let updates = session.tracks.len();
        if self.counted.is_none_or(|(at_s, of)| of != updates && now_s - at_s >= EVERY_S) {
            self.counted = Some((now_s, updates));
            self.count(session);
        }
        let db = session.database.clone();
        let whole = self.idle.iter().filter(|i| i.idle_s >= i.seconds).count();
        let idle_s: f32 = self.idle.iter().map(|i| i.idle_s).sum();
        ui.label(format!(
            "In the {:.0} s recorded so far, {whole} of {} clips were never played, and {:.1} of {:.1} minutes in all. A drive of some \
             minutes by \"random stick\" tells more.",
            self.recorded_s,
            captured(&db).count(),
            idle_s / 60.0,
            captured(&db).map(|c| row_seconds(&db, c)).sum::<f32>() / 60.0,
        ));
        ui.checkbox(&mut self.whole_only, "only clips that were never played");
        let shown: Vec<&Idle> = self.idle.iter().filter(|i| !self.whole_only || i.idle_s >= i.seconds).collect();
        let mut clicked = None;
        let table = TableBuilder::new(ui).striped(true).sense(Sense::click()).auto_shrink(false);
        let table = table.column(Column::remainder().at_least(110.0).clip(true)).columns(Column::auto(), 2);
        table
            .header(20.0, |mut header| {
                for words in ["clip", "never", "of, s"] {
                    header.col(|ui| {
                        ui.add(egui::Label::new(RichText::new(words).strong()).extend());
                    });
                }
            })
            .body(|body| {
                body.rows(18.0, shown.len(), |mut row| {
                    let idle = shown[row.index()];
                    row.col(|ui| {
                        ui.add(egui::Label::new(&db.clips[idle.clip.at()].name).selectable(false).truncate());
                    });
                    for seconds in [idle.idle_s, idle.seconds] {
                        row.col(|ui| {
                            ui.add(egui::Label::new(format!("{seconds:.1}")).selectable(false));
                        });
                    }
                    if row.response().on_hover_text("Click: show the first moment that was never played").clicked() {
                        clicked = Some((idle.clip, db.row_time_s(idle.first)));
                    }
                });
            });
        if let Some((clip, time_s)) = clicked {
            session.show_moment(clip, time_s);
        }
    }

    /// Counts the played rows of the recording.
    fn count(&mut self, session: &Session) {
        let db = &session.database;
        let mut usage = Usage::none(db);
        // Networks play no clips, and a blend space is not a clip.
        let played = session.tracks.iter().filter_map(|s| Some((s, s.clip.filter(|c| c.at() < db.clips.len())?)));
        for (s, clip) in played {
            usage.add(db, Playing { clip, mirrored: s.mirrored, time_s: s.time_s }, s.dt_s);
        }
        self.recorded_s = usage.seconds;
        self.idle = idle(db, &usage);
    }
}

/// Returns captured clips that have rows.
fn captured(db: &Database) -> impl Iterator<Item = usize> + '_ {
    (0..db.originals()).filter(|c| db.clips[*c].rows > 0 && !db.clip_tags(&db.clips[*c]).contains(&Database::MADE))
}

fn row_seconds(db: &Database, clip: usize) -> f32 {
    db.clips[clip].rows as f32 / db.search_rate_hz
}

/// Returns the unused parts, longest first. A stored mirror image counts for its original.
fn idle(db: &Database, usage: &Usage) -> Vec<Idle> {
    let image = |clip: usize| {
        let stored = db.clips.get(db.originals() + clip).filter(|c| c.mirrored && c.rows == db.clips[clip].rows);
        stored.map(|c| c.first_row as usize)
    };
    let of = |clip: usize| {
        let (rows, image) = (db.clips[clip].row_range(), image(clip));
        let played = |row: usize| {
            let mirrored = image.map_or(0, |first| usage.row_updates[first + row - rows.start]);
            usage.row_updates[row] + mirrored > 0
        };
        let first = rows.clone().find(|row| !played(*row))?;
        let count = rows.clone().filter(|row| !played(*row)).count();
        let idle_s = count as f32 / db.search_rate_hz;
        Some(Idle { clip: ClipIndex::new(clip), seconds: row_seconds(db, clip), idle_s, first: RowIndex::new(first) })
    };
    let mut idle: Vec<Idle> = captured(db).filter_map(of).collect();
    idle.sort_by(|a, b| b.idle_s.total_cmp(&a.idle_s).then(a.clip.cmp(&b.clip)));
    idle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::database;

    #[test]
    fn what_was_played_is_not_idle() {
        let db = database();
        let mut usage = Usage::none(&db);
        let all = idle(&db, &usage);
        assert_eq!(all.len(), captured(&db).count());
        assert!(all.iter().all(|i| i.idle_s == i.seconds));
        let long = all[0];
        for k in 0..30 {
            usage.add(&db, Playing { clip: long.clip, mirrored: false, time_s: f64::from(k) / 60.0 }, 1.0 / 60.0);
        }
        let left = idle(&db, &usage);
        let now = left.iter().find(|i| i.clip == long.clip).unwrap();
        assert!((now.idle_s - (long.seconds - 0.5)).abs() < 0.1, "{} of {}", now.idle_s, long.seconds);
        assert!(db.row_time_s(now.first) > 0.4);
        // The longest is first.
        assert!(left.windows(2).all(|w| w[0].idle_s >= w[1].idle_s));
    }
}
