//! Pelvis: its height follows the length of the stance leg; it sways over the loaded foot and rotates with the steps.

use crate::body::{ANKLE_M, HALF_HIPS_M, HIP_HEIGHT_M, HIPS_ABOVE_HIP_M, SHANK_M, Side, THIGH_M};
use crate::feet::ankle_in_contact;
use crate::footsteps::{FootPlan, Stance};
use crate::laws::run_weight;
use crate::path::PathPoint;
use crate::recipe::Standing;
use crate::shapes::{hann, ramp, smooth_below};
use crate::stride::{LegPlan, leg_length_m};
use footwork::advanced::math::{lerp, sin};
use footwork::math::Quat;
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Motion of pelvis and trunk, one value per sample.
pub(crate) struct Trunk {
    /// Position of the pelvis (the `Hips` joint) in root space, in metres.
    pub position: Vec<Vec3>,
    /// Rotation of the pelvis in root space.
    pub rotation: Vec<Quat>,
    /// Lean of the trunk in root space: rotation vector, radians.
    pub lean: Vec<Vec3>,
    /// Distance of the left toe ahead of the right one along the pelvis, in metres, smoothed; drives the arms.
    pub stride: Vec<f32>,
    /// Support: 1 on the left foot, -1 on the right, smoothed.
    pub support: Vec<f32>,
    /// 1 when idle, 0 otherwise.
    pub idle: Vec<f32>,
    /// 1 when running, 0 when walking; arms and trunk change more slowly than the feet.
    pub run: Vec<f32>,
    /// 1 at a walk or faster, 0 when standing.
    pub moving: Vec<f32>,
    /// Variation of the arm swing from step to step, with a standard deviation of about 1.
    pub arms: Vec<f32>,
    /// Samples by which forearms lag behind upper arms.
    pub lag: usize,
}

/// Inputs of the motion of the trunk.
pub(crate) struct Body<'a> {
    pub path: &'a [PathPoint],
    /// `[samples]` seconds.
    pub times: &'a [f32],
    pub rate_hz: f32,
    pub plan: &'a FootPlan,
    /// The legs of the same motion without a crouch, for the height of an upright body.
    pub upright_legs: &'a [LegPlan; 2],
    pub standing: Standing,
    /// First side of idle swaying: +1 for left.
    pub sway_sign: f32,
    /// Addition to the variation of the arm swing, in its standard deviations.
    pub arms: f32,
}

/// Minimum knee flexion, in radians. With less flexion, the knee would have to rotate faster than a human knee can.
const LEAST_FLEXION_RAD: f32 = 0.105;
/// Maximum rise of the heel that extends the reach of a leg, in radians: until mid-stance, at the contact of the other foot, and
/// at toe-off.
const HEEL_REACH_RAD: [f32; 3] = [0.12, 0.45, 1.0];

/// Lowering of the hips of a crouched body, as a share of the length of the leg. Thighs are then at about 65 degrees to the
/// vertical; if they were lower, the legs could not swing in a walk.
const CROUCHED_DROP: f32 = 0.37;
/// Distance of the hips of a crouched body behind those of an upright one, standing and walking, in metres. It keeps the lean of
/// the shanks within the range of loaded ankles.
const CROUCHED_BACK_M: [f32; 2] = [0.10, 0.07];
/// Tilt of a crouched pelvis, and lean of the trunk, which moves the weight back over the feet, in radians.
const CROUCHED_TILT_RAD: f32 = 0.30;
const CROUCHED_LEAN_RAD: f32 = 0.56;
/// Rise of crouched hips over the supporting foot, in metres: little, as bent knees give way.
const CROUCHED_RISE_M: f32 = 0.018;

/// Returns the position of a hip joint for a pelvis at `position` with `rotation`.
pub(crate) fn hip(position: Vec3, rotation: Quat, side: Side) -> Vec3 {
    position + rotation * Vec3::new(side.sign() * HALF_HIPS_M, -HIPS_ABOVE_HIP_M, 0.0)
}

