//! `footwork simulate`: the same motion whatever searches it, courses of one's own, explanations.

use crate::common;

use std::path::Path;

/// A folder with a database of a few clips.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    common::ok(dir.path(), &["build", "mocap", "-o", "mocap.fwdb"]);
    dir
}

fn simulate(folder: &Path, args: &[&str]) -> serde_json::Value {
    common::json(folder, &[&["simulate", "--db", "mocap.fwdb"], args].concat())
}

#[test]
fn every_search_gives_the_same_motion_to_the_bit() {
    let dir = folder();
    let brute = simulate(dir.path(), &["--search", "brute"]);
    common::has_keys(
        &brute,
        &["updates", "searches", "transitions", "path_error_m", "heading_error_deg", "update_us_median", "pose_hash"],
    );
    assert_eq!((&brute["updates"], &brute["search"]), (&3600.into(), &"brute".into()));
    let boxes = simulate(dir.path(), &["--search", "boxes"]);
    assert_eq!(boxes["search"], "boxes");
    let again = simulate(dir.path(), &[]);
    for other in [&boxes, &again] {
        assert_eq!(other["pose_hash"], brute["pose_hash"]);
        assert_eq!(other["transitions"], brute["transitions"]);
    }
    let seeded = simulate(dir.path(), &["--course", "random", "--seed", "2"]);
    assert_ne!(seeded["pose_hash"], simulate(dir.path(), &["--course", "random", "--seed", "3"])["pose_hash"]);
}

#[test]
fn nobody_steering_plays_on() {
    let dir = folder();
    let free = simulate(dir.path(), &["--course", "none", "--seconds", "20"]);
    assert_eq!(free["path_error_m"], 0.0);
    assert_eq!(free["updates"], 1200);
}

#[test]
fn an_explanation_names_clips_costs_and_reasons() {
    let dir = folder();
    let told = simulate(dir.path(), &["--seconds", "10", "--explain", "5"]);
    let explanation = &told["explanation"];
    common::has_keys(explanation, &["rows", "excluded", "candidates"]);
    let first = &explanation["candidates"][0];
    common::has_keys(first, &["clip", "time_s", "cost", "channels", "verdict"]);
    let out = common::ok(dir.path(), &["simulate", "--db", "mocap.fwdb", "--seconds", "10", "--explain", "5"]);
    assert!(out.contains("rows; excluded") && out.contains("cost"), "{out}");
}

#[test]
fn a_course_of_ones_own_is_a_table() {
    let dir = folder();
    let mut course = "lx,lz,rx,rz,strafe,walk\n".to_owned();
    course.push_str(&"0,1,0,0,0,1\n".repeat(300));
    std::fs::write(dir.path().join("course.csv"), &course).unwrap();
    let run = simulate(dir.path(), &["--course", "course.csv", "--seconds", "5", "--bvh", "run.bvh"]);
    assert_eq!(run["updates"], 300);
    let clip = footwork_import::read_clip(&dir.path().join("run.bvh"), footwork_import::bvh::Units::Auto).unwrap();
    let end = clip.translations[(clip.frames() - 1) * clip.skeleton.len()];
    assert!(end.z > 6.0 && end.x.abs() < 1.0, "{end}");
}

#[test]
fn files_are_written_where_asked_and_nothing_else() {
    let dir = folder();
    let before = common::names(dir.path());
    simulate(dir.path(), &["--seconds", "3", "--bvh", "a.bvh", "--glb", "a.glb", "--svg", "a.svg"]);
    let mut after = common::names(dir.path());
    after.retain(|n| !before.contains(n));
    assert_eq!(after, ["a.bvh", "a.glb", "a.svg"]);
    assert!(std::fs::read(dir.path().join("a.glb")).unwrap().starts_with(b"glTF"));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let dir = folder();
    std::fs::write(dir.path().join("bad.csv"), "lx,lz,rx,rz,strafe,walk\n0,1,0,0,0\n").unwrap();
    std::fs::write(dir.path().join("c.toml"), "[matcher.channel_cost]\n\"LeftFot position\" = 2.0\n").unwrap();
    std::fs::write(dir.path().join("other.fwdb"), "no database").unwrap();
    for (args, parts) in [
        (&["--course", "walk"][..], &["`walk`", "standard, random"][..]),
        (&["--course", "bad.csv"], &["bad.csv", "line 2", "6 numbers"]),
        (&["--course", "nowhere.csv"], &["nowhere.csv"]),
        (&["--dt", "0"], &["--dt"]),
        (&["--seconds", "NaN"], &["--seconds"]),
        (&["--rate", "30"], &["--rate", "--db"]),
        (&["--config", "c.toml"], &["LeftFot position", "nearest is `LeftFoot position`"]),
        (&["--config", "nowhere.toml"], &["nowhere.toml"]),
        (&["--seconds", "1", "--bvh", "no/where.bvh"], &["where.bvh"]),
    ] {
        common::fails(dir.path(), &[&["simulate", "--db", "mocap.fwdb"], args].concat(), parts);
    }
    common::fails(dir.path(), &["simulate", "--db", "other.fwdb"], &["other.fwdb"]);
    common::fails(dir.path(), &["inspect", "--db", "nowhere.fwdb"], &["nowhere.fwdb"]);
    let unknown = common::run(dir.path(), &["simulate", "--search", "magic"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
}

#[test]
fn a_speed_of_ones_own_reaches_the_character() {
    let dir = folder();
    std::fs::write(
        dir.path().join("c.toml"),
        "[matcher.speeds.walk]\nforward_mps = 0.9\nside_mps = 0.9\nback_mps = 0.9\n",
    )
    .unwrap();
    let course = format!("lx,lz,rx,rz,strafe,walk\n{}", "0,1,0,0,0,1\n".repeat(600));
    std::fs::write(dir.path().join("course.csv"), course).unwrap();
    let way = |args: &[&str]| {
        simulate(dir.path(), &[&["--course", "course.csv", "--seconds", "10", "--bvh", "run.bvh"], args].concat());
        let clip = footwork_import::read_clip(&dir.path().join("run.bvh"), footwork_import::bvh::Units::Auto).unwrap();
        clip.translations[(clip.frames() - 1) * clip.skeleton.len()].z
    };
    let (slow, usual) = (way(&["--config", "c.toml"]), way(&[]));
    assert!((7.0..10.0).contains(&slow) && (15.0..18.0).contains(&usual), "{slow} {usual}");
}

#[test]
fn who_walks_over_other_ground_moves_otherwise_and_the_course_is_the_same() {
    let dir = folder();
    let on = |ground: &str| simulate(dir.path(), &["--seconds", "12", "--ground", ground]);
    let level = on("level");
    assert_eq!(level["pose_hash"], simulate(dir.path(), &["--seconds", "12"])["pose_hash"]);
    for ground in ["slope", "stairs", "rubble"] {
        let told = on(ground);
        assert_eq!(told["ground"], ground);
        assert_ne!(told["pose_hash"], level["pose_hash"], "{ground}");
        assert!(told["path_error_m"].as_f64().unwrap() < 0.1, "{told}");
    }
}
