//! State machine: C crouches, V waves while held, R reloads, L looks around, the right mouse button aims at the mouse.
//! `cargo run --release -p bevy_footwork --features examples --example stances`

mod common;

use bevy::prelude::*;
use bevy_footwork::prelude::*;
use std::f32::consts::PI;

/// Maximum aim to either side, and up or down, in degrees.
const AIM_DEG: Vec2 = Vec2::new(70.0, 40.0);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, (steer, act))
        .add_observer(|e: On<MotionStateChanged>| info!("{} -> {}", e.from, e.to))
        .add_observer(|e: On<MotionClipEvent>| info!("{} {:?}", e.event, e.kind))
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>, mut view: ResMut<common::View>) {
    view.yaw_rad = if common::flag("--picture") { PI - 0.5 } else { 0.0 };
    let machine = Some(assets.load("embedded://footwork/person.machine.toml"));
    let clips = assets.load(common::CLIPS);
    let model = WorldAssetRoot(assets.load(common::MANNEQUIN));
    commands.spawn((MotionCharacter { machine, ..MotionCharacter::new(clips) }, model, common::Followed));
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    let mut input = MotionInput::stick(common::stick(&keys, &pads), &camera, keys.pressed(KeyCode::ShiftLeft));
    if common::flag("--picture") {
        input = MotionInput::velocity(Vec3::new(0.0, 0.0, 1.4));
    }
    **hero = input;
}

fn act(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window>,
    mut variables: Single<&mut MotionVariables>,
) {
    let number = |b: bool| f32::from(u8::from(b));
    if keys.just_pressed(KeyCode::KeyC) {
        let crouch = variables.get("crouch").unwrap_or(0.0);
        variables.set("crouch", 1.0 - crouch);
    }
    for (key, trigger) in [(KeyCode::KeyV, "wave"), (KeyCode::KeyR, "reload"), (KeyCode::KeyL, "look_around")] {
        if keys.just_pressed(key) {
            variables.fire(trigger);
        }
    }
    variables.set("waving", number(keys.pressed(KeyCode::KeyV)));
    variables.set("aim", number(buttons.pressed(MouseButton::Right)));
    if let Some(cursor) = window.cursor_position() {
        // Position from the middle of the window: -1 to 1.
        let at = (cursor / window.size() * 2.0 - 1.0) * AIM_DEG;
        variables.set("aim_yaw", -at.x);
        variables.set("aim_pitch", at.y);
    }
    if common::flag("--picture") && variables.get("crouch").is_none() {
        variables.set("crouch", 1.0);
        variables.fire("reload");
    }
}
