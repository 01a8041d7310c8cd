//! Ground under a motion: known, or estimated from planted feet.

use crate::figure::{Figure, Sole};
use crate::motion::Motion;
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Maximum slope between two footholds of a ramp, rise over run; steeper ground is a step. Ramps have at most 20 degrees
/// (0.364), stairs have more (EN ISO 14122).
const STEEPEST_RAMP: f32 = 0.4;
/// Maximum height difference of footholds on the same plane, in metres: the noise of contacts.
const SAME_HEIGHT_M: f32 = 0.03;
/// Maximum height difference of footholds on level ground, as a share of the figure's height.
const LEVEL_SHARE: f32 = 0.06;
/// Maximum speed of a planted foot, as a share of the figure's height per second: 16 cm/s for an adult.
const STILL_SHARE: f32 = 0.09;
/// Minimum duration of a foothold, in seconds.
const LEAST_S: f32 = 0.1;
/// Time before and after a pose whose footholds determine its ground, in seconds.
const NEAR_S: f32 = 1.5;
/// Length by which a ramp extends beyond its last foothold, in metres: one step.
const BEYOND_M: f32 = 0.7;

/// Ground of a subject.
#[derive(Clone)]
pub enum Ground {
    /// Plane at the height of the root.
    Level,
    /// Height at a point of the world, in metres.
    Known(Arc<dyn Fn(Vec3) -> f32>),
    /// Planted feet, in order of time.
    Footholds(Vec<Foothold>),
}

/// Planted foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Foothold {
    /// Frames in which the foot is planted.
    pub frames: Range<usize>,
    /// Point under the foot, in world space.
    pub at: Vec3,
    /// Length of the foot in front of the point and behind it, in metres.
    pub reach_m: [f32; 2],
}

/// Ground around a range of frames.
pub enum Relief<'a> {
    /// Plane at the height of the root.
    Level,
    /// Height at a point of the world, in metres.
    Known(&'a dyn Fn(Vec3) -> f32),
    /// Ground that changes in one direction only.
    Section {
        /// Horizontal unit vector.
        along: Vec3,
        /// Distance along it and height, in metres, in order of distance; at least one point.
        points: Vec<[f32; 2]>,
    },
}

impl Ground {
    /// Estimates the ground under the feet of a motion.
    pub fn under(motion: &Motion, figure: &Figure) -> Self {
        let mut footholds = Vec::new();
        let least = ((LEAST_S * motion.rate_hz) as usize).max(1);
        for (slot, sole) in figure.soles.iter().enumerate() {
            let mut f = 0;
            while f < motion.frames() {
                let start = f;
                let end = motion.piece(f).end;
                while f < end && stands(motion, figure, slot, f) {
                    f += 1;
                }
                if f >= start + least {
                    // In the middle of a contact the sole is flat: heel and toe have landed, and neither has left.
                    let (third, n) = ((f - start) / 3, f - start);
                    let still = start + third..start + (n - third).max(third + 1);
                    let at = still.clone().map(|f| under(motion, figure, sole, f)).sum::<Vec3>() / still.len() as f32;
                    // The toe joint is near the tip.
                    let reach_m = [1.2 * sole.half_length, 3.0 * sole.half_length];
                    footholds.push(Foothold { frames: start..f, at, reach_m });
                }
                f = f.max(start + 1);
            }
        }
        footholds.sort_by_key(|h| h.frames.start);
        let heights = || footholds.iter().map(|h| h.at.y);
        let (low, high) = (heights().fold(f32::MAX, f32::min), heights().fold(f32::MIN, f32::max));
        if high - low <= LEVEL_SHARE * figure.height_m { Self::Level } else { Self::Footholds(footholds) }
    }

    /// Returns the ground around a range of frames, for a character that moves along a direction.
    pub fn relief(&self, motion: &Motion, frames: Range<usize>, along: Vec3) -> Relief<'_> {
        let footholds = match self {
            Self::Level => return Relief::Level,
            Self::Known(height) => return Relief::Known(height.as_ref()),
            Self::Footholds(footholds) => footholds,
        };
        let near = (NEAR_S * motion.rate_hz) as usize;
        let piece = motion.piece(frames.start);
        let around = frames.start.saturating_sub(near).max(piece.start)..(frames.end + near).min(piece.end);
        let near = footholds.iter().filter(|h| h.frames.start < around.end && h.frames.end > around.start);
        let points = section(near, along);
        if points.is_empty() { Relief::Level } else { Relief::Section { along, points } }
    }
}

