//! Where on the page everything lies: rows of cells, the long panel of a standing camera, the contact sheet.

use super::cell::{BELOW_PX, BORDER, FAINT, INK, JUMP, NO_BOUNDS, Stage, Subject, union};
use super::figure::Half;
use super::shapes::{Anchor, Colour, Font, Frame, Picture, Point};
use super::timeline::{cut, height as timeline_height, nice, runs, timeline, triangle, way};
use super::view::View;
use anyhow::{Result, bail};
use glam::Vec3;

const MARGIN: f32 = 18.0;
const HEADER_PX: f32 = 62.0;
/// Room beside a figure in its cell.
const PAD: f32 = 9.0;
/// Words above the figures of a row: the time; a second line where there is something to tell.
const LINE_PX: f32 = 17.0;
const HEADING_PX: f32 = 22.0;
const GAP_PX: f32 = 12.0;
/// Figures are so tall where the rest allows it.
const FIGURE_PX: f32 = 240.0;
/// Few figures are drawn larger, up to this.
const LARGE_PX: f32 = 380.0;
/// Wide bodies get smaller rather than fewer.
const LEAST_COLUMNS: usize = 6;
/// Narrow bodies stand no closer than this.
const LEAST_CELL_PX: f32 = 118.0;
/// Rows of cells unless more are asked for.
const ROWS: usize = 3;
/// Cells at most.
pub const MOST_CELLS: usize = 500;
/// Pixels at most.
const MOST_PX: f32 = 80e6;
/// Closer moments are the same to the eye.
const LEAST_STEP_S: f64 = 0.05;

/// How the camera stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CameraMode {
    /// It goes with the character: one cell per moment.
    Follow,
    /// It stands: all moments in one picture of the ground, as they walk.
    Fixed,
}

/// Which moments are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moments {
    Auto,
    Frames(usize),
    Every(f64),
}

/// What is wanted of a strip.
pub struct Strip<'a> {
    pub title: String,
    /// One, or two to be compared.
    pub subjects: &'a [Subject],
    pub span_s: [f64; 2],
    pub moments: Moments,
    pub views: &'a [View],
    pub camera: CameraMode,
    pub width: f32,
}

/// A picture, and what is in it.
pub struct Drawn {
    pub picture: Picture,
    /// Times of the moments.
    pub times_s: Vec<f64>,
    pub cells: usize,
}

