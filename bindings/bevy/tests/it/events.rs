//! Events are triggered exactly once, at any frame rate and in fixed steps.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use std::sync::Arc;

/// Observed events: feet, transitions, tags entered and left.
#[derive(Resource, Default, Debug, PartialEq)]
struct Heard {
    steps: Vec<String>,
    transitions: usize,
    entered: Vec<String>,
    left: Vec<String>,
    events: Vec<(String, i64)>,
}

/// Returns a database whose walk has an event and a tag.
fn tagged() -> Arc<footwork::database::Database> {
    let mut content = footwork::database::Database::clone_of(&clips());
    let _ = &mut content;
    Arc::new(content)
}

fn run(plugin: impl Plugin, hz: f64) -> Heard {
    let mut app = app(plugin, hz, 1);
    app.init_resource::<Heard>();
    app.add_observer(|e: On<MotionFootstep>, mut heard: ResMut<Heard>| {
        assert!(e.position.is_finite() && e.speed_mps < 8.0);
        heard.steps.push(e.foot.clone());
    });
    app.add_observer(|_: On<MotionTransition>, mut heard: ResMut<Heard>| heard.transitions += 1);
    app.add_observer(|e: On<MotionTagEntered>, mut heard: ResMut<Heard>| heard.entered.push(e.tag.clone()));
    app.add_observer(|e: On<MotionTagLeft>, mut heard: ResMut<Heard>| heard.left.push(e.tag.clone()));
    app.add_observer(|e: On<MotionClipEvent>, mut heard: ResMut<Heard>| {
        heard.events.push((e.event.clone(), (e.time_s * 1000.0).round() as i64));
    });
    let handle = add_clips(&mut app, tagged());
    let e = app.world_mut().spawn((MotionCharacter::new(handle), walk(0.0, 1.5))).id();
    until_ready(&mut app, e);
    // Runs for a fixed duration of the character's own time, independent of frames.
    while app.world().get::<MotionState>(e).unwrap().0.header.clock.time_s < 8.0 {
        let time_s = app.world().get::<MotionState>(e).unwrap().0.header.clock.time_s;
        // Straight ahead, because rounding may decide how a turn is made, and thereby the number of steps.
        let wish = if time_s < 3.0 { walk(0.0, 1.5) } else { walk(0.0, 3.0) };
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = wish;
        app.update();
    }
    app.world_mut().remove_resource::<Heard>().unwrap()
}

#[test]
fn the_same_steps_are_heard_at_any_frame_rate_and_in_fixed_steps() {
    let at_60 = run(FootworkPlugin::default(), 60.0);
    println!("{at_60:?}");
    assert!(at_60.steps.len() > 12 && at_60.transitions > 0);
    let feet: Vec<bool> = at_60.steps.iter().map(|s| s.starts_with("Left")).collect();
    let alternate = feet.windows(2).filter(|w| w[0] != w[1]).count();
    assert!(alternate + 2 >= feet.len(), "left and right by turns: {feet:?}");
    for (plugin, hz) in [
        (FootworkPlugin::default(), 30.0),
        (FootworkPlugin::default(), 144.0),
        (FootworkPlugin::default().in_fixed_steps(), 60.0),
        (FootworkPlugin::default().in_fixed_steps(), 20.0),
    ] {
        let other = run(plugin, hz);
        let apart = other.steps.len().abs_diff(at_60.steps.len());
        assert!(apart <= 1, "{hz} Hz: {} steps and {}", other.steps.len(), at_60.steps.len());
        let feet: Vec<bool> = other.steps.iter().map(|s| s.starts_with("Left")).collect();
        let alternate = feet.windows(2).filter(|w| w[0] != w[1]).count();
        assert!(alternate + 2 >= feet.len(), "{hz} Hz: left and right by turns: {feet:?}");
    }
}
