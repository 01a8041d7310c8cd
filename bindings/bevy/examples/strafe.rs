//! Strafing: the body faces the camera's direction (right mouse button, or always in pictures). Eyes and a hand follow a ball.
//! `cargo run --release -p bevy_footwork --features examples --example strafe`

mod common;

use bevy::prelude::*;
use bevy_footwork::prelude::*;

#[derive(Component)]
struct Ball;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin, FootworkDebugPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, (steer, throw))
        .run();
}

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut view: ResMut<common::View>,
) {
    view.yaw_rad = if common::flag("--picture") { 2.6 } else { 0.0 };
    let ball = (Mesh3d(meshes.add(Sphere::new(0.12))), MeshMaterial3d(materials.add(Color::srgb(0.9, 0.75, 0.1))));
    let ball = commands.spawn((ball, Ball, Transform::default())).id();
    let looks = MotionGizmos { features: false, ..MotionGizmos::default() };
    commands.spawn((common::person(&assets, Vec3::ZERO), LookAt(Target::Entity(ball)), looks));
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    let picture = common::flag("--picture");
    let movement = if picture { Vec2::new(-1.0, 0.2) } else { common::stick(&keys, &pads) };
    let strafe = picture || buttons.pressed(MouseButton::Right);
    let camera_yaw_rad = if picture { 0.0 } else { camera_yaw_rad(&camera) };
    let stick = Stick { movement, camera_yaw_rad, strafe, ..Stick::default() };
    hero.goal = MotionGoal::Stick(stick);
}

/// Moves the ball around the character, and lets the right hand point at it.
fn throw(
    mut ball: Single<&mut Transform, With<Ball>>,
    mut hero: Single<(Entity, &Transform), (With<MotionCharacter>, Without<Ball>)>,
    mut commands: Commands,
    time: Res<Time>,
) {
    let (entity, at) = &mut *hero;
    let angle = 0.5 * (0.7 * time.elapsed_secs()).sin();
    let away = Quat::from_rotation_y(angle) * Vec3::new(-0.3, 1.45, 1.6);
    ball.translation = at.translation + away;
    let hand = HandTarget { at: Target::Point(at.translation + away * Vec3::new(0.35, 1.0, 0.35)), rotation: None };
    commands.entity(*entity).insert(HandTargets { right: Some(hand), left: None });
}
