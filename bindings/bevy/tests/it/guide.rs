//! Code of the guide's page on actions (`docs/guide/actions.md`), which is compiled here.

use bevy::ecs::schedule::common_conditions::run_once;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_footwork::MotionOutput;
use bevy_footwork::prelude::*;
use std::time::Duration;

/// Requests a vault over a wall of 1 m, 3 m ahead.
fn vault(mut commands: Commands, hero: Single<Entity, With<MotionCharacter>>) {
    // The wrists: on the front edge, 3 cm above it.
    let action = MotionAction::new("vault", Vec3::new(0.0, 1.03, 3.05), Vec3::Z);
    commands.entity(*hero).insert(MotionAction { go: true, ..action });
}

/// Prints what becomes of requests.
fn tell(e: On<MotionActionEvent>) {
    match &e.step {
        MotionActionStep::Refused { reason, .. } => warn!("request {}: {reason}", e.id),
        step => info!("{:.2} s, request {}: {step:?}", e.time_s, e.id),
    }
}

/// Spawns a character that vaults, climbs, jumps and steps over obstacles.
fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
    let clips = assets.load("embedded://footwork/actions.fwdb");
    let model = WorldAssetRoot(assets.load("embedded://footwork/person.glb#Scene0"));
    let probes = (GroundProbe::World, WallProbe::World, ActionProbe::taking(2.5));
    commands.spawn((MotionCharacter::new(clips), model, probes));
}

/// Spawns a pillar, and lets characters go round each other.
fn keep_apart(mut commands: Commands, characters: Query<Entity, With<MotionCharacter>>) {
    commands.spawn((MotionObstacle::circle(0.3, 3.0), Transform::from_xyz(1.0, 0.0, 2.0)));
    for character in &characters {
        commands.entity(character).insert(MotionObstacle::default());
    }
}

#[test]
fn the_code_of_the_guide_is_compiled_and_runs_with_files_that_are_built_in() {
    let page = include_str!("../../../../docs/guide/actions.md");
    let section = page.split("## 8. Take actions in Bevy").nth(1).and_then(|s| s.split("\n## ").next()).unwrap();
    let blocks: Vec<&str> = section.split("\n```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let code = block.strip_prefix("text\n").unwrap();
        assert!(include_str!("guide.rs").contains(code), "the guide shows code that is not compiled:\n{code}");
    }
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AssetPlugin::default(), TransformPlugin));
    app.init_asset::<WorldAsset>();
    app.add_plugins((FootworkPlugin::default(), BuiltInActionsPlugin));
    app.add_systems(Startup, spawn).add_observer(tell);
    app.finish();
    app.cleanup();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
    let mut characters = app.world_mut().query_filtered::<Entity, With<MotionOutput>>();
    while characters.iter(app.world()).count() == 0 {
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    app.add_systems(Update, vault.run_if(run_once));
    app.world_mut().run_system_cached(keep_apart).unwrap();
    let mut met = false;
    for _ in 0..600 {
        app.update();
        met |= app.world_mut().query::<&RootMotion>().iter(app.world()).any(|m| m.by_action);
    }
    assert!(met, "the vault is taken");
}
