//! `footwork simulate`: the same motion with each search structure, custom courses, explanations.

use crate::common;

use std::path::Path;

/// Returns a folder with a database of a few clips.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "mocap.fwdb");
    dir
}

fn simulate(folder: &Path, args: &[&str]) -> serde_json::Value {
    common::json(folder, &[&["simulate", "--db", "mocap.fwdb"], args].concat())
}

#[test]
fn every_search_gives_the_same_motion_to_the_bit() {
    let dir = folder();
    let brute = simulate(dir.path(), &["--search", "brute"]);
    common::has_keys(
        &brute,
        &["updates", "searches", "transitions", "path_error_m", "heading_error_deg", "update_us_median", "pose_hash"],
    );
    assert_eq!((&brute["updates"], &brute["search"]), (&3600.into(), &"brute".into()));
    let boxes = simulate(dir.path(), &["--search", "boxes"]);
    assert_eq!(boxes["search"], "boxes");
    let again = simulate(dir.path(), &[]);
    for other in [&boxes, &again] {
        assert_eq!(other["pose_hash"], brute["pose_hash"]);
        assert_eq!(other["transitions"], brute["transitions"]);
    }
    let seeded = simulate(dir.path(), &["--course", "random", "--seed", "2"]);
    assert_ne!(seeded["pose_hash"], simulate(dir.path(), &["--course", "random", "--seed", "3"])["pose_hash"]);
}

#[test]
fn nobody_steering_plays_on() {
    let dir = folder();
    let free = simulate(dir.path(), &["--course", "none", "--seconds", "20"]);
    assert_eq!(free["path_error_m"], 0.0);
    assert_eq!(free["updates"], 1200);
}

#[test]
fn an_explanation_names_clips_costs_and_reasons() {
    let dir = folder();
    let told = simulate(dir.path(), &["--seconds", "10", "--explain", "5"]);
    let explanation = &told["explanation"];
    common::has_keys(explanation, &["rows", "excluded", "candidates"]);
    let first = &explanation["candidates"][0];
    common::has_keys(first, &["clip", "time_s", "cost", "channels", "verdict"]);
    let out = common::ok(dir.path(), &["simulate", "--db", "mocap.fwdb", "--seconds", "10", "--explain", "5"]);
    assert!(out.contains("rows; excluded") && out.contains("cost"), "{out}");
}

#[test]
fn a_course_of_ones_own_is_a_table() {
    let dir = folder();
    let mut course = "lx,lz,rx,rz,strafe,walk\n".to_owned();
    course.push_str(&"0,1,0,0,0,1\n".repeat(300));
    std::fs::write(dir.path().join("course.csv"), &course).unwrap();
    let run = simulate(dir.path(), &["--course", "course.csv", "--seconds", "5", "--bvh", "run.bvh"]);
    assert_eq!(run["updates"], 300);
    let clip = footwork_import::read_clip(&dir.path().join("run.bvh"), footwork_import::bvh::Units::Auto).unwrap();
    let end = clip.translations[(clip.frames() - 1) * clip.skeleton.len()];
    assert!(end.z > 6.0 && end.x.abs() < 1.0, "{end}");
}

