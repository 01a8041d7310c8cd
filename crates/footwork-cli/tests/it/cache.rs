//! Repeated builds: unchanged files are not read again, and the result is identical.

use crate::common;

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder of clips with a separate cache.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        common::mocap(dir.path());
        std::fs::write(dir.path().join("plain.toml"), common::NOTHING_MADE).unwrap();
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn build(&self, args: &[&str]) -> Value {
        let mut command = common::footwork(self.path());
        command.env("FOOTWORK_CACHE", self.path().join("cache"));
        let always = ["build", "mocap", "-o", "a.fwdb", "--config", "plain.toml", "--json"];
        let run = common::finish(command.args([&always[..], args].concat()));
        assert_eq!(run.code, Some(0), "{run:?}");
        serde_json::from_str(&run.stdout).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path().join("a.fwdb")).unwrap()
    }

    /// Returns the bytes of a build without a cache.
    fn anew(&self, args: &[&str]) -> Vec<u8> {
        self.build(&[&["--no-cache"], args].concat());
        self.bytes()
    }

    fn entries(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.path().join("cache")).unwrap().map(|e| e.unwrap().path());
        let mut all: Vec<PathBuf> =
            folders.flat_map(|f| std::fs::read_dir(f).unwrap().map(|e| e.unwrap().path())).collect();
        all.sort();
        all
    }
}

#[test]
fn the_database_of_the_built_in_data_is_kept_by_settings_and_written_again_where_it_is_damaged() {
    let place = Place::new();
    let inspect = |args: &[&str]| {
        let mut command = common::footwork(place.path());
        command.env("FOOTWORK_CACHE", place.path().join("cache"));
        let run = common::finish(command.args([&["inspect", "--json"], args].concat()));
        assert_eq!(run.code, Some(0), "{run:?}");
        serde_json::from_str::<Value>(&run.stdout).unwrap()["content_hash"].clone()
    };
    let first = inspect(&[]);
    assert!(first.is_string() && place.entries().len() == 1, "{first}");
    assert_eq!(inspect(&[]), first);
    // The cached file is used; a damaged one is replaced.
    let file = place.entries().remove(0);
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    std::fs::write(&file, &damaged).unwrap();
    assert_eq!(inspect(&[]), first);
    assert!(std::fs::read(&file).unwrap() == whole, "it was written again");
    // Other settings get a separate database; three are kept.
    assert_ne!(inspect(&["--rate", "10"]), first);
    for rate in ["11", "12"] {
        inspect(&["--rate", rate]);
    }
    assert_eq!(place.entries().len(), 3);
    assert!(!file.exists());
}

#[test]
fn what_has_not_changed_is_not_read_again_and_the_bytes_are_the_same() {
    let place = Place::new();
    assert_eq!(place.build(&[])["cached_clips"], 0);
    let first = place.bytes();
    assert_eq!(place.entries().len(), 10);
    assert_eq!(place.build(&[])["cached_clips"], 10);
    assert_eq!(place.bytes(), first);
    assert_eq!(place.anew(&[]), first);
    // A changed clip, a new one and a removed one; unused entries are deleted.
    let mocap = place.path().join("mocap");
    std::fs::copy(mocap.join("run_400.bvh"), mocap.join("walk_175.bvh")).unwrap();
    std::fs::copy(mocap.join("idle.bvh"), mocap.join("idle2.bvh")).unwrap();
    std::fs::remove_file(mocap.join("plant_walk_180_left.bvh")).unwrap();
    let again = place.build(&[]);
    assert_eq!(again["cached_clips"], 10, "9 by name; bytes that are known under another name are known");
    let cached = place.bytes();
    assert_eq!(place.entries().len(), 8, "one for each content");
    assert_eq!(cached, place.anew(&[]));
    assert_ne!(cached, first);
}

#[test]
fn another_unit_or_weight_is_no_reason_for_an_old_answer() {
    let place = Place::new();
    place.build(&[]);
    for args in [&["--units", "in"][..], &["--units", "cm"], &["--rate", "20"]] {
        place.build(args);
        let cached = place.bytes();
        assert_eq!(cached, place.anew(args), "{args:?}");
    }
}

#[test]
fn a_damaged_or_half_written_cache_is_as_good_as_none() {
    let place = Place::new();
    place.build(&[]);
    let good = place.bytes();
    let entries = place.entries();
    let other = std::fs::read(&entries[4]).unwrap();
    for (k, entry) in entries.iter().enumerate() {
        let mut bytes = std::fs::read(entry).unwrap();
        let middle = bytes.len() / 2;
        match k % 4 {
            0 => bytes.truncate(middle),
            1 => bytes[middle] ^= 1,
            2 => bytes.clear(),
            // Undamaged, but with the content of another entry.
            _ => bytes.clone_from(&other),
        }
        std::fs::write(entry, bytes).unwrap();
    }
    assert_eq!(place.build(&[])["cached_clips"], 0);
    assert_eq!(place.bytes(), good);
    assert_eq!(place.build(&[])["cached_clips"], 10, "mended");
    // A file instead of the folder: slower, but not an error.
    std::fs::remove_dir_all(place.path().join("cache")).unwrap();
    std::fs::write(place.path().join("cache"), "in the way").unwrap();
    assert_eq!(place.build(&[])["cached_clips"], 0);
    assert_eq!(place.bytes(), good);
}

#[test]
fn without_a_cache_nothing_is_kept() {
    let place = Place::new();
    place.build(&["--no-cache"]);
    assert!(!place.path().join("cache").exists());
}
