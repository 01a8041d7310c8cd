//! `footwork replay`: recordings replay bit for bit, optionally with other settings from a given time on; other data are
//! rejected.

use crate::common;

use std::path::Path;

/// Returns a folder with a database of a few clips and a recorded run of 20 s, and the summary of the run.
fn folder() -> (tempfile::TempDir, serde_json::Value) {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "mocap.fwdb");
    let course = ["--course", "random", "--seconds", "20", "--seed", "5", "--trace", "run.fwtrace", "--bvh", "run.bvh"];
    let run = common::json(dir.path(), &[&["simulate", "--db", "mocap.fwdb"], &course[..]].concat());
    (dir, run)
}

fn replay(folder: &Path, args: &[&str]) -> serde_json::Value {
    common::json(folder, &[&["replay", "--db", "mocap.fwdb", "run.fwtrace"], args].concat())
}

#[test]
fn a_replay_prints_what_the_run_printed() {
    let (dir, run) = folder();
    let again = replay(dir.path(), &[]);
    for (key, value) in run.as_object().unwrap().iter().filter(|(key, _)| !key.contains("_us_") && *key != "seed") {
        assert_eq!(again[key], *value, "{key}");
    }
    assert!(run["transitions"].as_u64().unwrap() > 10, "{run}");
    let files = ["--bvh", "again.bvh", "--svg", "again.svg"];
    let plain = common::ok(dir.path(), &[&["replay", "--db", "mocap.fwdb", "run.fwtrace"], &files[..]].concat());
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(read("again.bvh") == read("run.bvh") && !read("again.svg").is_empty());
    assert!(plain.contains(run["pose_hash"].as_str().unwrap()), "{plain}");
}

#[test]
fn recording_changes_nothing_and_the_same_run_gives_the_same_bytes() {
    let (dir, run) = folder();
    let course = ["--course", "random", "--seconds", "20", "--seed", "5"];
    let unrecorded = common::json(dir.path(), &[&["simulate", "--db", "mocap.fwdb"], &course[..]].concat());
    assert_eq!(unrecorded["pose_hash"], run["pose_hash"]);
    let again = [&["simulate", "--db", "mocap.fwdb", "--trace", "again.fwtrace"], &course[..]].concat();
    common::ok(dir.path(), &again);
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(read("run.fwtrace") == read("again.fwtrace"));
    assert!(read("run.fwtrace").len() < 200_000, "{} bytes", read("run.fwtrace").len());
}

#[test]
fn every_ground_and_networks_are_replayed() {
    let (dir, _) = folder();
    for args in [
        &["--ground", "stairs"][..],
        &["--ground", "rubble", "--dt", "0.007"],
        &["--learned", "built-in"],
        &["--course", "none", "--search", "brute"],
    ] {
        let built_in = args.contains(&"--learned");
        let data: &[&str] = if built_in { &[] } else { &["--db", "mocap.fwdb"] };
        let run = [&["simulate", "--seconds", "8", "--trace", "other.fwtrace"], data, args].concat();
        let run = common::json(dir.path(), &run);
        let data: &[&str] = if built_in { &["--learned", "built-in"] } else { data };
        let again = common::json(dir.path(), &[&["replay", "other.fwtrace"], data].concat());
        for key in ["pose_hash", "updates", "transitions", "ground", "course", "search"] {
            assert_eq!(again[key], run[key], "{args:?}: {key}");
        }
    }
}

#[test]
fn a_fork_goes_another_way_from_its_time_on() {
    let (dir, run) = folder();
    std::fs::write(dir.path().join("other.toml"), "[matcher.search]\ninterval_s = 0.25\n").unwrap();
    std::fs::write(dir.path().join("same.toml"), "").unwrap();
    let fork = |at: &str, config: &str| replay(dir.path(), &["--fork-at", at, "--config", config]);
    let (early, late) = (fork("0", "other.toml"), fork("10", "other.toml"));
    assert!(early["pose_hash"] != run["pose_hash"] && late["pose_hash"] != run["pose_hash"]);
    assert_ne!(early["pose_hash"], late["pose_hash"]);
    assert!(early["searches_per_s"].as_f64() < late["searches_per_s"].as_f64());
    assert_eq!(
        (&late["updates"], &late["fork_at_s"], &late["assumes_level_ground"]),
        (&1200.into(), &10.0.into(), &false.into())
    );
    // A fork at the beginning equals a run with those settings.
    let args = ["--course", "random", "--seconds", "20", "--seed", "5", "--config", "other.toml"];
    let fresh = common::json(dir.path(), &[&["simulate", "--db", "mocap.fwdb"], &args[..]].concat());
    assert_eq!(early["pose_hash"], fresh["pose_hash"]);
    // With the same settings, the motion is the same.
    assert_eq!(fork("10", "same.toml")["pose_hash"], run["pose_hash"]);
    let args = ["replay", "--db", "mocap.fwdb", "run.fwtrace", "--fork-at", "10", "--config", "other.toml"];
    let told = common::ok(dir.path(), &args);
    assert!(told.contains("from 10 s on with other.toml"), "{told:?}");
}

