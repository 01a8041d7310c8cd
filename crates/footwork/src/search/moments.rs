//! Moments: neighbouring rows show nearly the same pose, so many of the best rows are no choice. A moment is a stretch of a
//! clip of fixed length, counted from the clip's first row; its best row stands for it.

use super::Match;
use crate::database::Database;
use crate::frames::RowIndex;
use std::ops::Range;

/// Length of a moment, seconds.
const MOMENT_S: f32 = 0.1;

/// Divides the clips of a database into moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments<'a> {
    db: &'a Database,
    /// Rows of a moment.
    length: usize,
}

impl<'a> Moments<'a> {
    /// Of a database.
    pub fn new(db: &'a Database) -> Self {
        Self { db, length: ((MOMENT_S * db.search_rate_hz).round() as usize).max(1) }
    }

    /// Rows of a moment; the last of a clip may have fewer.
    pub fn rows_of_each(&self) -> usize {
        self.length
    }

    /// The rows of the moment that a row belongs to.
    pub fn rows(&self, row: RowIndex) -> Range<usize> {
        let clip = self.db.clips[self.db.row_clips[row.at()].at()].row_range();
        let start = row.at() - (row.at() - clip.start) % self.length;
        start..(start + self.length).min(clip.end)
    }

    /// True when both rows belong to one moment, and both or neither are seen in a mirror.
    pub fn same(&self, a: &Match, b: &Match) -> bool {
        a.mirrored == b.mirrored
            && a.row.at().abs_diff(b.row.at()) < self.length
            && self.rows(a.row).contains(&b.row.at())
    }
}
