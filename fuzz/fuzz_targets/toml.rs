//! The TOML of a character and of a sidecar: settings are rejected, or used without harm.
#![no_main]

use footwork::build::{BuildConfig, BuildOptions, ClipRule, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork_fuzz::memory::limited;
use footwork_fuzz::walk;
use footwork_gait::GaitOptions;
use footwork_import::CharacterConfig;
use footwork_import::pattern::NamePattern;
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Memory that any file may use, in bytes: the database of one short clip, at any rate that a build accepts.
const BASE: usize = 16 << 20;

/// Some seconds along a curve.
static CLIP: LazyLock<RawClip> = LazyLock::new(|| {
    let options = GaitOptions { rate_hz: 10.0, routes: false, ..GaitOptions::default() };
    footwork_gait::clips(&options).into_iter().find(|c| c.name.starts_with("curve_")).unwrap()
});

static DATABASE: LazyLock<Arc<Database>> = LazyLock::new(|| Arc::new(built(&BuildConfig::default()).unwrap()));

fn built(config: &BuildConfig) -> Option<Database> {
    Some(build(std::slice::from_ref(&*CLIP), config, &BuildOptions::default()).ok()?.0)
}

// Generating clips takes longer than the time limit of a file.
fuzz_target!(init: { LazyLock::force(&DATABASE); }, |data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    limited(data, BASE, || {
        character(text);
        sidecar(text);
    });
});

fn character(text: &str) {
    let Ok(config) = CharacterConfig::parse(text, Path::new("t")) else { return };
    let _ = config.source.units.units();
    if let Some(pattern) = config.source.pattern.as_ref().and_then(|p| p.parse::<NamePattern>().ok()) {
        let _ = pattern.tags("walk1_subject5");
    }
    walk(DATABASE.clone(), config.matcher.clone());
    if let Some(db) = built(&config.build) {
        walk(Arc::new(db), config.matcher);
    }
}

fn sidecar(text: &str) {
    let Ok(rule) = toml::from_str::<ClipRule>(text) else { return };
    let mut clip = CLIP.clone();
    if rule.apply(&mut clip).and_then(|()| clip.validate()).is_ok() {
        built(&BuildConfig { clips: vec![rule], ..BuildConfig::default() });
    }
}
