//! Plan of the footsteps: position and time of each contact.
//!
//! Steps alternate. The next heel strike is due when the integral of the cadence has increased by one step. The foot lifts
//! earlier by the share of a stride that its duty factor leaves for the swing. It is planted at the root's position in the middle
//! of the next stance, which the path gives exactly. A standing character takes no step until the root moves.

use crate::body::{FOOT_M, Side};
use crate::laws::{CROUCHED_CADENCE, CROUCHED_WIDTH_M, cadence_hz, duty, half_width_m, roll, run_weight};
use crate::path::{PathPoint, RootPath};
use crate::shapes::ramp;
use footwork::advanced::math::{Random, lerp};
use footwork::math::Quat;
use glam::Vec3;

/// Time step of the search for the next event, seconds.
const DT: f32 = 1.0 / 120.0;
/// Maximum distances of a toe from its rest position when it lands / in stance, metres: ahead, outward, behind, inward.
const LANDING_REACH_M: [f32; 4] = [0.40, 0.34, 0.34, 0.20];
const STANCE_REACH_M: [f32; 4] = [0.42, 0.40, 0.52, 0.26];
/// Additional distance behind for a foot in an even walk, metres.
const EVEN_REACH_M: f32 = 0.08;
/// Share of a stance after which a foot in backward motion touches with the heel only.
pub(crate) const HEEL_ONLY_AT: f32 = 0.72;
/// Distance of the middle of a walker's and a runner's stance behind that of a standing foot, metres: runners land closer to
/// their body.
const HOME_BACK_M: [f32; 2] = [0.108, 0.165];
/// Feet point outwards, radians: adults by 5 to 13 degrees, 7 at free speed (scienceinsights.org, npte.examzify.com).
const TOE_OUT_RAD: f32 = 0.12;
/// Distance of the middle of a stance behind that of a standing foot, in a crouch, metres: the hips are further back, too.
const CROUCHED_BACK_M: f32 = 0.02;
/// Distance by which the left foot of a standing crouched body is ahead of its rest position, metres. The offset makes the body
/// stable along the facing, too.
const CROUCHED_LEAD_M: f32 = 0.11;
/// A standing foot this far from its rest position (metres, radians) takes a step.
const HOME_M: f32 = 0.035;
const HOME_RAD: f32 = 0.15;

/// One stance of one foot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stance {
    /// First contact: heel strike in a forward walk.
    pub heel_s: f32,
    /// Time at which the toe joint is planted.
    pub flat_s: f32,
    /// Time until which it is planted. The foot then rolls over the tips of the toes.
    pub tip_s: f32,
    /// Last contact: toe-off.
    pub end_s: f32,
    /// Position of the sole under the toe joint.
    pub toe: Vec3,
    /// Foot yaw, unwrapped.
    pub yaw: f32,
    /// Pitch of the ground under it, radians; negative is toe up.
    pub slope: f32,
    /// Variation of this step.
    pub vary: Variation,
}

/// Variation from step to step, with standard deviations of about 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variation {
    /// Variation of the landing time.
    pub time: f32,
    /// Variation of the landing position: forward and outward.
    pub ahead: f32,
    pub outward: f32,
    /// Variation of the lift of the leg.
    pub lift: f32,
    /// Variation of the arm swing.
    pub arms: f32,
}

impl Variation {
    /// Returns the variation of one step of a clip.
    fn of_step(seed: u64, step: u32) -> Self {
        let mut random = Random(seed ^ u64::from(step).wrapping_mul(0xD134_2543_DE82_EF95));
        // The sum of two uniform draws: at most 2.45 deviations.
        let mut draw = || (random.between(-1.0, 1.0) + random.between(-1.0, 1.0)) * 1.2247;
        Self { time: draw(), ahead: draw(), outward: draw(), lift: draw(), arms: draw() }
    }
}

/// Standard deviations from step to step: time as a share of the step, position in metres. Apart from speed, step lengths of
/// adults vary by 1.5 % (Collins and Kuo 2013, PMC3756042); the other two are of that size.
const VARY_TIME: f32 = 0.011;
const VARY_AHEAD_M: f32 = 0.007;
const VARY_OUTWARD_M: f32 = 0.008;

/// Stances of left and right foot, in order of time.
#[derive(Clone, Debug)]
pub(crate) struct FootPlan {
    pub stances: [Vec<Stance>; 2],
}

