//! Motion as a sequence of pictures, one per time, for animated files.

use crate::cell::{BELOW_PX, BORDER, FAINT, INK, JUMP, NO_BOUNDS, Stage, Subject, union};
use crate::error::DrawError;
use crate::layout::{LINE_PX, PAD, check_size};
use crate::shapes::{Anchor, Font, Frame, Picture, Point, cut};
use crate::strip::CameraMode;
use crate::timeline::triangle;
use crate::view::{Camera, View};
use glam::Vec3;

/// Maximum height of a figure, in pixels.
const FIGURE_PX: f32 = 260.0;
/// Maximum height of a picture, relative to its width.
const TALLEST: f32 = 1.5;
/// Maximum number of pictures.
pub const MOST_FRAMES: usize = 3000;
/// Duration for which a transition is shown, in seconds.
const TOLD_S: f64 = 0.4;

/// Motion shown picture by picture.
pub struct Animation<'a> {
    /// Heading; may be empty.
    pub title: String,
    /// Subject.
    pub subject: &'a Subject,
    /// First and last time, in seconds.
    pub span_s: [f64; 2],
    /// Time between pictures, in seconds.
    pub every_s: f64,
    /// View.
    pub view: View,
    /// Motion of the camera.
    pub camera: CameraMode,
    /// Width of the pictures, in pixels.
    pub width: f32,
}

/// Layout shared by all pictures.
pub struct Scene<'a> {
    animation: &'a Animation<'a>,
    /// Times of the pictures, in seconds.
    pub times_s: Vec<f64>,
    bounds: [f32; 4],
    px_per_m: f32,
    /// Height of the pictures, in pixels.
    pub height: f32,
}

impl<'a> Animation<'a> {
    /// Lays out the pictures: all have one size and one scale.
    ///
    /// # Errors
    /// Returns [`DrawError`] if there would be too many pictures, or if they would be too large.
    pub fn scene(&'a self) -> Result<Scene<'a>, DrawError> {
        let [from, to] = self.span_s;
        let frames = ((to - from) / self.every_s + 1e-6).max(0.0) as usize + 1;
        if frames > MOST_FRAMES {
            return Err(DrawError::TooManyPoses { poses: frames, most: MOST_FRAMES });
        }
        let times_s: Vec<f64> = (0..frames).map(|k| from + k as f64 * self.every_s).collect();
        let m = &self.subject.motion;
        let ground = if self.view.level() { [0.0, -0.02, 0.0, 0.1] } else { NO_BOUNDS };
        let start = if self.camera == CameraMode::Follow { ground } else { NO_BOUNDS };
        let step = frames.div_ceil(400);
        let shown = times_s.iter().step_by(step).map(|t| m.frame_at(*t));
        let bounds = shown.map(|f| self.bounds(f)).fold(start, union);
        let [w, h] = [bounds[2] - bounds[0], bounds[3] - bounds[1]].map(|v| v.max(0.1));
        let below = if self.view.level() { BELOW_PX } else { PAD };
        let around = self.head_px() + PAD + below;
        let px_per_m = ((self.width - 4.0 * PAD) / w)
            .min(FIGURE_PX / self.subject.figure.height_m)
            .min((TALLEST * self.width - around) / h);
        // Even, because some players require that.
        let height = (((around + h * px_per_m) / 2.0).ceil() * 2.0).max(120.0);
        let scene = Scene { animation: self, times_s, bounds, px_per_m, height };
        check_size(&Picture { width: self.width, height, ..Picture::default() })?;
        Ok(scene)
    }

    fn head_px(&self) -> f32 {
        // Lines: title, time, and the playing clip of a run.
        let lines = 1 + usize::from(!self.title.is_empty()) + usize::from(!self.subject.motion.playing.is_empty());
        LINE_PX * lines as f32 + 6.0
    }

    /// Returns the bounds of the figure at a frame. For a fixed camera, they are relative to the world's origin.
    fn bounds(&self, frame: usize) -> [f32; 4] {
        let b = self.subject.bounds(self.view, frame);
        if self.camera == CameraMode::Follow {
            return b;
        }
        let [x, y] = self.eye(frame).plane(self.subject.origin(frame));
        let ground = if self.view.level() { b[1].min(-0.02) } else { b[1] };
        [b[0] + x, ground + y, b[2] + x, b[3] + y]
    }

    /// Returns the camera of a frame, or of the first picture if the camera is fixed.
    fn eye(&self, frame: usize) -> Camera {
        let frame =
            if self.camera == CameraMode::Follow { frame } else { self.subject.motion.frame_at(self.span_s[0]) };
        self.subject.camera(self.view, frame)
    }
}

impl Scene<'_> {
    /// Draws one picture.
    pub fn draw(&self, index: usize) -> Picture {
        let a = self.animation;
        let m = &a.subject.motion;
        let f = m.frame_at(self.times_s[index]);
        let mut picture = Picture { title: a.title.clone(), width: a.width, height: self.height, ..Picture::default() };
        let head = a.head_px();
        let inner = Frame { left: 1.0, top: head, width: a.width - 2.0, height: self.height - head - 1.0 };
        let camera = a.eye(f);
        let origin = if a.camera == CameraMode::Follow { a.subject.origin(f) } else { self.still() };
        let middle = a.width / 2.0 - (self.bounds[0] + self.bounds[2]) / 2.0 * self.px_per_m;
        let top = inner.top + PAD / 2.0 + self.bounds[3] * self.px_per_m;
        let at: Point = if a.camera == CameraMode::Follow {
            [middle, top]
        } else {
            let [x, y] = camera.plane(origin);
            [middle + x * self.px_per_m, top - y * self.px_per_m]
        };
        let stage = Stage {
            subject: a.subject,
            view: a.view,
            camera,
            origin,
            at,
            px_per_m: self.px_per_m,
            frame: inner,
            relief: a.subject.relief(f..f + 1),
            cut_at: a.subject.origin(f),
            first_frame: f,
        };
        stage.moment(&mut picture, f);
        // Ground and traces are clipped to the area below the text, so the text is on white.
        self.words(&mut picture, f);
        picture
    }

