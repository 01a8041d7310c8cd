//! Bounds on time and memory, whatever the content of files.

use crate::common;

use common::{Run, fails, json, ok};
use footwork::database::Database;
use footwork::input::MotionInput;
use footwork::matcher::{MatcherConfig, MotionMatcher};
use footwork::math::{Quat, Transform};
use footwork::recorder::{Recorder, RecorderConfig};
use glam::Vec3;
use safetensors::SafeTensors;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs the command with limited time and memory; a panic is a failure, too.
fn bounded(folder: &Path, args: &[&str], seconds: u64) -> Run {
    let binary = env!("CARGO_BIN_EXE_footwork");
    let mut command = std::process::Command::new("sh");
    // Three gigabytes of address space, most of which is reserved and never used.
    command.args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\"", binary]).args(args);
    command.current_dir(folder).env("FOOTWORK_CACHE", "off").stdin(Stdio::null());
    let (out, err) = (folder.join(".out"), folder.join(".err"));
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if start.elapsed() > Duration::from_secs(seconds) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} has not ended after {seconds} s");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let run = Run { code, stdout: text(&out), stderr: text(&err) };
    fs::remove_file(out).unwrap();
    fs::remove_file(err).unwrap();
    assert!(matches!(run.code, Some(0 | 1)), "{args:?}: {run:?}");
    run
}

/// Returns the content of `run.fwtrace`, two seconds long.
fn trace() -> (tempfile::TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    ok(dir.path(), &["build", "mocap/walk_175.bvh", "mocap/idle.bvh", "--config", "plain.toml", "-o", "a.fwdb"]);
    ok(dir.path(), &["simulate", "--db", "a.fwdb", "--seconds", "2", "--trace", "run.fwtrace"]);
    let bytes = fs::read(dir.path().join("run.fwtrace")).unwrap();
    (dir, bytes)
}

/// Records a character at this distance from the origin.
fn far_trace(folder: &Path, far: Vec3) {
    let db = Arc::new(Database::load(&folder.join("a.fwdb")).unwrap());
    let mut matcher = MotionMatcher::new(db, MatcherConfig::default()).unwrap();
    matcher.teleport(Transform::new(far, Quat::IDENTITY)).unwrap();
    let mut recorder = Recorder::new(matcher.character(), RecorderConfig::default());
    for _ in 0..60 {
        recorder.update(&mut matcher, &MotionInput::default(), 1.0 / 60.0).unwrap();
    }
    recorder.trace().save(&folder.join("far.fwtrace")).unwrap();
}

