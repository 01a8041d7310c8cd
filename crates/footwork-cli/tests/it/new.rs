//! `footwork new`: the project is whole, and nothing of the user's is replaced.

use crate::common;
use footwork::database::Database;

#[test]
fn a_new_game_has_all_its_files_and_spares_a_folder_that_is_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let told = common::ok(dir.path(), &["new", "my-game", "--bevy"]);
    assert!(told.contains("next: cd my-game && cargo run --release"), "{told}");
    let game = dir.path().join("my-game");
    assert_eq!(common::names(&game), [".gitignore", "Cargo.toml", "README.md", "assets", "src"]);
    assert_eq!(common::names(&game.join("assets")), ["hero.fwdb", "hero.glb"]);
    let db = Database::load(&game.join("assets/hero.fwdb")).unwrap();
    assert!(db.clips.len() > 400);
    let manifest: toml::Table = std::fs::read_to_string(game.join("Cargo.toml")).unwrap().parse().unwrap();
    assert_eq!(manifest["package"]["name"].as_str(), Some("my-game"));
    let main = std::fs::read_to_string(game.join("src/main.rs")).unwrap();
    assert_eq!(
        main,
        std::fs::read_to_string(common::repository().join("crates/footwork-cli/templates/bevy/main.rs")).unwrap()
    );

    std::fs::write(game.join("src/main.rs"), "mine").unwrap();
    common::fails(dir.path(), &["new", "my-game", "--bevy"], &["my-game: expected no file or folder, or an empty one"]);
    assert_eq!(std::fs::read_to_string(game.join("src/main.rs")).unwrap(), "mine");
    common::fails(dir.path(), &["new", "2nd game", "--bevy"], &["expected a name of letters, digits"]);
}

#[test]
fn a_new_game_takes_clips_and_a_model_of_ones_own() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap_database(dir.path(), "m.fwdb");
    common::ok(dir.path(), &["convert", "mocap/idle.bvh", "-o", "hero.glb"]);
    let told = common::json(dir.path(), &["new", "own", "--bevy", "--db", "m.fwdb", "--model", "hero.glb"]);
    let db = Database::load(&dir.path().join("m.fwdb")).unwrap();
    assert_eq!((told["name"].as_str(), told["clips"].as_u64()), (Some("own"), Some(db.clips.len() as u64)));
    let bytes = |path: &str| std::fs::read(dir.path().join(path)).unwrap();
    assert_eq!(bytes("own/assets/hero.glb"), bytes("hero.glb"));
    assert_eq!(bytes("own/assets/hero.fwdb"), bytes("m.fwdb"));
    common::fails(
        dir.path(),
        &["new", "other", "--bevy", "--model", "m.fwdb"],
        &["--model m.fwdb: expected a rigged character"],
    );
    assert!(!dir.path().join("other").exists());
}
