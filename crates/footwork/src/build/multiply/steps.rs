//! Footsteps along a route: position and time span of each planted foot, and the phase of the stride in each frame.
//!
//! A moving character follows the stride of the blended cycles; a foot lands where it will be under the body in the middle
//! of its stance. An arriving character steps until both feet are at their positions in the idle pose, and no further.

use super::gait::{Gait, Mix};
use super::route::{LEAD_S, Route};
use crate::math::{Facing, lerp, smoothstep, wrap_angle};
use glam::Vec3;

/// Expected offset of a planted foot from its planned position at which an idle character moves it, in metres and radians.
const STEP_M: f32 = 0.06;
const STEP_RAD: f32 = 0.25;
/// Time ahead at which this offset is predicted, in seconds.
const AHEAD_S: f32 = 0.3;
/// Minimum time between a change of the stick and the first lift of a foot, in seconds.
const THINK_S: f32 = 0.1;
/// Maximum offset of both feet at which an arriving character stops stepping, in metres and radians.
const ARRIVED_M: f32 = 0.02;
const ARRIVED_RAD: f32 = 0.09;
/// Times before and after the lift of a foot between which an idle body changes into a moving one, and around the last
/// step, back, in seconds.
const SET_OFF_S: [f32; 2] = [0.25, 0.15];
const SETTLE_S: [f32; 2] = [0.05, 0.35];
/// Speed, as a share of that of the blended cycles, below which feet land nearer to their positions in the idle pose.
const REST_SHARE: f32 = 0.7;
/// Relative increase of the cadence under an acceleration or a turn of the size below.
const QUICKER: f32 = 0.35;
const HARD_MPS2: f32 = 6.0;
const HARD_RADPS: f32 = 3.0;
/// Latest lift of a foot, as a share of its swing: after that, the foot stays planted until the next stance ends.
const LATEST_LIFT: f32 = 0.4;
/// Time before and after a frame over which the blended cycles are averaged, in seconds.
const SMOOTH_S: f32 = 0.12;
/// Maximum number of steps with one foot on a route.
const MOST_STRIDES: usize = 64;

/// A planted foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Touch-down, in seconds of the route. Minus infinity: planted from the start.
    pub land_s: f32,
    /// Lift-off, in seconds of the route. Plus infinity: planted until the end.
    pub lift_s: f32,
    /// Position of the contact joint on the ground, in world space.
    pub at: Vec3,
    /// Direction of the foot, in world space, in radians.
    pub yaw_rad: f32,
}

/// State of the stride in a frame.
#[derive(Clone, Debug)]
pub struct StridePhase {
    /// 0 when the left foot touches down, 0.5 when the right one does; it increases over strides.
    pub phase: f64,
    /// Blended cycles.
    pub mix: Mix,
    /// Share of motion, from 0 (idle) to 1 (moving).
    pub moving: f32,
    /// Share of the stance or swing of each foot, by the phase.
    pub stance: [f32; 2],
}

/// Steps of a route.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// `[frames]`.
    pub moments: Vec<StridePhase>,
    /// Planted feet (left, right) in order, the first from before the start, the last beyond the end.
    pub feet: [Vec<Stance>; 2],
}

/// Phase at which each foot touches down.
const LANDS: [f64; 2] = [0.0, 0.5];

struct Planner<'a> {
    gait: &'a Gait<'a>,
    route: &'a Route,
    phase: f64,
    stepping: bool,
    down: [bool; 2],
    feet: [Vec<Stance>; 2],
    spells: Vec<Spell>,
}

/// A sequence of steps without a rest.
#[derive(Clone, Copy, Debug)]
struct Spell {
    start_s: f32,
    end_s: f32,
    /// Phases at start and end.
    phases: [f64; 2],
}

