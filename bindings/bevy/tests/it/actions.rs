//! Actions: requested by name, answered by events, found by rays, and told to bodies of the game.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::prelude::*;
use footwork::build::{BuildConfig, BuildOptions, Multiply, build};
use footwork::database::Database;
use std::sync::{Arc, OnceLock};

/// Returns the built-in clips with actions.
pub fn with_actions() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let options = footwork_gait::GaitOptions { routes: false, actions: true, ..Default::default() };
        let mut config = BuildConfig::default();
        config.multiply.mode = Multiply::Off;
        Arc::new(build(footwork_gait::clips(&options), &config, &BuildOptions::default()).unwrap().0)
    })
    .clone()
}

/// Steps of requests, in order.
#[derive(Resource, Default, Debug)]
pub struct Steps(pub Vec<(u16, f64, MotionActionStep)>);

impl Steps {
    pub fn names(&self) -> Vec<(u16, &'static str)> {
        let name = |step: &MotionActionStep| match step {
            MotionActionStep::Accepted => "accepted",
            MotionActionStep::Entered { .. } => "entered",
            MotionActionStep::Touched { .. } => "touched",
            MotionActionStep::Left => "left",
            MotionActionStep::Refused { .. } => "refused",
            MotionActionStep::CalledOff => "called off",
            _ => "unknown",
        };
        self.0.iter().map(|(id, _, step)| (*id, name(step))).collect()
    }

    fn refusals(&self) -> Vec<(&str, Option<&str>)> {
        let mut all = Vec::new();
        for (_, _, step) in &self.0 {
            if let MotionActionStep::Refused { reason, nearest } = step {
                all.push((reason.as_str(), nearest.as_deref()));
            }
        }
        all
    }
}

/// Adds a character with actions, and runs its first frame.
pub fn spawn_acting(app: &mut App, more: impl Bundle) -> Entity {
    app.init_resource::<Steps>();
    app.add_observer(|e: On<MotionActionEvent>, mut steps: ResMut<Steps>| {
        steps.0.push((e.id, e.time_s, e.step.clone()));
    });
    let clips = add_clips(app, with_actions());
    let entity = app.world_mut().spawn((MotionCharacter::new(clips), more)).id();
    until_ready(app, entity);
    entity
}

pub fn steps(app: &App) -> &Steps {
    app.world().resource::<Steps>()
}

/// Returns the request to vault a wall at some distance along Z.
fn vault(height_m: f32, z: f32) -> MotionAction {
    let action = MotionAction::new("vault", Vec3::new(0.0, height_m + 0.03, z + 0.05), Vec3::Z);
    MotionAction { go: true, ..action }
}

#[test]
fn a_request_by_name_is_met_and_told_in_order_at_any_frame_rate_and_in_fixed_steps() {
    for (plugin, hz) in [
        (FootworkPlugin::default(), 60.0),
        (FootworkPlugin::default(), 144.0),
        (FootworkPlugin::default(), 5.0),
        (FootworkPlugin::default().in_fixed_steps(), 60.0),
    ] {
        let mut app = app(plugin, hz, 1);
        let e = spawn_acting(&mut app, (walk(0.0, 1.5), vault(1.0, 5.0)));
        let mut highest_m: f32 = 0.0;
        for _ in 0..(8.0 * hz) as usize {
            app.update();
            let hips = character(&app, e).skeleton().find("Hips").unwrap();
            highest_m = highest_m.max(output(&app, e).pose.in_root(character(&app, e).skeleton(), hips).translation.y);
        }
        let told = steps(&app).names();
        // Hands, then the landing.
        let all = ["accepted", "entered", "touched", "touched", "left"].map(|step| (1, step));
        assert_eq!(told, all, "{hz} Hz");
        let times = steps(&app).0.iter().map(|s| s.1).collect::<Vec<_>>();
        assert!(times.is_sorted() && times[4] > times[1] + 0.5, "{hz} Hz: {times:?}");
        let MotionActionStep::Entered { clip } = &steps(&app).0[1].2 else { panic!() };
        assert!(clip.starts_with("vault"), "{clip}");
        assert!(hz < 60.0 || highest_m > 1.1, "{hz} Hz: the hips are at most {highest_m} m high");
        assert!(place(&app, e).z > 5.5 && !app.world().entity(e).contains::<MotionAction>(), "{hz} Hz");
    }
}

