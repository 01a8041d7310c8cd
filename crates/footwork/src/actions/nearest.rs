//! The candidate that misses least.

use super::refusal::Miss;

/// The candidate that misses least.
#[derive(Default)]
pub struct Nearest {
    /// The action that misses least, as its index in [`Actions::all`](super::table::Actions::all), and what it misses.
    pub found: Option<(usize, Miss)>,
    /// True if another position or time of the character could change what was missed.
    pub may_change: bool,
}

impl Nearest {
    /// Notes what action `k` misses; `may_change` if another position or time of the character could change it.
    pub fn note(&mut self, k: usize, miss: Miss, may_change: bool) {
        self.may_change |= may_change;
        keep_nearest(&mut self.found, k, miss);
    }

    /// Returns true if candidates that exceed a limit by this factor at least change neither a plan nor a refusal. Notes them.
    pub fn is_no_match(&mut self, factor: f32, is_planned: bool) -> bool {
        let is_no_match = factor > 1.0 && (is_planned || self.found.is_some_and(|(_, (least, _))| factor > least));
        self.may_change |= is_no_match;
        is_no_match
    }
}

/// Keeps a miss, with its owner, if it exceeds its limit by less than the one before.
pub fn keep_nearest<T: Copy>(nearest: &mut Option<(T, Miss)>, owner: T, miss: Miss) {
    if nearest.is_none_or(|(_, (factor, _))| miss.0 < factor) {
        *nearest = Some((owner, miss));
    }
}
