//! The state machine as the director of a character.

use super::character::as_machine;
use super::show::{LayersAt, VisibleMontage};
use super::source::{MachineScratch, MachineSource};
use super::{Machine, Plays};
use crate::database::TagQuery;
use crate::frames::EventId;
use crate::input::{InputError, MotionInput};
use crate::matcher::director::{Directed, Directive, Director, ReportTimes};
use crate::matcher::scratch::LayerScratch;
use crate::matcher::source::{MotionSource, SourceScratch};
use crate::matcher::state::AfterTick;
use crate::matcher::{FiredEvent, Output, Playing};
use crate::math::Transform;
use crate::pose::{Pose, PoseVelocity};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Director for Machine {
    fn memory_width(&self) -> usize {
        self.layout.len()
    }

    fn init_memory(&self, memory: &mut [f32]) {
        self.begin(memory);
    }

    fn is_memory(&self, memory: &[f32], _playing: &Playing, _now_s: f64) -> bool {
        self.is_own_memory(memory)
    }

    fn most_events_at_once(&self) -> usize {
        self.most_events_of_layers()
    }

    fn event_names(&self) -> Option<&[String]> {
        Some(&self.events)
    }

    fn source(self: Arc<Self>, base: Arc<dyn MotionSource>) -> Arc<dyn MotionSource> {
        Arc::new(MachineSource::new(self, base))
    }

    fn resting(&self) -> Option<Playing> {
        self.first_playing()
    }

    fn channel_costs(&self) -> Vec<Option<&BTreeMap<String, f32>>> {
        let costs = self.states.iter().map(|state| match &state.plays {
            Plays::Matching { channel_cost, .. } => Some(channel_cost).filter(|costs| !costs.is_empty()),
            _ => None,
        });
        costs.collect()
    }

    fn mode(&self, memory: &[f32]) -> Option<usize> {
        Some(self.state(memory))
    }

    fn check(&self, input: &MotionInput) -> Result<(), InputError> {
        self.check_input(input.variables, input.montages)
    }

    fn max_speed_mps(&self, memory: &[f32]) -> f32 {
        self.state_in(memory).max_speed_mps
    }

    fn tick(&self, at: &mut Directed, requested: Vec3) -> bool {
        self.layout.head_mut(at.memory).requested = [requested.x, requested.z];
        self.run_tick(at)
    }

    fn next(&self, at: &mut Directed) -> Directive {
        self.next_of_state(at)
    }

    fn enter(&self, at: &mut Directed) -> Option<Playing> {
        self.begin_state(at)
    }

    fn tags(&self, memory: &[f32]) -> Option<&TagQuery> {
        match &self.state_in(memory).plays {
            Plays::Matching { tags, .. } => Some(tags),
            _ => None,
        }
    }

    fn play_rate(&self, memory: &[f32], _playing: &Playing, is_over: bool) -> Option<f32> {
        let state = self.state_in(memory);
        match state.plays {
            Plays::Matching { .. } => None,
            // At the end of a non-looping clip, the last pose is held.
            Plays::Clips(_) if is_over => Some(0.0),
            _ => Some(state.rate),
        }
    }

    fn blend_s(&self, memory: &[f32]) -> f32 {
        let head = self.layout.head(memory);
        if head.ticks == 0.0 { head.blend_s } else { 0.0 }
    }

    fn has_root_motion(&self, memory: &[f32]) -> bool {
        self.state_in(memory).root_motion || self.montage_leads_root(memory)
    }

    fn displacement(&self, memory: &[f32], [from_s, to_s]: [f32; 2], own: Transform) -> Transform {
        let at = LayersAt { machine: self, memory, elapsed_s: to_s };
        at.carrying().fold(own, |own, VisibleMontage { montage, voice, weight }| {
            let way = montage.way(&self.db, voice, from_s, to_s);
            Transform::new(own.translation.lerp(way.translation, weight), own.rotation.nlerp(way.rotation, weight))
        })
    }

    fn own_share_of_root(&self, at: AfterTick) -> f32 {
        LayersAt::of(self, at).carrying().fold(1.0, |own, seen| own * (1.0 - seen.weight))
    }

    fn report(&self, memory: &[f32], times: ReportTimes, output: &mut Output) -> f64 {
        let mut dropped = f64::INFINITY;
        self.due_events(memory, times.due_s, |layer, after_s, (event, kind)| {
            // In 32 bits, a tick is rounded up slightly.
            let time_s = (times.tick_s + f64::from(after_s)).min(times.next_tick_s);
            let event = FiredEvent { event, time_s, kind, layer: Some(layer as u16) };
            dropped = dropped.min(output.fire(event).unwrap_or(f64::INFINITY));
        });
        dropped
    }

    fn reported(&self, memory: &mut [f32], due_s: f32, events: &[FiredEvent]) {
        let passed = |event: EventId| self.watched.iter().position(|w| *w == event);
        let bits = events.iter().filter_map(|e| passed(e.event)).fold(0u32, |bits, k| bits | 1 << k);
        let head = self.layout.head_mut(memory);
        head.events = (head.events as u32 | bits) as f32;
        head.reported_s = due_s;
    }

    fn bend_curves(&self, at: AfterTick, scratch: &mut SourceScratch, curves: &mut [f32]) {
        if let Some(room) = scratch.of::<MachineScratch>() {
            LayersAt::of(self, at).bend_curves(room.blend.curves_mut(), curves);
        }
    }

    fn bend_pose(&self, at: AfterTick, legs_alone: bool, scratch: LayerScratch, body: (&mut Pose, &mut PoseVelocity)) {
        LayersAt::of(self, at).bend(legs_alone, scratch, body);
    }

    fn leads_leg(&self, at: AfterTick, slot: usize) -> Option<Playing> {
        LayersAt::of(self, at).leads(slot)
    }

    fn resume(&self, memory: &mut [f32]) {
        self.layout.head_mut(memory).ticks = 0.0;
    }

    fn restart(&self, memory: &mut [f32], time_s: f64, output: &mut Output) {
        self.end_and_restart(memory, time_s, output);
    }

    fn go_on(&self, memory: &mut [f32], (before, from): (&dyn Director, &[f32]), since_tick_s: f32) {
        match as_machine(before) {
            Some(other) => self.go_on_from(memory, (other, from), since_tick_s),
            None => self.take_triggers(memory, None),
        }
    }

    /// Events that this machine does not have by name are omitted.
    fn end_of(&self, memory: &[f32], (before, from): (&dyn Director, &[f32]), output: &mut Output) {
        let Some(old) = as_machine(before) else { return };
        for (layer, montage, event) in old.all_open_windows(from) {
            if self.goes_on(memory, old, (layer, montage)) {
                continue;
            }
            let event = self.events.iter().position(|name| *name == old.events[event.at()]).map(EventId::new);
            let layer = self.layers.iter().position(|l| l.name == old.layers[layer].name).map(|l| l as u16);
            if let (Some(event), Some(layer)) = (event, layer) {
                output.fire(FiredEvent::broken_off(event, 0.0, layer));
            }
        }
    }
}
