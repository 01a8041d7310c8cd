//! The motion of a blend space at one time.

use super::clock;
use super::feet::{Part, place_feet};
use super::mesh::Weights;
use super::resolve::Placed;
use super::state::LeaderSpan;
use super::timeline::Timeline;
use crate::database::Database;
use crate::matcher::Playing;
use crate::math::{Facing, Quat, Transform};
use crate::motion::ClipView;
use crate::pose::{Pose, PoseVelocity, RootMotion};
use crate::schema::{SourceBuffers, TrajectorySample};
use glam::Vec3;

/// Maximum time step over which root displacements of samples are blended, in seconds. In so short a step, the order of turning
/// and moving is irrelevant.
const STRETCH_S: f64 = 1.0 / 15.0;
/// Number of bisections of a frame in the search for a change of contact.
const HALVINGS: usize = 6;

/// Temporary buffers, one set per thread. Their contents do not affect results.
#[derive(Clone, Debug)]
pub struct BlendScratch {
    poses: [(Pose, PoseVelocity); 3],
    motion: RootMotion,
    curves: Vec<f32>,
}

impl BlendScratch {
    /// Returns buffers for the clips of a database.
    pub fn new(db: &Database) -> Self {
        let joints = db.skeleton.len();
        Self {
            poses: std::array::from_fn(|_| (Pose::rest(&db.skeleton), PoseVelocity::zero(joints))),
            motion: RootMotion::zero(joints),
            curves: vec![0.0; db.curve_names.len()],
        }
    }

    /// Returns a temporary buffer, `[curves]`.
    pub(in crate::machine) fn curves_mut(&mut self) -> &mut [f32] {
        &mut self.curves
    }

    /// Returns true if the buffers fit the clips of a database.
    pub fn fits(&self, db: &Database) -> bool {
        self.poses[0].0.len() == db.skeleton.len() && self.curves.len() == db.curve_names.len()
    }
}

/// The clips of a space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled<'a> {
    pub db: &'a Database,
    /// `[samples]`.
    pub samples: &'a [Placed],
    /// `[samples]`.
    pub timelines: &'a [Timeline],
}

/// The motion of a blend space at a time after a control tick. Allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct BlendMoment<'a> {
    clips: Sampled<'a>,
    /// Phase at the tick.
    tick_phase: f64,
    phase: f64,
    elapsed_s: f64,
    /// Weights at the tick; phase and root advance with them.
    steady: Weights,
    /// Weights of the pose.
    shown: Weights,
}

impl<'a> BlendMoment<'a> {
    pub(super) fn new(clips: Sampled<'a>, (tick_phase, elapsed_s): (f64, f64), [steady, shown]: [Weights; 2]) -> Self {
        let phase = clock::stored(clock::advance(clips.timelines, &steady, tick_phase, elapsed_s));
        Self { clips, tick_phase, phase, elapsed_s, steady, shown }
    }

    /// Returns the weights of the pose.
    pub fn weights(&self) -> &Weights {
        &self.shown
    }

    /// Returns the phase, not wrapped since the tick.
    pub fn phase(&self) -> f64 {
        self.phase
    }

    /// Returns the clip and time of the heaviest sample, the source of tags and clip names. It stays the same between two ticks.
    pub fn leader(&self) -> Playing {
        let k = self.steady.heaviest();
        let sample = &self.clips.samples[k];
        Playing { clip: sample.clip, mirrored: sample.mirrored, time_s: self.clip_time_s(k, self.phase) }
    }

    /// Returns the range of the heaviest sample's clip from now until `to_elapsed_s` after the tick, which must not be earlier
    /// and must lie within one tick.
    pub fn leader_span(&self, to_elapsed_s: f64) -> LeaderSpan {
        let from = self.leader();
        let end = Self::new(self.clips, (self.tick_phase, to_elapsed_s), [self.steady; 2]);
        let to_s = end.leader().time_s;
        let (view, k) = (self.view(self.steady.heaviest()), self.steady.heaviest());
        let seconds = view.seconds();
        let timeline = &self.clips.timelines[k];
        let rounds = if view.loop_delta.is_some() {
            let passed_s = timeline.time_s(end.phase) - timeline.time_s(self.phase);
            ((passed_s - (to_s - from.time_s)) / seconds).round().max(0.0) as u32
        } else {
            0
        };
        LeaderSpan { clip: from.clip, mirrored: from.mirrored, from_s: from.time_s, to_s, rounds, seconds }
    }