#[test]
fn each_insertion_is_a_request_and_a_removal_calls_it_off() {
    let mut app = at_60_hz();
    let e = spawn_acting(&mut app, ());
    for _ in 0..2 {
        app.world_mut().entity_mut(e).insert(MotionAction { go: false, ..vault(1.0, 7.5) });
        run(&mut app, 3);
    }
    app.world_mut().entity_mut(e).remove::<MotionAction>();
    run(&mut app, 3);
    let expected = [(1, "accepted"), (1, "called off"), (2, "accepted"), (2, "called off")];
    assert_eq!(steps(&app).names(), expected);
    // A copy keeps its number: the same request, put back by a rollback, is not another one.
    app.world_mut().entity_mut(e).insert(vault(1.0, 7.5));
    app.update();
    let copy = app.world().get::<MotionAction>(e).unwrap().clone();
    app.world_mut().entity_mut(e).insert(copy);
    run(&mut app, 3);
    assert_eq!(steps(&app).names()[4..], [(3, "accepted")]);
}

#[test]
fn what_cannot_be_met_is_refused_with_its_reason_and_nearest_clip() {
    let mut app = at_60_hz();
    let e = spawn_acting(&mut app, walk(0.0, 1.0));
    app.world_mut().entity_mut(e).insert(vault(2.5, 4.0));
    run(&mut app, 2);
    let [(reason, Some(nearest))] = steps(&app).refusals()[..] else { panic!("{:?}", steps(&app)) };
    assert!(reason.contains("too high") && reason.contains("`vault`") && nearest.starts_with("vault"), "{reason}");
    assert!(!app.world().entity(e).contains::<MotionAction>());
}

/// A refusal's observer may request the next action.
#[test]
fn an_observer_of_a_refusal_may_insert_the_next_request() {
    let mut app = at_60_hz();
    app.add_observer(|e: On<MotionActionEvent>, mut commands: Commands| {
        if matches!(e.step, MotionActionStep::Refused { .. }) {
            commands.entity(e.entity).insert(vault(1.0, 4.0));
        }
    });
    let e = spawn_acting(&mut app, walk(0.0, 1.0));
    app.world_mut().entity_mut(e).insert(vault(2.5, 4.0));
    run(&mut app, 3);
    assert_eq!(steps(&app).names()[..2], [(1, "refused"), (2, "accepted")]);
}

#[test]
fn an_unknown_kind_is_one_error_and_a_refusal_and_the_character_goes_on() {
    alone("actions::an_unknown_kind_is_one_error_and_a_refusal_and_the_character_goes_on", || {
        static LOG: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
        tracing::subscriber::set_global_default(Log(&LOG)).unwrap();
        let mut app = at_60_hz();
        // Before the character is loaded.
        let typo = MotionAction { kinds: vec!["valut".into()], ..vault(1.0, 4.0) };
        let e = spawn_acting(&mut app, (walk(0.0, 1.5), typo.clone()));
        run(&mut app, 60);
        let log = LOG.lock().unwrap().clone();
        assert!(log.len() == 1 && log[0].contains("`valut`") && log[0].contains("`vault`"), "{log:?}");
        let [(reason, None)] = steps(&app).refusals()[..] else { panic!("{:?}", steps(&app)) };
        assert!(reason.contains("the nearest is `vault`"), "{reason}");
        assert!(place(&app, e).z > 0.5 && !app.world().entity(e).contains::<MotionAction>());
        // Clips without actions.
        let plain = spawn(&mut app, (walk(0.0, 1.5), typo));
        run(&mut app, 60);
        assert_eq!(LOG.lock().unwrap().len(), 2);
        assert!(place(&app, plain).z > 0.5);
    });
}

#[test]
fn a_request_for_a_model_of_another_size_is_met_at_its_size() {
    let mut app = at_60_hz();
    let e = spawn_acting(&mut app, (walk(0.0, 2.0), Transform::default()));
    let look = Look { length: |_| 1.5, ..Look::default() };
    spawn_model(&mut app, e, &with_actions().skeleton, &look);
    until(&mut app, |app| app.world().get::<MotionModel>(e).is_some());
    let z = place(&app, e).z;
    app.world_mut().entity_mut(e).insert(vault(1.5, z + 6.0));
    run(&mut app, 600);
    assert!(steps(&app).names().ends_with(&[(1, "touched"), (1, "left")]), "{:?}", steps(&app));
    assert!(place(&app, e).z > z + 6.5);
}

