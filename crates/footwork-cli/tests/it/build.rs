//! `footwork build`: motion files to a database, completely or not at all.

use crate::common;

use footwork::clip::RawClip;
use footwork::math::{Quat, Transform};
use footwork_import::bvh::WriteOptions;
use footwork_import::write_clip;
use glam::Vec3;
use serde_json::Value;
use std::path::Path;

const GOOD: &str = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation \
                    Xrotation\n JOINT LeftLeg\n {\n  OFFSET 10 -5 0\n  CHANNELS 3 Zrotation Yrotation Xrotation\n  End \
                    Site\n  {\n   OFFSET 0 -90 0\n  }\n }\n JOINT RightLeg\n {\n  OFFSET -10 -5 0\n  CHANNELS 3 Zrotation \
                    Yrotation Xrotation\n  End Site\n  {\n   OFFSET 0 -90 0\n  }\n }\n}\n";

/// Returns a file of three joints and four frames, as text.
fn small() -> String {
    let rows = "0 95 0 0 0 0 0 0 10 0 0 -10\n".repeat(4);
    format!("{GOOD}MOTION\nFrames: 4\nFrame Time: 0.033333\n{rows}")
}

fn mocap() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    dir
}

fn build(folder: &Path, args: &[&str]) -> Value {
    common::json(folder, &[&["build"], args].concat())
}

#[test]
fn a_folder_becomes_a_database_of_the_same_bytes_every_time() {
    let dir = mocap();
    let report = build(dir.path(), &["mocap", "-o", "a.fwdb"]);
    common::has_keys(
        &report,
        &["clips", "frames", "rows", "seconds", "columns", "bytes", "warnings", "elapsed_s", "content_hash"],
    );
    assert_eq!((&report["clips"], &report["columns"]), (&10.into(), &27.into()));
    assert_eq!(report["warnings"], serde_json::json!([]));
    build(dir.path(), &["mocap", "-o", "b.fwdb"]);
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert_eq!(bytes("a.fwdb"), bytes("b.fwdb"));
    assert_eq!(report["bytes"], bytes("a.fwdb").len());
    assert_eq!(common::names(dir.path()), ["a.fwdb", "b.fwdb", "mocap"]);

    let inside = common::json(dir.path(), &["inspect", "--db", "a.fwdb"]);
    for key in ["clips", "frames", "rows", "seconds", "columns", "content_hash"] {
        assert_eq!(inside[key], report[key], "{key}");
    }
    let told = common::ok(dir.path(), &["inspect", "--db", "a.fwdb", "--clips", "3"]);
    assert!(
        told.contains("10 clips and ") && told.contains("LeftFoot position") && told.contains(" more (--clips"),
        "{told}"
    );
}

#[test]
fn without_clips_the_built_in_ones_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let report = build(dir.path(), &["-o", "a.fwdb", "--rate", "20"]);
    assert!(report["clips"].as_u64().unwrap() > 50 && report["pose_rate_hz"] == 20.0, "{}", report["clips"]);
}

#[test]
fn the_configuration_says_where_clips_are_seen_from_itself() {
    let dir = mocap();
    std::fs::create_dir(dir.path().join("characters")).unwrap();
    let toml = "[source]\nclips = [\"../mocap/curve_175*.bvh\", \"../mocap/idle.bvh\"]\n[build]\nmirror = \"stored\"\n\
                [[build.clips]]\nname = \"curve*\"\ntags = [{ name = \"curving\" }]\n";
    std::fs::write(dir.path().join("characters/c.toml"), toml).unwrap();
    let report = build(dir.path(), &["--config", "characters/c.toml", "-o", "a.fwdb"]);
    assert_eq!(report["clips"], 3);
    let inside = common::json(dir.path(), &["inspect", "--db", "a.fwdb"]);
    assert_eq!(inside["mirror"], "stored");
    assert_eq!(inside["tags"][0]["name"], "curving");
    assert_eq!(inside["clip_list"].as_array().unwrap().len(), 6);
}

#[test]
fn a_sidecar_beside_a_clip_is_read() {
    let dir = mocap();
    let text = "tags = [{ name = \"calm\" }]\nevents = [{ name = \"blink\", time_s = 0.5 }]\n";
    std::fs::write(dir.path().join("mocap/idle.tags.toml"), text).unwrap();
    build(dir.path(), &["mocap", "-o", "a.fwdb"]);
    let inside = common::json(dir.path(), &["inspect", "--db", "a.fwdb"]);
    assert_eq!((&inside["tags"][0]["name"], &inside["events"][0]["name"]), (&"calm".into(), &"blink".into()));
    std::fs::write(dir.path().join("mocap/idle.tags.toml"), "evnts = []\n").unwrap();
    common::fails(dir.path(), &["build", "mocap", "-o", "a.fwdb"], &["idle.tags.toml", "did you mean `events`?"]);
}

