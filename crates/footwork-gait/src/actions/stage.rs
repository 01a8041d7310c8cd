//! Motion of a script: the body at each sample of an action.

use super::base::{SAMPLE_HZ, State};
use super::curve::{Curve, Key, at_rate};
use super::script::{Exit, Hold, Knob, Script};
use super::steps::Foot;
use crate::body::{Side, joint, offset};
use crate::feet::FootState;
use crate::gestures::{Reach, pointing};
use crate::leg::Track;
use crate::leg_pose::{knee_yaw, solve};
use crate::pelvis::hip;
use crate::shapes::{Knots, minimum_jerk, strike};
use footwork::advanced::math::wrap_angle;
use footwork::math::{Quat, Transform};
use glam::Vec3;

/// Samples of the hips beyond either end, for differences.
const MARGIN: i32 = 4;
/// Share of the head's rotation that the neck takes.
const NECK: f32 = 0.45;

/// A pose in the space of the script.
pub(super) struct Posed {
    pub root: Transform,
    /// Hips, relative to the root.
    pub hips: Vec3,
    pub local: [Quat; joint::COUNT],
    pub feet: [FootState; 2],
}

/// A script evaluated over time.
pub(super) struct Stage<'a> {
    script: &'a Script,
    /// Number of samples of the action.
    pub samples: i32,
    /// Transforms of the locomotion before and after to the space of the script, each with the yaw of its rotation.
    before: (Transform, f32),
    after: (Transform, f32),
    pelvis: [Curve; 3],
    turns: [[Knots; 3]; 2],
    gaze: Knots,
    arms: [[Knots; 3]; 2],
    ground: Knots,
    tracks: [Track; 2],
}

fn knots(knob: &Knob) -> Knots {
    Knots::new(knob.iter().copied())
}

/// Returns the transform that moves `root` to `to` and rotates it to face +Z, and its yaw.
fn onto(root: &State, to: Vec3) -> (Transform, f32) {
    let turn = Quat::from_rotation_y(-root.yaw);
    (Transform::new(to - turn * root.root.translation, turn), -root.yaw)
}

impl<'a> Stage<'a> {
    pub(super) fn new(script: &'a Script) -> Self {
        let samples = (script.seconds * SAMPLE_HZ + 0.5) as i32;
        let before = onto(&script.approach.base.state(script.approach.cut), Vec3::ZERO);
        let after = match &script.exit {
            Exit::Join { base, join, root } => onto(&base.state(*join), *root),
            Exit::Continue | Exit::Hold => before,
        };
        let none = || Curve::new(&[at_rate(0.0, 0.0, 0.0)]);
        let mut stage = Self {
            script,
            samples,
            before,
            after,
            pelvis: [none(), none(), none()],
            turns: [&script.pelvis_turn, &script.chest_turn].map(|t| [0, 1, 2].map(|k| knots(&t[k]))),
            gaze: knots(&script.gaze),
            arms: [0, 1].map(|s| {
                let a = &script.arms[s];
                [knots(&a.forward), knots(&a.outward), knots(&a.elbow)]
            }),
            ground: knots(&script.ground),
            tracks: [(); 2].map(|()| Track { start_s: 0.0, rate_hz: SAMPLE_HZ, hip: Vec::new(), yaw: Vec::new() }),
        };
        stage.pelvis = [0, 1, 2].map(|k| stage.pelvis_curve(k));
        stage.tracks = Side::BOTH.map(|side| {
            let range = -MARGIN..=samples + MARGIN;
            let hip = range.clone().map(|i| hip(stage.pelvis_at(i), stage.pelvis_rotation(i), side)).collect();
            let yaw = range.map(|_| 0.0).collect();
            Track { start_s: -MARGIN as f32 / SAMPLE_HZ, rate_hz: SAMPLE_HZ, hip, yaw }
        });
        stage
    }

    /// Returns the locomotion before at a sample of the action.
    pub(super) fn base_before(&self, i: i32) -> State {
        let approach = &self.script.approach;
        let sample = (approach.cut as i32 + i).max(0) as usize;
        approach.base.state(sample).moved(self.before.0, self.before.1)
    }

    /// Returns the locomotion after at a sample of the action.
    pub(super) fn base_after(&self, i: i32) -> Option<State> {
        match &self.script.exit {
            Exit::Join { base, join, .. } => {
                let sample = (*join as i32 + i - self.samples).max(0) as usize;
                Some(base.state(sample).moved(self.after.0, self.after.1))
            }
            Exit::Continue => Some(self.base_before(i)),
            Exit::Hold => None,
        }
    }

