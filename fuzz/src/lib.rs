//! Shared code of the fuzz targets: a memory limit, checks of motion, correction of a database's hash, and mutations that keep
//! the structure of files.
//!
//! A target fails if it panics, hangs, allocates more memory than its file justifies, or returns invalid motion.

pub mod fwdb;
pub mod fwnet;
pub mod fwtrace;
pub mod glb;
pub mod json;
pub mod memory;

use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::pose::Pose;
use footwork_gait::GaitOptions;
use footwork_import::SceneError;
use glam::Vec3;
use std::sync::Arc;

/// Memory that any glTF or FBX file may use, in bytes: the readers allow every file a million transforms (28 MiB).
pub const SCENE_BASE: usize = 40 << 20;

/// Checks the result of a reader of clips.
///
/// # Panics
/// If a clip is invalid.
pub fn sound_clips(result: Result<Vec<RawClip>, SceneError>) {
    match result {
        Ok(clips) => {
            assert!(!clips.is_empty());
            clips.iter().for_each(|c| c.validate().unwrap());
        }
        Err(e) => assert!(e.to_string().starts_with("t: "), "{e}"),
    }
}

/// Returns the database of one short clip, some seconds along a curve, with which recordings are made and replayed.
///
/// # Panics
/// If it cannot be built.
pub fn database() -> Arc<Database> {
    let options = GaitOptions { rate_hz: 10.0, routes: false, ..GaitOptions::default() };
    let clip = footwork_gait::clips(&options).into_iter().find(|c| c.name.starts_with("curve_")).unwrap();
    Arc::new(build(&[clip], &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
}

/// Returns some short clips: standing, walking, running, a gesture, an aim pose.
pub fn clips() -> Vec<RawClip> {
    const NAMES: [&str; 5] = ["idle", "walk_130_loop", "run_320_loop", "wave_left", "aim_level_yaw_0"];
    let options = GaitOptions { rate_hz: 30.0, routes: false, gestures: true, ..GaitOptions::default() };
    footwork_gait::clips(&options).into_iter().filter(|c| NAMES.contains(&c.name.as_str())).collect()
}

/// Returns the database of these clips, with their mirror images.
///
/// # Panics
/// If it cannot be built.
pub fn clip_database() -> Arc<Database> {
    let mut config = BuildConfig { mirror: MirrorMode::Stored, ..BuildConfig::default() };
    config.multiply.mode = Multiply::Off;
    Arc::new(build(clips(), &config, &BuildOptions::default()).unwrap().0)
}

/// Moves a character for a short time, if the settings fit.
///
/// # Panics
/// If a pose is not finite.
pub fn walk(db: Arc<Database>, config: MatcherConfig) {
    if let Ok(character) = MotionMatcher::new(db, config) {
        walk_character(character);
    }
}

/// Moves a character for a short time.
///
/// # Panics
/// If a pose is not finite.
pub fn walk_character(mut character: MotionMatcher) {
    let inputs = [
        MotionInput::stick(Stick::towards(Vec3::Z, Gait::Walk)),
        MotionInput::stick(Stick::towards(-Vec3::X, Gait::Run)),
        MotionInput::default(),
    ];
    for (input, dt_s) in inputs.iter().zip([1.0 / 60.0, 0.15, 0.7]) {
        finite(character.update(input, dt_s).unwrap());
    }
}

/// Checks a pose.
///
/// # Panics
/// If a number of it is not finite.
pub fn finite(pose: &Pose) {
    assert!(pose.translations.iter().all(|t| t.is_finite()) && pose.rotations.iter().all(|r| r.is_finite()));
}
