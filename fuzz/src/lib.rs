//! What the fuzz targets share: a measure of memory, what sound motion is, a database's hash put right, and mutations that
//! know the files' structure.
//!
//! A target fails by panicking, by hanging, by holding more memory than its file can justify, or by handing over something
//! that is not sound.

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

/// Some short clips to choose among: standing, walking, running, a gesture, a pose that aims.
pub fn clips() -> Vec<RawClip> {
    const NAMES: [&str; 5] = ["idle", "walk_130_loop", "run_320_loop", "wave_left", "aim_level_yaw_0"];
    let options = GaitOptions { rate_hz: 30.0, routes: false, gestures: true, ..GaitOptions::default() };
    footwork_gait::clips(&options).into_iter().filter(|c| NAMES.contains(&c.name.as_str())).collect()
}

/// The database of these clips, with their mirror images.
///
/// # Panics
/// If it cannot be built.
pub fn clip_database() -> Arc<Database> {
    let mut config = BuildConfig { mirror: MirrorMode::Stored, ..BuildConfig::default() };
    config.multiply.mode = Multiply::Off;
    Arc::new(build(&clips(), &config, &BuildOptions::default()).unwrap().0)
}

/// Walks a character a little, where the settings fit.
///
/// # Panics
/// If a pose is not finite.
pub fn walk(db: Arc<Database>, config: MatcherConfig) {
    if let Ok(character) = MotionMatcher::new(db, config) {
        walk_character(character);
    }
}

/// Walks a character a little.
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