/// Advances `hint` to the last stance that has begun; times must increase between calls.
fn advance(stances: &[Stance], t: f32, hint: &mut usize) {
    while *hint + 1 < stances.len() && stances[*hint + 1].heel_s <= t {
        *hint += 1;
    }
}

/// Returns the stance of a foot at a time, if any; times must increase between calls.
fn stance_at<'a>(stances: &'a [Stance], t: f32, hint: &mut usize) -> Option<&'a Stance> {
    advance(stances, t, hint);
    let s = &stances[*hint];
    (s.heel_s <= t && t <= s.end_s).then_some(s)
}

/// Returns the share of the body weight on a foot, 0 to 1. The load shifts in double support, within the first `share` of that
/// time.
fn load(s: &Stance, other: &[Stance], t: f32, share: f32) -> f32 {
    let overlap = |from: f32, to: f32, most: f32| (to - from).clamp(0.05, most);
    // The other foot's stance when this foot lands, and when it leaves.
    let at = |t: f32| other.partition_point(|o| o.heel_s <= t).saturating_sub(1);
    let up = overlap(s.heel_s, other[at(s.heel_s)].end_s, 0.3);
    let down = overlap(other[at(s.end_s)].heel_s, s.end_s, 0.35);
    let left = s.end_s - down;
    ramp(t, s.heel_s, s.heel_s + share * up) * (1.0 - ramp(t, left, left + share * down))
}