    fn pelvis_curve(&self, axis: usize) -> Curve {
        let rate = |f: &dyn Fn(i32) -> State, i: i32| (f(i + 1).pelvis - f(i - 1).pelvis)[axis] * (0.5 * SAMPLE_HZ);
        let mut keys: Vec<Key> = Vec::new();
        if self.script.approach.shown {
            let f = |i: i32| self.base_before(i);
            keys.push(at_rate(0.0, f(0).pelvis[axis], rate(&f, 0)));
        }
        keys.extend(&self.script.pelvis[axis]);
        if let Some(last) = self.base_after(self.samples) {
            let f = |i: i32| self.base_after(i).unwrap_or(last);
            keys.push(at_rate(self.seconds(), last.pelvis[axis], rate(&f, self.samples)));
        }
        Curve::new(&keys)
    }

    fn seconds(&self) -> f32 {
        self.samples as f32 / SAMPLE_HZ
    }

    /// Returns the weights of the locomotion before and after in trunk and arms.
    fn shares(&self, i: i32) -> [f32; 2] {
        let (t, [leave, enter]) = (i as f32 / SAMPLE_HZ, self.script.blend_s);
        let before = if self.script.approach.shown { 1.0 - minimum_jerk(t / leave) } else { 0.0 };
        let after = match self.script.exit {
            Exit::Hold => 0.0,
            _ => minimum_jerk((t - self.seconds()) / enter + 1.0),
        };
        [before, after]
    }

    fn pelvis_at(&self, i: i32) -> Vec3 {
        let t = i as f32 / SAMPLE_HZ;
        Vec3::from_array([0, 1, 2].map(|k| self.pelvis[k].at(t)))
    }

    fn pelvis_rotation(&self, i: i32) -> Quat {
        let t = i as f32 / SAMPLE_HZ;
        let [before, after] = self.shares(i);
        let mut turn = turned(&self.turns[0], t);
        if before > 0.0 {
            turn = turn.slerp(self.base_before(i).pelvis_rotation.towards(turn), before);
        }
        match self.base_after(i) {
            Some(base) if after > 0.0 => turn.slerp(base.pelvis_rotation.towards(turn), after),
            _ => turn,
        }
    }

    /// Returns the feet over time.
    pub(super) fn feet(&self) -> [Foot<'_>; 2] {
        let around = |f: &dyn Fn(i32) -> State, i: i32| [f(i - 1), f(i), f(i + 1)];
        let before = around(&|i| self.base_before(i), 0);
        let last = self.base_after(self.samples);
        let after = last.map(|last| around(&|i| self.base_after(i).unwrap_or(last), self.samples));
        Side::BOTH.map(|side| {
            let script = &self.script.feet[side.at()];
            Foot::new(side, &self.tracks[side.at()], script, &before, (self.seconds(), after.as_ref()))
        })
    }

