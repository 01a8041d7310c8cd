//! Outputs never replace inputs or files of another kind.

use crate::common;

use common::{fails, footwork, json, names, ok};
use std::fs;
use std::path::Path;

/// Returns a folder with `mocap`, a database of it, and a run in every format, as `run.*`.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    ok(dir.path(), &["build", "mocap/idle.bvh", "-o", "run.fwdb"]);
    let files = ["--bvh", "run.bvh", "--glb", "run.glb", "--svg", "run.svg", "--trace", "run.fwtrace"];
    ok(dir.path(), &[&["simulate", "--db", "run.fwdb", "--seconds", "1"], &files[..]].concat());
    dir
}

/// Returns every file of a folder and of `mocap` in it.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for below in [folder.to_owned(), folder.join("mocap")] {
        for name in names(&below) {
            let path = below.join(&name);
            if path.is_file() {
                all.push((path.display().to_string(), fs::read(path).unwrap()));
            }
        }
    }
    all
}

#[test]
fn an_output_that_is_an_input_is_refused_by_every_command() {
    let dir = folder();
    let before = contents(dir.path());
    let walk = "mocap/walk_175.bvh";
    let cases: [(&[&str], &[&str]); 18] = [
        (&["convert", walk, "-o", walk], &["--output mocap/walk_175.bvh", "inputs"]),
        (&["convert", "mocap/walk*.bvh", "-o", "./mocap/../mocap/walk_175.bvh"], &["walk_175.bvh", "inputs"]),
        (&["convert", "mocap", "-o", "mocap"], &["--output mocap", "nothing is changed in place"]),
        (&["convert", "run.glb", "mocap", "-o", "run.glb"], &["--output run.glb", "inputs"]),
        (&["convert", walk, "--mesh", "run.glb", "-o", "run.glb"], &["--output run.glb", "inputs"]),
        (&["build", walk, "-o", walk], &[walk, "inputs"]),
        (&["build", "mocap", "-o", walk], &[walk, "inputs"]),
        (
            &["retarget", "mocap", "--onto", "built-in", "-o", "mocap"],
            &["--output mocap", "nothing is changed in place"],
        ),
        (&["retarget", "mocap", "--onto", "run.bvh", "-o", "."], &["run.bvh", "nothing is changed in place"]),
        (&["retarget", walk, "--onto", "run.bvh", "-o", "run.bvh"], &["--output run.bvh", "inputs"]),
        (&["doctor", "mocap", "--fix", "mocap"], &["--fix mocap", "nothing is changed in place"]),
        (&["simulate", "--db", "run.fwdb", "--seconds", "1", "--trace", "run.fwdb"], &["--trace run.fwdb", "inputs"]),
        (&["simulate", "--db", "run.fwdb", "--seconds", "1", "--glb", "run.fwdb"], &["--glb run.fwdb"]),
        (&["film", "run.fwtrace", "-o", "run.fwtrace"], &["--output run.fwtrace", "inputs"]),
        (&["film", "mocap", "-o", walk], &["inputs"]),
        (&["report", "--db", "run.fwdb", "-o", "run.fwdb"], &["--output run.fwdb", "inputs"]),
        (&["report", "--db", "run.fwdb", "--trace", "run.fwtrace", "-o", "run.fwtrace"], &["run.fwtrace", "inputs"]),
        (&["eval", "--gate", "run.svg", "--film", "run.svg"], &["--film run.svg", "inputs"]),
    ];
    for (args, parts) in cases {
        fails(dir.path(), args, parts);
        assert!(contents(dir.path()) == before, "{args:?}");
    }
}

