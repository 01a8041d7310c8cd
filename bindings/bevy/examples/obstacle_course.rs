//! A course without mark-up: rays of Avian find walls, bars, steps, boxes and gaps, and the character vaults, climbs and jumps.
//! `cargo run --release -p bevy_footwork --features examples --example obstacle_course -- --seed 5`

mod common;
#[path = "common/course.rs"]
mod course;

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy_footwork::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage, PhysicsPlugins::default()))
        .add_plugins((FootworkPlugin::in_world(AvianWorld), BuiltInActionsPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, turn_at_the_end)
        .add_observer(|e: On<MotionActionEvent>| info!("{:.2} s, request {}: {:?}", e.time_s, e.id, e.step))
        .run();
}

/// Length of the course, in metres.
#[derive(Resource)]
struct Length(f32);

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut view: ResMut<common::View>,
) {
    *view = common::View { distance_m: 6.0, height_m: 1.6, yaw_rad: -1.1, left_m: 0.0, chest_m: 0.8 };
    let seed = common::argument("--seed").and_then(|seed| seed.parse().ok()).unwrap_or(5);
    let (pieces, length_m) = course::course(seed);
    let ground = [Vec3::new(200.0, 1.0, 200.0), Vec3::Y * -0.501];
    for [size, middle] in pieces.into_iter().chain([ground]) {
        let at = Transform::from_translation(middle);
        let block = common::block(&mut commands, &mut meshes, &mut materials, size, at);
        commands.entity(block).insert((RigidBody::Static, Collider::cuboid(size.x, size.y, size.z)));
    }
    commands.insert_resource(Length(length_m));
    let model = WorldAssetRoot(assets.load(common::MANNEQUIN));
    let clips = assets.load("embedded://footwork/actions.fwdb");
    let probes = (GroundProbe::World, WallProbe::World, ActionProbe::taking(2.5));
    commands.spawn((MotionCharacter::new(clips), model, common::Followed, probes));
}

/// The character goes along the middle of the course, and back again.
fn turn_at_the_end(mut hero: Single<(&Transform, &mut MotionInput)>, length: Res<Length>, mut back: Local<bool>) {
    let (at, input) = &mut *hero;
    let z = at.translation.z;
    *back = if *back { z > -3.0 } else { z > length.0 };
    let along = if *back { -2.0 } else { 2.0 };
    **input = MotionInput::velocity(Vec3::new(-0.5 * at.translation.x, 0.0, along));
}
