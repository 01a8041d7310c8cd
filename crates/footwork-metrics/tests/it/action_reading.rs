//! Actions are read from built-in clips at any frame rate, and with noise, as they are known to be.

use footwork::advanced::math::Random;
use footwork::build::{BuildConfig, BuildOptions, ClipRule, ContactSpec, Multiply, build};
use footwork::clip::RawClip;
use footwork::matcher::{Character, MatcherConfig};
use footwork::math::Quat;
use footwork_gait::{GaitClip, GaitOptions, generate, joint, skeleton};
use footwork_metrics::actions::{KnownContact, ReadFigures, read};
use glam::Vec3;
use std::sync::Arc;

/// Amplitude of the noise of the hips' position, in metres.
const NOISE_M: f32 = 1e-3;
/// Amplitude of the noise of each rotation, in radians: 1 mm at the end of an arm.
const NOISE_RAD: f32 = 1.7e-3;

/// Returns the contacts of built-in clips.
fn known(clips: &[GaitClip]) -> Vec<KnownContact> {
    let takes = clips.iter().filter_map(|take| Some((&take.clip.name, take.truth.action.as_ref()?)));
    let contacts = takes.flat_map(|(clip, truth)| {
        truth.contacts.iter().map(|c| KnownContact {
            clip: clip.clone(),
            joint: skeleton().names()[c.joint].clone(),
            time_s: [c.begin_s, c.end_s],
            position: c.position,
        })
    });
    contacts.collect()
}

/// Adds noise to the hips and to all rotations below them.
fn shake(clip: &mut RawClip, random: &mut Random) {
    for k in 0..clip.translations.len() {
        let mut noise = |most: f32| Vec3::from_array([0; 3].map(|_| random.between(-most, most)));
        if k % joint::COUNT == joint::HIPS {
            clip.translations[k] += noise(NOISE_M);
        }
        if k % joint::COUNT >= joint::HIPS {
            clip.rotations[k] = clip.rotations[k] * Quat::from_rotation_vector(noise(NOISE_RAD));
        }
    }
}

/// Reads the built-in clips at a frame rate; with a seed, with noise.
fn read_at(rate_hz: f32, seed: Option<u64>) -> ReadFigures {
    let options = GaitOptions { routes: false, actions: true, rate_hz, ..Default::default() };
    let takes = generate(&options);
    let mut clips: Vec<RawClip> = takes.iter().map(|take| take.clip.clone()).collect();
    if let Some(seed) = seed {
        let mut random = Random(seed);
        clips.iter_mut().for_each(|clip| shake(clip, &mut random));
    }
    let mut config = BuildConfig::default();
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(&clips, &config, &BuildOptions::default()).unwrap();
    let character = Character::new(Arc::new(db), MatcherConfig::default()).unwrap();
    read(&character, &known(&takes))
}

#[test]
fn every_known_contact_is_read_at_any_frame_rate_and_with_noise() {
    // At 30 Hz, a frame is longer than the bar of 0.03 s. Noise hides the ends of soft contacts.
    for (rate_hz, exact_s, noisy_s) in [(30.0, 0.045, 0.067), (60.0, 0.03, 0.04), (120.0, 0.03, 0.04)] {
        for (seed, most_s) in [(None, exact_s), (Some(3), noisy_s)] {
            let found = read_at(rate_hz, seed);
            println!("{rate_hz} Hz, noise {seed:?}: {found:?}");
            assert!(found.known > 200 && found.read_missed == 0, "{rate_hz} {seed:?}: {found:?}");
            assert!(found.read_contact_s_p99 <= most_s, "{rate_hz} {seed:?}: {found:?}");
            assert!(found.read_contact_m_p99 <= 0.02, "{rate_hz} {seed:?}: {found:?}");
        }
    }
}

/// Builds the built-in takes with a contact of a vault that is named.
fn vault_with(joint: &str, start_s: f32, end_s: f32) -> Result<Character, String> {
    let options = GaitOptions { routes: false, actions: true, ..Default::default() };
    let clips: Vec<RawClip> = generate(&options).into_iter().map(|take| take.clip).collect();
    let contact = ContactSpec { joint: joint.into(), start_s, end_s };
    let rule = ClipRule { name: VAULT.into(), contacts: vec![contact], ..Default::default() };
    let mut config = BuildConfig { clips: vec![rule], ..Default::default() };
    config.multiply.mode = Multiply::Off;
    let (db, _) = build(&clips, &config, &BuildOptions::default()).map_err(|error| error.to_string())?;
    Character::new(Arc::new(db), MatcherConfig::default()).map_err(|error| error.to_string())
}

/// The clip whose contacts are named.
const VAULT: &str = "vault_walk_100_left";

#[test]
fn named_contacts_replace_those_that_are_read() {
    let character = vault_with("LeftHand", 1.2, 1.5).unwrap();
    let db = character.database().unwrap();
    let hands = |name: &str| -> Vec<[f32; 2]> {
        let of_clip = character.actions().all().iter().filter(|a| !a.mirrored && db.clips[a.clip.at()].name == name);
        let contacts = of_clip.flat_map(|a| &a.contacts).filter(|c| db.skeleton.name(c.joint) == "LeftHand");
        contacts.map(|c| [c.start_s, c.end_s]).collect()
    };
    assert_eq!(hands(VAULT), [[1.2, 1.5]]);
    // Other clips are read as before.
    let [others] = hands("vault_walk_115_left")[..] else { panic!("{:?}", hands("vault_walk_115_left")) };
    assert!((others[0] - 1.69).abs() < 0.03, "{others:?}");
}

#[test]
fn contacts_of_unknown_joints_and_reversed_times_are_errors() {
    for (joint, times_s, expected) in [
        ("LeftHnd", [1.0, 1.5], "a joint `LeftHnd` that the skeleton lacks; the nearest is `LeftHand`"),
        ("LeftHand", [1.5, 1.0], "contact of `LeftHand`: expected an end after the start, found 1.5 s to 1 s"),
    ] {
        let error = vault_with(joint, times_s[0], times_s[1]).err().unwrap_or_default();
        assert!(error.contains(expected) && error.contains(VAULT), "{error}");
    }
}