#[test]
fn every_kind_of_bad_motion_file_is_named_and_nothing_is_lost() {
    let good = small();
    let with = |from: &str, to: &str| good.replacen(from, to, 1).into_bytes();
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(good.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let two_roots = format!("{GOOD}{}MOTION\nFrames: 1\nFrame Time: 0.03\n", GOOD.replace("HIERARCHY\n", ""));
    let row = "0 95 0 0 0 0 0 0 10 0 0 -10";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("truncated in the hierarchy", good.as_bytes()[..200].to_vec()),
        ("truncated in the motion", good.as_bytes()[..good.len() - 70].to_vec()),
        ("binary", (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()),
        ("utf-16", utf16),
        ("four billion frames", with("Frames: 4", "Frames: 4000000000")),
        ("a row too short", with(row, "0 95 0 0 0 0")),
        ("a row too long", with(row, &format!("{row} 1"))),
        ("nan", with(row, "nan 95 0 0 0 0 0 0 10 0 0 -10")),
        ("infinity", with(row, "0 inf 0 0 0 0 0 0 10 0 0 -10")),
        ("no joints", b"HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 0.03\n\n".to_vec()),
        ("two roots", two_roots.into_bytes()),
        ("repeated names", with("JOINT RightLeg", "JOINT LeftLeg")),
        ("zero frame time", with("0.033333", "0")),
    ];
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("old.fwdb"), "the old file").unwrap();
    for (what, bytes) in cases {
        std::fs::write(dir.path().join("bad.bvh"), bytes).unwrap();
        for output in ["new.fwdb", "old.fwdb"] {
            let message = common::fails(dir.path(), &["build", "bad.bvh", "-o", output], &["bad.bvh"]);
            assert!(message.len() < 600, "{what}: {message}");
        }
        assert_eq!(common::names(dir.path()), ["bad.bvh", "old.fwdb"], "{what}");
        assert_eq!(std::fs::read_to_string(dir.path().join("old.fwdb")).unwrap(), "the old file", "{what}");
    }
}

#[test]
fn clips_of_different_characters_are_refused_by_name() {
    let dir = mocap();
    std::fs::write(dir.path().join("mocap/small.bvh"), small()).unwrap();
    common::fails(
        dir.path(),
        &["build", "mocap", "-o", "a.fwdb", "--units", "cm"],
        &["`small`", "another skeleton", "is missing"],
    );
}

#[test]
fn a_configuration_that_means_nothing_names_what_it_might_mean() {
    let dir = mocap();
    for (toml, parts) in [
        ("[build]\nsearch_rate = 30\n", &["c.toml", "line 2", "did you mean `search_rate_hz`?"][..]),
        ("[bild]\n", &["c.toml", "did you mean `build`?"]),
        ("[matcher]\nresponsivness = 2\n", &["did you mean `responsiveness`?"]),
        ("[build]\nmirror = \"of\"\n", &["did you mean `off`?"]),
        ("[build]\nsearch_rate_hz = \"fast\"\n", &["c.toml", "line 2"]),
        ("[build\n", &["c.toml", "line 1"]),
        ("[build.roles]\nleft_fot = \"LeftFoot\"\n", &["left_fot", "nearest `left_foot`"]),
        ("[build.roles]\nleft_foot = \"LeftFot\"\n", &["LeftFot", "nearest is `LeftFoot`"]),
        (
            "[[build.schema.channels]]\ntype = \"joint_position\"\njoint = \"LeftFot\"\n",
            &["LeftFot", "nearest is `LeftFoot`"],
        ),
        ("[build]\nsearch_rate_hz = 0\n", &["search_rate_hz", "expected 1 to 240"]),
        ("[[build.clips]]\nname = \"wlk*\"\n", &["wlk*"]),
        ("[[build.clips]]\nname = \"*\"\ndiscard = [[0.0, 1000.0]]\n", &["no clip can be used"]),
        ("[source]\nunits = \"ells\"\n", &["ells", "expected auto"]),
    ] {
        std::fs::write(dir.path().join("c.toml"), toml).unwrap();
        common::fails(dir.path(), &["build", "mocap", "--config", "c.toml", "-o", "a.fwdb"], parts);
        assert_eq!(common::names(dir.path()), ["c.toml", "mocap"], "{toml}");
    }
}

