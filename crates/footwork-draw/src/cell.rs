//! One pose in one view: ground, marks, traces and figure.

use crate::figure::{Figure, Half, Look};
use crate::ground::{Ground, Relief};
use crate::motion::Motion;
use crate::shapes::{Anchor, Colour, Font, Frame, Picture, Point};
use crate::view::{Camera, View};
use footwork::math::Facing;
use glam::Vec3;

/// Colour of text and outlines.
pub const INK: Colour = Colour::rgb(0x22262b);
/// Colour of secondary text.
pub const FAINT: Colour = Colour::rgb(0x6b7280);
/// Colour of borders.
pub const BORDER: Colour = Colour::rgb(0xd5d9df);
/// Colour of transitions.
pub const JUMP: Colour = Colour::rgb(0xb5179e);
const GROUND: Colour = Colour::rgb(0xf1f3f5);
const GROUND_LINE: Colour = Colour::rgb(0x8b929c);
/// Colour of the lowest ground, seen from above.
const LOW: Colour = Colour::rgb(0xb9c0ca);
const RULER: [Colour; 2] = [Colour::rgb(0xb9c0ca), Colour::rgb(0xe9ecf0)];
/// Height below the ground line: two lanes of contacts, the ruler, its numbers.
pub const BELOW_PX: f32 = 34.0;
/// Distance between world-fixed marks on the ground, in metres. Multiplied by 10 until marks are at least [`TICK_PX`] apart.
const TICK_M: f32 = 0.5;
const TICK_PX: f32 = 4.0;
/// Maximum number of marks, more than fit on the widest picture. Larger numbers arise only for invalid sizes of a body.
const MOST_TICKS: f32 = 4000.0;
/// Maximum number of points of a line: along a row of figures, and of a foot's trace.
const LINE_POINTS: usize = 2000;
const TRACE_POINTS: usize = 100;
/// Distance of points on slopes and steps seen edge-on.
const SECTION_PX: f32 = 1.5;
/// Distance of the samples that find the edges of steps, in metres.
const SURFACE_STEP_M: f32 = 0.02;
const PATCH_EDGE: Colour = Colour::rgb(0xd5dae1);
/// Size of the squares of equal height, seen from above.
const BLOCK_PX: f32 = 6.0;
/// Duration of a foot's trace, in seconds.
const TRACE_S: f32 = 0.4;

/// Motion with a body.
#[derive(Clone)]
pub struct Subject {
    /// Displayed name.
    pub label: String,
    /// Poses in world space.
    pub motion: Motion,
    /// Body around the skeleton.
    pub figure: Figure,
    /// `[contact joints]` names.
    pub contact_names: Vec<String>,
    /// Frames of the span.
    pub span: std::ops::Range<usize>,
    /// Ground under the motion.
    pub ground: Ground,
}

impl Subject {
    /// Returns the camera of a frame. It is constant throughout a clip.
    pub fn camera(&self, view: View, frame: usize) -> Camera {
        let piece = self.motion.piece(frame);
        let range = piece.start.max(self.span.start)..piece.end.min(self.span.end);
        view.camera(self.motion.ahead(range))
    }

    /// Returns the point on the ground below the body.
    pub fn origin(&self, frame: usize) -> Vec3 {
        self.motion.root(frame).translation + Vec3::Y * self.figure.ground_m
    }

    /// Returns the bounds of the figure around its origin in a view, in metres: left, bottom, right, top.
    pub fn bounds(&self, view: View, frame: usize) -> [f32; 4] {
        self.figure.bounds(self.motion.world(frame), &self.camera(view, frame), self.origin(frame))
    }

    /// Returns the ground around a range of frames.
    pub fn relief(&self, frames: std::ops::Range<usize>) -> Relief<'_> {
        let ahead = self.camera(View::Side, frames.start).right;
        self.ground.relief(&self.motion, frames, ahead)
    }

    fn trace_start(&self, frame: usize) -> usize {
        let back = (TRACE_S * self.motion.rate_hz).round() as usize;
        frame.saturating_sub(back).max(self.motion.piece(frame).start)
    }
}

