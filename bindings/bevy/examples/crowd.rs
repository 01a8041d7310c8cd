//! Five hundred characters that share a database, within a budget of searches. `--bench` prints the cost of matching per frame.
//! `cargo run --release -p bevy_footwork --features examples --example crowd`

mod common;

use bevy::app::{ScheduleRunnerPlugin, TaskPoolThreadAssignmentPolicy};
use bevy::prelude::*;
use bevy_footwork::prelude::*;
use std::time::{Duration, Instant};

/// Returns the number of characters. Pictures have fewer, because the processor draws them.
fn characters() -> u32 {
    if common::flag("--picture") { 150 } else { 500 }
}

fn main() {
    let mut app = App::new();
    if common::flag("--bench") {
        let threads = common::argument("--threads").and_then(|n| n.parse().ok()).unwrap_or(1);
        let compute = TaskPoolThreadAssignmentPolicy {
            min_threads: threads,
            max_threads: threads,
            percent: 1.0,
            on_thread_spawn: None,
            on_thread_destroy: None,
        };
        let pools = TaskPoolPlugin { task_pool_options: TaskPoolOptions { compute, ..default() } };
        app.add_plugins((
            MinimalPlugins.set(pools).set(ScheduleRunnerPlugin::run_loop(Duration::ZERO)),
            AssetPlugin::default(),
        ));
        app.add_plugins(TransformPlugin)
            .insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(Duration::from_micros(16_667)));
        app.add_systems(PostUpdate, (begin.before(MotionSystems::Predict), end.after(MotionSystems::WriteBack)));
        app.init_resource::<Clock>();
    } else {
        app.add_plugins((DefaultPlugins, common::Stage));
        app.insert_resource(common::View { distance_m: 13.0, height_m: 6.0, yaw_rad: 0.6, left_m: 0.0, chest_m: 0.9 });
    }
    app.add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .insert_resource(MotionBudget { searches_per_frame: Some(60), ..MotionBudget::default() })
        .add_systems(Startup, spawn)
        .add_systems(Update, wander)
        .run();
}

fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
    for i in 0..characters() {
        // Arranged like the seeds of a sunflower: evenly, without rows.
        let (angle, radius) = (2.399_963 * i as f32, 1.1 * (i as f32 + 0.5).sqrt());
        let at = Transform::from_xyz(radius * angle.cos(), 0.0, radius * angle.sin());
        let hero = commands.spawn((MotionCharacter::new(assets.load(common::CLIPS)), at)).id();
        if !common::flag("--bench") {
            let model = WorldAssetRoot(assets.load(common::MANNEQUIN));
            commands.entity(hero).insert((model, common::Followed));
        }
    }
}

/// Changes the direction of each character every few seconds. Each has its own speed.
fn wander(mut heroes: Query<(Entity, &mut MotionInput)>, time: Res<Time>) {
    for (entity, mut input) in &mut heroes {
        let me = entity.index_u32() as f32;
        let leg = (0.25 * time.elapsed_secs() + 0.61 * me).floor();
        let angle = 2.4 * leg + 1.7 * me;
        let speed = [0.0, 1.3, 1.6, 3.0][((leg + me) % 4.0) as usize];
        *input = MotionInput::velocity(Vec3::new(angle.sin(), 0.0, angle.cos()) * speed);
    }
}

#[derive(Resource, Default)]
struct Clock(Option<Instant>, Vec<f64>);

fn begin(mut clock: ResMut<Clock>) {
    clock.0 = Some(Instant::now());
}

fn end(mut clock: ResMut<Clock>, moving: Query<&MotionState>, mut exit: MessageWriter<AppExit>) {
    let Some(start) = clock.0.filter(|_| moving.iter().len() == characters() as usize) else { return };
    clock.1.push(1e3 * start.elapsed().as_secs_f64());
    if clock.1.len() == 660 {
        let frames = &mut clock.1[60..];
        frames.sort_by(f64::total_cmp);
        let (median, slow) = (frames[300], frames[594]);
        println!("{} characters: {median:.2} ms per frame (median), {slow:.2} ms (99 %)", characters());
        exit.write(AppExit::Success);
    }
}
