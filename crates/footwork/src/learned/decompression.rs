//! Working space of a decompressor.

use super::networks::{Decompression, Networks};
use crate::matcher::memo::Memo;
use crate::pose::Pose;
use glam::Vec3;

/// Number of codes around the playing time: the two codes that enclose it, the one before them and the one after.
pub(super) const CODES: usize = 4;

/// Codes around a time, their bodies, and buffers.
#[derive(Debug)]
pub(super) struct DecompressionScratch {
    pub networks: Decompression,
    pub codes: [Vec<f32>; CODES],
    /// Interpolated body, and its poses at a time and shortly after it.
    pub mixed: Vec<f32>,
    pub poses: [Pose; 2],
    /// Bodies of codes, each followed by the positions of its contact joints in root space, in metres. A frame uses few bodies
    /// repeatedly, and most of them the next frame, too.
    pub bodies: Memo,
    /// Code at the playing time, and the code that a chooser found.
    pub now: Vec<f32>,
    pub found: Vec<f32>,
}

/// Number of bodies that are kept: four each for the playing time and for the target of a transition, and one neighbour more each for
/// accelerations.
const KEPT: usize = 2 * CODES + 2;

/// Returns room for the bodies of a character.
pub(super) fn bodies(networks: &Networks) -> Memo {
    let (kept, code, body) = sizes(networks);
    Memo::new(kept, code, body)
}

/// Returns the sizes of the bodies' memo.
fn sizes(networks: &Networks) -> (usize, usize, usize) {
    let layout = networks.layout();
    (KEPT, networks.code_width(), layout.width() + 3 * layout.contacts.len())
}

impl DecompressionScratch {
    pub fn new(networks: &Networks) -> Self {
        let code = vec![0.0; networks.code_width()];
        Self {
            networks: Decompression::new(networks),
            now: code.clone(),
            found: code.clone(),
            codes: std::array::from_fn(|_| code.clone()),
            mixed: vec![0.0; networks.layout().width()],
            poses: std::array::from_fn(|_| Pose::rest(&networks.character().skeleton)),
            bodies: bodies(networks),
        }
    }

    pub fn fits(&self, networks: &Networks) -> bool {
        self.bodies.sizes() == sizes(networks)
            && self.mixed.len() == networks.layout().width()
            && self.poses[0].len() == networks.layout().joints
    }

    /// Returns the index of the body of `codes[k]`.
    pub fn body(&mut self, networks: &Networks, k: usize) -> usize {
        let Self { bodies, codes, networks: room, poses: [pose, _], .. } = self;
        bodies.find(networks.hash(), &codes[k], |result| {
            let (character, layout) = (networks.character(), networks.layout());
            let (body, feet) = result.split_at_mut(layout.width());
            networks.decompress(&codes[k], body, room);
            layout.decode(body, pose);
            for (place, joint) in feet.chunks_exact_mut(3).zip(&character.rig.contact_joints) {
                place.copy_from_slice(&pose.in_root(&character.skeleton, *joint).translation.to_array());
            }
        })
    }

    /// Returns the position of a contact joint of a body.
    pub fn foot(&self, body: usize, slot: usize) -> Vec3 {
        Vec3::from_slice(&self.bodies.result(body)[self.mixed.len() + 3 * slot..])
    }
}
