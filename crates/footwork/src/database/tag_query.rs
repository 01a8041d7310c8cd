//! Boolean queries over tags, compiled for evaluation: they select the rows that may be played, or that have a cost bias.

use super::tags::TagMask;
use crate::expression::Op;
use serde::{Deserialize, Serialize};

/// Codes below are terms (indices of tags); operators follow.
const NOT: u16 = TagMask::CAPACITY as u16;
const AND: u16 = NOT + 1;
const OR: u16 = AND + 1;

/// A boolean expression over the tags of one database, created from text by [`super::Database::tag_query`]. The default is true for
/// every row.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u16>", into = "Vec<u16>")]
pub struct TagQuery {
    /// Codes in the order of evaluation: operands before their operator. Unused codes are 0.
    codes: [u16; Self::MOST_PARTS],
    parts: u8,
}

impl Default for TagQuery {
    fn default() -> Self {
        Self { codes: [0; Self::MOST_PARTS], parts: 0 }
    }
}

impl std::fmt::Debug for TagQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TagQuery").field(&self.codes()).finish()
    }
}

fn op(code: u16) -> Op<usize> {
    match code {
        NOT => Op::Not,
        AND => Op::And,
        OR => Op::Or,
        tag => Op::Term(usize::from(tag)),
    }
}

impl TagQuery {
    /// Maximum number of operators and terms of a query, together.
    pub const MOST_PARTS: usize = 63;

    /// Returns the query for rows with all tags of a set; `None` for more than 32 tags.
    pub fn all_of(tags: TagMask) -> Option<Self> {
        Self::joined(tags, AND)
    }

    /// Returns the query for rows with any tag of a set; an empty set gives a query for every row. `None` for more than 32 tags.
    pub fn any_of(tags: TagMask) -> Option<Self> {
        Self::joined(tags, OR)
    }

    /// Returns the query for rows with no tag of a set; `None` for more than 31 tags.
    pub fn none_of(tags: TagMask) -> Option<Self> {
        let any = Self::joined(tags, OR)?;
        if any.is_open() { Some(any) } else { Self::of_codes(any.codes().iter().copied().chain([NOT])) }
    }

    /// Returns the query for rows that both accept; `None` if both are too long for one query.
    pub fn and(&self, other: &Self) -> Option<Self> {
        if self.is_open() || other.is_open() {
            return Some(if self.is_open() { *other } else { *self });
        }
        Self::of_codes(self.codes().iter().chain(other.codes()).copied().chain([AND]))
    }

    fn joined(tags: TagMask, operator: u16) -> Option<Self> {
        let term = |(i, tag): (usize, usize)| std::iter::once(tag as u16).chain((i > 0).then_some(operator));
        Self::of_codes(tags.iter().enumerate().flat_map(term))
    }

    /// Returns the query of an expression over indices of tags; `None` if it has more than [`TagQuery::MOST_PARTS`] parts.
    pub(super) fn of_ops(ops: &[Op<usize>]) -> Option<Self> {
        let code = |op: &Op<usize>| match op {
            Op::Term(tag) => *tag as u16,
            Op::Not => NOT,
            Op::And => AND,
            Op::Or => OR,
        };
        Self::of_codes(ops.iter().map(code))
    }

    /// Returns the query with these [`TagQuery::codes`]; `None` if they are invalid.
    pub(crate) fn of_codes(codes: impl IntoIterator<Item = u16>) -> Option<Self> {
        let (mut query, mut waiting) = (Self::default(), 0);
        for code in codes {
            *query.codes.get_mut(usize::from(query.parts))? = code;
            query.parts += 1;
            let (takes, fits) = match op(code) {
                Op::Term(tag) => (0, tag < TagMask::CAPACITY),
                Op::Not => (1, true),
                Op::And | Op::Or => (2, true),
            };
            if !fits || waiting < takes {
                return None;
            }
            waiting = waiting - takes + 1;
        }
        (waiting == usize::from(query.parts > 0)).then_some(query)
    }

    /// Returns the codes of the query, for storage.
    pub(crate) fn codes(&self) -> &[u16] {
        &self.codes[..usize::from(self.parts)]
    }

