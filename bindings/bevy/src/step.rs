//! A frame of one character: if the reports of an update reach their limit, further updates consume the rest of the frame.

use footwork::advanced::matcher::One;
use footwork::input::InputError;
use footwork::matcher::{ActionEvent, FiredEvent, Footstep, Output, StateChange, Turn};
use footwork::math::Transform;

/// Maximum number of updates per frame, each with at most 32 events.
const MOST_UPDATES: usize = 8;

/// Reports of the updates of a frame so far.
#[derive(Debug, Default)]
pub(crate) struct FrameReports {
    events: Vec<FiredEvent>,
    footsteps: Vec<Footstep>,
    state_changes: Vec<StateChange>,
    actions: Vec<ActionEvent>,
    root_delta: Transform,
    consumed_s: f32,
    /// Numbers of searches, exact searches, transitions.
    counts: [u32; 3],
}

impl FrameReports {
    /// Advances a character by a frame with as many calls of `update` as needed. The output then covers the whole frame.
    pub fn step_whole(
        &mut self,
        (turn, dt_s): (Turn, f32),
        one: One,
        mut update: impl FnMut(Turn, f32, One) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        let One { state, scratch, output } = one;
        let mut once = |turn: Turn, dt_s: f32, output: &mut Output| {
            update(turn, dt_s, One { state: &mut *state, scratch: &mut *scratch, output })
        };
        once(turn, dt_s, output)?;
        let mut left_s = dt_s - output.consumed_s;
        if left_s <= 0.0 {
            return Ok(());
        }
        // After the first update, this frame makes no further planned search.
        let turn = if turn == Turn::Now { Turn::Later } else { turn };
        let mut result = Ok(());
        for _ in 1..MOST_UPDATES {
            self.take(output);
            result = once(turn, left_s, output);
            if result.is_err() {
                break;
            }
            left_s -= output.consumed_s;
            if left_s <= 0.0 {
                break;
            }
        }
        self.give(output);
        result
    }

    /// Moves an update's reports out of its output.
    fn take(&mut self, output: &mut Output) {
        self.events.append(&mut output.events);
        self.footsteps.append(&mut output.footsteps);
        self.state_changes.append(&mut output.state_changes);
        self.actions.append(&mut output.actions);
        self.root_delta = self.root_delta * std::mem::take(&mut output.root_delta);
        self.consumed_s += std::mem::take(&mut output.consumed_s);
        let counts = [&mut output.searches, &mut output.exact_searches, &mut output.transitions];
        self.counts.iter_mut().zip(counts).for_each(|(sum, count)| *sum += std::mem::take(count));
    }

    /// Inserts the earlier reports before those of the last update.
    fn give(&mut self, output: &mut Output) {
        output.events.splice(0..0, self.events.drain(..));
        output.footsteps.splice(0..0, self.footsteps.drain(..));
        output.state_changes.splice(0..0, self.state_changes.drain(..));
        output.actions.splice(0..0, self.actions.drain(..));
        output.root_delta = std::mem::take(&mut self.root_delta) * output.root_delta;
        output.consumed_s += std::mem::take(&mut self.consumed_s);
        let counts = [&mut output.searches, &mut output.exact_searches, &mut output.transitions];
        self.counts.iter_mut().zip(counts).for_each(|(sum, count)| *count += std::mem::take(sum));
    }
}
