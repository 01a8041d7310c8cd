//! Prints a hash of every bit of every pose of two minutes. The program makes the built-in clips, builds a database, and drives a
//! character with a seeded random stick. It then drives a character of networks with the same stick. Every processor must print
//! the same hash: see `.ci/same-bits`.

use footwork::advanced::math::{Random, cos, sin};
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::{Gait, GroundPoint, MotionInput, Stick};
use footwork::learned::Networks;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use glam::{Vec2, Vec3};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

const SEED: u64 = 12;

fn main() {
    println!("{:016x}", pose_hash());
}

/// Returns the hash. Exported for hosts of WebAssembly.
// SAFETY: no other symbol of the program has this name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn pose_hash() -> u64 {
    let clips = footwork_gait::clips(&Default::default());
    let (database, _report) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).expect("built-in clips");
    let mut config = MatcherConfig::default();
    config.orientation_warp.enabled = true;
    config.stride_warp.enabled = true;
    let mut character = MotionMatcher::new(Arc::new(database), config).expect("default settings");

    let mut hash = Xxh3::new();
    drive(&mut character, &mut hash);
    // The same character, moved by networks.
    let networks =
        Networks::from_bytes(footwork_gait::BIPED_NETWORKS, Path::new("built-in")).expect("built-in networks");
    let learned = Character::learned(Arc::new(networks), None, MatcherConfig::default()).expect("default settings");
    let mut learned = MotionMatcher::of(Arc::new(learned), Transform::IDENTITY).expect("a place");
    drive(&mut learned, &mut hash);
    hash.digest()
}

/// Adds every bit of one minute of poses.
fn drive(character: &mut MotionMatcher, hash: &mut Xxh3) {
    let (mut random, mut stick) = (Random(SEED), Stick::default());
    for frame in 0..60 * 60 {
        if frame % 50 == 0 {
            stick = random_stick(&mut random);
        }
        let look_at = (frame % 200 < 100).then_some(Vec3::new(2.0, 1.5, 3.0));
        let input = MotionInput { ground: Some(&hills), look_at, ..MotionInput::stick(stick) };
        let pose = character.update(&input, 1.0 / 60.0).expect("valid input");
        let translations = pose.translations.iter().flat_map(|t| t.to_array());
        let rotations = pose.rotations.iter().flat_map(|r| r.to_array());
        translations.chain(rotations).for_each(|value| hash.update(&value.to_bits().to_le_bytes()));
    }
    let transitions = character.state().header.transition.count;
    assert!(transitions > 60, "a minute with {transitions} transitions is no test");
}

/// Returns a command to stand, walk or run in any direction, with or without strafing.
fn random_stick(random: &mut Random) -> Stick {
    if random.unit() < 0.15 {
        return Stick::default();
    }
    let (yaw, push) = (6.2 * random.unit(), 0.3 + 0.7 * random.unit());
    let movement = Vec2::new(sin(yaw), cos(yaw)) * push;
    let gait = if random.unit() < 0.4 { Gait::Run } else { Gait::Walk };
    Stick { movement, gait, strafe: random.unit() < 0.2, ..Default::default() }
}

/// Returns smooth ground with heights from -8 to 8 cm.
fn hills(at: Vec3) -> GroundPoint {
    let (x, z) = (1.7 * at.x, 2.3 * at.z);
    let normal = Vec3::new(-0.08 * 1.7 * cos(x) * cos(z), 1.0, 0.08 * 2.3 * sin(x) * sin(z)).normalize();
    GroundPoint { height_m: 0.08 * sin(x) * cos(z), normal, ..Default::default() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_the_golden_one() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden.txt");
        let found = format!("{:016x}\n", super::pose_hash());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap();
        assert_eq!(expected, found, "other poses; if intended: UPDATE_GOLDEN=1 cargo test -p pose-hash");
    }
}
