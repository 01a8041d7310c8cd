//! Film strip: header, rows of cells, timeline.

use crate::cell::{BELOW_PX, BORDER, INK, JUMP, NO_BOUNDS, Shot, Stage, Subject, union};
use crate::error::DrawError;
use crate::header::{Header, Marks};
use crate::layout::{Drawn, FIGURE_PX, GAP_PX, HEADING_PX, LARGE_PX, LINE_PX, MARGIN, PAD, check_size};
use crate::shapes::{Anchor, Font, Frame, Picture, cut};
use crate::timeline::{height as timeline_height, nice, timeline, triangle, way};
use crate::view::View;

/// Minimum number of columns. Wide bodies are scaled down instead.
const LEAST_COLUMNS: usize = 6;
/// Minimum width of a cell.
const LEAST_CELL_PX: f32 = 118.0;
/// Default number of rows of cells.
const ROWS: usize = 3;
/// Maximum number of cells.
pub const MOST_CELLS: usize = 500;
/// Maximum number of joints of all figures in a picture.
const MOST_DRAWN_JOINTS: usize = 200_000;
/// Minimum default interval between poses, in seconds.
const LEAST_STEP_S: f64 = 0.05;

/// Motion of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraMode {
    /// The camera follows the character: one cell per pose.
    Follow,
    /// The camera is fixed: all poses in one picture of the ground.
    Fixed,
}

/// Times of the poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moments {
    /// As many poses as fit.
    Auto,
    /// This number of poses, equally spaced.
    Frames(usize),
    /// One pose per this number of seconds.
    Every(f64),
}

/// Film strip.
pub struct Strip<'a> {
    /// Heading.
    pub title: String,
    /// One subject, or two to compare.
    pub subjects: &'a [Subject],
    /// First and last time, in seconds.
    pub span_s: [f64; 2],
    /// Times of the poses.
    pub moments: Moments,
    /// Views of each pose.
    pub views: &'a [View],
    /// Motion of the camera.
    pub camera: CameraMode,
    /// Width of the page, in pixels.
    pub width: f32,
}

/// Layout of the cells of a strip.
struct Grid {
    times: Vec<f64>,
    columns: usize,
    cell_width: f32,
    px_per_m: f32,
    /// Height of the text above a figure.
    label: f32,
    /// `[views]` bounds of the figure in a cell, in metres.
    bounds: Vec<[f32; 4]>,
}

/// One pose of a strip, and the events since the previous one.
struct Cell<'a> {
    shot: Shot<'a>,
    frame: Frame,
    /// Frame of the pose.
    shown: usize,
    /// First frame of the events.
    since: usize,
    /// True for the first cell.
    first: bool,
}

