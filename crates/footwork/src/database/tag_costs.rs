//! What rows cost more or less for their tags.

use super::tag_sets::{SETS_IN_BITS, SetBits};
use super::{Database, TagQuery};

/// A soft preference: what rows with some tags cost more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TagCost {
    /// The rows.
    pub tags: TagQuery,
    /// Added to their cost, in the units of `search.transition_cost`. Negative costs attract. Finite.
    pub cost: f32,
}

/// [`TagCost`]s resolved for one database: the cost of each of its sets of tags. Has room of a fixed size.
#[derive(Clone, Debug)]
pub struct TagCosts {
    /// Room for [`TagCosts::MOST`].
    costs: Vec<TagCost>,
    /// Of the first sets; of others it is summed row by row.
    of_sets: Box<[f32; SETS_IN_BITS]>,
    /// By bit of [`SetBits`], the least of the sets that share it; infinite for none.
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
    /// Costs of one search at most.
    pub const MOST: usize = 16;

    /// These costs (the first [`TagCosts::MOST`] of them), for a new one.
    pub fn of(db: &Database, costs: &[TagCost]) -> Self {
        let mut new = Self::default();
        new.set(db, costs);
        new
    }

    /// These costs (the first [`TagCosts::MOST`] of them), in the place of those before. Allocates nothing.
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

    /// Without rounding that depends on anything but the order of the costs.
    fn sum(&self, holds: impl Fn(&TagQuery) -> bool) -> f32 {
        self.costs.iter().fold(0.0, |sum, c| if holds(&c.tags) { sum + c.cost } else { sum })
    }

    /// The costs.
    pub fn costs(&self) -> &[TagCost] {
        &self.costs
    }

    /// True when no row costs more or less.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// What a row costs more.
    #[inline]
    pub fn of_row(&self, db: &Database, row: usize) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let set = db.tag_sets.of_row(row);
        self.of_sets.get(set).copied().unwrap_or_else(|| self.sum(|query| query.holds(&db.tag_sets.sets[set])))
    }

    /// No row costs less.
    #[inline]
    pub(crate) fn least(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.least_of_all }
    }

    /// No row with these sets costs less.
    #[inline]
    pub(crate) fn least_among(&self, sets: SetBits) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        sets.iter().fold(f32::INFINITY, |least, bit| least.min(self.least[bit]))
    }
}