/// Returns the rest position of a foot for the motion of the body.
fn home(p: &PathPoint, side: Side) -> (Vec3, f32) {
    let yaw = p.yaw + p.twist;
    // In a standing body the ankle is slightly behind the hip. In a walk, a stance is centred further back, since the toe pushes
    // off far behind the body while the heel lands less far ahead of it.
    let back = lerp(lerp(HOME_BACK_M[0], HOME_BACK_M[1], run_weight(p.speed)), CROUCHED_BACK_M, p.crouch);
    // Uphill the front leg is bent and the rear one is short; downhill the reverse.
    let slope = 0.25 * p.climb.clamp(-0.5, 0.5);
    let forward = FOOT_M - 0.03 + (slope - back) * p.along.max(0.0) - 0.06 * (-p.along).max(0.0);
    let lead = if side == Side::Left { CROUCHED_LEAD_M * p.crouch * (1.0 - ramp(p.speed, 0.05, 0.5)) } else { 0.0 };
    let apart = half_width_m(p.speed) + CROUCHED_WIDTH_M * p.crouch;
    let local = Vec3::new(side.sign() * apart, 0.0, forward + lead);
    let outward = TOE_OUT_RAD * (1.0 + 0.8 * p.crouch);
    (p.position + Quat::from_rotation_y(yaw) * local, yaw + side.sign() * outward)
}

/// Returns the distance of a toe from its rest position in units of a reach: 1 is the boundary of an oval.
fn strain(p: &PathPoint, side: Side, toe: Vec3, reach: [f32; 4]) -> f32 {
    let standing = PathPoint { along: 0.0, speed: 0.0, crouch: 0.0, ..*p };
    let d = Quat::from_rotation_y(-(p.yaw + p.twist)) * (toe - home(&standing, side).0);
    // In an even walk, the foot pushes off from further behind than in a stop or a turn.
    let even = p.along.max(0.0) * (1.0 - ramp(p.acceleration.length(), 1.0, 4.0));
    let along = d.z / if d.z > 0.0 { reach[0] } else { reach[2] + EVEN_REACH_M * even };
    let beside = d.x / if d.x * side.sign() > 0.0 { reach[1] } else { reach[3] };
    (along * along + beside * beside).sqrt()
}

/// Pulls a toe towards its rest position until it is within reach.
fn within(p: &PathPoint, side: Side, toe: &mut Vec3, reach: [f32; 4]) {
    let strained = strain(p, side, *toe, reach);
    if strained > 1.0 {
        let under = home(&PathPoint { along: 0.0, speed: 0.0, crouch: 0.0, ..*p }, side).0;
        *toe = under + (*toe - under) * (1.0 / strained);
    }
}

/// Maximum rotation of a foot relative to the pelvis when it lands / in stance, radians.
const LANDING_TURN_RAD: f32 = 0.62;
const STANCE_TURN_RAD: f32 = 0.74;

struct Planner<'a> {
    path: &'a RootPath,
    rhythm: Rhythm,
    stances: [Vec<Stance>; 2],
    /// Number of steps.
    steps: u32,
    /// Delay of the last strike relative to the rhythm, in seconds; the rhythm itself does not drift.
    late: f32,
}

/// Timing of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    /// Factor of the cadence, which fits strides to loops.
    pub cadence_scale: f32,
    /// Number of steps after which the variation repeats: the steps of a loop.
    pub period: Option<u32>,
    /// Seed of the variation.
    pub seed: u64,
    /// Foot that starts if the motion does not decide it.
    pub first: Side,
    /// True if `first` starts in any case.
    pub insists: bool,
    /// Initial distance of the left foot ahead of its rest position, and of the right foot behind it, metres; at most [`HOME_M`].
    pub stagger_m: f32,
}

