//! Characters with a state machine: they receive the game's variables, and report each change once.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use bevy_footwork::{MotionChoice, MotionChooser, MotionFile, MotionKind, MotionLater, MotionOutput, MotionTagCost};
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::input::MontageHandle;
use footwork::machine::{LayerSpec, MachineSpec, MontageSpec, MontageView, NotifySpec, StateSpec};
use footwork::pose::Pose;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Returns the built-in clips with a crouch and gestures.
fn stances() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let options = footwork_gait::GaitOptions {
        routes: false,
        crouch: true,
        gestures: true,
        ..footwork_gait::GaitOptions::default()
    };
    DB.get_or_init(|| {
        let clips = footwork_gait::clips(&options);
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    })
    .clone()
}

/// Returns the built-in machine.
fn built_in() -> MotionMachine {
    MotionMachine::read(footwork_gait::BIPED_MACHINE.as_bytes(), Path::new("biped.machine.toml")).unwrap()
}

/// Observed events with kind and layer, and states left and entered.
#[derive(Resource, Default, Debug, PartialEq)]
struct Heard {
    events: Vec<(String, EventKind, Option<String>, i64)>,
    states: Vec<(String, String)>,
}

fn listen(app: &mut App) {
    app.init_resource::<Heard>();
    app.add_observer(|e: On<MotionClipEvent>, mut heard: ResMut<Heard>| {
        let ms = (e.time_s * 1000.0).round() as i64;
        heard.events.push((e.event.clone(), e.kind, e.layer.clone(), ms));
    });
    app.add_observer(|e: On<MotionStateChanged>, mut heard: ResMut<Heard>| {
        heard.states.push((e.from.clone(), e.to.clone()));
    });
}

fn add_machine(app: &mut App, machine: MotionMachine) -> Handle<MotionMachine> {
    app.world_mut().resource_mut::<Assets<MotionMachine>>().add(machine)
}

/// Adds a character with a machine, and runs its first frame.
fn spawn_machine(app: &mut App, machine: MotionMachine, more: impl Bundle) -> Entity {
    listen(app);
    let (clips, machine) = (add_clips(app, stances()), add_machine(app, machine));
    let character = MotionCharacter { machine: Some(machine), ..MotionCharacter::new(clips) };
    let entity = app.world_mut().spawn((character, more)).id();
    until_ready(app, entity);
    entity
}

fn variables(app: &mut App, entity: Entity) -> Mut<'_, MotionVariables> {
    app.world_mut().get_mut::<MotionVariables>(entity).unwrap()
}

fn state_of(app: &App, entity: Entity) -> String {
    let (kind, state) = (app.world().get::<MotionKind>(entity), app.world().get::<MotionState>(entity));
    kind.unwrap().character.machine_view(&state.unwrap().0).unwrap().state.to_owned()
}

/// Returns the poses of some frames.
fn poses(app: &mut App, entity: Entity, frames: usize) -> Vec<Pose> {
    let one = |_| {
        app.update();
        output(app, entity).pose.clone()
    };
    (0..frames).map(one).collect()
}

/// Crouches and rises.
fn crouch(plugin: impl Plugin, hz: f64) -> Vec<(String, String)> {
    let mut app = app(plugin, hz, 1);
    let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
    let seconds = |s: f64| (s * hz) as usize;
    run(&mut app, seconds(1.0));
    assert_eq!(state_of(&app, e), "upright");
    variables(&mut app, e).set("crouch", 1.0);
    run(&mut app, seconds(2.0));
    assert_eq!(state_of(&app, e), "crouched");
    let head = character(&app, e).skeleton().find("Head").unwrap();
    let height_m = |app: &App| output(app, e).pose.in_root(character(app, e).skeleton(), head).translation.y;
    let low_m = height_m(&app);
    variables(&mut app, e).set("crouch", 0.0);
    run(&mut app, seconds(3.0));
    assert_eq!(state_of(&app, e), "upright");
    assert!(height_m(&app) > low_m + 0.2, "{} m and {low_m} m", height_m(&app));
    app.world_mut().remove_resource::<Heard>().unwrap().states
}

#[test]
fn variables_reach_the_machine_and_each_change_of_state_is_told_once_at_any_frame_rate() {
    let change = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let expected = [
        change("upright", "sinking"),
        change("sinking", "crouched"),
        change("crouched", "rising"),
        change("rising", "upright"),
    ];
    for (plugin, hz) in [
        (FootworkPlugin::default(), 60.0),
        (FootworkPlugin::default(), 5.0),
        (FootworkPlugin::default(), 144.0),
        (FootworkPlugin::default().in_fixed_steps(), 20.0),
    ] {
        assert_eq!(crouch(plugin, hz), expected, "{hz} Hz");
    }
}

