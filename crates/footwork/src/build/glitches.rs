//! Tracking errors: motion that no body makes. They are bridged where they last a frame or two, else left out.
//!
//! ```text
//! positions --second difference--> acceleration / limit --+--> frames above 1 --> stretches --bridge, or discard--> clip
//! rotations --step-----------------> turn / limit --------+
//! ```
//!
//! Accelerations need no measure of size: bodies of any size that walk and run alike do so at the same multiples of g (equal
//! Froude numbers). All differences are taken over about 1/60 s, so that noise counts the same at any rate.

use super::config::GlitchConfig;
use super::{BuildConfig, JointRoles, MIN_CLIP_S};
use crate::clip::{RawClip, TimeRange};
use crate::frames::JointIndex;
use crate::math::{GRAVITY_MPS2, Quat, Transform, median};
use glam::Vec3;
use serde::Serialize;

/// Differences are taken over this, seconds, and over one frame at least.
const STEP_S: f32 = 1.0 / 60.0;
/// The longest that is bridged, seconds, and one frame at least: two frames at 60 Hz. Within a longer time a step turns round.
const BRIDGE_S: f32 = 1.0 / 30.0;
/// A bridge holds where what is left stays below this share of the limits: otherwise the fault is only smeared.
const BRIDGED: f32 = 0.5;
/// Taken off on both sides of longer faults: a tracker loses its markers, and finds them again, before and after it jumps, seconds.
const MARGIN_S: f32 = 0.1;
/// The longest reach from the hips of anything that walks, metres. What is larger was read in a wrong unit, and is judged as if
/// it were not.
const LONGEST_REACH_M: f32 = 2.0;

/// What became of a glitch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GlitchMend {
    /// The curve through the frames beside it took its place.
    Bridged,
    /// The clip is cut there.
    LeftOut,
    /// It is still there: other clips continue this one, or are blended from it.
    Kept,
}

/// A place where a clip moves as no body does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Glitch {
    /// Clip.
    pub clip: String,
    /// The joint that is furthest beyond its limit.
    pub joint: String,
    /// Start and end of what was bridged or left out, seconds from the clip's first frame.
    pub seconds: [f32; 2],
    /// What is wrong, with its size.
    pub what: String,
    /// What was done about it.
    pub done: GlitchMend,
}

/// Finds glitches within what a clip does not discard already; bridges short ones, and discards the others in the clip's
/// annotations.
pub fn mend_glitches(clip: &mut RawClip, config: &BuildConfig) -> Vec<Glitch> {
    // A role that is wrong is told by whoever needs it.
    let roles = JointRoles::resolve(&clip.skeleton, &config.roles).ok();
    mend(clip, roles.as_ref(), config)
}

/// As [`mend_glitches`], where the roles are known.
pub(super) fn mend(clip: &mut RawClip, roles: Option<&JointRoles>, config: &BuildConfig) -> Vec<Glitch> {
    let limits = &config.glitches;
    if !limits.enabled || clip.frames() < 3 {
        return Vec::new();
    }
    let body = Body::of(clip, roles, limits);
    let mut motion = Motion::of(clip, body);
    let stretches = motion.stretches(clip);
    let whole = config.builds_upon(&clip.name);
    stretches.into_iter().map(|stretch| motion.treat(clip, stretch, whole)).collect()
}

/// What is known about a skeleton.
struct Body {
    hips: usize,
    /// `[joints]` parts of the body whose turning is judged: tails, ears and cloth may whirl.
    judged: Vec<bool>,
    /// m/s^2 of the hips, of all other joints; radians.
    hips_mps2: f32,
    joint_mps2: f32,
    flip_rad: f32,
    /// Cosine of half of half that turn: above it no bridge is refused.
    still_cos: f32,
}