#[test]
fn inputs_that_give_nothing_are_refused() {
    let dir = mocap();
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    for (input, part) in [("empty", "holds no motion files"), ("nowhere", "nowhere"), ("mocap/jump*.bvh", "matches no")]
    {
        common::fails(dir.path(), &["build", input, "-o", "a.fwdb"], &[part]);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let dir = mocap();
    common::fails(
        dir.path(),
        &["build", "mocap", "-o", "no/where.fwdb"],
        &["no/where.fwdb", "expected a folder no, found none"],
    );
    std::fs::create_dir(dir.path().join("folder.fwdb")).unwrap();
    common::fails(dir.path(), &["build", "mocap", "-o", "folder.fwdb"], &["folder.fwdb"]);
    assert_eq!(common::names(dir.path()), ["folder.fwdb", "mocap"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let dir = mocap();
    std::fs::write(dir.path().join("a.fwdb"), "the old file").unwrap();
    // A limit on the size of files (in blocks of 512 or 1024 bytes) simulates a full disk.
    let script = format!("trap '' XFSZ; ulimit -f 64; exec '{}' build mocap -o a.fwdb", env!("CARGO_BIN_EXE_footwork"));
    let run = common::finish(std::process::Command::new("sh").current_dir(dir.path()).args(["-c", &script]));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("a.fwdb"), "{run:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.fwdb")).unwrap(), "the old file");
    assert_eq!(common::names(dir.path()), ["a.fwdb", "mocap"]);
}

#[test]
fn a_damaged_database_is_never_used() {
    let dir = mocap();
    build(dir.path(), &["mocap", "-o", "a.fwdb"]);
    let bytes = std::fs::read(dir.path().join("a.fwdb")).unwrap();
    let mut flipped = bytes.clone();
    let middle = bytes.len() / 2;
    flipped[middle] ^= 4;
    for damaged in [&bytes[..bytes.len() / 2], &bytes[..7], &[], &flipped] {
        std::fs::write(dir.path().join("b.fwdb"), damaged).unwrap();
        common::fails(dir.path(), &["inspect", "--db", "b.fwdb"], &["b.fwdb", "build it again"]);
        common::fails(dir.path(), &["simulate", "--db", "b.fwdb"], &["b.fwdb"]);
    }
}

/// Builds twice from real motion, compares the bytes, and returns the report.
fn real(test: &str, folder: &str, args: &[&str]) -> Option<Value> {
    let from = common::data(test, folder)?;
    let dir = tempfile::tempdir().unwrap();
    let report = build(dir.path(), &[&[from.to_str().unwrap(), "-o", "a.fwdb"], args].concat());
    build(dir.path(), &[&[from.to_str().unwrap(), "-o", "b.fwdb"], args].concat());
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("a.fwdb") == bytes("b.fwdb"), "{folder}: two builds differ");
    let hash = |search: &str| {
        let args = ["simulate", "--db", "a.fwdb", "--seconds", "60", "--search", search];
        common::json(dir.path(), &args)["pose_hash"].clone()
    };
    assert_eq!(hash("brute"), hash("boxes"));
    let files = std::fs::read_dir(&from).unwrap().count();
    assert_eq!(report["clips"], files);
    Some(report)
}

#[test]
fn lafan1_builds() {
    let Some(report) = real("lafan1_builds", "lafan1", &[]) else { return };
    assert_eq!(report["columns"], 27);
    assert!(report["seconds"].as_f64().unwrap() > 60.0, "{}", report["seconds"]);
    assert!(report["root"].as_str().unwrap().contains("forward at 90 degrees"), "{}", report["root"]);
}

#[test]
fn lafan1_without_a_root_bone_builds() {
    let Some(report) = real("lafan1_without_a_root_bone_builds", "lafan1-raw", &[]) else { return };
    assert_eq!(report["columns"], 27);
    assert!(report["root"].as_str().unwrap().starts_with("made under"), "{}", report["root"]);
}

#[test]
fn the_dog_builds_with_the_configuration_in_examples() {
    let config = common::repository().join("examples/dog.toml");
    let Some(report) =
        real("the_dog_builds_with_the_configuration_in_examples", "dog", &["--config", config.to_str().unwrap()])
    else {
        return;
    };
    assert_eq!(report["columns"], 39);
    assert_eq!(report["contact_joints"].as_array().unwrap().len(), 4);
    assert_eq!(report["warnings"], serde_json::json!([]));
}