#[test]
fn a_state_that_is_passed_through_within_a_frame_is_told() {
    let mut app = app(FootworkPlugin::default(), 5.0, 1);
    let state = |name: &str| StateSpec { name: name.into(), matching: Some(String::new()), ..StateSpec::default() };
    let mut spec = MachineSpec { states: ["a", "b", "c"].map(state).into(), ..MachineSpec::default() };
    spec.variables.insert("go".into(), 0.0);
    for (from, to, when) in [("a", "b", "go"), ("b", "c", "state_s > 0.03"), ("c", "a", "state_s > 0.03 & !go")] {
        let toml = format!("from = \"{from}\"\nto = \"{to}\"\nwhen = \"{when}\"");
        spec.transitions.push(toml::from_str(&toml).unwrap());
    }
    let e = spawn_machine(&mut app, MotionMachine(spec), ());
    variables(&mut app, e).set("go", 1.0);
    app.update();
    let heard = app.world().resource::<Heard>();
    let change = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(heard.states, [change("a", "b"), change("b", "c")]);
}

#[test]
fn a_trigger_starts_a_montage_and_its_window_is_told_once_with_kind_and_layer() {
    for hz in [60.0, 7.0, 144.0] {
        let mut app = app(FootworkPlugin::default(), hz, 1);
        let e = spawn_machine(&mut app, built_in(), ());
        let montages = |app: &App| {
            let state = app.world().get::<MotionState>(e).unwrap();
            let character = character(app, e);
            let view = character.machine_view(&state.0).unwrap();
            view.layers[1].montages.iter().map(|m| m.name.to_owned()).collect::<Vec<_>>()
        };
        assert!(montages(&app).is_empty());
        variables(&mut app, e).fire("reload");
        run(&mut app, (1.0 * hz) as usize);
        assert_eq!(montages(&app), ["reload"], "{hz} Hz");
        run(&mut app, (4.0 * hz) as usize);
        assert!(montages(&app).is_empty(), "{hz} Hz: it plays once");
        let heard = &app.world().resource::<Heard>().events;
        let of = |kind: EventKind| -> Vec<(&str, Option<&str>, i64)> {
            heard.iter().filter(|e| e.1 == kind).map(|e| (&*e.0, e.2.as_deref(), e.3)).collect()
        };
        let (begins, ends) = (of(EventKind::Begin), of(EventKind::End(EndCause::Passed)));
        let window =
            |(name, layer, _): &(&str, Option<&str>, i64)| (*name, *layer) == ("reload_hands_busy", Some("gestures"));
        assert!(begins.len() == 1 && ends.len() == 1, "{hz} Hz: {heard:?}");
        assert!(begins.iter().chain(&ends).all(window), "{heard:?}");
        assert_eq!(ends[0].2 - begins[0].2, 1850, "milliseconds");
        let moments: Vec<&str> =
            of(EventKind::Moment).iter().filter(|e| e.1 == Some("gestures")).map(|e| e.0).collect();
        assert_eq!(moments, ["reload_magazine_out", "reload_magazine_in", "reload_slide"], "{hz} Hz");
        // The trigger is used up: nothing else starts by itself, and firing it again starts it again.
        variables(&mut app, e).fire("reload");
        run(&mut app, (1.0 * hz) as usize);
        assert_eq!(montages(&app), ["reload"], "{hz} Hz: again");
    }
}

