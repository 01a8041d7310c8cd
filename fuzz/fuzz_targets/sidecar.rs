//! Sidecars: a text is rejected, or every rule of it fits its clip, whose database can be built.
#![no_main]

use footwork::build::{BuildConfig, BuildOptions, ClipRule, Multiply, build};
use footwork::clip::RawClip;
use footwork_fuzz::{clips, memory::limited, walk};
use footwork_import::{Take, check_rules, parse_sidecar};
use libfuzzer_sys::fuzz_target;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Memory that any file may use, in bytes: the database of one short clip.
const BASE: usize = 16 << 20;

/// A loop and a non-looping clip.
static CLIPS: LazyLock<Vec<RawClip>> =
    LazyLock::new(|| clips().into_iter().filter(|c| ["walk_130_loop", "wave_left"].contains(&&*c.name)).collect());

// Generating clips takes longer than the time limit of a file.
fuzz_target!(init: { LazyLock::force(&CLIPS); }, |data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    limited(data, BASE, || {
        // Takes at the limits of file contents.
        for (frames, rate_hz) in [(0, 30.0), (1, 1e-3), (2, 1e4)] {
            let _ = parse_sidecar(text, &take("t", frames, rate_hz));
        }
        CLIPS.iter().for_each(|clip| rules(text, clip));
    });
});

fn take(name: &str, frames: usize, rate_hz: f32) -> Take {
    Take { name: name.into(), sidecar: PathBuf::from("t.tags.toml"), text: None, rate_hz, frames }
}

fn rules(text: &str, clip: &RawClip) {
    let take = take(&clip.name, clip.frames(), clip.rate_hz);
    let Ok(rule) = parse_sidecar(text, &take) else { return };
    let again = parse_sidecar(&toml::to_string(&rule).unwrap(), &take).unwrap();
    assert_eq!(format!("{again:?}"), format!("{rule:?}"));
    let mut tagged = clip.clone();
    if rule.apply(&mut tagged).is_err() {
        return;
    }
    let rules = [ClipRule { name: clip.name.clone(), ..rule }];
    check_rules(&rules, std::slice::from_ref(clip), Path::new("t")).unwrap();
    let mut config = BuildConfig { clips: rules.to_vec(), ..BuildConfig::default() };
    // Generated clips need more memory and time than a sidecar.
    config.multiply.mode = Multiply::Off;
    if let Ok((db, _)) = build(std::slice::from_ref(clip), &config, &BuildOptions::default()) {
        walk(Arc::new(db), Default::default());
    }
}