/// Subject in a view.
#[derive(Clone, Copy)]
pub struct Shot<'a> {
    /// Subject.
    pub subject: &'a Subject,
    /// View.
    pub view: View,
}

/// Returns the smallest bounds around both.
pub fn union(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// Empty bounds.
pub const NO_BOUNDS: [f32; 4] = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];

/// Placement of the world on the page.
pub struct Stage<'a> {
    /// Subject.
    pub subject: &'a Subject,
    /// View.
    pub view: View,
    /// Axes of the page in the world.
    pub camera: Camera,
    /// Point of the world that is drawn at `at`.
    pub origin: Vec3,
    /// Point of the page that shows `origin`.
    pub at: Point,
    /// Scale.
    pub px_per_m: f32,
    /// Frame to which the ground is clipped.
    pub frame: Frame,
    /// Ground around the frames shown.
    pub relief: Relief<'a>,
    /// Point of the world through which the ground is cut, in views from the side.
    pub cut_at: Vec3,
    /// First frame shown.
    pub first_frame: usize,
}

impl Stage<'_> {
    /// Projects a point of the world to the page.
    pub fn point(&self, p: Vec3) -> Point {
        let [x, y] = self.camera.plane(p - self.origin);
        [self.at[0] + x * self.px_per_m, self.at[1] - y * self.px_per_m]
    }

    /// Draws the ground, with marks that are fixed in the world.
    pub fn ground(&self, picture: &mut Picture) {
        let level = self.relief.is_level();
        match self.view {
            View::Side | View::Front if level => self.plane(picture),
            View::Side | View::Front => self.section(picture),
            View::Top if !level => self.heights(picture),
            View::ThreeQuarter if !level => return self.surface(picture),
            View::Top | View::ThreeQuarter => {}
        }
        if self.view.level() { self.ruler(picture) } else { self.grid(picture) }
    }

    /// Draws level ground seen edge-on.
    fn plane(&self, picture: &mut Picture) {
        let (f, y) = (&self.frame, self.at[1]);
        picture.rectangle(&Frame { left: f.left, top: y, width: f.width, height: f.bottom() - y }, GROUND);
        picture.line(vec![[f.left, y], [f.right(), y]], GROUND_LINE, 1.2);
    }

    /// Draws slopes and steps seen edge-on.
    fn section(&self, picture: &mut Picture) {
        let f = &self.frame;
        let right = self.camera.right;
        let at = |x: f32| {
            let t = (x - self.at[0]) / self.px_per_m;
            self.cut_at + right * (t - right.dot(self.cut_at - self.origin))
        };
        let line = self.relief.line(at(f.left), at(f.right()), SECTION_PX / self.px_per_m);
        let line: Vec<Point> = line.into_iter().map(|p| self.point(p)).collect();
        let inside = line.iter().map(|[x, y]| [x.clamp(f.left, f.right()), y.clamp(f.top, f.bottom())]);
        let below = [[f.right(), f.bottom()], [f.left, f.bottom()]];
        picture.area(inside.chain(below).collect(), GROUND);
        picture.line_within(&line, f, GROUND_LINE, 1.2);
    }

    /// Draws slopes and steps seen from above. Higher ground is lighter.
    fn heights(&self, picture: &mut Picture) {
        const LEVELS: f32 = 20.0;
        /// Height difference from the darkest to the lightest tone, in metres.
        const RANGE_M: f32 = 2.0;
        let f = &self.frame;
        let tone = |x: f32, y: f32| {
            let [right, up] = [(x - self.at[0]) / self.px_per_m, (self.at[1] - y) / self.px_per_m];
            let p = self.origin + self.camera.right * right + self.camera.up * up;
            let share = 0.5 + (self.relief.height(p) - self.cut_at.y) / RANGE_M;
            (share.clamp(0.0, 1.0) * LEVELS).round()
        };
        let (columns, rows) = ((f.width / BLOCK_PX).ceil() as usize, (f.height / BLOCK_PX).ceil() as usize);
        for i in 0..columns {
            let left = f.left + BLOCK_PX * i as f32;
            let width = BLOCK_PX.min(f.right() - left);
            let tones: Vec<f32> =
                (0..rows).map(|k| tone(left + 0.5 * width, f.top + BLOCK_PX * (k as f32 + 0.5))).collect();
            let mut k = 0;
            while k < rows {
                let same = tones[k..].iter().take_while(|t| **t == tones[k]).count();
                let top = f.top + BLOCK_PX * k as f32;
                let height = (BLOCK_PX * same as f32).min(f.bottom() - top);
                let colour = LOW.towards(Colour::rgb(0xffffff), tones[k] / LEVELS);
                picture.rectangle(&Frame { left, top, width, height }, colour);
                k += same;
            }
        }
    }

    /// Draws slopes and steps seen from above at an angle: patches along the path, far ones first.
    fn surface(&self, picture: &mut Picture) {
        let f = &self.frame;
        let ahead = self.subject.camera(View::Side, self.first_frame).right;
        let left = Vec3::Y.cross(ahead);
        let reach = (f.width + f.height / self.camera.up.dot(Vec3::Y).clamp(0.2, 1.0)) / self.px_per_m;
        let fits = reach <= MOST_TICKS * TICK_M;
        if !fits {
            return;
        }
        // World-fixed marks are the edges of the patches, along the path and across it.
        let marks = |axis: Vec3| {
            let at = axis.dot(self.cut_at);
            let [first, last] = [((at - reach) / TICK_M).ceil(), ((at + reach) / TICK_M).floor()];
            (first as i64..=last as i64).map(|k| k as f32 * TICK_M).collect::<Vec<f32>>()
        };
        let across = marks(left);
        let line = self.relief.line(self.cut_at - ahead * reach, self.cut_at + ahead * reach, SURFACE_STEP_M);
        let mut along: Vec<f32> = line.iter().map(|p| ahead.dot(*p)).chain(marks(ahead)).collect();
        along.sort_by(f32::total_cmp);
        let at = |t: f32, side: f32| {
            let p = ahead * t + left * side;
            p.with_y(self.relief.height(p.with_y(self.cut_at.y)))
        };
        let mut patches: Vec<(f32, Vec<Point>, Colour)> = Vec::new();
        for t in along.windows(2) {
            for side in across.windows(2) {
                let corners = [at(t[0], side[0]), at(t[1], side[0]), at(t[1], side[1]), at(t[0], side[1])];
                let outline = f.clip(corners.iter().map(|p| self.point(*p)).collect());
                if outline.len() < 3 {
                    continue;
                }
                let depth = corners.iter().map(|p| self.camera.depth(*p)).sum::<f32>();
                let normal = (corners[3] - corners[0]).cross(corners[1] - corners[0]).normalize_or(Vec3::Y);
                patches.push((depth, outline, LOW.towards(Colour::rgb(0xfbfcfd), normal.y.abs())));
            }
        }
        patches.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, outline, tone) in patches {
            picture.outlined(outline, tone, PATCH_EDGE, 0.8);
        }
    }

    /// Returns the distance between marks as a multiple of [`TICK_M`], or `None` if there is no space for marks.
    fn tick_scale(&self) -> Option<i64> {
        (0..9).map(|n| 10i64.pow(n)).find(|scale| TICK_M * *scale as f32 * self.px_per_m >= TICK_PX)
    }

    fn ruler(&self, picture: &mut Picture) {
        let f = &self.frame;
        // Below slopes and steps, the ruler is at the bottom.
        let y = if self.relief.is_level() { self.at[1] } else { f.bottom() - BELOW_PX };
        let zero = self.at[0] - self.camera.right.dot(self.origin) * self.px_per_m;
        let Some(scale) = self.tick_scale() else { return };
        let step = TICK_M * scale as f32 * self.px_per_m;
        let (first, last) = (((f.left - zero) / step).floor(), ((f.right() - zero) / step).ceil());
        // Also rejects NaN.
        let fits = last - first <= MOST_TICKS;
        if !fits {
            return;
        }
        for k in first as i64..last as i64 {
            let (a, b) = (zero + k as f32 * step, zero + (k + 1) as f32 * step);
            let (left, right) = (a.max(f.left), b.min(f.right()));
            let band = Frame { left, top: y + 12.0, width: right - left, height: 5.0 };
            picture.rectangle(&band, RULER[k.rem_euclid(2) as usize]);
            if a <= f.left + 1.0 || a >= f.right() - 1.0 {
                continue;
            }
            let tick_top = if self.relief.is_level() { y } else { y + 9.0 };
            picture.line(
                vec![[a, tick_top], [a, y + 17.0]],
                GROUND_LINE.alpha(if k % 2 == 0 { 255 } else { 120 }),
                1.0,
            );
            let text = format!("{}", k / 2 * scale);
            let half = Font::Small.width(&text) / 2.0;
            // If there is little space, only every second, fifth, ... metre.
            let thin = [1, 2, 5, 10, 50].into_iter().find(|t| 2.0 * step * *t as f32 > 40.0).unwrap_or(100);
            let whole = k % 2 == 0 && (k / 2) % thin == 0;
            if whole && a - half > f.left + 2.0 && a + half < f.right() - 2.0 {
                picture.words([a, y + 30.0], Anchor::Middle, Font::Small, FAINT, text);
            }
        }
    }

    fn grid(&self, picture: &mut Picture) {
        let f = &self.frame;
        let Some(scale) = self.tick_scale() else { return };
        let tick_m = TICK_M * scale as f32;
        let reach = (f.width.max(f.height) / self.px_per_m / tick_m / 2.0).ceil() * 2.0 + 2.0;
        // Seen at a low angle, more of the ground is visible.
        let reach = reach * if self.view == View::Top { 1.0 } else { 1.5 };
        let [x0, z0] = [self.origin.x, self.origin.z].map(|v| (v / tick_m).round());
        let fits = reach <= MOST_TICKS;
        if !fits {
            return;
        }
        let n = reach as i64;
        for k in -n..=n {
            for along_x in [true, false] {
                let at = |i: f32| {
                    let (x, z) = if along_x { (x0 + i, z0 + k as f32) } else { (x0 + k as f32, z0 + i) };
                    self.point(Vec3::new(x * tick_m, self.origin.y, z * tick_m))
                };
                let line = if along_x { z0 } else { x0 } as i64 + k;
                let colour = if line % 2 == 0 { Colour::rgb(0xccd2da) } else { Colour::rgb(0xe8ebef) };
                picture.line_within(&[at(-reach), at(reach)], f, colour, 1.0);
            }
        }
    }

    /// Draws the path of the root on the ground, in views that show the ground.
    pub fn path(&self, picture: &mut Picture, range: std::ops::Range<usize>) {
        if self.view.level() {
            return;
        }
        let points: Vec<Point> = thinned(range, LINE_POINTS).map(|f| self.point(self.subject.origin(f))).collect();
        picture.line_within(&points, &self.frame, FAINT.alpha(150), 1.3);
    }

    /// Draws the paths of the feet, fixed in the world.
    pub fn traces(&self, picture: &mut Picture, range: std::ops::Range<usize>) {
        self.thin_traces(picture, range, LINE_POINTS);
    }

    fn thin_traces(&self, picture: &mut Picture, range: std::ops::Range<usize>, points: usize) {
        let s = self.subject;
        for sole in &s.figure.soles {
            let at = |f: usize| self.point(s.motion.world(f)[sole.joint].translation);
            let points: Vec<Point> = thinned(range.clone(), points).map(at).collect();
            picture.line_within(&points, &self.frame, sole.half.colour().alpha(170), 1.6);
        }
    }

    /// Draws marks under planted feet.
    pub fn planted(&self, picture: &mut Picture, frame: usize) {
        let s = self.subject;
        let facing = Facing::from_rotation(s.motion.root(frame).rotation).direction();
        for (slot, sole) in s.figure.soles.iter().enumerate() {
            if !s.motion.planted(frame, slot) {
                continue;
            }
            let p = s.motion.world(frame)[sole.joint].translation - Vec3::Y * sole.stand_m;
            // On stairs and boxes the mark is under the foot, elsewhere on the drawn ground.
            let raised = (p.y - self.origin.y).abs() > 0.04 * s.figure.height_m;
            let p = if raised || !self.relief.is_level() { p } else { p.with_y(self.origin.y) };
            let colour = sole.half.colour();
            if self.view.level() {
                let [x, y] = self.point(p);
                let half = sole.half_length * self.px_per_m * self.camera.right.dot(facing).abs().max(0.45);
                let lane = if sole.half == Half::Right { 6.5 } else { 1.5 };
                let (left, right) = ((x - half).max(self.frame.left), (x + half).min(self.frame.right()));
                let rise_px = self.rise(p, facing) * (2.0 * half) * self.camera.right.dot(facing).signum();
                if rise_px.abs() >= 1.0 {
                    // On a slope, the mark is as inclined as the slope.
                    let middle = y + lane + 2.0;
                    let ends = [[x - half, middle + 0.5 * rise_px], [x + half, middle - 0.5 * rise_px]];
                    picture.line_within(&ends, &self.frame, colour.towards(INK, 0.15), 4.0);
                } else if left < right {
                    let bar = Frame { left, top: y + lane, width: right - left, height: 4.0 };
                    picture.rectangle(&bar, colour.towards(INK, 0.15));
                }
            } else {
                let at = self.point(p);
                let r = sole.half_length * 1.15 * self.px_per_m;
                let flat = self.camera.toward.y.abs();
                if self.frame.contains(at) {
                    picture.disc(at, [r, r * flat], colour.alpha(120), Some((colour.towards(INK, 0.3), 1.4)));
                }
            }
        }
    }

    /// Returns the rise of the drawn ground under a sole, in metres per metre along `facing`; 0 on level ground and at a step's
    /// edge.
    fn rise(&self, at: Vec3, facing: Vec3) -> f32 {
        const NEAR_M: f32 = 0.03;
        const STEEPEST: f32 = 1.2;
        let height = |along_m: f32| self.relief.height(at + facing * along_m);
        let rise = (height(NEAR_M) - height(-NEAR_M)) / (2.0 * NEAR_M);
        if self.relief.is_level() || rise.abs() > STEEPEST { 0.0 } else { rise }
    }

    /// Draws the body at a frame.
    pub fn figure(&self, picture: &mut Picture, frame: usize) {
        let s = self.subject;
        let point = |p| self.point(p);
        let look = Look { camera: &self.camera, px_per_m: self.px_per_m, point: &point, tint: None };
        s.figure.draw(picture, s.motion.world(frame), &look);
    }

    /// Draws the facing, in a view from above.
    pub fn facing(&self, picture: &mut Picture, frame: usize) {
        if self.view != View::Top {
            return;
        }
        let root = self.subject.motion.root(frame);
        let facing = Facing::from_rotation(root.rotation).direction();
        let length = 0.24 * self.subject.figure.height_m;
        let (a, b) = (self.point(root.translation), self.point(root.translation + facing * length));
        picture.line_within(&[a, b], &self.frame, INK.alpha(200), 1.6);
    }

    /// Draws one pose with its ground, marks and traces.
    pub fn moment(&self, picture: &mut Picture, frame: usize) {
        let before = self.subject.trace_start(frame)..frame + 1;
        self.ground(picture);
        self.path(picture, before.clone());
        self.planted(picture, frame);
        self.facing(picture, frame);
        self.figure(picture, frame);
        self.thin_traces(picture, before, TRACE_POINTS);
    }
}

/// Returns about `most` frames of a range, including the last one.
fn thinned(range: std::ops::Range<usize>, most: usize) -> impl Iterator<Item = usize> {
    let step = range.len().div_ceil(most).max(1);
    let last = range.end.saturating_sub(1);
    range.filter(move |f| (last - f).is_multiple_of(step))
}