impl Body<'_> {
    fn series(&self, seconds: f32, f: impl Fn(usize) -> f32) -> Vec<f32> {
        hann(&(0..self.times.len()).map(f).collect::<Vec<_>>(), self.half(seconds))
    }

    /// Returns half of a smoothing window in samples.
    fn half(&self, seconds: f32) -> usize {
        (seconds * self.rate_hz + 0.5) as usize
    }

    /// Returns the `[samples][left, right]` share of the weight on each foot.
    fn loads(&self, share: f32) -> Vec<[f32; 2]> {
        let mut hints = [0, 0];
        self.times
            .iter()
            .map(|t| {
                Side::BOTH.map(|side| {
                    let (own, other) = (&self.plan.stances[side.at()], &self.plan.stances[side.other().at()]);
                    stance_at(own, *t, &mut hints[side.at()]).map_or(0.0, |s| load(s, other, *t, share))
                })
            })
            .collect()
    }

    /// Returns the toes on the ground or in swing: world, without height.
    fn toe(&self, side: Side, t: f32, hint: &mut usize) -> (Vec3, f32) {
        let stances = &self.plan.stances[side.at()];
        advance(stances, t, hint);
        let s = &stances[*hint];
        match stances.get(*hint + 1) {
            Some(next) if t > s.end_s => {
                let u = crate::shapes::glide((t - s.end_s) / (next.heel_s - s.end_s), 0.0);
                (s.toe + (next.toe - s.toe) * u, next.vary.arms)
            }
            _ => (s.toe, s.vary.arms),
        }
    }

    /// Returns the motion of the trunk.
    pub(crate) fn trunk(&self) -> Trunk {
        let (n, path) = (self.times.len(), self.path);
        let loads = self.loads(1.0);
        let mut hints = [0, 0];
        let mut strides = Vec::with_capacity(n);
        let mut arms = Vec::with_capacity(n);
        for i in 0..n {
            let [(l, a), (r, b)] = Side::BOTH.map(|s| self.toe(s, self.times[i], &mut hints[s.at()]));
            strides.push((Quat::from_rotation_y(-path[i].yaw - path[i].twist) * (l - r)).z);
            // The value of the supporting foot; in flight, of both.
            let [on_left, on_right] = loads[i].map(|l| l + 1e-3);
            arms.push((a * on_left + b * on_right) / (on_left + on_right) + self.arms);
        }
        let leans: Vec<Vec3> =
            path.iter().map(|p| lean_angle(Quat::from_rotation_y(-p.yaw) * p.acceleration)).collect();
        let (lean_x, lean_z) = (self.series(0.12, |i| leans[i].x), self.series(0.12, |i| leans[i].z));
        let mut t = Trunk {
            position: Vec::with_capacity(n),
            rotation: Vec::with_capacity(n),
            lean: Vec::with_capacity(n),
            stride: self.series(0.09, |i| strides[i]),
            support: self.series(0.06, |i| loads[i][0] - loads[i][1]),
            idle: match self.standing {
                Standing::Still => vec![0.0; n],
                _ => self.series(0.4, |i| 1.0 - ramp(path[i].activity, 0.05, 0.4)),
            },
            run: self.series(0.3, |i| run_weight(path[i].speed)),
            moving: self.series(0.2, |i| ramp(path[i].speed, 0.1, 1.2)),
            arms: self.series(0.2, |i| arms[i]),
            lag: self.half(0.06),
        };
        for (i, p) in path.iter().enumerate() {
            let (run, moving) = (t.run[i], t.moving[i]);
            let v = Quat::from_rotation_y(-p.yaw) * p.velocity;
            // Towards the acceleration, and slightly forward in a run.
            let ahead = 0.02 * moving + 0.08 * run + p.climb * lerp(0.12, 0.35, ramp(p.climb, -0.05, 0.05));
            let lean = Vec3::new(lean_x[i], 0.0, lean_z[i]) + v * (ahead / p.speed.max(1.0));
            let lean = Vec3::new(lean.z, 0.0, -lean.x);
            // Forward on the side of the forward leg, down on the side of the swinging one: amplitudes of 2.5 to 4.6 and 4.3 to
            // 4.7 degrees (`normal.gcd`, NCH-Motion-Laboratory/gaitutils).
            let turn = -lerp(0.10, 0.07, run) * t.stride[i].clamp(-1.2, 1.2) * moving;
            let list = lerp(0.072, 0.06, run) * t.support[i] * moving;
            let shift = self.shift(self.times[i]) * t.idle[i];
            let rotation = Quat::from_rotation_y(p.twist + turn - 0.6 * shift)
                * Quat::from_rotation_vector(lean * 0.1 + Vec3::X * (CROUCHED_TILT_RAD * p.crouch))
                * Quat::from_rotation_z(list + 1.1 * shift);
            // Wide at low speed: a body that is about to stand on one foot must move over it.
            let sway = lerp(lerp(0.042, 0.021, moving), 0.010, run) * t.support[i];
            let breath = t.idle[i] * 0.006 * self.sway_sign * sin(TAU * self.times[i] * 0.2);
            let behind = lerp(CROUCHED_BACK_M[0], CROUCHED_BACK_M[1], moving) * p.crouch;
            let along = Quat::from_rotation_y(p.twist) * Vec3::new(sway + breath + shift, 0.0, -behind);
            // The upper body leans about the hips; its weight stays over the feet when the hips move back.
            let back = Vec3::new(-lean.z, 0.0, lean.x) * 0.06;
            t.position.push(along + back + Vec3::Y * HIPS_ABOVE_HIP_M);
            t.rotation.push(rotation);
            t.lean.push(lean + Vec3::X * (CROUCHED_LEAN_RAD * p.crouch));
        }
        let height = self.heights(&t, &self.loads(0.6));
        t.position.iter_mut().zip(height).for_each(|(p, h)| p.y = h);
        t
    }

    /// Returns the sideways shift of the pelvis while the weight moves between the legs, in metres to the left.
    fn shift(&self, time_s: f32) -> f32 {
        match self.standing {
            Standing::Even | Standing::Still => 0.0,
            Standing::Shifting { period_s } => {
                let u = time_s / period_s;
                let u = u - u.floor();
                // Over the left leg, the middle, the right leg, the middle.
                let over =
                    ramp(u, 0.05, 0.2) * (1.0 - ramp(u, 0.42, 0.55)) - ramp(u, 0.55, 0.7) * (1.0 - ramp(u, 0.88, 1.0));
                0.045 * self.sway_sign * over
            }
        }
    }

    /// Returns the height of the `Hips` joint above the root, in metres.
    fn heights(&self, t: &Trunk, loads: &[[f32; 2]]) -> Vec<f32> {
        let n = self.times.len();
        let mut hints = [0, 0];
        let mut wanted = Vec::with_capacity(n);
        let mut most = Vec::with_capacity(n);
        for i in 0..n {
            let time = self.times[i];
            let (mut sum, mut weight, mut limit) = (0.0, 0.0, f32::MAX);
            for side in Side::BOTH {
                let stances = &self.plan.stances[side.at()];
                let Some(s) = stance_at(stances, time, &mut hints[side.at()]) else { continue };
                let plan = &self.upright_legs[side.at()];
                let pitch = plan.pitch.at(time);
                let carried = pitch + plan.heel.at(time);
                let tip = plan.tip.at(time);
                let over = self.height_over(t, i, side, ankle_in_contact(s, tip, carried), plan.knee.at(time));
                sum += loads[i][side.at()] * over;
                weight += loads[i][side.at()];
                // A foot on its heel cannot rise over the ball.
                let ahead = self.path[i].along.max(0.0);
                let heel = if pitch < 0.0 { pitch } else { heel_reach(s, time) * lerp(0.4, 1.0, ahead) };
                limit = limit.min(self.height_over(t, i, side, ankle_in_contact(s, tip, heel), LEAST_FLEXION_RAD));
            }
            wanted.push(if weight > 1e-3 { sum / weight } else { f32::NAN });
            most.push(limit);
        }
        bridge(&mut wanted, HIP_HEIGHT_M + HIPS_ABOVE_HIP_M - 0.02);
        let walk = hann(&wanted, self.half(0.07));
        let flying = self.flying_heights(t);
        let height: Vec<f32> =
            (0..n).map(|i| lerp(walk[i], flying[i], run_weight(self.path[i].speed)).min(most[i]).max(0.5)).collect();
        let mut height = smooth_below(&height, self.half(0.045));
        for (i, height) in height.iter_mut().enumerate() {
            let p = &self.path[i];
            if p.crouch > 0.0 {
                let low = ANKLE_M + (1.0 - CROUCHED_DROP) * (THIGH_M + SHANK_M) + HIPS_ABOVE_HIP_M;
                let rise = CROUCHED_RISE_M * t.moving[i] * (t.support[i] * t.support[i] - 0.5);
                let breath = 0.003 * t.idle[i] * sin(TAU * self.times[i] * 0.3);
                *height = lerp(*height, low + rise + breath, p.crouch);
            }
        }
        height
    }

    /// Returns the height of the `Hips` joint over the root for a leg with its ankle at `ankle` (world) and its knee flexed by
    /// `knee`.
    fn height_over(&self, t: &Trunk, i: usize, side: Side, ankle: Vec3, knee: f32) -> f32 {
        let p = &self.path[i];
        let ankle = Quat::from_rotation_y(-p.yaw) * (ankle - p.position);
        let level = Vec3::new(t.position[i].x, 0.0, t.position[i].z);
        let h = hip(level, t.rotation[i], side);
        let (dx, dz) = (h.x - ankle.x, h.z - ankle.z);
        let length = leg_length_m(knee);
        ankle.y + (length * length - dx * dx - dz * dz).max(0.2).sqrt() - h.y
    }

    /// Returns the heights in a run: a spring in each stance, a ballistic arc between stances.
    fn flying_heights(&self, t: &Trunk) -> Vec<f32> {
        const GRAVITY: f32 = 9.81;
        let n = self.times.len();
        let mut out = vec![f32::NAN; n];
        let mut steps: Vec<(Side, &Stance)> =
            Side::BOTH.iter().flat_map(|s| self.plan.stances[s.at()].iter().map(|x| (*s, x))).collect();
        steps.sort_by(|a, b| a.1.heel_s.total_cmp(&b.1.heel_s));
        // (touch, leave, height of the hips at either)
        let mut springs: Vec<(f32, f32, f32)> = Vec::new();
        for k in 0..steps.len() {
            let (side, s) = steps[k];
            let end = s.end_s.min(s.heel_s + 0.8);
            let gap = |a: Option<f32>, b: Option<f32>| a.zip(b).map_or(0.0, |(a, b)| (b - a).clamp(0.0, 0.3));
            let before = gap(k.checked_sub(1).map(|k| steps[k].1.end_s), Some(s.heel_s));
            let after = gap(Some(s.end_s), steps.get(k + 1).map(|x| x.1.heel_s));
            // Upward speed that gravity stops within half of a flight; the spring absorbs it over the stance.
            let speed = GRAVITY * 0.25 * (before + after);
            let depth = 0.9 * speed * (end - s.heel_s) / PI;
            let middle = s.heel_s + 0.45 * (end - s.heel_s);
            let i = (((middle - self.times[0]) * self.rate_hz + 0.5).max(0.0) as usize).min(n - 1);
            let flat = ankle_in_contact(s, 0.0, 0.0);
            let low = self.height_over(t, i, side, flat, self.upright_legs[side.at()].knee.at(middle));
            let (a, b) = (s.heel_s, end);
            for (out, time) in out.iter_mut().zip(self.times).skip(self.index(a)).take_while(|x| *x.1 <= b) {
                *out = low + depth * (1.0 - sin(PI * ((time - a) / (b - a)).clamp(0.0, 1.0)));
            }
            springs.push((a, b, low + depth));
        }
        for pair in springs.windows(2) {
            let ((_, leave, from), (touch, _, to)) = (pair[0], pair[1]);
            for i in self.index(leave)..self.index(touch).min(n) {
                let (since, left) = (self.times[i] - leave, touch - self.times[i]);
                if since > 0.0 && left > 0.0 {
                    let u = since / (since + left);
                    out[i] = lerp(from, to, u) + 0.5 * GRAVITY * since * left;
                }
            }
        }
        bridge(&mut out, HIP_HEIGHT_M);
        hann(&out, self.half(0.03))
    }

    /// Returns the first sample at or after a time.
    fn index(&self, time_s: f32) -> usize {
        self.times.partition_point(|t| *t < time_s)
    }
}

