//! Invariant 2: the same database, inputs and time steps give the same bits: in a second run, with any number of threads, after
//! save and restore, on another machine, and with other compiler flags.
//!
//! `tests/golden.txt` holds hashes. When the built-in data or the motion changes on purpose, rewrite them with
//! `UPDATE_GOLDEN=1 cargo test -p footwork --test it invariant_2` and look at the difference.

use crate::common;

use footwork::advanced::matcher::One;
use footwork::build::{BuildConfig, SchemaConfig};
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use footwork::frames::ClipIndex;
use footwork::learned::Networks;
use footwork::matcher::Backend;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher, Output, SearchConfig, Turn};
use footwork::math::Transform;
use footwork::schema::Preset;
use std::path::PathBuf;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

const DT_S: f32 = 1.0 / 60.0;

fn config(backend: Backend) -> MatcherConfig {
    MatcherConfig { search: SearchConfig { backend, ..Default::default() }, ..Default::default() }
}

/// Returns the hash of all poses of the 20 scripted seconds; `between` may change the character before each update.
fn pose_stream(db: &Arc<Database>, config: MatcherConfig, between: impl FnMut(u32, &mut MotionMatcher)) -> String {
    poses_of(MotionMatcher::new(db.clone(), config).unwrap(), between)
}

/// Returns the built-in character, moved by its networks.
fn learned() -> MotionMatcher {
    let networks = Networks::from_bytes(footwork_gait::BIPED_NETWORKS, "shipped".as_ref()).unwrap();
    let character = Character::learned(Arc::new(networks), None, MatcherConfig::default()).unwrap();
    MotionMatcher::of(Arc::new(character), Transform::IDENTITY).unwrap()
}

/// Returns the hash of all poses of a character.
fn poses_of(mut m: MotionMatcher, mut between: impl FnMut(u32, &mut MotionMatcher)) -> String {
    let mut hash = Xxh3::new();
    for k in 0..20 * 60 {
        between(k, &mut m);
        let pose = m.update(&common::script(f64::from(k) / 60.0), DT_S).unwrap();
        common::hash_pose(&mut hash, pose);
    }
    assert!(m.state().header.transition.count > 20, "a stream without transitions proves little");
    format!("{:032x}", hash.digest128())
}

#[test]
fn the_same_run_twice_gives_the_same_poses_whatever_the_search() {
    let db = common::gait_full();
    let first = pose_stream(&db, config(Backend::Boxes), |_, _| {});
    assert_eq!(first, pose_stream(&db, config(Backend::Boxes), |_, _| {}));
    assert_eq!(first, pose_stream(&db, config(Backend::Brute), |_, _| {}));
    let other = MatcherConfig { responsiveness: 2.0, ..config(Backend::Boxes) };
    assert_ne!(first, pose_stream(&db, other, |_, _| {}), "the hash sees nothing");
}

#[test]
fn one_thread_and_four_build_the_same_bytes() {
    let build_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let build = BuildConfig { mirror: MirrorMode::Stored, ..Default::default() };
        pool.install(|| common::built(common::clips(), &build).0.to_bytes().unwrap())
    };
    let one = build_with(1);
    for threads in [2, 4, 7] {
        assert!(one == build_with(threads), "{threads} threads build something else");
    }
}

#[test]
fn a_run_that_is_saved_and_restored_again_and_again_continues_bit_for_bit() {
    let db = common::gait_full();
    let through = pose_stream(&db, config(Backend::Boxes), |_, _| {});
    let mut saved = None;
    let restored = pose_stream(&db, config(Backend::Boxes), |k, m| {
        if k % 7 == 0 {
            // Another input for a third of a second, then a restore.
            let here = m.state().clone();
            for _ in 0..20 {
                m.update(&common::walk(-glam::Vec3::X), 0.017).unwrap();
            }
            m.restore(&here).unwrap();
        }
        if k % 41 == 0 {
            // The state continues in a new matcher.
            saved = Some(m.state().clone());
            *m = MotionMatcher::new(db.clone(), config(Backend::Boxes)).unwrap();
            m.restore(saved.as_ref().unwrap()).unwrap();
        }
    });
    assert_eq!(through, restored);
}