impl Strip<'_> {
    pub fn draw(&self) -> Result<Drawn> {
        let mut picture = Picture { title: self.title.clone(), width: self.width, ..Picture::default() };
        let (times, bottom) = match self.camera {
            CameraMode::Follow => self.cells(&mut picture)?,
            CameraMode::Fixed => self.panels(&mut picture)?,
        };
        let bottom = self.below(&mut picture, bottom, &times);
        picture.height = (bottom + MARGIN).ceil();
        let marks = Marks::of(self.subjects, self.camera == CameraMode::Follow);
        header(&mut picture, &self.title, &self.subtitle(&times), &marks);
        check_size(&picture)?;
        let cells = times.len() * self.views.len() * self.subjects.len();
        Ok(Drawn { picture, times_s: times, cells })
    }

    fn subtitle(&self, times: &[f64]) -> String {
        let views: Vec<&str> = self.views.iter().map(|v| v.name()).collect();
        let mut steps = times.windows(2).map(|t| t[1] - t[0]);
        let step = steps.next().filter(|s| steps.all(|o| (o - s).abs() < 1e-6));
        let step = step.map(|s| format!(", every {s:.3} s")).unwrap_or_default();
        let [a, b] = self.span_s;
        format!("{a:.2} to {b:.2} s{step} | view: {}", views.join(", "))
    }

    fn avail(&self) -> f32 {
        self.width - 2.0 * MARGIN
    }

    fn tallest_m(&self) -> f32 {
        self.subjects.iter().map(|s| s.figure.height_m).fold(0.1, f32::max)
    }

    /// Frames at which bodies are measured.
    fn measured(&self, subject: &Subject) -> impl Iterator<Item = usize> {
        let span = subject.span.clone();
        let step = span.len().div_ceil(400).max(1);
        span.step_by(step)
    }

    fn bounds(&self, view: View) -> [f32; 4] {
        let ground = if view.level() { [0.0, -0.02, 0.0, 0.1] } else { NO_BOUNDS };
        let all = self.subjects.iter().flat_map(|s| self.measured(s).map(move |f| s.bounds(view, f)));
        all.fold(ground, union)
    }

    /// One cell per moment, row by row.
    fn cells(&self, picture: &mut Picture) -> Result<(Vec<f64>, f32)> {
        let bounds: Vec<[f32; 4]> = self.views.iter().map(|v| self.bounds(*v)).collect();
        let widest = bounds.iter().map(|b| b[2] - b[0]).fold(0.1, f32::max);
        let wanted = self.wanted();
        let fit = |columns: usize| (self.avail() / columns as f32 - 2.0 * PAD) / widest;
        let mut px_per_m = (FIGURE_PX / self.tallest_m()).min(fit(LEAST_COLUMNS));
        let mut columns = ((self.avail() / (widest * px_per_m + 2.0 * PAD).max(LEAST_CELL_PX)) as usize).max(1);
        if let Some(n) = wanted.filter(|n| *n < columns) {
            columns = n;
            px_per_m = fit(n).min(LARGE_PX / self.tallest_m());
        }
        let times = self.times(columns)?;
        let columns = columns.min(times.len());
        let cell_width = (self.avail() / columns as f32).min(2.0 * (widest * px_per_m + 2.0 * PAD));
        let two_lines = self.subjects.iter().any(|s| s.motion.parts.len() > 1 || !s.motion.playing.is_empty());
        let label = if two_lines { 2.0 * LINE_PX } else { LINE_PX } + 4.0;
        let headings = self.views.len() * self.subjects.len() > 1;

        let mut top = MARGIN + HEADER_PX;
        for (row, chunk) in times.chunks(columns).enumerate() {
            for subject in self.subjects {
                for (view, b) in self.views.iter().zip(&bounds) {
                    if headings {
                        top += self.heading(picture, top, subject, *view);
                    }
                    let below = if view.level() { BELOW_PX } else { PAD };
                    let height = label + (b[3] - b[1]) * px_per_m + PAD + below;
                    for (i, time) in chunk.iter().enumerate() {
                        let left = MARGIN + cell_width * i as f32;
                        let frame = Frame { left, top, width: cell_width, height };
                        let before = (row * columns + i).checked_sub(1).map(|k| times[k]);
                        self.cell(picture, subject, *view, *time, before, &frame, b, px_per_m, label);
                    }
                    top += height + GAP_PX;
                }
            }
        }
        Ok((times, top))
    }

    fn heading(&self, picture: &mut Picture, top: f32, subject: &Subject, view: View) -> f32 {
        let words =
            if self.subjects.len() > 1 { format!("{}  ({})", subject.label, view.name()) } else { view.name().into() };
        picture.words([MARGIN + 2.0, top + 13.0], Anchor::Start, Font::SmallBold, INK, words);
        HEADING_PX - 4.0
    }

    fn cell(
        &self,
        picture: &mut Picture,
        subject: &Subject,
        view: View,
        time: f64,
        before: Option<f64>,
        frame: &Frame,
        b: &[f32; 4],
        px_per_m: f32,
        label: f32,
    ) {
        let m = &subject.motion;
        let f = m.frame_at(time);
        let inner = Frame { top: frame.top + label, height: frame.height - label - 1.0, ..*frame };
        let middle = frame.left + frame.width / 2.0 - (b[0] + b[2]) / 2.0 * px_per_m;
        let at = [middle, inner.top + b[3] * px_per_m + PAD / 2.0];
        let (camera, origin) = (subject.camera(view, f), subject.origin(f));
        let stage = Stage { subject, view, camera, origin, at, px_per_m, frame: inner };
        stage.moment(picture, f);
        picture.line([frame.corners(), vec![frame.corners()[0]]].concat(), BORDER, 1.0);
        let since = before.map_or(f, |t| m.frame_at(t) + 1);
        self.cell_words(picture, subject, f, since.min(f), before.is_none(), frame);
    }

    /// Time, and what happened since the cell before.
    fn cell_words(&self, picture: &mut Picture, subject: &Subject, f: usize, since: usize, first: bool, frame: &Frame) {
        let m = &subject.motion;
        let (left, y) = (frame.left + 7.0, frame.top + 14.0);
        let chars = ((frame.width - 12.0) / Font::Small.advance()) as usize;
        picture.words([left, y], Anchor::Start, Font::SmallBold, INK, format!("{:.2} s", m.time_s(f)));
        let jumps: Vec<usize> = m.transitions.iter().map(|t| t.0).filter(|t| (since..=f).contains(t)).collect();
        let begun = m.parts.iter().rfind(|p| (since..=f).contains(&p.start) || first && p.start <= f);
        if let Some(part) = begun.filter(|p| m.parts.len() > 1 && (p.start > 0 || first)) {
            if !first {
                picture.dashed(vec![[frame.left, frame.top], [frame.left, frame.bottom()]], INK, 2.0);
            }
            picture.words([left, y + LINE_PX], Anchor::Start, Font::Small, INK, cut(&part.name, chars));
        }
        let Some(jump) = jumps.last() else { return };
        picture.line(vec![[frame.left + 1.5, frame.top], [frame.left + 1.5, frame.bottom()]], JUMP, 3.0);
        triangle(picture, [frame.left + 1.5, frame.top]);
        let text =
            if jumps.len() > 1 { format!("{} jumps", jumps.len()) } else { format!("jump {:.2}", m.time_s(*jump)) };
        if chars >= 9 + text.len() {
            picture.words([frame.right() - 6.0, y], Anchor::End, Font::Small, JUMP, text);
        }
        if let Some(playing) = m.playing.get(f).filter(|_| begun.is_none_or(|p| !(since..=f).contains(&p.start))) {
            picture.words([left, y + LINE_PX], Anchor::Start, Font::Small, JUMP, cut(&format!("> {playing}"), chars));
        }
    }

    /// The moments that were asked for, as far as their number is known before the layout.
    fn wanted(&self) -> Option<usize> {
        let long = self.span_s[1] - self.span_s[0];
        match self.moments {
            Moments::Auto => None,
            Moments::Frames(n) => Some(n),
            Moments::Every(s) => Some((long / s + 1e-6) as usize + 1),
        }
    }

    fn times(&self, columns: usize) -> Result<Vec<f64>> {
        let [from, to] = self.span_s;
        let long = to - from;
        let rate = self.subjects.iter().map(|s| f64::from(s.motion.rate_hz)).fold(1.0, f64::max);
        let rows = (ROWS / (self.views.len() * self.subjects.len())).max(1);
        let (n, step) = match self.moments {
            Moments::Frames(n) => (n, if n > 1 { long / (n - 1) as f64 } else { 0.0 }),
            Moments::Every(s) => (self.wanted().unwrap_or(1), s),
            Moments::Auto => {
                let most = (columns * rows).max(2);
                let step = nice((long / (most - 1) as f64).max(LEAST_STEP_S).max(1.0 / rate));
                (((long / step + 1e-6) as usize + 1).min(most), step)
            }
        };
        if n > MOST_CELLS {
            bail!(
                "{n} moments are more than one picture can show ({MOST_CELLS}): ask for fewer --frames, or a larger --every"
            );
        }
        Ok((0..n).map(|k| from + k as f64 * step).collect())
    }

    /// Figures side by side on the ground, as they walk.
    fn panels(&self, picture: &mut Picture) -> Result<(Vec<f64>, f32)> {
        let times = self.walking_times()?;
        let px_per_m = self.panel_scale(&times);
        let mut top = MARGIN + HEADER_PX;
        for subject in self.subjects {
            for view in self.views {
                let rows = self.rows(subject, *view, &times, px_per_m);
                for row in &rows {
                    if self.views.len() * self.subjects.len() > 1 || rows.len() > 1 {
                        top += self.heading(picture, top, subject, *view);
                    }
                    top += self.panel(picture, top, subject, *view, row, px_per_m) + GAP_PX;
                }
            }
        }
        Ok((times, top))
    }

    /// As large as one row allows, where one row is enough.
    fn panel_scale(&self, times: &[f64]) -> f32 {
        let usual = FIGURE_PX / self.tallest_m();
        let one_row = |s: &Subject, v: View| self.rows(s, v, times, usual).len() == 1;
        let all = || self.subjects.iter().flat_map(|s| self.views.iter().map(move |v| (s, *v)));
        if !all().all(|(s, v)| one_row(s, v)) {
            return usual;
        }
        let width = |(s, v): (&Subject, View)| {
            let b = times.iter().map(|t| self.in_world(s, v, s.motion.frame_at(*t))).fold(NO_BOUNDS, union);
            b[2] - b[0]
        };
        let widest = all().map(width).fold(0.1, f32::max);
        ((self.avail() - 4.0 * PAD) / widest).clamp(usual, LARGE_PX / self.tallest_m())
    }

    /// As many moments as keep walking figures apart.
    fn walking_times(&self) -> Result<Vec<f64>> {
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
        // Who stands is shown once, unless all that there is to see is how it stands.
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

    /// Moments that fit beside each other; a row for each clip.
    fn rows(&self, subject: &Subject, view: View, times: &[f64], px_per_m: f32) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut around = NO_BOUNDS;
        for t in times {
            let f = subject.motion.frame_at(*t);
            let b = self.in_world(subject, view, f);
            let both = union(around, b);
            let same =
                rows.last().and_then(|r| r.last()).is_some_and(|l| subject.motion.piece(*l) == subject.motion.piece(f));
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

    /// Bounds in the plane of the camera, from the world's origin.
    fn in_world(&self, subject: &Subject, view: View, frame: usize) -> [f32; 4] {
        let [x, y] = subject.camera(view, frame).plane(subject.origin(frame));
        let b = subject.bounds(view, frame);
        [b[0] + x, b[1] + y, b[2] + x, b[3] + y]
    }

    fn panel(
        &self,
        picture: &mut Picture,
        top: f32,
        subject: &Subject,
        view: View,
        row: &[usize],
        px_per_m: f32,
    ) -> f32 {
        let b = row.iter().map(|f| self.in_world(subject, view, *f)).fold(NO_BOUNDS, union);
        let camera = subject.camera(view, row[0]);
        let [_, ground] = camera.plane(Vec3::Y * subject.figure.ground_m);
        let low = if view.level() { b[1].min(ground - 0.02) } else { b[1] };
        let below = if view.level() { BELOW_PX } else { PAD };
        let label = LINE_PX + 4.0;
        // Shown from straight above, a long way across the page would make a tall picture.
        let px_per_m = px_per_m.min(2.5 * FIGURE_PX.max(LARGE_PX) / (b[3] - low));
        let height = label + (b[3] - low) * px_per_m + PAD + below;
        let frame = Frame { left: MARGIN, top, width: self.avail(), height };
        let inner = Frame { top: top + label, height: height - label - 1.0, ..frame };
        let used = (b[2] - b[0]) * px_per_m;
        let left = frame.left + ((frame.width - used) / 2.0).max(PAD);
        // The world's origin on the page.
        let at: Point = [left - b[0] * px_per_m, inner.top + PAD / 2.0 + b[3] * px_per_m];
        let ground_at = [at[0], at[1] - ground * px_per_m];
        let origin = Vec3::Y * subject.figure.ground_m;
        let stage = Stage { subject, view, camera, origin, at: ground_at, px_per_m, frame: inner };
        stage.ground(picture);
        let (first, last) = (row[0], row[row.len() - 1]);
        stage.path(picture, first..last + 1);
        stage.traces(picture, first..last + 1);
        for (f, _) in subject.motion.transitions.iter().filter(|t| (first..=last).contains(&t.0)) {
            let [x, _] = stage.point(subject.origin(*f));
            picture.line(vec![[x, top + label + 7.0], [x, ground_at[1].min(inner.bottom())]], JUMP.alpha(150), 1.3);
            triangle(picture, [x, top + label + 7.0]);
        }
        let mut free = f32::MIN;
        for f in row {
            stage.planted(picture, *f);
            stage.figure(picture, *f);
            stage.facing(picture, *f);
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

    fn below(&self, picture: &mut Picture, top: f32, times: &[f64]) -> f32 {
        let mut top = top + 4.0;
        for s in self.subjects {
            if self.subjects.len() > 1 {
                picture.words([MARGIN + 2.0, top + 13.0], Anchor::Start, Font::SmallBold, INK, s.label.clone());
                top += HEADING_PX;
            }
            let height = timeline_height(s);
            let room = self.avail() >= 900.0;
            let width = if room { self.avail() * 0.68 } else { self.avail() };
            timeline(picture, s, self.span_s, times, &Frame { left: MARGIN, top, width, height });
            if room {
                let left = MARGIN + width + 16.0;
                way(picture, s, &Frame { left, top, width: self.avail() - width - 16.0, height });
            }
            top += height + 8.0;
        }
        top
    }
}

/// A row per clip.
pub struct ContactSheet<'a> {
    pub title: String,
    pub subtitle: String,
    pub subjects: &'a [Subject],
    pub view: View,
    pub columns: usize,
    pub width: f32,
}

impl ContactSheet<'_> {
    pub fn draw(&self) -> Result<Drawn> {
        const SMALL_PX: f32 = 128.0;
        let mut picture = Picture { title: self.title.clone(), width: self.width, ..Picture::default() };
        let avail = self.width - 2.0 * MARGIN;
        let cell_width = avail / self.columns as f32;
        let tallest = self.subjects.iter().map(|s| s.figure.height_m).fold(0.1, f32::max);
        let start = if self.view.level() { [0.0, -0.02, 0.0, 0.1] } else { NO_BOUNDS };
        let times = |s: &Subject| -> Vec<usize> {
            let last = s.span.len() - 1;
            (0..self.columns).map(|k| s.span.start + k * last / (self.columns - 1).max(1)).collect()
        };
        let b = self.subjects.iter().flat_map(|s| times(s).into_iter().map(move |f| s.bounds(self.view, f)));
        let b = b.fold(start, union);
        let px_per_m = (SMALL_PX / tallest).min((cell_width - 8.0) / (b[2] - b[0]));
        let below = if self.view.level() { BELOW_PX } else { PAD };
        let mut top = MARGIN + HEADER_PX;
        let mut cells = 0;
        for s in self.subjects {
            let m = &s.motion;
            let seconds = m.time_s(s.span.end - 1) - m.time_s(s.span.start);
            let speeds: f32 = s.span.clone().map(|f| m.speed_mps(f)).sum::<f32>() / s.span.len() as f32;
            picture.words([MARGIN + 2.0, top + 13.0], Anchor::Start, Font::SmallBold, INK, s.label.clone());
            let told = format!("{seconds:.2} s, {speeds:.2} m/s");
            picture.words([MARGIN + avail, top + 13.0], Anchor::End, Font::Small, FAINT, told);
            top += HEADING_PX - 4.0;
            let height = LINE_PX + (b[3] - b[1]) * px_per_m + 4.0 + below;
            for (i, f) in times(s).into_iter().enumerate() {
                let frame = Frame { left: MARGIN + cell_width * i as f32, top, width: cell_width, height };
                let inner = Frame { top: top + 2.0, height: height - 3.0, ..frame };
                let at =
                    [frame.left + frame.width / 2.0 - (b[0] + b[2]) / 2.0 * px_per_m, top + LINE_PX + b[3] * px_per_m];
                let (camera, origin) = (s.camera(self.view, f), s.origin(f));
                Stage { subject: s, view: self.view, camera, origin, at, px_per_m, frame: inner }
                    .moment(&mut picture, f);
                picture.line([frame.corners(), vec![frame.corners()[0]]].concat(), BORDER, 1.0);
                let text = format!("{:.2}", m.time_s(f) - m.time_s(s.span.start));
                picture.words([frame.left + 5.0, top + 13.0], Anchor::Start, Font::Small, FAINT, text);
                cells += 1;
            }
            top += height + 2.0;
            top += lanes(&mut picture, s, &Frame { left: MARGIN, top, width: avail, height: 5.0 }) + GAP_PX;
        }
        picture.height = (top + MARGIN).ceil();
        header(&mut picture, &self.title, &self.subtitle, &Marks::of(self.subjects, true));
        check_size(&picture)?;
        Ok(Drawn { picture, times_s: Vec::new(), cells })
    }
}

/// Contacts over a whole clip, a thin lane each.
fn lanes(picture: &mut Picture, s: &Subject, frame: &Frame) -> f32 {
    let px = frame.width / (s.span.len().max(2) - 1) as f32;
    let mut top = frame.top;
    for (slot, sole) in s.figure.soles.iter().enumerate() {
        picture.rectangle(&Frame { top, ..*frame }, Colour::rgb(0xf1f3f5));
        for r in runs(s, slot) {
            let left = frame.left + (r.start - s.span.start) as f32 * px;
            let width = (r.len() as f32 * px).min(frame.right() - left);
            picture.rectangle(&Frame { left, top, width, height: frame.height }, sole.half.colour());
        }
        top += frame.height + 2.0;
    }
    top - frame.top
}

/// What the legend explains.
struct Marks {
    jumps: bool,
    borders: bool,
    commanded: bool,
    cells: bool,
}

impl Marks {
    fn of(subjects: &[Subject], cells: bool) -> Self {
        Self {
            jumps: subjects.iter().any(|s| s.motion.transitions.iter().any(|t| s.span.contains(&t.0))),
            borders: subjects
                .iter()
                .any(|s| s.motion.parts.iter().any(|p| p.start > s.span.start && p.start < s.span.end)),
            commanded: subjects.iter().any(|s| !s.motion.commanded.is_empty()),
            cells,
        }
    }

    /// In the order of the legend.
    fn names(&self) -> Vec<&'static str> {
        let mut names = vec![LEFT, RIGHT, PLANTED, if self.cells { TRACE_OF_CELL } else { TRACE }];
        let others = [(self.jumps, JUMPED), (self.borders, NEXT), (self.commanded, COMMANDED)];
        names.extend(others.iter().filter(|o| o.0).map(|o| o.1));
        names
    }
}

