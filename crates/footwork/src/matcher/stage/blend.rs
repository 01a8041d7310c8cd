//! Transitions: another clip or time plays, and the shown motion is blended into it.

use super::blended_feet::{Feet, bend_to, points_of_feet};
use crate::blend::Offset;
use crate::blend::inertialize::{Joints, Moving};
use crate::matcher::character::Character;
use crate::matcher::playing::Playing;
use crate::matcher::scratch::Scratch;
use crate::matcher::slide::shift_of_planted;
use crate::matcher::source::{MotionSource, Playhead, SourceScratch};
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::shifted;
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;

/// Plays another clip or time, and blends the shown motion into it.
pub struct Transition<'a> {
    /// Source of motion, settings, director; read.
    pub character: &'a Character,
    /// Playing clip, its memory, root, and the offsets that decay; written.
    pub state: &'a mut MatcherState,
    /// `memory`: the source's memory of the next clip; read. Samples of both motions; written.
    pub scratch: &'a mut Scratch,
    /// Play rate of the next clip.
    pub rate: f32,
}

impl Transition<'_> {
    /// Plays `next`.
    pub fn run(mut self, next: Playing) {
        let character = self.character;
        let (config, layout) = (&character.config.transition, &character.resolved.layout);
        let joints = character.joints(&self.state.header.transition);
        let director = &*character.director;
        let blend_s = director.blend_s(self.state.director(layout));
        self.sample(next);
        let h = &self.state.header;
        for moving in [&mut self.scratch.shown, &mut self.scratch.next] {
            for way in [&mut moving.velocity.linear[0], &mut moving.acceleration.linear[0]] {
                *way = h.legs.warp.displacement(*way);
            }
        }
        let (animated, shown_root) = (h.root.animated, h.shown_root(config));
        // A director may replace the root motion of the clip. `own` is the share that is left.
        let own = director.own_share_of_root(self.state.after_tick(layout));
        let since = h.transition.since_s;
        let mut feet = Feet::of(&character.model, &self.scratch.shown, animated, own);
        let Moving { pose, velocity, acceleration } = &mut self.scratch.shown;
        self.state.offsets(layout).apply(&joints, since, (pose, velocity), Some(acceleration));
        if let Some(config) = joints.config.of_feet() {
            feet.add_left(&config, self.state.points(layout), since);
        } else {
            feet = Feet::of(&character.model, &self.scratch.shown, shown_root, own);
        }
        // Both clips start at the shown root.
        let next_feet = Feet::of(&character.model, &self.scratch.next, shown_root, own);
        let shift = self.planted(next, &feet, &next_feet) * own;

        // Velocities of joint 0 are along the root's axes.
        let h = &mut self.state.header;
        let (lost, lost_turn) = h.transition.residual(config);
        let (old, new) = (animated.rotation, shown_root.rotation);
        let (shown, after) = (&self.scratch.shown, &self.scratch.next);
        let up = |v: &PoseVelocity| Vec3::Y * v.angular[0].y;
        let last = &mut h.transition;
        last.root_offset = Offset {
            value: -shift,
            velocity: old * shown.velocity.linear[0] * own + lost.velocity - new * after.velocity.linear[0] * own,
            acceleration: old * shown.acceleration.linear[0] * own + lost.acceleration
                - new * after.acceleration.linear[0] * own,
        };
        last.root_turn = Offset {
            value: Vec3::ZERO,
            velocity: up(&shown.velocity) * own + lost_turn.velocity - up(&after.velocity) * own,
            acceleration: up(&shown.acceleration) * own + lost_turn.acceleration - up(&after.acceleration) * own,
        };
        if config.reference_defects {
            last.root_offset.velocity += lost.velocity;
            last.root_turn.value = lost_turn.value;
            last.root_turn.velocity += lost_turn.velocity;
        }
        (last.since_s, last.blend_s) = (0.0, blend_s);
        h.root.animated = Transform::new(shown_root.translation + shift, shown_root.rotation);
        h.playback.remember(last.count, h.clock.time_s);
        h.playback.enter(next);
        h.playback.play_rate = self.rate;
        last.count += 1;
        h.drop_anchor();
        character.source.clear_unused(&next, &mut self.scratch.memory);
        self.state.block[layout.memory.clone()].copy_from_slice(&self.scratch.memory);
        self.state.offsets_mut(layout).start(&joints, &self.scratch.shown, &self.scratch.next);
        feet.start(&next_feet, shift, self.state.points_mut(layout));
    }

    /// Samples the playing clip into `scratch.shown` and `next` into `scratch.next`, with accelerations if a blend needs them.
    fn sample(&mut self, next: Playing) {
        let character = self.character;
        let accelerations = character.config.transition.needs_accelerations();
        let job = Sampling {
            source: &*character.source,
            rate_hz: character.model.pose_rate_hz,
            rate: self.state.header.playback.play_rate,
            accelerations,
        };
        let scratch = &mut *self.scratch;
        let room = &mut scratch.source;
        job.run(self.state.playhead(&character.resolved.layout), room, &mut scratch.shown, &mut scratch.beside);
        let next = Playhead { playing: next, memory: &scratch.memory };
        let job = Sampling { rate: self.rate, ..job };
        job.run(next, room, &mut scratch.next, &mut scratch.beside);
    }

    /// Returns the shift of the next clip, in world space on the ground, that keeps feet in place which touch the ground in both
    /// clips. It is at most `plant_m` long.
    fn planted(&mut self, next: Playing, feet: &Feet, next_feet: &Feet) -> Vec3 {
        let character = self.character;
        let plant_m = character.config.transition.plant_m;
        if plant_m <= 0.0 {
            return Vec3::ZERO;
        }
        let scratch = &mut *self.scratch;
        let (shown, room) = (self.state.playhead(&character.resolved.layout), &mut scratch.source);
        character.source.contacts(shown, room, &mut scratch.touching);
        let next = Playhead { playing: next, memory: &scratch.memory };
        character.source.contacts(next, room, &mut scratch.buffers.contacts);
        let (mut shift, mut planted) = (Vec3::ZERO, 0.0f32);
        let touching = scratch.touching.iter().zip(&scratch.buffers.contacts);
        for ((shown, next), (before, after)) in feet.0.iter().zip(&next_feet.0).zip(touching) {
            if *before == 1 && *after == 1 {
                shift += shown.value - next.value;
                planted += 1.0;
            }
        }
        shift_of_planted(shift, planted, plant_m)
    }
}

