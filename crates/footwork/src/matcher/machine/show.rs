//! What layers report and show between two control ticks.

use super::Machine;
use super::blend_space::BlendState;
use super::layer::OwnPlays;
use super::montage::Passed;
use super::source::MachineRoom;
use crate::frames::EventId;
use crate::matcher::FiredEvent;
use crate::matcher::character::Update;
use crate::matcher::state::CONTROL_S;
use crate::math::smoothstep;
use crate::pose::Pose;

impl Machine {
    /// Reports what layers pass from `from_s` (exclusive) to `to_s` after the last control tick.
    fn passed(&self, memory: &[f32], from_s: f32, to_s: f32, mut report: impl FnMut(usize, Passed)) {
        for (layer, voices) in self.layout.voices(memory).iter().enumerate() {
            let voice = &voices[0];
            let Some(m) = voice.leads() else { continue };
            self.montages[m].walk(voice, to_s, |passed| {
                // What lies at the very begin was not reported by any tick before.
                let is_new = passed.0 > from_s || (voice.fresh == 1.0 && from_s == 0.0);
                if is_new && passed.0 <= to_s {
                    report(layer, passed);
                }
            });
        }
    }
}

impl Update<'_> {
    /// Reports what layers pass from `from_s` to `to_s`, the character's time. Returns the time of the first that had no room; else
    /// infinity.
    pub(crate) fn report_layers(&mut self, from_s: f64, to_s: f64) -> f64 {
        let Some(machine) = self.character.machine() else { return f64::INFINITY };
        let mut dropped = f64::INFINITY;
        let tick_s = (self.state.header.next_control as f64 - 1.0) * CONTROL_S;
        let since = |s: f64| (s - tick_s).clamp(0.0, CONTROL_S) as f32;
        let memory = &self.state.block[self.character.layout().machine.clone()];
        let (from, to) = (machine.layout.head(memory).reported_s.max(since(from_s)), since(to_s));
        let output = &mut *self.output;
        machine.passed(memory, from, to, |layer, (at_s, event, kind)| {
            let time_s = tick_s + f64::from(at_s);
            let event = FiredEvent { event, time_s, kind, layer: Some(layer as u16) };
            dropped = dropped.min(output.fire(event).unwrap_or(f64::INFINITY));
        });
        dropped
    }

    /// What was reported up to the character's time is not reported again; conditions can ask for it at the next tick.
    pub(crate) fn reported(&mut self, to_s: f64, first: usize) {
        let Some(machine) = self.character.machine() else { return };
        let tick_s = (self.state.header.next_control as f64 - 1.0) * CONTROL_S;
        let passed = |event: EventId| machine.watched.iter().position(|w| *w == event);
        let bits =
            self.output.events[first..].iter().filter_map(|e| passed(e.event)).fold(0u32, |bits, k| bits | 1 << k);
        let head = machine.layout.head_mut(self.machine_memory());
        head.events = (head.events as u32 | bits) as f32;
        head.reported_s = (to_s - tick_s).clamp(0.0, CONTROL_S) as f32;
    }

    /// Bends the shown pose by the layers.
    pub(crate) fn show_layers(&mut self) {
        let Some(machine) = self.character.machine() else { return };
        let db = &*machine.db;
        let memory = &self.state.block[self.character.layout().machine.clone()];
        let tick_s = (self.state.header.next_control as f64 - 1.0) * CONTROL_S;
        let elapsed_s = (self.state.header.time_s - tick_s).clamp(0.0, CONTROL_S) as f32;
        let (room, (by, by_velocity), reference) = self.scratch.layer_room();
        let output = &mut *self.output;
        for (layer, spec) in machine.layers.iter().enumerate() {
            let mut bend = |weight: f32, by: (&Pose, &crate::pose::PoseVelocity), reference: &Pose| {
                spec.bend((&mut output.pose, &mut output.velocity), by, reference, weight);
            };
            let (weight, rest) = machine.layout.own(memory, layer);
            if let Some(own) = spec.own.as_ref().filter(|_| weight > 1e-4) {
                let first = match &own.plays {
                    OwnPlays::Clip(playing, seconds) => {
                        let at_s = f64::from(rest[0] * seconds + elapsed_s);
                        db.view(playing.clip, playing.mirrored).sample(at_s, by, by_velocity);
                        Some(*playing)
                    }
                    OwnPlays::Blend(b) => {
                        let state = BlendState::read(rest);
                        let moment = machine.blend_spaces[*b].0.at(db, &state, f64::from(elapsed_s));
                        if let Some(room) = room.of::<MachineRoom>() {
                            moment.pose(&mut room.blend, by, by_velocity);
                        }
                        None
                    }
                };
                spec.refer(db, first, reference);
                bend(weight, (by, by_velocity), &reference.0);
            }
            let voices = machine.layout.voices(memory)[layer];
            let weights =
                voices.map(|v| v.montage().map_or(0.0, |m| smoothstep(machine.montages[m].progress(&v, elapsed_s))));
            // What is replaced goes under what replaces it; of additive ones the sum stays one.
            for (k, voice) in voices.iter().enumerate().rev() {
                let Some(montage) = voice.montage().map(|m| &machine.montages[m]) else { continue };
                let weight = if k == 1 && spec.additive { weights[1] * (1.0 - weights[0]) } else { weights[k] };
                if weight <= 0.0 {
                    continue;
                }
                let time_s = montage.walk(voice, elapsed_s, |_| {}).time_s;
                db.view(montage.playing.clip, montage.playing.mirrored).sample(f64::from(time_s), by, by_velocity);
                by_velocity.scale(montage.rate);
                spec.refer(db, Some(montage.playing), reference);
                bend(weight, (by, by_velocity), &reference.0);
            }
        }
    }
}