const LEFT: &str = "left";
const RIGHT: &str = "right";
const PLANTED: &str = "foot on the ground";
const TRACE: &str = "way of a foot";
const TRACE_OF_CELL: &str = "way of a foot, last 0.4 s";
const JUMPED: &str = "transition";
const NEXT: &str = "next clip or part";
const COMMANDED: &str = "commanded way";

/// Title, what is shown, what the signs mean.
fn header(picture: &mut Picture, title: &str, subtitle: &str, marks: &Marks) {
    let avail = picture.width - 2.0 * MARGIN;
    let title = cut(title, (avail / Font::Large.advance()) as usize);
    let titled = Font::Large.width(&title);
    picture.words([MARGIN, MARGIN + 18.0], Anchor::Start, Font::Large, INK, title);
    let subtitle = cut(subtitle, (avail / Font::Small.advance()) as usize);
    let names = marks.names();
    let width: f32 = names.iter().map(|n| 20.0 + Font::Small.width(n) + 16.0).sum();
    let beside = |words: f32| words + width + 20.0 < avail;
    // Beside the second line, else beside the first, else nowhere.
    let second = MARGIN + 44.0;
    let y = if beside(Font::Small.width(&subtitle)) { second } else { MARGIN + 18.0 };
    let fits = beside(Font::Small.width(&subtitle)) || beside(titled);
    picture.words([MARGIN, second], Anchor::Start, Font::Small, FAINT, subtitle);
    if !fits {
        return;
    }
    let mut x = picture.width - MARGIN - width + 16.0;
    for name in names {
        sign(picture, name, [x, y]);
        picture.words([x + 20.0, y], Anchor::Start, Font::Small, INK, name);
        x += 20.0 + Font::Small.width(name) + 16.0;
    }
}

