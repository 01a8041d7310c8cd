//! Feet on uneven ground: slopes, stairs, rubble, platforms that move.
//!
//! The input is a pose that walks over level ground. Each foot is raised by the ground under it and pitched to its slope. The
//! pelvis follows the ground under the body. Where a leg is too short, its heel rises first, then the pelvis drops, and it rises
//! again with the next step, as people's does. The spine leans a little into the slope. Joint 0 does not move.

use super::lower_body::{LowerBody, PelvisConfig};
use super::two_bone_ik::BentLeg;
use crate::input::{GroundHook, GroundPoint};
use crate::math::spring::{Follower, Spring};
use crate::math::{Facing, Quat, Transform, atan2, tan};
use crate::pose::Pose;
use crate::rig::Sole;
use crate::settings;
use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

settings! {
    /// The `[matcher.ground]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GroundConfig {
        /// Whether feet and pelvis are fitted to the ground that the game gives. Without it, the ground only shapes the
        /// predicted path.
        enabled: bool = true, formerly "fit";
        /// Tags of clips that go up and down by themselves. There the body is put on the ground as a whole.
        own_ground_tags: Vec<String> = vec!["slope".to_owned(), "stairs".to_owned()];
        /// Half-life in which a foot gets over an edge. Lower values clip the edge less; higher values are smoother.
        foot_half_life_s: f32 = 0.03, in 1e-4 to 10.0, unit "s";
        /// Time by which a swinging foot looks ahead for edges. Higher values lift it sooner.
        ahead_s: f32 = 0.15, in 0.0 to 1.0, unit "s";
        /// Half-life of the slope under a foot. Lower values pitch the foot sooner; higher values are smoother.
        slope_half_life_s: f32 = 0.05, in 1e-4 to 10.0, unit "s";
        /// Steepest slope to which feet are pitched. Steeper ground counts as an edge.
        max_slope_deg: f32 = 35.0, in 0.0 to 80.0, unit "degrees";
        /// Half-life of the height of the body; that of the slope under it is twice as long. Lower values follow the ground
        /// sooner; higher values are smoother.
        body_half_life_s: f32 = 0.17, in 1e-4 to 10.0, unit "s";
        /// Distance before and behind the body at which the ground sets its height. Higher values smooth stairs more.
        body_reach_m: f32 = 0.42, in 1e-3 to 10.0, unit "m";
        /// Share of a stick's speed that a slope of 45 degrees takes; other slopes take it in proportion to their rise, and ground
        /// beyond `max_slope_deg` takes nothing. At least a fifth of the speed is kept. Higher values climb with shorter strides and
        /// more upright; 0 keeps the speed.
        slowing: f32 = 1.0, in 0.0 to 1.0;
        /// Share of a slope's angle by which the spine leans into it. Negative values lean away.
        lean: f32 = 0.3, in -2.0 to 2.0;
        /// Lowering of the pelvis where a leg with a raised heel would be too short for the ground. It rises again faster uphill.
        pelvis: PelvisConfig = PelvisConfig { down_half_life_s: 0.044, up_half_life_s: 0.6, max_m: 0.3 };
    }
}

/// State of a foot between updates; world space. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GroundedFoot {
    /// Height of the ground under the foot, metres.
    pub height: Follower,
    /// Rise of that ground along X, metres per metre.
    pub slope_x: Spring,
    /// Rise of that ground along Z, metres per metre.
    pub slope_z: Spring,
    /// Last position of the toe over level ground, metres.
    pub toe: Vec3,
    /// Last speed of the toe over the ground, m/s.
    pub speed_mps: f32,
    /// 1 after the first update.
    pub seen: f32,
}

/// State of the body between updates; world space. All zeros is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct GroundedBody {
    /// Height of the ground under the body, metres.
    pub height: Spring,
    /// Rise of that ground ahead of the body, metres per metre.
    pub slope: Spring,
    /// Last position of the root, metres.
    pub root: Vec3,
    /// Drop of the pelvis, metres.
    pub sunk: Spring,
    /// 1 after the first update.
    pub seen: f32,
}

