//! A purchased pack of loops, a second each and straight ahead only: walks and runs without further settings.

use crate::common;

use common::strides::{stride, unmarked};
use footwork_import::bvh::WriteOptions;
use std::path::Path;

/// Writes a folder `pack` of four loops; two of them repeat their first frame at the end.
fn pack(folder: &Path) {
    let pack = folder.join("pack");
    std::fs::create_dir(&pack).unwrap();
    let clips = common::clips();
    let named = |name: &str| clips.iter().find(|c| c.name == name).unwrap();
    let loops = [
        ("idle", unmarked(named("idle"))),
        ("walk", stride(named("walk_150_loop"), 5.0, 0.3, true)),
        ("jog", stride(named("run_250_loop"), 6.0, 0.7, false)),
        ("run", stride(named("run_400_loop"), 6.0, 0.45, true)),
    ];
    for (name, clip) in loops {
        assert!(name == "idle" || (0.67..=1.33).contains(&clip.seconds()), "{name} lasts {} s", clip.seconds());
        footwork_import::write_clip(&pack.join(format!("{name}.bvh")), &clip, &WriteOptions::default()).unwrap();
    }
}

#[test]
fn a_pack_of_loops_alone_walks_and_runs() {
    let dir = tempfile::tempdir().unwrap();
    pack(dir.path());
    std::fs::write(dir.path().join("alone.toml"), common::NOTHING_MADE).unwrap();
    let report = common::json(dir.path(), &["build", "pack", "--config", "alone.toml", "-o", "pack.fwdb"]);
    assert_eq!(report["loops_found"], serde_json::json!(["idle", "jog", "run", "walk"]));
    assert_eq!(report["loops"][3]["repeated_frame"], true);
    let walked = common::json(dir.path(), &["simulate", "--db", "pack.fwdb", "--seconds", "20", "--seed", "3"]);
    assert!(walked["path_error_m"].as_f64().unwrap() < 0.3, "{walked}");
    // The clip fits the speed: idle while standing, walk while walking, run while running.
    let plays = |at: &str| {
        let args = ["simulate", "--db", "pack.fwdb", "--seconds", "20", "--seed", "3", "--explain", at];
        let explained = common::json(dir.path(), &args);
        let candidates = explained["explanation"]["candidates"].as_array().unwrap();
        let playing = candidates.iter().find(|c| c["verdict"] == "continued").map(|c| c["clip"].as_str().unwrap());
        playing.unwrap_or("between clips").to_owned()
    };
    assert_eq!([plays("2"), plays("5"), plays("10")], ["idle", "walk", "run"]);
}
