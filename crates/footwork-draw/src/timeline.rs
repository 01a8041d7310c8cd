//! Diagrams below the figures: contacts, speeds and transitions over time, and the path from above.

use crate::cell::{BORDER, FAINT, INK, JUMP, Subject};
use crate::figure::Half;
use crate::layout::MARGIN;
use crate::motion::{Track, flat};
use crate::shapes::{Anchor, Colour, Font, Frame, Picture, Point, cut};
use crate::view::View;
use glam::Vec3;

const NAME_PX: f32 = 96.0;
const LANE_PX: f32 = 15.0;
const HEAD_PX: f32 = 20.0;
const CURVE_PX: f32 = 74.0;
const TOES_PX: f32 = 50.0;
const GAP_PX: f32 = 12.0;
const AXIS_PX: f32 = 24.0;

/// Round step sizes.
const NICE: [f64; 24] = [
    0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 5.0, 10.0,
    20.0, 30.0, 60.0,
];

/// Returns the first round step that is at least `least`.
pub fn nice(least: f64) -> f64 {
    NICE.into_iter().find(|s| *s >= least - 1e-9).unwrap_or_else(|| (least / 60.0).ceil() * 60.0)
}

pub fn height(subject: &Subject) -> f32 {
    let toes = if subject.figure.soles.is_empty() { 0.0 } else { TOES_PX + GAP_PX };
    HEAD_PX + LANE_PX * lanes(subject) as f32 + GAP_PX + toes + CURVE_PX + AXIS_PX
}

/// Returns the number of lanes of contacts and tracks.
fn lanes(subject: &Subject) -> usize {
    subject.figure.soles.len().max(1) + subject.motion.tracks.len()
}

/// Time axis from left to right: a time span over the width of a frame.
struct TimeAxis {
    plot: Frame,
    span_s: [f64; 2],
}

impl TimeAxis {
    fn x(&self, s: f64) -> f32 {
        let long = (self.span_s[1] - self.span_s[0]).max(1e-6);
        self.plot.left + ((s - self.span_s[0]) / long) as f32 * self.plot.width
    }

    /// Draws numbers below `base`, and lines up to `top`.
    fn draw(&self, picture: &mut Picture, base: f32, top: f32) {
        let Self { plot, span_s } = self;
        let step = nice((span_s[1] - span_s[0]) * 62.0 / f64::from(plot.width));
        // Adding zero converts minus zero to zero.
        let mut k = (span_s[0] / step - 1e-6).ceil() + 0.0;
        while k * step <= span_s[1] + 1e-6 {
            let at = self.x(k * step);
            picture.line(vec![[at, top], [at, base]], Colour::rgb(0xeaedf0), 1.0);
            let text = if step >= 1.0 { format!("{:.0}", k * step) } else { format!("{:.2}", k * step) };
            picture.words([at, base + 19.0], Anchor::Middle, Font::Small, FAINT, text);
            k += 1.0;
        }
        picture.words([plot.left - NAME_PX, base + 19.0], Anchor::Start, Font::Small, FAINT, "time s");
    }
}

/// Draws contacts, speeds of toes and root, and transitions over time.
pub fn timeline(picture: &mut Picture, subject: &Subject, span_s: [f64; 2], samples: &[f64], frame: &Frame) {
    let m = &subject.motion;
    let plot = Frame { left: frame.left + NAME_PX, width: frame.width - NAME_PX - 8.0, ..*frame };
    let axis = TimeAxis { plot, span_s };
    let x = |s: f64| axis.x(s);
    let lanes = subject.figure.soles.len();
    let lanes_top = frame.top + HEAD_PX;
    let tracks_top = lanes_top + LANE_PX * lanes.max(1) as f32;
    let toes_top = tracks_top + LANE_PX * m.tracks.len() as f32 + GAP_PX;
    let curve_top = if lanes == 0 { toes_top } else { toes_top + TOES_PX + GAP_PX };
    let base = curve_top + CURVE_PX;
    axis.draw(picture, base, toes_top);
    for (slot, sole) in subject.figure.soles.iter().enumerate() {
        let top = lanes_top + LANE_PX * slot as f32;
        let name = lane_name(subject, slot);
        picture.words([plot.left - 8.0, top + 11.0], Anchor::End, Font::Small, INK, name);
        let lane = Frame { left: plot.left, top: top + 1.0, width: plot.width, height: LANE_PX - 3.0 };
        picture.rectangle(&lane, Colour::rgb(0xf1f3f5));
        for run in runs(subject, slot) {
            // A frame extends half a step to both sides.
            let half = 0.5 / f64::from(m.rate_hz);
            let (a, b) = ((m.time_s(run.start) - half).max(span_s[0]), (m.time_s(run.end - 1) + half).min(span_s[1]));
            if a < b {
                picture.rectangle(&Frame { left: x(a), width: x(b) - x(a), ..lane }, sole.half.colour());
            }
        }
    }
    for (k, one) in m.tracks.iter().enumerate() {
        let top = tracks_top + LANE_PX * k as f32 + 1.0;
        track(picture, one, &axis, &Frame { left: plot.left, top, width: plot.width, height: LANE_PX - 3.0 });
    }
    if lanes == 0 {
        picture.words([plot.left, lanes_top + 11.0], Anchor::Start, Font::Small, FAINT, "no contact joints");
    }
    if lanes > 0 {
        toe_speeds(picture, subject, &axis, [toes_top, toes_top + TOES_PX]);
    }
    speed(picture, subject, &axis, [curve_top, base]);
    for t in samples {
        picture.line(vec![[x(*t), base + 1.0], [x(*t), base + 5.0]], INK, 1.4);
    }
    marks(picture, subject, &axis, frame.top, base);
}

