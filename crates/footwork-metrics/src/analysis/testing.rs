//! Databases for the tests.

use footwork::build::{BuildConfig, BuildOptions, Multiply, MultiplyConfig, build};
use footwork::clip::RawClip;
use footwork::database::{Database, DatabaseContent};
use footwork::math::Facing;
use footwork_gait::GaitOptions;
use glam::Vec3;
use std::sync::OnceLock;

/// The built-in clips without the long ones.
pub fn clips() -> Vec<RawClip> {
    footwork_gait::clips(&GaitOptions { routes: false, ..GaitOptions::default() })
}

fn built(clips: &[RawClip]) -> Database {
    build(clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0
}

/// A database of them.
pub fn built_in() -> &'static Database {
    static DB: OnceLock<Database> = OnceLock::new();
    DB.get_or_init(|| built(&clips()))
}

/// The built-in data with changed content.
pub fn changed(change: impl FnOnce(&mut DatabaseContent)) -> Database {
    let mut content = (**built_in()).clone();
    change(&mut content);
    Database::new(content).unwrap()
}

/// A walk, and the same walk under another name.
pub fn twice() -> Database {
    let walk = clips().into_iter().find(|c| c.name == "walk_175").unwrap();
    let again = RawClip { name: "again".into(), ..walk.clone() };
    // Generated clips would be nearly equal to each other.
    captured(&[walk, again])
}

/// Clips alone, without made ones.
pub fn captured(clips: &[RawClip]) -> Database {
    let multiply = MultiplyConfig { mode: Multiply::Off, ..MultiplyConfig::default() };
    let config = BuildConfig { multiply, ..BuildConfig::default() };
    build(clips, &config, &BuildOptions::default()).unwrap().0
}

/// One clip, whose root moves straight ahead at a speed.
pub fn walking(speed_mps: f32, seconds: f32) -> Database {
    let mut content = (*twice()).clone();
    let frames = (seconds * content.pose_rate_hz) as usize;
    let first = content.clips[0].clone();
    let at = |f: usize| f % first.frames as usize;
    let joints = content.poses.joints;
    let translated = content.poses.translated.len();
    let old = content.poses.clone();
    content.poses.rotations = (0..frames).flat_map(|f| old.rotations[at(f) * joints..][..joints].to_vec()).collect();
    content.poses.translations =
        (0..frames).flat_map(|f| old.translations[at(f) * translated..][..translated].to_vec()).collect();
    for f in 0..frames {
        content.poses.translations[f * translated] = Vec3::Z * (speed_mps * f as f32 / content.pose_rate_hz);
        content.poses.rotations[f * joints] = Facing::FORWARD.rotation();
    }
    let contacts = content.rig.contact_joints.len();
    content.contacts = vec![1; frames * contacts];
    content.curves = vec![0.0; frames * content.curve_names.len()];
    (content.tags, content.tag_spans) = (Vec::new(), Vec::new());
    (content.events, content.event_names) = (Vec::new(), Vec::new());
    content.clips.truncate(1);
    content.clips[0].frames = frames as u32;
    content.clips[0].loop_delta = None;
    // One row of the feature matrix is enough.
    content.clips[0].rows = 1;
    content.features.values.truncate(content.features.columns);
    content.row_frames.truncate(1);
    content.row_flags.truncate(1);
    content.row_costs.clear();
    Database::new(content).unwrap()
}