impl Relief<'_> {
    /// Returns true for a plane at the height of the root.
    pub fn is_level(&self) -> bool {
        matches!(self, Self::Level)
    }

    /// Returns the height at a point of the world; on level ground, that of the point itself.
    pub fn height(&self, p: Vec3) -> f32 {
        match self {
            Self::Level => p.y,
            Self::Known(height) => height(p),
            Self::Section { along, points } => {
                let t = along.dot(p);
                let after = points.partition_point(|q| q[0] < t);
                match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
                    (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * (t - a[0]) / (b[0] - a[0]).max(1e-6),
                    (Some(end), None) => end[1],
                    (None, Some(end)) => end[1],
                    (None, None) => p.y,
                }
            }
        }
    }

    /// Returns the ground from `a` to `b`, sampled every `step_m`, without points on straight lines.
    pub fn line(&self, a: Vec3, b: Vec3, step_m: f32) -> Vec<Vec3> {
        const STRAIGHT_M: f32 = 0.002;
        const MOST: f32 = 4000.0;
        let n = ((b - a).length() / step_m).ceil().clamp(1.0, MOST) as usize;
        let at = |k: usize| {
            let p = a + (b - a) * (k as f32 / n as f32);
            p.with_y(self.height(p))
        };
        let points: Vec<Vec3> = (0..=n).map(at).collect();
        bends(&points, STRAIGHT_M)
    }
}

/// Omits points of an evenly sampled line of heights whose height lies on the line between their neighbours, within a tolerance
/// (Douglas and Peucker 1973).
fn bends(points: &[Vec3], within_m: f32) -> Vec<Vec3> {
    let last = points.len() - 1;
    let mut keeps = vec![false; points.len()];
    (keeps[0], keeps[last]) = (true, true);
    let mut spans = vec![(0, last)];
    while let Some((a, b)) = spans.pop() {
        let rise = (points[b].y - points[a].y) / (b - a).max(1) as f32;
        let off_m = |k: &usize| (points[*k].y - points[a].y - rise * (k - a) as f32).abs();
        let worst = (a + 1..b).max_by(|i, j| off_m(i).total_cmp(&off_m(j)));
        if let Some(worst) = worst.filter(|k| off_m(k) > within_m) {
            keeps[worst] = true;
            spans.extend([(a, worst), (worst, b)]);
        }
    }
    points.iter().zip(keeps).filter_map(|(p, keep)| keep.then_some(*p)).collect()
}

/// Returns the point under a foot.
fn under(motion: &Motion, figure: &Figure, sole: &Sole, frame: usize) -> Vec3 {
    // Both feet of a biped have the same height when planted, but the measured heights may differ.
    let stand_m = match &figure.soles[..] {
        [a, b] => 0.5 * (a.stand_m + b.stand_m),
        _ => sole.stand_m,
    };
    motion.world(frame)[sole.joint].translation - Vec3::Y * stand_m
}

/// Returns true if a foot is a stance foot: it is planted, or it is still and no other foot is lower. (Contacts found by height
/// miss feet on slopes and steps.)
fn stands(motion: &Motion, figure: &Figure, slot: usize, frame: usize) -> bool {
    if motion.planted(frame, slot) {
        return true;
    }
    let sole = &figure.soles[slot];
    let here = under(motion, figure, sole, frame).y;
    let lowest = figure.soles.iter().map(|s| under(motion, figure, s, frame).y).fold(f32::MAX, f32::min);
    let piece = motion.piece(frame);
    let (a, b) = (frame.saturating_sub(1).max(piece.start), (frame + 1).min(piece.end - 1));
    let moved = (under(motion, figure, sole, b) - under(motion, figure, sole, a)).length();
    let mps = moved * motion.rate_hz / (b - a).max(1) as f32;
    here <= lowest + SAME_HEIGHT_M && mps < STILL_SHARE * figure.height_m
}

