//! Rows that a search may return. Tested during the search, so that a near excluded row never hides a good far one.

use crate::database::{AcceptedTags, Database};
use serde::Serialize;
use std::ops::Range;

/// Reason why a row is not a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exclusion {
    /// Too close to the end of its clip.
    EndOfClip,
    /// Inside the exclusion window around the playing row.
    NearCurrent,
    /// Inside a `do-not-enter` range, or its trajectory is unknown.
    DoNotEnter,
    /// Its tags do not match.
    Tags,
    /// Its cost exceeds `search.max_cost`.
    Cost,
}

impl std::fmt::Display for Exclusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EndOfClip => "end of clip",
            Self::NearCurrent => "near what plays",
            Self::DoNotEnter => "not to be entered",
            Self::Tags => "tags",
            Self::Cost => "cost",
        })
    }
}

/// The rows that a search may return.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Rows excluded at the end of each non-looping clip.
    pub end_exclusion_rows: usize,
    /// Row ranges excluded around the playing row (two, since the window may wrap around the end of a loop).
    pub near: [(usize, usize); 2],
    /// Whether `near` excludes mirrored rows or unmirrored ones.
    pub near_mirrored: bool,
    /// Tags that are accepted: [`Database::accepted`].
    pub tags: AcceptedTags,
    /// Restricts candidates to rows that lead to other tags in time.
    pub ahead: Option<Ahead>,
}

/// Rows whose clip reaches other tags within a range of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// The tags to reach.
    pub tags: AcceptedTags,
    /// Offset in rows at which the clip does not have the tags yet.
    pub not_yet_rows: usize,
    /// Offset in rows at which the clip has the tags; not less than `not_yet_rows`.
    pub then_rows: usize,
}

impl Ahead {
    /// Returns whether a row leads to the tags.
    #[inline]
    pub fn holds(&self, db: &Database, row: usize) -> bool {
        let end = db.clips[db.row_clips[row].at()].row_range().end;
        row + self.then_rows < end
            && db.accepts(&self.tags, row + self.then_rows)
            && !db.accepts(&self.tags, row + self.not_yet_rows)
    }
}

impl Candidates {
    /// Returns the rows of a clip without those excluded at its end.
    pub fn clip_rows(&self, db: &Database, clip: usize) -> Range<usize> {
        let c = &db.clips[clip];
        let rows = c.row_range();
        if c.looping() { rows } else { rows.start..rows.end.saturating_sub(self.end_exclusion_rows).max(rows.start) }
    }

    /// Returns whether a row of [`Candidates::clip_rows`] is a candidate.
    #[inline]
    pub fn allow(&self, db: &Database, row: usize, mirrored: bool) -> bool {
        self.exclusion(db, row, mirrored).is_none()
    }

    /// Returns whether a row lies in the exclusion window around the playing row.
    #[inline]
    pub fn is_near(&self, row: usize, mirrored: bool) -> bool {
        mirrored == self.near_mirrored && self.near.iter().any(|r| r.0 <= row && row < r.1)
    }

    /// Returns why a row of [`Candidates::clip_rows`] is not a candidate, or `None` for a candidate.
    #[inline]
    pub fn exclusion(&self, db: &Database, row: usize, mirrored: bool) -> Option<Exclusion> {
        if self.is_near(row, mirrored) {
            Some(Exclusion::NearCurrent)
        } else if db.row_flags[row].no_entry() {
            Some(Exclusion::DoNotEnter)
        } else if !db.accepts(&self.tags, row) || self.ahead.is_some_and(|ahead| !ahead.holds(db, row)) {
            Some(Exclusion::Tags)
        } else {
            None
        }
    }
}
