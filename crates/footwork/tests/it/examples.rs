//! The examples run to their end. `cargo test` builds them beside the tests.

use std::process::Command;

fn run(example: &str) -> Option<String> {
    let deps = std::env::current_exe().unwrap();
    let folder = deps.parent().and_then(|d| d.parent()).unwrap().join("examples");
    let program = folder.join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        assert!(std::env::var_os("CI").is_none(), "{} was not built", program.display());
        eprintln!("skipped: {} was not built; run `cargo test -p footwork`", program.display());
        return None;
    }
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
