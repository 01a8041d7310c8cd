//! A scripted minute that compares processors: a browser must compute the same bits as a desktop.

use crate::open::{Files, Opened, open};
use footwork::pose::Pose;
use footwork_panels::{Driver, Hands, Tuning};
use xxhash_rust::xxh3::Xxh3;

const DT_S: f32 = 1.0 / 60.0;
const UPDATES: usize = 60 * 60;

/// Hash of poses.
#[derive(Default)]
pub(crate) struct Poses(Xxh3);

impl Poses {
    /// Adds every bit of a pose.
    pub fn add(&mut self, pose: &Pose) {
        let translations = pose.translations.iter().flat_map(|t| t.to_array());
        let rotations = pose.rotations.iter().flat_map(|r| r.to_array());
        translations.chain(rotations).for_each(|value| self.0.update(&value.to_bits().to_le_bytes()));
    }

    pub fn hash(&self) -> String {
        format!("{:016x}", self.0.digest())
    }
}

/// Builds the built-in data, drives it for a minute with the random stick, and returns a hash of all poses. The hash is the same
/// on every processor.
///
/// # Errors
/// Returns a message if the data cannot be built or an update fails; neither happens with the built-in data.
pub fn minute() -> Result<String, String> {
    let opened = open(&Files::default(), &Tuning::default()).map_err(|e| e.to_string())?;
    let Opened::Session(mut session) = opened else { return Err("the built-in data are no data".to_owned()) };
    session.set_driver(Driver::Random);
    let mut poses = Poses::default();
    for _ in 0..UPDATES {
        session.advance(DT_S, &Hands::default(), 0.0);
        poses.add(session.shown().pose());
    }
    session.message.map_or_else(|| Ok(poses.hash()), Err)
}
