//! Layers over the legs: their clips determine which feet touch. Montages may drive the root.

use super::Machine;
use super::memory::COMES_IN;
use super::show::{LayersAt, VisibleMontage};
use crate::matcher::Playing;

/// Weight above which a layer's clip determines the contacts of a leg.
const LEADS: f32 = 0.5;

impl<'a> LayersAt<'a> {
    /// Returns the visible montages that drive the root, with their weights; the uppermost is last.
    pub fn carrying(self) -> impl Iterator<Item = VisibleMontage<'a>> {
        let montages = (0..self.machine.layers.len()).flat_map(move |layer| self.montages(layer).into_iter().rev());
        montages.flatten().filter(|seen| seen.montage.root_motion)
    }

    /// Returns the layer's clip and time that determine the contacts of a leg; `None` if the state's motion does.
    pub fn leads(self, contact: usize) -> Option<Playing> {
        if !self.machine.layers.iter().any(|l| l.over_legs) {
            return None;
        }
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

impl Machine {
    /// Returns true while a montage drives the root.
    pub(super) fn montage_leads_root(&self, memory: &[f32]) -> bool {
        let moves = |m: usize| self.montages[m].root_motion;
        let mut voices = self.layout.voices(memory).iter().map(|voices| &voices[0]);
        voices.any(|v| v.way == COMES_IN && v.montage().is_some_and(moves))
    }
}
