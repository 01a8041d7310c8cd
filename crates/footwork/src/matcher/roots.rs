//! Roots of clips that several stages of an update sample at the same time: computed once.

use super::playing::Playing;
use crate::database::Database;
use crate::math::{AngularVelocity, Transform};
use glam::Vec3;
use std::sync::Arc;

/// A root in the space of its clip, with its velocity along its own axes.
pub(super) type Root = (Transform, Vec3, AngularVelocity);

/// Roots that are kept: those at both ends of a time step, while a chooser looks at others.
const KEPT: usize = 4;

/// The roots that were sampled last. They change the speed of a source, never its results.
#[derive(Debug)]
pub(super) struct Roots {
    /// The database that the roots belong to.
    db: Arc<Database>,
    kept: [Option<(Playing, Root)>; KEPT],
    /// Index of the oldest.
    oldest: usize,
}

impl Roots {
    pub fn new(db: Arc<Database>) -> Self {
        Self { db, kept: [None; KEPT], oldest: 0 }
    }

    /// Returns the root at a clip and time of a database, as [`ClipView::root`](crate::motion::ClipView::root).
    pub fn at(&mut self, db: &Arc<Database>, playing: &Playing) -> Root {
        if !Arc::ptr_eq(&self.db, db) {
            *self = Self::new(db.clone());
        }
        let Playing { clip, mirrored, time_s } = *playing;
        let same = |p: &Playing| p.time_s.to_bits() == time_s.to_bits() && p.clip == clip && p.mirrored == mirrored;
        if let Some((_, root)) = self.kept.iter().flatten().find(|(playing, _)| same(playing)) {
            return *root;
        }
        let root = db.view(clip, mirrored).root(time_s);
        self.kept[self.oldest] = Some((*playing, root));
        self.oldest = (self.oldest + 1) % KEPT;
        root
    }
}
