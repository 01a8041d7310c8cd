//! Checks that a character can continue from a state. The check runs before anything moves, in time that does not depend on the
//! values.

use super::character::Character;
use super::played::Played;
use super::state::{MatcherState, StateHeader};
use super::state_groups::{
    Anchor, CONTROL_S, Clock, GoalState, LastChoice, LastTransition, LegState, Playback, RootState, STATE_VERSION,
};
use super::warp::Warp;
use crate::adjust::feet::Foot;
use crate::blend::is_blend;
use crate::input::InputError;
use crate::math::{Quat, Transform};
use crate::trajectory::{Desired, Simulation, history};
use bytemuck::{NoUninit, bytes_of};
use glam::Vec3;

/// Maximum time since the start, in seconds: about thirty years.
const LONGEST_S: f64 = 1e9;
/// Maximum magnitude of metres, seconds, radians and their rates in a state that continues. Values computed from them stay far
/// within the range of floats.
const LARGEST: f32 = 1e7;
/// The same for a state from outside. Values that updates compute from it stay below [`LARGEST`].
const LARGEST_RESTORED: f32 = 1e6;
/// Maximum lag of anchor, ticks and history behind the character, in seconds.
const LAG_S: f64 = 1.0;
/// Maximum time beyond the end of a loop that a step can play before whole cycles are subtracted, in seconds.
const LOOP_LAG_S: f64 = 60.0;
/// Maximum error of the length of a unit vector.
const UNIT_ERROR: f32 = 1e-2;

impl MatcherState {
    /// Rejects a state of another character or version, and one that no update can produce. A state that it accepts stays valid
    /// in every update.
    pub(super) fn check(&self, character: &Character, index: usize) -> Result<(), InputError> {
        self.check_up_to(LARGEST_RESTORED, character, index)
    }

    /// The same for a state that continues.
    pub(super) fn check_running(&self, character: &Character, index: usize) -> Result<(), InputError> {
        self.check_up_to(LARGEST, character, index)
    }

    fn check_up_to(&self, largest: f32, character: &Character, index: usize) -> Result<(), InputError> {
        let layout = &character.resolved.layout;
        let h = &self.header;
        let ours = h.version == STATE_VERSION && h.database == character.model.hash && self.block.len() == layout.len();
        if !ours || !character.source.has(&h.playback.playing) {
            return Err(InputError::ForeignState { character: index });
        }
        let damaged = |field| Err(InputError::DamagedState { character: index, field });
        // In a loop, whole cycles are subtracted at every tick: a value within the limit costs no more than a few of them.
        let span = character.source.span(h.playback.playing.clip);
        let longest_s = if span.looping { span.seconds + LOOP_LAG_S } else { LONGEST_S };
        if let Some(field) = h.damaged_field(longest_s, largest) {
            return damaged(field);
        }
        if !character.source.is_memory(&h.playback.playing, &self.block[layout.memory.clone()]) {
            return damaged("block (motion)");
        }
        if !character.director.is_memory(self.director(layout), &h.playback.playing, h.clock.time_s) {
            return damaged("block (machine, action)");
        }
        if !usable(&self.block, largest) {
            return damaged("block");
        }
        if self.feet(layout).iter().any(|foot| !foot_is_usable(foot)) {
            return damaged("block (feet)");
        }
        let samples = layout.history.len() / history::WIDTH;
        let remembered_s = h.clock.history_count as f64 * f64::from(history::STEP_S);
        if samples > 0 && (remembered_s - h.clock.time_s).abs() > LAG_S {
            return damaged("clock.history_count");
        }
        Ok(())
    }
}

// In each group, every field is named, so that a new one must be checked here. Corrections are floats alone, checked as one.

impl StateHeader {
    /// Returns the first field that no update can produce.
    fn damaged_field(&self, longest_s: f64, largest: f32) -> Option<&'static str> {
        let Self {
            version: _,
            database: _,
            clock,
            goal,
            choice,
            playback,
            transition,
            root,
            anchor,
            legs,
            corrections,
        } = self;
        let anchor_is_good = anchor.is_usable(clock.time_s, longest_s, largest);
        clock
            .damaged_field()
            .or_else(|| goal.damaged_field(largest))
            .or_else(|| choice.damaged_field(largest))
            .or_else(|| playback.damaged_field(longest_s))
            .or_else(|| transition.damaged_field(largest))
            .or_else(|| root.damaged_field(largest))
            .or_else(|| first_bad(&[("anchor", anchor_is_good)]))
            .or_else(|| legs.damaged_field(largest))
            .or_else(|| first_bad(&[("corrections", are_usable(corrections, largest))]))
    }
}

/// Returns the first field that is not usable.
fn first_bad(fields: &[(&'static str, bool)]) -> Option<&'static str> {
    fields.iter().find(|(_, good)| !good).map(|(field, _)| *field)
}

impl Clock {
    fn damaged_field(&self) -> Option<&'static str> {
        let Self { time_s, next_search, next_control, history_count: _ } = self;
        // A tick is due now or soon.
        let ticks = *next_control == 0 || (*next_control as f64 * CONTROL_S - time_s).abs() <= LAG_S;
        first_bad(&[
            ("clock.time_s", (0.0..=LONGEST_S).contains(time_s)),
            ("clock.next_search", *next_search <= 1 << 53),
            ("clock.next_control", ticks),
        ])
    }
}

impl GoalState {
    fn damaged_field(&self, largest: f32) -> Option<&'static str> {
        let Self { signature: _, desired, ticked, turn_radps, path } = self;
        let Desired { velocity, facing, gait } = desired;
        let desired = is_vector(*velocity, largest) && is_facing(*facing) && usable(&[*gait], largest);
        first_bad(&[
            ("goal.desired", desired),
            ("goal.ticked", ticked.iter().all(|facing| is_facing(*facing))),
            ("goal.turn_radps", usable(turn_radps, largest)),
            ("goal.path.distance_m", usable(&[path.distance_m], largest)),
        ])
    }
}

impl LastChoice {
    fn damaged_field(&self, largest: f32) -> Option<&'static str> {
        let Self { searches: _, stranded: _, searched_velocity, searched_facing } = self;
        first_bad(&[
            ("choice.searched_velocity", is_vector(*searched_velocity, largest)),
            ("choice.searched_facing", is_facing(*searched_facing)),
        ])
    }
}

