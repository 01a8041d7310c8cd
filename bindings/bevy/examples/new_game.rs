//! The game that `footwork new my-game --bevy` writes, with the files of the folder `assets`.
//! `cargo run --release -p bevy_footwork --features examples --example new_game`

include!("../../../crates/footwork-cli/templates/bevy/main.rs");
