//! `footwork bench` and `footwork search`: correct output for a small database.

use crate::common;

use serde_json::Value;
use std::collections::BTreeSet;

/// Returns a folder with a database of a few clips.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "mocap.fwdb");
    dir
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn every_structure_is_measured_on_every_set_and_exact_ones_are() {
    let dir = folder();
    let told = common::json(dir.path(), &["bench", "search", "--db", "mocap.fwdb", "--count", "12"]);
    assert_eq!(keys(&told), BTreeSet::from(["rows", "columns", "results", "ratio_boxes_over_tree", "exact"]));
    assert_eq!(told["exact"], true);
    assert_eq!(told["columns"], 27);
    assert_eq!(keys(&told["ratio_boxes_over_tree"]), BTreeSet::from(["a", "b", "c", "d"]));
    let rows = told["rows"].as_f64().unwrap();
    let results = told["results"].as_array().unwrap();
    let expected = [
        "queries",
        "backend",
        "setting",
        "kernel",
        "median_us",
        "mean_us",
        "p99_us",
        "recall",
        "cost_ratio",
        "nodes_touched",
        "rows_touched",
        "index_bytes",
        "build_ms",
    ];
    let mut seen = BTreeSet::new();
    for r in results {
        assert_eq!(keys(r), BTreeSet::from(expected), "{r}");
        let number = |key: &str| r[key].as_f64().unwrap_or_else(|| panic!("{key} of {r}"));
        assert!(0.0 < number("median_us") && number("median_us") <= number("p99_us"), "{r}");
        assert!((0.0..=1.0).contains(&number("recall")) && number("cost_ratio") >= 1.0, "{r}");
        assert!(number("rows_touched") <= rows, "{r}");
        let (queries, backend) = (r["queries"].as_str().unwrap(), r["backend"].as_str().unwrap());
        let has_nodes = !["brute", "voxel", "clusters"].contains(&backend);
        // O3DE's leaves are larger than this database: its tree has a single leaf.
        let has_some = has_nodes && !r["setting"].as_str().unwrap().contains("O3DE");
        assert!(!has_some || queries != "c" || number("nodes_touched") > 0.0, "{r}");
        assert!(has_nodes || number("nodes_touched") == 0.0, "{r}");
        if ["brute", "boxes", "tree", "flat"].contains(&backend) || r["setting"] == "exact" {
            assert_eq!((number("recall"), number("cost_ratio")), (1.0, 1.0), "{r}");
        }
        assert_eq!(r["kernel"].is_string(), backend == "tree", "{r}");
        assert!(seen.insert((queries, backend, r["setting"].to_string(), r["kernel"].to_string())), "twice: {r}");
    }
    for queries in ["a", "b", "c", "d"] {
        for backend in ["brute", "boxes", "tree", "flat", "kdtree", "pca", "voxel", "clusters"] {
            let there = seen.iter().filter(|s| (s.0, s.1) == (queries, backend)).count();
            let several = ["kdtree", "pca", "voxel", "clusters"].contains(&backend);
            assert!(there >= if several { 3 } else { 1 }, "{backend} on {queries}: {there}");
        }
    }
}

#[test]
fn what_is_not_asked_for_is_not_measured() {
    let dir = folder();
    let args = ["bench", "search", "--db", "mocap.fwdb", "--count", "5", "--queries", "d,a", "--backend", "tree,pca"];
    let told = common::json(dir.path(), &args);
    for r in told["results"].as_array().unwrap() {
        assert!(["a", "d"].contains(&r["queries"].as_str().unwrap()), "{r}");
        assert!(["tree", "pca"].contains(&r["backend"].as_str().unwrap()), "{r}");
    }
    assert!(told["ratio_boxes_over_tree"]["a"].is_null(), "{told}");
    let text = common::ok(dir.path(), &args);
    assert!(text.contains("tree") && text.contains("d: queries of a game") && !text.contains("c: normal"), "{text}");
}

#[test]
fn cold_searches_are_measured_too() {
    let dir = folder();
    let args =
        ["bench", "search", "--db", "mocap.fwdb", "--cold", "--count", "2", "--queries", "a", "--backend", "tree"];
    assert_eq!(common::json(dir.path(), &args)["exact"], true);
}

#[test]
fn unknown_names_are_refused_with_those_that_there_are() {
    let dir = folder();
    for (args, word) in [
        (["bench", "search", "--backend", "trees"], "clusters"),
        (["bench", "search", "--queries", "e"], "possible values: a, b, c, d"),
        (["bench", "search", "--count", "0"], "--count"),
    ] {
        let run = common::run(dir.path(), &args);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(word), "{run:?}");
    }
}

