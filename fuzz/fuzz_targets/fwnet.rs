//! Networks: those that load are written again without changes, and move a character.
#![no_main]

use footwork::learned::Networks;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork_fuzz::memory::limited;
use footwork_fuzz::{fwnet, walk_character};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::path::Path;
use std::sync::Arc;

/// Memory that any file may use, in bytes: mostly the JSON of the character inside, and a character's scratch.
const BASE: usize = 8 << 20;

fuzz_target!(|data: &[u8]| {
    limited(data, BASE, || {
        let Ok(networks) = fwnet::read(data) else { return };
        let again = Networks::from_bytes(&networks.to_bytes().unwrap(), Path::new("t")).unwrap();
        assert_eq!(again.hash(), networks.hash());
        let Ok(character) = Character::learned(Arc::new(networks), None, MatcherConfig::default()) else { return };
        walk_character(MotionMatcher::of(Arc::new(character), Transform::IDENTITY).unwrap());
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { fwnet::mutate(data, size, max_size, seed) });