#[test]
fn files_are_written_where_asked_and_nothing_else() {
    let dir = folder();
    let before = common::names(dir.path());
    simulate(dir.path(), &["--seconds", "3", "--bvh", "a.bvh", "--glb", "a.glb", "--svg", "a.svg"]);
    let mut after = common::names(dir.path());
    after.retain(|n| !before.contains(n));
    assert_eq!(after, ["a.bvh", "a.glb", "a.svg"]);
    assert!(std::fs::read(dir.path().join("a.glb")).unwrap().starts_with(b"glTF"));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let dir = folder();
    std::fs::write(dir.path().join("bad.csv"), "lx,lz,rx,rz,strafe,walk\n0,1,0,0,0\n").unwrap();
    std::fs::write(dir.path().join("c.toml"), "[matcher.channel_cost]\n\"LeftFot position\" = 2.0\n").unwrap();
    std::fs::write(dir.path().join("other.fwdb"), "no database").unwrap();
    for (args, parts) in [
        (&["--course", "walk"][..], &["`walk`", "standard, random"][..]),
        (&["--course", "bad.csv"], &["bad.csv", "line 2", "6 numbers"]),
        (&["--course", "nowhere.csv"], &["nowhere.csv"]),
        (&["--dt", "0"], &["--dt"]),
        (&["--seconds", "NaN"], &["--seconds"]),
        (&["--rate", "30"], &["--rate", "--db"]),
        (&["--config", "c.toml"], &["LeftFot position", "nearest is `LeftFoot position`"]),
        (&["--config", "nowhere.toml"], &["nowhere.toml"]),
        (&["--seconds", "1", "--bvh", "no/where.bvh"], &["where.bvh"]),
    ] {
        common::fails(dir.path(), &[&["simulate", "--db", "mocap.fwdb"], args].concat(), parts);
    }
    common::fails(dir.path(), &["simulate", "--db", "other.fwdb"], &["other.fwdb"]);
    common::fails(dir.path(), &["inspect", "--db", "nowhere.fwdb"], &["nowhere.fwdb"]);
    let unknown = common::run(dir.path(), &["simulate", "--search", "magic"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
}

#[test]
fn a_speed_of_ones_own_reaches_the_character() {
    let dir = folder();
    std::fs::write(
        dir.path().join("c.toml"),
        "[matcher.speeds.walk]\nforward_mps = 0.9\nside_mps = 0.9\nback_mps = 0.9\n",
    )
    .unwrap();
    let course = format!("lx,lz,rx,rz,strafe,walk\n{}", "0,1,0,0,0,1\n".repeat(600));
    std::fs::write(dir.path().join("course.csv"), course).unwrap();
    let way = |args: &[&str]| {
        simulate(dir.path(), &[&["--course", "course.csv", "--seconds", "10", "--bvh", "run.bvh"], args].concat());
        let clip = footwork_import::read_clip(&dir.path().join("run.bvh"), footwork_import::bvh::Units::Auto).unwrap();
        clip.translations[(clip.frames() - 1) * clip.skeleton.len()].z
    };
    let (slow, usual) = (way(&["--config", "c.toml"]), way(&[]));
    assert!((7.0..10.0).contains(&slow) && (15.0..18.0).contains(&usual), "{slow} {usual}");
}

#[test]
fn who_walks_over_other_ground_moves_otherwise_and_the_course_is_the_same() {
    let dir = folder();
    let on = |ground: &str| simulate(dir.path(), &["--seconds", "12", "--ground", ground]);
    let level = on("level");
    assert_eq!(level["pose_hash"], simulate(dir.path(), &["--seconds", "12"])["pose_hash"]);
    for ground in ["slope", "stairs", "rubble"] {
        let told = on(ground);
        assert_eq!(told["ground"], ground);
        assert_ne!(told["pose_hash"], level["pose_hash"], "{ground}");
        assert!(told["path_error_m"].as_f64().unwrap() < 0.1, "{told}");
    }
}

/// A machine over the built-in data, with a montage whose window is reported.
const MACHINE: &str = r#"
[variables]
crouch = 0.0

[triggers]
reload = 0.5

[[states]]
name = "upright"
match = ""

[[states]]
name = "crouched"
match = "crouch"

[[transitions]]
from = "upright"
to = "crouched"
when = "crouch"

[[transitions]]
from = "crouched"
to = "upright"
when = "!crouch"

[[layers]]
name = "arms"
mask = { upper_body = 1.0 }

[[montages]]
name = "reload"
layer = "arms"
clip = "reload"
start = "reload"
windows = [{ name = "busy", from_s = 0.5, to_s = 1.0 }]
"#;

#[test]
fn variables_and_triggers_come_at_their_time_and_what_the_machine_does_is_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("m.toml"), MACHINE).unwrap();
    let run = ["simulate", "--machine", "m.toml", "--course", "standard", "--seconds", "8"];
    let cues = ["--at", "2", "--set", "crouch=1", "--at", "4", "--set", "crouch=0", "--fire", "reload"];
    let files = ["--explain", "3", "--trace", "run.fwtrace"];
    let told = common::json(dir.path(), &[&run[..], &cues, &files].concat());
    let machine = &told["machine"];
    let states: Vec<_> = machine["states"].as_array().unwrap().iter().map(|s| s["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["upright", "crouched", "upright"], "{machine}");
    let taken = machine["transitions"].as_array().unwrap();
    let at = |k: usize| taken[k]["time_s"].as_f64().unwrap();
    assert!((at(0) - 2.0).abs() < 0.04 && (at(1) - 4.0).abs() < 0.04, "{machine}");
    assert_eq!((&taken[0]["when"], &taken[1]["when"]), (&"crouch".into(), &"!crouch".into()));
    let played = &machine["montages"][0];
    assert_eq!(
        (&played["montage"], &played["layer"], &played["broken_off"]),
        (&"reload".into(), &"arms".into(), &false.into())
    );
    let busy: Vec<_> = machine["events"].as_array().unwrap().iter().filter(|e| e["event"] == "busy").collect();
    assert_eq!((busy.len(), &busy[0]["kind"], &busy[1]["cause"]), (2, &"begin".into(), &"passed".into()));
    assert!((busy[1]["time_s"].as_f64().unwrap() - busy[0]["time_s"].as_f64().unwrap() - 0.5).abs() < 1e-3);
    assert_eq!(machine["warnings"], serde_json::json!([]));
    // The state at the explained time, and the conditions of its exits.
    let stay = &told["stay"];
    assert_eq!((&stay["state"], &stay["exits"][0]["to"]), (&"crouched".into(), &"upright".into()));
    let term = &stay["exits"][0]["terms"][0];
    assert_eq!((&term["term"], &term["value"], &term["holds"]), (&"crouch > 0.5".into(), &1.0.into(), &true.into()));
    // As text, and with columns of a course instead of flags: the same motion.
    let text = common::ok(dir.path(), &[&run[..], &cues, &["--explain", "3"]].concat());
    for part in ["states:", "crouched", "since `!crouch`", "reload on arms", "state `crouched` at 3.0", "crouch > 0.5"]
    {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
    let mut course = "lx,lz,rx,rz,strafe,walk,crouch,reload\n".to_owned();
    for row in 0..480 {
        let crouch = u8::from((120..240).contains(&row));
        course.push_str(&format!("0,0,0,0,0,0,{crouch},{}\n", u8::from((240..250).contains(&row))));
    }
    std::fs::write(dir.path().join("course.csv"), course).unwrap();
    let table =
        common::json(dir.path(), &["simulate", "--machine", "m.toml", "--course", "course.csv", "--seconds", "8"]);
    let still = ["simulate", "--machine", "m.toml", "--course", "idle.csv", "--seconds", "8"];
    std::fs::write(dir.path().join("idle.csv"), "lx,lz,rx,rz,strafe,walk\n0,0,0,0,0,0\n").unwrap();
    let cued = common::json(dir.path(), &[&still[..], &cues].concat());
    assert_eq!((&table["pose_hash"], &table["machine"]), (&cued["pose_hash"], &cued["machine"]));
    // A replay has the same log, and pictures have its tracks.
    let again = common::json(dir.path(), &["replay", "run.fwtrace"]);
    assert_eq!(again["machine"]["states"], machine["states"]);
    common::ok(dir.path(), &["film", "--trace", "run.fwtrace", "--from", "1", "--to", "6", "-o", "run.svg"]);
    let svg = std::fs::read_to_string(dir.path().join("run.svg")).unwrap();
    assert!([">state<", ">arms<", ">crouched<", ">reload<"].iter().all(|word| svg.contains(word)), "{svg}");
    let report = ["report", "--trace", "run.fwtrace", "--quick", "-o", "run.html"];
    let page = common::json(dir.path(), &report);
    assert!(page["sections"].as_array().unwrap().iter().any(|s| s["id"] == "machine"), "{page}");
}

#[test]
fn what_a_machine_cannot_do_is_warned_of_or_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (head, _) = MACHINE.split_once("[[layers]]").unwrap();
    std::fs::write(dir.path().join("m.toml"), format!("{head}\n[[states]]\nname = \"island\"\nmatch = \"\"\n"))
        .unwrap();
    let run = common::run(dir.path(), &["simulate", "--machine", "m.toml", "--seconds", "1"]);
    assert!(run.code == Some(0) && run.stderr.contains("`island`: no transition"), "{run:?}");
    for (args, parts) in [
        (&["--machine", "m.toml", "--set", "crouh=1"][..], &["crouh", "the nearest is `crouch`"][..]),
        (&["--machine", "m.toml", "--fire", "crouch"], &["crouch", "trigger"]),
        (&["--set", "crouch=1"], &["--set", "--machine"]),
        (&["--course", "c.csv"], &["c.csv", "`crouch`", "--machine"]),
        (&["--course", "stances", "--set", "crouch=1"], &["stances"]),
    ] {
        std::fs::write(dir.path().join("c.csv"), "lx,lz,rx,rz,strafe,walk,crouch\n0,0,0,0,0,0,1\n").unwrap();
        common::fails(dir.path(), &[&["simulate", "--seconds", "1"], args].concat(), parts);
    }
    let wrong = common::run(dir.path(), &["simulate", "--machine", "m.toml", "--set", "crouch"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("NAME=VALUE"), "{wrong:?}");
}

#[test]
fn a_chooser_changes_the_character_and_the_machine_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("m.toml"), MACHINE).unwrap();
    std::fs::write(
        dir.path().join("slow.toml"),
        "[matcher.speeds.run]\nforward_mps = 1.2\nside_mps = 0.8\nback_mps = 0.8\n",
    )
    .unwrap();
    let chooser = "[variables]\nhealth = 1.0\n[characters.free]\nmachine = \"m.toml\"\n\
        [characters.hurt]\nmachine = \"m.toml\"\nconfig = \"slow.toml\"\n\
        [[rows]]\nwhen = \"health < 0.3\"\ncharacter = \"hurt\"\n[[rows]]\ncharacter = \"free\"\n";
    std::fs::write(dir.path().join("c.toml"), chooser).unwrap();
    let run = ["simulate", "--chooser", "c.toml", "--course", "random", "--seconds", "6"];
    let cues = ["--at", "1", "--set", "crouch=1", "--at", "3", "--set", "health=0.1", "--at", "5", "--set", "crouch=0"];
    let told = common::json(dir.path(), &[&run[..], &cues].concat());
    let chosen: Vec<_> =
        told["characters"].as_array().unwrap().iter().map(|c| c["character"].as_str().unwrap()).collect();
    assert_eq!(chosen, ["free", "hurt"], "{told}");
    assert!((told["characters"][1]["from_s"].as_f64().unwrap() - 3.0).abs() < 0.02);
    let taken = told["machine"]["transitions"].as_array().unwrap();
    assert_eq!(taken.len(), 2, "the change makes none: {taken:?}");
    assert!((taken[1]["time_s"].as_f64().unwrap() - 5.0).abs() < 0.04, "{taken:?}");
    common::fails(dir.path(), &[&run[..], &["--set", "helth=1"]].concat(), &["helth", "the nearest is `health`"]);
    std::fs::write(dir.path().join("c.toml"), chooser.replace("\"hurt\"\n[[rows]]", "\"hurd\"\n[[rows]]")).unwrap();
    common::fails(dir.path(), &run, &["c.toml", "rows[0].character", "the nearest is `hurt`"]);
}

#[test]
fn the_course_of_actions_needs_clips_of_actions() {
    let dir = tempfile::tempdir().unwrap();
    let told = common::json(dir.path(), &["simulate", "--course", "actions", "--requests", "26", "--seed", "2"]);
    assert_eq!(
        (told["requests"].as_u64(), told["course"].as_str(), told["seed"].as_u64()),
        (Some(26), Some("actions"), Some(2))
    );
    assert!(told["taken_pct_of_reachable"].as_f64().unwrap() > 80.0, "{told}");
    for (args, parts) in [
        (&["--course", "actions", "--seconds", "5"][..], &["--seconds", "actions"][..]),
        (&["--course", "actions", "--bvh", "a.bvh"], &["--bvh", "actions"]),
        (&["--course", "actions", "--trace", "a.fwtrace"], &["--trace", "--request N"]),
        (&["--course", "random", "--requests", "5"], &["--requests", "--course actions"]),
        (&["--course", "random", "--request", "5", "--trace", "a.fwtrace"], &["--request", "--course actions"]),
    ] {
        common::fails(dir.path(), &[&["simulate"], args].concat(), parts);
    }
    // One request is repeated, recorded and replayed.
    let worst = &told["worst"]["pop_mps"];
    let request = worst["request"].to_string();
    let one = ["simulate", "--course", "actions", "--seed", "2", "--request", &request, "--trace", "one.fwtrace"];
    let recorded = common::json(dir.path(), &one);
    assert_eq!(&recorded["worst"]["pop_mps"], worst, "{recorded}");
    let replayed = common::json(dir.path(), &["replay", "one.fwtrace", "--data", "actions"]);
    assert!(replayed["updates"].as_u64().unwrap() > 100, "{replayed}");
    common::mocap_database(dir.path(), "plain.fwdb");
    common::fails(dir.path(), &["simulate", "--db", "plain.fwdb", "--course", "actions"], &["jump", "no_locomotion"]);
}
