//! Plan of a stride: flexion of the knee, and landing, roll and toe-off of the foot.
//!
//! Each kind of step is a [`Style`]; speed and direction blend them. The height of the pelvis follows the length of the bent
//! stance leg, and the height of the swinging ankle follows the bent knee. Joints therefore move as measured, and planted feet
//! stay at their planned positions.

use crate::body::{SHANK_M, THIGH_M};
use crate::footsteps::{HEEL_ONLY_AT, Stance};
use crate::laws::run_weight;
use crate::path::{PathPoint, RootPath};
use crate::shapes::{Knots, ramp};
use footwork::advanced::math::{cos, lerp};
use std::f32::consts::PI;

const DEG: f32 = PI / 180.0;

/// Kind of step; angles in degrees, as in the literature.
#[derive(Clone, Copy, Debug, Default)]
struct Style {
    /// Knee flexion at the shares [`STANCE_AT`] of a stance.
    stance_knee: [f32; 5],
    /// Rise of the heel at 0.8 of a stance.
    heel: f32,
    /// Maximum knee flexion in swing.
    swing_knee: f32,
    /// Share of the swing at which the knee flexion is largest.
    swing_at: f32,
    /// Pitch of the foot when it lands: negative on the heel, positive on the ball.
    landing: f32,
    /// Minimum pitch of the foot when it leaves; negative if the heel leaves last.
    leaving: f32,
    /// Pitch of the toes when their tips leave.
    tip: f32,
    /// Ankle dorsiflexion in mid-swing.
    dorsiflexion: f32,
}

/// Shares of a stance at which the knee is given: touch, loading, middle, touch of the other foot, toe-off.
const STANCE_AT: [f32; 5] = [0.0, 0.22, 0.62, 0.8, 1.0];

/// Walks at 0.6 and 1.9 m/s. At 1.3 m/s, in between, the knee flexes by 16 degrees in stance and 62 in swing (means of
/// `normal.gcd` in NCH-Motion-Laboratory/gaitutils: 15.5 and 64; of Schwartz et al. 2008: 19.7 and 60.5).
const WALK: [Style; 2] = [
    Style {
        stance_knee: [4.0, 8.0, 5.0, 8.0, 33.0],
        heel: 9.0,
        swing_knee: 55.0,
        swing_at: 0.32,
        landing: -13.0,
        leaving: 0.0,
        tip: 18.0,
        dorsiflexion: 3.0,
    },
    Style {
        stance_knee: [4.0, 16.5, 4.5, 10.0, 36.0],
        heel: 14.5,
        swing_knee: 63.0,
        swing_at: 0.32,
        landing: -23.0,
        leaving: 0.0,
        tip: 24.0,
        dorsiflexion: 3.0,
    },
];
/// Runs at 2.3 and 4.5 m/s.
const RUN: [Style; 2] = [
    Style {
        stance_knee: [17.0, 38.0, 38.0, 27.0, 19.0],
        heel: 24.0,
        swing_knee: 85.0,
        swing_at: 0.40,
        landing: -10.0,
        leaving: 0.0,
        tip: 30.0,
        dorsiflexion: 3.0,
    },
    Style {
        stance_knee: [18.0, 40.0, 40.0, 28.0, 18.0],
        heel: 26.0,
        swing_knee: 108.0,
        swing_at: 0.40,
        landing: -8.0,
        leaving: 0.0,
        tip: 32.0,
        dorsiflexion: 4.0,
    },
];
/// Joint curves of backward walking are nearly those of reversed forward walking (Lee et al. 2013).
const BACKWARD: Style = Style {
    stance_knee: [32.0, 16.0, 9.0, 14.0, 8.0],
    heel: 0.0,
    swing_knee: 57.0,
    swing_at: 0.62,
    landing: 20.0,
    leaving: -12.0,
    tip: 0.0,
    dorsiflexion: 5.0,
};
const SIDEWAYS: Style = Style {
    stance_knee: [15.0, 17.0, 13.0, 14.0, 24.0],
    heel: 4.0,
    swing_knee: 50.0,
    swing_at: 0.42,
    landing: 5.0,
    leaving: 0.0,
    tip: 8.0,
    dorsiflexion: 2.0,
};
const IN_PLACE: Style = Style {
    stance_knee: [8.0, 7.0, 5.0, 6.0, 16.0],
    heel: 0.0,
    swing_knee: 34.0,
    swing_at: 0.42,
    landing: 0.0,
    leaving: 0.0,
    tip: 4.0,
    dorsiflexion: 2.0,
};
/// Knee flexion of about 90 degrees up and down (step of 20 cm: 90.5 degrees, discovery.researcher.life 5951afc2; staircase: 98
/// up, 96 down, University of Michigan student laboratory).
const STAIRS_UP: Style = Style {
    stance_knee: [64.0, 52.0, 18.0, 12.0, 26.0],
    heel: 6.0,
    swing_knee: 100.0,
    swing_at: 0.58,
    landing: 2.0,
    leaving: 0.0,
    tip: 14.0,
    dorsiflexion: 8.0,
};
const STAIRS_DOWN: Style = Style {
    stance_knee: [12.0, 20.0, 26.0, 52.0, 84.0],
    heel: 14.0,
    swing_knee: 92.0,
    swing_at: 0.12,
    landing: 18.0,
    leaving: 0.0,
    tip: 42.0,
    dorsiflexion: -8.0,
};

