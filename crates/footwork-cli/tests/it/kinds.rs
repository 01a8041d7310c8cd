//! A file of another kind than expected is named, with the command or flag that takes it.

use crate::common;

#[test]
fn a_file_of_another_kind_is_named_with_what_takes_it() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "m.fwdb");
    common::ok(dir.path(), &["simulate", "--db", "m.fwdb", "--seconds", "2", "--trace", "m.fwtrace"]);
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("fit.toml", "[matcher]\nresponsiveness = 1.5\n");
    write("stances.machine.toml", "entry = \"go\"\n[[states]]\nname = \"go\"\n");
    write("moods.chooser.toml", "[characters.well]\ndatabase = \"m.fwdb\"\n[[rows]]\ncharacter = \"well\"\n");
    let idle = "mocap/idle.bvh";
    let builds = "found motion (.bvh): `footwork build mocap/idle.bvh -o mocap/idle.fwdb` makes a database of it";
    let cases: [(&[&str], &str); 15] = [
        (&["inspect", "--db", idle], builds),
        (&["simulate", "--trace", "x.fwtrace", "--learned", idle], builds),
        (&["simulate", "--config", "stances.machine.toml"], "found a state machine: --machine takes it"),
        (&["simulate", "--config", "moods.chooser.toml"], "found a chooser: --chooser takes it"),
        (&["simulate", "--machine", "fit.toml"], "found settings: --config takes it"),
        (&["simulate", "--chooser", "stances.machine.toml"], "found a state machine: --machine takes it"),
        (&["simulate", "--course", "m.fwtrace"], "found a recording: `footwork replay m.fwtrace` plays it"),
        (&["build", "m.fwdb", "-o", "x.fwdb"], "found a database: `footwork inspect --db m.fwdb` lists it"),
        (&["doctor", "m.fwtrace"], "expected motion (.bvh, .glb, .gltf, .fbx), found a recording"),
        (&["retarget", "mocap", "--onto", "m.fwdb", "-o", "x"], "--onto m.fwdb: expected motion"),
        (&["convert", "mocap", "-o", "x.glb", "--mesh", idle], "`footwork convert mocap/idle.bvh -o mocap/idle.glb`"),
        (&["film", "--trace", "m.fwdb", "-o", "x.png"], "expected a recording (.fwtrace), found a database"),
        (&["report", "--trace", "m.fwdb", "-o", "x.html"], "expected a recording (.fwtrace), found a database"),
        (&["replay", idle], builds),
        (&["eval", "--machine", "m.fwdb"], "expected a state machine (.machine.toml), found a database"),
    ];
    for (args, part) in cases {
        common::fails(dir.path(), args, &[part]);
    }
    let names = common::names(dir.path());
    assert!(!names.iter().any(|n| n.starts_with("x")), "an output was begun: {names:?}");
}