/// Fits the legs and pelvis of a body to the ground.
#[derive(Clone, Copy)]
pub struct FitToGround<'a> {
    /// Settings.
    pub config: &'a GroundConfig,
    /// Soles, one per leg of the body.
    pub soles: &'a [Sole],
}

/// Input of one update: a pose that walks as if over level ground at the height of its root.
#[derive(Clone, Copy)]
pub struct GroundStep<'a> {
    /// Height query of the actual ground.
    pub ground: &'a GroundHook<'a>,
    /// `[contact joints]` 1 for each planted foot, else 0.
    pub touches: &'a [u8],
    /// Root of the pose.
    pub world_from_root: Transform,
    /// Time since the last update, seconds.
    pub dt_s: f32,
}

/// Speed above which a change of height counts as a step, m/s.
const STEEPEST_MPS: f32 = 2.5;
/// Share of a leg's stretch that the heel is raised for before the pelvis drops. It is more than 1, since the rise saturates.
const HEEL_SHARE: f32 = 2.0;
/// Increase of the rate at which the pelvis rises, per slope: on a slope of 1 upwards, it rises 9 times as fast as on level ground.
/// Uphill, a body rises with its leading foot; downhill, the next step lowers it again.
const RISES_SOONER: f32 = 8.0;
/// Least share of its speed that a stick keeps on steep ground. A character that cannot move forward would be stuck.
const LEAST_PACE: f32 = 0.2;
/// Number of samples of the ground under a body.
const BODY_SAMPLES: usize = 5;

impl GroundConfig {
    /// Returns the share of its speed, `LEAST_PACE` to 1, that a stick keeps on the ground at `at`, world space, metres. `way`:
    /// direction of the stick, of any length.
    pub fn pace(&self, ground: &GroundHook, at: Vec3, way: Vec3) -> f32 {
        if !self.enabled || self.slowing == 0.0 {
            return 1.0;
        }
        let Some(direction) = way.with_y(0.0).try_normalize() else { return 1.0 };
        let reach = direction * self.body_reach_m;
        let [ahead, behind] = [reach, -reach].map(|offset| GroundPoint::under(ground, at + offset).height_m);
        let slope = (ahead - behind).abs() / (2.0 * self.body_reach_m);
        if slope > self.steepest() { 1.0 } else { (1.0 - self.slowing * slope).max(LEAST_PACE) }
    }

    /// Returns the rise of the steepest slope, metres per metre.
    fn steepest(&self) -> f32 {
        tan(self.max_slope_deg.clamp(0.0, 80.0).to_radians())
    }
}

