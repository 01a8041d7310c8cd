//! The panels over a game without a screen: their content, their changes to the game, and keyboard input.

use crate::common::{clips, until};
use bevy::camera::RenderTarget;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::MouseButtonInput;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::settings::{RenderCreation, WgpuSettings};
use bevy::time::TimeUpdateStrategy;
use bevy::window::PrimaryWindow;
use bevy::winit::WinitPlugin;
use bevy_egui::EguiRenderOutput;
use bevy_footwork::prelude::*;
use bevy_footwork::{MotionInspection, MotionKind, MotionOutput};
use serde_json::json;
use std::time::Duration;

/// Returns a game with a hidden window, whose frames last 1/60 s.
fn game(panels: MotionPanels) -> App {
    let mut app = App::new();
    let nothing = RenderCreation::from(WgpuSettings { backends: None, ..default() });
    let render = RenderPlugin { render_creation: nothing, ..default() };
    app.add_plugins(DefaultPlugins.set(render).disable::<WinitPlugin>().disable::<LogPlugin>());
    app.add_plugins((FootworkPlugin::default(), MotionPanelsPlugin)).insert_resource(panels);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
    app.finish();
    app.cleanup();
    app.world_mut().spawn((Camera3d::default(), RenderTarget::default()));
    app.update();
    app
}

/// Adds a walking character.
fn hero(app: &mut App, more: impl Bundle) -> Entity {
    let clips = app.world_mut().resource_mut::<Assets<MotionDatabase>>().add(MotionDatabase(clips()));
    let walks = MotionInput::velocity(Vec3::new(0.4, 0.0, 1.5));
    let hero = app.world_mut().spawn((MotionCharacter::new(clips), walks, more)).id();
    until(app, |app| app.world().get::<MotionOutput>(hero).is_some());
    (0..90).for_each(|_| app.update());
    hero
}

fn key(app: &mut App, code: KeyCode, logical: Key, state: ButtonState) {
    let window = app.world_mut().query_filtered::<Entity, With<PrimaryWindow>>().single(app.world()).unwrap();
    let press = KeyboardInput { key_code: code, logical_key: logical, state, text: None, repeat: false, window };
    app.world_mut().write_message(press);
}

/// Presses and releases a key.
fn tap(app: &mut App, code: KeyCode, logical: Key) {
    key(app, code, logical.clone(), ButtonState::Pressed);
    app.update();
    key(app, code, logical, ButtonState::Released);
    app.update();
}

fn inspection(app: &mut App) -> Mut<'_, MotionInspection> {
    app.world_mut().resource_mut::<MotionInspection>()
}