impl Planner<'_> {
    fn cadence(&self, t: f32) -> f32 {
        let p = self.path.at(t);
        // Sideways and backward steps are shorter and quicker.
        let sideways = (1.0 - p.along.abs()) * ramp(p.speed, 0.3, 1.0);
        // Downhill steps are quicker, 0.99 for 0.93 Hz at 9 degrees; uphill they are not (Franz and Kram 2012, PMC3262943).
        let factor = 1.0 + 0.25 * sideways + 0.1 * (-p.along).max(0.0) + 0.4 * (-p.climb).clamp(0.0, 0.5);
        let factor = factor * lerp(1.0, CROUCHED_CADENCE, p.crouch);
        // The last steps of a stop bring the feet together without delay.
        let gather = 1.6 * (1.0 - ramp(p.activity, 0.2, 0.7));
        let free = cadence_hz(p.activity).max(gather) * factor * self.rhythm.cadence_scale;
        self.path.ground.cadence_hz(p.position.z, p.speed).map_or(free, |hz| hz.max(0.8))
    }

    fn variation(&self) -> Variation {
        let step = self.rhythm.period.map_or(self.steps, |p| self.steps % p);
        Variation::of_step(self.rhythm.seed, step)
    }

    fn standing(&self, side: Side) -> &Stance {
        self.stances[side.at()].last().expect("both feet start planted")
    }

    /// Returns true if the foot is away from its future rest position.
    fn misplaced(&self, side: Side, t: f32) -> bool {
        let (toe, yaw) = home(&self.path.at(t + 0.3), side);
        let s = self.standing(side);
        (s.toe - toe).length() > HOME_M || (s.yaw - yaw).abs() > HOME_RAD
    }

    fn must_step(&self, t: f32) -> bool {
        self.path.quiet_s(t + 0.06) < 0.25 || Side::BOTH.iter().any(|s| self.misplaced(*s, t))
    }

    /// Returns the foot that starts: the one on the side of travel or of the turn, else the given foot.
    fn first(&self, t: f32, tie: Side) -> Side {
        if self.rhythm.insists && self.steps == 0 {
            return self.rhythm.first;
        }
        let (a, b) = (self.path.at(t), self.path.at(t + 0.4));
        let way = Quat::from_rotation_y(-a.yaw) * (b.position - a.position);
        let lean = way.x + 0.1 * (b.yaw - a.yaw);
        match lean {
            x if x > 0.05 => Side::Left,
            x if x < -0.05 => Side::Right,
            _ => tie,
        }
    }

    /// Returns the time at which the planted foot gets out of reach.
    fn out_of_reach(&self, side: Side, from: f32, until: f32) -> f32 {
        let s = self.standing(side);
        let held = |t: f32| {
            let p = self.path.at(t);
            let turn = (p.yaw + p.twist - s.yaw) / STANCE_TURN_RAD;
            // A foot that landed in advance of the turn may wait for the body.
            strain(&p, side, s.toe, STANCE_REACH_M) < 1.0 && (turn.abs() < 1.0 || turn * p.yaw_rate < 0.0)
        };
        let mut t = from;
        while t < until && held(t) {
            t += DT;
        }
        t.min(until)
    }

    /// Returns the heel strike after the one at `last`.
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

    /// Takes a step: lift at `lift`, touch at `strike`.
    fn take(&mut self, side: Side, lift: f32, strike: f32) {
        let at_strike = self.path.at(strike);
        let vary = self.variation();
        self.steps += 1;
        let stride = 2.0 / self.cadence(strike);
        let roll_s = roll(at_strike.speed) * at_strike.along.max(0.0) * stride;
        let flat_s = strike + roll_s;
        let leave = strike + duty(at_strike.speed) * stride;
        let mut middle = 0.5 * (flat_s + leave);
        // For a stop, plant for the final position rather than for the middle of the stance.
        let mut rest = strike;
        while rest < strike + 0.7 && self.path.quiet_s(rest) < 0.3 {
            rest += DT;
        }
        if self.path.quiet_s(rest) >= 0.3 {
            middle = middle.max(rest);
        }
        let at_middle = self.path.at(middle);
        let (mut toe, mut yaw) = home(&at_middle, side);
        let busy = ramp(at_middle.speed, 0.1, 0.8);
        toe += Quat::from_rotation_y(at_middle.yaw + at_middle.twist)
            * Vec3::new(side.sign() * VARY_OUTWARD_M * vary.outward, 0.0, VARY_AHEAD_M * vary.ahead)
            * busy;
        // Within reach while it carries the body.
        for later_s in [0.12, 0.06] {
            within(&self.path.at(flat_s + later_s), side, &mut toe, STANCE_REACH_M);
        }
        let landing = self.path.at(flat_s);
        // Not on the other foot.
        let other = *self.standing(side.other());
        if other.end_s > flat_s {
            let turn = Quat::from_rotation_y(landing.yaw + landing.twist);
            let d = turn.inverse() * (toe - other.toe);
            let apart = d.x * side.sign();
            // A stride past the other foot does not count as crossing, but a pivot must not cross the legs.
            let near = d.z.abs() < 0.25 || (landing.yaw_rate.abs() > 1.2 && landing.activity < 2.2);
            if near && apart < 0.11 && apart > -0.2 {
                toe += turn * Vec3::new(side.sign() * (0.11 - apart), 0.0, 0.0);
            }
        }
        let ahead = yaw - landing.yaw - landing.twist;
        yaw -= ahead - ahead.clamp(-LANDING_TURN_RAD, LANDING_TURN_RAD);
        // The reach of the leg at landing has priority.
        within(&landing, side, &mut toe, LANDING_REACH_M);
        let slope = self.place(&mut toe);
        // A walker rolls over the tips of the toes while the weight moves to the other foot; in backward motion, the toes lift
        // first.
        let at_lift = self.path.at(lift);
        let share = if at_lift.along < 0.0 {
            1.0 - HEEL_ONLY_AT
        } else {
            lerp(0.20, 0.25, run_weight(at_lift.speed)) * at_lift.along
        };
        let last = self.stances[side.at()].last_mut().expect("both feet start planted");
        last.end_s = lift;
        last.tip_s = (lift - share * (lift - last.heel_s).min(0.9)).max(last.flat_s);
        self.stances[side.at()].push(Stance {
            heel_s: strike,
            flat_s,
            tip_s: f32::MAX,
            end_s: f32::MAX,
            toe,
            yaw,
            slope,
            vary,
        });
    }

    /// Places a toe on the ground, away from edges, and returns the pitch of the ground.
    fn place(&self, toe: &mut Vec3) -> f32 {
        let ground = &self.path.ground;
        toe.z = ground.landing(toe.z);
        toe.y = ground.height(toe.z);
        ground.pitch(toe.z)
    }

    /// Plans the steps along the path.
    fn run(&mut self) {
        let mut strike = self.path.start_s;
        let mut last = self.rhythm.first.other();
        let mut fresh = true;
        while strike < self.path.end_s() {
            let mut t = strike;
            while !self.must_step(t) {
                t += DT;
                if t >= self.path.end_s() {
                    return;
                }
            }
            let mut late = 0.0;
            let waited = t > strike || fresh;
            fresh = false;
            let (side, lift, next) = if waited {
                let side = self.first(t, last.other());
                // When a body crouches or gets up, it moves the foot that is away from its rest position.
                let changes = self.path.at(t + 0.3).crouch > 0.0 && self.path.quiet_s(t) > 0.25;
                let side = if changes && !self.misplaced(side, t) { side.other() } else { side };
                let swing = 2.0 * (1.0 - duty(self.path.at(t + 0.3).speed)) / self.cadence(t + 0.25);
                let lift = self.out_of_reach(side, t, t + 0.05);
                (side, lift, lift + swing.clamp(0.28, 0.42))
            } else {
                let settling = self.path.quiet_s(t) > 0.25;
                let due = last.other();
                let side = if settling && !self.misplaced(due, t) { last } else { due };
                let due_s = self.next_strike(t - self.late);
                let late_s =
                    VARY_TIME * self.variation().time * (due_s - t) * ramp(self.path.at(due_s).speed, 0.1, 0.8);
                let next = due_s + late_s;
                let speed = self.path.at(0.5 * (t + next)).speed;
                let swing = (2.0 * (1.0 - duty(speed)) * (next - t)).clamp(0.22, 0.55);
                let own = self.standing(side).flat_s;
                let wanted = (next - swing).max(own + 0.08);
                // A leg at the end of its reach leaves at once, and lands earlier.
                let lift = self.out_of_reach(side, own, wanted).max(own + 0.05);
                let early = wanted - lift;
                let next = (next - 0.5 * early).max(lift + 0.22).max(t + 0.12);
                // The next step makes up for the delay of this one; after a stumble, a new rhythm begins.
                late = (next - due_s).clamp(-0.03, 0.03);
                (side, lift, next)
            };
            self.take(side, lift, next);
            self.late = late;
            strike = next;
            last = side;
        }
    }
}

