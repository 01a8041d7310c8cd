//! Which rows may be jumped to. Asked during the search, so that a near best never hides a good far one.

use crate::database::{AcceptedTags, Database};
use serde::Serialize;
use std::ops::Range;

/// Why a row is no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exclusion {
    /// Too little is left to play.
    EndOfClip,
    /// Around what already plays.
    NearCurrent,
    /// Inside a do-not-enter range, or its trajectory is not known.
    DoNotEnter,
    /// Its tags.
    Tags,
    /// It costs more than a candidate may: `search.max_cost`.
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

/// The rows that may be jumped to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Rows at the end of each clip that does not loop which are left out.
    pub end_exclusion_rows: usize,
    /// Row ranges around what plays that are left out (two, since a loop has a seam).
    pub near: [(usize, usize); 2],
    /// The side (mirrored or not) that `near` speaks of.
    pub near_mirrored: bool,
    /// Tags that are accepted: [`Database::accepted`].
    pub tags: AcceptedTags,
    /// Rows that lead somewhere in time are accepted alone.
    pub ahead: Option<Ahead>,
}

/// Rows whose clip comes to other tags within a range of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// The tags that it comes to.
    pub tags: AcceptedTags,
    /// So many rows later it does not have them.
    pub not_yet_rows: usize,
    /// So many rows later it has them; no fewer.
    pub then_rows: usize,
}

impl Ahead {
    /// True for a row that leads there.
    #[inline]
    pub fn holds(&self, db: &Database, row: usize) -> bool {
        let end = db.clips[db.row_clips[row].at()].row_range().end;
        row + self.then_rows < end
            && db.accepts(&self.tags, row + self.then_rows)
            && !db.accepts(&self.tags, row + self.not_yet_rows)
    }
}

impl Candidates {
    /// Rows of a clip that the end exclusion leaves.
    pub fn clip_rows(&self, db: &Database, clip: usize) -> Range<usize> {
        let c = &db.clips[clip];
        let rows = c.row_range();
        if c.looping() { rows } else { rows.start..rows.end.saturating_sub(self.end_exclusion_rows).max(rows.start) }
    }

    /// True when a row of [`Candidates::clip_rows`] may be jumped to.
    #[inline]
    pub fn allow(&self, db: &Database, row: usize, mirrored: bool) -> bool {
        self.exclusion(db, row, mirrored).is_none()
    }

    /// True when a row lies around what plays.
    #[inline]
    pub fn is_near(&self, row: usize, mirrored: bool) -> bool {
        mirrored == self.near_mirrored && self.near.iter().any(|r| r.0 <= row && row < r.1)
    }

    /// Why a row of [`Candidates::clip_rows`] may not be jumped to.
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