/// Has more events in a fifth of a second than an update can report.
#[test]
fn events_that_have_no_room_in_an_update_are_told_in_the_same_frame() {
    const NOTIFIES: usize = 120;
    let run_at = |hz: f64| {
        let mut app = app(FootworkPlugin::default(), hz, 1);
        let state = StateSpec { name: "move".into(), matching: Some(String::new()), ..StateSpec::default() };
        let mut montage: MontageSpec =
            toml::from_str("name = \"wave\"\nlayer = \"arms\"\nclip = \"wave_left\"\nstart = \"wave\"").unwrap();
        let notify = |k: usize| NotifySpec { name: format!("n{k:03}"), at_s: 0.05 + 0.0015 * k as f32 };
        montage.notifies = (0..NOTIFIES).map(notify).collect();
        let layer = LayerSpec { name: "arms".into(), ..LayerSpec::default() };
        let mut spec =
            MachineSpec { states: vec![state], layers: vec![layer], montages: vec![montage], ..MachineSpec::default() };
        spec.triggers.insert("wave".into(), 0.5);
        let e = spawn_machine(&mut app, MotionMachine(spec), walk(0.0, 1.5));
        variables(&mut app, e).fire("wave");
        let time_s = |app: &App| app.world().get::<MotionState>(e).unwrap().0.header.clock.time_s;
        let (mut most, begin_s) = (0, time_s(&app));
        for _ in 0..(2.0 * hz) as usize {
            app.update();
            most = most.max(output(&app, e).events.len());
        }
        assert!((time_s(&app) - begin_s - 2.0).abs() < 1e-3, "{hz} Hz: no time is lost");
        let motion = app.world().get::<bevy_footwork::RootMotion>(e).unwrap().translation;
        let gone = place(&app, e);
        assert!((motion - gone).length() < 0.02, "{hz} Hz: the displacement {motion} is not {gone}");
        let heard = &app.world().resource::<Heard>().events;
        let notifies = heard.iter().filter(|e| e.0.starts_with('n')).map(|e| e.0.clone());
        (notifies.collect::<Vec<_>>(), most)
    };
    let (fine, _) = run_at(60.0);
    let expected: Vec<String> = (0..NOTIFIES).map(|k| format!("n{k:03}")).collect();
    assert_eq!(fine, expected);
    let (coarse, most) = run_at(4.0);
    assert_eq!(coarse, expected);
    assert!(most > 64, "three updates in a frame, and not {most} events in one");
}

#[test]
fn a_machine_comes_from_its_file_and_faults_name_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hero.machine.toml"), footwork_gait::BIPED_MACHINE).unwrap();
    std::fs::write(folder.path().join("typo.machine.toml"), "[[states]]\nnmae = \"a\"\n").unwrap();
    let mut app = crate::characters::app_in(folder.path());
    let failures = crate::characters::failures::<MotionMachine>(&mut app);
    let clips = add_clips(&mut app, stances());
    let (hero, typo): (Handle<MotionMachine>, Handle<MotionMachine>) = {
        let assets = app.world().resource::<AssetServer>();
        (assets.load("hero.machine.toml"), assets.load("typo.machine.toml"))
    };
    let character = MotionCharacter { machine: Some(hero), ..MotionCharacter::new(clips) };
    let [a, b] = [0, 1].map(|_| app.world_mut().spawn(character.clone()).id());
    until(&mut app, |app| {
        [a, b].iter().all(|e| app.world().get::<MotionOutput>(*e).is_some()) && !failures.lock().unwrap().is_empty()
    });
    assert!(Arc::ptr_eq(&self::character(&app, a), &self::character(&app, b)), "one machine for a kind");
    assert_eq!(state_of(&app, a), "upright");
    let messages = failures.lock().unwrap();
    assert!(messages[0].contains("typo.machine.toml") && messages[0].contains("nmae"), "{messages:?}");
    drop(typo);
}

#[test]
fn a_copied_state_and_variables_put_back_give_the_same_bits() {
    let mut app = at_60_hz();
    let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
    variables(&mut app, e).fire("wave");
    run(&mut app, 30);
    let saved = (
        app.world().get::<MotionState>(e).unwrap().clone(),
        *app.world().get::<bevy_transform::prelude::Transform>(e).unwrap(),
        app.world().get::<MotionVariables>(e).unwrap().clone(),
    );
    let forward = |app: &mut App| {
        variables(app, e).set("crouch", 1.0);
        variables(app, e).fire("reload");
        poses(app, e, 90)
    };
    let first = forward(&mut app);
    app.world_mut().entity_mut(e).insert(saved);
    assert!(first == forward(&mut app), "the second run differs");
}

#[test]
fn another_machine_begins_without_the_triggers_of_the_first() {
    let mut app = at_60_hz();
    let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
    variables(&mut app, e).fire("reload");
    run(&mut app, 300);
    let before = character(&app, e);
    let handle = app.world().get::<MotionCharacter>(e).unwrap().machine.clone().unwrap();
    app.world_mut().resource_mut::<Assets<MotionMachine>>().insert(handle.id(), built_in()).unwrap();
    until(&mut app, |app| !Arc::ptr_eq(&before, &character(app, e)));
    run(&mut app, 30);
    let state = app.world().get::<MotionState>(e).unwrap();
    let now = character(&app, e);
    let view = now.machine_view(&state.0).unwrap();
    assert!(view.layers.iter().all(|l| l.montages.is_empty()), "{view:?}");
}