/// Returns the ground through footholds: ramps between footholds of similar height, steps between others.
fn section<'a>(footholds: impl Iterator<Item = &'a Foothold>, along: Vec3) -> Vec<[f32; 2]> {
    struct Tread {
        t: f32,
        height: f32,
        reach_m: [f32; 2],
        count: f32,
    }
    let mut all: Vec<(f32, &Foothold)> = footholds.map(|h| (along.dot(h.at), h)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut treads: Vec<Tread> = Vec::new();
    for (t, h) in all {
        match treads.last_mut() {
            // Feet side by side share a tread.
            Some(last) if t - last.t < h.reach_m[1] && (h.at.y - last.height).abs() < 2.0 * SAME_HEIGHT_M => {
                last.t = (last.t * last.count + t) / (last.count + 1.0);
                last.height = (last.height * last.count + h.at.y) / (last.count + 1.0);
                last.count += 1.0;
            }
            _ => treads.push(Tread { t, height: h.at.y, reach_m: h.reach_m, count: 1.0 }),
        }
    }
    let mut points: Vec<[f32; 2]> = Vec::new();
    let is_ramp = |a: &Tread, b: &Tread| {
        let rise = (b.height - a.height).abs();
        rise <= SAME_HEIGHT_M || rise <= STEEPEST_RAMP * (b.t - a.t)
    };
    let rises = |a: &Tread, b: &Tread| is_ramp(a, b) && (b.height - a.height).abs() > SAME_HEIGHT_M;
    for (i, tread) in treads.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|i| &treads[i]).filter(|before| !is_ramp(before, tread)) {
            // The riser lies between the tip of one foot and the heel of the other.
            let (tip, heel) = (before.t + before.reach_m[0], tread.t - tread.reach_m[1]);
            let riser = (0.5 * (tip + heel)).clamp(before.t, tread.t);
            points.extend([[riser, before.height], [riser + 1e-4, tread.height]]);
        }
        points.push([tread.t, tread.height]);
    }
    // Ramps extend beyond both ends.
    let slope = |a: &Tread, b: &Tread| (b.height - a.height) / (b.t - a.t);
    if let [a, b, ..] = &treads[..]
        && rises(a, b)
    {
        points.insert(0, [a.t - BEYOND_M, a.height - slope(a, b) * BEYOND_M]);
    }
    if let [.., a, b] = &treads[..]
        && rises(a, b)
    {
        points.push([b.t + BEYOND_M, b.height + slope(a, b) * BEYOND_M]);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foothold(z: f32, y: f32) -> Foothold {
        Foothold { frames: 0..1, at: Vec3::new(0.0, y, z), reach_m: [0.08, 0.2] }
    }

    fn relief(of: &[(f32, f32)]) -> Relief<'static> {
        let footholds: Vec<Foothold> = of.iter().map(|(z, y)| foothold(*z, *y)).collect();
        Relief::Section { along: Vec3::Z, points: section(footholds.iter(), Vec3::Z) }
    }

    #[test]
    fn footholds_of_a_ramp_are_joined_by_a_ramp_that_goes_on() {
        let ramp = relief(&[(0.0, 0.0), (0.7, 0.14), (1.4, 0.28)]);
        for z in [-0.5, 0.35, 1.0, 1.9] {
            assert!((ramp.height(Vec3::Z * z) - 0.2 * z).abs() < 1e-3, "{z}");
        }
    }

    #[test]
    fn footholds_of_stairs_are_treads_with_risers_between_tip_and_heel() {
        let stairs = relief(&[(0.0, 0.0), (0.4, 0.17), (0.8, 0.34)]);
        for (z, y) in [(-0.5, 0.0), (0.08, 0.0), (0.2, 0.17), (0.48, 0.17), (0.6, 0.34), (2.0, 0.34)] {
            assert!((stairs.height(Vec3::Z * z) - y).abs() < 1e-3, "{z}: {}", stairs.height(Vec3::Z * z));
        }
        let line = stairs.line(Vec3::Z * -0.5, Vec3::Z * 1.3, 0.01);
        assert!(line.len() < 12, "points on a straight line are left out: {}", line.len());
    }

    /// Tests a curve whose samples turn by less than the tolerance each.
    #[test]
    fn a_gentle_bend_is_drawn_at_any_sampling() {
        let dune = Relief::Known(&|p: Vec3| 0.4 * p.z * p.z / (1.0 + p.z * p.z));
        for step_m in [0.1, 0.03, 0.01, 0.002] {
            let line = dune.line(Vec3::Z * -2.0, Vec3::Z * 3.0, step_m);
            for k in 0..500 {
                let z = -2.0 + 0.01 * k as f32;
                let after = line.iter().position(|p| p.z > z).unwrap();
                let (a, b) = (line[after - 1], line[after]);
                let drawn = a.y + (b.y - a.y) * (z - a.z) / (b.z - a.z);
                assert!((drawn - dune.height(Vec3::Z * z)).abs() < 0.005, "step {step_m}, {z} m: {drawn}");
            }
            assert!(line.len() < 80, "{}", line.len());
        }
    }

    #[test]
    fn feet_beside_each_other_stand_on_one_tread() {
        let stood = relief(&[(0.0, 0.0), (0.1, 0.02), (0.45, 0.19)]);
        assert!((stood.height(Vec3::ZERO) - 0.01).abs() < 1e-3 && (stood.height(Vec3::Z * 0.45) - 0.19).abs() < 1e-3);
    }
}