impl Style {
    /// Returns a blend of this style and another, with weight `t` for the other.
    fn mix(&self, other: &Self, t: f32) -> Self {
        let m = |f: fn(&Self) -> f32| lerp(f(self), f(other), t);
        Self {
            stance_knee: std::array::from_fn(|k| lerp(self.stance_knee[k], other.stance_knee[k], t)),
            heel: m(|s| s.heel),
            swing_knee: m(|s| s.swing_knee),
            swing_at: m(|s| s.swing_at),
            landing: m(|s| s.landing),
            leaving: m(|s| s.leaving),
            tip: m(|s| s.tip),
            dorsiflexion: m(|s| s.dorsiflexion),
        }
    }

    /// Returns the style for a motion of the body; `grade` is the rise of the ground per metre forward.
    fn of(p: &PathPoint, grade: f32, stairs: f32) -> Self {
        let share = |x: f32, low: f32, high: f32| ((x - low) / (high - low)).clamp(0.0, 1.0);
        let walk = WALK[0].mix(&WALK[1], share(p.speed, 0.6, 1.9)).on_slope(grade);
        let run = RUN[0].mix(&RUN[1], share(p.speed, 2.3, 4.5));
        let run_share = run_weight(p.speed);
        let forward = walk.mix(&run, run_share);
        let along = if p.along < 0.0 { BACKWARD } else { forward };
        let moving = ramp(p.speed, 0.1, 0.9);
        // `along` is scaled to zero at low speed; the remainder is sideways.
        let straight = if moving > 0.0 { p.along.abs().min(1.0) } else { 0.0 };
        let style = IN_PLACE.mix(&SIDEWAYS.mix(&along, ramp(straight, 0.1, 0.95)), moving);
        let style = if p.crouch > 0.0 { style.mix(&style.crouched(), p.crouch) } else { style };
        style.mix(if stairs < 0.0 { &STAIRS_DOWN } else { &STAIRS_UP }, stairs.abs())
    }

    /// Returns the style of a crouched body. Its knees stay bent far enough for its feet to clear the ground under low hips. Feet
    /// land flatter and roll less.
    fn crouched(&self) -> Self {
        Self {
            stance_knee: [76.0, 92.0, 96.0, 88.0, 86.0],
            heel: self.heel,
            swing_knee: 106.0,
            swing_at: 0.48,
            landing: 0.5 * self.landing,
            leaving: 0.3 * self.leaving,
            tip: 0.6 * self.tip,
            dorsiflexion: 12.0,
        }
    }

    /// Uphill the leg lands bent; downhill it flexes further and longer.
    fn on_slope(mut self, grade: f32) -> Self {
        let (up, down) = (grade.max(0.0), (-grade).max(0.0));
        let k = &mut self.stance_knee;
        k[0] += 75.0 * up + 12.0 * down;
        k[1] += 45.0 * up + 32.0 * down;
        k[2] += 8.0 * up + 45.0 * down;
        k[3] += 55.0 * down;
        k[4] += 40.0 * down - 15.0 * up;
        self.swing_knee += 10.0 * up;
        self.dorsiflexion += 10.0 * up;
        self.landing += 20.0 * up;
        self
    }
}

/// Returns the distance from hip to ankle of a leg whose knee is flexed by an angle, metres.
pub(crate) fn leg_length_m(flexion_rad: f32) -> f32 {
    (THIGH_M * THIGH_M + SHANK_M * SHANK_M + 2.0 * THIGH_M * SHANK_M * cos(flexion_rad)).sqrt()
}

/// Plan of one leg as functions of time, in radians.
#[derive(Clone, Debug)]
pub(crate) struct LegPlan {
    /// Knee flexion.
    pub knee: Knots,
    /// Knee flexion in stance below which the heel rises instead.
    pub taut_knee: Knots,
    /// Pitch of the foot relative to the ground in stance: at the landing and at the leaving.
    pub pitch: Knots,
    /// Rise of the heel that the height of the pelvis assumes.
    pub heel: Knots,
    /// Pitch of the toes over their tips.
    pub tip: Knots,
    /// Ankle dorsiflexion in the middle of the swing that follows each stance.
    pub dorsiflexion: Vec<f32>,
}

