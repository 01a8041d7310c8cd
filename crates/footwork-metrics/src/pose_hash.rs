//! A hash of every bit of the poses of a run.

use footwork::pose::Pose;
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// Hash of poses, in order: equal hashes mean identical motion. It is shown as 32 hexadecimal digits.
#[derive(Clone, Default)]
pub struct PoseHash(Xxh3);

impl PoseHash {
    /// Adds a pose: per joint its translation, then its rotation.
    pub fn push(&mut self, pose: &Pose) {
        for (t, r) in pose.translations.iter().zip(&pose.rotations) {
            t.to_array().into_iter().chain(r.to_array()).for_each(|value| self.0.update(&value.to_le_bytes()));
        }
    }
}

impl fmt::Display for PoseHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}

impl fmt::Debug for PoseHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PoseHash({self})")
    }
}