#[test]
fn a_database_from_a_file_moves_the_character_like_the_one_that_was_built() {
    let db = common::gait(MirrorMode::Query);
    let bytes = db.to_bytes().unwrap();
    let loaded = Arc::new(Database::from_bytes(&bytes, "memory".as_ref()).unwrap());
    let run = |db| pose_stream(db, config(Backend::Boxes), |_, _| {});
    assert_eq!(run(&db), run(&loaded));
}

/// Returns the current names and hashes.
fn hashes() -> String {
    let o3de = SchemaConfig { preset: Some(Preset::O3de), ..Default::default() };
    let o3de = Arc::new(common::built(common::clips(), &BuildConfig { schema: o3de, ..Default::default() }).0);
    let lines = [
        ("built_in_database", format!("{:032x}", common::gait_full().content_hash())),
        ("mirrored_database", format!("{:032x}", common::gait(MirrorMode::Stored).content_hash())),
        ("o3de_database", format!("{:032x}", o3de.content_hash())),
        ("built_in_poses", pose_stream(&common::gait_full(), config(Backend::Boxes), |_, _| {})),
        ("mirrored_query_poses", pose_stream(&common::gait(MirrorMode::Query), config(Backend::Boxes), |_, _| {})),
        ("o3de_poses", pose_stream(&o3de, config(Backend::Boxes), |_, _| {})),
        ("learned_poses", poses_of(learned(), |_, _| {})),
    ];
    lines.map(|(name, hash)| format!("{name} = {hash}\n")).concat()
}

#[test]
fn every_machine_and_every_compiler_flag_gives_the_hashes_on_record() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    let found = hashes();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &found).unwrap();
        println!("{found}");
        return;
    }
    let recorded = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found,
        recorded,
        "other bits than on record. Changed on purpose? UPDATE_GOLDEN=1 rewrites {}. Otherwise look for a std \
         transcendental, a fused multiply-add, or a sum whose order depends on the machine",
        file.display()
    );
}

/// Two databases take turns over one scratch at the same clips and times. Each character moves as with a scratch of its own.
#[test]
fn a_scratch_that_served_another_database_changes_no_bit() {
    let (clips, config) = (common::clips(), BuildConfig::default());
    let other_order: Vec<RawClip> = clips.iter().rev().cloned().collect();
    let databases = [common::built(clips, &config).0, common::built(&other_order, &config).0];
    let characters = databases.map(|db| Character::new(Arc::new(db), MatcherConfig::default()).unwrap());
    let mut shared = characters[0].scratch();
    let mut own = characters.each_ref().map(Character::scratch);
    let start = |c: &Character| (c.state_at(Transform::IDENTITY).unwrap(), c.output());
    let mut pairs = characters.each_ref().map(|c| [start(c), start(c)]);
    for k in 0..600u32 {
        let input = common::script(f64::from(k) / 60.0);
        for ((character, pair), own) in characters.iter().zip(&mut pairs).zip(&mut own) {
            for ((state, output), scratch) in pair.iter_mut().zip([&mut shared, own]) {
                // The same times of the same clip, whatever each would choose.
                state.header.playback.playing.clip = ClipIndex(k / 100);
                state.header.playback.playing.time_s = f64::from(k % 50) / 60.0;
                One { state, scratch, output }.step(character, &input, Turn::Later, DT_S).unwrap();
            }
            let hash = |output: &Output| {
                let mut hash = Xxh3::new();
                common::hash_pose(&mut hash, &output.pose);
                hash.digest()
            };
            assert_eq!(hash(&pair[0].1), hash(&pair[1].1), "frame {k}");
        }
    }
}
