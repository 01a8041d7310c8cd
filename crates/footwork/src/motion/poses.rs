//! The pool of all clips' poses, and sampling at any time.
//!
//! Between frames a pose follows a cubic through four frames (Catmull-Rom). The velocity is the cubic's derivative: at a frame
//! the central difference, one-sided at a clip's ends, and continuous across the end of a loop.

use super::MirrorTable;
use super::cubic::{Hermite, cubic, cubic_rotation, cubic_rotations};
use crate::frames::JointIndex;
use crate::math::four::{Quats, in_fours};
use crate::math::{AngularVelocity, Facing, Quat, Transform};
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::ops::Range;

/// All frames of all clips, struct of arrays. Joints that never move relative to their parent have no translations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosePool {
    /// Joints per frame.
    pub joints: usize,
    /// `[frames x joints]` local rotations.
    pub rotations: Vec<Quat>,
    /// Joints with animated translations, ascending; the root is always the first.
    pub translated: Vec<JointIndex>,
    /// `[frames x translated]` local translations, metres.
    pub translations: Vec<Vec3>,
}

impl PosePool {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.rotations.len() / self.joints.max(1)
    }

    /// Returns the captured root of a frame, `world_from_root`.
    pub fn root(&self, frame: usize) -> Transform {
        Transform::new(self.translations[frame * self.translated.len()], self.rotations[frame * self.joints])
    }

    /// Returns the local transform of a joint of a frame.
    pub(crate) fn local(&self, skeleton: &Skeleton, frame: usize, joint: JointIndex) -> Transform {
        let translation = match self.translated.binary_search(&joint) {
            Ok(k) => self.translations[frame * self.translated.len() + k],
            Err(_) => skeleton.rest()[joint.at()].translation,
        };
        Transform::new(translation, self.rotations[frame * self.joints + joint.at()])
    }

    /// Returns the position of a joint of a frame in root space, in metres.
    pub(crate) fn in_root(&self, skeleton: &Skeleton, frame: usize, joint: JointIndex) -> Vec3 {
        skeleton.in_root(joint, |j| self.local(skeleton, frame, j)).translation
    }

    /// Returns the memory of the pool, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.rotations.as_slice()) + size_of_val(self.translations.as_slice())
    }
}

/// One clip of a pool, for sampling. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct ClipView<'a> {
    /// Joints and rest pose.
    pub skeleton: &'a Skeleton,
    /// The pool that holds the frames.
    pub poses: &'a PosePool,
    /// First frame in the pool.
    pub start: usize,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Frames per second.
    pub rate_hz: f32,
    /// For a loop: the root motion of one cycle, relative to its start.
    pub loop_delta: Option<Transform>,
    /// Mirrors the clip, if given.
    pub mirror: Option<&'a MirrorTable>,
}

/// A time within a clip, as neighbouring frames.
#[derive(Clone, Copy, Debug)]
struct FrameTime {
    /// Frame at or before, within the clip.
    frame: usize,
    /// Fraction of the interval to the next frame, 0..1.
    alpha: f32,
    /// Completed cycles of the loop.
    rounds: i32,
    /// Seconds past the end (positive) or before the start (negative) of a non-looping clip.
    beyond_s: f32,
}

/// A frame relative to a clip: cycles of the loop, then the index.
#[derive(Clone, Copy)]
struct Knot {
    frame: usize,
    rounds: i32,
}

impl<'a> ClipView<'a> {
    /// Returns the duration of one cycle (loop) or the time of the last frame (otherwise), seconds.
    pub fn seconds(&self) -> f64 {
        let frames = if self.loop_delta.is_some() { self.frames } else { self.frames - 1 };
        frames as f64 / f64::from(self.rate_hz)
    }

