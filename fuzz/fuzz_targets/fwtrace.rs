//! Recordings: any file that loads is consistent, and is replayed or rejected.
#![no_main]

use footwork::matcher::{Character, MatcherConfig};
use footwork::recorder::Replay;
use footwork_fuzz::memory::limited;
use footwork_fuzz::{fwdb, fwtrace};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::sync::{Arc, LazyLock};

/// Memory that any file may use, in bytes: mostly JSON, whose small objects become large ones, and a character's scratch.
const BASE: usize = 8 << 20;

/// The character that the corpus was recorded with.
static CHARACTER: LazyLock<Arc<Character>> =
    LazyLock::new(|| Arc::new(Character::new(footwork_fuzz::database(), MatcherConfig::default()).unwrap()));

// Generating clips takes longer than the time limit of a file.
fuzz_target!(init: { LazyLock::force(&CHARACTER); }, |data: &[u8]| {
    limited(data, BASE, || {
        let Ok(trace) = fwtrace::read(data) else { return };
        assert!(trace.updates() > 0 && trace.update_at(trace.time_s(trace.updates() - 1)) < trace.updates());
        let trace = Arc::new(trace);
        let Ok(mut replay) = Replay::new(trace.clone(), CHARACTER.clone(), None) else { return };
        let _ = replay.seek(trace.updates() / 2);
        while replay.step().is_ok_and(|more| more) {}
        if replay.fork(CHARACTER.clone()).is_ok() {
            while replay.step().is_ok_and(|more| more) {}
        }
        let pose = replay.matcher().pose();
        assert!(pose.translations.iter().all(|t| t.is_finite()) && pose.rotations.iter().all(|r| r.is_finite()));
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { fwdb::mutate(data, size, max_size, seed) });
