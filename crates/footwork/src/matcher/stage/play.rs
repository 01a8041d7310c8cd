//! Playback: advances the playing clip from instant to instant.

use super::predict::around;
use super::root::Root;
use crate::adjust::root::RootMode;
use crate::input::{Goal, GroundPoint, MotionInput};
use crate::matcher::acted::Acted;
use crate::matcher::character::Character;
use crate::matcher::director::{OwnedRoot, ReportTimes};
use crate::matcher::output::{EventKind, FiredEvent, Output, SAME_INSTANT_S};
use crate::matcher::source::SourceScratch;
use crate::matcher::state::{MatcherState, StateHeader};
use crate::matcher::state_groups::{CONTROL_S, Clock, RootState};
use glam::Vec3;

/// Play rate below which playback halts.
pub const SLOWEST: f32 = 0.01;
/// Upper bound of the rounding error of the character's time, in seconds. It is smaller than the margin by which a step stops
/// before an event that has no room.
const ROUNDING_S: f64 = 1e-7;

/// Advances simulation, motion and root from the last decision instant, without decisions.
pub struct Play<'a> {
    /// Source of motion, director, settings; read.
    pub character: &'a Character,
    /// Goal, body of the game, ground, obstacles; read.
    pub input: &'a MotionInput<'a>,
    /// The character's time at the end of the step, in seconds.
    pub end_s: f64,
    /// Anchor; read. Simulated character, animated root, times; written.
    pub state: &'a mut MatcherState,
    /// Working space of the source.
    pub scratch: &'a mut SourceScratch,
    /// Events; written.
    pub output: &'a mut Output,
}