fn costs(told: &Value) -> Vec<f64> {
    told["candidates"].as_array().unwrap().iter().map(|c| c["cost"].as_f64().unwrap()).collect()
}

#[test]
fn a_question_is_answered_alike_by_every_exact_search_and_its_costs_add_up() {
    let dir = folder();
    let ask = |more: &[&str]| {
        let args = ["search", "--db", "mocap.fwdb", "--clip", "walk_175", "--at", "0.5"];
        common::json(dir.path(), &[&args, more].concat())
    };
    let own = ask(&[]);
    // The playing row matches its own features exactly.
    assert_eq!((&own["jumps"], &own["candidates"][0]["cost"]), (&false.into(), &0.0.into()));
    assert_eq!(own["candidates"][0]["verdict"], "continued");
    assert_eq!(costs(&own).len(), 6);
    let goal = ["--goal-speed", "4", "--goal-direction", "60"];
    let fast = ask(&goal);
    assert_eq!(fast["jumps"], true);
    assert_eq!(fast["candidates"][0]["verdict"], "chosen");
    assert!(costs(&fast).is_sorted());
    for c in fast["candidates"].as_array().unwrap() {
        let sum: f64 = c["channels"].as_array().unwrap().iter().map(|c| c[1].as_f64().unwrap()).sum();
        let cost = c["cost"].as_f64().unwrap();
        assert!((cost - sum - c["beside"].as_f64().unwrap()).abs() < 1e-3, "{c}");
    }
    for search in ["brute", "boxes", "flat", "kdtree"] {
        assert_eq!(ask(&[&goal[..], &["--search", search]].concat())["candidates"], fast["candidates"], "{search}");
    }
    let explained = ask(&[&goal[..], &["--explain"]].concat());
    assert!(explained["candidates"].as_array().unwrap().len() >= fast["candidates"].as_array().unwrap().len());
    let left = ask(&["--stick", "-1,0", "--gait", "walk"]);
    assert_ne!(left["candidates"], own["candidates"]);
    // A number above the number of candidates is valid, too.
    assert!(costs(&ask(&["--k", "1000000"])).len() > 100);
}

#[test]
fn questions_that_cannot_be_asked_are_refused_by_name() {
    let dir = folder();
    let fails = |args: &[&str], parts: &[&str]| {
        common::fails(dir.path(), &[&["search", "--db", "mocap.fwdb"], args].concat(), parts);
    };
    fails(&["--clip", "walk_17"], &["--clip walk_17", "walk_175"]);
    fails(&["--clip", "walk_175", "--at", "1000"], &["--at 1000", "walk_175"]);
    fails(&["--clip", "walk_175", "--stick", "2,0"], &["--stick", "-1 to 1"]);
    fails(&["--clip", "walk_175", "--stick", "1"], &["--stick", "X,Z"]);
    fails(&["--clip", "walk_175", "--goal-speed", "NaN"], &["--goal-speed"]);
}

