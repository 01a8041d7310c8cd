//! Motion in Bevy is that of the library, bit for bit, on any number of threads.

use crate::common::{add_clips, alone, app, character, clips, output, until_ready, walk};
use bevy_ecs::prelude::*;
use bevy_footwork::prelude::*;
use footwork::input::{Goal, MotionInput as CoreInput};
use footwork::matcher::MotionMatcher;
use footwork::math::Transform as CoreTransform;
use glam::Vec3;

const CHARACTERS: usize = 40;
const FRAMES: usize = 300;

/// Returns the velocity of character `i` in frame `frame`: x and z, in m/s.
fn wish(i: usize, frame: usize) -> (f32, f32) {
    let turn = (i * 37 + frame / 45 * 101) % 360;
    let speed = [0.0, 1.4, 3.5][(i + frame / 90) % 3];
    let rad = (turn as f32).to_radians();
    (speed * footwork::advanced::math::sin(rad), speed * footwork::advanced::math::cos(rad))
}

#[test]
fn poses_on_one_thread_are_those_of_the_library() {
    alone("threads::poses_on_one_thread_are_those_of_the_library", || compare(1));
}

#[test]
fn poses_on_two_threads_are_those_of_the_library() {
    alone("threads::poses_on_two_threads_are_those_of_the_library", || compare(2));
}

fn compare(threads: usize) {
    let mut app = app(FootworkPlugin::default(), 60.0, threads);
    let handle = add_clips(&mut app, clips());
    // The kind is created before the crowd, so that all characters start in one frame.
    let first = app.world_mut().spawn(MotionCharacter::new(handle.clone())).id();
    until_ready(&mut app, first);
    let spawn = |i: usize| {
        let at = bevy_transform::prelude::Transform::from_xyz(i as f32, 0.0, -(i as f32));
        (MotionCharacter::new(handle.clone()), at)
    };
    let entities: Vec<Entity> = (0..CHARACTERS).map(|i| app.world_mut().spawn(spawn(i)).id()).collect();

    let kind = character(&app, first);
    let at = |i: usize| CoreTransform::new(Vec3::new(i as f32, 0.0, -(i as f32)), Default::default());
    let mut alone: Vec<MotionMatcher> =
        (0..CHARACTERS).map(|i| MotionMatcher::of(kind.clone(), at(i)).unwrap()).collect();

    for frame in 0..FRAMES {
        for (i, e) in entities.iter().enumerate() {
            let (x, z) = wish(i, frame);
            *app.world_mut().get_mut::<MotionInput>(*e).unwrap() = walk(x, z);
        }
        app.update();
        for (i, matcher) in alone.iter_mut().enumerate() {
            let (x, z) = wish(i, frame);
            let goal = Goal::Velocity { velocity: Vec3::new(x, 0.0, z), facing: None };
            let dt_s = std::time::Duration::from_secs_f64(1.0 / 60.0).as_secs_f32();
            let pose = matcher.update(&CoreInput { goal, ..Default::default() }, dt_s).unwrap();
            assert_eq!(*pose, output(&app, entities[i]).pose, "character {i}, frame {frame}");
        }
    }
    let far = alone.iter().map(|m| m.pose().world_from_root().translation.length()).fold(0.0, f32::max);
    assert!(far > 10.0, "nobody went anywhere");
}
