//! Helpers that run the command as a user does, and create the required files.

#![allow(dead_code, reason = "strides are used in part")]

#[path = "../../../../footwork/tests/common/hero.rs"]
pub mod hero;
#[path = "../../../../footwork/tests/common/strides.rs"]
pub mod strides;

use footwork::clip::{Annotations, RawClip};
use footwork::pose::Pose;
use footwork_gait::GaitOptions;
use footwork_import::bvh::WriteOptions;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Settings of a build that makes no clips: making takes most of the time of a build, and other tests look at it.
pub const NOTHING_MADE: &str = "[build.multiply]\nmode = \"off\"\n";

/// Result of a run.
#[derive(Debug)]
pub struct Run {
    /// Exit code; `None` if a signal ended the command.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Returns the command in a folder, without arguments.
pub fn footwork(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_footwork"));
    // Tests share the database of the built-in data, which no test affects.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("built-in");
    command.current_dir(folder).stdin(Stdio::null()).env("FOOTWORK_CACHE", cache);
    command
}

/// Runs the command to its end.
pub fn run<S: AsRef<std::ffi::OsStr>>(folder: &Path, args: &[S]) -> Run {
    let mut command = footwork(folder);
    if args.first().is_some_and(|command| command.as_ref() == "build") {
        // Clips that one test reads must not depend on those of another test.
        command.env("FOOTWORK_CACHE", "off");
    }
    finish(command.args(args))
}

/// Runs any command to its end.
pub fn finish(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the command, expects success, and returns its output.
pub fn ok<S: AsRef<std::ffi::OsStr>>(folder: &Path, args: &[S]) -> String {
    let run = run(folder, args);
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stdout
}

/// Runs the command with `--json`, expects success and exactly one line, and returns the object.
pub fn json(folder: &Path, args: &[&str]) -> Value {
    let out = ok(folder, &[args, &["--json"]].concat());
    assert_eq!(out.lines().count(), 1, "{out}");
    serde_json::from_str(&out).unwrap()
}

/// Runs the command, expects failure with one paragraph on standard error that contains all of `parts`, and returns the message.
pub fn fails<S: AsRef<std::ffi::OsStr>>(folder: &Path, args: &[S], parts: &[&str]) -> String {
    let run = run(folder, args);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.is_empty(), "{run:?}");
    assert!(run.stderr.starts_with("footwork: ") && !run.stderr.trim().contains("\n\n"), "{run:?}");
    for part in parts {
        assert!(run.stderr.contains(part), "expected `{part}` in: {}", run.stderr);
    }
    run.stderr
}

/// Checks that an object has these keys.
pub fn has_keys(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object.get(key).is_some(), "`{key}` is missing in {object}");
    }
}

/// Returns the built-in clips without the random routes.
pub fn clips() -> Vec<RawClip> {
    footwork_gait::clips(&GaitOptions { routes: false, ..GaitOptions::default() })
}

/// Writes a folder `mocap` with a few of the built-in clips as BVH files.
pub fn mocap(folder: &Path) {
    let wanted = [
        "idle",
        "walk_175",
        "run_400",
        "start_walk_left_foot",
        "stop_walk_175_left_foot",
        "curve_175_radius_150_left",
        "curve_175_radius_150_right",
        "curve_400_radius_400_left",
        "curve_400_radius_400_right",
        "plant_walk_180_left",
    ];
    let to = folder.join("mocap");
    std::fs::create_dir_all(&to).unwrap();
    let mut written = 0;
    for clip in clips().iter().filter(|c| wanted.contains(&c.name.as_str())) {
        let path = to.join(format!("{}.bvh", clip.name));
        footwork_import::write_clip(&path, clip, &WriteOptions::default()).unwrap();
        written += 1;
    }
    assert_eq!(written, wanted.len(), "clips have been renamed");
}

/// Writes the folder `mocap`, and a database of it, which is built once for all tests.
pub fn mocap_database(folder: &Path, name: &str) {
    static DATABASE: OnceLock<Vec<u8>> = OnceLock::new();
    mocap(folder);
    let database = DATABASE.get_or_init(|| {
        ok(folder, &["build", "mocap", "-o", name]);
        std::fs::read(folder.join(name)).unwrap()
    });
    std::fs::write(folder.join(name), database).unwrap();
}

/// Writes a file `hero.bvh`: another skeleton, in a T-pose.
pub fn hero(folder: &Path) {
    let skeleton = hero::hero(hero::Hero { odd_axes: false, ..Default::default() });
    let rest = Pose::rest(&skeleton);
    let clip = RawClip {
        name: "hero".into(),
        source: "test".into(),
        skeleton,
        rate_hz: 30.0,
        looping: false,
        translations: [rest.translations.clone(), rest.translations].concat(),
        rotations: [rest.rotations.clone(), rest.rotations].concat(),
        annotations: Annotations::default(),
    };
    footwork_import::write_clip(&folder.join("hero.bvh"), &clip, &WriteOptions::default()).unwrap();
}

/// Writes a folder `mixamo` with the clips of `mocap` on the skeleton of `hero.bvh`, without a root bone, as in downloads.
pub fn mixamo(folder: &Path) {
    ok(folder, &["retarget", "mocap", "--onto", "hero.bvh", "-o", "on_hero"]);
    ok(folder, &["convert", "on_hero", "-o", "mixamo", "--format", "glb"]);
}

/// Returns the names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Prints that a test did not run and the reason; under CI that is a failure.
pub fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} was skipped under CI: {why}");
    eprintln!("skipped: {test}: {why}");
}

/// Returns a folder of real motion, if there is one.
pub fn data(test: &str, folder: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("FOOTWORK_DATA") else {
        skipped(test, "FOOTWORK_DATA is not set");
        return None;
    };
    // Tests run in the folder of their crate; paths are relative to the repository's root.
    let path = repository().join(root).join(folder);
    if !path.is_dir() {
        skipped(test, &format!("{} is not there", path.display()));
        return None;
    }
    Some(path)
}

/// Returns a Python with safetensors, if there is one.
pub fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("FOOTWORK_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let probe = Command::new(&python).args(["-c", "import safetensors.numpy"]).output();
    match probe {
        Ok(out) if out.status.success() => Some(python),
        Ok(_) => {
            skipped(test, "python has no safetensors and numpy (set FOOTWORK_PYTHON to one that has)");
            None
        }
        Err(error) => {
            skipped(test, &format!("cannot run {}: {error}", python.display()));
            None
        }
    }
}
