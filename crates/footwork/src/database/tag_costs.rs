//! Cost biases of rows, by tag.

use super::tag_sets::{SETS_IN_BITS, SetBits};
use super::{Database, TagQuery};

/// A soft preference: a cost bias for rows with some tags.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TagCost {
    /// Query for the rows.
    pub tags: TagQuery,
    /// Cost added to these rows, in the units of `search.transition_cost`. A negative cost attracts. Must be finite.
    pub cost: f32,
}

/// [`TagCost`]s resolved for one database: the cost of each of its sets of tags. The capacity is fixed.
#[derive(Clone, Debug)]
pub struct TagCosts {
    /// Capacity for [`TagCosts::MOST`] costs.
    costs: Vec<TagCost>,
    /// Costs of the first sets. The costs of further sets are summed for each row.
    of_sets: Box<[f32; SETS_IN_BITS]>,
    /// By bit of [`SetBits`]: the lowest cost of the sets that share it; infinite if there is none.
    least: [f32; SetBits::BITS],
    least_of_all: f32,
}

impl Default for TagCosts {
    fn default() -> Self {
        Self {
            costs: Vec::with_capacity(Self::MOST),
            of_sets: Box::new([0.0; SETS_IN_BITS]),
            least: [0.0; SetBits::BITS],
            least_of_all: 0.0,
        }
    }
}

impl TagCosts {
    /// Maximum number of costs in one search.
    pub const MOST: usize = 16;

    /// Returns these costs (the first [`TagCosts::MOST`] of them).
    pub fn of(db: &Database, costs: &[TagCost]) -> Self {
        let mut new = Self::default();
        new.set(db, costs);
        new
    }

    /// Replaces the costs by these (the first [`TagCosts::MOST`] of them). Allocates nothing.
    pub fn set(&mut self, db: &Database, costs: &[TagCost]) {
        self.costs.clear();
        self.costs.extend(costs.iter().take(Self::MOST));
        if self.costs.is_empty() {
            return;
        }
        self.least.fill(f32::INFINITY);
        for (set, tags) in db.tag_sets.sets.iter().enumerate() {
            let cost = self.sum(|query| query.holds(tags));
            if let Some(of_set) = self.of_sets.get_mut(set) {
                *of_set = cost;
            }
            let least = &mut self.least[set % SetBits::BITS];
            *least = least.min(cost);
        }
        self.least_of_all = self.least.iter().copied().fold(f32::INFINITY, f32::min);
    }

    /// Returns the sum of the costs that apply. Its rounding depends only on the order of the costs.
    fn sum(&self, holds: impl Fn(&TagQuery) -> bool) -> f32 {
        self.costs.iter().fold(0.0, |sum, c| if holds(&c.tags) { sum + c.cost } else { sum })
    }

    /// Returns the costs.
    pub fn costs(&self) -> &[TagCost] {
        &self.costs
    }

    /// Returns true if there are no costs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// Returns the cost bias of a row.
    #[inline]
    pub fn of_row(&self, db: &Database, row: usize) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let set = db.tag_sets.of_row(row);
        self.of_sets.get(set).copied().unwrap_or_else(|| self.sum(|query| query.holds(&db.tag_sets.sets[set])))
    }

    /// Returns a lower bound of the cost bias of all rows.
    #[inline]
    pub(crate) fn least(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.least_of_all }
    }

    /// Returns a lower bound of the cost bias of rows with these sets.
    #[inline]
    pub(crate) fn least_among(&self, sets: SetBits) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        sets.iter().fold(f32::INFINITY, |least, bit| least.min(self.least[bit]))
    }
}
