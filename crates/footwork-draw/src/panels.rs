//! Fixed camera: all poses of a strip in one picture of the ground.

use crate::cell::{BELOW_PX, BORDER, INK, JUMP, NO_BOUNDS, Shot, Stage, union};
use crate::error::DrawError;
use crate::layout::{FIGURE_PX, GAP_PX, LARGE_PX, LINE_PX, MARGIN, PAD};
use crate::shapes::{Anchor, Font, Frame, Picture, Point};
use crate::strip::{Moments, Strip};
use crate::timeline::{nice, triangle};
use glam::Vec3;

impl Strip<'_> {
    /// Draws the figures side by side on the ground, at their positions along the path.
    pub(super) fn panels(&self, picture: &mut Picture, mut top: f32, times: &[f64]) -> f32 {
        let px_per_m = self.panel_scale(times);
        for shot in self.shots() {
            let rows = self.rows(shot, times, px_per_m);
            for row in &rows {
                if self.views.len() * self.subjects.len() > 1 || rows.len() > 1 {
                    top += self.heading(picture, top, shot);
                }
                top += self.panel(picture, top, shot, row, px_per_m) + GAP_PX;
            }
        }
        top
    }

    /// Returns each subject in each view.
    fn shots(&self) -> impl Iterator<Item = Shot<'_>> {
        self.subjects.iter().flat_map(|subject| self.views.iter().map(move |view| Shot { subject, view: *view }))
    }

    /// Returns the scale that fills one row, if one row is enough.
    fn panel_scale(&self, times: &[f64]) -> f32 {
        let usual = FIGURE_PX / self.tallest_m();
        if !self.shots().all(|shot| self.rows(shot, times, usual).len() == 1) {
            return usual;
        }
        let width = |shot: Shot| {
            let frames = times.iter().map(|t| shot.subject.motion.frame_at(*t));
            let b = frames.map(|f| shot.in_world(f)).fold(NO_BOUNDS, union);
            b[2] - b[0]
        };
        let widest = self.shots().map(width).fold(0.1, f32::max);
        ((self.avail() - 4.0 * PAD) / widest).clamp(usual, LARGE_PX / self.tallest_m())
    }

    /// Returns times at which moving figures do not overlap.
    pub(super) fn walking_times(&self) -> Result<Vec<f64>, DrawError> {
        if self.moments != Moments::Auto {
            return self.times(1);
        }
        let [from, to] = self.span_s;
        let s = &self.subjects[0];
        let way: f32 = s.span.clone().map(|f| s.motion.speed_mps(f)).sum::<f32>() / s.span.len().max(1) as f32;
        let b = s.bounds(self.views[0], s.span.start);
        let apart = (0.24 * self.tallest_m()).max(0.5 * (b[2] - b[0]));
        let step = nice(f64::from(apart / way.max(0.1)).clamp(0.1, 0.5)).max((to - from) / 120.0);
        let n = ((to - from) / step + 1e-6) as usize + 1;
        let all: Vec<f64> = (0..n).map(|k| from + k as f64 * step).collect();
        // An idle character is drawn once, unless it never moves.
        let mut last: Option<Vec3> = None;
        let moving = all.iter().copied().filter(|t| {
            let here = s.origin(s.motion.frame_at(*t));
            let moved = last.is_none_or(|l| (here - l).length() > 0.12 * self.tallest_m());
            if moved {
                last = Some(here);
            }
            moved
        });
        let moving: Vec<f64> = moving.collect();
        Ok(if moving.len() >= 3 { moving } else { all })
    }

    /// Returns the rows of poses that fit beside each other. Each clip starts a new row.
    fn rows(&self, shot: Shot, times: &[f64], px_per_m: f32) -> Vec<Vec<usize>> {
        let motion = &shot.subject.motion;
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut around = NO_BOUNDS;
        for t in times {
            let f = motion.frame_at(*t);
            let b = shot.in_world(f);
            let both = union(around, b);
            let same = rows.last().and_then(|r| r.last()).is_some_and(|l| motion.piece(*l) == motion.piece(f));
            if same && (both[2] - both[0]) * px_per_m <= self.avail() - 2.0 * PAD {
                around = both;
                if let Some(row) = rows.last_mut() {
                    row.push(f);
                }
            } else {
                around = b;
                rows.push(vec![f]);
            }
        }
        rows
    }

    fn panel(&self, picture: &mut Picture, top: f32, shot: Shot, row: &[usize], px_per_m: f32) -> f32 {
        let Shot { subject, view } = shot;
        let b = row.iter().map(|f| shot.in_world(*f)).fold(NO_BOUNDS, union);
        let camera = subject.camera(view, row[0]);
        let [_, ground] = camera.plane(Vec3::Y * subject.figure.ground_m);
        let low = if view.level() { b[1].min(ground - 0.02) } else { b[1] };
        let below = if view.level() { BELOW_PX } else { PAD };
        let label = LINE_PX + 4.0;
        // Seen from above, a long path across the page would make the picture too tall.
        let px_per_m = px_per_m.min(2.5 * FIGURE_PX.max(LARGE_PX) / (b[3] - low));
        let height = label + (b[3] - low) * px_per_m + PAD + below;
        let frame = Frame { left: MARGIN, top, width: self.avail(), height };
        let inner = Frame { top: top + label, height: height - label - 1.0, ..frame };
        let used = (b[2] - b[0]) * px_per_m;
        let left = frame.left + ((frame.width - used) / 2.0).max(PAD);
        // Position of the world's origin on the page.
        let at: Point = [left - b[0] * px_per_m, inner.top + PAD / 2.0 + b[3] * px_per_m];
        let ground_at = [at[0], at[1] - ground * px_per_m];
        let origin = Vec3::Y * subject.figure.ground_m;
        let relief = subject.relief(row[0]..row[row.len() - 1] + 1);
        let cut_at = subject.origin(row[row.len() / 2]);
        let stage = Stage {
            subject,
            view,
            camera,
            origin,
            at: ground_at,
            px_per_m,
            frame: inner,
            relief,
            cut_at,
            first_frame: row[0],
        };
        stage.ground(picture);
        let (first, last) = (row[0], row[row.len() - 1]);
        stage.path(picture, first..last + 1);
        stage.traces(picture, first..last + 1);
        for (f, _) in subject.motion.transitions.iter().filter(|t| (first..=last).contains(&t.0)) {
            let [x, _] = stage.point(subject.origin(*f));
            picture.line(vec![[x, top + label + 7.0], [x, ground_at[1].min(inner.bottom())]], JUMP.alpha(150), 1.3);
            triangle(picture, [x, top + label + 7.0]);
        }
        // Near figures hide far ones; at equal depth, later figures hide earlier ones.
        let step_m = if view.level() { 0.5 } else { 0.01 };
        let far = |f: &usize| (camera.depth(subject.origin(*f)) / step_m).round() as i64;
        let mut order = row.to_vec();
        order.sort_by_key(|f| (far(f), *f));
        for f in &order {
            stage.planted(picture, *f);
            stage.figure(picture, *f);
            stage.facing(picture, *f);
        }
        let mut free = f32::MIN;
        for f in row {
            let [x, _] = stage.point(subject.origin(*f));
            let text = format!("{:.2}", subject.motion.time_s(*f));
            let half = Font::SmallBold.width(&text) / 2.0;
            if x - half > free {
                picture.words([x, top + 14.0], Anchor::Middle, Font::SmallBold, INK, text);
                free = x + half + 8.0;
            }
        }
        picture.line([frame.corners(), vec![frame.corners()[0]]].concat(), BORDER, 1.0);
        height
    }
}

impl Shot<'_> {
    /// Returns the bounds in the plane of the camera, from the world's origin.
    fn in_world(&self, frame: usize) -> [f32; 4] {
        let [x, y] = self.subject.camera(self.view, frame).plane(self.subject.origin(frame));
        let b = self.subject.bounds(self.view, frame);
        [b[0] + x, b[1] + y, b[2] + x, b[3] + y]
    }
}