fn until_shown(app: &mut App) {
    for _ in 0..10_000 {
        app.update();
        let session = inspection(app).studio().map(|s| s.session.following().map(|f| f.waiting));
        if session.flatten() == Some(0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{:?}", inspection(app).message());
}

/// Returns the number of drawn shapes.
fn drawn(app: &mut App) -> usize {
    app.world_mut().query::<&EguiRenderOutput>().iter(app.world()).map(|o| o.paint_jobs.len()).sum()
}

fn walk_key_is_down(app: &App) -> bool {
    app.world().resource::<ButtonInput<KeyCode>>().pressed(KeyCode::KeyW)
}

/// Returns true if poses are equal up to rounding. A paused frame computes the pose again.
fn near(a: &footwork::pose::Pose, b: &footwork::pose::Pose) -> bool {
    let turned = a.rotations.iter().zip(&b.rotations).all(|(a, b)| a.dot(*b).abs() > 1.0 - 1e-6);
    turned && a.translations.iter().zip(&b.translations).all(|(a, b)| a.distance(*b) < 1e-6)
}

#[test]
fn the_panels_open_over_the_current_frame_of_the_recorded_character_and_follow_it() {
    let mut app = game(MotionPanels { pause: true, ..default() });
    let ground = |at: Vec3| GroundPoint { height_m: 2.0 + 0.05 * at.z.sin(), ..GroundPoint::default() };
    let wall = |_: Vec3, to: Vec3| to.min(Vec3::new(2.0, 100.0, 100.0));
    let hero = hero(&mut app, (MotionRecorder::default(), GroundProbe::new(ground), WallProbe::new(wall)));
    assert_eq!(drawn(&mut app), 0);
    tap(&mut app, KeyCode::F3, Key::F3);
    until_shown(&mut app);
    app.update();
    assert!(drawn(&mut app) > 0 && app.world().resource::<Time<Virtual>>().is_paused());
    let pose = |app: &App| app.world().get::<MotionOutput>(hero).unwrap().0.pose.clone();
    let shown = |app: &mut App| inspection(app).studio().unwrap().session.shown().pose().clone();
    assert_eq!(inspection(&mut app).character(), Some(hero));
    assert!(near(&shown(&mut app), &pose(&app)), "another pose is shown");
    let updates = inspection(&mut app).studio().unwrap().session.trace().updates();
    assert!(updates >= 90, "{updates}");
    // The game and the panels continue.
    app.world_mut().resource_mut::<MotionPanels>().pause = false;
    (0..60).for_each(|_| app.update());
    app.world_mut().resource_mut::<MotionPanels>().pause = true;
    (0..30).for_each(|_| app.update());
    assert!(near(&shown(&mut app), &pose(&app)) && inspection(&mut app).follows(), "the panels do not follow");
    let later = inspection(&mut app).studio().unwrap().session.trace().updates();
    assert!((updates + 58..=updates + 61).contains(&later), "{updates} and {later}");
    // The reviewed update remains shown until the game is followed again.
    inspection(&mut app).studio().unwrap().session.scrub(10);
    app.world_mut().resource_mut::<MotionPanels>().pause = false;
    (0..60).for_each(|_| app.update());
    assert!(!inspection(&mut app).follows());
    assert_eq!(inspection(&mut app).studio().unwrap().session.shown_update(), Some(10));
    app.world_mut().resource_mut::<MotionPanels>().pause = true;
    inspection(&mut app).follow();
    (0..2).for_each(|_| app.update());
    assert!(near(&shown(&mut app), &pose(&app)));
    // A character that is driven in the panels can be replaced by the game's, too.
    inspection(&mut app).studio().unwrap().session.go_on_from_here();
    (0..10).for_each(|_| app.update());
    assert!(inspection(&mut app).studio().unwrap().session.is_live());
    inspection(&mut app).follow();
    until_shown(&mut app);
    assert!(near(&shown(&mut app), &pose(&app)));
    tap(&mut app, KeyCode::F3, Key::F3);
    app.update();
    assert!(drawn(&mut app) == 0 && !app.world().resource::<Time<Virtual>>().is_paused());
}

#[test]
fn keys_and_mouse_are_those_of_the_panels_while_they_are_open() {
    let mut app = game(MotionPanels::default());
    hero(&mut app, MotionRecorder::default());
    let w = || Key::Character("w".into());
    key(&mut app, KeyCode::KeyW, w(), ButtonState::Pressed);
    app.update();
    assert!(walk_key_is_down(&app));
    key(&mut app, KeyCode::F3, Key::F3, ButtonState::Pressed);
    app.update();
    assert!(app.world().resource::<MotionPanels>().open && !walk_key_is_down(&app));
    key(&mut app, KeyCode::F3, Key::F3, ButtonState::Released);
    let window = app.world_mut().query_filtered::<Entity, With<PrimaryWindow>>().single(app.world()).unwrap();
    app.world_mut().write_message(MouseButtonInput { button: MouseButton::Left, state: ButtonState::Pressed, window });
    key(&mut app, KeyCode::KeyW, w(), ButtonState::Pressed);
    app.update();
    let buttons = app.world().resource::<ButtonInput<MouseButton>>();
    assert!(!walk_key_is_down(&app) && !buttons.pressed(MouseButton::Left) && !buttons.just_pressed(MouseButton::Left));
    assert!(app.world().resource::<Messages<KeyboardInput>>().is_empty());
    // The keys return to the game.
    tap(&mut app, KeyCode::F3, Key::F3);
    assert!(!app.world().resource::<MotionPanels>().open);
    key(&mut app, KeyCode::KeyW, w(), ButtonState::Pressed);
    app.update();
    assert!(walk_key_is_down(&app));
}

#[test]
fn a_weight_is_applied_to_the_running_character_and_saved_with_the_comments_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hero.toml");
    std::fs::write(&file, "# Mine.\n[matcher]\nresponsiveness = 1.5 # quick\n").unwrap();
    let recording = folder.path().join("hero.fwtrace");
    let mut app = game(MotionPanels { settings: file.clone(), recording: recording.clone(), ..default() });
    let hero = hero(&mut app, MotionRecorder::default());
    app.world_mut().resource_mut::<MotionPanels>().open = true;
    until_shown(&mut app);
    let config = |app: &App| app.world().get::<MotionKind>(hero).unwrap().character.config().clone();
    // The panels show the game's settings, not those of the file.
    let in_game = config(&app);
    assert_eq!(*inspection(&mut app).studio().unwrap().session.tuning.matcher(), in_game);
    let label = clips().schema.channels[0].label.clone();
    for weight in [2.0, 3.0] {
        let at = app.world().get::<Transform>(hero).unwrap().translation;
        inspection(&mut app).studio().unwrap().session.set(&["channel_cost", &label], Some(&json!(weight)), false);
        assert_ne!(config(&app).channel_cost.get(&label), Some(&(weight as f32)));
        inspection(&mut app).apply();
        until(&mut app, |app| config(app).channel_cost.get(&label) == Some(&(weight as f32)));
        (0..30).for_each(|_| app.update());
        assert!(app.world().get::<Transform>(hero).unwrap().translation.distance(at) > 0.3, "the character goes on");
    }
    // The recording continues, and contains both settings.
    (0..30).for_each(|_| app.update());
    let trace = inspection(&mut app).studio().unwrap().session.trace();
    assert!(inspection(&mut app).follows() && trace.config().channel_cost.is_empty());
    assert_eq!(trace.config_at(trace.updates() - 1).channel_cost.get(&label), Some(&3.0));
    // Ctrl+S saves, as in the studio.
    key(&mut app, KeyCode::ControlLeft, Key::Control, ButtonState::Pressed);
    app.update();
    tap(&mut app, KeyCode::KeyS, Key::Character("s".into()));
    let text = std::fs::read_to_string(&file).unwrap();
    let read = footwork_import::CharacterConfig::parse(&text, &file).unwrap().matcher;
    assert!(text.contains("# Mine.") && read == config(&app), "{text}");
    assert!(inspection(&mut app).message().is_some_and(|m| m.contains("hero.toml")));
}

#[test]
fn the_marked_character_is_shown_and_what_cannot_be_shown_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hero.toml");
    std::fs::write(&file, "[matcher]\nresponsivness = 1.5\n").unwrap();
    let mut app = game(MotionPanels { open: true, settings: file.clone(), ..default() });
    app.update();
    assert!(inspection(&mut app).message().is_some_and(|m| m.contains("`MotionRecorder`")));
    let first = hero(&mut app, MotionRecorder::default());
    let says =
        |app: &App, what: &str| app.world().resource::<MotionInspection>().message().is_some_and(|m| m.contains(what));
    until(&mut app, |app| says(app, "responsivness") && says(app, "hero.toml"));
    std::fs::remove_file(&file).unwrap();
    inspection(&mut app).follow();
    until_shown(&mut app);
    assert_eq!(inspection(&mut app).character(), Some(first));
    let second = hero(&mut app, (MotionRecorder::default(), MotionInspected));
    until_shown(&mut app);
    assert_eq!(inspection(&mut app).character(), Some(second));
    app.world_mut().entity_mut(second).despawn();
    (0..2).for_each(|_| app.update());
    until_shown(&mut app);
    assert_eq!(inspection(&mut app).character(), Some(first));
    // A character with networks has no searches in a database.
    let networks =
        footwork::learned::Networks::from_bytes(footwork_gait::BIPED_NETWORKS, "biped.fwnet".as_ref()).unwrap();
    let networks = app.world_mut().resource_mut::<Assets<MotionNetworks>>().add(MotionNetworks(networks.into()));
    let mut character = app.world_mut().get_mut::<MotionCharacter>(first).unwrap();
    (character.database, character.networks) = (None, Some(networks));
    until(&mut app, |app| says(app, "networks"));
    assert!(inspection(&mut app).studio().is_none());
}
