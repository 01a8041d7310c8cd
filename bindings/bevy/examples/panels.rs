//! The studio's panels over the game. F3 opens them and gives them keys and mouse. They show the recording of the character, why
//! each clip was played, and its settings; "Apply to the game" applies those to the running character.
//! `cargo run --release -p bevy_footwork --features examples --example panels`

mod common;

use bevy::prelude::*;
use bevy_footwork::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin, MotionPanelsPlugin))
        .insert_resource(MotionPanels { open: common::flag("--picture"), ..default() })
        .add_systems(Startup, spawn)
        .add_systems(PostStartup, frame)
        .add_systems(Update, steer)
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
    commands.spawn((Name::new("hero"), common::person(&assets, Vec3::ZERO), MotionRecorder::default()));
}

/// Moves the view so that the character is visible beside the panels.
fn frame(mut view: ResMut<common::View>, mut window: Single<&mut Window>) {
    view.left_m = 2.3;
    if common::flag("--picture") {
        window.resolution.set(1440.0, 810.0);
    }
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
    time: Res<Time>,
) {
    let run = keys.pressed(KeyCode::ShiftLeft);
    // In pictures the character turns at times, so that the timeline has content.
    let turn = if common::flag("--picture") { (1.3 * time.elapsed_secs()).floor() } else { 0.0 };
    let stick = Vec2::from_angle(turn).rotate(common::stick(&keys, &pads));
    **hero = MotionInput::stick(stick, &camera, run);
}