impl FitToGround<'_> {
    /// Updates the state by one step. `lower` belongs to the step's pose; `feet` is `[contact joints]`.
    pub fn update(&self, step: &GroundStep, lower: &LowerBody, feet: &mut [GroundedFoot], body: &mut GroundedBody) {
        for (k, (foot, leg)) in feet.iter_mut().zip(lower.legs()).enumerate() {
            let (Some(leg), Some(sole)) = (leg, self.soles.get(k)) else { continue };
            let touches = step.touches.get(k).is_some_and(|t| *t != 0);
            self.update_foot(step, touches, leg, *sole, foot);
        }
        self.update_body(step, body);
        let needed = self.sink_needed(lower, step.world_from_root, feet, body);
        let pelvis = self.config.pelvis;
        let up_half_life_s = pelvis.up_half_life_s / (1.0 + RISES_SOONER * body.slope.value.max(0.0));
        PelvisConfig { up_half_life_s, ..pelvis }.sink(&mut body.sunk, needed, step.dt_s);
    }

    fn update_foot(&self, step: &GroundStep, touches: bool, leg: &BentLeg, sole: Sole, foot: &mut GroundedFoot) {
        let GroundStep { ground, world_from_root: root, dt_s, .. } = *step;
        let (c, level_m) = (self.config, root.translation.y);
        let [toe, heel, tip] =
            [leg.toe.translation, leg.ankle.point(sole.heel), leg.toe.point(sole.tip)].map(|at| root.point(at));
        let (under_toe, under_heel) = (GroundPoint::under(ground, toe), GroundPoint::under(ground, heel));
        let known = foot.seen > 0.0 && dt_s > 1e-5;
        foot.height.shift(under_toe.velocity.y * dt_s);

        let [slope_x, slope_z] = self.slope(toe - heel, under_toe, under_heel).to_array();
        if known {
            foot.slope_x.to(slope_x, c.slope_half_life_s, dt_s);
            foot.slope_z.to(slope_z, c.slope_half_life_s, dt_s);
        } else if foot.seen == 0.0 {
            (foot.slope_x, foot.slope_z) = (Spring::at(slope_x), Spring::at(slope_z));
        }
        // Height of the toe of a pitched sole that touches the ground at a point.
        let on = |at: Vec3, height_m: f32| {
            height_m - (at.x - toe.x) * foot.slope_x.value - (at.z - toe.z) * foot.slope_z.value
        };
        // A sole rests on the highest ground that it touches. A lifted end touches no ground; an end below the ground is
        // raised out of it.
        let rests = |at: Vec3, height_m: f32| on(at, height_m) - (at.y - level_m);
        let ends = rests(heel, under_heel.height_m).max(rests(tip, GroundPoint::under(ground, tip).height_m));
        let mut goal = under_toe.height_m.max(ends);
        if !touches && known {
            // Looks ahead for edges, but not beyond the point where a foot that slows down comes to rest.
            let v = (toe - foot.toe) / dt_s - under_toe.velocity;
            let speed = (v.x * v.x + v.z * v.z).sqrt();
            let slowing = (foot.speed_mps - speed) / dt_s;
            let ahead_s = if slowing > 0.0 { c.ahead_s.min(0.5 * speed / slowing) } else { c.ahead_s };
            foot.speed_mps = speed;
            let way = Vec3::new(v.x, 0.0, v.z) * ahead_s;
            let leading = if way.dot(toe - heel) >= 0.0 { tip } else { heel };
            for part in [1.0 / 3.0, 2.0 / 3.0, 1.0] {
                let at = leading + way * part;
                goal = goal.max(on(at, GroundPoint::under(ground, at).height_m));
            }
        }
        if foot.seen == 0.0 {
            foot.height = Follower::at(goal);
        } else {
            foot.height.follow(goal, STEEPEST_MPS, c.foot_half_life_s, dt_s);
        }
        // Keeps the foot above the ground if the spring lags behind.
        let lifted = (toe.y - level_m - sole.toe_height_m).max(0.0);
        let lowest = (under_toe.height_m - lifted).max(ends);
        if foot.height.spring.value < lowest {
            foot.height.spring.value = lowest;
            foot.height.spring.velocity = foot.height.spring.velocity.max(0.0);
        }
        (foot.toe, foot.seen) = (toe, 1.0);
    }

    /// Returns the slope under a foot, metres per metre along X and Z: from heel to toe measured between both points, across as
    /// under the toe. At an edge it is the slope under the toe.
    fn slope(&self, sole: Vec3, under_toe: GroundPoint, under_heel: GroundPoint) -> Vec2 {
        let steepest = self.config.steepest();
        let n = under_toe.normal;
        let normal = Vec2::new(-n.x, -n.z) / n.y.max(0.1);
        let along = Vec2::new(sole.x, sole.z);
        let length = along.length();
        let rise = (under_toe.height_m - under_heel.height_m) / length.max(0.05);
        let slope = if length < 0.05 || rise.abs() > steepest {
            normal
        } else {
            let ahead = along / length;
            normal + ahead * (rise - normal.dot(ahead))
        };
        slope.clamp_length_max(steepest)
    }

    fn update_body(&self, step: &GroundStep, body: &mut GroundedBody) {
        let (c, GroundStep { ground, world_from_root: root, dt_s, .. }) = (self.config, *step);
        let facing = Facing::from_rotation(root.rotation).direction();
        // Height and slope of a line fitted to the ground under the body.
        let (mut height, mut rise, mut squares, mut carried) = (0.0, 0.0, 0.0, Vec3::ZERO);
        for k in 0..BODY_SAMPLES {
            let part = 2.0 * k as f32 / (BODY_SAMPLES - 1) as f32 - 1.0;
            let here = GroundPoint::under(ground, root.translation + facing * (part * c.body_reach_m));
            height += here.height_m / BODY_SAMPLES as f32;
            rise += here.height_m * part;
            squares += part * part;
            carried += here.velocity / BODY_SAMPLES as f32;
        }
        let slope = rise / (squares * c.body_reach_m.max(1e-3));
        if body.seen == 0.0 {
            *body = GroundedBody { height: Spring::at(height), slope: Spring::at(slope), seen: 1.0, ..*body };
        } else if dt_s > 0.0 {
            // Over moving ground, the body rises with its speed relative to the ground.
            let rising = body.slope.value * ((root.translation - body.root) / dt_s - carried).dot(facing);
            body.height.value += carried.y * dt_s;
            body.height.follow_moving(height, rising, c.body_half_life_s, dt_s);
            body.slope.to(slope, 2.0 * c.body_half_life_s, dt_s);
        }
        body.root = root.translation;
    }

    /// Returns the drop of the pelvis at which all feet, with raised heels, reach their targets.
    fn sink_needed(&self, lower: &LowerBody, root: Transform, feet: &[GroundedFoot], body: &GroundedBody) -> f32 {
        feet.iter().zip(lower.legs()).fold(0.0, |most: f32, (foot, leg)| {
            let Some(mut leg) = leg.filter(|_| foot.seen > 0.0) else { return most };
            let toe = leg.toe.translation;
            leg.turn_foot(foot.pitch(root));
            let up = foot.height.spring.value - body.height.value;
            most.max(leg.sink_needed_on_toes(toe + Vec3::Y * up, HEEL_SHARE, lower.reach))
        })
    }

    /// Bends a pose: pelvis and spine at once; `lower` writes the legs.
    pub fn apply(&self, feet: &[GroundedFoot], body: &GroundedBody, lower: &mut LowerBody, pose: &mut Pose) {
        if body.seen == 0.0 {
            return;
        }
        let root = pose.world_from_root();
        let level_m = root.translation.y;
        let up = body.height.value - body.sunk.value - level_m;
        lower.shift_hips(Vec3::Y * up, pose);
        let lean = atan2(body.slope.value, 1.0) * self.config.lean / lower.body.spine.len().max(1) as f32;
        lower.rotate_spine(pose, Quat::from_rotation_x(lean));
        let reach = lower.reach;
        for (foot, leg) in feet.iter().zip(lower.legs_mut()) {
            let Some(leg) = leg.as_mut().filter(|_| foot.seen > 0.0) else { continue };
            let toe = leg.toe.translation + Vec3::Y * (foot.height.spring.value - level_m - up);
            leg.turn_foot(foot.pitch(root));
            leg.stand(toe, HEEL_SHARE, reach);
        }
    }
}

