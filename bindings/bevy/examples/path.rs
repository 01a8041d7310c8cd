//! A character follows a path without input, alternately walking and running, and leaves footprints.
//! `cargo run --release -p bevy_footwork --features examples --example path`

mod common;

use bevy::prelude::*;
use bevy_footwork::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, change_speed)
        .add_observer(leave_a_mark)
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
    let corners = [(0.0, 0.0), (0.0, 7.0), (4.0, 9.0), (6.0, 4.0), (3.0, -2.0), (-3.0, -3.0)];
    let corners: Vec<Vec3> = corners.into_iter().map(|(x, z)| Vec3::new(x, 0.0, z)).collect();
    let path = MotionPath::new(corners, true).expect("the corners are apart");
    commands.spawn((common::person(&assets, Vec3::ZERO), MotionInput::path(path, 1.6)));
}

fn change_speed(mut hero: Single<&mut MotionInput>, time: Res<Time>) {
    if let MotionGoal::Path { speed_mps, .. } = &mut hero.goal {
        *speed_mps = if time.elapsed_secs() % 16.0 < 10.0 { 1.6 } else { 3.5 };
    }
}

fn leave_a_mark(
    step: On<MotionFootstep>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let left = step.foot.starts_with("Left");
    let colour = if left { Color::srgb(0.85, 0.35, 0.1) } else { Color::srgb(0.1, 0.35, 0.8) };
    let at = Transform::from_translation(step.position.with_y(0.005)).with_scale(Vec3::new(1.0, 0.02, 1.0));
    commands.spawn((Mesh3d(meshes.add(Sphere::new(0.05))), MeshMaterial3d(materials.add(colour)), at));
}