/// Returns a folder with the clips of these names, damaged by `spoil`.
fn spoilt(names: &[&str], spoil: impl Fn(&mut RawClip), options: &WriteOptions) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("wild")).unwrap();
    std::fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    for mut clip in common::clips().into_iter().filter(|c| names.contains(&c.name.as_str())) {
        spoil(&mut clip);
        write_clip(&dir.path().join(format!("wild/{}.bvh", clip.name)), &clip, options).unwrap();
    }
    dir
}

/// Converts a clip to +Z up, as exported by some programs.
fn z_up(clip: &mut RawClip) {
    let whole = Transform::new(Vec3::ZERO, Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    let joints = clip.skeleton.len();
    for i in (0..clip.rotations.len()).step_by(joints) {
        let t = whole * Transform::new(clip.translations[i], clip.rotations[i]);
        (clip.translations[i], clip.rotations[i]) = (t.translation, t.rotation);
    }
}

#[test]
fn another_up_axis_is_mended_said_and_refused_when_asked() {
    let names = ["idle", "walk_175"];
    let dir = spoilt(&names, z_up, &WriteOptions::default());
    let report = build(dir.path(), &["wild", "-o", "a.fwdb", "--config", "plain.toml"]);
    let fixes = report["fixes"].as_array().unwrap();
    assert_eq!(fixes.len(), 2, "{fixes:?}");
    for fix in fixes {
        common::has_keys(fix, &["clip", "what", "found", "done"]);
        assert_eq!(fix["what"], "up_axis", "{fix}");
    }
    let told = common::ok(dir.path(), &["build", "wild", "-o", "a.fwdb", "--config", "plain.toml"]);
    assert!(told.contains("fixed: `idle`, `walk_175`: up is +Z: ") && told.contains("turned to +Y"), "{told}");
    // Equal to a file with +Y up, except for the last bits of the rotated numbers.
    let good = spoilt(&names, |_| (), &WriteOptions::default());
    let whole = build(good.path(), &["wild", "-o", "b.fwdb", "--config", "plain.toml"]);
    assert_eq!(whole["fixes"], serde_json::json!([]));
    for (a, b) in report["clip_list"].as_array().unwrap().iter().zip(whole["clip_list"].as_array().unwrap()) {
        let [a_mps, b_mps] = [a, b].map(|c| c["mean_speed_mps"].as_f64().unwrap());
        assert!((a_mps - b_mps).abs() < 1e-3 && a["name"] == b["name"], "{a} {b}");
    }
    common::fails(
        dir.path(),
        &["build", "wild", "-o", "c.fwdb", "--strict"],
        &["clip `idle`: up is +Z", "(and 1 more)"],
    );
    assert!(!dir.path().join("c.fwdb").exists());
    let found = common::run(dir.path(), &["doctor", "wild", "--only", "up_axis,scale"]);
    assert_eq!(found.code, Some(4), "{found:?}");
    assert!(found.stdout.contains("error: idle: up is +Z"), "{found:?}");
}

#[test]
fn feet_and_decimetres_are_known_by_the_body_and_said() {
    for (metres_per_unit, name) in [(0.3048, "feet"), (0.1, "decimetres"), (0.01, "")] {
        let dir = spoilt(&["walk_175"], |_| (), &WriteOptions { metres_per_unit, ..WriteOptions::default() });
        let report = build(dir.path(), &["wild", "-o", "a.fwdb", "--config", "plain.toml"]);
        let speed = report["clip_list"][0]["mean_speed_mps"].as_f64().unwrap();
        assert!((1.6..1.9).contains(&speed), "{name}: {speed} m/s");
        let fixes = report["fixes"].as_array().unwrap();
        assert_eq!(fixes.len(), usize::from(!name.is_empty()), "{fixes:?}");
        let strict = ["build", "wild", "-o", "b.fwdb", "--strict", "--config", "plain.toml"];
        if !name.is_empty() {
            assert_eq!(fixes[0]["what"], "units");
            assert!(fixes[0]["done"].as_str().unwrap().contains(name), "{fixes:?}");
            common::fails(dir.path(), &strict, &["clip `walk_175`: leg, spine and arm measure", name]);
            // With an explicit unit, nothing is fixed.
            let unit = metres_per_unit.to_string();
            let said =
                build(dir.path(), &["wild", "-o", "a.fwdb", "--units", &unit, "--strict", "--config", "plain.toml"]);
            assert_eq!(said["fixes"], serde_json::json!([]));
        } else {
            common::ok(dir.path(), &strict);
        }
    }
}

#[test]
fn a_frame_ten_kilometres_away_is_bridged_said_and_refused_when_asked() {
    let away = |clip: &mut RawClip| clip.translations[100 * clip.skeleton.len() + 1] += Vec3::X * 1e4;
    let dir = spoilt(&["walk_175"], away, &WriteOptions::default());
    let report = build(dir.path(), &["wild", "-o", "a.fwdb", "--config", "plain.toml"]);
    let (glitches, fixes) = (&report["glitches"], &report["fixes"]);
    assert_eq!((glitches.as_array().unwrap().len(), fixes.as_array().unwrap().len()), (1, 1), "{glitches} {fixes}");
    common::has_keys(&glitches[0], &["clip", "joint", "seconds", "what", "done"]);
    assert_eq!((&glitches[0]["joint"], &glitches[0]["done"]), (&"Hips".into(), &"bridged".into()), "{glitches}");
    assert_eq!((&fixes[0]["what"], &fixes[0]["clip"]), (&"glitch".into(), &"walk_175".into()), "{fixes}");
    assert!((glitches[0]["seconds"][0].as_f64().unwrap() - 100.0 / 60.0).abs() < 0.02, "{glitches}");
    let speed = report["clip_list"][0]["mean_speed_mps"].as_f64().unwrap();
    assert!((1.6..1.9).contains(&speed), "{speed} m/s");
    let told = common::ok(dir.path(), &["build", "wild", "-o", "a.fwdb", "--config", "plain.toml"]);
    assert!(told.contains("glitch: `walk_175` 1.67-1.68 s bridged: `Hips` jumps by "), "{told}");
    common::fails(
        dir.path(),
        &["build", "wild", "-o", "c.fwdb", "--strict"],
        &["clip `walk_175`, 1.67 to", "`Hips` jumps"],
    );
    std::fs::write(dir.path().join("off.toml"), [common::NOTHING_MADE, "[build.glitches]\nenabled = false\n"].concat())
        .unwrap();
    let off = build(dir.path(), &["wild", "-o", "a.fwdb", "--config", "off.toml"]);
    assert_eq!(off["glitches"], serde_json::json!([]));
}

#[test]
fn the_built_in_clips_have_no_glitches() {
    let dir = tempfile::tempdir().unwrap();
    for rate in ["60", "30"] {
        let report = build(dir.path(), &["-o", "a.fwdb", "--rate", rate, "--strict"]);
        assert_eq!((&report["glitches"], &report["fixes"]), (&serde_json::json!([]), &serde_json::json!([])));
    }
}

#[test]
fn a_tracking_glitch_of_real_motion_is_left_out_and_named() {
    let test = "a_tracking_glitch_of_real_motion_is_left_out_and_named";
    let (Some(glitch), Some(lafan1)) = (common::data(test, "wild/glitch"), common::data(test, "lafan1")) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    let build = |from: &Path| build(dir.path(), &[from.to_str().unwrap(), "--config", "plain.toml", "-o", "a.fwdb"]);
    let report = build(&glitch);
    let glitches = report["glitches"].as_array().unwrap();
    assert_eq!(glitches.len(), 2, "{glitches:?}");
    assert!(glitches.iter().all(|g| g["done"] == "left_out" && g["joint"].is_string()), "{glitches:?}");
    assert_eq!(report["clips"], 3);
    // Jumps, falls, stumbles and fights are not glitches.
    let report = build(&lafan1);
    assert_eq!(report["glitches"], serde_json::json!([]));
}

fn made(report: &Value) -> u64 {
    report["made"]["clips"].as_array().map_or(0, |made| made.len() as u64)
}

#[test]
fn python_reads_the_tensors() {
    let Some(python) = common::python("python_reads_the_tensors") else { return };
    let dir = mocap();
    let report = build(dir.path(), &["mocap", "-o", "a.fwdb"]);
    let script = "import json, sys\n\
                  from safetensors.numpy import load_file\n\
                  tensors = load_file(sys.argv[1])\n\
                  print(json.dumps({name: list(t.shape) for name, t in tensors.items()}))\n";
    let run = common::finish(std::process::Command::new(python).current_dir(dir.path()).args(["-c", script, "a.fwdb"]));
    assert_eq!(run.code, Some(0), "{run:?}");
    let shapes: Value = serde_json::from_str(&run.stdout).unwrap();
    let (rows, frames) = (&report["rows"], &report["frames"]);
    assert_eq!(shapes["features"], serde_json::json!([rows, 27]));
    assert_eq!(shapes["contacts"], serde_json::json!([frames, 2]));
    assert_eq!(shapes["pose_runs"], serde_json::json!([report["clips"].as_u64().unwrap() + made(&report)]));
    assert_eq!(shapes["row_frames"], serde_json::json!([rows]));
}