/// Plans the steps of a route. `first`: foot with which an idle character starts; `phase`: initial phase of a character
/// that moves from the start. Returns `None` if the route does not come to an end.
pub fn plan(gait: &Gait, route: &Route, moves: bool, first: usize, phase: f64) -> Option<Steps> {
    let mut planner = Planner {
        gait,
        route,
        phase,
        stepping: moves,
        down: [true; 2],
        feet: [Vec::new(), Vec::new()],
        spells: Vec::new(),
    };
    if moves {
        planner.spells.push(Spell { start_s: f32::NEG_INFINITY, end_s: f32::INFINITY, phases: [phase; 2] });
    }
    planner.begin();
    let mut stepped = Vec::with_capacity(route.frames());
    for f in 0..route.frames() {
        stepped.push((planner.phase, planner.down));
        planner.advance(f as f32 / route.rate_hz, first)?;
    }
    planner.finish();
    let mixes: Vec<Mix> = (0..route.frames()).map(|f| planner.mix(f as f32 / route.rate_hz)).collect();
    let moment = |(f, (phase, down)): (usize, (f64, [bool; 2]))| {
        let time_s = f as f32 / route.rate_hz;
        let phase = resting_phase(&planner.spells, time_s).unwrap_or(phase);
        let mix = smoothed(&mixes, f, (SMOOTH_S * route.rate_hz) as usize);
        let stance =
            [0, 1].map(|side| share_of_stance(gait.stance(&mix, side), since_landing(phase, side), down[side]));
        StridePhase { phase, mix, moving: moving(&planner.spells, time_s), stance }
    };
    let moments = stepped.into_iter().enumerate().map(moment).collect();
    Some(Steps { moments, feet: planner.feet })
}

/// Returns the mean of the mixes around a frame, up to `half` frames away, with less weight further away. The direction of a body
/// that turns back passes through zero; without the mean, its cycles would change within a frame.
fn smoothed(mixes: &[Mix], frame: usize, half: usize) -> Mix {
    let around = frame.saturating_sub(half)..(frame + half + 1).min(mixes.len());
    Mix::mean(around.map(|k| {
        let away = frame.abs_diff(k) as f32 / (half as f32 + 1.0);
        let weight = 1.0 - away * away;
        (&mixes[k], weight * weight)
    }))
}

/// Returns the share of motion, from 0 (idle) to 1 (moving).
fn moving(spells: &[Spell], time_s: f32) -> f32 {
    let ramp = |from: f32, to: f32| smoothstep(((time_s - from) / (to - from)).clamp(0.0, 1.0));
    let spell = |s: &Spell| {
        let on = if s.start_s.is_finite() {
            ramp((s.start_s - SET_OFF_S[0]).max(LEAD_S), s.start_s + SET_OFF_S[1])
        } else {
            1.0
        };
        let off = if s.end_s.is_finite() { ramp(s.end_s - SETTLE_S[0], s.end_s + SETTLE_S[1]) } else { 0.0 };
        on * (1.0 - off)
    };
    spells.iter().map(spell).fold(0.0, f32::max)
}

/// Returns the phase between two sequences of steps, interpolated from the end of one to the start of the other.
fn resting_phase(spells: &[Spell], time_s: f32) -> Option<f64> {
    let next = spells.iter().position(|s| time_s <= s.start_s);
    let before = spells.iter().rposition(|s| time_s > s.end_s);
    match (before.map(|k| &spells[k]), next.map(|k| &spells[k])) {
        (Some(a), Some(b)) if b.start_s - a.end_s < SETTLE_S[1] + SET_OFF_S[0] => {
            let share = (time_s - a.end_s) / (b.start_s - a.end_s);
            Some(a.phases[1] + (b.phases[0] - a.phases[1]) * f64::from(share))
        }
        (Some(a), Some(b)) if time_s - a.end_s < b.start_s - time_s => Some(a.phases[1]),
        (_, Some(b)) => Some(b.phases[0]),
        _ => None,
    }
}

/// Returns the strides since a foot touched down, by the phase: 0 to 1.
fn since_landing(phase: f64, side: usize) -> f32 {
    (phase - LANDS[side]).rem_euclid(1.0) as f32
}

