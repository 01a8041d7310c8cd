//! The cost of a transition to a row, from distances in metres: the discontinuity of the body that a blend has to hide, the slide of
//! feet on the ground, and the distance by which the root would be pulled to stay with the simulated character. The best rows by features are compared once
//! more by it.

use super::foreseen::{Wanted, miss};
use super::query::write_shown_body;
use crate::blend::TransitionConfig;
use crate::blend::inertialize::Moving;
use crate::database::{Database, MOTION_LASTS_S};
use crate::frames::{JointIndex, RowIndex};
use crate::matcher::character::Character;
use crate::matcher::levers::Levers;
use crate::matcher::playing::Playing;
use crate::matcher::scratch::Scratch;
use crate::matcher::slide::{NextFoot, slide, write_shown_feet};
use crate::matcher::source::Playhead;
use crate::matcher::source::playing_at;
use crate::matcher::state::{Commanded, MatcherState};
use crate::matcher::weights::SCALE_M;
use crate::math::spring::decay;
use crate::search::Match;
use crate::search::kernels::prefetch;

/// Time within which a foot that lands counts as sliding, in seconds. Later, little is left of its offset.
const LANDS_WITHIN_S: f32 = 0.4;

/// Share of the cost of a discontinuity that is waived while a change of command is still to be followed.
const RELAXED: f32 = 0.35;

/// Transitions per second that a transition under a steady command counts as: one in the longest time for which the motion of rows is
/// compared (`database/steadiness.rs`).
const NOW_PER_S: f32 = 1.0 / MOTION_LASTS_S;

/// Costs of playing a row, for one character at one instant.
pub struct Costs<'a> {
    /// Settings; read.
    pub character: &'a Character,
    /// Simulated character, desired motion; read.
    pub body: Commanded<'a>,
    /// The database of the rows.
    pub db: &'a Database,
    /// Desired future.
    pub wanted: &'a Wanted<'a>,
}

/// Writes the shown body to `scratch.shown`, its mirror image to `scratch.shown_mirrored`, and the feet of both, for
/// [`Costs::transition`].
pub fn write_shown_bodies(character: &Character, state: &MatcherState, scratch: &mut Scratch, db: &Database) {
    write_shown_body(character, state, scratch);
    if let Some(mirror) = &db.mirror_table {
        let Moving { pose, velocity, .. } = &mut scratch.shown_mirrored;
        pose.copy_from(&scratch.shown.pose);
        velocity.copy_from(&scratch.shown.velocity);
        mirror.joints(pose, velocity);
        velocity.linear[0] = mirror.vector(velocity.linear[0]);
    }
    let Scratch { shown, touching, shown_feet, shown_feet_mirrored, source, .. } = scratch;
    character.source.contacts(state.playhead(&character.resolved.layout), source, touching);
    write_shown_feet(db, (&shown.pose, &shown.velocity), touching, shown_feet, shown_feet_mirrored);
}