/// Draws a lane of names.
fn track(picture: &mut Picture, track: &Track, axis: &TimeAxis, lane: &Frame) {
    let span_s = axis.span_s;
    picture.words([lane.left - 8.0, lane.top + 10.0], Anchor::End, Font::Small, INK, cut(&track.name, 12));
    picture.rectangle(lane, Colour::rgb(0xf1f3f5));
    for (i, ([from_s, to_s], name)) in track.spans.iter().enumerate() {
        let (a, b) = (axis.x(from_s.max(span_s[0])), axis.x(to_s.min(span_s[1])));
        if *from_s >= span_s[1] || a >= b {
            continue;
        }
        let colour = if i % 2 == 0 { 0xd3e4f5 } else { 0xe9dff2 };
        picture.rectangle(&Frame { left: a, width: b - a, ..*lane }, Colour::rgb(colour));
        let room = ((b - a - 6.0) / Font::Small.advance()).max(0.0) as usize;
        if room >= 3 {
            picture.words([a + 3.0, lane.top + 10.0], Anchor::Start, Font::Small, INK, cut(name, room));
        }
    }
}

/// Returns a picture of tracks alone. The span is in seconds.
pub fn tracks(title: &str, tracks: &[Track], span_s: [f64; 2], width: f32) -> Picture {
    let plot = Frame { left: MARGIN + NAME_PX, top: MARGIN, width: width - 2.0 * MARGIN - NAME_PX - 8.0, height: 0.0 };
    let base = MARGIN + LANE_PX * tracks.len() as f32;
    let mut picture = Picture { title: title.to_owned(), width, height: base + AXIS_PX + MARGIN, ..Picture::default() };
    let axis = TimeAxis { plot, span_s };
    axis.draw(&mut picture, base, MARGIN);
    for (k, one) in tracks.iter().enumerate() {
        let top = MARGIN + LANE_PX * k as f32 + 1.0;
        track(&mut picture, one, &axis, &Frame { top, height: LANE_PX - 3.0, ..plot });
    }
    picture
}

fn lane_name(subject: &Subject, slot: usize) -> String {
    let soles = &subject.figure.soles;
    match soles[slot].half {
        Half::Left if soles.len() == 2 => "left foot".into(),
        Half::Right if soles.len() == 2 => "right foot".into(),
        _ => cut(&subject.contact_names[slot], 12),
    }
}

fn speed(picture: &mut Picture, subject: &Subject, axis: &TimeAxis, [top, base]: [f32; 2]) {
    let m = &subject.motion;
    let speeds: Vec<f32> = subject.span.clone().map(|f| m.speed_mps(f)).collect();
    let most = speeds.iter().copied().fold(0.0, f32::max);
    let step = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|s| most / s <= 3.0).unwrap_or(most.max(1.0));
    let ceiling = ((most / step).ceil() * step).max(step);
    let chart = Chart { axis, top, base, ceiling };
    chart.scale(picture, "speed", step);
    chart.curve(picture, subject, &speeds, INK);
}

/// Draws the speed of the toes over the ground, up to [`TOES_MPS`]. During contact it should be zero.
fn toe_speeds(picture: &mut Picture, subject: &Subject, axis: &TimeAxis, [top, base]: [f32; 2]) {
    let m = &subject.motion;
    let chart = Chart { axis, top, base, ceiling: TOES_MPS };
    chart.scale(picture, "toes", TOES_MPS / 2.0);
    for sole in &subject.figure.soles {
        let at = |f: usize| m.world(f)[sole.joint].translation;
        let mps = |f: usize| {
            let piece = m.piece(f);
            let (a, b) = (f.saturating_sub(1).max(piece.start), (f + 1).min(piece.end - 1));
            flat(at(b) - at(a)).length() * m.rate_hz / (b - a).max(1) as f32
        };
        let speeds: Vec<f32> = subject.span.clone().map(mps).collect();
        chart.curve(picture, subject, &speeds, sole.half.colour());
    }
}