/// Returns the maximum rise of the heel at a time of a stance in forward motion, in radians. Sideways, the range of the ankle is
/// smaller.
fn heel_reach(s: &Stance, t: f32) -> f32 {
    let length = (s.end_s - s.heel_s).min(0.9);
    let left = (s.end_s - t) / length;
    let r = &HEEL_REACH_RAD;
    match 1.0 - left {
        u if u < 0.5 => r[0],
        u if u < 0.8 => lerp(r[0], r[1], (u - 0.5) / 0.3),
        u => lerp(r[1], r[2], ((u - 0.8) / 0.2).min(1.0)),
    }
}

/// Fills gaps (NaN) by linear interpolation; fills everything with `otherwise` if there is no value.
fn bridge(values: &mut [f32], otherwise: f32) {
    let mut last: Option<usize> = None;
    for i in 0..values.len() {
        if values[i].is_nan() {
            continue;
        }
        match last {
            Some(k) => {
                for j in k + 1..i {
                    values[j] = lerp(values[k], values[i], (j - k) as f32 / (i - k) as f32);
                }
            }
            None => {
                let v = values[i];
                values[..i].fill(v);
            }
        }
        last = Some(i);
    }
    match last {
        Some(k) => {
            let v = values[k];
            values[k..].fill(v);
        }
        None => values.fill(otherwise),
    }
}

/// Returns the lean towards an acceleration (root space, m/s^2): a share of the angle at which it balances gravity.
fn lean_angle(acceleration: Vec3) -> Vec3 {
    let a = Vec3::new(acceleration.x, 0.0, acceleration.z) * (0.5 / 9.81);
    // Limited smoothly to about 17 degrees, since a game's spring brakes harder than a human body.
    a * (1.0 / (1.0 + a.length_squared() / 0.09).sqrt())
}
