//! BVH: the result is valid motion, or an error with a line of the file. A written clip can be read again.
#![no_main]

use footwork_fuzz::memory::limited;
use footwork_import::bvh::{self, Units, WriteOptions};
use libfuzzer_sys::fuzz_target;

/// Memory that any file may use, in bytes: small files may have a million transforms.
const BASE: usize = 40 << 20;

fuzz_target!(|data: &[u8]| limited(data, BASE, || read(data)));

fn read(data: &[u8]) {
    let parsed = match bvh::parse(data, "t") {
        Ok(b) => b,
        Err(e) => {
            let lines = 1 + data.iter().filter(|b| matches!(b, b'\n' | b'\r')).count();
            assert!(e.line.is_some_and(|l| (1..=lines).contains(&l)), "{e}");
            return;
        }
    };
    assert!(parsed.frames > 0 && parsed.values.len() == parsed.frames * parsed.channels());
    assert!(parsed.values.iter().all(|v| v.is_finite()));
    for units in [Units::Auto, Units::MetresPerUnit(1e30)] {
        let Ok(clip) = parsed.to_clip("c", "t", units) else { continue };
        clip.validate().unwrap();
        assert_eq!(clip.frames(), parsed.frames);
        let mut text = Vec::new();
        // The written file can be much larger: joints without channels are written with six.
        if clip.rotations.len() < 10_000 && bvh::write(&clip, &mut text, &WriteOptions::default()).is_ok() {
            assert_eq!(bvh::parse(&text, "t").unwrap().frames, clip.frames());
        }
    }
}