    /// Returns the point of the world that a fixed camera looks at.
    fn still(&self) -> Vec3 {
        let a = self.animation;
        let f = a.subject.motion.frame_at(a.span_s[0]);
        a.subject.origin(f)
    }

    fn words(&self, picture: &mut Picture, f: usize) {
        let a = self.animation;
        let m = &a.subject.motion;
        let chars = ((a.width - 2.0 * PAD) / Font::Small.advance()) as usize;
        let mut y = LINE_PX;
        if !a.title.is_empty() {
            picture.words([PAD, y], Anchor::Start, Font::SmallBold, INK, cut(&a.title, chars));
            y += LINE_PX;
        }
        picture.words([PAD, y], Anchor::Start, Font::Small, INK, format!("{:.2} s", m.time_s(f)));
        // A single clip is named by the title.
        let several = m.parts.len() > 1 || a.title.is_empty();
        if let Some(part) = m.parts.iter().rfind(|p| several && p.start <= f) {
            picture.words([PAD + 70.0, y], Anchor::Start, Font::Small, INK, cut(&part.name, chars.saturating_sub(10)));
        }
        y += LINE_PX;
        let Some(playing) = m.playing.get(f) else { return self.border(picture) };
        let within = |t: &&(usize, u32)| t.0 <= f && m.time_s(f) - m.time_s(t.0) < TOLD_S;
        let changed = m.transitions.iter().rfind(within).is_some();
        let colour = if changed { JUMP } else { FAINT };
        picture.words([PAD, y], Anchor::Start, Font::Small, colour, cut(&format!("> {playing}"), chars));
        if changed {
            triangle(picture, [a.width - 12.0, y]);
        }
        self.border(picture);
    }

    fn border(&self, picture: &mut Picture) {
        let page = Frame { left: 0.5, top: 0.5, width: picture.width - 1.0, height: picture.height - 1.0 };
        picture.line([page.corners(), vec![page.corners()[0]]].concat(), BORDER, 1.0);
    }
}
