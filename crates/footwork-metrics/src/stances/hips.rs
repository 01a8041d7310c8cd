//! How high the hips of a stance are.

use super::error::StancesError;
use crate::analysis::row_at;
use crate::samples::percentile;
use footwork::database::Database;
use footwork::frames::{JointIndex, RowIndex};
use footwork::machine::Machine;
use footwork::matcher::Playing;
use footwork::pose::{Pose, PoseVelocity};

/// Of the rows of a state, only those with this tag are the stance itself.
const WAYS: [(&str, &str); 1] = [("crouched", "crouched")];
/// How far from the heights of a stance the hips may be, metres.
const NEAR_M: f32 = 0.03;
/// The heights of a stance: between these percentiles of its rows.
const SHARES_PCT: [f32; 2] = [5.0, 95.0];

/// A stance, upright or crouched.
pub(super) struct Stance {
    /// Usual heights of the hips, from and to, metres.
    pub heights_m: [f32; 2],
    /// `[rows]` true for those of the stance, ways to it and from it left out.
    pub rows: Vec<bool>,
}

/// Looks at hips.
pub(super) struct Looker<'a> {
    pub db: &'a Database,
    pub hips: JointIndex,
    pub pose: Pose,
    pub velocity: PoseVelocity,
}

impl Looker<'_> {
    /// Height of the hips at a time of a clip.
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

    /// True where a row has a tag, or the database has no such tag.
    pub(super) fn has(&self, row: RowIndex, tag: &str) -> bool {
        self.db.tag_mask(tag).map_or(true, |tag| self.db.row_tags(row.at()).contains(&tag))
    }

    /// How far the hips, shown at a height, are outside of where a stance has them, metres; 0 or less inside.
    pub(super) fn off_m(&mut self, stance: &Stance, playing: &Playing, hips_m: f32) -> f32 {
        let [low, high] = stance.heights_m;
        let off_m = (low - hips_m).max(hips_m - high) - NEAR_M;
        let of_stance = row_at(self.db, playing.clip, playing.time_s).is_some_and(|row| stance.rows[row.at()]);
        if of_stance { off_m.min((self.height_m(playing) - hips_m).abs() - NEAR_M) } else { off_m }
    }
}
