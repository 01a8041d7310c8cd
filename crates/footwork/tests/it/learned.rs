//! A character driven by networks: the same calls and the same guarantees. The networks are those shipped for the built-in
//! character.

use crate::common;

use footwork::advanced::learned::{NetworkParts, Precision, Weights};
use footwork::advanced::matcher::One;
use footwork::build::{BuildConfig, SchemaConfig};
use footwork::database::Database;
use footwork::input::{InputError, MotionInput};
use footwork::learned::{Networks, NetworksError};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher, Output, Scratch, Turn, step};
use footwork::math::Transform;
use footwork::schema::Preset;
use footwork_gait::{BIPED_NETWORKS, GaitOptions};
use glam::Vec3;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::Xxh3;

fn networks() -> Arc<Networks> {
    static ALL: OnceLock<Arc<Networks>> = OnceLock::new();
    ALL.get_or_init(|| Arc::new(Networks::from_bytes(BIPED_NETWORKS, Path::new("shipped")).unwrap())).clone()
}

/// Returns the database on which the shipped networks were trained.
fn database() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let build = || {
        let clips = footwork_gait::clips(&GaitOptions { terrain: true, ..Default::default() });
        Arc::new(common::built(&clips, &BuildConfig::default()).0)
    };
    DB.get_or_init(build).clone()
}

fn learned() -> Arc<Character> {
    Arc::new(Character::learned(networks(), None, MatcherConfig::default()).unwrap())
}

fn at_origin(character: &Arc<Character>) -> MotionMatcher {
    MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap()
}

/// Returns the hash of all poses of twenty scripted seconds.
fn hash_of(m: &mut MotionMatcher, mut between: impl FnMut(u32, &mut MotionMatcher)) -> u128 {
    let mut hash = Xxh3::new();
    for k in 0..20 * 60 {
        between(k, m);
        common::hash_pose(&mut hash, m.update(&common::script(f64::from(k) / 60.0), 1.0 / 60.0).unwrap());
    }
    hash.digest128()
}

#[test]
fn it_goes_where_the_stick_says_without_a_database() {
    let mut m = at_origin(&learned());
    assert!(m.character().database().is_none() && m.clip_name().is_none() && m.explain(3).is_none());
    assert!(m.state().bytes() <= 4096, "{} bytes", m.state().bytes());
    for _ in 0..8 * 60 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    let root = m.pose().world_from_root().translation;
    // Eight seconds at 1.75 m/s, minus the start.
    assert!((11.0..15.0).contains(&root.z) && root.x.abs() < 0.3, "{root}");
    let networks = networks();
    let skeleton = &networks.character().skeleton;
    let head = m.pose().in_root(skeleton, skeleton.find("Head").expect("a person has a head"));
    assert!((1.4..1.8).contains(&head.translation.y), "{head:?}");
    // The start causes transitions; a steady walk causes none.
    assert!((1..20).contains(&m.state().header.transition.count));
}