impl GroundedFoot {
    /// Returns the state after the character was moved by `by`, a rotation about +Y and a translation.
    pub fn moved(&self, by: Transform) -> Self {
        let (mut foot, up) = (*self, by.translation.y);
        foot.height.shift(up);
        let turned = |x: f32, z: f32| by.direction(Vec3::new(x, 0.0, z));
        let (slope, rate) =
            (turned(self.slope_x.value, self.slope_z.value), turned(self.slope_x.velocity, self.slope_z.velocity));
        foot.slope_x = Spring { value: slope.x, velocity: rate.x };
        foot.slope_z = Spring { value: slope.z, velocity: rate.z };
        foot.toe = by.point(self.toe);
        foot
    }

    /// Returns the rotation from level to the slope, in root space.
    fn pitch(&self, root: Transform) -> Quat {
        let normal = Vec3::new(-self.slope_x.value, 1.0, -self.slope_z.value);
        Quat::from_rotation_arc(Vec3::Y, root.inverse_direction(normal.normalize()))
    }
}

impl GroundedBody {
    /// Returns the state after the character was moved by `by`, a rotation about +Y and a translation.
    pub fn moved(&self, by: Transform) -> Self {
        let height = Spring { value: self.height.value + by.translation.y, ..self.height };
        Self { height, root: by.point(self.root), ..*self }
    }
}
