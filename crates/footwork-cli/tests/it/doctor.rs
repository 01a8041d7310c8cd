//! `footwork doctor`: its findings and its output files; it writes no other files.

use crate::common;

use common::{clips, finish, footwork, json, mocap, run};
use footwork::clip::RawClip;
use footwork_import::bvh::WriteOptions;
use footwork_import::glb::{self, GlbClip, GlbOptions};
use footwork_import::write_clip;
use serde_json::Value;
use std::path::Path;

/// Writes `mocap/` with a clip that floats above the ground and a clip with a spike.
fn faulty(folder: &Path) {
    mocap(folder);
    let all = clips();
    let mut floating = all.iter().find(|c| c.name == "walk_150").unwrap().clone();
    let joints = floating.skeleton.len();
    floating.translations.iter_mut().step_by(joints).for_each(|t| t.y += 0.3);
    floating.name = "floating".into();
    let mut spiked = all.iter().find(|c| c.name == "run_250").unwrap().clone();
    let i = 100 * joints + spiked.skeleton.find("LeftArm").unwrap().at();
    spiked.rotations[i] = spiked.rotations[i] * footwork::math::Quat::from_rotation_x(0.8);
    spiked.name = "spiked".into();
    for clip in [floating, spiked] {
        write_clip(&folder.join("mocap").join(format!("{}.bvh", clip.name)), &clip, &WriteOptions::default()).unwrap();
    }
}

fn diagnosis(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let run = run(folder, &[&["doctor"], args, &["--json"]].concat());
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
    (run.code, serde_json::from_str(&run.stdout).unwrap())
}

fn found<'a>(report: &'a Value, check: &str) -> Vec<&'a Value> {
    report["findings"].as_array().unwrap().iter().filter(|f| f["check"] == check).collect()
}

#[test]
fn good_clips_give_hints_at_most_and_the_code_of_success() {
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    let report = json(dir.path(), &["doctor", "mocap"]);
    assert_eq!((&report["counts"]["error"], &report["counts"]["warning"]), (&0.into(), &0.into()), "{report}");
    common::has_keys(
        &report,
        &["clips", "seconds", "worst", "counts", "findings", "checks", "dance_card", "fixed", "elapsed_s"],
    );
}

#[test]
fn faults_are_told_and_mended_in_copies_alone() {
    let dir = tempfile::tempdir().unwrap();
    faulty(dir.path());
    let before = std::fs::read(dir.path().join("mocap/floating.bvh")).unwrap();
    let (code, report) = diagnosis(dir.path(), &["mocap"]);
    assert_eq!(code, Some(4), "{report}");
    let spike = found(&report, "spike");
    assert_eq!(spike.len(), 1, "{report}");
    common::has_keys(spike[0], &["check", "severity", "clip", "joint", "frames", "seconds", "what", "mend", "mends"]);
    assert_eq!((&spike[0]["clip"], &spike[0]["joint"]), (&"spiked".into(), &"LeftArm".into()));
    assert_eq!(found(&report, "ground")[0]["clip"], "floating");
    // With `--fix`, fixed findings do not affect the exit code, and the result has no findings.
    let mending = run(dir.path(), &["doctor", "mocap", "--fix", "out"]);
    assert_eq!(mending.code, Some(0), "{mending:?}");
    assert!(mending.stdout.contains("changed floating: lower the clip"), "{}", mending.stdout);
    assert_eq!(std::fs::read(dir.path().join("mocap/floating.bvh")).unwrap(), before);
    let (code, after) = diagnosis(dir.path(), &["out"]);
    assert_eq!((code, &after["clips"]), (Some(0), &report["clips"]), "{after}");
}

#[test]
fn only_and_skip_choose_checks_and_a_wrong_name_says_which_there_are() {
    let dir = tempfile::tempdir().unwrap();
    faulty(dir.path());
    let (code, report) = diagnosis(dir.path(), &["mocap", "--only", "spike"]);
    assert_eq!((code, report["counts"]["error"].as_u64()), (Some(3), Some(0)), "{report}");
    let (code, report) = diagnosis(dir.path(), &["mocap", "--skip", "spike,ground"]);
    assert_eq!(code, Some(0), "{report}");
    let wrong = run(dir.path(), &["doctor", "mocap", "--only", "spikes"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("the nearest is `spike`"), "{}", wrong.stderr);
}

#[test]
fn mended_clips_never_go_where_the_clips_came_from() {
    let dir = tempfile::tempdir().unwrap();
    faulty(dir.path());
    for (from, to) in [("mocap", "mocap"), ("mocap/", "./mocap/../mocap"), ("mocap/floating.bvh", "mocap")] {
        let refused = run(dir.path(), &["doctor", from, "--fix", to]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("nothing is changed in place"), "{}", refused.stderr);
    }
    let inside = finish(footwork(&dir.path().join("mocap")).args(["doctor", ".", "--fix", "."]));
    assert_eq!(inside.code, Some(1), "{inside:?}");
}

#[test]
fn clips_of_any_name_are_written_into_the_folder_each_to_a_file_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let walk = clips().into_iter().find(|c| c.name == "walk_150").unwrap();
    let named = ["../up", "a/b", "a_b", "x:y"].map(|n| RawClip { name: n.into(), ..walk.clone() });
    let animations: Vec<GlbClip<'_>> = named.iter().map(GlbClip::from).collect();
    let mut bytes = Vec::new();
    glb::write(&walk.skeleton, &animations, &GlbOptions::default(), &mut bytes).unwrap();
    std::fs::write(dir.path().join("pack.glb"), bytes).unwrap();
    for args in
        [&["doctor", "pack.glb", "--skip", "duplicate", "--fix", "out"][..], &["convert", "pack.glb", "-o", "bvh"]]
    {
        let told = run(dir.path(), args);
        assert_eq!(told.code, Some(0), "{told:?}");
        let names = common::names(&dir.path().join(args.last().unwrap()));
        assert_eq!(names.iter().filter(|n| n.ends_with(".bvh")).count(), 4, "{names:?}");
        assert!(["pack.a_b.bvh", "pack.a_b_2.bvh"].iter().all(|n| names.contains(&(*n).to_owned())), "{names:?}");
    }
    assert_eq!(common::names(dir.path()), ["bvh", "out", "pack.glb"]);
}

#[test]
fn loops_are_marked_beside_the_mended_clip() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("in")).unwrap();
    let all = clips();
    let walk = all.iter().find(|c| c.name == "walk_125_loop").unwrap();
    write_clip(&dir.path().join("in/round.bvh"), walk, &WriteOptions::default()).unwrap();
    let (code, report) = diagnosis(dir.path(), &["in", "--fix", "out"]);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(found(&report, "unmarked_loop").len(), 1, "{report}");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/round.tags.toml")).unwrap(), "loop = true\n");
    assert!(found(&diagnosis(dir.path(), &["out"]).1, "unmarked_loop").is_empty());
}

#[test]
fn a_folder_of_captured_motion_takes_seconds_and_a_page() {
    let Some(folder) = common::data("a_folder_of_captured_motion_takes_seconds_and_a_page", "lafan1") else { return };
    let dir = tempfile::tempdir().unwrap();
    let (_, report) = diagnosis(dir.path(), &[folder.to_str().unwrap()]);
    assert_eq!(report["clips"], 71);
    assert!(report["elapsed_s"].as_f64().unwrap() < 30.0, "{}", report["elapsed_s"]);
    let text = run(dir.path(), &["doctor", folder.to_str().unwrap()]);
    assert!((2..50).contains(&text.stdout.lines().count()), "{}", text.stdout);
}