#[test]
fn a_minute_of_random_stick_stays_upright_and_near_the_simulated_character() {
    let mut m = at_origin(&learned());
    let networks = networks();
    let skeleton = &networks.character().skeleton;
    let hips = skeleton.find("Hips").expect("a person has hips");
    let (mut steps, mut still) = (0, 0);
    for k in 0..60 * 60 {
        let before = m.pose().clone();
        m.update(&common::random_stick(5, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
        let height_m = m.pose().in_root(skeleton, hips).translation.y;
        assert!((0.6..1.2).contains(&height_m), "hips at {height_m} m after {k} frames");
        let apart = m.state().header.root.simulation.position - m.pose().world_from_root().translation;
        assert!(Vec3::new(apart.x, 0.0, apart.z).length() < 0.16, "{apart}");
        steps += m.output().footsteps.len();
        still = if *m.pose() == before { still + 1 } else { 0 };
        assert!(still < 60, "frozen");
    }
    assert!(steps > 60, "{steps} steps");
}

#[test]
fn saved_and_restored_it_continues_bit_for_bit() {
    let character = learned();
    let through = hash_of(&mut at_origin(&character), |_, _| {});
    let restored = hash_of(&mut at_origin(&character), |k, m| {
        if k % 7 == 0 {
            let here = m.state().clone();
            for _ in 0..20 {
                m.update(&common::walk(-Vec3::X), 0.017).unwrap();
            }
            m.restore(&here).unwrap();
        }
        if k % 41 == 0 {
            let saved = m.state().clone();
            *m = at_origin(&character);
            m.restore(&saved).unwrap();
        }
    });
    assert_eq!(through, restored);
}

#[test]
fn in_a_crowd_it_moves_as_alone() {
    let character = learned();
    let (mut scratch, dt_s) = (character.scratch(), 1.0 / 60.0);
    let mut states: Vec<_> = (0..4).map(|_| character.state_at(Transform::IDENTITY).unwrap()).collect();
    let mut outputs: Vec<_> = (0..4).map(|_| character.output()).collect();
    let mut alone: Vec<_> = (0..4).map(|_| at_origin(&character)).collect();
    for k in 0..300 {
        let inputs: Vec<_> = (0..4).map(|i| common::random_stick(i, f64::from(k) / 60.0)).collect();
        step(&character, &inputs, dt_s, &mut states, &mut scratch, &mut outputs).unwrap();
        for ((m, input), output) in alone.iter_mut().zip(&inputs).zip(&outputs) {
            assert_eq!(m.update(input, dt_s).unwrap(), &output.pose);
        }
    }
}

/// Working space and outputs keep bodies for the next step. Those of other networks of the same sizes are never shown.
#[test]
fn working_space_and_output_of_other_networks_change_no_bit() {
    let mut parts = NetworkParts::clone(&networks());
    // The same codes, and other poses.
    parts.decompressor.output_std.iter_mut().for_each(|v| *v *= 1.01);
    let other = Arc::new(Networks::new(networks().character(), parts).unwrap());
    let other = Character::learned(other, None, MatcherConfig::default()).unwrap();
    let (character, mut scratch) = (learned(), other.scratch());
    let shown = |of: &Character, scratch: &mut Scratch, output: &mut Output| {
        let (mut state, input) = (of.state_at(Transform::IDENTITY).unwrap(), common::walk(Vec3::Z));
        for _ in 0..4 {
            let one = One { state: &mut state, scratch: &mut *scratch, output: &mut *output };
            one.step(of, &input, Turn::Regular, 1.0 / 60.0).unwrap();
        }
        output.pose.clone()
    };
    let mut output = other.output();
    let others = shown(&other, &mut scratch, &mut output);
    let own = shown(&character, &mut scratch, &mut output);
    assert_eq!(own, shown(&character, &mut character.scratch(), &mut character.output()));
    assert_ne!(own, others);
}

#[test]
fn decisions_do_not_depend_on_the_frame_rate() {
    let character = learned();
    let codes = |rate_hz: u32| {
        let mut m = at_origin(&character);
        let mut codes = Vec::new();
        for k in 0..10 * rate_hz {
            if k % rate_hz == 0 && k > 0 {
                // At the last tick, which all rates share.
                codes.push((m.state().header.transition.count, m.code().unwrap().to_vec()));
            }
            let input = if k < 5 * rate_hz { common::walk(Vec3::Z) } else { common::walk(Vec3::X) };
            m.update(&input, 1.0 / rate_hz as f32).unwrap();
        }
        codes
    };
    let at_60 = codes(60);
    assert!(at_60[8].0 > at_60[0].0 + 2, "{:?}", at_60.iter().map(|c| c.0).collect::<Vec<_>>());
    assert_eq!(at_60, codes(30));
    assert_eq!(at_60, codes(144));
}

#[test]
fn where_the_projector_is_not_trusted_exact_search_steps_in_and_is_counted() {
    let (db, networks) = (database(), networks());
    let mut parts = NetworkParts::clone(&networks);
    let count = |parts: &NetworkParts| {
        let networks = Arc::new(Networks::new(networks.character(), parts.clone()).unwrap());
        let character = Character::learned(networks, Some(db.clone()), MatcherConfig::default()).unwrap();
        let mut m = at_origin(&Arc::new(character));
        let mut exact = 0;
        for k in 0..300 {
            m.update(&common::random_stick(3, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
            exact += m.output().exact_searches;
        }
        let explained = m.explain(3).expect("a database explains");
        assert_eq!((explained.rows, explained.candidates.len()), (db.rows(), 3));
        (exact, m.state().header.choice.searches)
    };
    parts.calibration.trusted_distance = 1e3;
    assert_eq!(count(&parts).0, 0);
    parts.calibration.trusted_distance = 0.0;
    let (exact, searches) = count(&parts);
    assert!(u64::from(exact) == searches && exact >= 50, "{exact} of {searches}");
}

#[test]
fn a_decompressor_shows_what_the_clips_show() {
    let (db, config) = (database(), MatcherConfig::default());
    let character = Character::decompressed(networks(), db.clone(), config.clone()).unwrap();
    let mut ours = at_origin(&Arc::new(character));
    let mut theirs = MotionMatcher::new(db.clone(), config).unwrap();
    for _ in 0..300 {
        ours.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
        theirs.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    let [a, b] = [&ours, &theirs].map(|m| m.pose().world_from_root().translation);
    assert!((a - b).length() < 0.3 && a.z > 5.0, "{a} {b}");
    assert!(ours.clip_name().is_some());
}

#[test]
fn a_database_with_more_curves_has_the_same_networks() {
    let options = GaitOptions { terrain: true, crouch: true, gestures: true, ..Default::default() };
    let (db, _) = common::built(&footwork_gait::clips(&options), &BuildConfig::default());
    let (db, config) = (Arc::new(db), MatcherConfig::default());
    assert!(db.curve_names.len() > networks().layout().curves.len());
    for character in [
        Character::learned(networks(), Some(db.clone()), config.clone()).unwrap(),
        Character::decompressed(networks(), db.clone(), config.clone()).unwrap(),
    ] {
        let mut m = at_origin(&Arc::new(character));
        for _ in 0..300 {
            m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
        }
        assert!(m.pose().world_from_root().translation.z > 5.0);
    }
}

#[test]
fn what_networks_do_not_have_is_refused() {
    let character = learned();
    let mut m = at_origin(&character);
    let tags = database().tag_query("walk").unwrap();
    let asked = MotionInput { tags, ..common::walk(Vec3::Z) };
    assert!(matches!(m.update(&asked, 0.1), Err(InputError::MissingTag { .. })));
    for k in 0..100 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap_or_else(|e| panic!("{k}: {e}"));
    }
    // The memory of the networks is at the end of the block: a count, four codes, and a correction of steps.
    let memory = 1 + 5 * networks().code_width();
    for (at, value) in [(0, 0.5), (0, -1.0), (0, f32::NAN), (5, f32::NAN), (7, f32::INFINITY), (9, 1e9)] {
        let mut state = m.state().clone();
        let place = state.block.len() - memory + at;
        state.block[place] = value;
        let refused = m.restore(&state);
        assert!(matches!(refused, Err(InputError::DamagedState { .. })), "{at} {value}: {refused:?}");
    }
    // A state of a character with clips is rejected.
    let clips = MotionMatcher::new(database(), MatcherConfig::default()).unwrap();
    assert!(matches!(m.restore(clips.state()), Err(InputError::ForeignState { .. })));
    // Working memory of another character is rejected, too.
    let (mut scratch, mut states, mut outputs) =
        (clips.character().scratch(), [character.state_at(Transform::IDENTITY).unwrap()], [character.output()]);
    let asked = step(&character, &[common::walk(Vec3::Z)], 0.1, &mut states, &mut scratch, &mut outputs);
    assert!(matches!(asked, Err(InputError::Foreign { .. })), "{asked:?}");
}

#[test]
fn codes_far_off_the_data_stay_finite_and_come_back() {
    let mut m = at_origin(&learned());
    m.update(&common::walk(Vec3::Z), 0.5).unwrap();
    let mut state = m.state().clone();
    let memory = 3 * networks().code_width();
    let first = state.block.len() - memory;
    state.block[first..].iter_mut().enumerate().for_each(|(i, v)| *v = if i % 2 == 0 { 1e4 } else { -1e4 });
    m.restore(&state).unwrap();
    for _ in 0..120 {
        let pose = m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
        assert!(pose.rotations.iter().all(|q| q.is_finite()) && pose.translations.iter().all(|t| t.is_finite()));
    }
    // The character walks on normally.
    let root = m.pose().world_from_root().translation;
    for _ in 0..120 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    let way = m.pose().world_from_root().translation - root;
    assert!((2.5..4.5).contains(&way.z) && m.code().unwrap().iter().all(|v| v.abs() < 30.0), "{way}");
}

#[test]
fn a_file_holds_all_of_it_and_a_damaged_one_is_refused() {
    let networks = networks();
    let bytes = networks.to_bytes().unwrap();
    assert!(bytes == networks.to_bytes().unwrap(), "equal content, equal bytes");
    let read = |bytes: &[u8]| Networks::from_bytes(bytes, Path::new("a.fwnet"));
    let again = read(&bytes).unwrap();
    assert_eq!((again.hash(), again.bytes()), (networks.hash(), networks.bytes()));
    let run = |networks: Networks| {
        let character = Character::learned(Arc::new(networks), None, MatcherConfig::default()).unwrap();
        hash_of(&mut at_origin(&Arc::new(character)), |_, _| {})
    };
    assert_eq!(run(again), hash_of(&mut at_origin(&learned()), |_, _| {}));
    for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
        let error = read(&bytes[..length]).unwrap_err().to_string();
        assert!(error.contains("a.fwnet: not a .fwnet file, or a truncated one"), "{error}");
    }
    let other = common::gait_full().to_bytes().unwrap();
    let error = read(&other).unwrap_err().to_string();
    assert!(error.contains("expected networks") && error.contains("`footwork_networks`"), "{error}");
}

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let networks = networks();
    let refused = |change: fn(&mut NetworkParts)| {
        let mut parts = NetworkParts::clone(&networks);
        change(&mut parts);
        Networks::new(networks.character(), parts).unwrap_err().to_string()
    };
    let nan =
        refused(|p| p.stepper.layers[1].weights = Weights::F32(vec![f32::NAN; p.stepper.layers[1].weights.len()]));
    assert_eq!(nan, "stepper: weights, value 0: NaN is not usable");
    let chain = refused(|p| {
        p.projector.layers.remove(1);
        p.projector.layers[1].bias.pop();
    });
    assert!(chain.starts_with("projector: layer 1 takes"), "{chain}");
    let size = refused(|p| {
        p.resting.pop();
    });
    assert!(size.starts_with("the code of a character at rest: found"), "{size}");
    let wrong = refused(|p| p.stepper = p.decompressor.clone());
    assert!(wrong.starts_with("outputs of the stepper: found"), "{wrong}");
    assert!(refused(|p| p.outputs[0] = 9999).contains("outputs of the decompressor"));
    assert!(refused(|p| p.calibration.longest_step_s = f32::NAN).contains("calibration"));
}

#[test]
fn a_database_of_another_schema_is_refused_with_both_hashes_and_the_first_difference() {
    let networks = networks();
    networks.check_schema(&database()).unwrap();
    let schema = SchemaConfig { preset: Some(Preset::O3de), ..Default::default() };
    let o3de = common::built(common::clips(), &BuildConfig { schema, ..Default::default() }).0;
    let error = networks.check_schema(&o3de).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, NetworksError::OtherSchema { .. }));
    for part in [format!("{:016x}", o3de.schema.hash()), "channel 0".to_owned(), "train the networks again".to_owned()]
    {
        assert!(text.contains(&part), "{text}");
    }
}