#[test]
fn every_stage_of_an_update_is_measured_and_costs_something() {
    let dir = folder();
    let told = common::json(dir.path(), &["bench", "update", "--db", "mocap.fwdb", "--frames", "300"]);
    assert_eq!(keys(&told), BTreeSet::from(["foresight", "joints", "frames", "rows", "search"]));
    assert!(told["frames"].as_u64().unwrap() > 100, "{told}");
    assert!(told["foresight"]["bytes"].as_u64().unwrap() > 0 && told["foresight"]["median_us"].as_f64().unwrap() > 0.0);
    let rows = told["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r["stages"].as_str().unwrap()).collect();
    let stages = ["orientation_warp", "stride_warp", "ground", "look_at", "hands"];
    let last = ["all", "recording", "ground_recording"];
    assert_eq!(names, [&["bare", "default"][..], &stages, &last].concat());
    let us = |name: &str| rows.iter().find(|r| r["stages"] == name).unwrap()["median_us"].as_f64().unwrap();
    assert!(us("bare") > 0.0 && us("bare") < us("default"));
    for stage in stages {
        assert!(us(stage) > us("default") && us(stage) < us("all"), "{stage}: {told}");
    }
}

#[test]
fn the_codec_is_measured_against_the_clips_of_the_build() {
    let dir = folder();
    let codec = ["bench", "codec", "--db", "mocap.fwdb", "--source", "mocap"];
    let told = common::json(dir.path(), &codec);
    let figures =
        ["bits_per_bone_sample", "error_mm_mean", "error_mm_p99", "error_mm_max", "contact_slide_mm_max", "decode_us"];
    let others = ["frames", "joints", "pose_bytes", "captured_pose_bytes", "worst"];
    assert_eq!(keys(&told), figures.into_iter().chain(others).collect());
    let figure = |name: &str| told[name].as_f64().unwrap();
    for (name, most) in figures.into_iter().zip([19.0, 0.1, 0.5, 1.5, 0.2, 1000.0]) {
        assert!(figure(name) > 0.0 && figure(name) <= most, "{name}: {told}");
    }
    assert!(figure("pose_bytes") * 6.0 < figure("captured_pose_bytes"), "{told}");
    let inside = common::json(dir.path(), &["inspect", "--db", "mocap.fwdb"]);
    assert_eq!(inside["poses"]["encoding"], "segments");
    assert_eq!(inside["poses"]["bytes"], told["pose_bytes"]);
    let text = common::ok(dir.path(), &["inspect", "--db", "mocap.fwdb", "--clips", "0"]);
    assert!(text.contains("poses in a file: segments, "), "{text}");
    let text = common::ok(dir.path(), &codec);
    assert!(text.contains("3 cm off each joint") && text.contains("feet slide"), "{text}");
    // Other clips than those of the database.
    let other = ["bench", "codec", "--db", "mocap.fwdb"];
    common::fails(dir.path(), &other, &["the source: expected", "--config"]);
    // Poses as captured have no error.
    std::fs::write(dir.path().join("plain.toml"), "[build.codec]\nerror_mm = 0\n").unwrap();
    common::ok(dir.path(), &["build", "mocap", "--config", "plain.toml", "-o", "plain.fwdb"]);
    let told = common::json(dir.path(), &["bench", "codec", "--db", "plain.fwdb", "--source", "mocap"]);
    assert_eq!((&told["error_mm_max"], &told["decode_us"]), (&0.0.into(), &Value::Null));
    assert_eq!(told["pose_bytes"], told["captured_pose_bytes"]);
}

#[test]
fn a_crowd_is_measured_in_one_call_and_one_at_a_time_with_the_same_bits() {
    let dir = folder();
    let crowd = ["bench", "crowd", "--db", "mocap.fwdb", "--characters", "6", "--frames", "30"];
    let told = common::json(dir.path(), &[&crowd[..], &["--rate", "20", "--threads", "2"]].concat());
    let times = ["ms_per_frame", "one_at_a_time_ms_per_frame", "never_searching_ms_per_frame"];
    let others = ["rows", "characters", "threads", "frames", "searches_per_frame", "same_bits"];
    assert_eq!(keys(&told), times.into_iter().chain(others).collect());
    assert_eq!((&told["same_bits"], &told["characters"], &told["threads"]), (&true.into(), &6.into(), &2.into()));
    assert!(times.iter().all(|time| told[time].as_f64().unwrap() > 0.0), "{told}");
    assert!((1.9..2.6).contains(&told["searches_per_frame"].as_f64().unwrap()), "{told}");
    let text = common::ok(dir.path(), &crowd);
    assert!(text.contains("one at a time") && text.contains("bits of the first two: the same"), "{text}");
    let networks = ["bench", "crowd", "--learned", "built-in", "--characters", "3", "--frames", "20"];
    let told = common::json(dir.path(), &networks);
    assert!(told["rows"].is_null() && told["same_bits"] == true, "{told}");
    for rate in ["61", "-1", "NaN", "often"] {
        let run = common::run(dir.path(), &["bench", "crowd", &format!("--rate={rate}")]);
        assert!(run.code == Some(2) && run.stderr.contains("0 to 60"), "{run:?}");
    }
}

#[test]
fn growth_compares_the_database_with_its_parts() {
    let dir = folder();
    common::ok(dir.path(), &["gait", "--hours", "0.06", "-o", "corpus"]);
    common::ok(dir.path(), &["build", "corpus", "-o", "corpus.fwdb"]);
    let told = common::json(dir.path(), &["bench", "growth", "--db", "corpus.fwdb", "--count", "20"]);
    assert_eq!(keys(&told), BTreeSet::from(["rows", "per_doubling", "median_us"]));
    let rows: Vec<f64> = told["rows"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(rows.windows(2).all(|w| (1.8..=2.0).contains(&(w[1] / w[0]))), "{rows:?}");
    for set in ["a", "b", "c", "d"] {
        let growth = told["per_doubling"][set].as_f64().unwrap();
        let times: Vec<f64> = told["median_us"][set].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        // The rows double three times, but for rounding.
        let whole = times[3] / times[0];
        assert!((growth * growth * growth / whole - 1.0).abs() < 0.02, "{told}");
    }
    std::fs::write(dir.path().join("off.toml"), common::NOTHING_MADE).unwrap();
    common::ok(dir.path(), &["build", "mocap", "--config", "off.toml", "-o", "mocap.fwdb"]);
    common::fails(dir.path(), &["bench", "growth", "--db", "mocap.fwdb"], &["rows: expected at least"]);
}