/// Maximum drawn speed of a toe, in m/s.
const TOES_MPS: f32 = 0.6;

/// Chart of values over time: zero is at `base`, `ceiling` at `top`.
struct Chart<'a> {
    axis: &'a TimeAxis,
    top: f32,
    base: f32,
    ceiling: f32,
}

impl Chart<'_> {
    fn y(&self, value: f32) -> f32 {
        self.base - value / self.ceiling * (self.base - self.top)
    }

    /// Draws lines and numbers behind a curve.
    fn scale(&self, picture: &mut Picture, name: &str, step: f32) {
        let (plot, top, base) = (&self.axis.plot, self.top, self.base);
        // The step gives few lines. The cast makes none for a speed that is not finite.
        let lines = (self.ceiling / step).round().clamp(0.0, 8.0) as usize;
        for v in (0..=lines).map(|k| k as f32 * step) {
            picture.line(
                vec![[plot.left, self.y(v)], [plot.right(), self.y(v)]],
                if v == 0.0 { BORDER } else { Colour::rgb(0xeaedf0) },
                1.0,
            );
            let text = match step {
                s if s >= 1.0 => format!("{v:.0}"),
                s if (10.0 * s).fract() < 1e-3 => format!("{v:.1}"),
                _ => format!("{v:.2}"),
            };
            picture.words([plot.left - 8.0, self.y(v) + 4.0], Anchor::End, Font::Small, FAINT, text);
        }
        picture.words([plot.left - NAME_PX, (top + base) / 2.0 - 4.0], Anchor::Start, Font::Small, INK, name);
        picture.words([plot.left - NAME_PX, (top + base) / 2.0 + 11.0], Anchor::Start, Font::Small, FAINT, "m/s");
    }

    /// Draws a curve of one value per frame, clamped to the ceiling.
    fn curve(&self, picture: &mut Picture, subject: &Subject, values: &[f32], colour: Colour) {
        let (m, plot) = (&subject.motion, &self.axis.plot);
        let mut line: Vec<Point> = Vec::new();
        for (f, v) in subject.span.clone().zip(values) {
            if m.piece(f).start == f {
                picture.line(std::mem::take(&mut line), colour, 1.6);
            }
            let y = self.y(v.min(self.ceiling));
            line.push([self.axis.x(m.time_s(f)).clamp(plot.left, plot.right()), y]);
        }
        picture.line(line, colour, 1.6);
    }
}

/// Draws transitions and borders over the curves.
fn marks(picture: &mut Picture, subject: &Subject, axis: &TimeAxis, top: f32, base: f32) {
    let (m, span_s) = (&subject.motion, axis.span_s);
    let x = |s: f64| axis.x(s);
    let mut free = f32::MIN;
    for (i, part) in m.parts.iter().enumerate() {
        let ends = m.parts.get(i + 1).map_or(m.frames(), |p| p.start);
        if ends <= subject.span.start || part.start >= subject.span.end {
            continue;
        }
        let at = x(m.time_s(part.start).max(span_s[0]));
        let inside = m.time_s(part.start) > span_s[0] + 1e-6;
        if inside {
            picture.dashed(vec![[at, top + 2.0], [at, base]], FAINT, 1.2);
        }
        let room = x(m.time_s(ends).min(span_s[1])) - at - 8.0;
        let text = cut(&part.name, (room / Font::Small.advance()).max(0.0) as usize);
        // A name shortened to a few letters is omitted.
        let telling = text.chars().count() >= part.name.chars().count().min(5);
        if telling && at > free && (m.parts.len() > 1 || inside) {
            picture.words([at + 4.0, top + 13.0], Anchor::Start, Font::Small, FAINT, text.clone());
            free = at + Font::Small.width(&text);
        }
    }
    for (frame, _) in m.transitions.iter().filter(|t| subject.span.contains(&t.0)) {
        let at = x(m.time_s(*frame));
        picture.line(vec![[at, top + HEAD_PX - 1.0], [at, base]], JUMP.alpha(190), 1.3);
        triangle(picture, [at, top + HEAD_PX]);
    }
}

/// Draws the sign of a transition, pointing at `at`.
pub fn triangle(picture: &mut Picture, [x, y]: Point) {
    picture.area(vec![[x - 4.5, y - 8.0], [x + 4.5, y - 8.0], [x, y]], JUMP);
}

