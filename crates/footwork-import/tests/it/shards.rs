//! Databases in shards: what is written is read, and what does not fit is rejected with a reason.

use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::database::{Database, MirrorMode};
use footwork_gait::GaitOptions;
use footwork_import::Shards;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Returns a database with stored mirror images: two ranges of rows for each shard.
fn database() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| {
        let clips: Vec<_> = footwork_gait::clips(&GaitOptions { routes: false, ..GaitOptions::default() });
        let mut config = BuildConfig { mirror: MirrorMode::Stored, ..BuildConfig::default() };
        config.multiply.mode = Multiply::Off;
        let clips: Vec<_> = clips.into_iter().step_by(8).collect();
        build(clips, &config, &BuildOptions::default()).unwrap().0
    })
}

/// Returns the rows of the whole database in the order of a shard.
fn numbers(ranges: &[[usize; 2]]) -> impl Iterator<Item = usize> {
    ranges.iter().flat_map(|[start, end]| *start..*end)
}

#[test]
fn the_rows_of_all_shards_are_those_of_the_database() {
    let (db, dir) = (database(), tempfile::tempdir().unwrap());
    for count in [1, 2, db.originals()] {
        let folder = dir.path().join(count.to_string());
        let written = Shards::write(db, count, &folder).unwrap();
        let shards = Shards::open(written.path()).unwrap();
        assert_eq!((shards.list().len(), shards.size()), (count, (db.clips.len(), db.rows())));
        let mut rows = 0;
        for (k, shard) in shards.list().iter().enumerate() {
            assert_eq!(
                (shard.clips.len(), shard.rows.len()),
                (if count > 1 { 2 } else { 1 }, if count > 1 { 2 } else { 1 })
            );
            let part = shards.load(k).unwrap();
            assert_eq!(part.set_aside(), db.set_aside());
            for (own, whole) in numbers(&shard.rows).enumerate() {
                let columns = db.features.columns;
                let row = |db: &Database, row: usize| {
                    let bits = db.features.values[row * columns..][..columns].iter().map(|v| v.to_bits());
                    (bits.collect::<Vec<_>>(), db.clips[db.row_clips[row].at()].name.clone())
                };
                assert_eq!(row(&part, own), row(db, whole));
                rows += 1;
            }
        }
        assert_eq!(rows, db.rows());
    }
    // Equal content gives equal files, and other files stay.
    let again = dir.path().join("2");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&again).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, text) = (names(), fs::read(again.join(Shards::MANIFEST)).unwrap());
    Shards::write(db, 2, &again).unwrap();
    assert_eq!((names(), fs::read(again.join(Shards::MANIFEST)).unwrap()), (before.clone(), text));
    Shards::write(db, 3, &again).unwrap();
    assert!(before.iter().all(|name| names().contains(name)) && names().len() == 6);
}

#[test]
fn a_number_of_shards_that_no_database_has_is_rejected_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    for count in [0, database().originals() + 1] {
        let error = Shards::write(database(), count, &dir.path().join("no")).unwrap_err().to_string();
        let clips = database().originals();
        assert_eq!(error, format!("number of shards: expected 1 to {clips}, the clips that have rows, found {count}"));
    }
    assert!(!dir.path().join("no").exists());
}

/// Changes the manifest, and returns the error of opening it or of loading one of its shards.
fn error_of(folder: &Path, change: impl FnOnce(&mut Value)) -> String {
    let path = folder.join(Shards::MANIFEST);
    let before = fs::read(&path).unwrap();
    let mut manifest: Value = serde_json::from_slice(&before).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
    let found = Shards::open(&path).and_then(|shards| {
        (0..shards.list().len()).try_for_each(|shard| shards.load(shard).map(|_| ()))?;
        Ok(())
    });
    fs::write(&path, before).unwrap();
    found.unwrap_err().to_string()
}

#[test]
fn a_manifest_that_does_not_fit_its_shards_is_rejected_with_a_reason() {
    let (db, dir) = (database(), tempfile::tempdir().unwrap());
    let folder = dir.path().join("shards");
    let shards = Shards::write(db, 3, &folder).unwrap();
    let file = |shard: usize| folder.join(&shards.list()[shard].file);
    let fails = |change: &dyn Fn(&mut Value), parts: &[&str]| {
        let error = error_of(&folder, change);
        assert!(parts.iter().all(|part| error.contains(part)), "{error}: {parts:?}");
    };
    fails(
        &|m| m["format_version"] = 2.into(),
        &["manifest.json", "format version: expected 1, found 2", "write the shards again"],
    );
    fails(&|m| *m = Value::Null, &["manifest.json", "write the shards again"]);
    fails(&|m| m["shards"][0]["hours"] = 1.into(), &["unknown field `hours`"]);
    fails(&|m| m["shards"][1]["rows"][0][0] = (-1).into(), &["manifest.json"]);
    // Every clip and every row is in one shard.
    let rows = db.rows();
    fails(&|m| m["shards"] = Value::Array(vec![]), &["clips: expected each below", "found clip 0 in none"]);
    fails(&|m| m["rows"] = (rows + 1).into(), &[&format!("found row {rows} in none")]);
    fails(&|m| m["rows"] = (rows - 1).into(), &["rows: expected each below", "in several, or above"]);
    fails(&|m| m["shards"][1] = m["shards"][0].clone(), &["found clip 0 in several"]);
    fails(&|m| drop(m["shards"].as_array_mut().unwrap().remove(1)), &["in none"]);
    fails(&|m| m["shards"][1]["rows"] = serde_json::json!([[5, 5]]), &["expected ascending ranges, found [[5, 5]]"]);
    fails(&|m| m["shards"][1]["rows"] = serde_json::json!([]), &["expected ascending ranges, found []"]);
    // The files are those of the manifest.

    fails(&|m| swap(m, "file"), &["shard `", "content hash: expected", "write the shards again"]);
    fails(&|m| swap(m, "rows"), &["number of rows: expected"]);
    fails(&|m| m["shared_hash"] = "0".into(), &["hash of skeleton, schema and names: expected 0, found"]);
    fails(&|m| m["set_aside"]["tags"] = serde_json::json!(["nowhere"]), &["no tag `nowhere`"]);
    fails(&|m| m["shards"][2]["file"] = "gone.fwdb".into(), &["gone.fwdb"]);
    let bytes = fs::read(file(1)).unwrap();
    fs::write(file(1), &bytes[..bytes.len() / 2]).unwrap();
    fails(&|_| (), &[&file(1).display().to_string()]);
    // Shards of another database in the same manifest.
    let mut content = (**db).clone();
    content.features.scale[0] *= 2.0;
    let part = Database::new(content).unwrap().part(&[0]).unwrap().0;
    part.save(&file(1)).unwrap();
    let hash = format!("{:032x}", part.content_hash());
    fails(
        &|m| m["shards"][1]["content_hash"] = hash.as_str().into(),
        &["hash of skeleton, schema and names: expected"],
    );
}

/// Exchanges a value of the first two shards.
fn swap(manifest: &mut Value, key: &str) {
    let [a, b] = [0, 1].map(|shard| manifest["shards"][shard][key].clone());
    (manifest["shards"][0][key], manifest["shards"][1][key]) = (b, a);
}