/// Returns the share of the stance of a foot. A planted foot that the phase has in swing is at the start or end of its
/// stance.
fn share_of_stance(stance: f32, since: f32, down: bool) -> f32 {
    match since < stance || !down {
        true => (since / stance).min(1.0),
        false => f32::from(u8::from(since < 0.5 * (1.0 + stance))),
    }
}

impl Planner<'_> {
    fn mix(&self, time_s: f32) -> Mix {
        self.gait.mix(self.heading(time_s))
    }

    /// Returns the velocity to step by, in root space: between the current and the predicted one, nearer to the faster. A
    /// starting character steps as if it were already moving.
    fn heading(&self, time_s: f32) -> Vec3 {
        let [now, soon] = [time_s, self.ahead(time_s)].map(|t| self.route.velocity_in_root(t));
        let (n, s) = (now.length_squared(), soon.length_squared());
        let direction = now.lerp(soon, s / (n + s).max(1e-9));
        direction.normalize_or_zero() * (0.5 * (n + s)).sqrt()
    }

    /// Returns a later time, up to which the route is predictable: before the stick changes, the change is not known.
    fn ahead(&self, time_s: f32) -> f32 {
        time_s + (time_s - LEAD_S).clamp(0.0, AHEAD_S)
    }

    /// Returns the strides per second. A change of velocity or direction shortens the steps.
    fn cadence_hz(&self, mix: &Mix, time_s: f32) -> f32 {
        let f = self.route.frame(time_s);
        let hard = self.route.accelerations_mps2[f].length() / HARD_MPS2;
        let turns = self.route.yaw_rates_radps[f].abs() / HARD_RADPS;
        self.gait.cadence_hz(mix) * (1.0 + QUICKER * hard.max(turns).min(1.0))
    }

    fn since_landing(&self, side: usize) -> f32 {
        since_landing(self.phase, side)
    }

    /// Returns the planned position of a planted foot at a time and its yaw, in world space.
    fn place(&self, side: usize, time_s: f32) -> (Vec3, f32) {
        let velocity = self.route.velocity_in_root(time_s);
        let mix = self.mix(time_s);
        let moving = smoothstep((velocity.length() / (REST_SHARE * self.gait.speed_mps(&mix))).min(1.0));
        let (at, yaw_rad) = self.gait.place(&mix, side, moving);
        let root = self.route.at(time_s);
        (root.point(at) * Vec3::new(1.0, 0.0, 1.0), wrap_angle(Facing::from_rotation(root.rotation).yaw() + yaw_rad))
    }

    /// Returns the expected offset of a planted foot from its planned position at a time, in metres and radians.
    fn off(&self, side: usize, time_s: f32) -> (f32, f32) {
        let (at, yaw_rad) = self.place(side, time_s);
        let Some(now) = self.feet[side].last() else { return (0.0, 0.0) };
        ((at - now.at).length(), wrap_angle(yaw_rad - now.yaw_rad).abs())
    }

    fn begin(&mut self) {
        for side in 0..2 {
            if !self.stepping {
                let (at, yaw_rad) = self.place(side, 0.0);
                self.feet[side].push(Stance { land_s: f32::NEG_INFINITY, lift_s: f32::INFINITY, at, yaw_rad });
                continue;
            }
            let mix = self.mix(0.0);
            let (stride_s, stance) = (1.0 / self.gait.cadence_hz(&mix), self.gait.stance(&mix, side));
            let since = self.since_landing(side);
            let land_s = -since * stride_s;
            let (at, yaw_rad) = self.place(side, land_s + 0.5 * stance * stride_s);
            self.down[side] = since < stance;
            let lift_s = if self.down[side] { f32::INFINITY } else { land_s + stance * stride_s };
            self.feet[side].push(Stance { land_s, lift_s, at, yaw_rad });
        }
    }

    /// Advances by one frame.
    fn advance(&mut self, time_s: f32, first: usize) -> Option<()> {
        let dt_s = 1.0 / self.route.rate_hz;
        if !self.stepping {
            let Some(side) = self.wants_to_step(time_s, first) else { return Some(()) };
            let mix = self.mix(time_s + AHEAD_S);
            self.stepping = true;
            let lifts = LANDS[side] + f64::from(self.gait.stance(&mix, side));
            self.phase += (lifts - self.phase).rem_euclid(1.0);
            self.spells.push(Spell { start_s: time_s, end_s: f32::INFINITY, phases: [self.phase; 2] });
            self.lift(side, time_s);
            return (self.spells.len() <= MOST_STRIDES).then_some(());
        }
        let mix = self.mix(time_s);
        let before = [0, 1].map(|side| self.since_landing(side));
        let stride = self.cadence_hz(&mix, time_s) * dt_s;
        self.phase += f64::from(stride);
        for side in 0..2 {
            let (was, is) = (before[side], self.since_landing(side));
            let stance = self.gait.stance(&mix, side);
            // The blend changes: a stance may have become shorter than its elapsed time.
            if self.down[side] && is >= stance && is < lerp(stance, 1.0, LATEST_LIFT) {
                if !self.has_arrived(side, time_s) {
                    self.lift(side, time_s + dt_s * (stance - was).max(0.0) / stride);
                }
            } else if !self.down[side] && is < was {
                self.land(side, time_s + dt_s * (1.0 - was) / stride, &mix)?;
            }
        }
        if self.down == [true; 2] && [0, 1].iter().all(|side| self.has_arrived(*side, time_s)) {
            self.stepping = false;
            if let Some(spell) = self.spells.last_mut() {
                spell.end_s = time_s + dt_s;
                spell.phases[1] = self.phase;
            }
        }
        Some(())
    }

    /// Returns the foot that an idle character lifts now, if any.
    fn wants_to_step(&self, time_s: f32, first: usize) -> Option<usize> {
        if time_s < LEAD_S + THINK_S {
            return None;
        }
        let far = |side: usize| {
            let (m, rad) = self.off(side, time_s + AHEAD_S);
            (m / STEP_M).max(rad / STEP_RAD)
        };
        let needs = [far(0), far(1)];
        (needs[0].max(needs[1]) > 1.0).then(|| match self.spells.is_empty() {
            true => first,
            false => usize::from(needs[1] > needs[0]),
        })
    }

    /// Returns true if a foot is where it will be needed from now on.
    fn has_arrived(&self, side: usize, time_s: f32) -> bool {
        [0.0, 1.0, 2.0, 3.0].iter().all(|k| {
            let (m, rad) = self.off(side, time_s + k * AHEAD_S);
            m < ARRIVED_M && rad < ARRIVED_RAD
        })
    }

    fn lift(&mut self, side: usize, time_s: f32) {
        self.down[side] = false;
        if let Some(last) = self.feet[side].last_mut() {
            last.lift_s = time_s;
        }
    }

    fn land(&mut self, side: usize, time_s: f32, mix: &Mix) -> Option<()> {
        let half_s = 0.5 * self.gait.stance(mix, side) / self.cadence_hz(mix, time_s);
        let (at, yaw_rad) = self.place(side, time_s + half_s);
        self.down[side] = true;
        self.feet[side].push(Stance { land_s: time_s, lift_s: f32::INFINITY, at, yaw_rad });
        (self.feet[side].len() < MOST_STRIDES).then_some(())
    }

    /// Plans the landings of feet that are in swing at the end.
    fn finish(&mut self) {
        let end_s = self.route.seconds();
        let mix = self.mix(end_s);
        for side in 0..2 {
            if !self.down[side] {
                let left = 1.0 - self.since_landing(side);
                let land_s = end_s + left / self.gait.cadence_hz(&mix);
                let half_s = 0.5 * self.gait.stance(&mix, side) / self.gait.cadence_hz(&mix);
                let (at, yaw_rad) = self.place(side, land_s + half_s);
                self.feet[side].push(Stance { land_s: land_s.max(end_s + 1e-3), lift_s: f32::INFINITY, at, yaw_rad });
            }
        }
    }
}
