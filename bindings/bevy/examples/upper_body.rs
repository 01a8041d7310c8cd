//! Legs by motion matching, an arm by Bevy's `AnimationPlayer`: the character waves while it walks.
//! `cargo run --release -p bevy_footwork --features examples --example upper_body`

mod common;

use bevy::animation::{AnimatedBy, AnimationTargetId, animated_field};
use bevy::prelude::*;
use bevy_footwork::prelude::*;
use std::f32::consts::PI;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .add_systems(Startup, spawn)
        .add_systems(Update, (steer, wave))
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>, mut view: ResMut<common::View>) {
    view.yaw_rad = PI - 0.5;
    commands.spawn((common::person(&assets, Vec3::ZERO), MotionMask::without(["right_up_arm"])));
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    let mut stick = MotionInput::stick(common::stick(&keys, &pads), &camera, false);
    if common::flag("--picture") {
        stick = MotionInput::velocity(Vec3::new(0.0, 0.0, 1.4));
    }
    **hero = stick;
}

/// Once the model is there: a clip of two joints, as an artist would have made it.
fn wave(
    mut commands: Commands,
    models: Query<(Entity, &MotionModel), Added<MotionModel>>,
    mut clips: ResMut<Assets<AnimationClip>>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
) {
    for (entity, model) in &models {
        let mut clip = AnimationClip::default();
        let mut player = AnimationPlayer::default();
        let raised = Quat::from_rotation_z(-1.1);
        let tilted = |angle: f32| Quat::from_rotation_z(angle - 1.2);
        let joints = [("RightArm", [raised; 3]), ("RightForeArm", [tilted(-0.5), tilted(0.5), tilted(-0.5)])];
        for (name, keys) in joints {
            let Some(joint) = model.skeleton.find(name) else { continue };
            let target = AnimationTargetId::from_name(&Name::new(name));
            let curve = AnimatableKeyframeCurve::new([0.0, 0.4, 0.8].into_iter().zip(keys)).expect("three keys");
            clip.add_curve_to_target(target, AnimatableCurve::new(animated_field!(Transform::rotation), curve));
            commands.entity(model.entities[joint.at()]).insert((target, AnimatedBy(entity)));
        }
        let (graph, node) = AnimationGraph::from_clip(clips.add(clip));
        player.play(node).repeat();
        commands.entity(entity).insert((player, AnimationGraphHandle(graphs.add(graph))));
    }
}