#[test]
fn the_clips_that_a_configuration_names_are_inputs_too() {
    let dir = folder();
    fs::write(dir.path().join("mocap/c.toml"), "[source]\nclips = [\"walk*.bvh\"]\n").unwrap();
    let before = contents(dir.path());
    fails(dir.path(), &["build", "--config", "mocap/c.toml", "-o", "mocap/walk_175.bvh"], &["inputs"]);
    fails(dir.path(), &["build", "--config", "mocap/c.toml", "-o", "mocap/c.toml"], &["inputs"]);
    fails(dir.path(), &["doctor", "--config", "mocap/c.toml", "--fix", "mocap"], &["nothing is changed in place"]);
    assert!(contents(dir.path()) == before);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_file_that_they_mean() {
    use std::os::unix::fs::symlink;
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    symlink("mocap/walk_175.bvh", at("soft.bvh")).unwrap();
    fs::hard_link(at("mocap/walk_175.bvh"), at("hard.bvh")).unwrap();
    fs::create_dir(at("out")).unwrap();
    symlink("../mocap/walk_175.bvh", at("out/other.bvh")).unwrap();
    symlink("run.glb", at("link.fwdb")).unwrap();
    let before = contents(dir.path());
    for to in ["soft.bvh", "hard.bvh"] {
        fails(dir.path(), &["convert", "mocap/walk_175.bvh", "-o", to], &[to, "inputs, as mocap/walk_175.bvh"]);
        fails(dir.path(), &["convert", to, "-o", "mocap/walk_175.bvh"], &["mocap/walk_175.bvh", "inputs"]);
    }
    fails(dir.path(), &["convert", "mocap", "-o", "out"], &["--output out", "nothing is changed in place"]);
    fails(dir.path(), &["build", "mocap", "-o", "link.fwdb"], &["run.glb", ".fwdb"]);
    assert!(contents(dir.path()) == before);
    // A link to a file of the right kind stays a link.
    symlink("far/real.fwdb", at("short.fwdb")).unwrap();
    fs::create_dir(at("far")).unwrap();
    ok(dir.path(), &["build", "mocap", "-o", "short.fwdb"]);
    assert!(fs::symlink_metadata(at("short.fwdb")).unwrap().is_symlink());
    json(dir.path(), &["inspect", "--db", "far/real.fwdb"]);
}

#[test]
fn two_outputs_are_two_files() {
    let dir = folder();
    let simulate = ["simulate", "--db", "run.fwdb", "--seconds", "1"];
    let before = contents(dir.path());
    for (args, parts) in [
        (&["--glb", "x", "--svg", "x"][..], &["--glb x", "--svg x", "one and the same"][..]),
        (&["--bvh", "x", "--trace", "./mocap/../x"], &["--bvh x", "one and the same"]),
    ] {
        fails(dir.path(), &[&simulate, args].concat(), parts);
    }
    assert!(contents(dir.path()) == before);
}

#[test]
fn a_file_of_another_kind_is_not_replaced() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    fs::copy(at("run.fwtrace"), at("plain")).unwrap();
    fs::copy(at("run.bvh"), at("renamed.glb")).unwrap();
    fs::copy(at("run.fwdb"), at("renamed.fwtrace")).unwrap();
    fs::write(at("notes"), "what to do").unwrap();
    fs::write(at("scene.gltf"), "{}").unwrap();
    let simulate = ["simulate", "--db", "run.fwdb", "--seconds", "1"];
    let before = contents(dir.path());
    for (args, parts) in [
        (&["--glb", "a.fwdb"][..], &["--glb a.fwdb", "ends in .glb"][..]),
        (&["--bvh", "a.glb"], &["--bvh a.glb", "ends in .bvh"]),
        (&["--svg", "a.png"], &["--svg a.png", "ends in .svg"]),
        (&["--trace", "a.fwdb"], &["--trace a.fwdb", "ends in .fwtrace"]),
        (&["--glb", "renamed.glb"], &["--glb renamed.glb", "found a .bvh file"]),
        (&["--trace", "renamed.fwtrace"], &["--trace renamed.fwtrace", "found a .fwdb file"]),
        (&["--svg", "plain"], &["--svg plain", "found a .fwtrace file"]),
        (&["--svg", "notes"], &["--svg notes", "found another file"]),
        (&["--svg", "mocap"], &["--svg mocap", "found a folder"]),
    ] {
        fails(dir.path(), &[&simulate, args].concat(), parts);
    }
    fails(dir.path(), &["build", "mocap", "-o", "run.glb"], &["--output run.glb", "ends in .fwdb"]);
    fails(dir.path(), &["film", "mocap", "-o", "scene.gltf"], &["scene.gltf", ".gif or .webp"]);
    fails(dir.path(), &["report", "--quick", "-o", "run.svg"], &["--output run.svg", "ends in .html"]);
    fs::copy(at("run.glb"), at("page.html")).unwrap();
    fails(dir.path(), &["report", "--quick", "-o", "page.html"], &["--output page.html", "found a .glb file"]);
    fs::remove_file(at("page.html")).unwrap();
    fails(dir.path(), &["gait", "-o", "notes", "--clip", "idle"], &["--output notes", "found a file"]);
    fails(dir.path(), &["doctor", "mocap", "--fix", "notes"], &["--fix notes", "found a file"]);
    assert!(contents(dir.path()) == before);
    // Files of the right kind, empty files, and damaged files with the right extension are replaced.
    fs::write(at("empty"), "").unwrap();
    fs::write(at("damaged.svg"), "was cut off").unwrap();
    for to in ["run.svg", "empty", "damaged.svg", "new"] {
        ok(dir.path(), &[&simulate[..], &["--svg", to]].concat());
        assert!(fs::read(at(to)).unwrap().starts_with(b"<svg"), "{to}");
    }
}

