//! Data of the matcher that gizmos show.

use bevy_math::Vec3;
use footwork::database::Database;
use footwork::frames::RowIndex;
use footwork::matcher::{Character, Output, Scratch};
use footwork::pose::{Pose, PoseVelocity};
use std::collections::VecDeque;

/// Data to draw. Features are raw, in root space.
#[derive(Default)]
pub(crate) struct DebugData {
    pub candidates_wanted: usize,
    pub query: Vec<f32>,
    pub matched: Vec<f32>,
    pub candidates: Vec<Pose>,
    pub past: VecDeque<Vec3>,
}

impl DebugData {
    /// Stores the search's results from the working memory, after a step.
    pub fn look(&mut self, character: &Character, scratch: &Scratch, output: &Output) {
        let Some(db) = character.database().filter(|_| output.searches > 0) else { return };
        self.query.clear();
        self.query.extend_from_slice(scratch.last_query());
        raw(db, &mut self.query);
        self.matched.clear();
        if let Some(found) = scratch.last_search().and_then(|s| s.found).filter(|f| !f.mirrored) {
            self.matched.extend_from_slice(db.features.row(found.row));
            raw(db, &mut self.matched);
        }
        self.candidates.clear();
        if self.candidates_wanted > 0
            && let Some(explanation) = character.explain(scratch, self.candidates_wanted)
        {
            let rows = explanation.candidates.iter().take(self.candidates_wanted).filter(|c| !c.mirrored);
            self.candidates.extend(rows.map(|c| pose_at(db, c.row)));
        }
    }
}

fn raw(db: &Database, features: &mut [f32]) {
    for (column, value) in features.iter_mut().enumerate() {
        *value = db.features.denormalize(column, *value);
    }
}

fn pose_at(db: &Database, row: RowIndex) -> Pose {
    let mut pose = Pose::rest(&db.skeleton);
    let mut velocity = PoseVelocity::zero(db.skeleton.len());
    db.sample_pose(db.row_frames[row.at()], 0.0, &mut pose, &mut velocity);
    pose.set_world_from_root(footwork::math::Transform::IDENTITY);
    pose
}
