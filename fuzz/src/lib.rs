//! What the fuzz targets share: a measure of memory, what sound motion is, a database's hash put right, and mutations that
//! know the files' structure.
//!
//! A target fails by panicking, by hanging, by holding more memory than its file can justify, or by handing over something
//! that is not sound.

pub mod fwdb;
pub mod fwtrace;
pub mod glb;
pub mod json;
pub mod memory;
pub mod random;

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::input::{Gait, MotionInput, Stick};
use footwork_gait::GaitOptions;
use footwork_import::SceneError;
use glam::Vec3;
use std::sync::Arc;

/// What any glTF or FBX file may need, bytes: the readers let every file have a million transforms (28 MiB).
pub const SCENE_BASE: usize = 40 << 20;

/// Checks what a reader of clips gave.
///
/// # Panics
/// Where that is not sound.
pub fn sound_clips(result: Result<Vec<RawClip>, SceneError>) {
    match result {
        Ok(clips) => {
            assert!(!clips.is_empty());
            clips.iter().for_each(|c| c.validate().unwrap());
        }
        Err(e) => assert!(e.to_string().starts_with("t: "), "{e}"),
    }
}

/// The database of one short clip, some seconds along a curve: what recordings are made with and replayed with.
///
/// # Panics
/// Where it cannot be built.
pub fn database() -> Arc<Database> {
    let options = GaitOptions { rate_hz: 10.0, routes: false, ..GaitOptions::default() };
    let clip = footwork_gait::clips(&options).into_iter().find(|c| c.name.starts_with("curve_")).unwrap();
    Arc::new(build(&[clip], &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
}

/// Walks a character a little, where the settings fit.
///
/// # Panics
/// Where a pose is not finite.
pub fn walk(db: Arc<Database>, config: MatcherConfig) {
    let Ok(mut character) = MotionMatcher::new(db, config) else { return };
    let inputs = [
        MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk)),
        MotionInput::stick(Stick::towards(-Vec3::X, Gait::Run)),
        MotionInput::default(),
    ];
    for (input, dt_s) in inputs.iter().zip([1.0 / 60.0, 0.15, 0.7]) {
        let pose = character.update(input, dt_s).unwrap();
        assert!(pose.translations.iter().all(|t| t.is_finite()) && pose.rotations.iter().all(|r| r.is_finite()));
    }
}