impl Body {
    fn of(clip: &RawClip, roles: Option<&JointRoles>, limits: &GlitchConfig) -> Self {
        let s = &clip.skeleton;
        let mut judged = vec![false; s.len()];
        for (_, j) in roles.iter().flat_map(|r| r.iter()) {
            judged[j.at()] = true;
        }
        let branches = |j: &JointIndex| s.children(*j).count() >= 2;
        let hips = roles.and_then(|r| r.get("hips")).or_else(|| (0..s.len()).map(JointIndex::new).find(branches));
        let flip_rad = limits.flip_deg.to_radians();
        Self {
            hips: hips.map_or(0, JointIndex::at),
            judged,
            hips_mps2: limits.hips_mps2,
            joint_mps2: limits.joint_mps2,
            flip_rad,
            still_cos: crate::math::cos(0.5 * BRIDGED * flip_rad),
        }
    }
}

/// Frames of a clip beyond the limits, and the worst of them.
struct Stretch {
    first: usize,
    last: usize,
    joint: usize,
    what: String,
}

/// How far a frame is beyond the limits: more than 1 is too much.
#[derive(Clone, Copy)]
struct Excess {
    ratio: f32,
    joint: usize,
    turns: bool,
}

/// A clip in the world.
struct Motion {
    body: Body,
    /// Frames between the values that differences are taken of.
    step: usize,
    rate_hz: f32,
    joints: usize,
    frames: usize,
    /// `[frames x joints]`.
    at: Vec<Vec3>,
    /// `[joints]` of one frame.
    world: Vec<Transform>,
}

impl Motion {
    fn of(clip: &RawClip, body: Body) -> Self {
        let (joints, frames) = (clip.skeleton.len(), clip.frames());
        let step = ((STEP_S * clip.rate_hz).round() as usize).max(1);
        let (at, world) = (vec![Vec3::ZERO; joints * frames], Vec::new());
        let mut motion = Self { body, step, rate_hz: clip.rate_hz, joints, frames, at, world };
        (0..frames).for_each(|f| motion.place(clip, f));
        // What was read in a wrong unit is as much too fast as it is too large.
        let large = (motion.reach() / LONGEST_REACH_M).max(1.0);
        motion.body.hips_mps2 *= large;
        motion.body.joint_mps2 *= large;
        motion
    }

    /// Finds where the joints of a frame are.
    fn place(&mut self, clip: &RawClip, f: usize) {
        clip.world(f, &mut self.world);
        let at = &mut self.at[f * self.joints..][..self.joints];
        at.iter_mut().zip(&self.world).for_each(|(at, joint)| *at = joint.translation);
    }

    /// From the hips to the furthest joint below them, metres: the middle of some frames'.
    fn reach(&self) -> f32 {
        let every = (self.frames / 16).max(1);
        let frames = (0..self.frames).step_by(every).map(|f| &self.at[f * self.joints..(f + 1) * self.joints]);
        let hips = self.body.hips;
        median(frames.map(|at| at[hips..].iter().map(|p| (*p - at[hips]).length()).fold(0.0, f32::max)).collect())
    }

    /// The joint of a frame that is furthest beyond its limit.
    fn excess(&self, clip: &RawClip, f: usize) -> Excess {
        let (k, n) = (self.step, self.frames);
        let mut worst = Excess { ratio: 0.0, joint: 0, turns: false };
        if f < k {
            return worst;
        }
        let mut take = |ratio: f32, joint: usize, turns: bool| {
            if ratio > worst.ratio {
                worst = Excess { ratio, joint, turns };
            }
        };
        let per_s2 = (self.rate_hz / k as f32) * (self.rate_hz / k as f32);
        let flip = self.body.flip_rad;
        for j in 0..self.joints {
            if f + k < n {
                let limit = if j == self.body.hips { self.body.hips_mps2 } else { self.body.joint_mps2 };
                take(self.bend(f, j).length() * per_s2 / limit, j, false);
            }
            if self.body.judged[j] {
                let [a, b] = [f - k, f].map(|f| clip.rotations[f * self.joints + j]);
                // Most turn by so little that the cosine tells.
                if a.dot(b).abs() < self.body.still_cos {
                    take(a.angle_between(b) / flip, j, true);
                }
            }
        }
        worst
    }