#[test]
fn weights_of_less_precision_change_poses_by_little() {
    let networks = networks();
    let body = |precision: Precision, stepper: Precision| {
        let stored = networks.with_precision(precision, stepper);
        let mut room = footwork::advanced::learned::Decompression::new(&stored);
        let mut body = vec![0.0; stored.layout().width()];
        stored.decompress(&networks.resting, &mut body, &mut room);
        body
    };
    let full = body(Precision::F32, Precision::F32);
    let worst = |other: Vec<f32>| other.iter().zip(&full).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst(body(Precision::F16, Precision::F16)) < 0.01);
    assert!(worst(body(Precision::I8, Precision::F16)) < 0.1);
}

#[test]
fn it_rests_without_a_goal() {
    let mut m = at_origin(&learned());
    for _ in 0..120 {
        m.update(&common::walk(Vec3::Z), 1.0 / 60.0).unwrap();
    }
    for _ in 0..180 {
        m.update(&MotionInput::default(), 1.0 / 60.0).unwrap();
    }
    let stopped = m.pose().world_from_root().translation;
    for _ in 0..10 * 60 * 60 {
        m.update(&MotionInput::default(), 1.0 / 60.0).unwrap();
    }
    let apart_m = (m.pose().world_from_root().translation - stopped).length();
    assert!(apart_m < 0.2, "{apart_m} m in ten minutes");
}
