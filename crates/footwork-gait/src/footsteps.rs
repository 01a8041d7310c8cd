//! Where and when each foot is on the ground: the plan that everything else hangs from.
//!
//! Steps alternate. The next heel strike comes when the cadence, summed over time, has counted one more step; the foot
//! lifts the share of a stride before that its duty factor leaves for swing. It is planted where the root will be in the
//! middle of the coming stance, which the path knows exactly. Standing, nobody steps until the root is about to leave.

use crate::body::{FOOT_M, Side};
use crate::laws::{cadence_hz, duty, half_width_m, roll};
use crate::path::{PathPoint, RootPath};
use crate::shapes::ramp;
use footwork::math::Quat;
use glam::Vec3;

/// Time step of the search for the next event, seconds.
const DT: f32 = 1.0 / 120.0;
/// How far a toe may be from its place under the body when it lands / when it must leave, metres: ahead, beside, behind.
const LANDING_REACH_M: [f32; 3] = [0.40, 0.36, 0.34];
const STANCE_REACH_M: [f32; 3] = [0.42, 0.44, 0.56];
/// A standing foot this far from home (metres, radians) takes a step.
const HOME_M: f32 = 0.035;
const HOME_RAD: f32 = 0.15;

/// One stance of one foot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stance {
    /// Heel strike; equals `start_s` where the toe lands first.
    pub heel_s: f32,
    /// The toe is planted from here ...
    pub start_s: f32,
    /// ... to here.
    pub end_s: f32,
    /// Toe on the ground (y = 0).
    pub toe: Vec3,
    /// Foot yaw, unwrapped.
    pub yaw: f32,
}

/// Stances of left and right foot, in order of time.
#[derive(Clone, Debug)]
pub(crate) struct FootPlan {
    pub stances: [Vec<Stance>; 2],
}

/// Where a foot wants to be under a body that moves so.
fn home(p: &PathPoint, side: Side) -> (Vec3, f32) {
    let yaw = p.yaw + p.twist;
    // Standing, the ankle is a little behind the hip; walking, a stance is centred further back, for the toe pushes off
    // far behind the body while the heel lands less far ahead of it.
    let forward = FOOT_M - 0.03 - 0.125 * p.along.max(0.0) - 0.06 * (-p.along).max(0.0);
    let local = Vec3::new(side.sign() * half_width_m(p.speed), 0.0, forward);
    (p.position + Quat::from_rotation_y(yaw) * local, yaw + side.sign() * 0.1)
}

/// Distance of a toe from home in multiples of a reach: 1 is the border of an oval.
fn strain(p: &PathPoint, side: Side, toe: Vec3, reach: [f32; 3]) -> f32 {
    let standing = PathPoint { along: 0.0, speed: 0.0, ..*p };
    let d = Quat::from_rotation_y(-(p.yaw + p.twist)) * (toe - home(&standing, side).0);
    let along = d.z / if d.z > 0.0 { reach[0] } else { reach[2] };
    let beside = d.x / reach[1];
    (along * along + beside * beside).sqrt()
}

struct Planner<'a> {
    path: &'a RootPath,
    cadence_scale: f32,
    stances: [Vec<Stance>; 2],
}

