//! Databases: any file that loads can be played.
#![no_main]

use footwork::matcher::MatcherConfig;
use footwork_fuzz::memory::limited;
use footwork_fuzz::{fwdb, walk};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::sync::Arc;

/// Memory that any file may use, in bytes: mostly JSON, whose small objects become large ones, a character's scratch, and poses that do
/// not move, which take up to a hundred times their bits.
const BASE: usize = 16 << 20;

fuzz_target!(|data: &[u8]| {
    limited(data, BASE, || {
        if let Ok(db) = fwdb::read(data) {
            walk(Arc::new(db), MatcherConfig::default());
        }
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { fwdb::mutate(data, size, max_size, seed) });