    /// Returns the range of the clip's frames in the pool.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.frames
    }

    fn moment(&self, time_s: f64) -> FrameTime {
        let rate = f64::from(self.rate_hz);
        let x = time_s * rate;
        // A time very close to a frame counts as that frame: rounding in sums of dt must not turn exact samples into blends.
        let nearest = x.round();
        let x = if (x - nearest).abs() < 1e-4 { nearest } else { x };
        let floor = x.floor();
        let alpha = (x - floor) as f32;
        let n = self.frames as i64;
        let i = floor as i64;
        if self.loop_delta.is_some() {
            let rounds = i.div_euclid(n);
            return FrameTime { frame: (i - rounds * n) as usize, alpha, rounds: rounds as i32, beyond_s: 0.0 };
        }
        let last = n - 1;
        if i < 0 {
            FrameTime { frame: 0, alpha: 0.0, rounds: 0, beyond_s: (x / rate) as f32 }
        } else if i >= last {
            FrameTime { frame: last as usize, alpha: 0.0, rounds: 0, beyond_s: ((x - last as f64) / rate) as f32 }
        } else {
            FrameTime { frame: i as usize, alpha, rounds: 0, beyond_s: 0.0 }
        }
    }

    /// Returns the frame `step` frames away, or `None` outside a non-looping clip.
    fn knot(&self, m: &FrameTime, step: i64) -> Option<Knot> {
        let i = m.frame as i64 + step;
        let n = self.frames as i64;
        if self.loop_delta.is_some() {
            let rounds = i.div_euclid(n);
            Some(Knot { frame: (i - rounds * n) as usize, rounds: m.rounds + rounds as i32 })
        } else {
            (0..n).contains(&i).then_some(Knot { frame: i as usize, rounds: 0 })
        }
    }

    /// Returns the root at a knot, including cycles of the loop.
    fn root_at(&self, k: Knot) -> Transform {
        let mut t = self.poses.root(self.start + k.frame);
        if let Some(delta) = self.loop_delta.filter(|_| k.rounds != 0) {
            let first = self.poses.root(self.start);
            let round = first * delta * first.inverse();
            let back = round.inverse();
            for _ in 0..k.rounds {
                t = round * t;
            }
            for _ in k.rounds..0 {
                t = back * t;
            }
        }
        t
    }

    /// Returns the unmirrored root `ahead` frames after `frame`, in a later cycle of a loop; `None` beyond the end of another clip.
    pub fn root_ahead(&self, frame: usize, ahead: usize) -> Option<Transform> {
        let here = FrameTime { frame, alpha: 0.0, rounds: 0, beyond_s: 0.0 };
        self.knot(&here, ahead as i64).map(|knot| self.root_at(knot))
    }

    /// Returns the root transform and its velocity (along root axes) at any time: cubic inside, constant velocity and turn rate
    /// beyond the ends of a non-looping clip.
    pub fn root(&self, time_s: f64) -> (Transform, Vec3, Vec3) {
        let m = self.moment(time_s);
        let (mut t, mut linear, mut angular) = self.root_unmirrored(&m);
        if m.beyond_s != 0.0 {
            t = t * arc(linear, angular, m.beyond_s);
        }
        if let Some(mirror) = self.mirror {
            t = mirror.root(t);
            linear = mirror.vector(linear);
            angular = mirror.pseudovector(angular);
        }
        (t, linear, angular)
    }

    /// Returns the root transform at any time, as [`ClipView::root`] does: at a frame in a fraction of the time.
    fn place(&self, time_s: f64) -> Transform {
        let m = self.moment(time_s);
        if m.alpha != 0.0 || m.beyond_s != 0.0 {
            return self.root(time_s).0;
        }
        let place = self.root_at(Knot { frame: m.frame, rounds: m.rounds });
        self.mirror.map_or(place, |mirror| mirror.root(place))
    }

    fn root_unmirrored(&self, m: &FrameTime) -> (Transform, Vec3, Vec3) {
        let knot = |step| self.knot(m, step).map(|k| self.root_at(k));
        let t1 = self.root_at(Knot { frame: m.frame, rounds: m.rounds });
        let (t0, t2, t3) = (knot(-1), knot(1), knot(2));
        let weights = Hermite::at(m.alpha);
        let p = cubic(
            t0.map(|t| t.translation),
            t1.translation,
            t2.map(|t| t.translation),
            t3.map(|t| t.translation),
            &weights,
        );
        let q = cubic_rotation(
            t0.map(|t| t.rotation),
            t1.rotation,
            t2.map(|t| t.rotation),
            t3.map(|t| t.rotation),
            &weights,
        );
        let to_root = q.0.inverse();
        (Transform::new(p.0, q.0), to_root * (p.1 * self.rate_hz), to_root * (q.1 * self.rate_hz))
    }

    /// Samples the pose and its velocities at any time; allocates nothing. Beyond the ends of a non-looping clip the body
    /// holds the last (first) pose while the root continues at constant velocity and turn rate.
    pub fn sample(&self, time_s: f64, pose: &mut Pose, velocity: &mut PoseVelocity) {
        self.sample_some(time_s, |_| true, pose, velocity);
    }

    /// Like [`ClipView::sample`], but only for the `wanted` joints and the root; the others are unspecified.
    pub fn sample_some(
        &self,
        time_s: f64,
        wanted: impl Fn(usize) -> bool,
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        self.sample_around(self.root(time_s), time_s, wanted, pose, velocity);
    }

    /// As [`ClipView::sample_some`], with the result of [`ClipView::root`] at that time.
    pub(crate) fn sample_around(
        &self,
        (root, linear, angular): (Transform, Vec3, AngularVelocity),
        time_s: f64,
        wanted: impl Fn(usize) -> bool,
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        let m = self.moment(time_s);
        // Mirrored, every joint may come from another one.
        self.sample_joints(&m, |j| self.mirror.is_some() || wanted(j), pose, velocity);
        if let Some(mirror) = self.mirror {
            mirror.joints(pose, velocity);
        }
        pose.set_world_from_root(root);
        velocity.linear[0] = linear;
        velocity.angular[0] = angular;
        if m.beyond_s != 0.0 {
            velocity.linear[1..].fill(Vec3::ZERO);
            velocity.angular[1..].fill(Vec3::ZERO);
        }
    }

    fn sample_joints(
        &self,
        m: &FrameTime,
        wanted: impl Fn(usize) -> bool,
        pose: &mut Pose,
        velocity: &mut PoseVelocity,
    ) {
        let joints = self.poses.joints;
        let width = self.poses.translated.len();
        let row = |step: i64| self.knot(m, step).map(|k| self.start + k.frame);
        let (f0, f1, f2, f3) = (row(-1), self.start + m.frame, row(1), row(2));
        let weights = Hermite::at(m.alpha);
        let frame = |f: usize| &self.poses.rotations[f * joints..][..joints];
        let knots = [f0.map(frame), Some(frame(f1)), f2.map(frame), f3.map(frame)];
        in_fours((1..joints).filter(|j| wanted(*j)), |four| {
            let [q0, q1, q2, q3] = knots.map(|knot| knot.map(|frame| Quats::new(four.map(|j| frame[j]))));
            let Some(q1) = q1 else { return };
            let (q, w) = cubic_rotations(q0, q1, q2, q3, &weights);
            let (q, w) = (q.to_array(), (w * self.rate_hz).to_array());
            for (lane, j) in four.into_iter().enumerate() {
                pose.rotations[j] = q[lane];
                velocity.angular[j] = w[lane];
                pose.translations[j] = self.skeleton.rest()[j].translation;
                velocity.linear[j] = Vec3::ZERO;
            }
        });
        for (k, joint) in self.poses.translated.iter().enumerate().skip(1) {
            let at = |f: usize| self.poses.translations[f * width + k];
            let (p, v) = cubic(f0.map(at), at(f1), f2.map(at), f3.map(at), &weights);
            pose.translations[joint.at()] = p;
            velocity.linear[joint.at()] = v * self.rate_hz;
        }
    }

    /// Returns the root at `time_s + offset_s` relative to the root at `time_s`: position, facing, velocity.
    pub fn trajectory(&self, time_s: f64, offset_s: f32) -> (Vec3, Facing, Vec3) {
        self.trajectory_from(self.place(time_s), time_s, offset_s)
    }

    /// As [`ClipView::trajectory`], with the root at `time_s`.
    pub(crate) fn trajectory_from(&self, now: Transform, time_s: f64, offset_s: f32) -> (Vec3, Facing, Vec3) {
        let (then, linear, _) = self.root(time_s + f64::from(offset_s));
        let t = now.inverse() * then;
        (t.translation, Facing::from_rotation(t.rotation), t.rotation * linear)
    }

    /// Returns position and facing of [`ClipView::trajectory`].
    pub(crate) fn place_ahead(&self, time_s: f64, offset_s: f32) -> (Vec3, Facing) {
        let t = self.place(time_s).inverse() * self.place(time_s + f64::from(offset_s));
        (t.translation, Facing::from_rotation(t.rotation))
    }

    /// Returns whether all times from `from_s` to `to_s` lie within the captured clip (always, for a loop).
    pub fn covers(&self, from_s: f64, to_s: f64) -> bool {
        self.loop_delta.is_some() || (from_s >= -1e-6 && to_s <= self.seconds() + 1e-6)
    }
}

/// Returns the displacement of a body that moves for `seconds` at constant velocity and turn rate, both in its own axes.
pub fn arc(linear: Vec3, angular: Vec3, seconds: f32) -> Transform {
    let turn = Quat::from_rotation_vector(angular * seconds);
    let rate = angular.y;
    let way = if rate.abs() < 1e-4 {
        linear * seconds
    } else {
        // Integral of a velocity that turns at `rate` about +Y.
        let (s, c) = crate::math::sin_cos(rate * seconds);
        Vec3::new(
            (linear.x * s + linear.z * (1.0 - c)) / rate,
            linear.y * seconds,
            (linear.z * s - linear.x * (1.0 - c)) / rate,
        )
    };
    Transform::new(way, turn)
}

#[cfg(test)]
pub(crate) mod tests;