    /// Second difference of a joint's position, metres.
    fn bend(&self, f: usize, j: usize) -> Vec3 {
        let at = |f: usize| self.at[f * self.joints + j];
        at(f + self.step) - at(f) * 2.0 + at(f - self.step)
    }

    /// Frames beyond the limits; those too near to each other for anything to be played between them are one stretch.
    fn stretches(&self, clip: &RawClip) -> Vec<Stretch> {
        let apart = ((MIN_CLIP_S + 2.0 * MARGIN_S) * self.rate_hz) as usize;
        let gone = |f: usize| {
            let time = f as f32 / self.rate_hz;
            clip.annotations.discard.iter().any(|r| r.contains(time))
        };
        let mut found: Vec<(Stretch, f32)> = Vec::new();
        for f in self.step..self.frames {
            let e = self.excess(clip, f);
            // A difference that reaches into what is discarded is none of the clip's.
            if e.ratio <= 1.0 || gone(f) || gone(f - self.step) || gone((f + self.step).min(self.frames - 1)) {
                continue;
            }
            // A turn lies between two frames, and is told at the second.
            let first = if e.turns { f - self.step } else { f };
            match found.last_mut().filter(|(s, _)| first <= s.last + apart) {
                Some((s, worst)) => {
                    s.last = f;
                    if e.ratio > *worst {
                        (s.joint, s.what, *worst) = (e.joint, self.words(f, e), e.ratio);
                    }
                }
                None => {
                    let s = Stretch { first, last: f, joint: e.joint, what: self.words(f, e) };
                    found.push((s, e.ratio));
                }
            }
        }
        found.into_iter().map(|(s, _)| s).collect()
    }

    fn words(&self, f: usize, e: Excess) -> String {
        if e.turns {
            let deg = e.ratio * self.body.flip_rad.to_degrees();
            return format!("turns by {deg:.0} degrees within {:.3} s", self.step as f32 / self.rate_hz);
        }
        let bend = self.bend(f, e.joint).length();
        let mps2 = bend * (self.rate_hz / self.step as f32) * (self.rate_hz / self.step as f32);
        // Beyond this people think of the way.
        const FAR_M: f32 = 1.0;
        if bend > FAR_M {
            return format!("jumps by {:.1} m within {:.3} s", 0.5 * bend, self.step as f32 / self.rate_hz);
        }
        format!("accelerates with {mps2:.0} m/s^2, {:.0} times gravity", mps2 / GRAVITY_MPS2)
    }

    /// Bridges a stretch, or else discards it.
    fn treat(&mut self, clip: &mut RawClip, s: Stretch, whole: bool) -> Glitch {
        let name = clip.name.clone();
        let joint = clip.skeleton.names()[s.joint].clone();
        let rate_hz = self.rate_hz;
        let told = |frames: [usize; 2], done| Glitch {
            clip: name,
            joint,
            seconds: frames.map(|f| f as f32 / rate_hz),
            what: s.what.clone(),
            done,
        };
        if let Some(bridged) = self.bridge(clip, &s) {
            return told(bridged, GlitchMend::Bridged);
        }
        if whole {
            return told([s.first, s.last], GlitchMend::Kept);
        }
        let [start, end] = self.cut(clip, &s);
        let range = TimeRange { start_s: start as f32 / rate_hz, end_s: end as f32 / rate_hz };
        clip.annotations.discard.push(range);
        told([start, end], GlitchMend::LeftOut)
    }

