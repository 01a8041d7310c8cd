//! Tags of rows: opaque sets, and which of them a search accepts.

use serde::{Deserialize, Serialize};
use std::ops::{BitOr, BitOrAssign};

/// Words of a mask.
const WORDS: usize = 8;

/// A set of tags of one database: [`super::Database::tag_mask`] gives one by name. Masks combine with `|`. The default is
/// empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TagMask([u64; WORDS]);

impl TagMask {
    /// Tags that a database may have.
    pub(crate) const CAPACITY: usize = 64 * WORDS;
    const EMPTY: Self = Self([0; WORDS]);

    /// The set of one tag, by its index in [`super::DatabaseContent::tags`].
    pub(crate) fn of(tag: usize) -> Self {
        let mut mask = Self::EMPTY;
        mask.0[tag / 64] |= 1 << (tag % 64);
        mask
    }

    /// True when no tag is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// True when all tags of `other` are in the set.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }

    /// True when a tag of `other` is in the set.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// True when the tag with this index is in the set.
    #[inline]
    pub(crate) fn has(&self, tag: usize) -> bool {
        self.0[tag / 64] >> (tag % 64) & 1 == 1
    }

    /// The tags of this set that are not in the other.
    pub(crate) fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    /// Indices of the tags in the set.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::CAPACITY).filter(move |tag| self.has(*tag))
    }

    /// A bit for each tag, the first in the lowest.
    pub(crate) fn words(&self) -> [u64; WORDS] {
        self.0
    }

    /// The set with these words.
    pub(crate) fn of_words(words: [u64; WORDS]) -> Self {
        Self(words)
    }

    /// One bit for every 64th tag: a tag that is in the set has its bit.
    #[inline]
    fn folded(&self) -> u64 {
        self.0.iter().fold(0, |a, b| a | b)
    }
}

impl BitOr for TagMask {
    type Output = Self;
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl BitOrAssign for TagMask {
    fn bitor_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Which tags a row needs and must not have. The default accepts every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagFilter {
    /// All of these.
    pub required: TagMask,
    /// At least one of these; an empty set accepts any row.
    pub any: TagMask,
    /// None of these.
    pub forbidden: TagMask,
}

impl TagFilter {
    /// Rows that have all tags of a set.
    pub fn required(tags: TagMask) -> Self {
        Self { required: tags, ..Self::default() }
    }

    /// Rows that have a tag of a set.
    pub fn any(tags: TagMask) -> Self {
        Self { any: tags, ..Self::default() }
    }

    /// Rows that have no tag of a set.
    pub fn forbidden(tags: TagMask) -> Self {
        Self { forbidden: tags, ..Self::default() }
    }

    /// True when a row with these tags passes.
    #[inline]
    pub fn allows(&self, tags: &TagMask) -> bool {
        tags.contains(&self.required)
            && (self.any.is_empty() || tags.intersects(&self.any))
            && !tags.intersects(&self.forbidden)
    }

    /// True when every row passes.
    #[inline]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// False only when no row below a node of a search structure passes.
    #[inline]
    pub(crate) fn may_allow(&self, below: &TagSummary) -> bool {
        let required = self.required.folded();
        below.some & required == required
            && (self.any.is_empty() || below.some & self.any.folded() != 0)
            && below.all & self.forbidden.0[0] == 0
    }
}

/// The rows that are no locomotion, by their tags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aside {
    /// [`super::Database::NO_LOCOMOTION`]; empty where there is no such row.
    tag: TagMask,
    /// All tags that no other rows have.
    only: TagMask,
}

impl Aside {
    /// From the index of the tag and all sets of tags that rows have. Where no row is locomotion, none is left out.
    pub(super) fn new(tag: Option<usize>, sets: &[TagMask]) -> Self {
        let tag = tag.map(TagMask::of).unwrap_or_default();
        if sets.iter().all(|s| s.intersects(&tag)) {
            return Self::default();
        }
        let all = |aside: bool| {
            sets.iter().filter(|s| s.intersects(&tag) == aside).fold(TagMask::default(), |all, set| all | *set)
        };
        Self { tag, only: all(true).without(&all(false)) }
    }

