//! Footsteps along a route: which foot stands where, from when to when, and the phase of the stride at each moment.
//!
//! One who moves goes through the stride of the blended cycles; a foot lands where it will be under the body in the middle of
//! its stance. One who arrives takes steps until both feet stand where they stand at rest, and no more.

use super::gait::{Gait, Mix};
use super::route::{LEAD_S, Route};
use crate::math::{Facing, lerp, smoothstep, wrap_angle};
use glam::Vec3;

/// A foot of one who stands is moved when it will be this far off its place, metres and radians, ...
const STEP_M: f32 = 0.06;
const STEP_RAD: f32 = 0.25;
/// ... within this time, seconds.
const AHEAD_S: f32 = 0.3;
/// Nobody lifts a foot sooner after the stick has changed, seconds.
const THINK_S: f32 = 0.1;
/// One who arrives stops stepping when both feet are this near to their places.
const ARRIVED_M: f32 = 0.02;
const ARRIVED_RAD: f32 = 0.09;
/// Within this time of lifting its foot (before, after) a standing body goes over into a moving one; and back after the last
/// step, seconds.
const SET_OFF_S: [f32; 2] = [0.25, 0.15];
const SETTLE_S: [f32; 2] = [0.05, 0.35];
/// Below this share of the slowest cycle's speed, feet land nearer to how they stand at rest.
const REST_SHARE: f32 = 0.7;
/// Strides are quicker by this share under an acceleration or a turn this hard.
const QUICKER: f32 = 0.35;
const HARD_MPS2: f32 = 6.0;
const HARD_RADPS: f32 = 3.0;
/// A foot is lifted no later than this share of its swing: then it stays until the next.
const LATEST_LIFT: f32 = 0.4;
/// No route takes more steps with one foot.
const MOST_STRIDES: usize = 64;

/// A foot on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Seconds of the route; minus infinity: since ever.
    pub land_s: f32,
    /// Plus infinity: for ever.
    pub lift_s: f32,
    /// Where the touching joint is, on the ground, world.
    pub at: Vec3,
    /// Where the foot points, world, radians.
    pub yaw_rad: f32,
}

/// A moment of the stride.
#[derive(Clone, Debug)]
pub struct Moment {
    /// 0 as the left foot touches down, 0.5 as the right one does; goes on rising.
    pub phase: f64,
    /// What is blended.
    pub mix: Mix,
    /// 0 stands, 1 moves.
    pub moving: f32,
    /// Share of the stance or swing of each foot, by the phase.
    pub stance: [f32; 2],
}

/// All steps of a route.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// `[frames]`.
    pub moments: Vec<Moment>,
    /// Left, right: in order, the first from before the start, the last beyond the end.
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

/// Steps without a rest.
#[derive(Clone, Copy, Debug)]
struct Spell {
    start_s: f32,
    end_s: f32,
    /// Phases at its start and end.
    phases: [f64; 2],
}

/// Plans the steps of a route; `first`: the foot with which one who stands sets off; `phase`: of one who moves from the
/// start. `None` where it does not come to an end.
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
    let moment = |(f, (phase, down)): (usize, (f64, [bool; 2]))| {
        let time_s = f as f32 / route.rate_hz;
        let phase = resting_phase(&planner.spells, time_s).unwrap_or(phase);
        let mix = planner.mix(time_s);
        let stance =
            [0, 1].map(|side| share_of_stance(gait.stance(&mix, side), since_landing(phase, side), down[side]));
        Moment { phase, mix, moving: moving(&planner.spells, time_s), stance }
    };
    let moments = stepped.into_iter().enumerate().map(moment).collect();
    Some(Steps { moments, feet: planner.feet })
}

/// 0 standing to 1 moving.
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

/// The phase between two spells of steps: the end of one goes over into the start of the other.
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

/// Strides since a foot touched down, by the phase: 0 to 1.
fn since_landing(phase: f64, side: usize) -> f32 {
    (phase - LANDS[side]).rem_euclid(1.0) as f32
}

/// Share of the stance that a foot is in. One that is down though the phase has it in the air is at an end of its stance.
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

    /// The velocity to step by, root space: between that of now and of soon, nearer to the faster. One who sets off steps as
    /// one who goes already.
    fn heading(&self, time_s: f32) -> Vec3 {
        let [now, soon] = [time_s, self.ahead(time_s)].map(|t| self.route.velocity_in_root(t));
        let (n, s) = (now.length_squared(), soon.length_squared());
        let direction = now.lerp(soon, s / (n + s).max(1e-9));
        direction.normalize_or_zero() * (0.5 * (n + s)).sqrt()
    }

    /// As far ahead of a time as one knows what comes: nobody knows that the stick will change.
    fn ahead(&self, time_s: f32) -> f32 {
        time_s + (time_s - LEAD_S).clamp(0.0, AHEAD_S)
    }

    /// Strides per second: one who changes velocity or direction takes shorter steps.
    fn cadence_hz(&self, mix: &Mix, time_s: f32) -> f32 {
        let f = self.route.frame(time_s);
        let hard = self.route.accelerations_mps2[f].length() / HARD_MPS2;
        let turns = self.route.yaw_rates_radps[f].abs() / HARD_RADPS;
        self.gait.cadence_hz(mix) * (1.0 + QUICKER * hard.max(turns).min(1.0))
    }

    fn since_landing(&self, side: usize) -> f32 {
        since_landing(self.phase, side)
    }

    /// Where a foot belongs at a time, and its yaw, in the world.
    fn place(&self, side: usize, time_s: f32) -> (Vec3, f32) {
        let velocity = self.route.velocity_in_root(time_s);
        let mix = self.mix(time_s);
        let moving = smoothstep((velocity.length() / (REST_SHARE * self.gait.speed_mps(&mix))).min(1.0));
        let (at, yaw_rad) = self.gait.place(&mix, side, moving);
        let root = self.route.at(time_s);
        (root.point(at) * Vec3::new(1.0, 0.0, 1.0), wrap_angle(Facing::from_rotation(root.rotation).yaw() + yaw_rad))
    }

    /// How far a standing foot will be off its place at a time: metres and radians.
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

    /// One frame on.
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
            // What is blended changes: a stance may have become shorter than it has lasted.
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

    /// The foot that one who stands moves now, if any.
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

    /// True when a foot is where it will be needed from now on.
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

    /// Plans where feet land that are in the air at the end.
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
