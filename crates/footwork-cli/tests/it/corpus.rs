//! `footwork corpus`: the phases give the bytes of one build, whatever happens to the shards.

use crate::common;

use common::{fails, json, ok, run};
use std::fs;
use std::path::Path;

/// Returns a folder with clips of two formats in `mocap` and `more`, these settings in `c.toml`, and the bytes of their database.
fn folder(settings: &str) -> (tempfile::TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    ok(dir.path(), &["gait", "--hours", "0.04", "--seed", "9", "-o", "mocap"]);
    ok(dir.path(), &["gait", "--clip", "walk_1*", "-o", "more"]);
    fs::create_dir(dir.path().join("mocap/deep")).unwrap();
    ok(dir.path(), &["convert", "more/walk_130.bvh", "-o", "mocap/deep/walk_130.glb"]);
    fs::write(dir.path().join("c.toml"), settings).unwrap();
    ok(dir.path(), &["build", "mocap", "more", "--config", "c.toml", "-o", "one.fwdb", "--no-cache"]);
    let bytes = fs::read(dir.path().join("one.fwdb")).unwrap();
    (dir, bytes)
}

/// Runs `corpus extract` for each of the shards, and `corpus merge`. Returns the bytes, and the number of files that were not
/// parsed again.
fn merged(dir: &Path, shards: &[&str]) -> (Vec<u8>, u64) {
    for shard in shards {
        ok(dir, &["corpus", "extract", "corpus", "--shard", shard]);
    }
    let told = json(dir, &["corpus", "merge", "corpus", "-o", "merged.fwdb"]);
    (fs::read(dir.join("merged.fwdb")).unwrap(), told["cached_clips"].as_u64().unwrap())
}

#[test]
fn any_number_of_shards_gives_the_bytes_of_one_build() {
    let (dir, one) = folder("");
    let survey =
        |folder: &str| json(dir.path(), &["corpus", "survey", "mocap", "more", "--config", "c.toml", "-o", folder]);
    let told = survey("corpus");
    let (files, bvh) = (told["files"].as_u64().unwrap(), told["files"].as_u64().unwrap() - 1);
    assert!(files >= 6 && told["bytes"].as_u64().unwrap() > 100_000, "{told}");
    let again = |shards: &[&str]| {
        fs::remove_dir_all(dir.path().join("corpus")).unwrap();
        survey("corpus");
        merged(dir.path(), shards)
    };
    for shards in
        [&["1/1"][..], &["2/3", "1/3", "3/3"], &["7/9", "1/9", "3/9", "9/9", "8/9", "2/9", "4/9", "5/9", "6/9"]]
    {
        let (bytes, cached) = again(shards);
        assert!(bytes == one, "{shards:?}");
        // glTF is read by the merge.
        assert_eq!(cached, bvh, "{shards:?}");
    }
    let (bytes, cached) = again(&["1/2"]);
    assert!(bytes == one && 0 < cached && cached < bvh, "a shard is missing: {cached}");
}

