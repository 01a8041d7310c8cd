//! Characters are added, removed, changed and moved. With broken files they remain at rest.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_asset::{AssetLoadFailedEvent, AssetServer, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use bevy_footwork::{MotionKind, MotionOutput};
use bevy_math::{Quat, Vec3};
use bevy_transform::prelude::*;
use std::sync::{Arc, Mutex};

#[test]
fn the_sets_run_in_order_after_animation_and_before_propagation() {
    #[derive(Resource, Default)]
    struct Order(Vec<&'static str>);
    let mut app = at_60_hz();
    app.init_resource::<Order>();
    let note = |name: &'static str| move |mut order: ResMut<Order>| order.0.push(name);
    app.add_systems(PostUpdate, note("animation").in_set(bevy_app::AnimationSystems));
    app.add_systems(PostUpdate, note("predict").in_set(MotionSystems::Predict));
    app.add_systems(PostUpdate, note("match").in_set(MotionSystems::Match));
    app.add_systems(PostUpdate, note("pose").in_set(MotionSystems::Pose));
    app.add_systems(PostUpdate, note("adjust").in_set(MotionSystems::Adjust));
    app.add_systems(PostUpdate, note("write back").in_set(MotionSystems::WriteBack));
    app.add_systems(PostUpdate, note("propagate").in_set(bevy_transform::TransformSystems::Propagate));
    app.update();
    let order = &app.world().resource::<Order>().0;
    assert_eq!(*order, ["animation", "predict", "match", "pose", "adjust", "write back", "propagate"]);
}

#[test]
fn a_character_goes_where_its_input_says_and_its_transform_follows() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 1.5));
    for _ in 0..240 {
        app.update();
    }
    assert!((4.0..7.0).contains(&place(&app, e).z), "{}", place(&app, e));
    let root = output(&app, e).pose.world_from_root().translation;
    assert_eq!(root.to_array(), place(&app, e).to_array());
}

#[test]
fn a_transform_that_the_game_changes_puts_the_character_there() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 1.5));
    for _ in 0..60 {
        app.update();
    }
    let there = Vec3::new(50.0, 3.0, -20.0);
    let mut at = app.world_mut().get_mut::<Transform>(e).unwrap();
    (at.translation, at.rotation) = (there, Quat::from_rotation_y(1.0));
    app.update();
    assert!((place(&app, e) - there).length() < 0.1, "{}", place(&app, e));
}

#[test]
fn displacement_is_what_moves_a_body_of_the_game() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 1.5));
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().root = RootDriver::Displacement;
    fn physics(mut bodies: Query<(&mut RootMotion, &mut Transform)>) {
        for (mut motion, mut at) in &mut bodies {
            let (moved, turned) = motion.take();
            let step = at.rotation * moved;
            // A wall limits the movement.
            at.translation = (at.translation + step).min(Vec3::new(9.0, 9.0, 3.0));
            at.rotation = (at.rotation * turned).normalize();
        }
    }
    app.add_systems(Update, physics);
    for _ in 0..120 {
        app.update();
    }
    assert!((2.0..2.9).contains(&place(&app, e).z), "{}", place(&app, e));
    for _ in 0..240 {
        app.update();
    }
    let root = output(&app, e).pose.world_from_root().translation;
    assert!((place(&app, e).z - 3.0).abs() < 1e-3 && (root.z - 3.0).abs() < 0.1, "{root}");
}

#[test]
fn a_body_that_physics_moves_is_followed() {
    let mut app = at_60_hz();
    let body = MotionBody { velocity: Vec3::Z * 1.5, origin_height_m: 0.9, ..MotionBody::default() };
    let clips = add_clips(&mut app, clips());
    let character = MotionCharacter { root: RootDriver::Body, ..MotionCharacter::new(clips) };
    let e = app.world_mut().spawn((character, body, Transform::from_xyz(0.0, 0.9, 0.0), walk(0.0, 1.5))).id();
    until_ready(&mut app, e);
    for _ in 0..240 {
        app.world_mut().get_mut::<Transform>(e).unwrap().translation.z += 1.5 / 60.0;
        app.update();
    }
    let root = output(&app, e).pose.world_from_root().translation;
    assert!((root.z - place(&app, e).z).abs() < 0.35 && root.y.abs() < 0.05, "{root} and {}", place(&app, e));
}