/// Returns the montages on the layer of gestures: name, section, handle, true while fading out.
fn gestures(app: &App, e: Entity) -> Vec<(String, String, Option<MontageHandle>, bool)> {
    let (state, character) = (app.world().get::<MotionState>(e).unwrap(), character(app, e));
    let view = character.machine_view(&state.0).unwrap();
    let seen = |m: &MontageView| (m.name.to_owned(), m.section.to_owned(), m.handle, m.broken_off);
    view.layers[1].montages.iter().map(seen).collect()
}

fn calls(app: &mut App, e: Entity) -> Mut<'_, MotionMontages> {
    app.world_mut().get_mut::<MotionMontages>(e).unwrap()
}

#[test]
fn montages_are_played_steered_and_stopped_by_call_and_each_call_is_obeyed_once() {
    for hz in [60.0, 7.0, 144.0] {
        let mut app = app(FootworkPlugin::default(), hz, 1);
        let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
        let unknown = calls(&mut app, e).play("weve", PlayMontage::default()).unwrap_err();
        assert!(unknown.to_string().contains("the nearest is `wave`"), "{unknown}");
        let how = PlayMontage { section: Some("wave"), ..PlayMontage::default() };
        let wave = calls(&mut app, e).play("wave", how).unwrap();
        run(&mut app, (0.6 * hz) as usize);
        let one = |section: &str, out: bool| vec![("wave".to_owned(), section.to_owned(), Some(wave), out)];
        assert_eq!(gestures(&app, e), one("wave", false), "{hz} Hz");
        calls(&mut app, e).jump(wave, "up").unwrap();
        run(&mut app, (0.3 * hz) as usize);
        assert_eq!(gestures(&app, e), one("up", false), "{hz} Hz");
        calls(&mut app, e).stop(wave, Some(0.6));
        run(&mut app, (0.3 * hz) as usize);
        assert_eq!(gestures(&app, e), one("up", true), "{hz} Hz");
        // No call takes effect again, though the last ones remain in the component.
        run(&mut app, (2.0 * hz) as usize);
        assert!(gestures(&app, e).is_empty(), "{hz} Hz");
    }
}

#[test]
fn a_rollback_with_the_calls_of_montages_gives_the_same_bits() {
    let mut app = at_60_hz();
    let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
    let wave = calls(&mut app, e).play("wave", PlayMontage::default()).unwrap();
    run(&mut app, 30);
    let saved = (
        app.world().get::<MotionState>(e).unwrap().clone(),
        *app.world().get::<bevy_transform::prelude::Transform>(e).unwrap(),
        app.world().get::<MotionMontages>(e).unwrap().clone(),
    );
    let forward = |app: &mut App| {
        calls(app, e).jump(wave, "down").unwrap();
        let reload = calls(app, e).play("reload", PlayMontage::default()).unwrap();
        let poses = poses(app, e, 60);
        assert_eq!(gestures(app, e)[0].2, Some(reload));
        poses
    };
    let first = forward(&mut app);
    app.world_mut().entity_mut(e).insert(saved);
    assert!(first == forward(&mut app), "the second run differs");
}

/// Uses a machine whose montages and sections have another order, one without montages, and none.
#[test]
fn handles_stand_for_the_montages_of_the_same_names_after_a_change_of_machine() {
    let mut app = at_60_hz();
    let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
    let handle = app.world().get::<MotionCharacter>(e).unwrap().machine.clone().unwrap();
    let change = |app: &mut App, spec: MachineSpec| {
        let before = character(app, e);
        app.world_mut().resource_mut::<Assets<MotionMachine>>().insert(handle.id(), MotionMachine(spec)).unwrap();
        until(app, |app| !Arc::ptr_eq(&before, &character(app, e)));
    };
    let wave = calls(&mut app, e).play("wave", PlayMontage::default()).unwrap();
    run(&mut app, 30);
    let mut reversed = built_in().0;
    reversed.montages.reverse();
    let sections = &mut reversed.montages.last_mut().unwrap().sections;
    sections[0].from_s = 0.3;
    sections.insert(0, toml::from_str("name = \"raise\"\nfrom_s = 0.0").unwrap());
    change(&mut app, reversed);
    calls(&mut app, e).jump(wave, "down").unwrap();
    run(&mut app, 6);
    let seen = gestures(&app, e);
    assert!(
        seen.iter().any(|(name, section, h, _)| name == "wave" && section == "down" && *h == Some(wave)),
        "{seen:?}"
    );
    let mut none = built_in().0;
    none.montages.clear();
    change(&mut app, none);
    assert!(calls(&mut app, e).jump(wave, "down").is_err(), "no montage has the name");
    run(&mut app, 6);
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().machine = None;
    until(&mut app, |app| app.world().get::<MotionMontages>(e).is_none());
    run(&mut app, 6);
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().machine = Some(handle.clone());
    app.world_mut().resource_mut::<Assets<MotionMachine>>().insert(handle.id(), built_in()).unwrap();
    // The machine without montages may be active first.
    let can_reload = |calls: &MotionMontages| calls.clone().play("reload", PlayMontage::default()).is_ok();
    until(&mut app, |app| app.world().get::<MotionMontages>(e).is_some_and(can_reload));
    calls(&mut app, e).play("reload", PlayMontage::default()).unwrap();
    run(&mut app, 12);
    assert_eq!(gestures(&app, e)[0].0, "reload");
}