    /// Returns true if the query has no terms and thus accepts every row.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.parts == 0
    }

    /// Returns true if the query is true for a row with these tags.
    pub fn holds(&self, tags: &TagMask) -> bool {
        let truths = self.codes().iter().fold(0, |truths, code| op(*code).apply(truths, |tag| tags.has(*tag)));
        self.is_open() || truths & 1 == 1
    }

    /// Returns true if a term behind an even number of `!` (or none) names a tag of a set.
    pub(super) fn asks_for_any(&self, tags: &TagMask) -> bool {
        // Read backwards, every operator precedes its operands. Each bit is 1 if the pending operand is negated.
        let mut awaited = 0u64;
        self.codes().iter().rev().any(|code| {
            let against = awaited & 1;
            awaited >>= 1;
            match op(*code) {
                Op::Term(tag) => return against == 0 && tags.has(tag),
                Op::Not => awaited = awaited << 1 | (against ^ 1),
                Op::And | Op::Or => awaited = awaited << 2 | against << 1 | against,
            }
            false
        })
    }

    /// Returns the first tag that is not in a set and that the query requires, such as `b` of `(a
    /// c) & b`.
    pub(crate) fn missing(&self, tags: &TagMask) -> Option<usize> {
        let needs = |tag: usize| {
            // True for an expression that requires the tag: for "and" if one operand does, for "or" if all do.
            let needs = self.codes().iter().fold(0u64, |needs, code| match op(*code) {
                Op::Not => needs & !1,
                Op::And => Op::Or.apply(needs, |of: &usize| *of == tag),
                Op::Or => Op::And.apply(needs, |of: &usize| *of == tag),
                term => term.apply(needs, |of| *of == tag),
            });
            needs & 1 == 1
        };
        let terms = self.codes().iter().map(|code| usize::from(*code)).filter(|code| *code < TagMask::CAPACITY);
        terms.filter(|tag| !tags.has(*tag)).find(|tag| needs(*tag))
    }
}

impl TryFrom<Vec<u16>> for TagQuery {
    type Error = &'static str;
    fn try_from(codes: Vec<u16>) -> Result<Self, Self::Error> {
        Self::of_codes(codes).ok_or("these numbers are no query of tags")
    }
}