/// What stands before a word of the legend.
fn sign(p: &mut Picture, name: &str, [x, y]: Point) {
    let (left, right) = (Half::Left.colour(), Half::Right.colour());
    match name {
        LEFT => p.disc([x + 6.0, y - 4.0], [5.5, 5.5], left, Some((INK, 0.8))),
        RIGHT => p.disc([x + 6.0, y - 4.0], [5.5, 5.5], right, Some((INK, 0.8))),
        PLANTED => {
            p.rectangle(&Frame { left: x, top: y - 9.0, width: 14.0, height: 4.0 }, left);
            p.rectangle(&Frame { left: x, top: y - 4.0, width: 14.0, height: 4.0 }, right);
        }
        TRACE | TRACE_OF_CELL => p.line(vec![[x, y], [x + 5.0, y - 8.0], [x + 14.0, y - 3.0]], right, 1.6),
        JUMPED => triangle(p, [x + 7.0, y]),
        NEXT => p.dashed(vec![[x + 7.0, y + 2.0], [x + 7.0, y - 12.0]], INK, 2.0),
        _ => p.line(vec![[x, y - 4.0], [x + 14.0, y - 4.0]], Colour::rgb(0xb4bac4), 3.0),
    }
}

fn check_size(picture: &Picture) -> Result<()> {
    if picture.width * picture.height > MOST_PX || picture.height > 30_000.0 {
        bail!(
            "the picture would be {:.0} x {:.0} pixels: ask for fewer --frames, fewer views, a larger --every or a \
             shorter span",
            picture.width,
            picture.height
        );
    }
    Ok(())
}