#[test]
fn on_a_slope_the_character_rises_and_its_feet_stand_on_it() {
    let mut app = at_60_hz();
    let slope = |at: Vec3| GroundPoint {
        height_m: 0.2 * at.z.max(0.0),
        normal: Vec3::new(0.0, 1.0, if at.z > 0.0 { -0.2 } else { 0.0 }).normalize(),
        ..GroundPoint::default()
    };
    let e = spawn(&mut app, (walk(0.0, 1.4), GroundProbe::new(slope)));
    let joints = spawn_model(&mut app, e, &clips().skeleton, &Look::default());
    for _ in 0..300 {
        app.update();
    }
    let at = place(&app, e);
    assert!(at.z > 3.0 && (at.y - 0.2 * at.z).abs() < 0.05, "{at}");
    let db = clips();
    let toe_m = db.skeleton.rest_model()[db.skeleton.find("LeftToe").unwrap().at()].translation.y;
    for _ in 0..60 {
        app.update();
        for contact in output(&app, e).contacts.iter().filter(|c| c.touching) {
            let toe = global(&app, joints[contact.joint.at()]).translation();
            let above = toe.y - 0.2 * toe.z - toe_m;
            assert!(above.abs() < 0.06, "a planted toe is {above} m off the slope");
        }
    }
    // A moved entity moves its character.
    app.world_mut().get_mut::<Transform>(e).unwrap().translation = Vec3::new(3.0, 0.4, 2.0);
    app.update();
    assert!((place(&app, e) - Vec3::new(3.0, 0.4, 2.0)).length() < 0.1, "{}", place(&app, e));
}

#[test]
fn a_changed_database_goes_on_from_the_pose_that_is_shown() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 3.0));
    for _ in 0..120 {
        app.update();
    }
    let before = character(&app, e);
    let handle: Handle<MotionDatabase> = app.world().get::<MotionCharacter>(e).unwrap().database.clone().unwrap();
    let pack: Vec<_> = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() })
        .into_iter()
        .filter(|c| footwork_gait::PACK_19.contains(&&*c.name))
        .collect();
    let (db, _) = footwork::build::build(&pack, &Default::default(), &Default::default()).unwrap();
    app.world_mut().resource_mut::<Assets<MotionDatabase>>().insert(handle.id(), MotionDatabase(Arc::new(db))).unwrap();
    let (mut last, mut changed, mut worst) = (output(&app, e).pose.clone(), false, 0.0f32);
    for _ in 0..2000 {
        app.update();
        let pose = &output(&app, e).pose;
        for j in 1..pose.len() {
            worst = worst.max(pose.rotations[j].angle_between(last.rotations[j]));
        }
        last = pose.clone();
        changed |= !Arc::ptr_eq(&before, &character(&app, e));
        if !changed {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    assert!(changed, "the new database was not taken");
    assert!(place(&app, e).z > 10.0, "the character stopped at {}", place(&app, e));
    // A run rotates no joint by more than 25 degrees in 1/60 s, and neither does the change.
    assert!(worst < 0.45, "a joint turned by {worst} rad in a frame");
}

#[test]
fn characters_that_go_and_come_back_and_disabled_ones_do_not_disturb_the_others() {
    let mut app = at_60_hz();
    let a = spawn(&mut app, walk(0.0, 1.5));
    let b = spawn(&mut app, walk(1.5, 0.0));
    for _ in 0..30 {
        app.update();
    }
    app.world_mut().entity_mut(a).despawn();
    app.world_mut().entity_mut(b).insert(bevy_ecs::entity_disabling::Disabled);
    let was = place(&app, b);
    for _ in 0..30 {
        app.update();
    }
    assert_eq!(place(&app, b), was);
    app.world_mut().entity_mut(b).remove::<bevy_ecs::entity_disabling::Disabled>();
    let c = spawn(&mut app, walk(0.0, 1.5));
    for _ in 0..120 {
        app.update();
    }
    assert!(place(&app, b).x > was.x + 1.0 && place(&app, c).z > 1.0);
}

#[test]
fn two_databases_play_side_by_side() {
    let mut app = at_60_hz();
    let a = spawn(&mut app, walk(0.0, 1.5));
    let b = spawn(&mut app, walk(0.0, 1.5));
    assert!(!Arc::ptr_eq(&character(&app, a), &character(&app, b)), "one kind per asset");
    let shared = app.world().get::<MotionCharacter>(a).unwrap().clone();
    let c = app.world_mut().spawn((shared, walk(0.0, 1.5))).id();
    app.update();
    assert!(Arc::ptr_eq(&character(&app, a), &character(&app, c)), "one kind for one asset");
    app.world_mut().insert_resource(MotionBudget { searches_per_frame: Some(1), ..MotionBudget::default() });
    for _ in 0..240 {
        app.update();
        let searches: u32 = [a, b, c].iter().map(|e| output(&app, *e).searches).sum();
        assert!(searches <= 4, "{searches}");
    }
    for e in [a, b, c] {
        assert!(place(&app, e).z > 3.0, "{}", place(&app, e));
    }
}

#[test]
fn a_copied_state_put_back_gives_the_same_bits() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 1.5));
    for _ in 0..100 {
        app.update();
    }
    let saved = (app.world().get::<MotionState>(e).unwrap().clone(), *app.world().get::<Transform>(e).unwrap());
    let run = |app: &mut App| {
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(-2.0, -2.0);
        let one = |app: &mut App| {
            app.update();
            output(app, e).pose.clone()
        };
        (0..90).map(|_| one(app)).collect::<Vec<_>>()
    };
    let first = run(&mut app);
    *app.world_mut().get_mut::<MotionState>(e).unwrap() = saved.0;
    *app.world_mut().get_mut::<Transform>(e).unwrap() = saved.1;
    assert!(first == run(&mut app), "the second run differs");
}