    /// Returns the pose at a sample, which may lie before or after the action.
    pub(super) fn pose(&self, feet: &[Foot<'_>; 2], i: i32) -> Posed {
        let joined = i >= self.samples && !matches!(self.script.exit, Exit::Hold);
        let base = if i < 0 { Some(self.base_before(i)) } else { self.base_after(i).filter(|_| joined) };
        if let Some(s) = base {
            return Posed { root: s.root, hips: s.root.inverse_point(s.pelvis), local: s.local, feet: s.feet };
        }
        let i = i.min(self.samples);
        let t = i as f32 / SAMPLE_HZ;
        let (pelvis, rotation) = (self.pelvis_at(i), self.pelvis_rotation(i));
        let root = Transform::new(self.root(i, pelvis), Quat::IDENTITY);
        let mut local = [Quat::IDENTITY; joint::COUNT];
        local[joint::HIPS] = rotation;
        self.upper_body(i, rotation, &mut local);
        self.hands(t, pelvis, &mut local);
        let states = [0, 1].map(|s| {
            feet[s]
                .at(t)
                .or_else(|| self.base_after(i).map(|b| b.feet[s]))
                .unwrap_or_else(|| self.base_before(i).feet[s])
        });
        for (side, foot) in Side::BOTH.into_iter().zip(states) {
            let hip = root.inverse_point(hip(pelvis, rotation, side));
            let foot = FootState { ankle: root.inverse_point(foot.ankle), ..foot };
            let leg = solve(hip, &foot, knee_yaw(0.0, wrap_angle(foot.yaw), 0.0));
            let first = [joint::LEFT_UP_LEG, joint::RIGHT_UP_LEG][side.at()];
            local[first] = rotation.inverse() * leg.thigh;
            local[first + 1] = leg.shank;
            local[first + 2] = leg.foot;
            local[first + 3] = leg.toe;
        }
        Posed { root, hips: root.inverse_point(pelvis), local, feet: states }
    }

    /// Returns the root, which is below the pelvis with the same offset as in the locomotion.
    fn root(&self, i: i32, pelvis: Vec3) -> Vec3 {
        let [before, after] = self.shares(i);
        let ahead = |s: State| s.pelvis.z - s.root.translation.z;
        let mut off = 0.0;
        if before > 0.0 {
            off += before * ahead(self.base_before(i));
        }
        if let Some(base) = self.base_after(i).filter(|_| after > 0.0) {
            off += after * ahead(base);
        }
        Vec3::new(0.0, self.ground.at(i as f32 / SAMPLE_HZ), pelvis.z - off)
    }

    /// Computes trunk, head and the free swing of the arms, blended with the locomotion.
    fn upper_body(&self, i: i32, pelvis: Quat, local: &mut [Quat; joint::COUNT]) {
        let t = i as f32 / SAMPLE_HZ;
        let chest = turned(&self.turns[1], t);
        let part = Quat::from_rotation_vector((pelvis.inverse() * chest).to_rotation_vector() * (1.0 / 3.0));
        for j in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
            local[j] = part;
        }
        let gaze = Quat::from_rotation_y(self.turns[1][1].at(t) * 0.3) * Quat::from_rotation_x(self.gaze.at(t));
        let neck = chest.inverse() * gaze;
        local[joint::NECK] = Quat::from_rotation_vector(neck.to_rotation_vector() * NECK);
        local[joint::HEAD] = local[joint::NECK].inverse() * neck;
        for side in Side::BOTH {
            let s = side.sign();
            let [forward, outward, elbow] = [0, 1, 2].map(|k| self.arms[side.at()][k].at(t));
            let first = [joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER][side.at()];
            local[first + 1] = Quat::from_rotation_x(-forward)
                * Quat::from_rotation_z(-s * (1.40 - outward))
                * Quat::from_rotation_x(0.3);
            local[first + 2] = Quat::from_rotation_y(-s * elbow.max(0.1));
            local[first + 3] = Quat::from_rotation_y(-s * 0.12);
        }
        let [before, after] = self.shares(i);
        let mut blend = |base: &State, share: f32| {
            for j in joint::SPINE..joint::COUNT {
                local[j] = local[j].slerp(base.local[j].towards(local[j]), share);
            }
        };
        if before > 0.0 {
            blend(&self.base_before(i), before);
        }
        if let Some(base) = self.base_after(i).filter(|_| after > 0.0) {
            blend(&base, after);
        }
    }

    /// Moves the hands to their holds.
    fn hands(&self, t: f32, pelvis: Vec3, local: &mut [Quat; joint::COUNT]) {
        let (mut at, mut turn) = (pelvis, local[joint::HIPS]);
        for j in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
            at += turn * offset(j);
            turn = turn * local[j];
        }
        let chest = Transform::new(at, turn);
        for hold in &self.script.holds {
            let weight = hold.weight(t);
            if weight == 0.0 {
                continue;
            }
            let back = turn.inverse();
            let posed = Reach {
                wrist: chest.inverse_point(hold.wrist(t)),
                elbow: back * hold.elbow,
                hand: back * pointing(hold.side, hold.fingers, hold.thumb),
                held: 1.0,
            }
            .solve(hold.side);
            let first = [joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER][hold.side.at()];
            for (own, new) in local[first..first + 4].iter_mut().zip(posed) {
                *own = own.slerp(new.towards(*own), weight);
            }
        }
    }
}

impl Hold {
    /// Returns the weight of the hold in the arm.
    fn weight(&self, t: f32) -> f32 {
        strike((t - self.from_s) / self.reach_s + 1.0) * strike(1.0 - (t - self.to_s) / self.release_s)
    }

    /// Returns the position of the wrist joint.
    pub(super) fn wrist(&self, t: f32) -> Vec3 {
        let mut from = (self.still_s, self.at);
        for to in &self.moved {
            if t < to.0 {
                // It leaves at a speed, and stops softly.
                let left = strike((to.0 - t) / (to.0 - from.0));
                return to.1 + (from.1 - to.1) * left;
            }
            from = *to;
        }
        from.1
    }
}

/// Returns a rotation by yaw, pitch and roll.
fn turned(turn: &[Knots; 3], t: f32) -> Quat {
    Quat::from_rotation_y(turn[1].at(t)) * Quat::from_rotation_x(turn[0].at(t)) * Quat::from_rotation_z(turn[2].at(t))
}
