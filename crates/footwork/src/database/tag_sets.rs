//! The distinct sets of tags of rows, and which of them a query accepts. A query is evaluated once per set instead of once per
//! row.

use super::content::DatabaseContent;
use super::tag_query::TagQuery;
use super::tags::{NO_LOCOMOTION, TagMask};
use std::collections::HashMap;

/// Number of sets with a bit for acceptance. For rows of further sets, the query is evaluated row by row. Databases of thousands
/// of clips have a few dozen sets.
pub(super) const SETS_IN_BITS: usize = 512;

/// Sets of tags, folded into a word: bit `set % 128` for each set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetBits(pub(super) u128);

impl SetBits {
    /// Number of bits.
    pub const BITS: usize = 128;

    /// Returns the bit of one set, by its index.
    pub(super) fn of(set: usize) -> Self {
        Self(1 << (set % Self::BITS))
    }

    /// Returns the union of several parts.
    pub fn all_of(parts: impl Iterator<Item = Self>) -> Self {
        Self(parts.fold(0, |all, part| all | part.0))
    }

    /// Returns the indices of the bits that are set.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (bit < Self::BITS).then_some(bit)
        })
    }
}

/// The sets of tags that a query accepts in one database, created by [`super::Database::accepted`]. The default accepts every row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcceptedTags {
    /// One bit for each of the first sets.
    sets: [u64; SETS_IN_BITS / 64],
    /// All accepted sets.
    folded: SetBits,
    /// Number of rows with an accepted set.
    rows: usize,
    /// Queries for sets without a bit: both must be true.
    queries: [TagQuery; 2],
    left_out: TagMask,
}

impl Default for AcceptedTags {
    fn default() -> Self {
        Self {
            sets: [u64::MAX; SETS_IN_BITS / 64],
            folded: SetBits(u128::MAX),
            rows: usize::MAX,
            queries: [TagQuery::default(); 2],
            left_out: TagMask::default(),
        }
    }
}

impl AcceptedTags {
    /// Returns true if every row is accepted, whatever its tags.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.queries.iter().all(TagQuery::is_open) && self.left_out.is_empty()
    }

    /// Returns the queries that must both be true; an empty one accepts every row.
    pub fn queries(&self) -> &[TagQuery] {
        &self.queries
    }

    /// Returns the number of accepted rows; `usize::MAX` for the default.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns false only if no row below a node of a search structure is accepted.
    #[inline]
    pub(crate) fn may_accept(&self, below: SetBits) -> bool {
        self.folded.0 & below.0 != 0
    }

    #[inline]
    pub(super) fn accepts(&self, sets: &TagSets, set: usize) -> bool {
        match self.sets.get(set / 64) {
            Some(word) => word >> (set % 64) & 1 == 1,
            None => self.evaluate(&sets.sets[set]),
        }
    }

    fn evaluate(&self, tags: &TagMask) -> bool {
        !tags.intersects(&self.left_out) && self.queries.iter().all(|query| query.holds(tags))
    }
}

/// The rows that queries exclude unless they request them: see [`super::Database::accepted`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    /// [`super::Database::NO_LOCOMOTION`]; empty if no row or every row has the tag.
    pub tags: TagMask,
    /// All tags that only such rows have.
    pub only: TagMask,
}

/// The distinct sets of tags of a database.
#[derive(Debug)]
pub(super) struct TagSets {
    /// The distinct sets; the first is the empty set.
    pub sets: Vec<TagMask>,
    /// `[rows]` index of each row's set.
    pub of_rows: Vec<u32>,
    /// `[sets]` number of rows with the set.
    pub rows: Vec<usize>,
    /// Rows that queries exclude.
    pub aside: SetAside,
    /// Result for queries without conditions.
    pub plain: AcceptedTags,
}

impl TagSets {
    pub fn new(content: &DatabaseContent) -> Self {
        let (sets, of_rows) = distinct(content);
        let mut rows = vec![0; sets.len()];
        of_rows.iter().for_each(|set| rows[*set as usize] += 1);
        let tag = content.tags.iter().position(|t| t == NO_LOCOMOTION);
        let mut aside = SetAside { tags: tag.map(TagMask::of).unwrap_or_default(), only: TagMask::default() };
        let tags = |is_aside: bool| {
            let used =
                sets.iter().zip(&rows).filter(|(set, rows)| **rows > 0 && set.intersects(&aside.tags) == is_aside);
            used.fold(None, |all: Option<TagMask>, (set, _)| Some(all.unwrap_or_default() | *set))
        };
        match (tags(true), tags(false)) {
            (Some(of_aside), Some(of_others)) => aside.only = of_aside.without(&of_others),
            // If no row is locomotion, none is excluded.
            _ => aside.tags = TagMask::default(),
        }
        Self { sets, of_rows, rows, aside, plain: AcceptedTags::default() }.setting_aside(aside)
    }

    /// Returns the same sets with other rows excluded.
    pub fn setting_aside(self, aside: SetAside) -> Self {
        let plain = self.compile([TagQuery::default(); 2], aside.tags);
        Self { aside, plain, ..self }
    }

    pub fn compile(&self, queries: [TagQuery; 2], left_out: TagMask) -> AcceptedTags {
        let mut out = AcceptedTags { sets: [0; SETS_IN_BITS / 64], folded: SetBits(0), rows: 0, queries, left_out };
        for (set, tags) in self.sets.iter().enumerate() {
            if !out.evaluate(tags) {
                continue;
            }
            if let Some(word) = out.sets.get_mut(set / 64) {
                *word |= 1 << (set % 64);
            }
            out.folded.0 |= SetBits::of(set).0;
            out.rows += self.rows[set];
        }
        out
    }

    #[inline]
    pub fn of_row(&self, row: usize) -> usize {
        self.of_rows[row] as usize
    }
}

/// Returns the distinct sets of tags, the empty set first, and the index of each row's set, `[rows]`.
fn distinct(c: &DatabaseContent) -> (Vec<TagMask>, Vec<u32>) {
    let mut of_rows = vec![TagMask::default(); c.row_frames.len()];
    for clip in &c.clips {
        let rows = clip.row_range();
        let frames = &c.row_frames[rows.clone()];
        for span in &c.tag_spans {
            // The frames of a clip's rows are ascending.
            let first = rows.start + frames.partition_point(|f| *f < span.start);
            let end = rows.start + frames.partition_point(|f| *f < span.end);
            of_rows[first..end.max(first)].iter_mut().for_each(|tags| *tags |= TagMask::of(span.tag as usize));
        }
    }
    let mut sets = vec![TagMask::default()];
    let mut indices = HashMap::from([(TagMask::default(), 0u32)]);
    let row_sets = of_rows.into_iter().map(|tags| {
        *indices.entry(tags).or_insert_with(|| {
            sets.push(tags);
            (sets.len() - 1) as u32
        })
    });
    let row_sets = row_sets.collect();
    (sets, row_sets)
}