    /// Writes local transforms and their velocities. The transform of joint 0 is the identity; its velocity is that of the
    /// blended root along its own axes.
    pub fn pose(&self, room: &mut BlendScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        self.some_joints(room, |_| true, pose, velocity);
    }

    /// Does the same as [`BlendMoment::pose`] only for joints for which `wanted` returns true. The values of other joints are
    /// unspecified.
    pub fn some_joints(
        &self,
        room: &mut BlendScratch,
        wanted: impl Fn(usize) -> bool,
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        let per_phase = clock::seconds_per_phase(self.clips.timelines, &self.steady, self.phase);
        let mut parts = [Part { weight: 0.0, pace: 0.0, rate: 0.0 }; 3];
        let mut n = 0;
        for (i, (k, weight)) in self.shown.iter().enumerate() {
            let pace = (self.clips.timelines[k].piece(self.phase, true).0 / per_phase) as f32;
            parts[n] = Part { weight, pace, rate: self.shown.rates()[i] };
            let (p, v) = &mut room.poses[n];
            self.view(k).sample_some(self.clip_time_s(k, self.phase), &wanted, p, v);
            n += 1;
        }
        let sampled = &room.poses[..n];
        for j in (1..pose.len()).filter(|j| wanted(*j)) {
            blend_joint(j, sampled, &parts[..n], pose, velocity);
        }
        if n > 1 {
            place_feet(self.clips.db, wanted, (sampled, &parts[..n]), (pose, velocity));
        }
        pose.set_world_from_root(Transform::IDENTITY);
        (velocity.linear[0], velocity.angular[0]) = self.root_velocity();
    }

    /// Returns the root's velocity, in m/s, and its angular velocity, in rad/s, along its own axes.
    pub fn root_velocity(&self) -> (Vec3, Vec3) {
        self.root_velocity_at(self.phase)
    }

    fn root_velocity_at(&self, phase: f64) -> (Vec3, Vec3) {
        let per_phase = clock::seconds_per_phase(self.clips.timelines, &self.steady, phase);
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        for (k, weight) in self.steady.iter() {
            let pace = (self.clips.timelines[k].piece(phase, true).0 / per_phase) as f32;
            let (_, v, w) = self.view(k).root(self.clip_time_s(k, phase));
            linear += v * (weight * pace);
            angular += w * (weight * pace);
        }
        (linear, angular)
    }

    /// Returns the root at `to_elapsed_s` after the tick, relative to the root now. Displacements within a tick join exactly:
    /// their composition does not depend on how the time is divided.
    pub fn way_to(&self, to_elapsed_s: f64) -> Transform {
        let from_tick = |elapsed_s: f64| self.travel(self.tick_phase, elapsed_s).0;
        from_tick(self.elapsed_s).inverse() * from_tick(to_elapsed_s)
    }

    /// Returns the root `ahead_s` from now (negative: earlier) at constant parameters, relative to the root now.
    pub fn trajectory(&self, ahead_s: f32) -> TrajectorySample {
        let (way, phase) = self.travel(self.phase, f64::from(ahead_s));
        let (linear, _) = self.root_velocity_at(phase);
        TrajectorySample {
            position: way.translation,
            facing: Facing::from_rotation(way.rotation),
            velocity: way.rotation * linear,
        }
    }

    /// Returns the phase `seconds` after `phase`, with the weights of the tick.
    pub(super) fn phase_after(&self, phase: f64, seconds: f64) -> f64 {
        clock::advance(self.clips.timelines, &self.steady, phase, seconds)
    }

