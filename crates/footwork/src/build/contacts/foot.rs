//! One foot over one clip: when its toes are planted, and when any part of it carries.
//!
//! Speed is the slope of a line through the frames of 1/12 s, the same stretch of time at any rate: at 24 Hz three frames,
//! at 120 Hz eleven, over which the noise of capture averages out. The speed up to which a foot stands grows with the speed of
//! travel and with how slowly this foot stands elsewhere in the clip (treadmills and noise move planted feet), between bounds
//! given by the size of the body. Contacts have hysteresis: one begins and goes on at a higher speed than its core, and ends
//! where the toes rise.

use super::Limits;
use glam::Vec3;

/// Half of the stretch over which speeds are measured, seconds: the distance of frames at 24 Hz.
const HALF_STRETCH_S: f32 = 1.0 / 24.0;
/// As much as this share of low frames is slower than a standing foot's usual speed.
const OWN: f32 = 0.15;
/// A foot stands up to this many times its own usual speed of standing.
const TIMES_OWN: f32 = 2.5;
/// The share of the travel's speed at which a foot slides and does not stand, whatever else the clip shows.
const SLIDES: f32 = 0.25;
/// The same bound for a body that stays, in units of the speed up to which a foot stands then.
const RESTLESS: f32 = 3.0;
/// A contact goes on up to this many times the speed of its core, and up to this much higher.
const STAY: f32 = 1.5;
const STAY_HIGHER: f32 = 1.25;
/// Toes that are this much higher than they stood are on their way, in leg lengths: about the noise of a captured foot.
const RISE: f32 = 0.008;
/// How far back from its end a contact shows how high its toes stood, seconds.
const LATE_S: f32 = 0.3;

/// Softer limits for a foot that rolls over heel or tip, of which no joint stands still: share of the travel's speed.
const ROLLS: f32 = 0.35;
/// Speed of a rolling foot of a body that stays, in units of the speed up to which a foot stands.
const ROLLS_STANDING: f32 = 1.6;
/// Height of a joint of a rolling foot, in units of the height of a standing one.
const ROLLS_HIGHER: f32 = 1.5;
/// A rolling foot is slowed down to its own usual speed by this much at the most.
const ROLLS_OWN: f32 = 1.3;
/// An ankle that does not come this low is no heel, in leg lengths: a paw's wrist and hock.
const HEEL_LOW: f32 = 0.2;
/// Of a stance in which nothing stands still, the part up to this many times its slowest is a contact.
const SLOWEST: f32 = 2.0;

/// The paths of a foot's joints over a clip, in the world, `[frames]`; loops three times around.
pub struct Foot<'a> {
    /// The joint that touches.
    pub toe: &'a [Vec3],
    /// The ankle, where it is another joint.
    pub heel: Option<&'a [Vec3]>,
    /// Horizontal speed of the body, m/s.
    pub travel_mps: &'a [f32],
    pub rate_hz: f32,
    pub leg_m: f32,
}

/// `[frames]` what a foot does.
pub struct Steps {
    /// The toes are planted.
    pub planted: Vec<bool>,
    /// Heel or toes are on the ground.
    pub carries: Vec<bool>,
}

/// A joint's speed and height over the lowest that it usually comes.
struct Joint {
    speed_mps: Vec<f32>,
    height_m: Vec<f32>,
}