impl Playback {
    fn damaged_field(&self, longest_s: f64) -> Option<&'static str> {
        let Self { playing, entered_s, events_s, play_rate, touching: _, played } = self;
        let clip_time = |s: f64| s.abs() <= longest_s;
        first_bad(&[
            ("playback.playing.time_s", clip_time(playing.time_s)),
            ("playback.entered_s", clip_time(*entered_s)),
            ("playback.events_s", clip_time(*events_s)),
            ("playback.play_rate", (0.0..=20.0).contains(play_rate)),
            ("playback.played", played.iter().all(Played::is_usable)),
        ])
    }
}

impl LastTransition {
    fn damaged_field(&self, largest: f32) -> Option<&'static str> {
        let Self { count: _, since_s, blend_s, root_offset, root_turn } = self;
        first_bad(&[
            ("transition.since_s", is_duration(*since_s)),
            ("transition.blend_s", is_blend(*blend_s)),
            ("transition.root_offset", are_usable(root_offset, largest)),
            ("transition.root_turn", are_usable(root_turn, largest)),
        ])
    }
}

impl RootState {
    fn damaged_field(&self, largest: f32) -> Option<&'static str> {
        let Self { animated, slip, simulation } = self;
        first_bad(&[
            ("root.animated", is_place(animated, largest)),
            ("root.slip", is_vector(*slip, largest)),
            ("root.simulation", is_simulation(simulation, largest)),
        ])
    }
}

impl LegState {
    fn damaged_field(&self, largest: f32) -> Option<&'static str> {
        let Self { pelvis, pelvis_needed_m, warp } = self;
        let Warp { turn, turn_goal, travel, travel_goal, stride, longer_goal } = warp;
        let springs = [turn.value, turn.velocity, travel.value, travel.velocity];
        let goals = [*turn_goal, *travel_goal, *longer_goal];
        first_bad(&[
            ("legs.pelvis", are_usable(pelvis, largest)),
            ("legs.pelvis_needed_m", usable(&[*pelvis_needed_m], largest)),
            ("legs.warp", usable(&springs, largest) && usable(&goals, largest) && are_usable(stride, largest)),
        ])
    }
}

impl Played {
    fn is_usable(&self) -> bool {
        [self.from_s, self.to_s, self.ended_s].iter().all(|s| s.abs() <= LONGEST_S)
    }
}

impl Anchor {
    fn is_usable(&self, now_s: f64, longest_s: f64, largest: f32) -> bool {
        let Self { time_s, playing_s, since_transition_s, animated_root, root_slip, simulation } = self;
        (now_s - LAG_S..=now_s + 1e-3).contains(time_s)
            && playing_s.abs() <= longest_s
            && is_duration(*since_transition_s)
            && is_place(animated_root, largest)
            && is_vector(*root_slip, largest)
            && is_simulation(simulation, largest)
    }
}

fn is_simulation(s: &Simulation, largest: f32) -> bool {
    is_vector(s.position, largest)
        && is_vector(s.velocity, largest)
        && is_vector(s.acceleration, largest)
        && is_facing(s.facing)
        && usable(&[s.yaw_rate_radps, s.gait, s.gait_rate], largest)
}

/// Times since an event are not negative.
fn foot_is_usable(foot: &Foot) -> bool {
    let shares = [foot.stands, foot.follows].iter().all(|share| (0.0..=1.0).contains(share));
    foot.since_s >= 0.0 && foot.held_s >= 0.0 && foot.heading.since_s >= 0.0 && shares
}

/// Returns true if no float of a value exceeds `largest` in magnitude.
fn are_usable<T: NoUninit>(value: &T, largest: f32) -> bool {
    usable(bytemuck::cast_slice::<u8, f32>(bytes_of(value)), largest)
}

/// Returns true if no value exceeds `largest` in magnitude. Does not stop at the first one, so that several are compared at once.
fn usable(values: &[f32], largest: f32) -> bool {
    values.iter().fold(true, |good, v| good & (v.abs() <= largest))
}

fn is_duration(seconds: f32) -> bool {
    (0.0..=LONGEST_S as f32).contains(&seconds)
}

fn is_vector(v: Vec3, largest: f32) -> bool {
    usable(&v.to_array(), largest)
}

fn is_facing(f: crate::math::Facing) -> bool {
    ((f.x * f.x + f.z * f.z).sqrt() - 1.0).abs() <= UNIT_ERROR
}

fn is_place(t: &Transform, largest: f32) -> bool {
    is_vector(t.translation, largest) && is_unit(t.rotation)
}

fn is_unit(q: Quat) -> bool {
    (q.length() - 1.0).abs() <= UNIT_ERROR
}