/// Returns the runs of frames within the span in which a foot is planted.
pub fn runs(subject: &Subject, slot: usize) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for f in subject.span.clone().filter(|f| subject.motion.planted(*f, slot)) {
        match runs.last_mut() {
            Some(r) if r.end == f && subject.motion.piece(f).start != f => r.end = f + 1,
            _ => runs.push(f..f + 1),
        }
    }
    runs
}

/// Draws the path of the root from above, with a print for each planted foot. Clips are side by side.
pub fn way(picture: &mut Picture, subject: &Subject, frame: &Frame) {
    const GAP_M: f32 = 0.5;
    let (m, span) = (&subject.motion, subject.span.clone());
    let mut pieces = Vec::new();
    let mut f = span.start;
    while f < span.end {
        let end = m.piece(f).end.min(span.end);
        pieces.push(f..end);
        f = end;
    }
    // Each piece in the plane of its own camera, beside the previous piece.
    let mut drawn: Vec<(std::ops::Range<usize>, [f32; 2])> = Vec::new();
    let (mut right, mut low, mut high) = (0.0f32, 0.0f32, 0.0f32);
    for range in pieces {
        let camera = subject.camera(View::Top, range.start);
        let roots = range.clone().map(|f| camera.plane(subject.origin(f)));
        let feet = range.clone().flat_map(|f| subject.figure.soles.iter().map(move |s| (f, s.joint)));
        let feet = feet.map(|(f, j)| camera.plane(m.world(f)[j].translation));
        let mut b = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for [x, y] in roots.chain(feet) {
            b = [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)];
        }
        let start = if drawn.is_empty() { 0.0 } else { right + GAP_M };
        let middle = (b[1] + b[3]) / 2.0;
        drawn.push((range, [start - b[0], -middle]));
        right = start + b[2] - b[0];
        low = low.min(b[1] - middle);
        high = high.max(b[3] - middle);
    }
    let inner = Frame {
        left: frame.left + 14.0,
        top: frame.top + 24.0,
        width: frame.width - 28.0,
        height: frame.height - 58.0,
    };
    let px_per_m = (inner.width / right.max(0.6)).min(inner.height / (high - low).max(0.6)).min(220.0);
    let shift = (inner.width - right * px_per_m) / 2.0;
    let middle_y = inner.top + inner.height / 2.0 + (high + low) / 2.0 * px_per_m;
    picture.outlined(frame.corners(), Colour::rgb(0xffffff), BORDER, 1.0);
    picture.words([frame.left + 8.0, frame.top + 15.0], Anchor::Start, Font::Small, INK, "from above");
    // Sorted, and no run crosses a border.
    let stood: Vec<Vec<std::ops::Range<usize>>> = (0..subject.figure.soles.len()).map(|s| runs(subject, s)).collect();
    for (range, [dx, dy]) in &drawn {
        let camera = subject.camera(View::Top, range.start);
        let place = |p: Vec3| {
            let [x, y] = camera.plane(p);
            [inner.left + shift + (x + dx) * px_per_m, middle_y - (y + dy) * px_per_m]
        };
        if let Some(commanded) = m.commanded.get(range.clone()) {
            let points: Vec<Point> = commanded.iter().map(|p| place(*p)).collect();
            picture.line(points, Colour::rgb(0xb4bac4), 3.0);
        }
        for (slot, sole) in subject.figure.soles.iter().enumerate() {
            let first = stood[slot].partition_point(|r| r.start < range.start);
            for run in stood[slot][first..].iter().take_while(|r| r.start < range.end) {
                let places = run.clone().map(|f| m.world(f)[sole.joint].translation);
                let mean = places.sum::<Vec3>() / run.len() as f32;
                let r = (sole.half_length * px_per_m).clamp(3.2, 9.0);
                picture.disc(place(mean), [r, r], sole.half.colour().alpha(150), Some((sole.half.colour(), 1.0)));
            }
        }
        picture.line(range.clone().map(|f| place(m.root(f).translation)).collect(), INK, 1.6);
        picture.disc(place(m.root(range.start).translation), [3.5, 3.5], Colour::rgb(0x1a9850), Some((INK, 0.8)));
        for (f, _) in m.transitions.iter().filter(|t| range.contains(&t.0)) {
            picture.disc(place(m.root(*f).translation), [3.0, 3.0], Colour::rgb(0xffffff), Some((JUMP, 1.5)));
        }
    }
    let bar_m = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        .into_iter()
        .find(|b| b * px_per_m > 36.0)
        .unwrap_or(500.0);
    let (x, y) = (frame.left + 10.0, frame.bottom() - 10.0);
    picture.line(vec![[x, y], [x + bar_m * px_per_m, y]], INK, 2.0);
    picture.words([x + bar_m * px_per_m + 6.0, y + 4.0], Anchor::Start, Font::Small, FAINT, format!("{bar_m} m"));
}