    /// The frames that are cut out for a stretch.
    fn cut(&self, clip: &RawClip, s: &Stretch) -> [usize; 2] {
        let (n, k) = (self.frames, self.step);
        let frames = |seconds: f32| (seconds * self.rate_hz).ceil() as usize;
        // One jump, from good motion to good motion: the frames between which it lies.
        let margin = frames(MARGIN_S);
        let mut beside = (s.first.saturating_sub(margin)..s.first).chain(s.last + 1..(s.last + 1 + margin).min(n));
        let jump = s.last - s.first < 2 * k && beside.all(|f| self.excess(clip, f).ratio < BRIDGED);
        let margin = if jump { 0 } else { margin };
        let first = if jump { s.first + k } else { s.first };
        let last = if jump { s.last + 1 - k } else { s.last + 1 };
        let (start, end) = (first.saturating_sub(margin), (last + margin).min(n));
        // What is too short to be played goes along.
        let least = frames(MIN_CLIP_S);
        let from_start = if s.first <= least { 0 } else { start };
        let to_end = if n - s.last <= least { n } else { end };
        let (start, end) = match (from_start == 0, to_end == n) {
            (true, false) => (0, if jump { last } else { end }),
            (false, true) => (if jump { first } else { start }, n),
            _ => (from_start.min(s.last), to_end),
        };
        [start, end.max(start + 1)]
    }

    /// Puts the curve through the frames beside a short stretch in its place; where that leaves good motion, says which frames.
    fn bridge(&mut self, clip: &mut RawClip, s: &Stretch) -> Option<[usize; 2]> {
        let most = ((BRIDGE_S * self.rate_hz + 0.01) as usize).max(1);
        let (k, n, joints) = (self.step, self.frames, self.joints);
        if s.last - s.first > most + 2 * k {
            return None;
        }
        for width in 1..=most {
            // A difference is as large at the frames from which it is taken.
            for first in s.first.saturating_sub(k).max(1)..=s.last + k {
                if first + width >= n {
                    break;
                }
                let values = first * joints..(first + width) * joints;
                let old = (clip.translations[values.clone()].to_vec(), clip.rotations[values.clone()].to_vec());
                fill(clip, first, width);
                (first..first + width).for_each(|f| self.place(clip, f));
                let around = first.saturating_sub(2 * k)..(first + width + 2 * k).min(n);
                if around.clone().all(|f| self.excess(clip, f).ratio < BRIDGED) {
                    return Some([first, first + width]);
                }
                clip.translations[values.clone()].copy_from_slice(&old.0);
                clip.rotations[values].copy_from_slice(&old.1);
                (first..first + width).for_each(|f| self.place(clip, f));
            }
        }
        None
    }
}

/// Fills frames with the cubic through two frames on either side; at the ends of the clip, and beside them, with the line.
fn fill(clip: &mut RawClip, first: usize, width: usize) {
    let (joints, n) = (clip.skeleton.len(), clip.frames());
    let end = first + width;
    let w = width as f32;
    let (frames, at): (Vec<usize>, Vec<f32>) = if first >= 2 && end + 1 < n {
        (vec![first - 2, first - 1, end, end + 1], vec![-2.0, -1.0, w, w + 1.0])
    } else {
        (vec![first - 1, end], vec![-1.0, w])
    };
    for k in 0..width {
        let x = k as f32;
        let weight =
            |i: usize| -> f32 { (0..at.len()).filter(|o| *o != i).map(|o| (x - at[o]) / (at[i] - at[o])).product() };
        let weights: Vec<f32> = (0..at.len()).map(weight).collect();
        for j in 0..joints {
            let near = clip.rotations[(first - 1) * joints + j];
            let mut sum = [0.0f32; 4];
            let mut place = Vec3::ZERO;
            for (f, w) in frames.iter().zip(&weights) {
                place += clip.translations[f * joints + j] * *w;
                let q = clip.rotations[f * joints + j].towards(near).to_array();
                (0..4).for_each(|c| sum[c] += q[c] * w);
            }
            let i = (first + k) * joints + j;
            (clip.translations[i], clip.rotations[i]) = (place, Quat::from_array(sum).normalize());
        }
    }
}

#[cfg(test)]
#[path = "glitches_tests.rs"]
mod tests;
