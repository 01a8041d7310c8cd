//! Helpers shared by the tests: databases built once per test binary, scripted input, and seeded random numbers.

// Each test program and each bench uses only some of these items.
#![allow(dead_code)]

pub mod actions;
pub mod cases;
pub mod hero;
pub mod stages;
pub mod strides;
pub mod tiny;
pub mod walk;

pub use footwork::advanced::math::Random;
use footwork::build::{BuildConfig, BuildOptions, BuildReport, Multiply, build};
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use footwork::input::{Gait, Goal, MotionInput, Stick};
use footwork::matcher::MatcherState;
use footwork::pose::Pose;
use footwork_gait::GaitOptions;
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Returns the built-in clips without the random routes: half of the data, with all kinds of motion.
pub fn clips() -> &'static [RawClip] {
    static CLIPS: OnceLock<Vec<RawClip>> = OnceLock::new();
    CLIPS.get_or_init(|| footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() }))
}

/// Returns all built-in clips.
pub fn all_clips() -> &'static [RawClip] {
    static CLIPS: OnceLock<Vec<RawClip>> = OnceLock::new();
    CLIPS.get_or_init(|| footwork_gait::clips(&GaitOptions::default()))
}

/// Returns a clip of [`clips`] by name.
pub fn clip(name: &str) -> RawClip {
    clips().iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no built-in clip `{name}`")).clone()
}

/// Builds a database of the given clips only; panics with the error of the build.
pub fn built(clips: &[RawClip], config: &BuildConfig) -> (Database, BuildReport) {
    let mut config = config.clone();
    config.multiply.mode = Multiply::Off;
    build(clips, &config, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the database of [`clips`], built once per mirror mode and test binary.
pub fn gait(mirror: MirrorMode) -> Arc<Database> {
    static ALL: Mutex<BTreeMap<u8, Arc<Database>>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(|e| e.into_inner());
    let make = || Arc::new(built(clips(), &BuildConfig { mirror, ..Default::default() }).0);
    all.entry(mirror as u8).or_insert_with(make).clone()
}

/// Returns the database of [`all_clips`].
pub fn gait_full() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| Arc::new(built(all_clips(), &BuildConfig::default()).0)).clone()
}

/// Returns the input of a scripted player, 20 seconds long. Changes occur only at multiples of 1/6 s.
pub fn script(time_s: f64) -> MotionInput<'static> {
    // The offset of half a tick is needed, since sums of dt do not hit an instant exactly.
    let sixth = ((time_s + 1e-4) * 6.0).floor() as u32;
    let stick = |x: f32, y: f32, gait| Stick { movement: Vec2::new(x, y), gait, ..Stick::default() };
    let stick = match sixth {
        0..6 => Stick::default(),
        6..20 => stick(0.0, 1.0, Gait::Walk),
        20..29 => stick(1.0, 0.0, Gait::Walk),
        29..44 => stick(0.6, 0.8, Gait::Run),
        44..56 => stick(-0.7, 0.2, Gait::Run),
        56..61 => Stick::default(),
        61..70 => Stick { strafe: true, ..stick(1.0, 0.0, Gait::Walk) },
        70..80 => Stick { strafe: true, look: Vec2::new(-0.5, 0.5), ..stick(0.0, -1.0, Gait::Walk) },
        80..92 => Stick { camera_yaw_rad: 1.1, ..stick(0.0, 0.6, Gait::Walk) },
        92..104 => Stick { camera_yaw_rad: 1.1, camera_yaw_rate_radps: 0.3, ..stick(-0.3, -1.0, Gait::Run) },
        _ => Stick::default(),
    };
    MotionInput::stick(stick)
}

/// Returns a random stick that changes every few sixths of a second.
pub fn random_stick(seed: u64, time_s: f64) -> MotionInput<'static> {
    let mut block = Random(seed ^ (((time_s + 1e-4) * 6.0 / 5.0).floor() as u64).wrapping_mul(0x51_7c_c1));
    block.bits();
    if block.unit() < 0.15 {
        return MotionInput::stick(Stick::default());
    }
    let (yaw, push) = (block.between(-3.1, 3.1), block.between(0.3, 1.0));
    let movement = Vec2::new(footwork::advanced::math::sin(yaw), footwork::advanced::math::cos(yaw)) * push;
    let gait = if block.unit() < 0.4 { Gait::Run } else { Gait::Walk };
    MotionInput::stick(Stick { movement, gait, strafe: block.unit() < 0.2, ..Stick::default() })
}

/// Returns the input of a straight walk.
pub fn walk(direction: Vec3) -> MotionInput<'static> {
    MotionInput::stick(Stick::towards(direction, Gait::Walk))
}

/// Returns the input of an unsteered character.
pub fn unsteered() -> MotionInput<'static> {
    MotionInput { goal: Goal::None, ..Default::default() }
}

/// Adds the bits of a pose to a hash.
pub fn hash_pose(hash: &mut xxhash_rust::xxh3::Xxh3, pose: &Pose) {
    for v in &pose.translations {
        v.to_array().iter().for_each(|x| hash.update(&x.to_bits().to_le_bytes()));
    }
    for q in &pose.rotations {
        q.to_array().iter().for_each(|x| hash.update(&x.to_bits().to_le_bytes()));
    }
}

/// Returns all bits of a state as text; equal texts mean equal states (`==` treats -0 as 0 and NaN as unequal).
pub fn bits(state: &MatcherState) -> String {
    let block: Vec<u32> = state.block.iter().map(|v| v.to_bits()).collect();
    // Debug prints floats in the shortest form that parses back to the same bits.
    format!("{:?} {block:?}", state.header)
}
