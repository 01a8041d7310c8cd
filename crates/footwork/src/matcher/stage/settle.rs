//! Decision instants: the shown time becomes the one from which motion is computed.

use crate::matcher::character::Character;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::{LastTransition, Playback};

/// Makes the shown time, `at_s`, a decision instant: records it in the history, and moves the anchor to it.
pub fn settle(character: &Character, state: &mut MatcherState, at_s: f64) {
    let transition = &character.config.transition;
    let h = &mut state.header;
    let from = h.anchor;
    let then = LastTransition { since_s: from.since_transition_s, ..h.transition };
    let before = then.shown_root(from.animated_root, transition);
    let after = h.shown_root(transition);
    h.clock.time_s = at_s;
    let span = character.source.span(h.playback.playing.clip);
    if span.looping {
        h.playback.subtract_cycles(span.seconds);
    }
    h.drop_anchor();
    state.history(&character.resolved.layout).record(before, after, from.time_s, at_s);
}

impl Playback {
    /// Subtracts whole cycles of a loop: an hour in it must cost no more than a second.
    fn subtract_cycles(&mut self, cycle_s: f64) {
        if self.playing.time_s >= cycle_s {
            let cycles_s = (self.playing.time_s / cycle_s).floor() * cycle_s;
            self.playing.time_s -= cycles_s;
            self.events_s -= cycles_s;
            // Only the last cycle of a stretch counts.
            self.entered_s = (self.entered_s - cycles_s).max(self.playing.time_s - cycle_s);
        }
    }
}
