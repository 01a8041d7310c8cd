//! The best matches so far, in order, and what a row may cost at most to join them.

use super::Match;
use super::moments::Moments;

/// Keeps the best `k` of all that is offered. Does not allocate: the caller brings the room.
#[derive(Debug)]
pub struct Best<'a> {
    kept: &'a mut [Match],
    len: usize,
    limit: f32,
    /// Keeps one row of each.
    moments: Option<Moments<'a>>,
}

impl<'a> Best<'a> {
    /// Nothing yet; nothing costlier than `max_cost` will be kept, and nothing that overflows.
    pub fn new(room: &'a mut [Match], max_cost: f32) -> Self {
        let limit = if room.is_empty() { f32::NEG_INFINITY } else { max_cost.min(f32::MAX) };
        Self { kept: room, len: 0, limit, moments: None }
    }

    /// Keeps only the best row of each moment. The rows that are kept do not depend on the order in which they are offered:
    /// they are the best of the best rows of all moments.
    pub(super) fn one_per_moment(self, moments: Moments<'a>) -> Self {
        Self { moments: Some(moments), ..self }
    }

    /// The highest cost that may still be kept. A row that costs as much may win by its place alone, so nothing may be
    /// skipped that could cost exactly this.
    #[inline]
    pub fn limit(&self) -> f32 {
        self.limit
    }

    /// Keeps a match if it is among the best: by cost, then what plays, then unmirrored, then the lowest row. NaN never is.
    pub fn offer(&mut self, new: Match) {
        if !is_within(new.cost, self.limit) {
            return;
        }
        if let Some(at) = self.same_moment(&new) {
            if !precedes(&new, &self.kept[at]) {
                return;
            }
            self.kept[at..self.len].rotate_left(1);
            self.len -= 1;
        }
        let after = self.kept[..self.len].iter().rev().take_while(|old| precedes(&new, old)).count();
        let at = self.len - after;
        if at == self.kept.len() {
            return;
        }
        self.len = (self.len + 1).min(self.kept.len());
        self.kept[at..self.len].rotate_right(1);
        self.kept[at] = new;
        if self.len == self.kept.len() {
            self.limit = self.kept[self.len - 1].cost;
        }
    }

    /// The index of the row that is kept of the same moment.
    #[inline]
    fn same_moment(&self, new: &Match) -> Option<usize> {
        let moments = self.moments.as_ref().filter(|_| !new.continuing)?;
        self.kept[..self.len].iter().position(|old| !old.continuing && moments.same(old, new))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }
}

/// False for NaN too: infinity times a multiplier of 0 must not look like a match.
#[inline]
pub fn is_within(cost: f32, limit: f32) -> bool {
    cost <= limit
}

fn precedes(a: &Match, b: &Match) -> bool {
    let place = |m: &Match| (!m.continuing, m.mirrored, m.row);
    a.cost < b.cost || (a.cost == b.cost && place(a) < place(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::RowIndex;

    fn row(row: usize, cost: f32) -> Match {
        Match { row: RowIndex::new(row), cost, ..Match::default() }
    }

    #[test]
    fn the_best_stay_in_order_whatever_the_order_they_come_in() {
        let mut room = [Match::default(); 3];
        let mut best = Best::new(&mut room, 10.0);
        for m in [row(9, 2.0), row(1, 11.0), row(8, 1.0), row(2, 2.0), row(7, f32::NAN), row(3, 2.0), row(4, 5.0)] {
            best.offer(m);
        }
        assert_eq!((best.len(), best.limit()), (3, 2.0));
        assert_eq!(room.map(|m| m.row.0), [8, 2, 3]);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let mut best = Best::new(&mut [], f32::INFINITY);
        best.offer(row(0, 0.0));
        assert_eq!(best.len(), 0);
    }
}
