//! The query: what the character looks like now, and where it is asked to go, as features.

use super::character::Update;
use super::config::QueryPose;
use super::predict::prediction;
use crate::input::Goal;
use crate::schema::{ChannelKind, TrajectorySample};

impl Update<'_> {
    /// Normalised features of pose and desired trajectory, `[columns]` into `scratch.query`.
    pub(crate) fn query(&mut self) {
        let shown = self.character.config.search.query_pose == QueryPose::Shown;
        if shown {
            self.shown_body();
        }
        self.query_of(shown);
    }

    /// As [`Update::query`]; with `shown` the body is the one in `scratch.shown`.
    pub(crate) fn query_of(&mut self, shown: bool) {
        self.gather(shown);
        let model = &self.character.model;
        model.schema.extract(&self.scratch.buffers.source(), &mut self.scratch.query);
        model.normalize(&mut self.scratch.query);
    }

    /// Normalised features of the pose that is shown, `[columns]` into `scratch.action_pose`; the pose into `scratch.shown`.
    pub(super) fn pose_features(&mut self) {
        self.shown_body();
        self.gather(true);
        let model = &self.character.model;
        model.schema.extract(&self.scratch.buffers.source(), &mut self.scratch.action_pose);
        model.normalize(&mut self.scratch.action_pose);
    }

    /// Body from what plays, trajectory from prediction and history, contacts and user values.
    fn gather(&mut self, shown: bool) {
        let (character, h) = (self.character, &self.state.header);
        let (model, source, config) = (&character.model, &character.source, &character.config);
        let at = self.state.moment(&character.resolved.layout);
        let root = h.shown_root(&config.transition);
        let prediction = prediction(character, &self.input, self.state);
        let b = &mut self.scratch.buffers;
        source.features(at, &mut self.scratch.room, model.schema.needs_accelerations, b);
        if shown {
            b.gather_pose(&model.skeleton, &self.scratch.shown.pose, &self.scratch.shown.velocity);
        }
        source.contacts(at, &mut self.scratch.room, &mut b.contacts);
        b.user.copy_from_slice(self.input.user);
        let times_s = &model.schema.times_s;
        prediction.run(times_s, &mut b.trajectory);
        if matches!(self.input.goal, Goal::None) {
            for (s, t) in b.trajectory.iter_mut().zip(times_s).filter(|(_, t)| **t > 0.0) {
                *s = blend(*s, source.trajectory(at, &mut self.scratch.room, *t), config.unsteered_clip_blend);
            }
        }
        let now_s = h.time_s;
        let history = self.state.history(&character.resolved.layout);
        for (s, t) in b.trajectory.iter_mut().zip(times_s).filter(|(_, t)| **t < 0.0) {
            *s = history.look_back(root, now_s, -t);
        }
    }

    /// Normalised features of what plays if it is left to play on, `[columns]` into `scratch.continuing`: its own body fits
    /// exactly, and only its trajectory can differ from the query. Call after [`Update::query`]. `user` holds the values of
    /// the user channels, `[columns]`, of which those columns are taken.
    pub(super) fn continuing_features(&mut self, user: &[f32]) {
        let (character, scratch) = (self.character, &mut *self.scratch);
        let (model, source) = (&character.model, &character.source);
        let at = self.state.moment(&character.resolved.layout);
        // Trajectory and user values of the query give way to the clip's; the body is still the same, or was that which is
        // shown.
        if character.config.search.query_pose == QueryPose::Shown {
            source.features(at, &mut scratch.room, model.schema.needs_accelerations, &mut scratch.buffers);
        }
        std::mem::swap(&mut scratch.buffers.trajectory, &mut scratch.clip_trajectory);
        let (room, trajectory) = (&mut scratch.room, &mut scratch.buffers.trajectory);
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

fn blend(a: TrajectorySample, b: TrajectorySample, t: f32) -> TrajectorySample {
    TrajectorySample {
        position: a.position + (b.position - a.position) * t,
        facing: a.facing.turned(a.facing.angle_to(b.facing) * t),
        velocity: a.velocity + (b.velocity - a.velocity) * t,
    }
}