#[test]
fn a_mistake_is_one_clear_message() {
    let (dir, _) = folder();
    let at = |name: &str| dir.path().join(name);
    let bytes = std::fs::read(at("run.fwtrace")).unwrap();
    std::fs::write(at("cut.fwtrace"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(at("bad.toml"), "[matcher]\nresponsivenes = 1\n").unwrap();
    std::fs::write(at("other.toml"), "[matcher]\nresponsiveness = 2.0\n").unwrap();
    std::fs::write(at("misfit.toml"), "[matcher.channel_cost]\n\"LeftFot position\" = 2.0\n").unwrap();
    let db = ["--db", "mocap.fwdb"];
    let cases: [(&[&str], &[&str]); 10] = [
        // The built-in data differs from the recorded data.
        (&["run.fwtrace"], &["run.fwtrace", "expected database", "found database", "--db FILE"]),
        (&["run.fwtrace", "--learned", "built-in"], &["run.fwtrace", "found networks", "--db FILE"]),
        (&["cut.fwtrace", db[0], db[1]], &["cut.fwtrace", "truncated"]),
        (&["nothing.fwtrace", db[0], db[1]], &["nothing.fwtrace", "cannot read"]),
        (&["mocap.fwdb", db[0], db[1]], &["mocap.fwdb", "expected a recording (.fwtrace), found a database"]),
        (&["run.fwtrace", "--config", "other.toml", db[0], db[1]], &["--config", "--fork-at S"]),
        (&["run.fwtrace", "--fork-at", "3", db[0], db[1]], &["--fork-at", "--config FILE"]),
        (
            &["run.fwtrace", "--fork-at", "99", "--config", "other.toml", db[0], db[1]],
            &["--fork-at 99", "the end of the trace", "20.00 s"],
        ),
        (&["run.fwtrace", "--fork-at", "3", "--config", "bad.toml", db[0], db[1]], &["bad.toml", "responsivenes"]),
        (
            &["run.fwtrace", "--fork-at", "3", "--config", "misfit.toml", db[0], db[1]],
            &["misfit.toml", "LeftFot position"],
        ),
    ];
    for (args, parts) in cases {
        common::fails(dir.path(), &[&["replay"], args].concat(), parts);
    }
    common::fails(dir.path(), &["film", "run.fwtrace", "-o", "x.png"], &["run.fwtrace", "--db FILE"]);
    let args = ["film", "mocap", "--learned", "built-in", "-o", "x.png"];
    common::fails(dir.path(), &args, &["--learned", "expected a trace"]);
}

#[test]
fn a_recording_of_a_game_is_replayed_filmed_and_forked() {
    use footwork::database::Database;
    use footwork::input::{GroundPoint, MotionInput, Stick};
    use footwork::matcher::{MatcherConfig, MotionMatcher};
    use footwork::recorder::{Recorder, RecorderConfig};
    use glam::Vec3;
    let (dir, _) = folder();
    let db = std::sync::Arc::new(Database::load(&dir.path().join("mocap.fwdb")).unwrap());
    let mut character = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    let mut recorder = Recorder::new(character.character(), RecorderConfig::default());
    // A custom ground, and a different time step in each update.
    let hill = |at: Vec3| GroundPoint { height_m: 0.05 * at.z, ..GroundPoint::default() };
    for k in 0..600 {
        if k % 250 == 0 {
            recorder.mark(&format!("part {k}"));
        }
        let input =
            MotionInput { ground: Some(&hill), ..MotionInput::stick(Stick::towards(Vec3::Z, Default::default())) };
        recorder.update(&mut character, &input, 0.01 + 0.001 * (k % 13) as f32).unwrap();
    }
    recorder.trace().save(&dir.path().join("run.fwtrace")).unwrap();
    let told = replay(dir.path(), &[]);
    assert_eq!((&told["updates"], &told["ground"]), (&600.into(), &"recorded".into()));
    std::fs::write(dir.path().join("same.toml"), "").unwrap();
    let fork = replay(dir.path(), &["--fork-at", "4", "--config", "same.toml"]);
    assert!(fork["assumes_level_ground"] == true && fork["pose_hash"] != told["pose_hash"]);
    let film = ["film", "--trace", "run.fwtrace", "--db", "mocap.fwdb", "--to", "99", "-o", "run.svg"];
    let film = common::json(dir.path(), &film);
    assert_eq!(film["sources"][0]["transitions"], told["transitions"]);
    assert_eq!(film["sources"][0]["parts"].as_array().unwrap().len(), 3, "{film}");
}
