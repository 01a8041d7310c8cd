//! The pelvis: as high as the legs allow and the gait wants, swaying over the loaded foot, turning with the steps.

use crate::body::{HALF_HIPS_M, HIP_HEIGHT_M, HIPS_ABOVE_HIP_M, Side};
use crate::feet::FootState;
use crate::laws::run_weight;
use crate::legs::hip_limit;
use crate::path::PathPoint;
use crate::shapes::{hann, ramp, smooth_below};
use footwork::math::{Quat, lerp, sin};
use glam::Vec3;
use std::f32::consts::TAU;

/// Body motion beside the legs, one value per frame.
pub(crate) struct Trunk {
    /// Pelvis in root space: the `Hips` joint, metres.
    pub position: Vec<Vec3>,
    /// Pelvis in root space.
    pub rotation: Vec<Quat>,
    /// Lean of the trunk in root space: rotation vector, radians.
    pub lean: Vec<Vec3>,
    /// Left toe ahead of right along the pelvis, metres, smoothed: arms answer to it.
    pub stride: Vec<f32>,
    /// 1 on the left foot, -1 on the right, smoothed.
    pub support: Vec<f32>,
    /// 1 when standing idle.
    pub idle: Vec<f32>,
    /// 1 when running, 0 when walking; slower than the feet's own change: arms and trunk take time.
    pub run: Vec<f32>,
    /// 1 at a walk or faster, 0 when standing.
    pub moving: Vec<f32>,
}

/// Half of a smoothing window in frames.
fn half(seconds: f32, rate_hz: f32) -> usize {
    (seconds * rate_hz + 0.5) as usize
}

/// Horizontal place of a hip joint in root space for a pelvis at `position` turned by `rotation`.
pub(crate) fn hip(position: Vec3, rotation: Quat, side: Side) -> Vec3 {
    position + rotation * Vec3::new(side.sign() * HALF_HIPS_M, -HIPS_ABOVE_HIP_M, 0.0)
}

/// Moves the pelvis. `feet` are in root space; `times` in seconds; `sway_sign` is where idle swaying
/// begins, +1 for left.
pub(crate) fn trunk(path: &[PathPoint], feet: &[[FootState; 2]], times: &[f32], rate_hz: f32, sway_sign: f32) -> Trunk {
    let n = path.len();
    let series =
        |f: &dyn Fn(usize) -> f32, seconds: f32| hann(&(0..n).map(f).collect::<Vec<_>>(), half(seconds, rate_hz));
    let loaded = |i: usize, side: Side| f32::from(u8::from(feet[i][side.at()].loaded));
    let support = series(&|i| loaded(i, Side::Left) - loaded(i, Side::Right), 0.16);
    let flight = series(&|i| 1.0 - loaded(i, Side::Left).max(loaded(i, Side::Right)), 0.1);
    let double = series(&|i| loaded(i, Side::Left) * loaded(i, Side::Right), 0.1);
    let stride = series(
        &|i| {
            let d = feet[i][0].toe - feet[i][1].toe;
            (Quat::from_rotation_y(-path[i].twist) * d).z
        },
        0.09,
    );
    let local = |i: usize| Quat::from_rotation_y(-path[i].yaw) * path[i].acceleration;
    let lean_x = series(&|i| lean_angle(local(i)).x, 0.12);
    let lean_z = series(&|i| lean_angle(local(i)).z, 0.12);
    let run = series(&|i| run_weight(path[i].speed), 0.3);
    let moving = series(&|i| ramp(path[i].speed, 0.1, 1.2), 0.2);
    let idle = series(&|i| 1.0 - ramp(path[i].activity, 0.05, 0.4), 0.4);

    let mut t = Trunk {
        position: Vec::with_capacity(n),
        rotation: Vec::with_capacity(n),
        lean: Vec::with_capacity(n),
        stride,
        support,
        idle,
        run,
        moving,
    };
    let mut wanted = Vec::with_capacity(n);
    for i in 0..n {
        let p = &path[i];
        let (run, moving) = (t.run[i], t.moving[i]);
        let v = Quat::from_rotation_y(-p.yaw) * p.velocity;
        // Into the acceleration, and a little ahead in a run.
        let ahead = 0.02 * moving + 0.08 * run;
        let lean = Vec3::new(lean_x[i], 0.0, lean_z[i]) + v * (ahead / p.speed.max(1.0));
        let lean = Vec3::new(lean.z, 0.0, -lean.x);
        // Forward with the forward leg (Murray: about 5 degrees each way), down on the side of the swinging one.
        let turn = -lerp(0.13, 0.08, run) * t.stride[i].clamp(-1.2, 1.2) * moving;
        let list = lerp(0.06, 0.05, run) * t.support[i] * moving;
        let rotation = Quat::from_rotation_y(p.twist + turn)
            * Quat::from_rotation_vector(lean * 0.4)
            * Quat::from_rotation_z(list);
        let sway = lerp(0.028, 0.012, run) * t.support[i];
        let breath = t.idle[i] * 0.006 * sway_sign * sin(TAU * times[i] * 0.2);
        let along = Quat::from_rotation_y(p.twist) * Vec3::new(sway + breath, 0.0, 0.0);
        // The upper body leans about the hips; its weight stays over the feet when the hips give way.
        let shift = Vec3::new(-lean.z, 0.0, lean.x) * 0.06;
        let horizontal = along + shift;
        // Knees give a little in standing, more in walking and most in running, where the body sinks over the foot.
        let rise = 0.055 * flight[i] * run - 0.012 * double[i] * moving * (1.0 - run);
        let height = HIP_HEIGHT_M - 0.011 - 0.02 * moving - 0.047 * run + rise;
        let mut limit = height;
        let level = horizontal + Vec3::Y * HIPS_ABOVE_HIP_M;
        for side in Side::BOTH {
            // `below` is how much lower than the pelvis's middle this hip hangs.
            let h = hip(level, rotation, side);
            limit = limit.min(hip_limit(h, &feet[i][side.at()]) - h.y);
        }
        wanted.push(limit.max(0.62));
        t.position.push(horizontal + Vec3::Y * HIPS_ABOVE_HIP_M);
        t.rotation.push(rotation);
        t.lean.push(lean);
    }
    let height = smooth_below(&wanted, half(0.075, rate_hz));
    t.position.iter_mut().zip(height).for_each(|(p, h)| p.y += h);
    t
}

/// Lean towards an acceleration (root space, m/s^2): a share of the angle at which gravity and acceleration balance.
fn lean_angle(acceleration: Vec3) -> Vec3 {
    let a = Vec3::new(acceleration.x, 0.0, acceleration.z) * (0.5 / 9.81);
    // Saturates smoothly at about 17 degrees: a game's spring brakes harder than a body could.
    a * (1.0 / (1.0 + a.length_squared() / 0.09).sqrt())
}
