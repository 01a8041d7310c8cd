//! Heights of the hips in a stance.

use super::error::StancesError;
use crate::analysis::row_at;
use crate::samples::percentile;
use footwork::database::Database;
use footwork::frames::{JointIndex, RowIndex};
use footwork::machine::Machine;
use footwork::matcher::Playing;
use footwork::pose::{Pose, PoseVelocity};

/// State and tag: of the rows of the state, only those with the tag are the stance itself, without its transitions.
const WAYS: [(&str, &str); 1] = [("crouched", "crouched")];
/// Maximum distance of the hips from the heights of a stance, metres.
const NEAR_M: f32 = 0.03;
/// The heights of a stance lie between these percentiles of its rows.
const SHARES_PCT: [f32; 2] = [5.0, 95.0];

/// A stance, upright or crouched.
pub(super) struct Stance {
    /// Usual heights of the hips: minimum and maximum, metres.
    pub heights_m: [f32; 2],
    /// `[rows]` true for rows of the stance, without transitions into and out of it.
    pub rows: Vec<bool>,
}

/// Measures the height of the hips.
pub(super) struct Looker<'a> {
    pub db: &'a Database,
    pub hips: JointIndex,
    pub pose: Pose,
    pub velocity: PoseVelocity,
}

impl Looker<'_> {
    /// Returns the height of the hips at a time of a clip, metres.
    pub(super) fn height_m(&mut self, playing: &Playing) -> f32 {
        let view = self.db.view(playing.clip, playing.mirrored);
        view.sample(playing.time_s, &mut self.pose, &mut self.velocity);
        self.pose.in_root(&self.db.skeleton, self.hips).translation.y
    }

    pub(super) fn stance(&mut self, machine: &Machine, state: &'static str) -> Result<Stance, StancesError> {
        let mut rows = vec![false; self.db.rows()];
        let on_the_way = |row: RowIndex| WAYS.iter().any(|(of, tag)| *of == state && !self.has(row, tag));
        let all: Vec<RowIndex> = machine.rows_of(state).filter(|row| !on_the_way(*row)).collect();
        let mut heights_m = Vec::new();
        for row in all {
            rows[row.at()] = true;
            let clip = self.db.row_clips[row.at()];
            let mirrored = self.db.clips[clip.at()].mirrored;
            heights_m.push(self.height_m(&Playing { clip, mirrored, time_s: self.db.row_time_s(row) }));
        }
        if heights_m.is_empty() {
            return Err(StancesError::NoStance { state });
        }
        Ok(Stance { heights_m: SHARES_PCT.map(|pct| percentile(&mut heights_m, pct)), rows })
    }

    /// True if a row has a tag, or the database does not have the tag.
    pub(super) fn has(&self, row: RowIndex, tag: &str) -> bool {
        self.db.tag_mask(tag).map_or(true, |tag| self.db.row_tags(row.at()).contains(&tag))
    }

    /// Returns the distance of a displayed height of the hips from the heights of a stance, metres; 0 or less inside.
    pub(super) fn off_m(&mut self, stance: &Stance, playing: &Playing, hips_m: f32) -> f32 {
        let [low, high] = stance.heights_m;
        let off_m = (low - hips_m).max(hips_m - high) - NEAR_M;
        let of_stance = row_at(self.db, playing.clip, playing.time_s).is_some_and(|row| stance.rows[row.at()]);
        if of_stance { off_m.min((self.height_m(playing) - hips_m).abs() - NEAR_M) } else { off_m }
    }
}
