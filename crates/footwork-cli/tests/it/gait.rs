//! `footwork gait`: the list, the gates, and the written files.

use crate::common;

use common::{fails, has_keys, json, ok, run};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn every_gate_is_reported_with_its_bounds_and_source() {
    let dir = folder();
    let report = json(dir.path(), &["gait", "--report"]);
    let gates = report["gates"].as_array().unwrap();
    assert!(gates.len() >= 20);
    for g in gates {
        has_keys(g, &["name", "value", "low", "high", "holds", "source", "at"]);
        assert_eq!(g["holds"], true, "{g}");
    }
    let cells = report["coverage"].as_array().unwrap();
    assert!(cells.len() > 100 && cells.iter().all(|c| c["hole"] == false));
    let text = ok(dir.path(), &["gait", "--report"]);
    assert!(text.contains("walk_130_swing_knee_peak_deg") && text.contains("gates hold"), "{text}");
}

#[test]
fn clips_are_listed_by_name_and_written_as_bvh_that_builds() {
    let dir = folder();
    let list = json(dir.path(), &["gait", "--clip", "walk_1*"]);
    let names: Vec<&str> = list["clip_list"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"walk_130") && names.iter().all(|n| n.starts_with("walk_1")), "{names:?}");
    ok(dir.path(), &["gait", "-o", "out", "--clip", "turn_90_*"]);
    ok(dir.path(), &["gait", "-o", "out", "--clip", "curve_125_*"]);
    let built = json(dir.path(), &["build", "out", "-o", "out.fwdb"]);
    assert_eq!(built["clips"], 6, "{built}");
}

#[test]
fn a_small_pack_is_written_whole_and_alone() {
    let dir = folder();
    let pack = json(dir.path(), &["gait", "-o", "pack", "--pack", "19"]);
    assert_eq!(pack["clip_list"].as_array().unwrap().len(), footwork_gait::PACK_19.len());
    let built = json(dir.path(), &["build", "pack", "-o", "pack.fwdb"]);
    let names: Vec<&str> = built["clip_list"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert!(names.len() == 19 && names.iter().all(|n| footwork_gait::PACK_19.contains(n)), "{names:?}");
    assert_eq!(run(dir.path(), &["gait", "--pack", "20"]).code, Some(2));
}

#[test]
fn clips_read_back_from_files_keep_tags_events_and_loops() {
    let dir = folder();
    // Made loops depend on blend spaces, which are not written.
    std::fs::write(dir.path().join("off.toml"), common::NOTHING_MADE).unwrap();
    let built_in = json(dir.path(), &["inspect", "--config", "off.toml"]);
    ok(dir.path(), &["gait", "-o", "mocap"]);
    ok(dir.path(), &["build", "mocap", "-o", "mocap.fwdb", "--config", "off.toml"]);
    let read = json(dir.path(), &["inspect", "--db", "mocap.fwdb"]);
    for key in ["tags", "events"] {
        assert!(built_in[key].as_array().is_some_and(|list| !list.is_empty()));
        // The loops of blend spaces are not written, so their seconds are subtracted.
        let cycles_s = |v: &serde_json::Value| {
            let cycle = v.as_array().unwrap().iter().find(|tag| tag["name"] == "cycle");
            cycle.map_or(0.0, |tag| tag["seconds"].as_f64().unwrap())
        };
        let sorted = |v: &serde_json::Value| {
            let own_s = |tag: &serde_json::Value| match (tag["seconds"].as_f64(), tag["name"].as_str()) {
                // Those loops contain footsteps, too, so footsteps are not compared.
                (_, Some(name)) if name.ends_with("_footstep") => name.to_owned(),
                (Some(s), Some("no_locomotion")) => format!("no_locomotion {:.3}", s - cycles_s(v)),
                (Some(s), name) => format!("{} {s:.3}", name.unwrap()),
                _ => tag.to_string(),
            };
            let mut list: Vec<String> =
                v.as_array().unwrap().iter().filter(|tag| tag["name"] != "cycle").map(own_s).collect();
            list.sort();
            list
        };
        assert_eq!(sorted(&read[key]), sorted(&built_in[key]), "{key}");
    }
    let loops = |v: &serde_json::Value| {
        let clips = v["clip_list"].as_array().unwrap().iter();
        clips.filter(|c| c["looping"] == true && !c["name"].as_str().unwrap().starts_with("cycle")).count()
    };
    assert_eq!(loops(&read), loops(&built_in));
}

#[test]
fn a_pattern_without_a_clip_says_so() {
    fails(folder().path(), &["gait", "--clip", "swim"], &["--clip swim", "footwork gait"]);
}

#[test]
fn captured_walking_can_be_the_reference() {
    let Some(takes) = common::data("captured_walking_can_be_the_reference", "lafan1") else { return };
    let takes = takes.join("*walk*.bvh");
    let report = json(folder().path(), &["gait", "--report", "--reference", takes.to_str().unwrap()]);
    let jerk = report["gates"].as_array().unwrap().iter().find(|g| g["name"] == "walk_130_jerk_of_captured_walking");
    assert_eq!(jerk.unwrap()["holds"], true, "{jerk:?}");
}

#[test]
fn actions_are_listed_and_written_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let names = |args: &[&str]| {
        let told = common::json(dir.path(), args);
        let clips = told["clip_list"].as_array().unwrap();
        clips.iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!names(&["gait"]).iter().any(|name| name.starts_with("vault_")));
    let vaults = names(&["gait", "--actions", "-o", "moves", "--clip", "vault_stand_*"]);
    assert!(!vaults.is_empty() && vaults.iter().all(|name| dir.path().join(format!("moves/{name}.bvh")).exists()));
    let tags = std::fs::read_to_string(dir.path().join(format!("moves/{}.tags.toml", vaults[0]))).unwrap();
    assert!(tags.contains("vault") && tags.contains("no_locomotion"), "{tags}");
}