/// Compares the plugin with the library, which must give the same bits.
#[test]
fn announced_tags_and_costs_of_tags_reach_the_search_as_they_are() {
    use footwork::database::TagCost;
    use footwork::input::{Goal, Later, MotionInput as CoreInput};
    use footwork::matcher::MotionMatcher;
    let played = |later: bool, costs: bool| {
        let mut app = at_60_hz();
        let clips = add_clips(&mut app, stances());
        let e = app.world_mut().spawn((MotionCharacter::new(clips), walk(0.0, 1.2))).id();
        until_ready(&mut app, e);
        let core = character(&app, e);
        let db = core.database().unwrap().clone();
        let mut twin = MotionMatcher::of(core, footwork::math::Transform::IDENTITY).unwrap();
        let state = app.world().get::<MotionState>(e).unwrap();
        let at_s = state.time_s() + 1.5;
        twin.restore(&state.0).unwrap();
        let mut input = app.world_mut().get_mut::<MotionInput>(e).unwrap();
        input.later = later.then(|| MotionLater { tags: "crouch".into(), at_s });
        if costs {
            input.tag_costs = vec![MotionTagCost { tags: "walk".into(), cost: 3.0 }];
        }
        let tag_costs = [TagCost { tags: db.tag_query("walk").unwrap(), cost: 3.0 }];
        let asked = CoreInput {
            goal: Goal::Velocity { velocity: glam::Vec3::new(0.0, 0.0, 1.2), facing: None },
            later: later.then(|| Later { tags: db.tag_query("crouch").unwrap(), at_s }),
            tag_costs: if costs { &tag_costs } else { &[] },
            ..CoreInput::default()
        };
        (0..180)
            .map(|frame| {
                app.update();
                twin.update(&asked, 1.0 / 60.0).unwrap();
                let pose = &output(&app, e).pose;
                assert!(*pose == twin.output().pose, "frame {frame}, later {later}, costs {costs}");
                pose.clone()
            })
            .collect::<Vec<_>>()
    };
    let plain = played(false, false);
    assert!(plain != played(true, false), "an announced crouch changes nothing");
    assert!(plain != played(false, true), "costs change nothing");
}

