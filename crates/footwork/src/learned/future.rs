//! Trajectory in the features of a decompressed pose.

use crate::math::Facing;
use crate::motion::arc;
use crate::schema::channel::{TrajectoryFacing, TrajectoryPosition};
use crate::schema::{ChannelKind, FeatureSchema, TrajectorySample};
use glam::Vec3;

/// Points of a schema's trajectory at positive times, by time.
#[derive(Debug)]
pub(super) struct Future(Vec<FuturePoint>);

/// A point of the trajectory in the features: time in seconds, columns of position and facing.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FuturePoint {
    time_s: f32,
    /// First column, and number of columns (2 on the ground, 3 in space).
    position: (usize, usize),
    facing: Option<usize>,
}

impl Future {
    pub fn of(schema: &FeatureSchema) -> Self {
        let mut points = Vec::new();
        for channel in &schema.channels {
            let ChannelKind::TrajectoryPosition(TrajectoryPosition(t)) = &channel.kind else { continue };
            for (k, slot) in t.slots.iter().enumerate() {
                let position = (channel.columns.start + k * t.dimensions, t.dimensions);
                points.push(FuturePoint { time_s: schema.times_s[*slot], position, facing: None });
            }
        }
        for channel in &schema.channels {
            let ChannelKind::TrajectoryFacing(TrajectoryFacing { slots }) = &channel.kind else { continue };
            for (k, slot) in slots.iter().enumerate() {
                let time_s = schema.times_s[*slot];
                if let Some(point) = points.iter_mut().find(|p: &&mut FuturePoint| p.time_s == time_s) {
                    point.facing = Some(channel.columns.start + 2 * k);
                }
            }
        }
        points.retain(|p| p.time_s > 0.0);
        points.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        Self(points)
    }

    /// Returns the trajectory at `ahead_s` seconds, in root space. `velocity` (m/s) and `turn` (rad/s) are those of the root
    /// now; `value` returns a feature, in units of its channel. Outside the times in the features, the root moves at its
    /// current velocity, from their last point or from now.
    pub fn sample(&self, ahead_s: f32, velocity: Vec3, turn: f32, value: impl Fn(usize) -> f32) -> TrajectorySample {
        let mut before = (0.0, Vec3::ZERO, Facing::default());
        let mut after = None;
        if ahead_s > 0.0 {
            for p in &self.0 {
                let (first, dimensions) = p.position;
                let (x, z) = (value(first), value(first + dimensions - 1));
                let facing = p.facing.and_then(|c| Facing::from_direction(Vec3::new(value(c), 0.0, value(c + 1))));
                let point = (p.time_s, Vec3::new(x, 0.0, z), facing.unwrap_or_default());
                if p.time_s >= ahead_s {
                    after = Some(point);
                    break;
                }
                before = point;
            }
        }
        let Some((to_s, to, facing)) = after else {
            let on = arc(velocity, Vec3::Y * turn, ahead_s - before.0);
            let position = before.2.rotation() * on.translation + before.1;
            let facing = before.2.turned(turn * (ahead_s - before.0));
            return TrajectorySample { position, facing, velocity: facing.rotation() * velocity };
        };
        let t = (ahead_s - before.0) / (to_s - before.0);
        TrajectorySample {
            position: before.1.lerp(to, t),
            facing: before.2.turned(before.2.angle_to(facing) * t),
            velocity: (to - before.1) / (to_s - before.0),
        }
    }
}