#[test]
fn a_character_arrives_where_it_is_sent() {
    let mut app = at_60_hz();
    let mut config = footwork::matcher::MatcherConfig::default();
    config.actions.arrives = true;
    let config = app.world_mut().resource_mut::<Assets<MotionConfig>>().add(MotionConfig(config));
    let e = spawn_acting(&mut app, ());
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().config = Some(config);
    until(&mut app, |app| character(app, e).config().actions.arrives);
    let to = Vec3::new(1.5, 0.0, 3.0);
    app.world_mut().entity_mut(e).insert(MotionAction::arrive(to, Vec3::X));
    run(&mut app, 480);
    assert_eq!(steps(&app).names(), [(1, "accepted"), (1, "entered"), (1, "touched"), (1, "left")]);
    assert!((place(&app, e) - to).length() < 0.05, "{}", place(&app, e));
}

#[test]
fn a_seat_is_held_until_its_request_is_removed() {
    let mut app = at_60_hz();
    let e = spawn_acting(&mut app, walk(0.0, 1.0));
    // A seat of 45 cm, whose front edge is 4 m ahead.
    let sit = MotionAction::new("sit", Vec3::new(0.0, 0.57, 4.16), Vec3::NEG_Z);
    app.world_mut().entity_mut(e).insert(MotionAction { go: true, ..sit });
    run(&mut app, 900);
    assert_eq!(steps(&app).names(), [(1, "accepted"), (1, "entered"), (1, "touched")]);
    assert!(output(&app, e).owns_root && app.world().entity(e).contains::<MotionAction>());
    app.world_mut().entity_mut(e).remove::<MotionAction>();
    run(&mut app, 120);
    assert_eq!(steps(&app).names().last(), Some(&(1, "left")));
}

#[test]
fn a_copied_state_and_request_put_back_give_the_same_bits() {
    let mut app = at_60_hz();
    let e = spawn_acting(&mut app, (walk(0.0, 1.5), vault(1.0, 7.5)));
    let forward = |app: &mut App| {
        let one = |_| {
            app.update();
            output(app, e).pose.clone()
        };
        (0..90).map(one).collect::<Vec<_>>()
    };
    // Before the entry, and while the action plays.
    for frames in [30, 10] {
        run(&mut app, frames);
        let world = app.world();
        let saved = (world.get::<MotionState>(e).unwrap().clone(), *world.get::<Transform>(e).unwrap());
        let action = world.get::<MotionAction>(e).unwrap().clone();
        let (told, first) = (steps(&app).0.len(), forward(&mut app));
        let more = steps(&app).0[told..].to_vec();
        app.world_mut().entity_mut(e).insert((saved, action));
        app.world_mut().resource_mut::<Steps>().0.truncate(told);
        assert!(first == forward(&mut app), "another motion {frames} frames later");
        assert_eq!(steps(&app).0[told..], more);
    }
}

#[test]
fn a_body_of_the_game_is_told_while_an_action_moves_the_root() {
    let mut app = at_60_hz();
    fn drive(mut bodies: Query<(&mut RootMotion, &mut MotionBody, &mut Transform)>) {
        for (mut motion, mut body, mut at) in &mut bodies {
            let (moved, turned) = motion.take();
            if motion.by_action {
                let step = at.rotation * moved;
                at.translation += step;
                at.rotation = (at.rotation * turned).normalize();
            } else {
                body.velocity = Vec3::Z * 1.4;
                at.translation += body.velocity / 60.0;
            }
        }
    }
    app.add_systems(Update, drive);
    let e = spawn_acting(&mut app, (walk(0.0, 1.4), MotionBody::default()));
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().root = RootDriver::Body;
    let external = footwork::adjust::root::RootMode::External;
    until(&mut app, |app| character(app, e).config().root.mode == external);
    run(&mut app, 120);
    let edge = Vec3::new(place(&app, e).x, 1.3, place(&app, e).z + 2.4);
    app.world_mut().entity_mut(e).insert(MotionAction::new("mantle", edge + Vec3::new(0.0, 0.03, 0.05), Vec3::Z));
    let (mut owned, mut apart_m) = (0, 0.0_f32);
    for _ in 0..400 {
        app.update();
        let root = output(&app, e).pose.world_from_root().translation;
        let is_owned = app.world().get::<RootMotion>(e).unwrap().by_action;
        assert_eq!(is_owned, output(&app, e).owns_root);
        owned += usize::from(is_owned);
        apart_m = apart_m.max((Vec3::from_array(root.to_array()) - place(&app, e)).length());
    }
    assert!(steps(&app).names().ends_with(&[(1, "touched"), (1, "left")]), "{:?}", steps(&app));
    assert!(owned > 60 && place(&app, e).y > 1.2, "{owned} frames, {}", place(&app, e));
    assert!(apart_m < 0.2, "the body is up to {apart_m} m from the animation");
}