#[test]
fn settings_come_from_the_matcher_table_of_a_character_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hero.toml"), "[source]\nclips = []\n[matcher.search]\ninterval_s = 0.2\n")
        .unwrap();
    std::fs::write(folder.path().join("typo.toml"), "[matcher.search]\ninterval = 0.2\n").unwrap();
    let mut app = app_in(folder.path());
    let failures = failures::<MotionConfig>(&mut app);
    let (hero, typo): (Handle<MotionConfig>, Handle<MotionConfig>) = {
        let assets = app.world().resource::<AssetServer>();
        (assets.load("hero.toml"), assets.load("typo.toml"))
    };
    wait(&mut app, |app| {
        app.world().resource::<Assets<MotionConfig>>().get(&hero).is_some() && !failures.lock().unwrap().is_empty()
    });
    assert_eq!(app.world().resource::<Assets<MotionConfig>>().get(&hero).unwrap().0.search.interval_s, 0.2);
    let messages = failures.lock().unwrap();
    assert!(messages[0].contains("typo.toml") && messages[0].contains("interval_s"), "{messages:?}");
    drop(typo);
}

#[test]
fn a_missing_a_broken_and_a_newer_database_are_errors_with_their_path_and_the_model_rests() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = clips().to_bytes().unwrap();
    std::fs::write(folder.path().join("broken.fwdb"), &bytes[..bytes.len() / 2]).unwrap();
    let key = bytes.windows(14).position(|w| w == b"format_version").unwrap();
    let digit = key + bytes[key..].iter().position(u8::is_ascii_digit).unwrap();
    let mut newer = bytes.clone();
    newer[digit] = b'9';
    std::fs::write(folder.path().join("newer.fwdb"), newer).unwrap();

    let mut app = app_in(folder.path());
    let failures = failures::<MotionDatabase>(&mut app);
    let mut joints = Vec::new();
    for name in ["missing.fwdb", "broken.fwdb", "newer.fwdb"] {
        let handle = app.world().resource::<AssetServer>().load(name);
        let e = app.world_mut().spawn(MotionCharacter::new(handle)).id();
        joints.extend(spawn_model(&mut app, e, &clips().skeleton, &Look::default()));
    }
    let rest: Vec<Transform> = joints.iter().map(|j| *app.world().get::<Transform>(*j).unwrap()).collect();
    wait(&mut app, |_| failures.lock().unwrap().len() == 3);
    for _ in 0..10 {
        app.update();
    }
    let messages = failures.lock().unwrap();
    for name in ["missing.fwdb", "broken.fwdb", "newer.fwdb"] {
        assert!(messages.iter().any(|m| m.contains(name)), "{name}: {messages:?}");
    }
    assert!(messages.iter().any(|m| m.contains("newer") && m.contains("version")), "{messages:?}");
    for (joint, rest) in joints.iter().zip(&rest) {
        assert_eq!(app.world().get::<Transform>(*joint).unwrap(), rest);
    }
}

