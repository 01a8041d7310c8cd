//! Many clips on one page: one row per clip, from its first frame to its last.

use crate::cell::{BELOW_PX, BORDER, FAINT, INK, NO_BOUNDS, Stage, Subject, union};
use crate::error::DrawError;
use crate::header::{Header, Marks};
use crate::layout::{Drawn, GAP_PX, HEADING_PX, LINE_PX, MARGIN, PAD, check_size};
use crate::shapes::{Anchor, Colour, Font, Frame, Picture};
use crate::timeline::runs;
use crate::view::View;

/// Contact sheet: one row per clip.
pub struct ContactSheet<'a> {
    /// Heading.
    pub title: String,
    /// Line below the heading.
    pub subtitle: String,
    /// Subjects, one per row.
    pub subjects: &'a [Subject],
    /// View of all subjects.
    pub view: View,
    /// Poses per row.
    pub columns: usize,
    /// Width of the page, in pixels.
    pub width: f32,
}

impl ContactSheet<'_> {
    /// Draws the sheet.
    ///
    /// # Errors
    /// Returns [`DrawError`] if the page would be too large.
    pub fn draw(&self) -> Result<Drawn, DrawError> {
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
        let header = Header::new(&self.title, &self.subtitle, &Marks::of(self.subjects, true), avail);
        let mut top = MARGIN + header.height();
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
                let (view, relief) = (self.view, s.relief(f..f + 1));
                Stage {
                    subject: s,
                    view,
                    camera,
                    origin,
                    at,
                    px_per_m,
                    frame: inner,
                    relief,
                    cut_at: origin,
                    first_frame: f,
                }
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
        header.draw(&mut picture);
        check_size(&picture)?;
        Ok(Drawn { picture, times_s: Vec::new(), cells })
    }
}

/// Draws the contacts of a whole clip, one thin lane per foot.
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
