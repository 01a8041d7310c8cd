//! Rollback: every frame goes back eight frames and repeats them, as netcode does when inputs arrive late. The repeated states
//! must be equal bit for bit: differences are counted and printed.
//! `cargo run --release -p bevy_footwork --features examples --example rollback`

mod common;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_footwork::prelude::*;
use std::collections::VecDeque;
use std::time::Duration;

const BACK: usize = 8;

/// Schedule that moves characters by one step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Step;

/// State before each of the last frames, and its input.
#[derive(Resource, Default)]
struct Past(VecDeque<(MotionState, Transform, MotionInput)>);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, common::Stage))
        .add_plugins((FootworkPlugin::default().in_schedule(Step), BuiltInPersonPlugin))
        .init_schedule(Step)
        .init_resource::<Past>()
        .add_systems(Startup, |mut commands: Commands, assets: Res<AssetServer>| {
            commands.spawn(common::person(&assets, Vec3::ZERO));
        })
        .add_systems(Update, advance)
        .run();
}

fn advance(world: &mut World, mut rounds: Local<u32>, mut differences: Local<u32>) {
    let time = *world.resource::<Time>();
    let turn = Quat::from_rotation_y((time.elapsed_secs() / 2.0).floor() * 1.3);
    let mut step = Time::<()>::default();
    step.advance_by(Duration::from_micros(16_667));
    world.insert_resource(step);
    let hero = world.query_filtered::<Entity, With<MotionCharacter>>().single(world).expect("one character");
    if let Some(state) = world.get::<MotionState>(hero).cloned() {
        // Current state and input.
        let at = *world.get::<Transform>(hero).expect("a transform");
        world.resource_mut::<Past>().0.push_back((state, at, MotionInput::velocity(turn * Vec3::Z * 1.5)));
        let past: Vec<_> = world.resource::<Past>().0.iter().cloned().collect();
        // Go back, and repeat all inputs.
        world.entity_mut(hero).insert((past[0].0.clone(), past[0].1));
        for (state, _, input) in &past {
            *differences += u32::from(world.get::<MotionState>(hero).is_some_and(|s| s.0 != state.0));
            world.entity_mut(hero).insert(input.clone());
            world.run_schedule(Step);
        }
        if past.len() > BACK {
            world.resource_mut::<Past>().0.pop_front();
        }
        *rounds += 1;
        if rounds.is_multiple_of(120) {
            println!("went back {BACK} frames {} times: {} states differ", *rounds, *differences);
        }
    } else {
        world.run_schedule(Step);
    }
    world.insert_resource(time);
}