impl Costs<'_> {
    /// Returns the cost of a transition to a row: features, future, and discontinuity and slide from the bodies in `scratch`. A cost
    /// of `least` or more may be a lower bound.
    pub fn transition(&self, scratch: &Scratch, to: &Match, least: f32) -> f32 {
        let next = playing_at(self.db, to.row, to.mirrored);
        let steady = self.wanted.steady_cost * NOW_PER_S;
        let lowest = to.cost + steady;
        if lowest >= least {
            return lowest;
        }
        // The future costs 0 or more and needs frames far ahead: most rows are too expensive without it.
        let scale = discontinuity_scale(self.character, self.body);
        let limit = (least - lowest) / scale;
        let seam = scale * seam_at(self.db, &self.character.resolved.levers, scratch, next, to.row.at(), limit);
        if lowest + seam >= least {
            return lowest + seam;
        }
        let cost = to.cost + self.future(to, &next) + steady + seam;
        let slide_cost = self.character.config.search.slide_cost;
        if cost >= least || slide_cost == 0.0 {
            return cost;
        }
        let slide = slide_to(self.db, scratch, next, to.row.at(), &self.character.config.transition);
        cost + slide_cost / (SCALE_M * SCALE_M) * slide
    }

    /// Begins to load the roots that the path of a row needs into the cache: changes the speed alone.
    pub fn prefetch_roots(&self, row: RowIndex) {
        let (poses, frame) = (&self.db.poses, self.db.row_frames[row.at()].at());
        let ahead = (self.character.config.search.path_ahead_s * self.db.pose_rate_hz) as usize;
        for frame in [frame, (frame + ahead).min(poses.frames() - 1)] {
            prefetch(&poses.rotations[frame * poses.joints..][..1]);
            prefetch(&poses.translations[frame * poses.translated.len()..][..1]);
        }
    }

    /// Begins to load the features of a row and the frames of its discontinuity into the cache: changes the speed alone.
    pub fn prefetch_body(&self, row: RowIndex) {
        let (poses, frame) = (&self.db.poses, self.db.row_frames[row.at()].at());
        let end = (frame + 2).min(poses.frames());
        prefetch(&poses.rotations[frame * poses.joints..end * poses.joints]);
        prefetch(self.db.features.row(row));
    }

    /// Returns the cost of the future if `playing`, the clip and time of `row`, plays: displacement of the root, transitions that a
    /// steady command will need, and foresight.
    pub fn future(&self, row: &Match, playing: &Playing) -> f32 {
        let path = self.path(playing) + self.wanted.steady_cost * self.db.row_unsteadiness[row.row.at()];
        self.wanted.foresight.as_ref().map_or(path, |foresight| path + foresight.cost(self.db, row))
    }

    /// Returns the cost of pulling the root to the predicted simulated character while `playing` plays.
    fn path(&self, playing: &Playing) -> f32 {
        let (config, wanted) = (&self.character.config, &self.wanted.root);
        let view = self.db.view(playing.clip, playing.mirrored);
        let place = view.place_ahead(playing.time_s, config.search.path_ahead_s);
        config.responsiveness * config.search.path_cost * miss(place, wanted, SCALE_M)
    }
}

/// Returns the cost of a square metre of discontinuity.
fn discontinuity_scale(character: &Character, body: Commanded) -> f32 {
    let config = &character.config;
    let relaxed = 1.0 - RELAXED * body.has_to_obey(config);
    relaxed * config.search.discontinuity_cost / (SCALE_M * SCALE_M)
}

/// Returns the cost of the discontinuity to `next`, with the source's memory for it in `scratch.memory`.
pub fn discontinuity_cost(character: &Character, state: &MatcherState, scratch: &mut Scratch, next: Playing) -> f32 {
    write_shown_body(character, state, scratch);
    let Scratch { shown, next: after, memory, source: room, .. } = scratch;
    character.source.pose(Playhead { playing: next, memory }, room, &mut after.pose, &mut after.velocity);
    let (shown, after) = ((&shown.pose, &shown.velocity), (&after.pose, &after.velocity));
    let seam = character.resolved.levers.between(shown, after);
    discontinuity_scale(character, state.header.commanded()) * seam
}

/// Returns the discontinuity to a row, in m2. A mirrored row is compared with the mirror image of the shown body.
fn seam_at(db: &Database, levers: &Levers, scratch: &Scratch, next: Playing, row: usize, limit: f32) -> f32 {
    let frame = db.row_frames[row].at();
    let after = db.clips[next.clip.at()].frame_after(frame, 1).unwrap_or(frame);
    let shown = if next.mirrored { &scratch.shown_mirrored } else { &scratch.shown };
    levers.seam(db, (&shown.pose, &shown.velocity), (frame, after), limit)
}

/// Returns the slide of the feet to a row, in m2.
fn slide_to(db: &Database, scratch: &Scratch, next: Playing, row: usize, config: &TransitionConfig) -> f32 {
    let feet = if next.mirrored { &scratch.shown_feet_mirrored } else { &scratch.shown_feet };
    let (frame, clip) = (db.row_frames[row].at(), &db.clips[next.clip.at()]);
    let half_life_s = config.of_feet().map_or(config.half_life_s, |feet| feet.half_life_s);
    let within = (LANDS_WITHIN_S * db.pose_rate_hz) as usize;
    let next = |(k, joint): (usize, &JointIndex)| {
        let touches = |frame: usize| db.contacts[frame * feet.len() + k] == 1;
        let lands_after = (0..=within).find(|n| clip.frame_after(frame, *n).is_some_and(touches))?;
        let (left, _) = decay(1.0, 0.0, half_life_s, lands_after as f32 / db.pose_rate_hz);
        Some(NextFoot { position: db.poses.in_root(&db.skeleton, frame, *joint), left })
    };
    slide(feet, db.rig.contact_joints.iter().enumerate().map(next), config.plant_m)
}