    /// What a query accepts that asks for these tags: locomotion alone, unless it asks for a tag that only other motion has.
    #[inline]
    pub(super) fn left_out(&self, mut tags: TagFilter) -> TagFilter {
        if !tags.required.intersects(&self.only) && !tags.any.intersects(&self.only) {
            tags.forbidden |= self.tag;
        }
        tags
    }
}

/// Bounds on the tags of many rows, in a word each: the nodes of search structures hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TagSummary {
    /// Bits of the first 64 tags that every row has.
    all: u64,
    /// Bit `tag % 64` of every tag that some row has.
    some: u64,
}

impl TagSummary {
    /// Nothing is known of the rows.
    pub const UNKNOWN: Self = Self { all: 0, some: u64::MAX };

    /// Of one row.
    pub fn row(tags: &TagMask) -> Self {
        Self { all: tags.0[0], some: tags.folded() }
    }

    /// Of all rows of some parts.
    pub fn of(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self { all: u64::MAX, some: 0 }, |a, b| Self { all: a.all & b.all, some: a.some | b.some })
    }

    /// True when every row is known to have a tag.
    #[inline]
    pub fn always(&self, tag: usize) -> bool {
        tag < 64 && self.all >> tag & 1 == 1
    }

    /// False when no row has a tag.
    #[inline]
    pub fn ever(&self, tag: usize) -> bool {
        self.some >> (tag % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(tags: &[usize]) -> TagMask {
        tags.iter().fold(TagMask::default(), |mask, tag| mask | TagMask::of(*tag))
    }

    #[test]
    fn tags_combine_as_all_any_and_none() {
        let f = TagFilter { required: mask(&[0]), any: mask(&[1, 70]), forbidden: mask(&[3, 300]) };
        assert!(f.allows(&mask(&[0, 1])) && f.allows(&mask(&[0, 70])));
        for refused in [&[0][..], &[1, 70], &[0, 1, 3], &[0, 70, 300]] {
            assert!(!f.allows(&mask(refused)), "{refused:?}");
        }
        assert!(TagFilter::default().allows(&mask(&[])) && TagFilter::default().allows(&mask(&[0, 511])));
    }

    #[test]
    fn queries_leave_out_what_is_no_locomotion_unless_they_ask_for_it() {
        // Walk, walk to the left, fall to the left (9 is the tag of what is no locomotion).
        let sets = [&[0][..], &[0, 1], &[1, 2, 9]].map(mask);
        let aside = Aside::new(Some(9), &sets);
        let passes = |f: TagFilter| sets.map(|s| aside.left_out(f).allows(&s));
        assert_eq!(passes(TagFilter::default()), [true, true, false]);
        assert_eq!(passes(TagFilter::required(mask(&[1]))), [false, true, false]);
        assert_eq!(passes(TagFilter::required(mask(&[2]))), [false, false, true]);
        assert_eq!(passes(TagFilter::any(mask(&[0, 2]))), [true, true, true]);
        assert_eq!(passes(TagFilter::forbidden(mask(&[0]))), [false, false, false]);
        for none in [Aside::new(None, &sets[..2]), Aside::new(Some(9), &sets[2..])] {
            assert!(none.left_out(TagFilter::default()).is_open());
        }
    }

    #[test]
    fn a_summary_never_rules_out_a_row_that_passes() {
        let sets = [&[0, 5][..], &[64], &[5, 69], &[69, 500], &[]];
        for filter_tags in [&[0][..], &[5], &[64], &[69, 500], &[133]] {
            for f in [TagFilter::required, TagFilter::any, TagFilter::forbidden].map(|f| f(mask(filter_tags))) {
                let passes = sets.iter().any(|s| f.allows(&mask(s)));
                let below = TagSummary::of(sets.iter().map(|s| TagSummary::row(&mask(s))));
                assert!(!passes || f.may_allow(&below), "{filter_tags:?}");
            }
        }
        let all = TagSummary::of([&[1, 2][..], &[2, 3]].iter().map(|s| TagSummary::row(&mask(s))));
        assert!(all.always(2) && !all.always(1) && all.ever(3) && !all.ever(4) && TagSummary::UNKNOWN.ever(4));
        assert!(!TagFilter::required(mask(&[4])).may_allow(&all) && !TagFilter::forbidden(mask(&[2])).may_allow(&all));
    }
}