#[test]
fn a_shard_that_was_killed_and_a_file_that_changed_are_read_again() {
    let (dir, one) = folder(common::NOTHING_MADE);
    ok(dir.path(), &["corpus", "survey", "mocap", "more", "--config", "c.toml", "-o", "corpus"]);
    let (bytes, all) = merged(dir.path(), &["1/1"]);
    assert!(bytes == one);
    let mut entries: Vec<_> =
        fs::read_dir(dir.path().join("corpus/clips")).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let half = fs::read(&entries[0]).unwrap();
    fs::write(&entries[0], &half[..half.len() / 2]).unwrap();
    fs::write(dir.path().join("corpus/clips/.half.1.part"), b"cut").unwrap();
    assert_eq!(merged(dir.path(), &[]), (one.clone(), all - 1), "an entry was cut");
    // A shard repeats only what is missing, and other content gives another database.
    let file = dir.path().join("more/walk_130.bvh");
    // Its tags end with the clip.
    fs::remove_file(dir.path().join("more/walk_130.tags.toml")).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let cut = text.trim_end().rsplit_once('\n').unwrap().0;
    let frames: usize = text.split("Frames: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    fs::write(&file, cut.replace(&format!("Frames: {frames}"), &format!("Frames: {}", frames - 1)) + "\n").unwrap();
    ok(dir.path(), &["build", "mocap", "more", "--config", "c.toml", "-o", "one.fwdb", "--no-cache"]);
    let changed = fs::read(dir.path().join("one.fwdb")).unwrap();
    let (bytes, _) = merged(dir.path(), &["1/1"]);
    assert!(bytes == changed && bytes != one);
}

#[test]
fn settings_come_from_the_survey() {
    let (dir, _) = folder(common::NOTHING_MADE);
    fs::create_dir(dir.path().join("settings")).unwrap();
    let config = "[source]\nclips = [\"../mocap\"]\npattern = \"{number}_{kind}\"\n[build]\nsearch_rate_hz = 20\n";
    fs::write(dir.path().join("settings/c.toml"), config).unwrap();
    ok(dir.path(), &["build", "--config", "settings/c.toml", "-o", "one.fwdb", "--no-cache"]);
    ok(dir.path(), &["corpus", "survey", "--config", "settings/c.toml", "-o", "corpus"]);
    fs::remove_file(dir.path().join("settings/c.toml")).unwrap();
    let (bytes, cached) = merged(dir.path(), &["1/2", "2/2"]);
    assert!(bytes == fs::read(dir.path().join("one.fwdb")).unwrap() && cached > 0);
}

#[test]
fn what_cannot_be_run_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for shard in ["0/2", "3/2", "1", "a/b", "1/0"] {
        assert_eq!(run(dir.path(), &["corpus", "extract", "corpus", "--shard", shard]).code, Some(2), "{shard}");
    }
    fails(dir.path(), &["corpus", "extract", "corpus", "--shard", "1/2"], &["survey.json"]);
    fails(dir.path(), &["corpus", "merge", "corpus", "-o", "x.fwdb"], &["survey.json"]);
    fails(dir.path(), &["corpus", "survey", "-o", "corpus"], &["no clips", "source.clips"]);
    fs::create_dir(dir.path().join("corpus")).unwrap();
    fs::write(dir.path().join("corpus/survey.json"), "{").unwrap();
    fails(dir.path(), &["corpus", "merge", "corpus", "-o", "x.fwdb"], &["survey.json", "survey the corpus again"]);
    assert!(!dir.path().join("x.fwdb").exists());
}

#[test]
fn a_database_is_divided_into_shards_with_a_manifest() {
    let dir = tempfile::tempdir().unwrap();
    ok(dir.path(), &["gait", "--clip", "walk_1*", "-o", "mocap"]);
    fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
    ok(dir.path(), &["build", "mocap", "--config", "plain.toml", "-o", "one.fwdb", "--no-cache"]);
    let told = json(dir.path(), &["corpus", "part", "one.fwdb", "--shards", "2", "-o", "shards"]);
    assert_eq!(told["shards"].as_array().unwrap().len(), 2);
    let manifest = fs::read_to_string(dir.path().join(told["manifest"].as_str().unwrap())).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["shards"], told["shards"]);
    let rows = |file: &str| json(dir.path(), &["inspect", "--db", file])["rows"].as_u64().unwrap();
    let shards = told["shards"].as_array().unwrap().iter();
    let of_shards = shards.map(|shard| rows(&format!("shards/{}", shard["file"].as_str().unwrap())));
    assert_eq!(of_shards.sum::<u64>(), rows("one.fwdb"));
    fails(
        dir.path(),
        &["corpus", "part", "one.fwdb", "--shards", "100000", "-o", "no"],
        &["number of shards", "found 100000"],
    );
    fails(dir.path(), &["corpus", "part", "no.fwdb", "--shards", "2", "-o", "no"], &["no.fwdb"]);
    assert!(!dir.path().join("no").exists());
}
