//! Layers over the legs: their clips determine which feet touch. Montages may drive the root.

use super::memory::COMES_IN;
use super::show::{LayersAt, VisibleMontage};
use crate::matcher::Playing;
use crate::matcher::character::{Character, Update};
use crate::matcher::state::MatcherState;
use crate::math::Transform;
use crate::pose::velocity_in_root;

/// Weight above which a layer's clip determines the contacts of a leg.
const LEADS: f32 = 0.5;

impl<'a> LayersAt<'a> {
    /// Returns the layers if one of them affects legs.
    fn over_legs(character: &'a Character, state: &'a MatcherState) -> Option<Self> {
        let machine = character.machine().filter(|m| m.layers.iter().any(|l| l.over_legs))?;
        Some(Self::of(machine, character.layout(), state))
    }

    /// Returns the visible montages that drive the root, with their weights; the uppermost is last.
    fn carrying(self) -> impl Iterator<Item = VisibleMontage<'a>> {
        let montages = (0..self.machine.layers.len()).flat_map(move |layer| self.montages(layer).into_iter().rev());
        montages.flatten().filter(|seen| seen.montage.root_motion)
    }

    /// Returns the layer's clip and time that determine the contacts of a leg; `None` if the state's motion does.
    fn leads(self, contact: usize) -> Option<Playing> {
        let joint = self.machine.db.rig.contact_joints[contact].at();
        let layers = self.machine.layers.iter().enumerate().rev().filter(|(_, layer)| !layer.additive);
        layers.filter(|(_, layer)| layer.mask[joint] > LEADS).find_map(|(layer, spec)| {
            let leads = |seen: &VisibleMontage| seen.weight * seen.montage.mask[joint] > LEADS;
            let montage = self.montages(layer).into_iter().flatten().find(leads);
            let montage = montage.map(|seen| seen.playing(self.elapsed_s));
            let own = || self.own_clip(layer).filter(|(_, weight)| weight * spec.mask[joint] > LEADS);
            montage.or_else(|| own().map(|(playing, _)| playing))
        })
    }
}

impl Update<'_> {
    /// Writes the contact joints that touch to `scratch.touching`, from the state's motion or the layer that determines the leg.
    pub(crate) fn gather_touching(&mut self) {
        let at = self.state.playhead(self.character.layout());
        self.character.source().contacts(at, &mut self.scratch.source, &mut self.scratch.touching);
        let Some(layers) = LayersAt::over_legs(self.character, self.state) else { return };
        for (slot, touches) in self.scratch.touching.iter_mut().enumerate() {
            if let Some(p) = layers.leads(slot) {
                *touches = u8::from(layers.machine.db.touches_at(p.clip, p.mirrored, slot, p.time_s));
            }
        }
    }

    /// Writes the time until each touches and the duration of that contact to `scratch.next_contacts`, in seconds.
    pub(crate) fn gather_next_contacts(&mut self) {
        let at = self.state.playhead(self.character.layout());
        for (slot, next) in self.scratch.next_contacts.iter_mut().enumerate() {
            *next = self.character.source().next_contact_s(at, &mut self.scratch.source, slot);
        }
        let Some(layers) = LayersAt::over_legs(self.character, self.state) else { return };
        for (slot, next) in self.scratch.next_contacts.iter_mut().enumerate() {
            if let Some(p) = layers.leads(slot) {
                *next = layers.machine.db.next_contact_s(p.clip, p.mirrored, slot, p.time_s);
            }
        }
    }

    /// Applies the layers over the legs to `scratch.shown`, and updates the velocities of their toes.
    pub(crate) fn layer_legs(&mut self) {
        let Some(layers) = LayersAt::over_legs(self.character, self.state) else { return };
        let turned = self.state.header.animated_root.rotation;
        let (room, shown) = self.scratch.layer_scratch();
        layers.bend(true, room, (&mut shown.pose, &mut shown.velocity));
        let (model, shown) = (&self.character.model, &self.scratch.shown);
        for (slot, joint) in model.rig.contact_joints.iter().enumerate() {
            if layers.leads(slot).is_some() {
                let own = velocity_in_root(&model.skeleton, &shown.pose, &shown.velocity, *joint);
                self.scratch.toe_velocities[slot] = turned * own;
            }
        }
    }

    /// Returns true while a montage drives the root.
    pub(super) fn montage_leads_root(&self) -> bool {
        let Some(machine) = self.character.machine() else { return false };
        let memory = self.state.machine(self.character.layout());
        let moves = |m: usize| machine.montages[m].root_motion;
        let mut voices = machine.layout.voices(memory).iter().map(|voices| &voices[0]);
        voices.any(|v| v.way == COMES_IN && v.montage().is_some_and(moves))
    }

    /// Returns the root's displacement from `from_s` to `to_s` (in the character's time), after blending in the montages that
    /// drive the root. `own` is the displacement without them.
    pub(crate) fn way_of_montages(&self, own: Transform, from_s: f64, to_s: f64) -> Transform {
        let Some(machine) = self.character.machine() else { return own };
        let tick_s = self.state.header.control_s();
        let since = |s: f64| (s - tick_s).max(0.0) as f32;
        let (from_s, to_s) = (since(from_s), since(to_s));
        let at = LayersAt { elapsed_s: to_s, ..LayersAt::of(machine, self.character.layout(), self.state) };
        at.carrying().fold(own, |own, VisibleMontage { montage, voice, weight }| {
            let way = montage.way(&machine.db, voice, from_s, to_s);
            Transform::new(own.translation.lerp(way.translation, weight), own.rotation.nlerp(way.rotation, weight))
        })
    }

    /// Returns the share of the root's displacement that comes from the state, 0 to 1. Montages that drive the root provide the
    /// rest.
    pub(crate) fn own_share_of_root(&self) -> f32 {
        let Some(machine) = self.character.machine() else { return 1.0 };
        LayersAt::of(machine, self.character.layout(), self.state)
            .carrying()
            .fold(1.0, |own, seen| own * (1.0 - seen.weight))
    }
}
