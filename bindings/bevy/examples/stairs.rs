//! A capsule of Avian's physics on slopes and stairs. The animation follows it, with the feet on the colliders.
//! `cargo run --release -p bevy_footwork --features examples --example stairs`

mod common;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy_footwork::prelude::*;

const HALF_HEIGHT_M: f32 = 0.9;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage, PhysicsPlugins::default()))
        .add_plugins((FootworkPlugin::in_world(AvianWorld), BuiltInPersonPlugin))
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, drive)
        .run();
}

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut view: ResMut<common::View>,
) {
    *view = common::View { distance_m: 4.0, height_m: 0.8, yaw_rad: -1.2, left_m: 0.0, chest_m: 0.1 };
    let mut solid = |size: Vec3, at: Transform| {
        let block = common::block(&mut commands, &mut meshes, &mut materials, size, at);
        commands.entity(block).insert((RigidBody::Static, Collider::cuboid(size.x, size.y, size.z)));
    };
    solid(Vec3::new(200.0, 1.0, 200.0), Transform::from_xyz(0.0, -0.501, 0.0));
    for step in 0..7 {
        let height = 0.16 * (step + 1) as f32;
        solid(Vec3::new(3.0, height, 0.34), Transform::from_xyz(0.0, 0.5 * height, 3.0 + 0.34 * step as f32));
    }
    solid(Vec3::new(3.0, 1.12, 3.0), Transform::from_xyz(0.0, 0.56, 6.7));
    let slope = Quat::from_rotation_x(0.22);
    solid(Vec3::new(3.0, 0.4, 6.0), Transform::from_xyz(0.0, 0.275, 11.0).with_rotation(slope));

    let capsule = (RigidBody::Kinematic, Collider::capsule(0.3, 2.0 * HALF_HEIGHT_M - 0.6), TransformInterpolation);
    let body = MotionBody { origin_height_m: HALF_HEIGHT_M, ..MotionBody::default() };
    let hero = commands
        .spawn((common::person(&assets, Vec3::new(0.0, HALF_HEIGHT_M, 1.2)), capsule, body, GroundProbe::World))
        .id();
    commands.entity(hero).entry::<MotionCharacter>().and_modify(|mut c| c.root = RootDriver::Body);
}

/// Simple character controller: it accelerates, faces its direction of travel, and keeps its height above the ground.
fn drive(
    rays: SpatialQuery,
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, (With<Camera3d>, Without<MotionBody>)>,
    mut hero: Single<(Entity, &mut Transform, &mut MotionBody, &mut MotionInput)>,
    time: Res<Time>,
) {
    let (entity, at, body, input) = &mut *hero;
    let dt_s = time.delta_secs();
    let pushed = common::stick(&keys, &pads);
    let yaw = if common::flag("--picture") { 0.0 } else { camera_yaw_rad(&camera) };
    let wish = Quat::from_rotation_y(yaw) * Vec3::new(-pushed.x, 0.0, pushed.y) * 1.5;
    body.velocity = body.velocity.lerp(wish, 1.0 - (-5.0 * dt_s).exp());
    at.translation += body.velocity * dt_s;
    if body.velocity.length() > 0.3 {
        let facing = Quat::from_rotation_y(body.velocity.x.atan2(body.velocity.z));
        at.rotation = at.rotation.slerp(facing, 1.0 - (-8.0 * dt_s).exp());
    }
    let others = SpatialQueryFilter::default().with_excluded_entities([*entity]);
    if let Some(hit) = rays.cast_ray(at.translation, Dir3::NEG_Y, 3.0, true, &others) {
        let floor = at.translation.y - hit.distance + HALF_HEIGHT_M;
        at.translation.y += (floor - at.translation.y) * (1.0 - (-12.0 * dt_s).exp());
    }
    **input = MotionInput::velocity(wish);
}
