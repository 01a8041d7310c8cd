//! Events and poses of layers between two control ticks.

use super::Machine;
use super::blend_space::BlendState;
use super::layer::OwnPlays;
use super::memory::Voice;
use super::montage::Montage;
use super::source::MachineScratch;
use crate::frames::EventId;
use crate::matcher::scratch::LayerScratch;
use crate::matcher::state::AfterTick;
use crate::matcher::{EventKind, Playing};
use crate::math::smoothstep;
use crate::pose::{Pose, PoseVelocity};

impl Machine {
    /// Reports the unreported events of layers that are due by `to_s` after the last control tick.
    pub(super) fn due_events(
        &self,
        memory: &[f32],
        to_s: f32,
        mut report: impl FnMut(usize, f32, (EventId, EventKind)),
    ) {
        let reported_s = self.layout.head(memory).reported_s;
        for (layer, voices) in self.layout.voices(memory).iter().enumerate() {
            let Some(m) = voices[0].leads() else { continue };
            let montage = &self.montages[m];
            montage.events_of_tick(&voices[0], |after_s, passed| {
                if after_s > reported_s && after_s <= to_s {
                    report(layer, after_s, montage.event(passed));
                }
            });
        }
    }
}

/// A visible montage.
#[derive(Clone, Copy)]
pub(super) struct VisibleMontage<'a> {
    pub montage: &'a Montage,
    pub voice: &'a Voice,
    /// Weight, 0 to 1.
    pub weight: f32,
}

impl VisibleMontage<'_> {
    /// Returns the clip and time `elapsed_s` after the control tick.
    pub fn playing(&self, elapsed_s: f32) -> Playing {
        let time_s = f64::from(self.montage.later(self.voice, elapsed_s).time_s);
        Playing { time_s, ..self.montage.playing }
    }
}

/// The layers of a character at one time.
#[derive(Clone, Copy)]
pub(super) struct LayersAt<'a> {
    pub machine: &'a Machine,
    pub memory: &'a [f32],
    /// Seconds since the control tick that wrote `memory`.
    pub elapsed_s: f32,
}

impl<'a> LayersAt<'a> {
    pub fn of(machine: &'a Machine, at: AfterTick<'a>) -> Self {
        Self { machine, memory: at.memory, elapsed_s: at.elapsed_s }
    }

    /// Returns the visible montages of a layer: the playing one, then the one that it replaces.
    pub fn montages(self, layer: usize) -> [Option<VisibleMontage<'a>>; 2] {
        let voices = &self.machine.layout.voices(self.memory)[layer];
        [0, 1].map(|k| {
            let montage = &self.machine.montages[voices[k].montage()?];
            let weight = smoothstep(montage.progress(&voices[k], self.elapsed_s));
            Some(VisibleMontage { montage, voice: &voices[k], weight })
        })
    }

    /// Blends the curves of montages whose clips have them into `curves`. `room` has the same length.
    pub fn bend_curves(self, room: &mut [f32], curves: &mut [f32]) {
        let layers = (0..self.machine.layers.len()).map(|layer| self.montages(layer));
        // The replaced montage is applied before its replacement.
        for seen in layers.flat_map(|montages| montages.into_iter().rev().flatten()) {
            if seen.montage.curves.is_empty() || seen.weight <= 0.0 {
                continue;
            }
            let playing = seen.playing(self.elapsed_s);
            self.machine.db.curves_at(playing.clip, playing.time_s, room);
            for c in &seen.montage.curves {
                curves[*c] += (room[*c] - curves[*c]) * seen.weight;
            }
        }
    }

    /// Returns the clip that a layer plays while no montage plays, and its weight; `None` if the layer has no such clip.
    pub fn own_clip(self, layer: usize) -> Option<(Playing, f32)> {
        let OwnPlays::Clip(playing, seconds) = self.machine.layers[layer].own.as_ref()?.plays else { return None };
        let (weight, rest) = self.machine.layout.own(self.memory, layer);
        Some((Playing { time_s: f64::from(rest[0] * seconds + self.elapsed_s), ..playing }, weight))
    }

    /// Applies the layers to a pose; with `legs_alone`, only those that affect legs.
    pub fn bend(self, legs_alone: bool, room: LayerScratch, (pose, velocity): (&mut Pose, &mut PoseVelocity)) {
        let (machine, db) = (self.machine, &*self.machine.db);
        let LayerScratch { source, plays, reference, rotations } = room;
        for (layer, spec) in machine.layers.iter().enumerate().filter(|(_, l)| l.over_legs || !legs_alone) {
            let (weight, rest) = machine.layout.own(self.memory, layer);
            if let Some(own) = spec.own.as_ref().filter(|_| weight > 1e-4) {
                let clip = self.own_clip(layer).map(|(playing, _)| playing);
                if let Some(p) = clip {
                    db.view(p.clip, p.mirrored).sample(p.time_s, &mut plays.0, &mut plays.1);
                } else if let (OwnPlays::Blend(b), Some(room)) = (&own.plays, source.of::<MachineScratch>()) {
                    let state = BlendState::read(rest);
                    let moment = machine.blend_spaces[*b].0.at(db, &state, f64::from(self.elapsed_s));
                    moment.pose(&mut room.blend, &mut plays.0, &mut plays.1);
                }
                spec.refer(db, clip, reference);
                let (body, by) = ((&mut *pose, &mut *velocity), (&plays.0, &plays.1));
                spec.bend(&db.skeleton, body, by, (&reference.0, &mut *rotations), (&spec.mask, weight));
            }
            let montages = self.montages(layer);
            let new_weight = montages[0].map_or(0.0, |seen| seen.weight);
            // The replaced montage is applied before its replacement; the weights of additive ones sum to at most 1.
            for (k, seen) in montages.into_iter().enumerate().rev().filter_map(|(k, seen)| Some((k, seen?))) {
                let weight = if k == 1 && spec.additive { seen.weight * (1.0 - new_weight) } else { seen.weight };
                if weight <= 0.0 {
                    continue;
                }
                let p = seen.playing(self.elapsed_s);
                db.view(p.clip, p.mirrored).sample(p.time_s, &mut plays.0, &mut plays.1);
                plays.1.scale(seen.voice.rate);
                spec.refer(db, Some(p), reference);
                let (body, by) = ((&mut *pose, &mut *velocity), (&plays.0, &plays.1));
                spec.bend(&db.skeleton, body, by, (&reference.0, &mut *rotations), (&seen.montage.mask, weight));
                if seen.montage.root_motion {
                    let (root, by) = (&mut *velocity, &plays.1);
                    root.linear[0] = root.linear[0].lerp(by.linear[0], weight);
                    root.angular[0] = root.angular[0].lerp(by.angular[0], weight);
                }
            }
        }
    }
}
