//! `footwork robot`: clips on the hinges of a humanoid robot, from the command line.

use crate::common;

use common::{data, fails, has_keys, json, mocap, names, ok, repository};
use std::path::Path;

const SUMMARY: [&str; 14] = [
    "clips",
    "frames",
    "limit_violations",
    "speed_violations",
    "planted_slide_cm_s",
    "source_planted_slide_cm_s",
    "root_acceleration_max_m_s2",
    "source_root_acceleration_max_m_s2",
    "penetration_p99_cm",
    "feet_apart_min_cm",
    "ms_per_second_of_motion",
    "clip_list",
    "parts",
    "scale",
];

/// Copies the humanoid of the examples.
fn person(folder: &Path) {
    std::fs::copy(repository().join("examples/robot/person.xml"), folder.join("person.xml")).unwrap();
}

#[test]
fn clips_go_onto_a_robot_and_become_files() {
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    person(dir.path());
    let walk = "mocap/walk_175.bvh";
    let said = json(dir.path(), &["robot", walk, "--model", "person.xml", "-o", "walk.csv", "--rate", "30"]);
    has_keys(&said, &SUMMARY);
    let number = |key: &str| said[key].as_f64().unwrap();
    assert_eq!((number("limit_violations"), number("speed_violations")), (0.0, 0.0));
    assert!(number("planted_slide_cm_s") < number("source_planted_slide_cm_s") + 1.0, "{said}");
    assert!(number("penetration_p99_cm") < 0.1 && said["parts"]["left_knee"] == "left_knee", "{said}");
    let csv = std::fs::read_to_string(dir.path().join("walk.csv")).unwrap();
    assert_eq!(csv.lines().count(), said["frames"].as_u64().unwrap() as usize);
    assert!(csv.lines().all(|line| line.split(',').count() == 7 + 25));
    let text = ok(dir.path(), &["robot", walk, "--model", "person.xml", "-o", "motions", "--format", "npz"]);
    assert!(text.contains("walk_175") && text.contains("written to motions"), "{text}");
    assert_eq!(names(&dir.path().join("motions")), ["walk_175.npz"]);
    ok(dir.path(), &["robot", "mocap", "--model", "person.xml", "-o", "hinges", "--format", "bvh"]);
    let built = json(dir.path(), &["build", "hinges", "-o", "robot.fwdb"]);
    assert_eq!(built["clips"], json(dir.path(), &["build", "mocap", "-o", "mocap.fwdb"])["clips"]);
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    mocap(dir.path());
    person(dir.path());
    std::fs::write(dir.path().join("bad.xml"), "<mujoco>\n<worldbody><body><joint/></body></worldbody></mujoco>")
        .unwrap();
    std::fs::write(dir.path().join("parts.toml"), "left_foot = \"nobody\"\n").unwrap();
    let before = names(dir.path());
    let walk = "mocap/walk_175.bvh";
    for (arguments, expected) in [
        (vec![walk, "--model", "bad.xml", "-o", "q.csv"], vec!["bad.xml, line 1", "free joint"]),
        (vec![walk, "--model", "none.xml", "-o", "q.csv"], vec!["none.xml"]),
        (vec!["mocap", "--model", "person.xml", "-o", "q.csv"], vec!["q.csv", "expected one clip"]),
        (vec![walk, "--model", "person.xml", "-o", "q.txt"], vec!["q.txt", ".csv, .npz or .bvh"]),
        (vec![walk, "--model", "person.xml", "-o", "q.csv", "--parts", "parts.toml"], vec!["left_foot", "`nobody`"]),
        (vec![walk, "--model", "person.xml", "-o", "q.csv", "--max-speed", "0"], vec!["maximum speed", "found 0"]),
        (vec![walk, "--model", "person.xml", "-o", "q.csv", "--rate", "0"], vec!["--rate", "1 to 1000"]),
        (vec![walk, "--model", "person.xml", "-o", "person.xml"], vec!["person.xml"]),
    ] {
        fails(dir.path(), &[vec!["robot"], arguments].concat(), &expected);
    }
    assert_eq!(names(dir.path()), before);
    ok(dir.path(), &["robot", walk, "--model", "person.xml", "-o", "q.csv"]);
    fails(dir.path(), &["robot", walk, "--model", "person.xml", "-o", "q.csv"], &["q.csv", "--force"]);
}

#[test]
fn captured_motion_on_a_unitree_g1_holds_every_limit() {
    let (Some(robot), Some(clips)) = (data("robot", "robot"), data("robot", "lafan1")) else { return };
    let dir = tempfile::tempdir().unwrap();
    let clips = ["walk1_subject1_walk2", "fightAndSports1_subject1_sidesteps", "obstacles5_subject2_jog"]
        .map(|name| clips.join(format!("{name}.bvh")).display().to_string());
    let model = robot.join("g1_29dof.xml").display().to_string();
    let inputs = clips.iter().map(String::as_str);
    let arguments = ["robot"].into_iter().chain(inputs).chain(["--model", &model, "-o", "g1"]).collect::<Vec<_>>();
    let said = json(dir.path(), &arguments);
    for report in said["clip_list"].as_array().unwrap() {
        let number = |key: &str| report[key].as_f64().unwrap();
        assert_eq!((number("limit_violations"), number("speed_violations")), (0.0, 0.0), "{report}");
        assert!(number("planted_slide_cm_s") <= number("source_planted_slide_cm_s"), "{report}");
        assert!(number("penetration_p99_cm") < 0.1 && number("feet_apart_min_cm") > 0.0, "{report}");
    }
}
