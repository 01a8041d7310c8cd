//! `footwork eval`: every metric has its key, thresholds decide the exit code, the worst frame is filmed.

use crate::common;

use serde_json::Value;
use std::path::Path;

/// Returns a folder with a database of a few clips.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "mocap.fwdb");
    dir
}

/// Returns the arguments of a short evaluation: a course of 20 s, once.
fn eval(variants: &str, more: &[&str]) -> Vec<String> {
    let args = ["eval", "--courses", "a", "--seeds", "1", "--variants", variants];
    args.iter().chain(more).map(|a| (*a).to_owned()).collect()
}

fn on_mocap(variants: &str, more: &[&str]) -> Vec<String> {
    eval(variants, &[&["--db", "mocap.fwdb"], more].concat())
}

fn gate(folder: &Path, text: &str) -> String {
    std::fs::write(folder.join("gate.toml"), text).unwrap();
    "gate.toml".to_owned()
}

const KEYS: [&str; 33] = [
    "label_skate_cm_s",
    "label_skate_median_cm_s",
    "label_skate_ik_off_cm_s",
    "skating_pct",
    "low_toe_skate_median_cm_s",
    "height_weighted_skate_cm_s",
    "held_lock_cm_s",
    "idle_toe_cm_s",
    "ik_correction_p99_cm",
    "unlock_jump_p99_cm",
    "penetration_p99_cm",
    "knee_extension_p99_deg",
    "jerk_root",
    "jerk_root_ik_off",
    "jerk_world",
    "transition_jerk_p99_root",
    "transition_jerk_p99_world",
    "dv_p999",
    "dv_over_source_pct",
    "root_yaw_step_p95_deg",
    "path_error_m",
    "path_error_max_m",
    "heading_error_deg",
    "pose_jump_cm",
    "velocity_jump_cm_s",
    "transitions_per_s",
    "coverage_pct",
    "t90_90_vel_s",
    "t90_90_head_s",
    "t90_180_vel_s",
    "t90_180_head_s",
    "t90_start_s",
    "t90_stop_s",
];

#[test]
fn every_row_has_every_key_and_the_motion_its_figures() {
    let dir = tempfile::tempdir().unwrap();
    let bounds = gate(dir.path(), "[default]\njerk_root = 1e9\npath_error_m = 9\n");
    std::fs::write(dir.path().join("slow.toml"), "[matcher]\nresponsiveness = 0.5\n").unwrap();
    let args = eval("default,./slow.toml", &["--gate", &bounds]);
    let told = common::json(dir.path(), &args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((&told["courses"], &told["seeds"]), (&serde_json::json!(["a"]), &1.into()));
    let rows = told["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r["variant"].as_str().unwrap()).collect();
    assert_eq!(names, ["default", "slow", "mocap", "mocap_played"]);
    for row in rows {
        for key in KEYS {
            assert!(row.get(key).is_some_and(|v| v.is_null() || v.is_number()), "{key}: {row}");
        }
    }
    // Course a contains no standing, turning or stopping, and coverage is measured on course f.
    let unasked = |key: &str| key.starts_with("t90") || ["idle_toe_cm_s", "coverage_pct"].contains(&key);
    for key in KEYS {
        assert_eq!(rows[0][key].is_null(), unasked(key), "{key}: {}", rows[0]);
    }
    assert!(rows[2]["jerk_root"].is_number() && rows[3]["path_error_m"].is_null());
    assert_ne!(rows[0]["path_error_m"], rows[1]["path_error_m"]);

    let worst = rows[0]["worst"].as_object().unwrap();
    assert_eq!(worst.keys().collect::<Vec<_>>(), ["jerk_root", "path_error_m"]);
    common::has_keys(&worst["jerk_root"], &["value", "course", "run", "time_s", "joint", "clip", "clip_time_s"]);
    assert!(worst["jerk_root"]["value"].as_f64() > rows[0]["jerk_root"].as_f64());
    assert_eq!(rows[1]["worst"], Value::Object(serde_json::Map::new()));
}

#[test]
fn a_bound_that_does_not_hold_fails_and_is_filmed() {
    let dir = folder();
    let holds = gate(dir.path(), "[default]\njerk_root = 1e9\n[default.times.mocap]\njerk_root = 1000\n");
    let out = common::ok(dir.path(), &on_mocap("default", &["--gate", &holds, "--film", "worst.svg"]));
    assert!(out.contains("label_skate_cm_s") && out.ends_with("gate.toml: all 2 bounds hold\n"), "{out}");
    assert!(!dir.path().join("worst.svg").exists());

    let bounds = "[default]\njerk_root = 1\npath_error_m = 9\nidle_toe_cm_s = 5\n";
    let breaks = gate(dir.path(), &format!("{bounds}[default.times.mocap]\ndv_p999 = 1e-3\n"));
    let run = common::run(dir.path(), &on_mocap("default", &["--gate", &breaks, "--film", "worst.svg"]));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("label_skate_cm_s"), "the table is printed all the same: {run:?}");
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "footwork: gate.toml: 3 of 4 bounds do not hold"), "{run:?}");
    let line = |key: &str| lines.iter().find(|l| l.starts_with(&format!("  default {key}: "))).copied().unwrap_or("");
    for part in ["at most 1.00; worst ", " on course a, run 0, at ", " s: clip ", ", joint "] {
        assert!(line("jerk_root").contains(part), "{part}: {run:?}");
    }
    assert!(line("dv_p999").contains("(0.001 x mocap)"), "{run:?}");
    assert_eq!(line("idle_toe_cm_s"), "  default idle_toe_cm_s: not measured, at most 5.00");
    let film = std::fs::read_to_string(dir.path().join("worst.svg")).unwrap();
    assert!(film.contains("default, dv_p999: worst at") && film.contains("</svg>"));
}

