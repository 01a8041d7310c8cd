//! The query: the character's current pose and desired trajectory, as features.

use super::blend::animate;
use super::predict::prediction;
use crate::blend::inertialize::Moving;
use crate::input::{Goal, MotionInput};
use crate::matcher::character::Character;
use crate::matcher::config::QueryPose;
use crate::matcher::scratch::Scratch;
use crate::matcher::state::MatcherState;
use crate::schema::{ChannelKind, TrajectorySample};

/// Describes what a character does and is to do, as features.
pub struct Query<'a> {
    /// Schema, source of motion, settings; read.
    pub character: &'a Character,
    /// Goal and user values; read.
    pub input: &'a MotionInput<'a>,
    /// Playing clip, simulated character, history; read.
    pub state: &'a mut MatcherState,
    /// `shown`, `buffers`, `query`, `continuing`; written.
    pub scratch: &'a mut Scratch,
}

impl Query<'_> {
    /// Writes the normalised features of pose and desired trajectory, `[columns]`, to `scratch.query`.
    pub fn run(&mut self) {
        let shown = self.character.config.search.query_pose == QueryPose::Shown;
        if shown {
            write_shown_body(self.character, self.state, self.scratch);
        }
        self.run_with(shown);
    }

    /// As [`Query::run`]. With `shown`, the body is the one in `scratch.shown`.
    pub fn run_with(&mut self, shown: bool) {
        self.gather(shown);
        let model = &self.character.model;
        model.schema.extract(&self.scratch.buffers.source(), &mut self.scratch.query);
        model.normalize(&mut self.scratch.query);
    }

    /// Writes the normalised features of the body in `scratch.shown`, `[columns]`, to `scratch.action_pose`.
    pub fn pose(&mut self) {
        self.gather(true);
        let model = &self.character.model;
        model.schema.extract(&self.scratch.buffers.source(), &mut self.scratch.action_pose);
        model.normalize(&mut self.scratch.action_pose);
    }

    /// Gathers body of the playing clip, trajectory of prediction and history, contacts and user values.
    fn gather(&mut self, shown: bool) {
        let (character, h) = (self.character, &self.state.header);
        let (model, source, config) = (&character.model, &character.source, &character.config);
        let at = self.state.playhead(&character.resolved.layout);
        let root = h.shown_root(&config.transition);
        let prediction = prediction(character, self.input, self.state);
        let b = &mut self.scratch.buffers;
        source.features(at, &mut self.scratch.source, model.schema.needs_accelerations, b);
        if shown {
            b.gather_pose(&model.skeleton, &self.scratch.shown.pose, &self.scratch.shown.velocity);
        }
        source.contacts(at, &mut self.scratch.source, &mut b.contacts);
        b.user.copy_from_slice(self.input.user);
        let times_s = &model.schema.times_s;
        prediction.run(times_s, &mut b.trajectory);
        if matches!(self.input.goal, Goal::None) {
            for (s, t) in b.trajectory.iter_mut().zip(times_s).filter(|(_, t)| **t > 0.0) {
                *s = blend(*s, source.trajectory(at, &mut self.scratch.source, *t), config.unsteered_clip_blend);
            }
        }
        let now_s = h.clock.time_s;
        let history = self.state.history(&character.resolved.layout);
        for (s, t) in b.trajectory.iter_mut().zip(times_s).filter(|(_, t)| **t < 0.0) {
            *s = history.look_back(root, now_s, -t);
        }
    }

    /// Writes the normalised features of continuing, `[columns]`, to `scratch.continuing`. They hold the playing clip's own body,
    /// which fits a query of the clip's pose exactly, and its own trajectory. Call after [`Query::run`]. `user` is a
    /// `[columns]` row from which the columns of the user channels are taken.
    pub fn continuing(&mut self, user: &[f32]) {
        let (character, scratch) = (self.character, &mut *self.scratch);
        let (model, source) = (&character.model, &character.source);
        let at = self.state.playhead(&character.resolved.layout);
        // Trajectory and user values of the query are replaced by those of the clip. The body is still that of the query: the
        // clip's own, or the shown one, which is replaced, too.
        if character.config.search.query_pose == QueryPose::Shown {
            source.features(at, &mut scratch.source, model.schema.needs_accelerations, &mut scratch.buffers);
        }
        std::mem::swap(&mut scratch.buffers.trajectory, &mut scratch.clip_trajectory);
        let (room, trajectory) = (&mut scratch.source, &mut scratch.buffers.trajectory);
        for (sample, ahead_s) in trajectory.iter_mut().zip(&model.schema.times_s) {
            *sample = source.trajectory(at, room, *ahead_s);
        }
        model.schema.extract(&scratch.buffers.source(), &mut scratch.continuing);
        std::mem::swap(&mut scratch.buffers.trajectory, &mut scratch.clip_trajectory);
        model.normalize(&mut scratch.continuing);
        for c in &model.schema.channels {
            if let ChannelKind::User(_) = c.kind {
                scratch.continuing[c.columns.clone()].copy_from_slice(&user[c.columns.clone()]);
            }
        }
    }
}

/// Writes the shown body, without adjustments of the feet, to `scratch.shown`.
pub fn write_shown_body(character: &Character, state: &MatcherState, scratch: &mut Scratch) {
    let Moving { pose, velocity, .. } = &mut scratch.shown;
    animate(character, state, &mut scratch.source, (pose, velocity));
}

fn blend(a: TrajectorySample, b: TrajectorySample, t: f32) -> TrajectorySample {
    TrajectorySample {
        position: a.position + (b.position - a.position) * t,
        facing: a.facing.turned(a.facing.angle_to(b.facing) * t),
        velocity: a.velocity + (b.velocity - a.velocity) * t,
    }
}
