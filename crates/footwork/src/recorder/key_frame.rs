//! Key frames: the exact state of a character as bytes, from which a replay can begin.

use super::bytes::{Coded, Damage, Reader, Writer, fields, plain, take_plain};
use crate::adjust::stride_warp::StrideWarp;
use crate::blend::Offset;
use crate::frames::ClipIndex;
use crate::matcher::played::Played;
use crate::matcher::state_groups::{
    Anchor, Clock, Corrections, GoalState, LastChoice, LastTransition, LegState, Playback, RootState, STATE_VERSION,
};
use crate::matcher::warp::Warp;
use crate::matcher::{MatcherState, Playing, StateHeader};
use crate::math::spring::Spring;
use crate::math::{Facing, Quat, Transform};
use crate::trajectory::{Desired, PathProgress, Simulation};
use bytemuck::{cast_slice, cast_slice_mut};

plain!(Spring, Offset, StrideWarp, Corrections, Quat);

impl Coded for ClipIndex {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
    }
    fn take(from: &mut Reader) -> Result<Self, Damage> {
        u32::take(from).map(Self)
    }
}

fields! {
    Facing { x, z }
    Transform { translation, rotation }
    Playing { clip, mirrored, time_s }
    Played { clip, mirrored, from_s, to_s, ended_s }
    Desired { velocity, facing, gait }
    PathProgress { id, distance_m }
    Simulation { position, velocity, acceleration, facing, yaw_rate_radps, gait, gait_rate }
    Warp { turn, turn_goal, travel, travel_goal, stride, longer_goal }
    Anchor { time_s, playing_s, since_transition_s, animated_root, root_slip, simulation }
}

/// Encodes the header field by field, in the given order. The shape names every field of every group.
macro_rules! header {
    ($shape:tt [$($field:ident),* $(,)?]) => {
        impl Coded for StateHeader {
            fn put(&self, to: &mut Writer) {
                let StateHeader $shape = self;
                $($field.put(to);)*
            }
            fn take(from: &mut Reader) -> Result<Self, Damage> {
                $(let $field = Coded::take(from)?;)*
                Ok(StateHeader $shape)
            }
        }
    };
}

header! {
    {
        version,
        database,
        clock: Clock { time_s, next_search, next_control, history_count },
        goal: GoalState { signature, desired, ticked, turn_radps, path },
        choice: LastChoice { searches, stranded, searched_velocity, searched_facing },
        playback: Playback { playing, entered_s, events_s, play_rate, touching, played },
        transition: LastTransition { count, since_s, blend_s, root_offset, root_turn },
        root: RootState { animated, slip, simulation },
        anchor,
        legs: LegState { pelvis, pelvis_needed_m, warp },
        corrections,
    }
    [
        version, database, time_s, next_search, next_control, searches, count, playing, entered_s, played, touching, play_rate,
        stranded, events_s, since_s, blend_s, animated, root_offset, root_turn, slip, pelvis, pelvis_needed_m, warp,
        corrections, simulation, anchor, desired, searched_velocity, searched_facing, path, signature, history_count,
        ticked, turn_radps,
    ]
}

/// The state of a character before an update.
#[derive(Debug)]
pub struct KeyFrame {
    /// True if the character was changed since the previous update (restored or teleported), or if the recording begins.
    pub jump: bool,
    pub state: MatcherState,
}

/// Maximum size of a header, in bytes.
pub const HEADER_ROOM: usize = 2048;

/// Returns the maximum size of a key frame in bytes, for `block` floats in the block of a state.
pub fn key_frame_room(block: usize) -> usize {
    HEADER_ROOM + size_of::<f32>() * block
}

pub fn put_key_frame(jump: bool, state: &MatcherState, to: &mut Writer) {
    jump.put(to);
    state.header.put(to);
    to.put_bytes(cast_slice(&state.block));
}

/// Reads a header of a state of this version.
fn take_header(from: &mut Reader) -> Result<StateHeader, Damage> {
    let header: StateHeader = Coded::take(from)?;
    if header.version == STATE_VERSION {
        Ok(header)
    } else {
        Err(Damage("a state of another version; record it again"))
    }
}

impl KeyFrame {
    /// Reads a key frame into this one. The block must have the same number of floats.
    pub fn read(&mut self, from: &mut Reader) -> Result<(), Damage> {
        self.jump = Coded::take(from)?;
        self.state.header = take_header(from)?;
        let bytes = from.take_bytes(size_of_val(self.state.block.as_slice()))?;
        cast_slice_mut(&mut self.state.block).copy_from_slice(bytes);
        Ok(())
    }

    /// Reads the first key frame of a recording, for states with `block` floats in their block.
    ///
    /// # Errors
    /// Returns [`Damage`] if the bytes do not contain such a key frame.
    pub fn first(block: usize, from: &mut Reader) -> Result<Self, Damage> {
        if block.saturating_mul(size_of::<f32>()) > from.left() {
            return Err(Damage("the size of a state"));
        }
        let (jump, header) = (Coded::take(from)?, take_header(from)?);
        let mut key = Self { jump, state: MatcherState { header, block: vec![0.0; block] } };
        let bytes = from.take_bytes(size_of_val(key.state.block.as_slice()))?;
        cast_slice_mut(&mut key.state.block).copy_from_slice(bytes);
        Ok(key)
    }
}

/// Returns true for states that are identical, except for the sign of zeros in the header.
pub fn same(a: &MatcherState, b: &MatcherState) -> bool {
    // Bytes are compared many at a time.
    cast_slice::<f32, u8>(&a.block) == cast_slice::<f32, u8>(&b.block) && a.header == b.header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::tests::character;

    #[test]
    fn states_of_other_versions_are_refused() {
        let mut state = character().resting_state();
        let read = |state: &MatcherState| {
            let mut to = Writer::new(key_frame_room(state.block.len()));
            put_key_frame(false, state, &mut to);
            KeyFrame::first(state.block.len(), &mut Reader::new(to.bytes())).map(|key| key.state)
        };
        assert_eq!(read(&state).as_ref(), Ok(&state));
        state.header.version += 1;
        assert!(read(&state).is_err_and(|Damage(what)| what.contains("another version")));
    }
}