/// Minimum time from heel strike to flat sole for a full heel strike, seconds. Shorter times give a flatter landing.
const ROLL_S: f32 = 0.06;
/// Standard deviation of the knee's peak in swing from step to step, radians.
const VARY_KNEE_RAD: f32 = 1.2 * DEG;

impl LegPlan {
    /// Plans the leg of each stance for the motion of the body along the path.
    pub(crate) fn new(stances: &[Stance], path: &RootPath) -> Self {
        Self::planned(stances, path, |p| p)
    }

    /// Plans the same steps for a body that stays upright.
    pub(crate) fn upright(stances: &[Stance], path: &RootPath) -> Self {
        Self::planned(stances, path, |p| PathPoint { crouch: 0.0, ..p })
    }

    fn planned(stances: &[Stance], path: &RootPath, body: impl Fn(PathPoint) -> PathPoint) -> Self {
        let (mut knee, mut taut, mut pitch, mut heel, mut tip) = (vec![], vec![], vec![], vec![], vec![]);
        let mut dorsiflexion = Vec::with_capacity(stances.len());
        let style_at = |t: f32, s: &Stance| {
            let p = body(path.at(t));
            let stairs = path.ground.stair_weight(s.toe.z);
            Style::of(&p, -footwork::advanced::math::tan(s.slope), stairs)
        };
        for (i, s) in stances.iter().enumerate() {
            let land = style_at(s.heel_s, s);
            if i > 0 {
                knee.push((s.heel_s, land.stance_knee[0] * DEG));
                // With less time to roll down, the landing is flatter, so that feet do not slap.
                let roll = if land.landing > 0.0 { 1.0 } else { ((s.flat_s - s.heel_s) / ROLL_S).min(1.0) };
                pitch.push((s.heel_s, roll * land.landing * DEG));
                let flat_s = if land.landing > 0.0 { s.heel_s + 0.12 } else { s.flat_s };
                pitch.push((flat_s, 0.0));
            }
            taut.push((s.heel_s, 2.0 * DEG));
            heel.push((s.heel_s, 0.0));
            tip.push((s.heel_s, 0.0));
            let Some(next) = stances.get(i + 1) else {
                let load = s.heel_s + 0.14;
                knee.push((load, land.stance_knee[1] * DEG));
                knee.push((load + 0.4, IN_PLACE.stance_knee[2] * DEG));
                taut.push((load, 3.0 * DEG));
                dorsiflexion.push(0.0);
                break;
            };
            let leave = style_at(s.end_s, s);
            // A long stance is a period of standing with a step at either end.
            let length = (s.end_s - s.heel_s).min(0.9);
            let from_start = |share: f32| s.heel_s + share * length;
            let to_end = |share: f32| s.end_s - (1.0 - share) * length;
            knee.push((from_start(STANCE_AT[1]), land.stance_knee[1] * DEG));
            taut.push((from_start(STANCE_AT[1]), 3.0 * DEG));
            let stands = s.end_s - s.heel_s > 1.3;
            if stands {
                knee.push((from_start(STANCE_AT[2]), IN_PLACE.stance_knee[2] * DEG));
            }
            for (k, share) in STANCE_AT.iter().enumerate().skip(2) {
                knee.push((to_end(*share), leave.stance_knee[k] * DEG));
            }
            taut.push((to_end(STANCE_AT[2]), 0.7 * leave.stance_knee[2] * DEG));
            taut.push((to_end(STANCE_AT[3]), leave.stance_knee[3] * DEG));
            taut.push((s.end_s, leave.stance_knee[4] * DEG));
            heel.push((to_end(0.5), 0.0));
            heel.push((to_end(STANCE_AT[3]), leave.heel * DEG));
            heel.push((s.end_s, 2.0 * leave.heel * DEG));
            pitch.push((to_end(HEEL_ONLY_AT), 0.0));
            pitch.push((s.end_s, leave.leaving * DEG));
            tip.push((s.tip_s, 0.0));
            tip.push((s.end_s, leave.tip * DEG));
            let swing_s = next.heel_s - s.end_s;
            let middle = s.end_s + 0.5 * swing_s;
            let over = style_at(middle, next);
            let peak = over.swing_knee * DEG + VARY_KNEE_RAD * next.vary.lift;
            let landing = style_at(next.heel_s, next);
            knee.push((s.end_s + over.swing_at * swing_s, peak));
            knee.push((s.end_s + 0.96 * swing_s, (landing.stance_knee[0] * DEG).min(peak - 0.1)));
            tip.push((s.end_s + 0.3 * swing_s, 0.0));
            dorsiflexion.push(over.dorsiflexion * DEG);
        }
        Self {
            knee: Knots::new(knee),
            taut_knee: Knots::new(taut),
            pitch: Knots::new(pitch),
            heel: Knots::new(heel),
            tip: Knots::new(tip),
            dorsiflexion,
        }
    }
}