/// Samples the playing clip at the shown root, with its last transition blended out.
pub fn animate(
    character: &Character,
    state: &MatcherState,
    room: &mut SourceScratch,
    (pose, velocity): (&mut Pose, &mut PoseVelocity),
) {
    let layout = &character.resolved.layout;
    character.source.pose(state.playhead(layout), room, pose, velocity);
    let rate = state.header.playback.play_rate;
    if rate != 1.0 {
        velocity.scale(rate);
    }
    blend_out(character, state, &character.joints(&state.header.transition), (pose, velocity));
}

/// Adds the remaining offsets of the last transition to a sampled pose, and moves it to the shown root.
pub fn blend_out(
    character: &Character,
    state: &MatcherState,
    joints: &Joints,
    (pose, velocity): (&mut Pose, &mut PoseVelocity),
) {
    let (h, layout) = (&state.header, &character.resolved.layout);
    let residual = h.transition.residual(&joints.config);
    let root = shifted(h.root.animated, &residual);
    let points = points_of_feet(character, state, &joints.config, pose);
    state.offsets(layout).apply(joints, h.transition.since_s, (&mut *pose, &mut *velocity), None);
    if let Some(points) = points {
        bend_to(&points, root, character, pose);
    }
    let (shift, turn) = residual;
    let animated = h.root.animated.rotation * h.legs.warp.displacement(velocity.linear[0]);
    pose.set_world_from_root(root);
    velocity.linear[0] = root.inverse_direction(animated + shift.velocity);
    velocity.angular[0].y += turn.velocity.y;
}

/// Samples a pose with velocities and accelerations. Accelerations are differences of the velocities one frame before and after,
/// or zero if `accelerations` is false.
struct Sampling<'a> {
    source: &'a dyn MotionSource,
    /// Poses per second of the captured motion.
    rate_hz: f32,
    /// Play rate.
    rate: f32,
    accelerations: bool,
}

impl Sampling<'_> {
    fn run(&self, at: Playhead, room: &mut SourceScratch, moving: &mut Moving, beside: &mut (Pose, PoseVelocity)) {
        let Moving { pose, velocity, acceleration } = moving;
        if self.accelerations {
            let frame_s = 1.0 / f64::from(self.rate_hz);
            let (before, after) = (at.later(-frame_s), at.later(frame_s));
            self.pose(after, room, pose, acceleration);
            self.pose(before, room, &mut beside.0, &mut beside.1);
            // Velocities of joint 0 are along the root's axes at their own time. Rotate them to the axes at `at`.
            let mut turn = |to: Playhead| self.source.displacement(at, room, to.playing.time_s).rotation;
            acceleration.linear[0] = turn(after) * acceleration.linear[0];
            beside.1.linear[0] = turn(before) * beside.1.linear[0];
            acceleration.difference(&beside.1, 0.5 * self.rate_hz * self.rate);
        } else {
            acceleration.linear.fill(Vec3::ZERO);
            acceleration.angular.fill(Vec3::ZERO);
        }
        self.pose(at, room, pose, velocity);
    }

    fn pose(&self, at: Playhead, room: &mut SourceScratch, pose: &mut Pose, velocity: &mut PoseVelocity) {
        self.source.pose(at, room, pose, velocity);
        if self.rate != 1.0 {
            velocity.scale(self.rate);
        }
    }
}
