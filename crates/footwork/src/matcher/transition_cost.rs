//! The cost of a transition to a row, from distances in metres: the discontinuity of the body that a blend has to hide, and the
//! distance by which the root would be pulled to stay with the simulated character. The best rows by features are compared once
//! more by it.

use super::character::Update;
use super::database_search::playing_at;
use super::foreseen::Wanted;
use super::levers::Levers;
use super::playing::Playing;
use super::scratch::Scratch;
use super::source::Playhead;
use super::weights::{SCALE_M, SCALE_RAD};
use crate::blend::inertialize::Moving;
use crate::database::Database;
use crate::schema::TrajectorySample;
use crate::search::Match;
use glam::Vec3;

/// Share of the cost of a discontinuity that is waived while a change of command is still to be followed.
const RELAXED: f32 = 0.35;

impl Update<'_> {
    /// Writes the shown body to `scratch`, as it is and mirrored, for [`Update::transition_cost`].
    pub(super) fn prepare_transition_costs(&mut self, db: &Database) {
        self.shown_body();
        if let Some(mirror) = &db.mirror_table {
            let Moving { pose, velocity, .. } = &mut self.scratch.shown_mirrored;
            pose.copy_from(&self.scratch.shown.pose);
            velocity.copy_from(&self.scratch.shown.velocity);
            mirror.joints(pose, velocity);
            velocity.linear[0] = mirror.vector(velocity.linear[0]);
        }
    }

    /// Returns the cost of a transition to a row: features, future and discontinuity. A cost of `least` or more may be a lower
    /// bound.
    pub(super) fn transition_cost(&self, db: &Database, wanted: &Wanted, to: &Match, least: f32) -> f32 {
        let character = self.character;
        let next = playing_at(db, to.row, to.mirrored);
        let cost = to.cost + self.future_cost(db, wanted, to, &next);
        if cost >= least {
            return cost;
        }
        let scale = self.seam_scale();
        let limit = (least - cost) / scale;
        cost + scale * seam_at(db, &character.resolved.levers, self.scratch, next, to.row.at(), limit)
    }

    /// Returns the cost of a square metre of discontinuity.
    fn seam_scale(&self) -> f32 {
        let config = &self.character.config;
        let relaxed = 1.0 - RELAXED * self.state.header.has_to_obey(config);
        relaxed * config.search.discontinuity_cost / (SCALE_M * SCALE_M)
    }

    /// Returns the cost of the discontinuity to `next`, with the source's memory for it in `scratch.memory`.
    pub(crate) fn discontinuity_cost(&mut self, next: Playing) -> f32 {
        self.shown_body();
        let (character, Scratch { shown, next: after, memory, source: room, .. }) =
            (self.character, &mut *self.scratch);
        character.source.pose(Playhead { playing: next, memory }, room, &mut after.pose, &mut after.velocity);
        let (shown, after) = ((&shown.pose, &shown.velocity), (&after.pose, &after.velocity));
        let seam = character.resolved.levers.between(shown, after);
        self.seam_scale() * seam
    }

    /// Returns the cost of the future if `playing` plays: displacement of the root, and foresight.
    pub(super) fn future_cost(&self, db: &Database, wanted: &Wanted, row: &Match, playing: &Playing) -> f32 {
        let way = self.path_cost(db, &wanted.root, playing);
        wanted.foresight.as_ref().map_or(way, |foresight| way + foresight.cost(db, row))
    }

    /// Returns the cost of pulling the root to the predicted simulated character (`wanted`, root space) while `playing` plays.
    fn path_cost(&self, db: &Database, wanted: &TrajectorySample, playing: &Playing) -> f32 {
        let config = &self.character.config;
        let view = db.view(playing.clip, playing.mirrored);
        let (there, facing, _) = view.trajectory(playing.time_s, config.search.path_ahead_s);
        let way = Vec3::new(there.x - wanted.position.x, 0.0, there.z - wanted.position.z);
        let turn = facing.angle_to(wanted.facing) / SCALE_RAD;
        let squares = way.length_squared() / (SCALE_M * SCALE_M) + turn * turn;
        config.responsiveness * config.search.path_cost * squares
    }
}

/// Returns the discontinuity to a row, in m2. A mirrored row is compared with the mirror image of the shown body.
fn seam_at(db: &Database, levers: &Levers, scratch: &Scratch, next: Playing, row: usize, limit: f32) -> f32 {
    let clip = &db.clips[next.clip.at()];
    let frame = db.row_frames[row].at();
    let range = clip.frame_range();
    let after = match frame + 1 {
        inside if inside < range.end => inside,
        _ if clip.looping() => range.start,
        _ => frame,
    };
    let shown = if next.mirrored { &scratch.shown_mirrored } else { &scratch.shown };
    levers.seam(db, (&shown.pose, &shown.velocity), (frame, after), limit)
}