    /// Returns the displacement of the root over some seconds from a phase, and the phase after it.
    fn travel(&self, mut phase: f64, seconds: f64) -> (Transform, f64) {
        let stretches = (seconds.abs() / STRETCH_S).ceil().max(1.0);
        let mut way = Transform::IDENTITY;
        for _ in 0..stretches as usize {
            let next = self.phase_after(phase, seconds / stretches);
            way = way * self.stretch(phase, next);
            phase = next;
        }
        (way, phase)
    }

    /// Returns the displacement of the root between two close phases: the mean rotation, and the mean of the samples'
    /// translations, each expressed in the frame halfway through its sample's rotation.
    fn stretch(&self, from: f64, to: f64) -> Transform {
        let half = |q: Quat| q.nlerp(Quat::IDENTITY, 0.5);
        let (mut chord, mut turn) = (Vec3::ZERO, [0.0; 4]);
        for (k, weight) in self.steady.iter() {
            let view = self.view(k);
            let (timeline, time_s) = (&self.clips.timelines[k], self.clip_time_s(k, from));
            let later_s = time_s + (timeline.time_s(to) - timeline.time_s(from));
            let way = view.root(time_s).0.inverse() * view.root(later_s).0;
            chord += half(way.rotation).inverse() * way.translation * weight;
            let q = way.rotation.abs().to_array();
            (0..4).for_each(|i| turn[i] += q[i] * weight);
        }
        let turn = Quat::from_array(turn).normalize();
        Transform::new(half(turn) * chord, turn)
    }

    /// Writes the pose and motion for features into `buffers`, with accelerations if `accelerations` is true.
    pub fn features(&self, room: &mut BlendScratch, accelerations: bool, buffers: &mut SourceBuffers) {
        let skeleton = &self.clips.db.skeleton;
        if accelerations {
            let step_s = 1.0 / f64::from(self.clips.db.pose_rate_hz);
            let half_rate_hz = 0.5 * self.clips.db.pose_rate_hz;
            buffers.accelerations.fill(Vec3::ZERO);
            for (sign, step_s) in [(1.0, step_s), (-1.0, -step_s)] {
                let (way, phase) = self.travel(self.phase, step_s);
                let beside = Self { phase, ..*self };
                let SourceBuffers { pose, velocity, accelerations, .. } = &mut *buffers;
                beside.pose(room, pose, velocity);
                room.motion.from_pose(skeleton, pose, velocity);
                // Along the axes of the current root.
                let velocities = accelerations.iter_mut().zip(&room.motion.velocities);
                velocities.for_each(|(a, v)| *a += way.rotation * *v * (sign * half_rate_hz));
            }
        }
        let SourceBuffers { pose, velocity, motion, .. } = buffers;
        self.pose(room, pose, velocity);
        motion.from_pose(skeleton, pose, velocity);
    }

    /// Writes `[contact joints]`: 1 if samples with at least half of the weight touch, else 0.
    pub fn contacts(&self, out: &mut [u8]) {
        for (slot, o) in out.iter_mut().enumerate() {
            *o = u8::from(self.touches(slot, self.phase));
        }
    }

    /// Returns true if a contact joint touches at a phase, with these weights.
    pub(super) fn touches(&self, slot: usize, phase: f64) -> bool {
        let mut share = 0.0;
        for (k, weight) in self.shown.iter() {
            let sample = &self.clips.samples[k];
            let touches = self.clips.db.touches_at(sample.clip, sample.mirrored, slot, self.clip_time_s(k, phase));
            share += if touches { weight } else { 0.0 };
        }
        share >= 0.5
    }

    /// Returns the time until a contact joint touches (0: now, infinite: not within [`Database::CONTACT_HORIZON_S`]) and the
    /// duration of the contact (at most the same horizon), in seconds.
    pub fn next_contact_s(&self, slot: usize) -> (f32, f32) {
        let horizon_s = Database::CONTACT_HORIZON_S;
        let Some(down_s) = self.until(slot, true, 0.0, horizon_s) else { return (f32::INFINITY, 0.0) };
        let up_s = self.until(slot, false, down_s, horizon_s).unwrap_or(down_s + horizon_s);
        (down_s as f32, (up_s - down_s) as f32)
    }

