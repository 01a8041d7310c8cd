//! The rows of a database that queries of tags accept.

use super::error::{NameError, position};
use super::tag_query::TagQuery;
use super::tag_sets::{AcceptedTags, SetAside, SetBits};
use super::{Database, TagMask};
use crate::expression::{Expression, ExpressionError};

impl Database {
    /// Returns the query for a text, such as `(walk
    /// run) & !stairs`; see [`crate::expression`]. An empty text accepts every row.
    ///
    /// # Errors
    /// Returns [`ExpressionError`] with the position of invalid text or of an unknown tag, and for a query of more than
    /// [`TagQuery::MOST_PARTS`] parts.
    pub fn tag_query(&self, text: &str) -> Result<TagQuery, ExpressionError> {
        if text.trim().is_empty() {
            return Ok(TagQuery::default());
        }
        let query = Expression::parse(text, |term| match term.comparison {
            Some(_) => Err("tags are there or not; they are not compared with numbers".to_owned()),
            None => position("tag", &self.tags, &term.name).map_err(|e: NameError| e.to_string()),
        })?;
        TagQuery::of_ops(query.ops()).ok_or_else(|| ExpressionError {
            text: text.to_owned(),
            at: 1,
            what: format!(
                "{} names and operators, expected at most {}; mark clips with one tag for several",
                query.ops().len(),
                TagQuery::MOST_PARTS
            ),
        })
    }

    /// Returns the sets of tags that a query accepts. Rows tagged [`Database::NO_LOCOMOTION`] are excluded, unless the query
    /// requests a tag that only such rows have: it names the tag, and not behind an odd number of `!`. Allocates nothing.
    pub fn accepted(&self, query: &TagQuery) -> AcceptedTags {
        self.accepted_by_both(query, &TagQuery::default(), TagMask::default())
    }

    /// Returns the rows for which both queries are true, excluding those with a tag of `without`. The exclusion applies only if
    /// neither query names one of these tags, and if rows remain.
    pub(crate) fn accepted_by_both(&self, a: &TagQuery, b: &TagQuery, without: TagMask) -> AcceptedTags {
        let sets = &self.tag_sets;
        let asks_for = |tags: &TagMask| a.asks_for_any(tags) || b.asks_for_any(tags);
        if a.is_open() && b.is_open() && without.is_empty() {
            return sets.plain;
        }
        let aside = if asks_for(&sets.aside.only) { TagMask::default() } else { sets.aside.tags };
        if !without.is_empty() && !asks_for(&without) {
            let accepted = sets.compile([*a, *b], aside | without);
            if accepted.rows() > 0 {
                return accepted;
            }
        }
        sets.compile([*a, *b], aside)
    }

    /// Returns the acceptance of a plain query, excluding rows with a tag of `tags`.
    pub(crate) fn accepted_without(&self, tags: TagMask) -> AcceptedTags {
        self.tag_sets.compile([TagQuery::default(); 2], tags | self.tag_sets.aside.tags)
    }

    /// Returns the rows that queries exclude unless they request them.
    pub fn set_aside(&self) -> SetAside {
        self.tag_sets.aside
    }

    /// Returns the same database with the exclusion of another one: a part of a database excludes the rows that the whole excludes.
    pub fn setting_aside(self, aside: SetAside) -> Self {
        Self { tag_sets: self.tag_sets.setting_aside(aside), ..self }
    }

    /// Returns true if a row is accepted.
    #[inline]
    pub fn accepts(&self, accepted: &AcceptedTags, row: usize) -> bool {
        accepted.accepts(&self.tag_sets, self.tag_sets.of_row(row))
    }

    /// Returns the tags of a row.
    #[inline]
    pub fn row_tags(&self, row: usize) -> &TagMask {
        &self.tag_sets.sets[self.tag_sets.of_row(row)]
    }

    /// Returns the bit of a row's set.
    pub(crate) fn row_set_bits(&self, row: usize) -> SetBits {
        SetBits::of(self.tag_sets.of_row(row))
    }

    /// Returns the index of a row's set of tags, and the number of rows that have it.
    pub(crate) fn row_set(&self, row: usize) -> (u32, usize) {
        let set = self.tag_sets.of_rows[row];
        (set, self.tag_sets.rows[set as usize])
    }
}