#[test]
fn a_chooser_makes_an_entity_another_character_which_goes_on_in_the_state_of_the_same_name() {
    let mut app = at_60_hz();
    listen(&mut app);
    let (clips, machine) = (add_clips(&mut app, stances()), add_machine(&mut app, built_in()));
    let careful = app
        .world_mut()
        .resource_mut::<Assets<MotionConfig>>()
        .add(MotionConfig::read(b"[simulation]\nwalk_speed_mps = 0.8\n", Path::new("careful.toml")).unwrap());
    let free = MotionCharacter { machine: Some(machine), ..MotionCharacter::new(clips) };
    let careful = MotionCharacter { config: Some(careful), ..free.clone() };
    let choice = |when: Option<&str>, character| MotionChoice { when: when.map(str::to_owned), character };
    let rows = vec![choice(Some("health < 0.3"), careful.clone()), choice(None, free.clone())];
    let chooser = MotionChooser { variables: vec![("health".into(), 1.0)], rows };
    // Without a character, the chooser inserts the first.
    let e = app.world_mut().spawn((chooser, walk(0.0, 1.2))).id();
    until_ready(&mut app, e);
    let chosen = |app: &App| app.world().get::<MotionCharacter>(e).unwrap().clone();
    assert_eq!(chosen(&app), free);
    variables(&mut app, e).set("crouch", 1.0);
    run(&mut app, 120);
    assert_eq!(state_of(&app, e), "crouched");
    let (before, states) = (character(&app, e), app.world().resource::<Heard>().states.len());
    let head = before.skeleton().find("Head").unwrap();
    let head_at = |app: &App| {
        let pose = &output(app, e).pose;
        (pose.world_from_root() * pose.in_root(before.skeleton(), head)).translation
    };
    variables(&mut app, e).set("health", 0.2);
    // The other character is created on another thread. At the change, motion continues from the previous frame.
    let mut shown = (head_at(&app), place(&app, e));
    until(&mut app, |app| {
        let changed = !Arc::ptr_eq(&before, &character(app, e));
        if !changed {
            shown = (head_at(app), place(app, e));
        }
        changed
    });
    assert_eq!(chosen(&app), careful);
    assert_eq!(state_of(&app, e), "crouched");
    let apart = [(head_at(&app) - shown.0).length(), (place(&app, e) - shown.1).length()];
    assert!(apart.iter().all(|m| *m < 0.1), "motion goes on from the pose: {apart:?} m");
    run(&mut app, 2);
    assert_eq!(app.world().resource::<Heard>().states.len(), states, "no change of state");
    // The change back happens once, without alternating frames.
    variables(&mut app, e).set("health", 0.9);
    until(&mut app, |app| chosen(app) == free);
    let now = character(&app, e);
    run(&mut app, 60);
    assert!(Arc::ptr_eq(&now, &character(&app, e)));
}

#[test]
fn a_chooser_that_cannot_be_read_is_told_and_leaves_the_character() {
    alone("machines::a_chooser_that_cannot_be_read_is_told_and_leaves_the_character", || {
        static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
        tracing::subscriber::set_global_default(Log(&LOG)).unwrap();
        let mut app = at_60_hz();
        let clips = add_clips(&mut app, stances());
        let e = app.world_mut().spawn((MotionCharacter::new(clips.clone()), walk(0.0, 1.2))).id();
        until_ready(&mut app, e);
        let before = character(&app, e);
        let row = MotionChoice { when: Some("helth < 0.3".into()), character: MotionCharacter::new(clips) };
        let chooser = MotionChooser { variables: vec![("health".into(), 1.0)], rows: vec![row.clone()] };
        app.world_mut().entity_mut(e).insert(chooser);
        run(&mut app, 30);
        let told = || LOG.lock().unwrap().iter().filter(|m| m.contains("helth")).count();
        assert_eq!(told(), 1, "{:?}", LOG.lock().unwrap());
        assert!(Arc::ptr_eq(&before, &character(&app, e)));
        // With the row corrected, the chooser works.
        let machine = add_machine(&mut app, built_in());
        let character = MotionCharacter { machine: Some(machine), ..row.character };
        let row = MotionChoice { when: Some("health < 0.3".into()), character };
        *app.world_mut().get_mut::<MotionChooser>(e).unwrap() =
            MotionChooser { variables: vec![("health".into(), 0.1)], rows: vec![row] };
        until(&mut app, |app| !Arc::ptr_eq(&before, &self::character(app, e)));
    });
}

#[test]
fn an_unknown_variable_is_told_once_with_the_nearest() {
    alone("machines::an_unknown_variable_is_told_once_with_the_nearest", || {
        static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
        tracing::subscriber::set_global_default(Log(&LOG)).unwrap();
        let mut app = at_60_hz();
        let e = spawn_machine(&mut app, built_in(), walk(0.0, 1.0));
        variables(&mut app, e).set("crouhc", 1.0);
        variables(&mut app, e).fire("wvae");
        run(&mut app, 60);
        variables(&mut app, e).set("crouhc", 0.5);
        variables(&mut app, e).fire("wvae");
        run(&mut app, 60);
        let told = |what: &str| LOG.lock().unwrap().iter().filter(|m| m.contains(what)).count();
        println!("{:?}", LOG.lock().unwrap());
        assert_eq!(told("no variable `crouhc`; the nearest is `crouch`"), 1);
        assert_eq!(told("no trigger `wvae`; the nearest is `wave`"), 1);
        assert!(place(&app, e).z > 1.0, "it goes on all the same");
        // Without a machine, there are no variables.
        let plain = spawn(&mut app, walk(0.0, 1.0));
        variables(&mut app, plain).set("crouch", 1.0);
        run(&mut app, 60);
        assert_eq!(told("`crouch` needs a state machine"), 1);
    });
}
