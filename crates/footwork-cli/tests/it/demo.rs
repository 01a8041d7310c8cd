//! `footwork` without arguments: seven files that other programs can open.

use crate::common;

use footwork_import::bvh::Units;

#[test]
fn the_demo_needs_nothing_and_writes_seven_files_that_its_seed_decides() {
    let dir = tempfile::tempdir().unwrap();
    let out = common::ok::<&str>(dir.path(), &[]);
    assert!(out.contains("footwork-demo/") && out.contains("searches/s") && out.contains("path error"), "{out}");
    let folder = dir.path().join("footwork-demo");
    assert_eq!(
        common::names(&folder),
        ["demo.bvh", "demo.glb", "index.html", "learned.png", "path.svg", "strip.png", "summary.json"]
    );

    let clip = footwork_import::read_clip(&folder.join("demo.bvh"), Units::Auto).unwrap();
    assert_eq!((clip.rate_hz, clip.frames(), clip.skeleton.len()), (60.0, 5400, 23));

    let glb = std::fs::read(folder.join("demo.glb")).unwrap();
    assert_eq!((&glb[..4], &glb[4..8]), (b"glTF".as_slice(), [2, 0, 0, 0].as_slice()));
    assert_eq!(u32::from_le_bytes(glb[8..12].try_into().unwrap()) as usize, glb.len());

    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>") && page.len() > 500_000);
    let told = out.lines().position(|l| l.contains("index.html") && l.contains("open this first")).unwrap();
    assert!(told < out.lines().position(|l| l.contains("demo.glb")).unwrap(), "{out}");

    let svg = std::fs::read_to_string(folder.join("path.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("<path") && svg.trim_end().ends_with("</svg>"));

    for name in ["strip.png", "learned.png"] {
        let strip = std::fs::read(folder.join(name)).unwrap();
        assert!(strip.starts_with(b"\x89PNG") && strip.len() > 50_000, "{name}");
    }

    let text = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    common::has_keys(&summary, &["database", "run", "parts", "seed", "files"]);
    common::has_keys(&summary["database"], &["clips", "seconds", "rows", "columns", "content_hash"]);
    let run = &summary["run"];
    common::has_keys(run, &["updates", "searches", "transitions", "update_us_median", "pose_hash"]);
    assert_eq!(run["updates"], 5400);
    assert!(run["path_error_m"].as_f64().unwrap() < 0.15, "{run}");
    assert!(run["transitions_per_s"].as_f64().unwrap() > 0.1, "{run}");

    let hash = |seed: &str| common::json(dir.path(), &["--seed", seed])["run"]["pose_hash"].clone();
    let seed = summary["seed"].as_u64().unwrap();
    assert_eq!(run["pose_hash"], hash(&seed.to_string()));
    assert_ne!(run["pose_hash"], hash(&(seed + 1).to_string()));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_and_not_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("footwork-demo"), "in the way").unwrap();
    common::fails::<&str>(dir.path(), &[], &["footwork-demo"]);
    assert_eq!(std::fs::read_to_string(dir.path().join("footwork-demo")).unwrap(), "in the way");
}

#[test]
fn help_shows_an_example_for_every_command() {
    let dir = tempfile::tempdir().unwrap();
    for args in
        [&["--help"][..], &["build", "--help"], &["inspect", "--help"], &["simulate", "--help"], &["film", "--help"]]
    {
        let out = common::ok(dir.path(), args);
        assert!(out.contains("Examples:\n  footwork"), "{args:?}: {out}");
    }
    let wrong = common::run(dir.path(), &["bild"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("build"), "{wrong:?}");
}
