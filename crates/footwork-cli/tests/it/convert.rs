//! `footwork convert`, and files of any format for all commands that read motion.

use crate::common;

use std::path::Path;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    dir
}

fn convert(folder: &Path, args: &[&str]) -> serde_json::Value {
    common::json(folder, &[&["convert"], args].concat())
}

#[test]
fn a_database_from_gltf_is_the_database_from_bvh() {
    let dir = folder();
    let told = convert(dir.path(), &["mocap", "-o", "glb", "--format", "glb"]);
    common::has_keys(&told, &["output", "files", "clip_list", "notes"]);
    common::has_keys(&told["clip_list"][0], &["name", "source", "seconds", "frames", "rate_hz", "joints"]);
    assert_eq!(told["files"].as_array().unwrap().len(), 10);
    assert_eq!(common::names(&dir.path().join("glb"))[0], "curve_175_radius_150_left.glb");
    // Rounding decides whether a made clip that is close to a limit is dropped.
    std::fs::write(dir.path().join("off.toml"), common::NOTHING_MADE).unwrap();
    let build = |from| common::json(dir.path(), &["build", from, "--config", "off.toml", "-o", "a.fwdb"]);
    let [a, b] = ["mocap", "glb"].map(build);
    for key in ["clips", "frames", "rows", "columns", "pose_rate_hz", "roles", "root", "contact_joints"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    for (a, b) in a["clip_list"].as_array().unwrap().iter().zip(b["clip_list"].as_array().unwrap()) {
        assert_eq!(a["name"], b["name"]);
    }
}

#[test]
fn a_clip_goes_to_gltf_and_back_and_to_another_rate() {
    let dir = folder();
    convert(dir.path(), &["mocap/walk_175.bvh", "mocap/idle.bvh", "-o", "two.glb"]);
    let told = convert(dir.path(), &["two.glb", "--clip", "walk", "-o", "back.bvh", "--rate", "30"]);
    let clip = &told["clip_list"][0];
    assert_eq!((clip["name"].as_str(), clip["rate_hz"].as_f64()), (Some("two.walk_175"), Some(30.0)), "{told}");
    let whole = convert(dir.path(), &["mocap/walk_175.bvh", "-o", "same.bvh"]);
    let seconds = |v: &serde_json::Value| v["clip_list"][0]["seconds"].as_f64().unwrap();
    assert!((seconds(&told) - seconds(&whole)).abs() < 1.0 / 30.0);
    // Other commands read the output of the first command.
    common::ok(dir.path(), &["film", "two.glb#two.walk_175", "-o", "walk.png"]);
    common::ok(dir.path(), &["film", "*.glb", "--sheet", "-o", "sheet.svg"]);
    let text = common::ok(dir.path(), &["convert", "two.glb", "-o", "out"]);
    assert!(text.contains("two.walk_175") && text.contains("out: 2 clips in 2 files"), "{text}");
}

#[test]
fn motion_is_put_onto_a_character_of_ones_own() {
    let dir = folder();
    convert(dir.path(), &["mocap/idle.bvh", "-o", "character.glb"]);
    convert(dir.path(), &["mocap/walk_175.bvh", "-o", "walking.glb", "--mesh", "character.glb"]);
    let back = convert(dir.path(), &["walking.glb", "-o", "back.bvh"]);
    let clip = convert(dir.path(), &["mocap/walk_175.bvh", "-o", "same.bvh"]);
    assert_eq!(back["clip_list"][0]["frames"], clip["clip_list"][0]["frames"]);
    common::fails(
        dir.path(),
        &["convert", "mocap/idle.bvh", "-o", "x.glb", "--mesh", "mocap/idle.bvh"],
        &["mocap/idle.bvh", "expected a rigged character (.glb)"],
    );
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let dir = folder();
    std::fs::write(dir.path().join("model.gltf"), r#"{"asset": {"version": "2.0"}, "nodes": [{}]}"#).unwrap();
    std::fs::write(dir.path().join("text.fbx"), "no motion").unwrap();
    let cases: [(&[&str], &[&str]); 9] = [
        (&["mocap", "-o", "x.bvh"], &["x.bvh", "expected one clip for a BVH file, found 10"]),
        (&["mocap", "-o", "x.fbx"], &["x.fbx", ".fbx files cannot be written"]),
        (&["mocap", "-o", "x.txt"], &["x.txt", ".bvh or .glb"]),
        (&["mocap", "-o", "x.bvh", "--mesh", "m.glb"], &["--mesh", "BVH files have no mesh"]),
        (&["mocap", "--clip", "fly", "-o", "x.glb"], &["--clip fly"]),
        (&["model.gltf", "-o", "x.glb"], &["model.gltf", "a model but no animation"]),
        (&["text.fbx", "-o", "x.glb"], &["text.fbx", "not a usable FBX file"]),
        (&["mocap/idle.bvh", "-o", "mocap"], &["would be overwritten"]),
        (&["mocap/idle.bvh", "--rate", "0", "-o", "x.bvh"], &["0 frames per second"]),
    ];
    for (args, parts) in cases {
        common::fails(dir.path(), &[&["convert"], args].concat(), parts);
    }
    assert!(!common::names(dir.path()).iter().any(|n| n.starts_with("x.")));
}

#[test]
fn what_was_brought_into_line_is_among_the_warnings_of_a_build() {
    let dir = folder();
    std::fs::write(dir.path().join("mocap/model.gltf"), r#"{"asset": {"version": "2.0"}, "nodes": [{}]}"#).unwrap();
    let told = common::json(dir.path(), &["build", "mocap", "-o", "a.fwdb"]);
    assert_eq!(told["clips"], 10);
    assert!(told["warnings"].to_string().contains("model.gltf: left out: the file holds a model"), "{told}");
}

#[test]
fn loops_of_a_second_from_fbx_build_and_drive_a_character() {
    let Some(data) = common::data("loops_of_a_second_from_fbx", "fbx") else { return };
    let dir = tempfile::tempdir().unwrap();
    let take = data.join("locomotions.fbx");
    let take = take.to_str().unwrap();
    std::fs::write(dir.path().join("c.toml"), "[[build.clips]]\nloop = true\n").unwrap();
    let told = common::json(dir.path(), &["build", take, "--config", "c.toml", "-o", "a.fwdb"]);
    assert_eq!(told["clips"], 3);
    let run = common::json(dir.path(), &["simulate", "--db", "a.fwdb", "--seconds", "10"]);
    assert!(run["searches"].as_u64().unwrap_or(1) > 0, "{run}");
    let film = common::json(dir.path(), &["film", take, "--sheet", "-o", "a.png"]);
    assert_eq!(film["sources"].as_array().unwrap().len(), 3);
}