impl Foot<'_> {
    pub fn steps(&self, limits: &Limits) -> Steps {
        let toe = self.joint(self.toe);
        let mut planted = self.planted(&toe, limits);
        self.end_where_toes_rise(&toe, &mut planted);
        limits.tidy(&mut planted, self.rate_hz);
        let mut carries = self.rolling(&toe, limits);
        limits.tidy(&mut carries, self.rate_hz);
        self.plant_slowest(&toe, &carries, &mut planted);
        let heel = self.heel.filter(|heel| {
            let low = lowest(&heights(heel)) - lowest(&heights(self.toe));
            low < HEEL_LOW * self.leg_m
        });
        if let Some(heel) = heel {
            let heel = self.rolling(&self.joint(heel), limits);
            carries.iter_mut().zip(heel).for_each(|(c, h)| *c |= h);
            limits.tidy(&mut carries, self.rate_hz);
        }
        carries.iter_mut().zip(&planted).for_each(|(c, p)| *c |= p);
        Steps { planted, carries }
    }

    fn joint(&self, path: &[Vec3]) -> Joint {
        let half = half_stretch(self.rate_hz);
        let heights = heights(path);
        let ground = lowest(&heights);
        Joint {
            speed_mps: (0..path.len()).map(|f| slope(path, f, half).length() * self.rate_hz).collect(),
            height_m: (0..path.len()).map(|f| mean(&heights, f, half) - ground).collect(),
        }
    }

    /// How slowly this joint usually stands, m/s.
    fn own_mps(&self, joint: &Joint, height_m: f32) -> f32 {
        let low = joint.speed_mps.iter().zip(&joint.height_m).filter(|(_, h)| **h < height_m);
        let mut speeds: Vec<f32> = low.map(|(v, _)| *v).collect();
        speeds.sort_by(f32::total_cmp);
        speeds.get((OWN * speeds.len() as f32) as usize).copied().unwrap_or(0.0)
    }

    fn planted(&self, joint: &Joint, limits: &Limits) -> Vec<bool> {
        let own = TIMES_OWN * self.own_mps(joint, limits.height_m);
        let slow = |travel: f32| {
            let least = limits.speed_mps.max(limits.travel_share * travel);
            own.clamp(least, least.max(RESTLESS * limits.speed_mps).max(SLIDES * travel))
        };
        let slow: Vec<f32> = self.travel_mps.iter().map(|t| slow(*t)).collect();
        let mut on = stretches(joint, &slow, limits.height_m);
        // A contact ends with its core: what comes after is the toes' rolling off.
        for (start, end) in runs(&on, true).filter(|(_, end)| *end < joint.speed_mps.len()).collect::<Vec<_>>() {
            let last = (start..end).rev().find(|f| joint.speed_mps[*f] < slow[*f]).unwrap_or(start);
            on[last + 1..end].fill(false);
        }
        limits.tidy(&mut on, self.rate_hz);
        on
    }

    fn rolling(&self, joint: &Joint, limits: &Limits) -> Vec<bool> {
        let height_m = ROLLS_HIGHER * limits.height_m;
        let own = TIMES_OWN * self.own_mps(joint, height_m);
        let slow = |travel: &f32| {
            let least = (ROLLS_STANDING * limits.speed_mps).max(ROLLS * travel);
            own.clamp(least, ROLLS_OWN * least)
        };
        stretches(joint, &self.travel_mps.iter().map(slow).collect::<Vec<_>>(), height_m)
    }

    fn end_where_toes_rise(&self, toe: &Joint, on: &mut [bool]) {
        let late = (LATE_S * self.rate_hz).ceil() as usize;
        for (start, end) in runs(on, true).filter(|(_, end)| *end < toe.height_m.len()).collect::<Vec<_>>() {
            let from = end.saturating_sub(late).max(start);
            let mut heights = toe.height_m[from..end].to_vec();
            heights.sort_by(f32::total_cmp);
            let stood = heights[heights.len() / 4];
            let up = (from..end).rev().take_while(|f| toe.height_m[*f] > stood + RISE * self.leg_m).last();
            on[up.unwrap_or(end)..end].fill(false);
        }
    }

    /// Every stance of a body that travels has a contact: where nothing stands still, the slowest part of it.
    fn plant_slowest(&self, toe: &Joint, carries: &[bool], planted: &mut [bool]) {
        for (start, end) in runs(carries, true) {
            if planted[start..end].contains(&true) {
                continue;
            }
            let slowest = toe.speed_mps[start..end].iter().copied().fold(f32::INFINITY, f32::min);
            for f in start..end {
                planted[f] = toe.speed_mps[f] <= SLOWEST * slowest;
            }
        }
    }
}

/// Stretches that stay slow and low and are at least once really so.
fn stretches(joint: &Joint, slow_mps: &[f32], height_m: f32) -> Vec<bool> {
    let n = joint.speed_mps.len();
    let within = |f: usize, faster: f32, higher: f32| {
        joint.speed_mps[f] < faster * slow_mps[f] && joint.height_m[f] < higher * height_m
    };
    let mut on: Vec<bool> = (0..n).map(|f| within(f, STAY, STAY_HIGHER)).collect();
    for (start, end) in runs(&on, true).collect::<Vec<_>>() {
        if !(start..end).any(|f| within(f, 1.0, 1.0)) {
            on[start..end].fill(false);
        }
    }
    on
}

/// Frames on each side of one over which speeds are measured.
pub fn half_stretch(rate_hz: f32) -> usize {
    ((HALF_STRETCH_S * rate_hz).round() as usize).max(1)
}

/// Stretches `start..end` of one value.
pub fn runs(values: &[bool], value: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut f = 0;
    std::iter::from_fn(move || {
        let start = (f..values.len()).find(|i| values[*i] == value)?;
        f = (start..values.len()).find(|i| values[*i] != value).unwrap_or(values.len());
        Some((start, f))
    })
}

/// Least squares slope of a path around a frame, per frame; fewer frames at the ends.
pub fn slope(path: &[Vec3], frame: usize, half: usize) -> Vec3 {
    let (first, last) = (frame.saturating_sub(half), (frame + half).min(path.len() - 1));
    let middle = (first + last) as f32 * 0.5;
    let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
    for (f, p) in path.iter().enumerate().take(last + 1).skip(first) {
        let x = f as f32 - middle;
        sum += *p * x;
        weight += x * x;
    }
    if weight > 0.0 { sum / weight } else { Vec3::ZERO }
}

fn mean(values: &[f32], frame: usize, half: usize) -> f32 {
    let around = &values[frame.saturating_sub(half)..(frame + half + 1).min(values.len())];
    around.iter().sum::<f32>() / around.len() as f32
}

fn heights(path: &[Vec3]) -> Vec<f32> {
    path.iter().map(|p| p.y).collect()
}

/// How low a joint usually comes: the 5th percentile.
pub fn lowest(heights: &[f32]) -> f32 {
    let mut sorted = heights.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() / 20]
}