impl Strip<'_> {
    /// Draws the strip.
    ///
    /// # Errors
    /// Returns [`DrawError`] if the page would be too large.
    pub fn draw(&self) -> Result<Drawn, DrawError> {
        let mut picture = Picture { title: self.title.clone(), width: self.width, ..Picture::default() };
        let grid = if self.camera == CameraMode::Follow { Some(self.grid()?) } else { None };
        let times = grid.as_ref().map_or_else(|| self.walking_times(), |g| Ok(g.times.clone()))?;
        let subtitle = self.subtitle(&times);
        let header = Header::new(&self.title, &subtitle, &Marks::of(self.subjects, grid.is_some()), self.avail());
        let top = MARGIN + header.height();
        let bottom = match &grid {
            Some(grid) => self.cells(&mut picture, top, grid),
            None => self.panels(&mut picture, top, &times),
        };
        header.draw(&mut picture);
        let bottom = self.below(&mut picture, bottom, &times);
        picture.height = (bottom + MARGIN).ceil();
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

    pub(super) fn avail(&self) -> f32 {
        self.width - 2.0 * MARGIN
    }

    pub(super) fn tallest_m(&self) -> f32 {
        self.subjects.iter().map(|s| s.figure.height_m).fold(0.1, f32::max)
    }

    /// Returns the frames at which figures are measured.
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

    /// Returns the scale of the figures, the number of columns, and the times.
    fn grid(&self) -> Result<Grid, DrawError> {
        let bounds: Vec<[f32; 4]> = self.views.iter().map(|v| self.bounds(*v)).collect();
        let widest = bounds.iter().map(|b| b[2] - b[0]).fold(0.1, f32::max);
        let fit = |columns: usize| (self.avail() / columns as f32 - 2.0 * PAD) / widest;
        let mut px_per_m = (FIGURE_PX / self.tallest_m()).min(fit(LEAST_COLUMNS));
        let mut columns = ((self.avail() / (widest * px_per_m + 2.0 * PAD).max(LEAST_CELL_PX)) as usize).max(1);
        if let Some(n) = self.wanted().filter(|n| *n < columns) {
            columns = n;
            px_per_m = fit(n).min(LARGE_PX / self.tallest_m());
        }
        let times = self.times(columns)?;
        let columns = columns.min(times.len());
        let cell_width = (self.avail() / columns as f32).min(2.0 * (widest * px_per_m + 2.0 * PAD));
        let two_lines = self.subjects.iter().any(|s| s.motion.parts.len() > 1 || !s.motion.playing.is_empty());
        let label = if two_lines { 2.0 * LINE_PX } else { LINE_PX } + 4.0;
        Ok(Grid { times, columns, cell_width, px_per_m, label, bounds })
    }

    /// Draws one cell per pose, row by row.
    fn cells(&self, picture: &mut Picture, mut top: f32, grid: &Grid) -> f32 {
        for (row, chunk) in grid.times.chunks(grid.columns).enumerate() {
            for subject in self.subjects {
                for (view, b) in self.views.iter().zip(&grid.bounds) {
                    let shot = Shot { subject, view: *view };
                    if self.views.len() * self.subjects.len() > 1 {
                        top += self.heading(picture, top, shot);
                    }
                    let below = if view.level() { BELOW_PX } else { PAD };
                    let height = grid.label + (b[3] - b[1]) * grid.px_per_m + PAD + below;
                    for (i, time) in chunk.iter().enumerate() {
                        let left = MARGIN + grid.cell_width * i as f32;
                        let frame = Frame { left, top, width: grid.cell_width, height };
                        let before = (row * grid.columns + i).checked_sub(1).map(|k| grid.times[k]);
                        let shown = subject.motion.frame_at(*time);
                        let since = before.map_or(shown, |t| subject.motion.frame_at(t) + 1).min(shown);
                        let cell = Cell { shot, frame, shown, since, first: before.is_none() };
                        cell.draw(picture, grid, b);
                    }
                    top += height + GAP_PX;
                }
            }
        }
        top
    }

    pub(super) fn heading(&self, picture: &mut Picture, top: f32, shot: Shot) -> f32 {
        let view = shot.view.name();
        let words = if self.subjects.len() > 1 { format!("{}  ({view})", shot.subject.label) } else { view.into() };
        picture.words([MARGIN + 2.0, top + 13.0], Anchor::Start, Font::SmallBold, INK, words);
        HEADING_PX - 4.0
    }

    /// Returns the requested number of poses, if it is known before the layout.
    fn wanted(&self) -> Option<usize> {
        let long = self.span_s[1] - self.span_s[0];
        match self.moments {
            Moments::Auto => None,
            Moments::Frames(n) => Some(n),
            Moments::Every(s) => Some((long / s + 1e-6) as usize + 1),
        }
    }

    pub(super) fn times(&self, columns: usize) -> Result<Vec<f64>, DrawError> {
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
            return Err(DrawError::TooManyPoses { poses: n, most: MOST_CELLS });
        }
        let joints = self.subjects.iter().map(|s| s.motion.world(0).len()).sum::<usize>();
        if n * self.views.len() * joints > MOST_DRAWN_JOINTS {
            return Err(DrawError::TooManyJoints { poses: n, joints, views: self.views.len() });
        }
        Ok((0..n).map(|k| from + k as f64 * step).collect())
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

impl Cell<'_> {
    /// Draws the cell. `b` are the bounds of the figure, in metres.
    fn draw(&self, picture: &mut Picture, grid: &Grid, b: &[f32; 4]) {
        let Cell { shot: Shot { subject, view }, frame, shown: f, .. } = *self;
        let (label, px_per_m) = (grid.label, grid.px_per_m);
        let inner = Frame { top: frame.top + label, height: frame.height - label - 1.0, ..frame };
        let middle = frame.left + frame.width / 2.0 - (b[0] + b[2]) / 2.0 * px_per_m;
        let at = [middle, inner.top + b[3] * px_per_m + PAD / 2.0];
        let (camera, origin) = (subject.camera(view, f), subject.origin(f));
        let relief = subject.relief(f..f + 1);
        let stage =
            Stage { subject, view, camera, origin, at, px_per_m, frame: inner, relief, cut_at: origin, first_frame: f };
        stage.moment(picture, f);
        picture.line([frame.corners(), vec![frame.corners()[0]]].concat(), BORDER, 1.0);
        self.words(picture);
    }

    /// Writes the time and the events since the previous cell.
    fn words(&self, picture: &mut Picture) {
        let Cell { shot, frame, shown: f, since, first } = *self;
        let m = &shot.subject.motion;
        let (left, y) = (frame.left + 7.0, frame.top + 14.0);
        let chars = ((frame.width - 12.0) / Font::Small.advance()) as usize;
        picture.words([left, y], Anchor::Start, Font::SmallBold, INK, format!("{:.2} s", m.time_s(f)));
        let jumps: Vec<usize> = m.transitions.iter().map(|t| t.0).filter(|t| (since..=f).contains(t)).collect();
        let begun = m.parts.iter().rfind(|p| (since..=f).contains(&p.start) || first && p.start <= f);
        let named = begun.filter(|p| m.parts.len() > 1 && (p.start > 0 || first));
        if let Some(part) = named {
            if !first {
                picture.dashed(vec![[frame.left, frame.top], [frame.left, frame.bottom()]], INK, 2.0);
            }
            picture.words([left, y + LINE_PX], Anchor::Start, Font::Small, INK, cut(&part.name, chars));
        }
        let Some(jump) = jumps.last() else { return };
        picture.line(vec![[frame.left + 1.5, frame.top], [frame.left + 1.5, frame.bottom()]], JUMP, 3.0);
        triangle(picture, [frame.left + 1.5, frame.top]);
        let text = if jumps.len() > 1 {
            format!("{} transitions", jumps.len())
        } else {
            format!("transition {:.2}", m.time_s(*jump))
        };
        if chars >= 9 + text.len() {
            picture.words([frame.right() - 6.0, y], Anchor::End, Font::Small, JUMP, text);
        }
        if let Some(playing) = m.playing.get(f).filter(|_| named.is_none()) {
            picture.words([left, y + LINE_PX], Anchor::Start, Font::Small, JUMP, cut(&format!("> {playing}"), chars));
        }
    }
}
