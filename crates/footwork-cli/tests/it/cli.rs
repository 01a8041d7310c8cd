//! Flags of all commands: completions, `--quiet`, colours, flags that a command does not have.

use crate::common;

use common::{footwork, run};
use std::process::Command;

#[test]
fn every_shell_gets_completions_of_all_commands() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = common::ok(dir.path(), &["completions", shell]);
        for word in ["footwork", "simulate", "retarget", "completions", "roles-from"] {
            assert!(script.contains(word), "{shell}: no `{word}`");
        }
    }
    let script = common::ok(dir.path(), &["completions", "bash"]);
    std::fs::write(dir.path().join("footwork.bash"), script).unwrap();
    // Completes the words of a command line, as bash does.
    let complete = |words: &str| {
        let script = format!(
            "source footwork.bash && COMP_WORDS=({words}) && COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) && _footwork footwork \
             \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\" && echo \"${{COMPREPLY[@]}}\""
        );
        Command::new("bash").current_dir(dir.path()).args(["-c", &script]).output()
    };
    let Ok(out) = complete("footwork simulate --gro") else {
        common::skipped("every_shell_gets_completions_of_all_commands", "there is no bash");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "--ground", "{out:?}");
    let grounds = complete("footwork simulate --ground st").unwrap();
    assert_eq!(String::from_utf8_lossy(&grounds.stdout).trim(), "stairs", "{grounds:?}");
}

#[test]
fn quiet_prints_only_errors_and_json() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    std::fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    for args in [
        &["build", "mocap", "--config", "plain.toml", "-o", "a.fwdb"][..],
        &["inspect", "--db", "a.fwdb"],
        &["simulate", "--db", "a.fwdb", "--seconds", "1"],
        &["film", "mocap/idle.bvh", "-o", "a.png"],
        &["convert", "mocap/idle.bvh", "-o", "a.glb", "--force"],
        &["doctor", "mocap/walk_175.bvh"],
    ] {
        let quiet = run(dir.path(), &[args, &["--quiet"]].concat());
        assert!(quiet.code == Some(0) && quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{args:?}: {quiet:?}");
        assert!(!common::ok(dir.path(), args).is_empty(), "{args:?} says nothing without --quiet either");
    }
    let inspected = common::json(dir.path(), &["inspect", "--db", "a.fwdb", "--quiet"]);
    assert_eq!(inspected["clips"], 10);
    common::fails(dir.path(), &["inspect", "--db", "none.fwdb", "-q"], &["none.fwdb"]);
}

#[test]
fn a_flag_that_a_command_does_not_use_is_wrong_usage() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        &["gait", "--db", "a.fwdb"][..],
        &["build", "mocap", "-o", "a.fwdb", "--db", "b.fwdb"],
        &["doctor", "mocap", "--seed", "2"],
        &["retarget", "mocap", "--onto", "built-in", "-o", "x", "--search", "brute"],
        &["--db", "a.fwdb", "inspect"],
    ] {
        let wrong = run(dir.path(), args);
        assert!(wrong.code == Some(2) && wrong.stdout.is_empty(), "{args:?}: {wrong:?}");
        let flag = args.iter().find(|a| a.starts_with("--") && **a != "--onto").unwrap();
        assert!(wrong.stderr.contains(flag) || wrong.stderr.contains("stands before it"), "{args:?}: {wrong:?}");
    }
    // Common flags may precede the command.
    let told = common::ok(dir.path(), &["--json", "gait", "--clip", "idle"]);
    assert!(told.starts_with('{'), "{told}");
}

#[test]
fn the_doctor_is_coloured_on_a_terminal_only() {
    let dir = tempfile::tempdir().unwrap();
    // Two frames: too short for a build.
    common::hero(dir.path());
    let doctor = |variables: &[(&str, &str)]| {
        let mut command = footwork(dir.path());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        let told =
            common::finish(command.args(["doctor", "hero.bvh", "--only", "too_short"]).envs(variables.iter().copied()));
        assert_eq!(told.code, Some(3), "{told:?}");
        told.stdout
    };
    let plain = doctor(&[]);
    assert!(!plain.contains('\x1b'), "{plain}");
    let coloured = doctor(&[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.contains("\x1b["), "{coloured}");
    assert_eq!(doctor(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
    assert!(plain.starts_with("warning: hero"), "{plain}");
}