#[test]
fn networks_are_measured_beside_the_exact_search() {
    let dir = tempfile::tempdir().unwrap();
    let asked = ["eval", "--learned", "built-in", "--courses", "a", "--seeds", "1", "--json"];
    // The verdict is the exit code; here only the measured values matter.
    let run = common::run(dir.path(), &asked);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    let is = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}: {found}"));
    assert_eq!(run.code == Some(0), found["passes"].as_bool().unwrap(), "{run:?}");
    assert!(is("reconstruction_mean_cm") < 1.0 && is("reconstruction_p99_cm") < 6.0 && is("toes_mean_cm") < 1.5);
    assert!(is("us_per_frame_batch1") > 0.0 && is("us_per_frame_batch64") > 0.0 && is("projector_cost_ratio") < 1.2);
    assert!((0.3..=1.0).contains(&is("projector_recall")));
    let steps: Vec<f64> = found["stepper_cm"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(steps.len() == 3 && steps.is_sorted() && steps[0] < 2.0 && steps[2] < 8.0, "{steps:?}");
    assert!(found["bytes"]["total"].as_f64().unwrap() < 1.6e6, "{}", found["bytes"]);
    let rows = found["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r["variant"].as_str().unwrap()).collect();
    let wanted = ["exact", "exact_free", "decompressor", "decompressor_free", "learned", "learned_free", "mocap"];
    assert_eq!(names, wanted);
    // On a straight course, networks walk as straight as clips.
    let heading = |row: usize| rows[row]["heading_error_deg"].as_f64().unwrap();
    assert!(heading(4) < heading(0) + 1.0 && rows[4]["coverage_pct"].is_null());
    common::fails(dir.path(), &["eval", "--learned", "no.fwnet"], &["no.fwnet: cannot read"]);
}

#[test]
fn mistakes_are_named_before_anything_runs() {
    let dir = folder();
    let wrong = gate(dir.path(), "[default]\njerk_rot = 1\n");
    common::fails(dir.path(), &on_mocap("default", &["--gate", &wrong]), &["gate.toml: [default]", "`jerk_root`"]);
    common::fails(dir.path(), &on_mocap("default", &["--gate", "no.toml"]), &["cannot read no.toml"]);
    let unmeasured = gate(dir.path(), "[reference]\njerk_root = 1\n");
    common::fails(
        dir.path(),
        &on_mocap("default", &["--gate", &unmeasured]),
        &["gate.toml", "no variant", "`reference`"],
    );
    let fine = gate(dir.path(), "[default]\njerk_root = 1\n");
    common::fails(dir.path(), &on_mocap("default", &["--gate", &fine, "--film", "x.gif"]), &["--film x.gif", ".svg"]);
    common::fails(dir.path(), &on_mocap("defualt", &[]), &["unknown variant `defualt`", "default_free"]);
    for name in ["a.toml", "b/a.toml"] {
        std::fs::create_dir_all(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join(name), "").unwrap();
    }
    common::fails(dir.path(), &on_mocap("a.toml,b/a.toml", &[]), &["found `a` twice"]);
    let run = common::run(dir.path(), &on_mocap("default", &["--film", "x.svg"]));
    assert!(run.code == Some(2) && run.stderr.contains("--gate"), "{run:?}");
}

#[test]
fn the_bounds_of_this_repository_name_what_there_is() {
    for name in common::names(&common::repository().join("eval")) {
        let text = std::fs::read_to_string(common::repository().join("eval").join(&name)).unwrap();
        let gate = footwork_metrics::gate::Gate::parse(&text, &["default", "reference"]);
        assert!(gate.is_ok_and(|g| g.bounds.len() > 20), "{name}");
    }
}
