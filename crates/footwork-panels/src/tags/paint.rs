//! Drawing of a clip's tracks.

use super::lanes::{Lane, Layout};
use super::mark::{Kind, Mark, Selected, end_s};
use super::session::ClipPlace;
use super::takes::EditedTake;
use crate::session::Session;
use crate::style;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, pos2};
use footwork::frames::ClipIndex;
use footwork_draw::paint::colour as paint;

/// Maximum characters of a track's name.
const NAME_CHARS: usize = 14;

/// Context for drawing the tracks.
pub(super) struct Drawing<'a> {
    pub painter: &'a Painter,
    pub layout: &'a Layout,
    pub ui: &'a egui::Ui,
    pub session: &'a Session,
    pub place: ClipPlace,
}

impl Drawing<'_> {
    pub fn all(&self, selected: Option<Selected>) {
        let area = self.layout.rect();
        let inside = self.painter.with_clip_rect(area.intersect(self.painter.clip_rect()));
        let take = &self.session.takes.list[self.place.take];
        for (lane, rect) in &self.layout.lanes {
            self.name(lane, *rect);
            if lane.kind().is_some() {
                inside.rect_filled(*rect, 2.0, self.ui.visuals().faint_bg_color);
            }
            match lane {
                Lane::Ruler => self.ruler(&inside, *rect, take),
                Lane::Used => self.used(&inside, *rect),
                Lane::Contact(slot) => self.contacts(&inside, *rect, *slot),
                Lane::Tag(name) => self.built(&inside, *rect, name),
                Lane::Event => self.built_events(&inside, *rect),
                _ => {}
            }
            for (index, mark) in take.sidecar.marks() {
                let here = match lane {
                    Lane::Tag(name) => mark.kind == Kind::Tag && mark.name == *name,
                    Lane::NewTag => false,
                    other => other.kind() == Some(mark.kind),
                };
                if here {
                    let is_selected = selected == Some((mark.kind, index));
                    self.mark(&inside, *rect, &mark, is_selected);
                }
            }
        }
        // Areas before and after the take.
        let shade = self.ui.visuals().extreme_bg_color.gamma_multiply(0.6);
        for [from, to] in [[f32::NEG_INFINITY, 0.0], [end_s(&take.take), f32::INFINITY]] {
            let (left, right) = (self.layout.x(from).max(area.left()), self.layout.x(to).min(area.right()));
            if left < right {
                inside.rect_filled(Rect::from_x_y_ranges(left..=right, area.y_range()), 0.0, shade);
            }
        }
        if let Some((_, span)) = self.session.pointed.filter(|(take, _)| *take == self.place.take) {
            let [left, right] = span.map(|s| self.layout.x(s));
            let band = Rect::from_x_y_ranges(left - 1.0..=right.max(left + 2.0), area.y_range());
            let colour = self.ui.visuals().warn_fg_color;
            inside.rect_filled(band, 0.0, colour.gamma_multiply(0.25));
            inside.rect_stroke(band, 0.0, Stroke::new(1.0, colour), StrokeKind::Inside);
        }
        let x = self.layout.x(self.place.time_s as f32);
        inside.vline(x, area.y_range(), Stroke::new(1.5, self.ui.visuals().strong_text_color()));
    }

    fn name(&self, lane: &Lane, rect: Rect) {
        let words = footwork_draw::shapes::cut(&lane.label(self.session), NAME_CHARS);
        let at = pos2(rect.left() - 6.0, rect.center().y);
        let font = FontId::proportional(if rect.height() < 10.0 { 9.0 } else { 11.0 });
        self.painter.text(at, Align2::RIGHT_CENTER, words, font, self.ui.visuals().weak_text_color());
    }

    fn block(&self, rect: Rect, [start, end]: [f32; 2]) -> Rect {
        let (left, right) = (self.layout.x(start), self.layout.x(end));
        Rect::from_x_y_ranges(left..=right.max(left + 1.0), rect.y_range())
    }

    fn words(&self, painter: &Painter, block: Rect, words: &str, colour: Color32) {
        let visible = block.intersect(painter.clip_rect());
        if visible.width() > 16.0 {
            let font = FontId::proportional(10.0);
            let at = visible.left_center() + egui::vec2(3.0, 0.0);
            painter.with_clip_rect(visible).text(at, Align2::LEFT_CENTER, words, font, colour);
        }
    }

    fn ruler(&self, painter: &Painter, rect: Rect, take: &EditedTake) {
        let [start, end] = self.layout.span;
        let frame_s = 1.0 / take.take.rate_hz;
        let most = (rect.width() / 56.0).max(1.0);
        let steps = [frame_s, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0];
        let step = steps.into_iter().find(|s| (end - start) / s <= most).unwrap_or(600.0);
        let colour = self.ui.visuals().weak_text_color();
        let first = (start / step).ceil() as i64;
        for k in first..=(end / step).floor() as i64 {
            let time_s = k as f32 * step;
            let x = self.layout.x(time_s);
            painter.vline(x, rect.bottom() - 3.0..=rect.bottom(), Stroke::new(1.0, colour));
            let decimals = if step >= 1.0 {
                0
            } else if step >= 0.1 {
                1
            } else {
                2
            };
            let words = if step >= 1.0 { format!("{time_s:.0} s") } else { format!("{time_s:.decimals$}") };
            let align = match (x - rect.left() < 12.0, rect.right() - x < 12.0) {
                (true, _) => Align2::LEFT_TOP,
                (_, true) => Align2::RIGHT_TOP,
                _ => Align2::CENTER_TOP,
            };
            painter.text(pos2(x, rect.top() - 1.0), align, words, FontId::proportional(10.0), colour);
        }
    }

    fn used(&self, painter: &Painter, rect: Rect) {
        let db = &self.session.database;
        for (clip, start_s) in self.session.takes.parts(db, self.place.take) {
            let c = &db.clips[clip.at()];
            let start = start_s as f32;
            let block = self.block(rect, [start, start + c.frames as f32 / db.pose_rate_hz]);
            painter.rect_filled(block, 2.0, style::clip(clip.at()));
            if clip == self.place.clip {
                let stroke = Stroke::new(1.0, self.ui.visuals().strong_text_color());
                painter.rect_stroke(block, 2.0, stroke, StrokeKind::Inside);
            }
            let loops = if c.looping() { "↻ " } else { "" };
            self.words(painter, block, &format!("{loops}{}", c.name), Color32::BLACK);
        }
    }

    fn contacts(&self, painter: &Painter, rect: Rect, slot: usize) {
        let db = &self.session.database;
        let slots = db.rig.contact_joints.len();
        for (clip, start_s) in self.session.takes.parts(db, self.place.take) {
            let frames: Vec<bool> =
                db.clips[clip.at()].frame_range().map(|f| db.contacts[f * slots + slot] == 1).collect();
            for run in runs(&frames) {
                let time = |f: usize| start_s as f32 + f as f32 / db.pose_rate_hz;
                painter.rect_filled(self.block(rect, run.map(time)), 1.0, paint(style::HELD));
            }
        }
    }

    /// Draws where the database has a tag, from any source.
    fn built(&self, painter: &Painter, rect: Rect, tag: &str) {
        let db = &self.session.database;
        let Some(index) = db.tags.iter().position(|t| t == tag) else { return };
        let colour = style::channel(index).gamma_multiply(0.35);
        for (clip, start_s) in self.session.takes.parts(db, self.place.take) {
            let frames = db.clips[clip.at()].frame_range();
            let of_clip = |s: &&footwork::database::TagSpan| {
                s.tag as usize == index && s.start.at() < frames.end && s.end.at() > frames.start
            };
            for span in db.tag_spans.iter().filter(of_clip) {
                let time = |f: usize| {
                    start_s as f32 + (f.clamp(frames.start, frames.end) - frames.start) as f32 / db.pose_rate_hz
                };
                painter.rect_filled(self.block(rect, [time(span.start.at()), time(span.end.at())]), 2.0, colour);
            }
        }
    }

    fn built_events(&self, painter: &Painter, rect: Rect) {
        let db = &self.session.database;
        let parts: Vec<(ClipIndex, f64)> = self.session.takes.parts(db, self.place.take).collect();
        for event in &db.events {
            let Some((_, start_s)) = parts.iter().find(|p| p.0 == event.clip) else { continue };
            let x = self.layout.x(*start_s as f32 + event.time_s);
            painter.vline(x, rect.y_range(), Stroke::new(2.0, self.ui.visuals().weak_text_color()));
        }
    }

    fn mark(&self, painter: &Painter, rect: Rect, mark: &Mark, selected: bool) {
        let span = mark.span(&self.session.takes.list[self.place.take].take);
        let strong = self.ui.visuals().strong_text_color();
        if mark.kind == Kind::Event {
            let at = pos2(self.layout.x(span[0]), rect.center().y);
            let size = 0.5 * rect.height();
            let corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)];
            let points: Vec<Pos2> = corners.iter().map(|(x, y)| at + egui::vec2(*x, *y)).collect();
            let stroke = Stroke::new(if selected { 2.0 } else { 0.0 }, strong);
            painter.add(egui::Shape::convex_polygon(points, paint(style::COMMANDED), stroke));
            let font = FontId::proportional(10.0);
            painter.text(at + egui::vec2(size + 2.0, 0.0), Align2::LEFT_CENTER, &mark.name, font, strong);
            return;
        }
        let (colour, words) = match mark.kind {
            Kind::Cost => (paint(style::COST), format!("{:+.2}", mark.cost)),
            Kind::Discard => (paint(style::DISCARD), "discarded".to_owned()),
            Kind::NoEntry => (paint(style::NO_ENTRY), "no entry".to_owned()),
            Kind::Tag | Kind::Event => {
                let index = self.session.database.tags.iter().position(|t| *t == mark.name);
                (style::channel(index.unwrap_or(self.session.database.tags.len())), mark.name.clone())
            }
        };
        let block = self.block(rect, span);
        painter.rect_filled(block, 3.0, colour);
        let stroke = if selected { Stroke::new(2.0, strong) } else { Stroke::new(1.0, colour.gamma_multiply(0.6)) };
        painter.rect_stroke(block, 3.0, stroke, StrokeKind::Inside);
        self.words(painter, block, &words, Color32::BLACK);
    }
}

/// Returns the runs of true values: the first index, and the first index after.
fn runs(values: &[bool]) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    let mut k = 0;
    while k < values.len() {
        let end = (k..values.len()).find(|j| values[*j] != values[k]).unwrap_or(values.len());
        if values[k] {
            found.push([k, end]);
        }
        k = end;
    }
    found
}