impl Play<'_> {
    /// Advances the character to `to_s`. Returns false if an event in between had no room. Then it advanced only up to that event.
    pub fn run(mut self, to_s: f64) -> bool {
        let (from_s, first) = (self.state.header.clock.time_s, self.output.events.len());
        self.move_to(to_s);
        let dropped = self.report_events(from_s);
        if let Some(dropped_s) = dropped {
            self.output.events.truncate(first);
            self.move_to((dropped_s - 0.5 * SAME_INSTANT_S).max(from_s));
            self.report_events(from_s);
        }
        let h = &mut self.state.header;
        h.playback.events_s = h.playback.events_s.max(h.playback.playing.time_s);
        let due_s = report_times(&h.clock).due_s;
        let memory = self.state.director_mut(&self.character.resolved.layout);
        self.character.director.reported(memory, due_s, &self.output.events[first..]);
        dropped.is_none()
    }

    fn move_to(&mut self, to_s: f64) {
        let (character, input) = (self.character, self.input);
        let (config, layout, director) = (&character.config, &character.resolved.layout, &*character.director);
        let has_root_motion = director.has_root_motion(self.state.director(layout));
        let h = &mut self.state.header;
        let from = h.anchor;
        let dt_s = (to_s - from.time_s).max(0.0);
        let dt = dt_s as f32;
        h.root = RootState { animated: from.animated_root, slip: from.root_slip, simulation: from.simulation };
        h.transition.since_s = from.since_transition_s;
        // A character on a platform moves with it.
        let carried = input
            .ground
            .map_or(Vec3::ZERO, |g| GroundPoint::under(g, from.simulation.position).horizontal_velocity() * dt);
        h.root.animated.translation += carried;
        h.root.simulation.position += carried;
        let before = h.shown_root(&config.transition);
        let external = input.body.filter(|_| config.root.mode == RootMode::External);
        let unsteered = (matches!(input.goal, Goal::None) && external.is_none()) || has_root_motion;
        let desired = h.goal.desired;
        if let Some(body) = external {
            let gait = (character.resolved.springs.gait_half_life_s, dt);
            h.root.simulation.follow_body(&body, (to_s - self.end_s) as f32, &desired, gait);
        } else if !unsteered {
            h.root.simulation.advance_in_world(&desired, &character.resolved.springs, dt, input.collide);
            let feet_m = from.animated_root.translation.y;
            h.root.simulation.keep_out(input.obstacles.around(&config.obstacles, to_s, feet_m), dt);
        }
        let to_playing_s = from.playing_s + dt_s * f64::from(h.playback.play_rate);
        let at = self.state.playhead(layout).at(from.playing_s);
        let mut step = character.source.displacement(at, self.scratch, to_playing_s);
        step.translation = self.state.header.legs.warp.displacement(step.translation);
        let tick_s = self.state.header.clock.control_s();
        let between_s = [from.time_s, to_s].map(|s| (s - tick_s).max(0.0) as f32);
        let step = director.displacement(self.state.director(layout), between_s, step);
        let h = &mut self.state.header;
        h.root.animated = h.root.animated * step;
        h.playback.playing.time_s = to_playing_s;
        h.transition.since_s += dt;
        h.clock.time_s = from.time_s + dt_s;
        let owned = self.owned_root();
        let h = &mut self.state.header;
        if let Some(OwnedRoot { root, clip_s }) = owned {
            (h.root.animated, h.playback.playing.time_s) = (root, clip_s);
        }
        let h = &self.state.header;
        let moved = h.shown_root(&config.transition);
        let is_carried = director.play_rate(self.state.director(layout), &h.playback.playing, false).is_some();
        let around = around(character, input, self.state).filter(|_| owned.is_none());
        let ground_m = input.ground.map(|g| {
            let (root, under_root) = (moved.translation, GroundPoint::under(g, moved.translation));
            let at_edge = |acted: &Acted| acted.at_edge(root, under_root, under_root);
            character.memory_of_actions(self.state).map_or(under_root, at_edge).height_m
        });
        let job = Root { character, ground_m, around, is_carried, root: &mut self.state.header.root };
        job.run(before, moved, unsteered, dt);
        if owned.is_some() {
            // Behind a climb or a drop, the simulated character goes on over level ground.
            self.state.header.root.simulation.velocity.y = 0.0;
        }
    }

    /// Returns the root at the current time if the director sets it.
    fn owned_root(&self) -> Option<OwnedRoot> {
        let (character, h) = (self.character, &self.state.header);
        let memory = self.state.director(&character.resolved.layout);
        let owns = character.director.owns_root(memory);
        let left = owns.then(|| h.transition.residual(&character.config.transition))?;
        character.director.owned_root(memory, h.clock.time_s, &left)
    }

    /// Reports the events passed since `from_s`, a time of the character. Returns the time of the first event without room.
    fn report_events(&mut self, from_s: f64) -> Option<f64> {
        let (character, output) = (self.character, &mut *self.output);
        let StateHeader { clock, playback, .. } = &self.state.header;
        let layout = &character.resolved.layout;
        let mut dropped = f64::INFINITY;
        character.source.events(self.state.playhead(layout), playback.events_s, &mut |at_s, event| {
            let time_s = clock.time_s - (playback.playing.time_s - at_s) / f64::from(playback.play_rate.max(SLOWEST));
            let time_s = time_s.max(from_s);
            let event = FiredEvent { event, time_s, kind: EventKind::Moment, layer: None };
            dropped = dropped.min(output.fire(event).unwrap_or(f64::INFINITY));
        });
        dropped = dropped.min(character.director.report(self.state.director(layout), report_times(clock), output));
        dropped.is_finite().then_some(dropped)
    }
}

/// Returns the times up to which a director reports its events. At the next tick, all events are due.
fn report_times(clock: &Clock) -> ReportTimes {
    let next_tick_s = clock.next_control as f64 * CONTROL_S;
    let due_s = if clock.time_s >= next_tick_s - ROUNDING_S { CONTROL_S as f32 } else { clock.within_tick_s() };
    ReportTimes { tick_s: clock.control_s(), next_tick_s, due_s }
}