impl From<TagQuery> for Vec<u16> {
    fn from(query: TagQuery) -> Self {
        query.codes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An expression, evaluated directly as a reference.
    #[derive(Clone, Debug)]
    enum Plain {
        Tag(usize),
        Not(Box<Plain>),
        And(Box<Plain>, Box<Plain>),
        Or(Box<Plain>, Box<Plain>),
    }

    /// Tags in the generated expressions.
    const TAGS: [usize; 4] = [0, 63, 64, 511];

    impl Plain {
        fn holds(&self, tags: &TagMask) -> bool {
            match self {
                Self::Tag(tag) => tags.has(*tag),
                Self::Not(a) => !a.holds(tags),
                Self::And(a, b) => a.holds(tags) && b.holds(tags),
                Self::Or(a, b) => a.holds(tags) || b.holds(tags),
            }
        }

        fn codes(&self) -> Vec<u16> {
            match self {
                Self::Tag(tag) => vec![*tag as u16],
                Self::Not(a) => [a.codes(), vec![NOT]].concat(),
                Self::And(a, b) => [a.codes(), b.codes(), vec![AND]].concat(),
                Self::Or(a, b) => [a.codes(), b.codes(), vec![OR]].concat(),
            }
        }

        /// Tags that are requested (behind an even number of `!`), or not.
        fn asked(&self, for_it: bool) -> TagMask {
            match self {
                Self::Tag(tag) if for_it => TagMask::of(*tag),
                Self::Tag(_) => TagMask::default(),
                Self::Not(a) => a.asked(!for_it),
                Self::And(a, b) | Self::Or(a, b) => a.asked(for_it) | b.asked(for_it),
            }
        }
    }

    fn plain() -> impl Strategy<Value = Plain> {
        let leaf = (0..TAGS.len()).prop_map(|tag| Plain::Tag(TAGS[tag]));
        leaf.prop_recursive(6, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Plain::Not(a.into())),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Plain::And(a.into(), b.into())),
                (inner.clone(), inner).prop_map(|(a, b)| Plain::Or(a.into(), b.into())),
            ]
        })
    }

    fn mask(tags: &[usize]) -> TagMask {
        tags.iter().fold(TagMask::default(), |mask, tag| mask | TagMask::of(*tag))
    }

    proptest! {
        #[test]
        fn a_query_is_what_it_would_be_in_code(a in plain(), b in plain()) {
            let queries = [&a, &b].map(|p| TagQuery::of_codes(p.codes()));
            let [Some(query), Some(other)] = queries else {
                prop_assert!(a.codes().len().max(b.codes().len()) > TagQuery::MOST_PARTS);
                return Ok(());
            };
            let both = query.and(&other);
            prop_assert_eq!(both.is_some(), a.codes().len() + b.codes().len() < TagQuery::MOST_PARTS);
            for bits in 0..1usize << TAGS.len() {
                let tags: Vec<usize> = (0..TAGS.len()).filter(|i| bits >> i & 1 == 1).map(|i| TAGS[i]).collect();
                let tags = mask(&tags);
                prop_assert_eq!(query.holds(&tags), a.holds(&tags));
                prop_assert!(both.is_none_or(|both| both.holds(&tags) == (a.holds(&tags) && b.holds(&tags))));
                prop_assert_eq!(query.asks_for_any(&tags), a.asked(true).intersects(&tags));
                // A required tag cannot be replaced: no set without it is accepted.
                if let Some(missing) = query.missing(&tags) {
                    prop_assert!(!tags.has(missing) && !a.holds(&tags));
                }
            }
            let stored = serde_json::to_string(&query).unwrap();
            prop_assert_eq!(serde_json::from_str::<TagQuery>(&stored).unwrap(), query);
        }
    }

    #[test]
    fn sets_become_queries_while_they_fit() {
        let tags = mask(&[3, 300]);
        let of = |query: Option<TagQuery>| [&[][..], &[3], &[3, 300]].map(|tags| query.unwrap().holds(&mask(tags)));
        assert_eq!(of(TagQuery::all_of(tags)), [false, false, true]);
        assert_eq!(of(TagQuery::any_of(tags)), [false, true, true]);
        assert_eq!(of(TagQuery::none_of(tags)), [true, false, false]);
        for open in [TagQuery::all_of, TagQuery::any_of, TagQuery::none_of].map(|f| f(TagMask::default())) {
            assert_eq!(open, Some(TagQuery::default()));
        }
        let many = |n: usize| mask(&(0..n).collect::<Vec<_>>());
        assert!(TagQuery::all_of(many(32)).is_some() && TagQuery::all_of(many(33)).is_none());
        assert!(TagQuery::none_of(many(31)).is_some() && TagQuery::none_of(many(32)).is_none());
    }

    #[test]
    fn a_tag_is_missing_where_nothing_else_will_do() {
        let (a, b) = (0u16, 1u16);
        let missing = |codes: &[u16], tags: &[usize]| TagQuery::of_codes(codes.to_vec()).unwrap().missing(&mask(tags));
        assert_eq!(missing(&[a, b, AND], &[0]), Some(1));
        assert_eq!(missing(&[a, b, AND], &[0, 1]), None);
        assert_eq!(missing(&[a, b, OR], &[0]), None);
        assert_eq!(missing(&[b, b, OR], &[0]), Some(1));
        assert_eq!(missing(&[a, b, NOT, AND], &[0]), None);
        assert_eq!(missing(&[a, b, OR, b, AND], &[0]), Some(1));
    }

    #[test]
    fn numbers_that_are_no_query_are_refused() {
        for codes in [&[NOT][..], &[0, AND], &[0, 1], &[OR + 1], &[0, u16::MAX, OR], &[0; 64]] {
            assert_eq!(TagQuery::of_codes(codes.iter().copied()), None, "{codes:?}");
        }
    }
}
