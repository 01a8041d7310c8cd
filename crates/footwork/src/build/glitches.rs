//! Tracking errors: implausible motion. Errors of a frame or two are bridged; longer ones are left out.
//!
//! ```text
//! positions --second difference--> acceleration / limit --+--> frames above 1 --> stretches --bridge, or discard--> clip
//! rotations --step-----------------> turn / limit --------+
//! ```
//!
//! Accelerations need no scale for size: bodies of any size that walk and run alike have the same multiples of g (equal
//! Froude numbers). All differences are taken over about 1/60 s, so that noise has the same effect at any rate.

use super::config::GlitchConfig;
use super::track::MIN_CLIP_S;
use super::{BuildConfig, JointRoles};
use crate::clip::{RawClip, TimeRange};
use crate::frames::JointIndex;
use crate::math::{GRAVITY_MPS2, Quat, Transform, median};
use glam::Vec3;
use serde::Serialize;

/// Interval of differences in seconds, at least one frame.
const STEP_S: f32 = 1.0 / 60.0;
/// Longest error that is bridged, in seconds, at least one frame: two frames at 60 Hz. Within a longer time a step may
/// reverse.
const BRIDGE_S: f32 = 1.0 / 30.0;
/// Maximum remaining excess after bridging, as a share of the limits. Above it the error would only be smeared.
const BRIDGED: f32 = 0.5;
/// Margin left out on both sides of longer errors, in seconds: a tracker loses its markers before a jump and finds them
/// after it.
const MARGIN_S: f32 = 0.1;
/// Longest reach from the hips of any walking body, in metres. Larger clips were read in a wrong unit; their limits are
/// scaled.
const LONGEST_REACH_M: f32 = 2.0;

/// Treatment of a glitch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GlitchMend {
    /// The frames were replaced by a curve through their neighbours.
    Bridged,
    /// The clip was cut there.
    LeftOut,
    /// The glitch was kept, because other clips continue this one or are blended from it.
    Kept,
}

/// Implausible motion in a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Glitch {
    /// Clip name.
    pub clip: String,
    /// Joint with the greatest excess over its limit.
    pub joint: String,
    /// Start and end of the bridged or removed range, in seconds from the clip's first frame.
    pub seconds: [f32; 2],
    /// Description of the error, with its size.
    pub what: String,
    /// Treatment.
    pub done: GlitchMend,
}

/// Finds glitches outside the discarded ranges of a clip. Short ones are bridged; the others are discarded in the clip's
/// annotations.
pub fn mend_glitches(clip: &mut RawClip, config: &BuildConfig) -> Vec<Glitch> {
    // Errors in roles are reported elsewhere.
    let roles = JointRoles::resolve(&clip.skeleton, &config.roles).ok();
    mend(clip, roles.as_ref(), config)
}

/// Does the same as [`mend_glitches`], with known roles.
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

/// Limits of a skeleton.
struct Body {
    hips: usize,
    /// `[joints]` true for joints with a role, whose rotations are checked: tails, ears and cloth may rotate fast.
    judged: Vec<bool>,
    /// Limits: acceleration of the hips and of all other joints in m/s^2, rotation in radians.
    hips_mps2: f32,
    joint_mps2: f32,
    flip_rad: f32,
    /// Cosine of half of half that rotation: rotations with a greater cosine are below the limit for bridges.
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

/// Excess of a frame: a ratio to the limit above 1 is an error.
#[derive(Clone, Copy)]
struct Excess {
    ratio: f32,
    joint: usize,
    turns: bool,
}

/// A clip in world space.
struct Motion {
    body: Body,
    /// Number of frames between the values of a difference.
    step: usize,
    rate_hz: f32,
    joints: usize,
    frames: usize,
    /// Positions, `[frames x joints]`.
    at: Vec<Vec3>,
    /// World transforms of one frame, `[joints]`.
    world: Vec<Transform>,
}

impl Motion {
    fn of(clip: &RawClip, body: Body) -> Self {
        let (joints, frames) = (clip.skeleton.len(), clip.frames());
        let step = ((STEP_S * clip.rate_hz).round() as usize).max(1);
        let (at, world) = (vec![Vec3::ZERO; joints * frames], Vec::new());
        let mut motion = Self { body, step, rate_hz: clip.rate_hz, joints, frames, at, world };
        (0..frames).for_each(|f| motion.place(clip, f));
        // In a wrong unit, speeds and sizes are too large by the same factor.
        let large = (motion.reach() / LONGEST_REACH_M).max(1.0);
        motion.body.hips_mps2 *= large;
        motion.body.joint_mps2 *= large;
        motion
    }