    /// Returns the first time after `from_s` at which a joint touches (or not), in seconds from now; `None` if it does not within
    /// `horizon_s`.
    fn until(&self, slot: usize, touches: bool, from_s: f64, horizon_s: f64) -> Option<f64> {
        let frame_s = 1.0 / f64::from(self.clips.db.pose_rate_hz);
        let (mut at_s, mut phase) = (from_s, self.phase_after(self.phase, from_s));
        if self.touches(slot, phase) == touches {
            return Some(at_s);
        }
        while at_s < from_s + horizon_s {
            let next = self.phase_after(phase, frame_s);
            if self.touches(slot, next) == touches {
                let (mut before, mut after) = (0.0, frame_s);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (before + after);
                    if self.touches(slot, self.phase_after(phase, middle)) == touches {
                        after = middle
                    } else {
                        before = middle
                    }
                }
                return Some(at_s + after);
            }
            (at_s, phase) = (at_s + frame_s, next);
        }
        None
    }

    /// Writes `[curves]`, the weighted means of the curves.
    pub fn curves(&self, room: &mut BlendScratch, out: &mut [f32]) {
        out.fill(0.0);
        for (k, weight) in self.shown.iter() {
            self.clips.db.curves_at(self.clips.samples[k].clip, self.clip_time_s(k, self.phase), &mut room.curves);
            out.iter_mut().zip(&room.curves).for_each(|(o, v)| *o += weight * v);
        }
    }

    fn view(&self, k: usize) -> ClipView<'a> {
        let sample = &self.clips.samples[k];
        self.clips.db.view(sample.clip, sample.mirrored)
    }

    /// Returns the time of a sample's clip at a phase, in seconds; in a loop, wrapped to one cycle.
    fn clip_time_s(&self, k: usize, phase: f64) -> f64 {
        let (time_s, view) = (self.clips.timelines[k].time_in_round_s(phase), self.view(k));
        if view.loop_delta.is_some() { time_s.rem_euclid(view.seconds()) } else { time_s }
    }
}

/// Blends one joint.
fn blend_joint(
    j: usize,
    sampled: &[(Pose, PoseVelocity)],
    parts: &[Part],
    pose: &mut Pose,
    velocity: &mut PoseVelocity,
) {
    if let [(p, v)] = sampled {
        let pace = parts[0].pace;
        (pose.rotations[j], pose.translations[j]) = (p.rotations[j], p.translations[j]);
        (velocity.angular[j], velocity.linear[j]) = (v.angular[j] * pace, v.linear[j] * pace);
        return;
    }
    let (mut at, mut linear) = (Vec3::ZERO, Vec3::ZERO);
    // Unnormalised rotation, and its rate of change.
    let (mut sum, mut change) = ([0.0f32; 4], [0.0f32; 4]);
    let first = sampled[0].0.rotations[j];
    for ((p, v), Part { weight, pace, rate }) in sampled.iter().zip(parts) {
        at += p.translations[j] * *weight;
        linear += v.linear[j] * (weight * pace) + p.translations[j] * *rate;
        let q = p.rotations[j].towards(first);
        let w = v.angular[j] * (0.5 * weight * pace);
        let dq = (Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q).to_array();
        let q = q.to_array();
        for i in 0..4 {
            sum[i] += q[i] * weight;
            change[i] += dq[i] + q[i] * rate;
        }
    }
    let (sum, change) = (Quat::from_array(sum), Quat::from_array(change));
    let spin = change * sum.inverse();
    pose.translations[j] = at;
    pose.rotations[j] = sum.normalize();
    velocity.linear[j] = linear;
    velocity.angular[j] = Vec3::new(spin.x, spin.y, spin.z) * (2.0 / sum.dot(sum).max(1e-12));
}
