//! Working space of a decompressor: recently decompressed bodies.

use super::networks::{Decompression, Networks};
use crate::pose::Pose;
use glam::Vec3;

/// Number of codes around the playing time: the two codes that enclose it, the one before them and the one after.
pub(super) const CODES: usize = 4;

/// Cache of recently decompressed bodies. A frame uses the same few bodies repeatedly.
#[derive(Debug)]
pub(super) struct DecompressionScratch {
    pub networks: Decompression,
    pub codes: [Vec<f32>; CODES],
    /// Interpolated body, and its poses at a time and shortly after it.
    pub mixed: Vec<f32>,
    pub poses: [Pose; 2],
    pub decoded: Vec<Decoded>,
    clock: u64,
    /// Code at the playing time, and the code that a chooser found.
    pub now: Vec<f32>,
    pub found: Vec<f32>,
}

/// A decompressed body.
#[derive(Debug)]
pub(super) struct Decoded {
    code: Vec<f32>,
    pub body: Vec<f32>,
    /// `[contact joints]` positions in root space, in metres.
    pub feet: Vec<Vec3>,
    used: u64,
}

/// Cache size: four bodies each for the playing time and for the target of a transition, and one neighbour more each for
/// accelerations.
const DECODED: usize = 2 * CODES + 2;

impl DecompressionScratch {
    pub fn new(networks: &Networks) -> Self {
        let code = vec![0.0; networks.code_width()];
        let decoded = || Decoded {
            // NaN differs from every code.
            code: vec![f32::NAN; networks.code_width()],
            body: vec![0.0; networks.layout().width()],
            feet: vec![Vec3::ZERO; networks.layout().contacts.len()],
            used: 0,
        };
        Self {
            networks: Decompression::new(networks),
            now: code.clone(),
            found: code.clone(),
            codes: std::array::from_fn(|_| code.clone()),
            mixed: vec![0.0; networks.layout().width()],
            poses: std::array::from_fn(|_| Pose::rest(&networks.character().skeleton)),
            decoded: (0..DECODED).map(|_| decoded()).collect(),
            clock: 0,
        }
    }

    pub fn fits(&self, networks: &Networks) -> bool {
        self.codes[0].len() == networks.code_width()
            && self.decoded[0].body.len() == networks.layout().width()
            && self.poses[0].len() == networks.layout().joints
    }

    /// Returns the index of the body of `codes[k]`.
    pub fn body(&mut self, networks: &Networks, k: usize) -> usize {
        self.clock += 1;
        let code = &self.codes[k];
        let known = self.decoded.iter().position(|d| d.code == *code);
        let place = known.unwrap_or_else(|| {
            let oldest = (0..DECODED).min_by_key(|i| self.decoded[*i].used).unwrap_or(0);
            let d = &mut self.decoded[oldest];
            d.code.copy_from_slice(code);
            networks.decompress(code, &mut d.body, &mut self.networks);
            let (character, pose) = (networks.character(), &mut self.poses[0]);
            networks.layout().decode(&d.body, pose);
            for (place, joint) in d.feet.iter_mut().zip(&character.rig.contact_joints) {
                *place = pose.in_root(&character.skeleton, *joint).translation;
            }
            oldest
        });
        self.decoded[place].used = self.clock;
        place
    }
}
