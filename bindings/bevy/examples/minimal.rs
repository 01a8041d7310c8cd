//! A character, a stick (WASD or gamepad, shift runs), and a camera behind it (arrow keys).
//! `cargo run --release -p bevy_footwork --features examples --example minimal`

mod common;

use bevy::prelude::*;
use bevy_footwork::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, steer)
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
    // Your own files: "hero.fwdb" in the folder `assets`, and any skinned model.
    let clips = assets.load("embedded://footwork/person.fwdb");
    let model = assets.load("embedded://footwork/person.glb#Scene0");
    commands.spawn((MotionCharacter::new(clips), WorldAssetRoot(model), common::Followed));
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    let run = keys.pressed(KeyCode::ShiftLeft);
    **hero = MotionInput::stick(common::stick(&keys, &pads), &camera, run);
}
