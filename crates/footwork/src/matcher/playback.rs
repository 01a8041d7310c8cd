//! Playback: advances the playing clip from instant to instant.

use super::character::Update;
use super::output::{EventKind, FiredEvent, Footstep, SAME_INSTANT_S};
use super::state::{CONTROL_S, StateHeader};
use crate::adjust::root::RootMode;
use crate::input::{Goal, GroundHook, GroundPoint};
use crate::math::spring;
use glam::Vec3;

/// Play rate below which playback halts.
const SLOWEST: f32 = 0.01;

/// Returns the horizontal velocity of the ground at a point, in world space, in m/s.
pub(super) fn ground_velocity(ground: &GroundHook, at: Vec3) -> Vec3 {
    GroundPoint::under(ground, at).velocity * Vec3::new(1.0, 0.0, 1.0)
}

impl Update<'_> {
    /// Advances simulation, motion and root from the anchor to `to_s`, without decisions. Returns false if an event in between
    /// had no room. Then it advanced only up to that event.
    pub(super) fn advance(&mut self, to_s: f64) -> bool {
        let (from_s, first) = (self.state.header.time_s, self.output.events.len());
        self.move_to(to_s);
        let dropped = self.report_events(from_s);
        if let Some(dropped_s) = dropped {
            self.output.events.truncate(first);
            self.move_to((dropped_s - 0.5 * SAME_INSTANT_S).max(from_s));
            self.report_events(from_s);
        }
        let h = &mut self.state.header;
        h.events_s = h.events_s.max(h.playing.time_s);
        self.reported(first);
        dropped.is_none()
    }

    fn move_to(&mut self, to_s: f64) {
        let (character, input) = (self.character, self.input);
        let config = &character.config;
        let has_root_motion = self.has_root_motion();
        let h = &mut self.state.header;
        let from = h.anchor;
        let dt_s = (to_s - from.time_s).max(0.0);
        let dt = dt_s as f32;
        (h.simulation, h.animated_root, h.since_transition_s, h.root_slip) =
            (from.simulation, from.animated_root, from.since_transition_s, from.root_slip);
        // A character on a platform moves with it.
        let carried = input.ground.map_or(Vec3::ZERO, |g| ground_velocity(g, from.simulation.position) * dt);
        h.animated_root.translation += carried;
        h.simulation.position += carried;
        let before = h.shown_root(&config.transition);
        let external = input.body.filter(|_| config.root.mode == RootMode::External);
        let unsteered = (matches!(input.goal, Goal::None) && external.is_none()) || has_root_motion;
        let desired = h.desired;
        if let Some(body) = external {
            let gait = (character.resolved.springs.gait_half_life_s, dt);
            h.simulation.follow_body(&body, (to_s - self.end_s) as f32, &desired, gait);
        } else if !unsteered {
            h.simulation.advance_in_world(&desired, &character.resolved.springs, dt, input.collide);
        }
        let to_playing_s = from.playing_s + dt_s * f64::from(h.play_rate);
        let (at, room) = (self.state.playhead(&character.resolved.layout), &mut self.scratch.source);
        let mut step = character.source.displacement(at.at(from.playing_s), room, to_playing_s);
        step.translation = self.state.header.warp.way(step.translation);
        let step = self.way_of_montages(step, from.time_s, to_s);
        let h = &mut self.state.header;
        h.animated_root = h.animated_root * step;
        h.playing.time_s = to_playing_s;
        h.since_transition_s += dt;
        h.time_s = from.time_s + dt_s;
        let moved = h.shown_root(&config.transition);
        self.move_root(before, moved, unsteered, dt);
    }

    /// Makes the shown time, `at_s`, a decision instant: records it in the history, and moves the anchor to it.
    pub(super) fn settle(&mut self, at_s: f64) {
        let character = self.character;
        let transition = &character.config.transition;
        let h = &mut self.state.header;
        let from = h.anchor;
        let then = StateHeader { animated_root: from.animated_root, since_transition_s: from.since_transition_s, ..*h };
        let before = then.shown_root(transition);
        let after = h.shown_root(transition);
        h.time_s = at_s;
        let span = character.source.span(h.playing.clip);
        if span.looping && h.playing.time_s >= span.seconds {
            // Whole cycles are subtracted: an hour in a loop must cost no more than a second.
            let cycles_s = (h.playing.time_s / span.seconds).floor() * span.seconds;
            h.playing.time_s -= cycles_s;
            h.events_s -= cycles_s;
            // Only the last cycle of a stretch counts.
            h.entered_s = (h.entered_s - cycles_s).max(h.playing.time_s - span.seconds);
        }
        h.drop_anchor();
        self.state.history(&character.resolved.layout).record(before, after, from.time_s, at_s);
    }

    /// Runs a control tick of the source's memory.
    pub(super) fn tick_source(&mut self) {
        let playing = self.state.header.playing;
        let memory = &self.character.resolved.layout.memory;
        let memory = &mut self.state.block[memory.clone()];
        self.character.source.tick(&playing, memory, &mut self.scratch.source);
    }

    /// Runs a control tick of the contacts: a foot that touches now and did not at the last tick makes a footstep.
    pub(super) fn tick_contacts(&mut self) {
        self.gather_touching();
        let h = &mut self.state.header;
        let now = self.scratch.touching.iter().enumerate().take(64);
        let touching = now.fold(0u64, |bits, (slot, touches)| bits | u64::from(*touches == 1) << slot);
        let landed = touching & !h.touching;
        h.touching = touching;
        for slot in (0..self.output.contacts.len().min(64)).filter(|slot| landed >> slot & 1 == 1) {
            let joint = self.output.contacts[slot].joint;
            self.output.step(Footstep { joint, time_s: h.time_s, position: Vec3::ZERO });
        }
    }

    /// Runs a control tick of the play rate.
    pub(super) fn tick_play_rate(&mut self) {
        let character = self.character;
        let config = &character.config;
        if self.state.header.stranded {
            self.state.header.slow_down(character.resolved.springs.velocity_half_life_s);
            return;
        }
        if let Some(rate) = self.rate_of_state() {
            self.state.header.play_rate = rate;
            return;
        }
        if !config.play_rate.enabled {
            self.state.header.play_rate = 1.0;
            return;
        }
        let clip = self.root_velocity();
        let h = &mut self.state.header;
        let ahead = h.simulation.position - h.shown_root(&config.transition).translation;
        let (clip, ahead) = (h.animated_root.rotation * clip, Vec3::new(ahead.x, 0.0, ahead.z));
        h.play_rate = config.play_rate.next(h.play_rate, clip, h.simulation.velocity, ahead, CONTROL_S as f32);
    }

    /// Reports the events passed since `from_s`, a time of the character. Returns the time of the first event without room.
    fn report_events(&mut self, from_s: f64) -> Option<f64> {
        let (h, output) = (&self.state.header, &mut *self.output);
        let at = self.state.playhead(&self.character.resolved.layout);
        let mut dropped = f64::INFINITY;
        self.character.source.events(at, h.events_s, &mut |at_s, event| {
            let time_s = h.time_s - (h.playing.time_s - at_s) / f64::from(h.play_rate.max(SLOWEST));
            let time_s = time_s.max(from_s);
            let event = FiredEvent { event, time_s, kind: EventKind::Moment, layer: None };
            dropped = dropped.min(output.fire(event).unwrap_or(f64::INFINITY));
        });
        dropped = dropped.min(self.report_layers());
        dropped.is_finite().then_some(dropped)
    }
}

impl StateHeader {
    /// Runs a control tick of coming to a halt, with the half-life `half_life_s` of the simulated character.
    fn slow_down(&mut self, half_life_s: f32) {
        self.play_rate *= 1.0 - spring::damp(half_life_s, CONTROL_S as f32);
        if self.play_rate < SLOWEST {
            self.play_rate = 0.0;
        }
    }
}
