//! Tags of rows: opaque sets of a database.

use serde::{Deserialize, Serialize};
use std::ops::{BitOr, BitOrAssign};

/// Number of words of a mask.
const WORDS: usize = 8;

/// Value of [`super::Database::NO_LOCOMOTION`].
pub(super) const NO_LOCOMOTION: &str = "no_locomotion";

/// A set of tags of one database; [`super::Database::tag_mask`] returns one by name. Masks combine with `
/// `. Default: empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TagMask([u64; WORDS]);

impl TagMask {
    /// Maximum number of tags of a database.
    pub(crate) const CAPACITY: usize = 64 * WORDS;
    const EMPTY: Self = Self([0; WORDS]);

    /// Returns the set of one tag, by its index in [`super::DatabaseContent::tags`].
    pub(crate) fn of(tag: usize) -> Self {
        let mut mask = Self::EMPTY;
        mask.0[tag / 64] |= 1 << (tag % 64);
        mask
    }

    /// Returns true if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Returns true if all tags of `other` are in the set.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }

    /// Returns true if any tag of `other` is in the set.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Returns true if the tag with this index is in the set.
    #[inline]
    pub(crate) fn has(&self, tag: usize) -> bool {
        self.0[tag / 64] >> (tag % 64) & 1 == 1
    }

    /// Returns the tags of this set that are not in the other.
    pub(super) fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    /// Returns the indices of the tags in the set.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::CAPACITY).filter(move |tag| self.has(*tag))
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
