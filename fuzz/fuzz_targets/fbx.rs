//! FBX, text and binary. The C library has memory limits of its own.
#![no_main]

use footwork_fuzz::memory::limited;
use footwork_fuzz::{SCENE_BASE, sound_clips};
use footwork_import::{Units, fbx};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    limited(data, SCENE_BASE, || sound_clips(fbx::parse(data, "t", "t", Units::Auto)));
});