#[test]
fn characters_are_kept_out_of_obstacles_and_of_each_other() {
    let mut app = at_60_hz();
    let wall = MotionObstacle::cuboid(Vec3::new(8.0, 2.0, 0.2));
    let aside = Quat::from_rotation_y(0.5);
    app.world_mut().spawn((wall, Transform::from_xyz(0.0, 1.0, 4.0).with_rotation(aside)));
    // Below a parent, and far away.
    let parent = app.world_mut().spawn(Transform::from_xyz(20.0, 0.0, 0.0)).id();
    app.world_mut().spawn((MotionObstacle::circle(0.5, 2.0), Transform::from_xyz(0.0, 0.0, 3.0), ChildOf(parent)));
    let e = spawn(&mut app, (walk(0.0, 1.5), MotionObstacle::default()));
    let clips = add_clips(&mut app, clips());
    let other = (MotionCharacter::new(clips), walk(0.0, -1.5), MotionObstacle::default());
    let other = app.world_mut().spawn((other, Transform::from_xyz(20.0, 0.0, 6.0))).id();
    until_ready(&mut app, other);
    let mut oracle = [f32::INFINITY; 2];
    for _ in 0..400 {
        app.update();
        // Distance from the wall's middle plane, and from the pillar.
        let away = aside.inverse() * (place(&app, e) - Vec3::new(0.0, 0.0, 4.0));
        if away.x.abs() < 4.0 {
            oracle[0] = oracle[0].min(-away.z - 0.1);
        }
        oracle[1] = oracle[1].min(place(&app, other).distance(Vec3::new(20.0, 0.0, 3.0)) - 0.5);
    }
    assert!(oracle.iter().all(|m| *m > 0.25), "{oracle:?} m from wall and pillar");
    // It goes on behind the pillar.
    assert!(place(&app, other).z < 1.5, "{}", place(&app, other));
    // Two that meet head-on.
    let [a, b] = [e, other];
    *app.world_mut().get_mut::<Transform>(a).unwrap() = Transform::from_xyz(50.0, 0.0, 0.0);
    let turned = Quat::from_rotation_y(std::f32::consts::PI);
    *app.world_mut().get_mut::<Transform>(b).unwrap() = Transform::from_xyz(50.05, 0.0, 8.0).with_rotation(turned);
    let mut least_m = f32::INFINITY;
    for _ in 0..360 {
        app.update();
        least_m = least_m.min(place(&app, a).distance(place(&app, b)));
    }
    assert!(least_m > 0.5 && place(&app, a).z > place(&app, b).z, "{least_m} m apart");
}

/// More obstacles than an update takes: the nearest count.
#[test]
fn of_many_obstacles_the_nearest_count() {
    let mut app = at_60_hz();
    for k in 0..60 {
        let at = Transform::from_xyz(0.05 * k as f32, 0.0, 1.5);
        app.world_mut().spawn((MotionObstacle::circle(0.1, 2.0), at));
    }
    let e = spawn(&mut app, walk(0.0, 1.5));
    for _ in 0..120 {
        app.update();
        // An update with too many would be rejected.
        assert!(output(&app, e).refused.is_none());
        assert!(place(&app, e).z < 1.2 || place(&app, e).x < -0.2, "{}", place(&app, e));
    }
    assert!(place(&app, e).length() > 0.5);
}