impl Planner<'_> {
    fn cadence(&self, t: f32) -> f32 {
        let p = self.path.at(t);
        // Sideways and backward steps are shorter and quicker.
        let sideways = (1.0 - p.along.abs()) * ramp(p.speed, 0.3, 1.0);
        let factor = 1.0 + 0.25 * sideways + 0.1 * (-p.along).max(0.0);
        // The last steps of a stop bring the feet together without dawdling.
        let gather = 1.6 * (1.0 - ramp(p.activity, 0.2, 0.7));
        cadence_hz(p.activity).max(gather) * factor * self.cadence_scale
    }

    fn standing(&self, side: Side) -> &Stance {
        self.stances[side.at()].last().expect("both feet start planted")
    }

    /// True when this foot is not where it will be wanted.
    fn misplaced(&self, side: Side, t: f32) -> bool {
        let (toe, yaw) = home(&self.path.at(t + 0.3), side);
        let s = self.standing(side);
        (s.toe - toe).length() > HOME_M || (s.yaw - yaw).abs() > HOME_RAD
    }

    fn must_step(&self, t: f32) -> bool {
        self.path.quiet_s(t + 0.06) < 0.25 || Side::BOTH.iter().any(|s| self.misplaced(*s, t))
    }

    /// Which foot starts: the one on the side of travel or of the turn, else the given one.
    fn first(&self, t: f32, tie: Side) -> Side {
        let (a, b) = (self.path.at(t), self.path.at(t + 0.4));
        let way = Quat::from_rotation_y(-a.yaw) * (b.position - a.position);
        let lean = way.x + 0.1 * (b.yaw - a.yaw);
        match lean {
            x if x > 0.05 => Side::Left,
            x if x < -0.05 => Side::Right,
            _ => tie,
        }
    }

    /// When the standing foot would be out of the leg's reach.
    fn out_of_reach(&self, side: Side, from: f32, until: f32) -> f32 {
        let toe = self.standing(side).toe;
        let mut t = from;
        while t < until && strain(&self.path.at(t), side, toe, STANCE_REACH_M) < 1.0 {
            t += DT;
        }
        t.min(until)
    }

    /// Heel strike of the step after the one that struck at `last`.
    fn next_strike(&self, last: f32) -> f32 {
        let (mut t, mut count) = (last, 0.0);
        loop {
            let more = self.cadence(t + 0.5 * DT) * DT;
            if count + more >= 1.0 {
                return t + DT * (1.0 - count) / more;
            }
            count += more;
            t += DT;
        }
    }

    /// Takes a step: lift at the latest at `lift`, strike at `strike`.
    fn take(&mut self, side: Side, lift: f32, strike: f32) {
        let at_strike = self.path.at(strike);
        let stride = 2.0 / self.cadence(strike);
        let roll_s = roll(at_strike.speed) * at_strike.along.max(0.0) * stride;
        let start = strike + roll_s;
        let leave = strike + duty(at_strike.speed) * stride;
        let mut middle = 0.5 * (start + leave);
        // Coming to rest: plant for the rest, not for the last centimetres of the way there.
        let mut rest = strike;
        while rest < strike + 0.7 && self.path.quiet_s(rest) < 0.3 {
            rest += DT;
        }
        if self.path.quiet_s(rest) >= 0.3 {
            middle = middle.max(rest);
        }
        let (mut toe, yaw) = home(&self.path.at(middle), side);
        // Never further from the body than a leg can set it down.
        let landing = self.path.at(start);
        let strained = strain(&landing, side, toe, LANDING_REACH_M);
        if strained > 1.0 {
            let standing = PathPoint { along: 0.0, speed: 0.0, ..landing };
            let under = home(&standing, side).0;
            toe = under + (toe - under) * (1.0 / strained);
        }
        // Never onto the other foot.
        let other = *self.standing(side.other());
        if other.end_s > start {
            let turn = Quat::from_rotation_y(landing.yaw + landing.twist);
            let d = turn.inverse() * (toe - other.toe);
            let apart = d.x * side.sign();
            // Striding past is no crossing, but a pivot must not wind the legs around each other.
            let near = d.z.abs() < 0.25 || (landing.yaw_rate.abs() > 1.2 && landing.activity < 2.2);
            if near && apart < 0.11 {
                toe += turn * Vec3::new(side.sign() * (0.11 - apart), 0.0, 0.0);
            }
        }
        let last = self.stances[side.at()].last_mut().expect("both feet start planted");
        last.end_s = lift;
        self.stances[side.at()].push(Stance { heel_s: strike, start_s: start, end_s: f32::MAX, toe, yaw });
    }

    /// Lets the feet walk along the path.
    fn run(&mut self, first: Side) {
        let mut strike = self.path.start_s;
        let mut last = first.other();
        let mut fresh = true;
        while strike < self.path.end_s() {
            let mut t = strike;
            while !self.must_step(t) {
                t += DT;
                if t >= self.path.end_s() {
                    return;
                }
            }
            let waited = t > strike || fresh;
            fresh = false;
            let (side, lift, next) = if waited {
                let side = self.first(t, last.other());
                let swing = 2.0 * (1.0 - duty(self.path.at(t + 0.3).speed)) / self.cadence(t + 0.25);
                let lift = self.out_of_reach(side, t, t + 0.05);
                (side, lift, lift + swing.clamp(0.28, 0.42))
            } else {
                let settling = self.path.quiet_s(t) > 0.25;
                let due = last.other();
                let side = if settling && !self.misplaced(due, t) { last } else { due };
                let next = self.next_strike(t);
                let speed = self.path.at(0.5 * (t + next)).speed;
                let swing = (2.0 * (1.0 - duty(speed)) * (next - t)).clamp(0.22, 0.55);
                let own = self.standing(side).start_s;
                let wanted = (next - swing).max(own + 0.08);
                // A leg at the end of its reach leaves at once, and lands the sooner.
                let lift = self.out_of_reach(side, own, wanted).max(own + 0.05);
                let early = wanted - lift;
                (side, lift, (next - 0.5 * early).max(lift + 0.22).max(t + 0.12))
            };
            self.take(side, lift, next);
            strike = next;
            last = side;
        }
    }
}

/// Plans all steps along a path. `first` starts where nothing else decides; `cadence_scale` fits strides to loops.
pub(crate) fn plan(path: &RootPath, first: Side, cadence_scale: f32) -> FootPlan {
    let start = path.at(path.start_s);
    let stances = Side::BOTH.map(|side| {
        let (toe, yaw) = home(&start, side);
        let early = path.start_s - 10.0;
        vec![Stance { heel_s: early, start_s: early, end_s: f32::MAX, toe, yaw }]
    });
    let mut planner = Planner { path, cadence_scale, stances };
    planner.run(first);
    FootPlan { stances: planner.stances }
}

/// Steps per second on a steady path at time 0: what a loop must fit.
pub(crate) fn steady_cadence_hz(path: &RootPath) -> f32 {
    Planner { path, cadence_scale: 1.0, stances: [Vec::new(), Vec::new()] }.cadence(0.0)
}
