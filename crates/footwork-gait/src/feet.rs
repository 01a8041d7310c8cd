//! The feet in motion: planted toes, swings between them, heels that strike and rise.

use crate::body::{ANKLE_M, FOOT_M, HEEL_M, Side, TOE_HEIGHT_M};
use crate::footsteps::{FootPlan, Stance};
use crate::laws::run_weight;
use crate::path::RootPath;
use crate::shapes::{Knots, bump, early_bump, glide, ramp};
use footwork::math::{Quat, lerp, sin, sin_cos};
use glam::Vec3;

/// A foot at one moment, world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootState {
    /// Toe joint.
    pub toe: Vec3,
    /// Foot yaw, unwrapped.
    pub yaw: f32,
    /// Planned rise of the heel about the toe, radians; negative is toe up.
    pub pitch: f32,
    /// How far the heel may rise where the leg is short, radians.
    pub pitch_limit: f32,
    /// The toe is planted.
    pub planted: bool,
    /// Heel or toe bears weight.
    pub loaded: bool,
}

/// One foot's motion over time.
pub(crate) struct Foot<'a> {
    stances: &'a [Stance],
    /// `[stances]` how far the swing that follows bows outwards, metres, world.
    bows: Vec<Vec3>,
    /// `[stances]` how high the toe is lifted in the swing that follows, metres.
    lifts: Vec<f32>,
    pitch: Knots,
    limit: Knots,
    hints: [usize; 3],
}

impl<'a> Foot<'a> {
    pub(crate) fn new(plan: &'a FootPlan, path: &RootPath, side: Side) -> Self {
        let stances = plan.stances[side.at()].as_slice();
        let other = plan.stances[side.other().at()].as_slice();
        let swings = || stances.windows(2);
        let bows = swings().map(|w| bow(&w[0], &w[1], other, path, side)).collect();
        let lifts = swings().map(|w| lift(&w[0], &w[1], path)).collect();
        let (pitch, limit) = pitches(stances, path);
        Self { stances, bows, lifts, pitch, limit, hints: [0; 3] }
    }

    /// The foot at a time; times must not fall much between calls, or it gets slow.
    pub(crate) fn at(&mut self, t: f32) -> FootState {
        let [place, a, b] = &mut self.hints;
        if self.stances[*place].heel_s > t {
            *place = 0;
        }
        while *place + 1 < self.stances.len() && self.stances[*place + 1].heel_s <= t {
            *place += 1;
        }
        let i = *place;
        let s = &self.stances[i];
        let pitch = self.pitch.at(t, a);
        let pitch_limit = self.limit.at(t, b);
        let mut state = FootState { toe: s.toe, yaw: s.yaw, pitch, pitch_limit, planted: false, loaded: t <= s.end_s };
        state.planted = s.start_s <= t && t <= s.end_s;
        let mut height = 0.0;
        if t > s.end_s && i + 1 < self.stances.len() {
            let next = &self.stances[i + 1];
            let tau = (t - s.end_s) / (next.heel_s - s.end_s);
            let u = glide(tau);
            state.toe = s.toe + (next.toe - s.toe) * u + self.bows[i] * bump(tau);
            state.yaw = lerp(s.yaw, next.yaw, u);
            height = self.lifts[i] * early_bump(tau);
        }
        state.toe.y = TOE_HEIGHT_M + height + heel_clearance(pitch);
        state
    }
}

/// How high the toe must be for the heel to stay above the ground when the toe points up.
fn heel_clearance(pitch: f32) -> f32 {
    if pitch >= 0.0 { 0.0 } else { (FOOT_M + HEEL_M) * sin(-pitch) }
}

/// Sideways detour around the standing leg.
fn bow(from: &Stance, to: &Stance, other: &[Stance], path: &RootPath, side: Side) -> Vec3 {
    const APART_M: f32 = 0.115;
    let middle = 0.5 * (from.end_s + to.heel_s);
    let way = to.toe - from.toe;
    let k = other.partition_point(|s| s.heel_s <= middle).max(1) - 1;
    let (stance, p) = (&other[k], path.at(middle));
    let outward = Quat::from_rotation_y(p.yaw + p.twist) * Vec3::new(side.sign(), 0.0, 0.0);
    let length = way.length();
    let across = if length > 0.1 {
        let n = Vec3::new(way.z, 0.0, -way.x) / length;
        if n.dot(outward) < 0.0 { -n } else { n }
    } else {
        outward
    };
    let passes = (stance.toe - from.toe).dot(way) / (length * length).max(1e-4);
    let apart = (from.toe + way * 0.5 - stance.toe).dot(across);
    let weight = ramp(passes, -0.2, 0.1) * (1.0 - ramp(passes, 0.9, 1.2));
    across * ((APART_M - apart).clamp(0.0, 0.2) * weight)
}