#[test]
fn an_input_that_is_no_number_or_names_no_tag_holds_the_pose_until_it_is_mended() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, walk(0.0, 1.5));
    for wrong in [walk(f32::NAN, 0.0), MotionInput { tags: "walk & !wlak".into(), ..walk(0.0, 1.5) }] {
        for _ in 0..60 {
            app.update();
        }
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = wrong;
        app.update();
        let was = place(&app, e);
        for _ in 0..30 {
            app.update();
        }
        assert!((place(&app, e) - was).length() < 1.0 && place(&app, e).is_finite());
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(0.0, 1.5);
    }
    let was = place(&app, e);
    for _ in 0..120 {
        app.update();
    }
    assert!(place(&app, e).z > was.z + 1.0, "the character went on");
}

#[test]
fn strafing_goes_sideways_and_faces_where_the_camera_looks() {
    let mut app = at_60_hz();
    let stick = Stick { movement: bevy_math::Vec2::new(-1.0, 0.0), strafe: true, ..Stick::default() };
    let e = spawn(&mut app, MotionInput { goal: MotionGoal::Stick(stick), ..MotionInput::default() });
    for _ in 0..180 {
        app.update();
    }
    let at = app.world().get::<Transform>(e).unwrap();
    let facing = at.rotation * Vec3::Z;
    assert!(at.translation.x > 1.5 && facing.z > 0.8, "at {}, facing {facing}", at.translation);
}

#[test]
fn a_character_looks_where_it_is_told_also_at_entities() {
    let mut app = at_60_hz();
    let friend = app.world_mut().spawn(Transform::from_xyz(3.0, 1.6, 0.5)).id();
    let e = spawn(&mut app, LookAt(Target::Entity(friend)));
    for _ in 0..120 {
        app.update();
    }
    let kind = app.world().get::<MotionKind>(e).unwrap();
    let head = kind.character.skeleton().find("Head").unwrap();
    let output = &app.world().get::<MotionOutput>(e).unwrap().0;
    let ahead = output.pose.in_root(kind.character.skeleton(), head).rotation.forward();
    assert!(ahead.x > 0.5, "{ahead}");
}

pub fn app_in(folder: &std::path::Path) -> App {
    let mut app = App::new();
    let file_path = folder.to_str().unwrap().to_owned();
    app.add_plugins((TaskPoolPlugin::default(), bevy_asset::AssetPlugin { file_path, ..Default::default() }));
    app.add_plugins((bevy_time::TimePlugin, bevy_transform::TransformPlugin, FootworkPlugin::default()));
    app.finish();
    app.cleanup();
    app
}

/// Collects messages of failed loads.
pub fn failures<A: bevy_asset::Asset>(app: &mut App) -> Arc<Mutex<Vec<String>>> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let hear = move |mut failures: MessageReader<AssetLoadFailedEvent<A>>| {
        ears.lock().unwrap().extend(failures.read().map(|f| format!("{}: {}", f.path, f.error)));
    };
    app.add_systems(Update, hear);
    heard
}

fn wait(app: &mut App, until: impl Fn(&App) -> bool) {
    for _ in 0..5000 {
        app.update();
        if until(app) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("nothing happened");
}
