//! Segments of clips. Neighbouring rows show nearly the same pose, so a list of the best rows would hold near duplicates. A
//! segment is a part of a clip of fixed length, counted from the clip's first row; only its best row is listed.

use super::matched::Match;
use crate::database::Database;
use crate::frames::RowIndex;
use std::ops::Range;

/// Length of a segment, seconds.
const MOMENT_S: f32 = 0.1;

/// Divides the clips of a database into segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments<'a> {
    db: &'a Database,
    /// Rows of a segment.
    length: usize,
}

impl<'a> Moments<'a> {
    /// Creates the segments of a database.
    pub fn new(db: &'a Database) -> Self {
        Self { db, length: ((MOMENT_S * db.search_rate_hz).round() as usize).max(1) }
    }

    /// Returns the rows of a segment; the last segment of a clip may have fewer.
    pub fn rows_of_each(&self) -> usize {
        self.length
    }

    /// Returns the rows of the segment that a row belongs to.
    pub fn rows(&self, row: RowIndex) -> Range<usize> {
        let clip = self.db.clips[self.db.row_clips[row.at()].at()].row_range();
        let start = row.at() - (row.at() - clip.start) % self.length;
        start..(start + self.length).min(clip.end)
    }

    /// Returns the index of a candidate of the same segment as `new`, mirrored or not as `new` is. The playing row belongs to none.
    pub fn position(&self, kept: &[Match], new: &Match) -> Option<usize> {
        let rows = self.rows(new.row);
        let (start, length) = (rows.start as u32, rows.len() as u32);
        let same = |old: &Match| old.row.0.wrapping_sub(start) < length && old.mirrored == new.mirrored;
        kept.iter().position(|old| same(old) && !old.continuing)
    }
}
