//! Binary glTF.
#![no_main]

use footwork_fuzz::memory::limited;
use footwork_fuzz::{SCENE_BASE, glb, sound_clips};
use footwork_import::{Units, gltf};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| {
    limited(data, SCENE_BASE, || sound_clips(gltf::parse(data, "t", "t", None, Units::Centimetres)));
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { glb::mutate(data, size, max_size, seed) });
