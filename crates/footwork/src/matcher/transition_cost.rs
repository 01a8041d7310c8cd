//! How well a row can be jumped to, in metres: what the seam would have to hide of the body, and how far the root would
//! be dragged to stay with the simulated character. The best rows by features are compared once more by it.

use super::character::Update;
use super::database_search::playing_at;
use super::levers::Levers;
use super::playing::Playing;
use super::scratch::Scratch;
use crate::blend::inertialize::Moving;
use crate::database::Database;
use glam::Vec3;

/// Costs are per square of this, metres.
const SCALE_M: f32 = 0.1;
/// A turn that drags feet about as far as a way of [`SCALE_M`], radians.
const SCALE_RAD: f32 = 0.35;

impl Update<'_> {
    /// Adds to the costs of the best `kept` rows of a database what a transition there costs in metres.
    pub(super) fn add_transition_costs(&mut self, db: &Database, kept: usize) {
        self.shown_body();
        if let Some(mirror) = &db.mirror_table {
            let Moving { pose, velocity, .. } = &mut self.scratch.shown_mirrored;
            pose.copy_from(&self.scratch.shown.pose);
            velocity.copy_from(&self.scratch.shown.velocity);
            mirror.joints(pose, velocity);
            velocity.linear[0] = mirror.vector(velocity.linear[0]);
        }
        let (character, playing) = (self.character, self.state.header.playing);
        let search = &character.config.search;
        let wanted = self.predicted(search.way_ahead_s);
        let scale = 1.0 / (SCALE_M * SCALE_M);
        let mut least = f32::INFINITY;
        for k in 0..kept {
            let candidate = self.scratch.best[k];
            let next = if candidate.continuing { playing } else { playing_at(db, candidate.row, candidate.mirrored) };
            let (there, facing, _) = db.view(next.clip, next.mirrored).trajectory(next.time_s, search.way_ahead_s);
            let way = Vec3::new(there.x - wanted.position.x, 0.0, there.z - wanted.position.z);
            let turn = facing.angle_to(wanted.facing) / SCALE_RAD;
            let mut cost = candidate.cost + search.way_cost * (way.length_squared() * scale + turn * turn);
            if !candidate.continuing && cost < least {
                let limit = (least - cost) / (search.seam_cost * scale);
                let levers = &character.resolved.levers;
                cost += search.seam_cost * scale * seam_at(db, levers, self.scratch, next, candidate.row.at(), limit);
            }
            least = least.min(cost);
            self.scratch.whole_costs[k] = cost;
        }
    }
}

/// What the seam to a row has to hide, m2; a mirrored row is compared with the mirror image of what is shown.
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
