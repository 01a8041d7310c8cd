use bevy::prelude::*;
use bevy_footwork::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, FootworkPlugin::default()))
        .add_systems(Startup, spawn)
        .add_systems(Update, (steer, follow))
        .run();
}

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let clips = assets.load("hero.fwdb");
    let model = assets.load("hero.glb#Scene0");
    commands.spawn((MotionCharacter::new(clips), WorldAssetRoot(model)));

    let floor = Mesh3d(meshes.add(Plane3d::default().mesh().size(60.0, 60.0)));
    let post = Mesh3d(meshes.add(Cuboid::new(0.2, 1.0, 0.2)));
    let grey = MeshMaterial3d(materials.add(Color::srgb(0.5, 0.5, 0.5)));
    commands.spawn((floor, grey.clone()));
    for k in -5..=5 {
        commands.spawn((post.clone(), grey.clone(), Transform::from_xyz(1.5, 0.5, 2.0 * k as f32)));
    }
    let sun = DirectionalLight { shadow_maps_enabled: true, ..default() };
    commands.spawn((sun, Transform::from_xyz(-2.0, 5.0, -3.0).looking_at(Vec3::ZERO, Vec3::Y)));
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 2.0, -4.0).looking_at(Vec3::Y, Vec3::Y)));
}

/// WASD walk, shift runs.
fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    let axis = |minus, plus| f32::from(keys.pressed(plus)) - f32::from(keys.pressed(minus));
    let stick = Vec2::new(axis(KeyCode::KeyA, KeyCode::KeyD), axis(KeyCode::KeyS, KeyCode::KeyW));
    **hero = MotionInput::stick(stick.clamp_length_max(1.0), &camera, keys.pressed(KeyCode::ShiftLeft));
}

/// The camera stays behind the character.
fn follow(
    hero: Single<&Transform, (With<MotionCharacter>, Without<Camera3d>)>,
    mut camera: Single<&mut Transform, With<Camera3d>>,
) {
    camera.translation = hero.translation + Vec3::new(0.0, 2.0, -4.0);
}
