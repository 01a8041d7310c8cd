//! Requests that rays of Avian find: walls, boxes, steps and gaps without mark-up, crossed without input beside a direction.

use crate::actions::{spawn_acting, steps};
use crate::common::*;
use avian3d::prelude::*;
use bevy_app::prelude::*;
use bevy_footwork::prelude::*;
use bevy_math::Vec3;
use bevy_transform::prelude::*;

#[path = "../../examples/common/course.rs"]
mod course;

/// Returns an app with boxes of Avian (size and middle) on level ground.
fn world(boxes: &[[Vec3; 2]]) -> App {
    let plugins = |app: &mut App| {
        app.add_plugins((PhysicsPlugins::default(), FootworkPlugin::in_world(AvianWorld)));
    };
    let mut app = app(plugins, 60.0, 1);
    let ground = [Vec3::new(400.0, 1.0, 400.0), Vec3::Y * -0.5];
    for [size, middle] in boxes.iter().chain([&ground]) {
        let at = Transform::from_translation(*middle);
        app.world_mut().spawn((RigidBody::Static, Collider::cuboid(size.x, size.y, size.z), at));
    }
    app
}

/// Returns how deep a joint is in a box, in metres; 0 outside.
fn deep_m(joint: Vec3, [size, middle]: &[Vec3; 2]) -> f32 {
    (*size * 0.5 - (joint - *middle).abs()).min_element().max(0.0)
}

#[test]
fn a_probe_takes_a_vault_over_a_wall_that_nobody_marked() {
    let wall = [Vec3::new(4.0, 1.0, 0.25), Vec3::new(0.0, 0.5, 5.0)];
    let mut app = world(&[wall]);
    let e = spawn_acting(&mut app, (walk(0.0, 2.0), ActionProbe::taking(3.0), GroundProbe::World));
    let hips = character(&app, e).skeleton().find("Hips").unwrap();
    let mut deepest_m: f32 = 0.0;
    for _ in 0..480 {
        app.update();
        let pose = &output(&app, e).pose;
        let at = pose.world_from_root().point(pose.in_root(character(&app, e).skeleton(), hips).translation);
        deepest_m = deepest_m.max(deep_m(Vec3::from_array(at.to_array()), &wall));
    }
    let told = steps(&app).names();
    assert!(told.contains(&(1, "entered")) && told.contains(&(1, "left")), "{:?}", steps(&app));
    assert!(place(&app, e).z > 6.0 && deepest_m == 0.0, "{}, hips {deepest_m} m in the wall", place(&app, e));
}

#[test]
fn a_probe_that_takes_nothing_proposes() {
    let wall = [Vec3::new(4.0, 0.6, 0.25), Vec3::new(0.0, 0.3, 3.0)];
    let mut app = world(&[wall]);
    let e = spawn_acting(&mut app, (walk(0.0, 0.5), ActionProbe::default()));
    run(&mut app, 30);
    let found: Vec<_> = app.world().get::<ActionProbe>(e).unwrap().found().collect();
    let names: Vec<&str> = found.iter().flat_map(|(_, a)| &a.kinds).map(String::as_str).collect();
    assert_eq!(names, ["hurdle", "vault", "sit"]);
    assert!(steps(&app).0.is_empty() && (2.0..3.0).contains(&found[0].0), "{}", found[0].0);
    let hands = found[1].1.contacts[0].unwrap();
    assert!((hands.position - Vec3::new(0.0, 0.63, 2.925)).length() < 0.03, "{hands:?}");
    // A proposal can be requested.
    app.world_mut().entity_mut(e).insert(MotionAction { go: true, ..found[0].1.clone() });
    run(&mut app, 300);
    assert!(steps(&app).names().contains(&(1, "left")), "{:?}", steps(&app));
}

#[test]
fn a_character_crosses_courses_without_mark_up() {
    for seed in 1..=6 {
        let (pieces, length_m) = course::course(seed);
        let mut app = world(&pieces);
        let probes = (GroundProbe::World, WallProbe::World, ActionProbe::taking(2.5));
        let e = spawn_acting(&mut app, (walk(0.0, 2.0), probes));
        let joints: Vec<_> = ["Hips", "Head", "LeftLeg", "RightLeg", "LeftFoot", "RightFoot"]
            .map(|name| character(&app, e).skeleton().find(name).unwrap())
            .into();
        let (mut deepest_m, mut frames) = (0.0_f32, 0);
        while place(&app, e).z < length_m && frames < 60 * 90 {
            let x = place(&app, e).x;
            *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(-0.5 * x, 2.0);
            app.update();
            frames += 1;
            let pose = &output(&app, e).pose;
            for joint in &joints {
                let at = pose.in_root(character(&app, e).skeleton(), *joint).translation;
                let at = Vec3::from_array(pose.world_from_root().point(at).to_array());
                deepest_m = pieces.iter().map(|piece| deep_m(at, piece)).fold(deepest_m, f32::max);
            }
        }
        let told = steps(&app).names();
        let count = |step: &str| told.iter().filter(|(_, s)| *s == step).count();
        let said = format!(
            "seed {seed}: {:.1} of {length_m:.1} m in {:.1} s, {} actions, {} refused, {:.3} m deep in a box",
            place(&app, e).z,
            f64::from(frames) / 60.0,
            count("left"),
            count("refused"),
            deepest_m
        );
        println!("{said}");
        assert!(place(&app, e).z >= length_m && count("left") >= 11, "{said}");
        assert!(deepest_m < 0.06, "{said}");
    }
}
