//! The examples run without errors. `cargo test` builds them together with the tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folders in which cargo may have put the examples: in the target folder, and in the folder of intermediate
/// artefacts if that is the same.
fn folders() -> impl Iterator<Item = PathBuf> {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap().to_owned();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), |t| workspace.join(t));
    let name = profile.file_name().unwrap().to_owned();
    [target.join(name), profile].into_iter().map(|folder| folder.join("examples"))
}

fn run(example: &str) -> Option<String> {
    let program = format!("{example}{}", std::env::consts::EXE_SUFFIX);
    let Some(program) = folders().map(|folder| folder.join(&program)).find(|program| program.is_file()) else {
        assert!(std::env::var_os("CI").is_none(), "{example} was not built");
        eprintln!("skipped: {example} was not built; run `cargo test -p footwork`");
        return None;
    };
    let ran = Command::new(program).output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{example}: {errors}");
    Some(String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn the_first_steps_walk() {
    let Some(printed) = run("quickstart") else { return };
    assert!(printed.contains("2.0 s: at") && printed.contains("transitions"), "{printed}");
}

#[test]
fn the_game_loop_steps_and_stays_with_its_capsule() {
    let Some(printed) = run("game_loop") else { return };
    assert!(printed.matches("step of").count() > 10, "{printed}");
    let apart = printed.lines().last().unwrap();
    let cm: f32 = apart.split_whitespace().find_map(|w| w.parse().ok()).unwrap();
    assert!(cm < 20.0, "{apart}");
}

#[test]
fn a_crowd_is_the_same_on_two_threads() {
    let Some(printed) = run("crowd_on_threads") else { return };
    assert!(printed.contains("two threads and one: the same bits"), "{printed}");
}