/// Returns the plan of all steps along a path.
pub(crate) fn plan(path: &RootPath, rhythm: Rhythm) -> FootPlan {
    let mut planner = Planner { path, rhythm, stances: [Vec::new(), Vec::new()], steps: 0, late: 0.0 };
    let start = path.at(path.start_s);
    for side in Side::BOTH {
        let (mut toe, yaw) = home(&start, side);
        toe += Quat::from_rotation_y(start.yaw) * Vec3::Z * (side.sign() * rhythm.stagger_m);
        let slope = planner.place(&mut toe);
        let early = path.start_s - 10.0;
        let vary = Variation::default();
        let stance = Stance { heel_s: early, flat_s: early, tip_s: f32::MAX, end_s: f32::MAX, toe, yaw, slope, vary };
        planner.stances[side.at()].push(stance);
    }
    planner.run();
    FootPlan { stances: planner.stances }
}

/// Returns the steps per second on a steady path at time 0, to which a loop is fitted.
pub(crate) fn steady_cadence_hz(path: &RootPath) -> f32 {
    let rhythm =
        Rhythm { cadence_scale: 1.0, period: None, seed: 0, first: Side::Left, insists: false, stagger_m: 0.0 };
    Planner { path, rhythm, stances: [Vec::new(), Vec::new()], steps: 0, late: 0.0 }.cadence(0.0)
}