#[test]
fn a_file_of_another_kind_under_the_name_of_a_clip_is_not_replaced() {
    let dir = folder();
    fs::create_dir(dir.path().join("out")).unwrap();
    fs::copy(dir.path().join("run.glb"), dir.path().join("out/walk_175.bvh")).unwrap();
    for args in [
        &["convert", "mocap", "-o", "out"][..],
        &["retarget", "mocap", "--onto", "built-in", "-o", "out"],
        &["doctor", "mocap", "--fix", "out"],
        &["gait", "-o", "out", "--clip", "walk_175"],
    ] {
        fails(dir.path(), args, &["out/walk_175.bvh", "found a .glb file"]);
        assert_eq!(names(&dir.path().join("out")), ["walk_175.bvh"], "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_what_has_no_name_are_written_into() {
    use std::os::unix::fs::FileTypeExt;
    let dir = folder();
    let simulate = ["simulate", "--db", "run.fwdb", "--seconds", "1"];
    // `/dev/null` itself is not used, since a failure of this test could replace it.
    let out = ok(dir.path(), &[&simulate[..], &["--svg", "/proc/self/fd/1"]].concat());
    assert!(out.starts_with("<svg"), "{out}");
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    ok(dir.path(), &[&simulate[..], &["--svg", "pipe"]].concat());
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(reader.join().unwrap() == fs::read(dir.path().join("run.svg")).unwrap());
}

#[test]
fn builds_at_once_to_one_output_all_succeed() {
    let dir = folder();
    let builds: Vec<_> = (0..4)
        .map(|_| {
            let mut build = footwork(dir.path());
            build.args(["build", "mocap/idle.bvh", "-o", "y.fwdb"]).stdout(std::process::Stdio::null());
            build.spawn().unwrap()
        })
        .collect();
    for mut build in builds {
        assert!(build.wait().unwrap().success());
    }
    assert_eq!(fs::read(dir.path().join("y.fwdb")).unwrap(), fs::read(dir.path().join("run.fwdb")).unwrap());
    assert!(names(dir.path()).iter().all(|n| !n.ends_with(".part")), "{:?}", names(dir.path()));
}

#[test]
fn the_demo_replaces_only_its_own_files() {
    let dir = folder();
    fs::create_dir(dir.path().join("footwork-demo")).unwrap();
    fs::copy(dir.path().join("run.fwdb"), dir.path().join("footwork-demo/demo.glb")).unwrap();
    fails(dir.path(), &["--db", "run.fwdb"], &["footwork-demo/demo.glb", "found a .fwdb file"]);
    assert_eq!(names(&dir.path().join("footwork-demo")), ["demo.glb"]);
}