#[test]
fn a_corpus_has_the_requested_length_and_equal_bytes_for_equal_seeds() {
    let dir = folder();
    let write = |folder: &str, seed: &str| {
        let told = json(dir.path(), &["gait", "--hours", "0.03", "--seed", seed, "-o", folder]);
        has_keys(&told, &["seconds", "clips", "folder"]);
        assert!((told["seconds"].as_f64().unwrap() - 108.0).abs() < 1e-6, "{told}");
        let files = std::fs::read_dir(dir.path().join(folder)).unwrap();
        let files = files.map(|f| f.unwrap().path());
        let mut files: Vec<_> =
            files.map(|f| (f.file_name().unwrap().to_owned(), std::fs::read(&f).unwrap())).collect();
        files.sort();
        assert_eq!(files.len() as u64, 2 * told["clips"].as_u64().unwrap(), "a clip and its sidecar each");
        files
    };
    let (a, b, c) = (write("a", "3"), write("b", "3"), write("c", "4"));
    assert!(a == b && a != c);
    let built = json(dir.path(), &["build", "a", "-o", "a.fwdb"]);
    let clips = built["clip_list"].as_array().unwrap().iter();
    let seconds: f64 = clips.map(|clip| clip["seconds"].as_f64().unwrap()).sum();
    assert!((seconds - 108.0).abs() < 0.1, "{built}");
    assert_eq!(built["skipped"].as_array().unwrap().len(), 0);
}

#[test]
fn a_corpus_needs_a_folder_and_a_length_that_can_be() {
    let dir = folder();
    for args in
        [&["gait", "--hours", "1"][..], &["gait", "--hours", "0", "-o", "x"], &["gait", "--hours", "NaN", "-o", "x"]]
    {
        assert_eq!(run(dir.path(), args).code, Some(2), "{args:?}");
    }
    std::fs::create_dir(dir.path().join("there")).unwrap();
    std::fs::write(dir.path().join("there/00000_any.bvh"), "mine").unwrap();
    fails(dir.path(), &["gait", "--hours", "0.01", "-o", "there"], &["00000_any.bvh", "--force"]);
    assert_eq!(std::fs::read(dir.path().join("there/00000_any.bvh")).unwrap(), b"mine");
}