#[test]
fn a_recording_at_any_place_is_filmed_or_refused_at_once() {
    let (dir, _) = trace();
    let film = |far: Vec3, view: &[&str]| {
        far_trace(dir.path(), far);
        let args = [&["film", "far.fwtrace", "--db", "a.fwdb", "-o", "far.svg"], view].concat();
        let run = bounded(dir.path(), &args, 20);
        let size = fs::metadata(dir.path().join("far.svg")).map_or(0, |m| m.len());
        assert!(size < 20_000_000, "{far}: {size} bytes");
        run
    };
    for view in [&["--view", "side,top"][..], &["--camera", "fixed", "--view", "side,three-quarter"]] {
        for axis in [Vec3::X, Vec3::Y, -Vec3::Z] {
            for value in [1e3, 1e5, 9.9e5] {
                film(axis * value, view);
            }
            let run = film(axis * 5e6, view);
            assert_eq!(run.code, Some(1), "{axis}: {run:?}");
            // States beyond 1000 km are rejected.
            assert!(
                run.stderr.contains("far.fwtrace: update 0") && run.stderr.contains("`root.animated`"),
                "{}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_motion_file_with_a_position_far_off_is_filmed_or_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let text = fs::read_to_string(dir.path().join("mocap/walk_175.bvh")).unwrap();
    let (head, rows) = text.split_once("Frame Time").unwrap();
    let mut lines: Vec<String> = rows.lines().map(str::to_owned).collect();
    for value in ["1e5", "1e9", "1e30", "1e38"] {
        let (_, rest) = lines[5].split_once(' ').unwrap();
        lines[5] = format!("{value} {rest}");
        fs::write(dir.path().join("far.bvh"), format!("{head}Frame Time{}\n", lines.join("\n"))).unwrap();
        for args in [
            &["film", "far.bvh", "-o", "far.png", "--view", "side,front,top"][..],
            &["film", "far.bvh", "-o", "far.svg", "--camera", "fixed", "--units", "cm"],
            &["film", "far.bvh", "-o", "sheet.svg", "--sheet", "--view", "three-quarter"],
            &["doctor", "far.bvh"],
            &["build", "far.bvh", "-o", "far.fwdb"],
        ] {
            if args.contains(&"--units") {
                continue;
            }
            if args[0] == "doctor" {
                let mut command = common::footwork(dir.path());
                assert!(matches!(command.args(args).output().unwrap().status.code(), Some(0 | 1 | 3 | 4)));
                continue;
            }
            bounded(dir.path(), args, 30);
        }
    }
}

#[test]
fn a_trace_with_flipped_bits_is_refused_at_once() {
    let (dir, bytes) = trace();
    let mut state = 12u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let header = 8 + SafeTensors::read_metadata(&bytes).unwrap().0;
    let mut refused = 0;
    for round in 0..60 {
        let mut changed = bytes.clone();
        let below = if round % 2 == 0 { header } else { bytes.len() };
        changed[random(below)] ^= 1 << random(8);
        fs::write(dir.path().join("flipped.fwtrace"), changed).unwrap();
        let run = bounded(dir.path(), &["replay", "flipped.fwtrace", "--db", "a.fwdb"], 20);
        refused += u32::from(run.code == Some(1));
        assert!(run.code == Some(0) || run.stderr.contains("flipped.fwtrace"), "{run:?}");
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn files_of_many_gigabytes_of_nothing_are_refused_in_a_second() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let sparse = |name: &str, head: &[u8]| {
        fs::write(dir.path().join(name), head).unwrap();
        File::options().write(true).open(dir.path().join(name)).unwrap().set_len(2 << 30).unwrap();
    };
    let bvh = fs::read(dir.path().join("mocap/idle.bvh")).unwrap();
    for (name, head) in
        [("zero.bvh", &b""[..]), ("long.bvh", &bvh), ("a.glb", b"glTF"), ("a.gltf", b"{"), ("a.fbx", b"; FBX")]
    {
        sparse(name, head);
        let start = Instant::now();
        let run = bounded(dir.path(), &["build", name, "-o", "x.fwdb"], 5);
        assert!(run.stderr.contains(name) && run.stderr.contains("too large"), "{run:?}");
        assert!(start.elapsed() < Duration::from_secs(1), "{name}: {:?}", start.elapsed());
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    ok(dir.path(), &["build", "mocap/idle.bvh", "--config", "plain.toml", "-o", "whole.fwdb"]);
    let whole = fs::read(dir.path().join("whole.fwdb")).unwrap();
    for (args, name, head) in [
        (&["inspect", "--db"][..], "zero.fwdb", &b""[..]),
        (&["inspect", "--db"], "long.fwdb", &whole),
        (&["film", "-o", "x.png", "--trace"], "zero.fwtrace", b""),
        (&["inspect", "--config"], "c.toml", b"[build]\n"),
        (&["simulate", "--course"], "c.csv", b"lx,lz,rx,rz,strafe,walk\n"),
    ] {
        sparse(name, head);
        let start = Instant::now();
        let run = bounded(dir.path(), &[args, &[name]].concat(), 5);
        assert!(run.code == Some(1) && run.stderr.contains(name), "{run:?}");
        assert!(start.elapsed() < Duration::from_secs(1), "{name}: {:?}", start.elapsed());
        fs::remove_file(dir.path().join(name)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_each_other_are_read_to_an_end_and_each_file_once() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("t/a/deep")).unwrap();
    fs::create_dir_all(at("t/b")).unwrap();
    fs::copy(at("mocap/idle.bvh"), at("t/a/deep/idle.bvh")).unwrap();
    fs::copy(at("mocap/walk_175.bvh"), at("t/walk.bvh")).unwrap();
    for (to, link) in
        [("../a", "t/a/loop"), ("..", "t/a/up"), ("../..", "t/a/out"), ("../a", "t/b/a"), ("../b", "t/a/deep/b")]
    {
        symlink(to, at(link)).unwrap();
    }
    symlink("walk.bvh", at("t/again.bvh")).unwrap();
    fs::write(at("plain.toml"), common::NOTHING_MADE).unwrap();
    for input in ["t", "t/**/*.bvh", "t/a/../**/*"] {
        let run = bounded(dir.path(), &["build", input, "--config", "plain.toml", "-o", "t.fwdb", "--json"], 30);
        let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
        let clips: Vec<&str> =
            told["clip_list"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(clips, ["idle", "walk"], "{input}");
    }
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let evil = "wa\u{1b}[2J\u{9b}31m\u{202e}lk\nx";
    fs::rename(dir.path().join("mocap/walk_175.bvh"), dir.path().join(format!("mocap/{evil}.bvh"))).unwrap();
    fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    ok(dir.path(), &["build", "mocap", "--config", "plain.toml", "-o", "a.fwdb"]);
    let clip = "[[build.clips]]\nname = \"wa*\"\nevents = [{ name = \"e\\u001b[2Jv\", time_s = 900.0 }]\n";
    fs::write(dir.path().join("c.toml"), [common::NOTHING_MADE, clip].concat()).unwrap();
    let mut shown = Vec::new();
    for args in [
        &["inspect", "--db", "a.fwdb"][..],
        &["convert", "mocap", "-o", "out"],
        &["doctor", "mocap", "--all"],
        &["search", "--db", "a.fwdb", "--clip", "idle"],
        &["search", "--db", "a.fwdb", "--clip", "wal"],
        &["build", "mocap", "--config", "c.toml", "-o", "b.fwdb"],
        &["inspect", "--db", "a.fwdb", "--json"],
    ] {
        let run = common::run(dir.path(), args);
        let text = format!("{}{}", run.stdout, run.stderr);
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(obeyed), "{args:?}: {text:?}");
        assert!(!run.stdout.contains("lk\nx"), "{args:?}: {text:?}");
        shown.push(text);
    }
    assert!(shown[0].contains(r"wa\u001b[2J\u009b31m\u202elk\u000ax"), "{}", shown[0]);
    // JSON stays valid, with the name unchanged.
    let told = json(dir.path(), &["inspect", "--db", "a.fwdb"]);
    let list = told["clip_list"].as_array().unwrap();
    assert!(list.iter().any(|c| c["name"] == evil), "{told}");
}

#[test]
fn settings_of_a_character_that_do_not_fit_are_refused_by_build() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    for (toml, part) in [
        ("[matcher]\nresponsiveness = -1.0\n", "responsiveness"),
        ("[matcher.channel_cost]\n\"LeftFot position\" = 2.0\n", "LeftFot position"),
    ] {
        fs::write(dir.path().join("c.toml"), toml).unwrap();
        fails(dir.path(), &["build", "mocap", "--config", "c.toml", "-o", "a.fwdb"], &["c.toml", part]);
        assert!(!dir.path().join("a.fwdb").exists(), "{toml}");
        fails(dir.path(), &["simulate", "--config", "c.toml", "--seconds", "1"], &["c.toml", part]);
    }
}

#[test]
fn what_is_said_of_times_that_a_clip_does_not_have_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    for said in [
        "tags = [{ name = \"late\", start_s = 900.0 }]",
        "tags = [{ name = \"late\", start_s = 0.0, end_s = 900.0 }]",
        "tags = [{ name = \"early\", start_s = -1.0, end_s = 0.5 }]",
        "events = [{ name = \"late\", time_s = 900.0 }]",
        "events = [{ name = \"early\", time_s = -0.5 }]",
        "costs = [{ cost = 2.0, start_s = 0.5, end_s = 900.0 }]",
        "discard = [[900.0, 901.0]]",
        "do_not_enter = [[900.0, 901.0]]",
    ] {
        let sidecar = dir.path().join("mocap/idle.tags.toml");
        fs::write(&sidecar, format!("{said}\n")).unwrap();
        let parts = ["idle.tags.toml", "clip `idle`", "expected times from 0 s to"];
        fails(dir.path(), &["build", "mocap", "-o", "a.fwdb"], &parts);
        fs::remove_file(sidecar).unwrap();
        fs::write(dir.path().join("c.toml"), format!("[[build.clips]]\nname = \"id*\"\n{said}\n")).unwrap();
        let parts = ["c.toml", "build.clips", "clip `idle`", "expected times from 0 s to"];
        for args in [&["build", "mocap", "-o", "a.fwdb"][..], &["film", "mocap", "-o", "a.png"], &["doctor", "mocap"]] {
            fails(dir.path(), &[args, &["--config", "c.toml"]].concat(), &parts);
        }
        assert!(!dir.path().join("a.fwdb").exists(), "{said}");
    }
    // A valid range: the whole clip, to the end of its last frame.
    fs::write(dir.path().join("mocap/idle.tags.toml"), "tags = [{ name = \"all\" }]\ndiscard = [[1.0, 900.0]]\n")
        .unwrap();
    fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    ok(dir.path(), &["build", "mocap", "--config", "plain.toml", "-o", "a.fwdb"]);
}

#[test]
fn errors_name_the_file() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("pack")).unwrap();
    fs::copy(at("mocap/idle.bvh"), at("pack/idle.bvh")).unwrap();
    let write = |toml: &str| fs::write(at("c.toml"), toml).unwrap();
    for (toml, parts) in [
        ("[source]\nunits = \"ells\"\n", &["c.toml", "source.units", "ells"][..]),
        ("[source]\npattern = \"{a\"\n", &["c.toml", "source.pattern"]),
        ("[source]\nranges = [{ clip = \"idel\", name = \"x\" }]\n", &["c.toml", "source.ranges", "idel"]),
        ("[build.roles]\nleft_foot = \"LeftFot\"\n", &["c.toml", "LeftFot"]),
        ("[build]\nsearch_rate_hz = 0\n", &["c.toml", "search_rate_hz"]),
        ("[[build.clips]]\nname = \"wlk*\"\n", &["c.toml", "wlk*"]),
    ] {
        write(toml);
        fails(dir.path(), &["build", "pack", "--config", "c.toml", "-o", "a.fwdb"], parts);
    }
    // A clip of another skeleton: the error names its file, since the name of the clip is not enough.
    common::hero(dir.path());
    fs::copy(at("hero.bvh"), at("pack/hero.bvh")).unwrap();
    fails(dir.path(), &["build", "pack", "-o", "a.fwdb"], &["pack/idle.bvh", "clip `idle`", "another skeleton"]);
    fails(dir.path(), &["film", "pack", "-o", "a.png"], &["pack/idle.bvh"]);
    fails(
        dir.path(),
        &["convert", "pack", "-o", "a.glb"],
        &["pack/hero.bvh", "pack/idle.bvh", "expected one skeleton"],
    );
}
