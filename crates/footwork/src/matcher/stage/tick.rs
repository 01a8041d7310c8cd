//! The control tick of playback: memory of the source, contacts, play rate, director.

use super::choose::directed;
use super::contacts::write_touching;
use super::play::SLOWEST;
use crate::input::MotionInput;
use crate::matcher::character::Character;
use crate::matcher::output::{Footstep, Output};
use crate::matcher::scratch::Scratch;
use crate::matcher::source::SourceScratch;
use crate::matcher::state::MatcherState;
use crate::matcher::state_groups::{CONTROL_S, Playback};
use crate::math::spring;
use glam::Vec3;

/// Runs a control tick of playback.
pub struct Tick<'a> {
    /// Source of motion, director, settings; read.
    pub character: &'a Character,
    /// Variables and triggers for the director; read.
    pub input: &'a MotionInput<'a>,
    /// Velocity that the goal requests without a maximum, in world space, in m/s.
    pub requested: Vec3,
    /// Playing clip, simulated character; read. Memories of source and director, contacts that touch, play rate; written.
    pub state: &'a mut MatcherState,
    /// Contacts that touch, the source's memory for what the director plays next; written.
    pub scratch: &'a mut Scratch,
    /// Footsteps, events of the director; written.
    pub output: &'a mut Output,
}

impl Tick<'_> {
    /// Runs the tick. Returns true if the director is to choose something else.
    pub fn run(self) -> bool {
        let Self { character, input, requested, state, scratch, output } = self;
        tick_source(character, state, &mut scratch.source);
        write_touching(character, state, scratch);
        tick_contacts(&scratch.touching, &mut state.header.playback, state.header.clock.time_s, output);
        tick_play_rate(character, state, &mut scratch.source);
        character.director.tick(&mut directed(character, input, state, scratch, output), requested)
    }
}

/// Runs a control tick of the source's memory.
fn tick_source(character: &Character, state: &mut MatcherState, scratch: &mut SourceScratch) {
    let memory = &mut state.block[character.resolved.layout.memory.clone()];
    character.source.tick(&state.header.playback.playing, memory, scratch);
}

/// Runs a control tick of the contacts: a foot that touches now (`[contact joints]` 1) and did not at the last tick makes a footstep.
fn tick_contacts(touching: &[u8], playback: &mut Playback, now_s: f64, output: &mut Output) {
    let now = touching.iter().enumerate().take(64);
    let touching = now.fold(0u64, |bits, (slot, touches)| bits | u64::from(*touches == 1) << slot);
    let landed = touching & !playback.touching;
    playback.touching = touching;
    for slot in (0..output.contacts.len().min(64)).filter(|slot| landed >> slot & 1 == 1) {
        let joint = output.contacts[slot].joint;
        output.step(Footstep { joint, time_s: now_s, position: Vec3::ZERO });
    }
}

/// Runs a control tick of the play rate.
fn tick_play_rate(character: &Character, state: &mut MatcherState, scratch: &mut SourceScratch) {
    let (config, layout) = (&character.config, &character.resolved.layout);
    if state.header.choice.stranded {
        state.header.playback.slow_down(character.resolved.springs.velocity_half_life_s);
        return;
    }
    let is_over = character.is_over(&state.header.playback.playing, 0.0);
    if let Some(rate) = character.director.play_rate(state.director(layout), &state.header.playback.playing, is_over) {
        state.header.playback.play_rate = rate;
        return;
    }
    if !config.play_rate.enabled {
        state.header.playback.play_rate = 1.0;
        return;
    }
    let clip = character.source.root_velocity(state.playhead(layout), scratch);
    let h = &mut state.header;
    let ahead = h.root.simulation.position - h.shown_root(&config.transition).translation;
    let (clip, ahead) = (h.root.animated.rotation * clip, Vec3::new(ahead.x, 0.0, ahead.z));
    let rate = &mut h.playback.play_rate;
    *rate = config.play_rate.next(*rate, clip, h.root.simulation.velocity, ahead, CONTROL_S as f32);
}

impl Playback {
    /// Runs a control tick of coming to a halt, with the half-life `half_life_s` of the simulated character.
    fn slow_down(&mut self, half_life_s: f32) {
        self.play_rate *= 1.0 - spring::damp(half_life_s, CONTROL_S as f32);
        if self.play_rate < SLOWEST {
            self.play_rate = 0.0;
        }
    }
}
