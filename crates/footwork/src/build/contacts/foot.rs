//! Contacts of one foot over one clip: when its toes are planted, and when any part of it is.
//!
//! Speed is the slope of a line through the frames of 1/12 s, the same interval at any rate: three frames at 24 Hz, eleven
//! at 120 Hz, over which the noise of capture averages out. The speed limit of a planted foot grows with the speed of
//! travel and with the speed of this foot's other stances in the clip (treadmills and noise move planted feet), within
//! bounds given by the size of the body. Contacts have hysteresis: one begins and continues at a higher speed than its
//! core, and ends where the toes rise.

use super::limits::{Limits, runs};
use glam::Vec3;

/// Half of the interval over which speeds are measured, in seconds: the frame interval at 24 Hz.
const HALF_STRETCH_S: f32 = 1.0 / 24.0;
/// Percentile of the speeds of low frames that is a planted foot's usual speed, as a share.
const OWN: f32 = 0.15;
/// Speed limit of a planted foot, in units of its own usual speed.
const TIMES_OWN: f32 = 2.5;
/// Upper bound of the speed limit, as a share of the travel's speed: faster feet slide.
const SLIDES: f32 = 0.25;
/// The same bound for a body in place, in units of the speed limit `speed_mps`.
const RESTLESS: f32 = 3.0;
/// Limits for the continuation of a contact, in units of the speed and height of its core.
const STAY: f32 = 1.5;
const STAY_HIGHER: f32 = 1.25;
/// Height above their planted height at which toes are lifting, in leg lengths: about the noise of a captured foot.
const RISE: f32 = 0.008;
/// Time before its end over which a contact gives the planted height of its toes, in seconds.
const LATE_S: f32 = 0.3;

/// Speed limit of a foot that rolls over heel or tip, so that no joint of it is still, as a share of the travel's speed.
const ROLLS: f32 = 0.35;
/// Speed limit of a rolling foot of a body in place, in units of `speed_mps`.
const ROLLS_STANDING: f32 = 1.6;
/// Height limit of a joint of a rolling foot, in units of that of a planted one.
const ROLLS_HIGHER: f32 = 1.5;
/// Upper bound of a rolling foot's limit from its own usual speed, as a factor of the limit without it.
const ROLLS_OWN: f32 = 1.3;
/// Lowest height above which an ankle is not a heel, in leg lengths: a paw's wrist and hock.
const HEEL_LOW: f32 = 0.2;
/// Upper limit of the speed in a contact within a stance of which no part is still, in units of its slowest speed.
const SLOWEST: f32 = 2.0;

/// Paths of a foot's joints over a clip, in world space, `[frames]`; loops are repeated three times.
pub struct Foot<'a> {
    /// Path of the contact joint.
    pub toe: &'a [Vec3],
    /// Path of the ankle, if it is another joint.
    pub heel: Option<&'a [Vec3]>,
    /// Horizontal speed of the body, m/s.
    pub travel_mps: &'a [f32],
    pub rate_hz: f32,
    pub leg_m: f32,
}

/// `[frames]` contacts of a foot.
pub struct Steps {
    /// True if the toes are planted.
    pub planted: Vec<bool>,
    /// True if heel or toes are on the ground.
    pub carries: Vec<bool>,
}

/// Speed of a joint, and its height above its usual lowest height.
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

    /// Returns the usual speed of this joint while it is low, in m/s.
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
        // A contact ends with its core: after that, the toes roll off.
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

    /// Marks a contact in every stance of a travelling body: if no part of it is still, the slowest part.
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

/// Returns the runs of frames that are slow and low by the wider limits, and at least once by the strict limits.
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

/// Returns the number of frames on each side of a frame over which speeds are measured.
pub fn half_stretch(rate_hz: f32) -> usize {
    ((HALF_STRETCH_S * rate_hz).round() as usize).max(1)
}

/// Returns the least squares slope of a path around a frame, per frame. At the ends, fewer frames are used.
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

/// Returns the usual lowest height of a joint: the 5th percentile.
pub fn lowest(heights: &[f32]) -> f32 {
    let mut sorted = heights.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() / 20]
}
