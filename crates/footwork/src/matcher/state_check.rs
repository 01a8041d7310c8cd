//! Checks that a character can continue from a state. The check runs before anything moves, in time that does not depend on the
//! values.

use super::character::Character;
use super::played::Played;
use super::state::{Anchor, CONTROL_S, MatcherState, STATE_VERSION, StateHeader};
use crate::adjust::feet::Foot;
use crate::blend::is_blend;
use crate::input::InputError;
use crate::math::{Quat, Transform};
use crate::trajectory::{Simulation, history};
use bytemuck::bytes_of;
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
        if !ours || !character.source.has(&h.playing) {
            return Err(InputError::ForeignState { character: index });
        }
        let damaged = |field| Err(InputError::DamagedState { character: index, field });
        // In a loop, whole cycles are subtracted at every tick: a value within the limit costs no more than a few of them.
        let span = character.source.span(h.playing.clip);
        let longest_s = if span.looping { span.seconds + LOOP_LAG_S } else { LONGEST_S };
        if let Some(field) = h.damaged_field(longest_s, largest) {
            return damaged(field);
        }
        if !character.source.is_memory(&h.playing, &self.block[layout.memory.clone()]) {
            return damaged("block (motion)");
        }
        if !character.director.is_memory(self.director(layout)) {
            return damaged("block (machine)");
        }
        if !usable(&self.block, largest) {
            return damaged("block");
        }
        if self.feet(layout).iter().any(|foot| !foot_is_usable(foot)) {
            return damaged("block (feet)");
        }
        let samples = layout.history.len() / history::WIDTH;
        let remembered_s = h.history_count as f64 * f64::from(history::STEP_S);
        if samples > 0 && (remembered_s - h.time_s).abs() > LAG_S {
            return damaged("history_count");
        }
        Ok(())
    }
}

impl StateHeader {
    /// Returns the first field that no update can produce.
    fn damaged_field(&self, longest_s: f64, largest: f32) -> Option<&'static str> {
        // Every field is named, so that a new one must be checked here.
        let Self {
            version: _,
            database: _,
            time_s,
            next_search,
            next_control,
            searches: _,
            transitions: _,
            playing,
            entered_s,
            played,
            touching: _,
            play_rate,
            stranded: _,
            events_s,
            since_transition_s,
            blend_s,
            animated_root,
            root_offset,
            root_turn,
            root_slip,
            pelvis,
            pelvis_needed_m,
            warp,
            corrections,
            simulation,
            anchor,
            desired,
            searched_velocity,
            searched_facing,
            path,
            goal_signature: _,
            history_count: _,
        } = self;
        let past = |s: f64| (0.0..=LONGEST_S).contains(&s);
        let clip_time = |s: f64| s.abs() <= longest_s;
        // A tick is due now or soon.
        let ticks = *next_control == 0 || (*next_control as f64 * CONTROL_S - time_s).abs() <= LAG_S;
        let warp_numbers = [
            warp.turn.value,
            warp.turn.velocity,
            warp.turn_goal,
            warp.travel.value,
            warp.travel.velocity,
            warp.travel_goal,
            warp.longer_goal,
        ];
        let stride = bytemuck::cast_slice::<u8, f32>(bytes_of(&warp.stride));
        let c = corrections;
        let own_ground = [c.own_ground.value, c.own_ground.velocity];
        let fields = [
            ("time_s", past(*time_s)),
            ("next_search", *next_search <= 1 << 53),
            ("next_control", ticks),
            ("playing.time_s", clip_time(playing.time_s)),
            ("entered_s", clip_time(*entered_s)),
            ("played", played.iter().all(Played::is_usable)),
            ("play_rate", (0.0..=20.0).contains(play_rate)),
            ("events_s", clip_time(*events_s)),
            ("since_transition_s", is_duration(*since_transition_s)),
            ("blend_s", is_blend(*blend_s)),
            ("animated_root", is_place(animated_root, largest)),
            ("root_offset", usable(bytemuck::cast_slice::<u8, f32>(bytes_of(root_offset)), largest)),
            ("root_turn", usable(bytemuck::cast_slice::<u8, f32>(bytes_of(root_turn)), largest)),
            ("root_slip", is_vector(*root_slip, largest)),
            ("pelvis", usable(&[pelvis.value, pelvis.velocity, *pelvis_needed_m], largest)),
            ("warp", usable(&warp_numbers, largest) && usable(stride, largest)),
            ("corrections.own_ground", usable(&own_ground, largest)),
            ("corrections.body", usable(bytemuck::cast_slice::<u8, f32>(bytes_of(&c.body)), largest)),
            ("corrections.gaze", usable(bytemuck::cast_slice::<u8, f32>(bytes_of(&c.gaze)), largest)),
            ("corrections.hands", usable(bytemuck::cast_slice::<u8, f32>(bytes_of(&c.hands)), largest)),
            ("simulation", is_simulation(simulation, largest)),
            ("anchor", anchor.is_usable(*time_s, longest_s, largest)),
            (
                "desired",
                is_vector(desired.velocity, largest) && is_facing(desired.facing) && usable(&[desired.gait], largest),
            ),
            ("searched_velocity", is_vector(*searched_velocity, largest)),
            ("searched_facing", is_facing(*searched_facing)),
            ("path.distance_m", usable(&[path.distance_m], largest)),
        ];
        fields.iter().find(|(_, good)| !good).map(|(field, _)| *field)
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
    foot.since_s >= 0.0 && foot.held_s >= 0.0 && (0.0..=1.0).contains(&foot.stands)
}

fn usable(values: &[f32], largest: f32) -> bool {
    values.iter().all(|v| v.abs() <= largest)
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