    /// Computes the positions of the joints in a frame.
    fn place(&mut self, clip: &RawClip, f: usize) {
        clip.world(f, &mut self.world);
        let at = &mut self.at[f * self.joints..][..self.joints];
        at.iter_mut().zip(&self.world).for_each(|(at, joint)| *at = joint.translation);
    }

    /// Returns the median distance from the hips to the furthest joint after them, in metres, over some frames.
    fn reach(&self) -> f32 {
        let every = (self.frames / 16).max(1);
        let frames = (0..self.frames).step_by(every).map(|f| &self.at[f * self.joints..(f + 1) * self.joints]);
        let hips = self.body.hips;
        median(frames.map(|at| at[hips..].iter().map(|p| (*p - at[hips]).length()).fold(0.0, f32::max)).collect())
    }

    /// Returns the greatest excess over the joints of a frame.
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
                // Most rotations are small enough for the check of the cosine.
                if a.dot(b).abs() < self.body.still_cos {
                    take(a.angle_between(b) / flip, j, true);
                }
            }
        }
        worst
    }

    /// Returns the second difference of a joint's position, in metres.
    fn bend(&self, f: usize, j: usize) -> Vec3 {
        let at = |f: usize| self.at[f * self.joints + j];
        at(f + self.step) - at(f) * 2.0 + at(f - self.step)
    }

    /// Returns the stretches of frames beyond the limits. Stretches with too little time between them for a clip are
    /// merged.
    fn stretches(&self, clip: &RawClip) -> Vec<Stretch> {
        let apart = ((MIN_CLIP_S + 2.0 * MARGIN_S) * self.rate_hz) as usize;
        let gone = |f: usize| {
            let time = f as f32 / self.rate_hz;
            clip.annotations.discard.iter().any(|r| r.contains(time))
        };
        let mut found: Vec<(Stretch, f32)> = Vec::new();
        for f in self.step..self.frames {
            let e = self.excess(clip, f);
            // A difference that extends into discarded frames is not an error of the clip.
            if e.ratio <= 1.0 || gone(f) || gone(f - self.step) || gone((f + self.step).min(self.frames - 1)) {
                continue;
            }
            // A rotation error lies between two frames and is detected at the second.
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
        // Above this distance, the displacement is easier to understand than the acceleration.
        const FAR_M: f32 = 1.0;
        if bend > FAR_M {
            return format!("jumps by {:.1} m within {:.3} s", 0.5 * bend, self.step as f32 / self.rate_hz);
        }
        format!("accelerates with {mps2:.0} m/s^2, {:.0} times gravity", mps2 / GRAVITY_MPS2)
    }

    /// Bridges a stretch, or discards it.
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

    /// Returns the frames that are cut out for a stretch.
    fn cut(&self, clip: &RawClip, s: &Stretch) -> [usize; 2] {
        let (n, k) = (self.frames, self.step);
        let frames = |seconds: f32| (seconds * self.rate_hz).ceil() as usize;
        // A single jump between good frames: only the frames between which it lies are cut out.
        let margin = frames(MARGIN_S);
        let mut beside = (s.first.saturating_sub(margin)..s.first).chain(s.last + 1..(s.last + 1 + margin).min(n));
        let jump = s.last - s.first < 2 * k && beside.all(|f| self.excess(clip, f).ratio < BRIDGED);
        let margin = if jump { 0 } else { margin };
        let first = if jump { s.first + k } else { s.first };
        let last = if jump { s.last + 1 - k } else { s.last + 1 };
        let (start, end) = (first.saturating_sub(margin), (last + margin).min(n));
        // Remaining parts that are too short for a clip are cut out, too.
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

    /// Replaces a short stretch by a curve through its neighbours. Returns the replaced frames, or `None` if errors remain.
    fn bridge(&mut self, clip: &mut RawClip, s: &Stretch) -> Option<[usize; 2]> {
        let most = ((BRIDGE_S * self.rate_hz + 0.01) as usize).max(1);
        let (k, n, joints) = (self.step, self.frames, self.joints);
        if s.last - s.first > most + 2 * k {
            return None;
        }
        for width in 1..=most {
            // The frames from which a difference is taken may have the same excess.
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

/// Fills frames with the cubic through two frames on either side; near the ends of the clip, with a line.
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