/// Height of the toe's path in swing.
fn lift(from: &Stance, to: &Stance, path: &RootPath) -> f32 {
    let speed = path.at(0.5 * (from.end_s + to.heel_s)).speed;
    lerp(0.05, 0.075 + 0.025 * speed, run_weight(speed)) * lerp(0.75, 1.0, ramp(speed, 0.2, 1.0))
}

/// Heel rise over time, and its limit.
fn pitches(stances: &[Stance], path: &RootPath) -> (Knots, Knots) {
    let (mut pitch, mut limit) = (Vec::new(), Vec::new());
    for (i, s) in stances.iter().enumerate() {
        let land = path.at(s.start_s);
        let (forward, backward) = (land.along.max(0.0), (-land.along).max(0.0));
        let run = run_weight(land.speed);
        let sideways = ramp(land.speed, 0.2, 1.0) * (1.0 - land.along.abs());
        // A forward walker lands on the heel, a runner nearly flat, everybody else on the ball.
        if i > 0 {
            if s.start_s > s.heel_s + 1e-3 {
                // The less time there is to roll down, the flatter the landing: feet do not slap.
                let time = ((s.start_s - s.heel_s) * (1.0 / 0.075)).min(1.0);
                pitch.push((s.heel_s, -forward * time * lerp(0.30, 0.15, run)));
                limit.push((s.heel_s, 0.02));
            }
            let ball = 0.4 * backward + 0.15 * sideways;
            pitch.push((s.start_s, ball));
            limit.push((s.start_s, ball + 0.08));
        } else {
            pitch.push((s.start_s, 0.0));
            limit.push((s.start_s, 0.1));
        }
        let Some(next) = stances.get(i + 1) else { break };
        let leave = path.at(s.end_s);
        let (ahead, behind) = (leave.along.max(0.0), (-leave.along).max(0.0));
        let aside = ramp(leave.speed, 0.2, 1.0) * (1.0 - leave.along.abs());
        let run = run_weight(leave.speed);
        let moving = ramp(leave.speed, 0.1, 1.0);
        let stance = (s.end_s - s.start_s).min(0.8);
        let flat_s = s.end_s - stance * lerp(0.5, 0.6, run);
        pitch.push((flat_s, 0.0));
        limit.push((flat_s, 0.12));
        let off = (lerp(1.05, 1.1, run) * ahead + 0.35 * aside).max(0.12 * (1.0 - moving));
        pitch.push((s.end_s, off));
        // The limit stays below what is planned: a leg that pushes off must have begun to bend.
        limit.push((s.end_s, (off - 0.25 * ahead).max(0.1)));
        let swing = next.heel_s - s.end_s;
        let peak = lerp(1.1, 1.35, run) * ahead + 0.5 * aside + 0.15 * (1.0 - moving) + 0.1 * behind;
        pitch.push((s.end_s + lerp(0.18, 0.25, run) * swing, peak));
        limit.push((s.end_s + lerp(0.18, 0.25, run) * swing, (peak - 0.25 * ahead).max(0.1)));
        let mid = lerp(0.05, 0.35, run) * ahead + 0.3 * aside + 0.3 * behind;
        pitch.push((s.end_s + 0.68 * swing, mid));
        limit.push((s.end_s + 0.68 * swing, mid + 0.25));
    }
    (Knots::new(pitch), Knots::new(limit))
}

/// Ankle of a foot whose toe, yaw and pitch are known.
pub(crate) fn ankle(toe: Vec3, yaw: Quat, pitch: f32) -> Vec3 {
    let (s, c) = sin_cos(pitch);
    let (back, up) = (FOOT_M, ANKLE_M - TOE_HEIGHT_M);
    toe + yaw * Vec3::new(0.0, up * c + back * s, up * s - back * c)
}
