//! Recorders change nothing, and their recordings are replayed bit for bit.

use crate::common::*;
use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_footwork::prelude::*;
use bevy_footwork::{LevelWorld, MotionOutput, MotionRecordingError};
use bevy_math::Vec3;
use bevy_time::Time;
use bevy_transform::prelude::*;
use footwork::pose::Pose;
use footwork::recorder::{Recorder, RecorderConfig, Replay, Trace};
use std::sync::Arc;
use std::time::Duration;

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Step;

/// Returns the three variants of moving characters.
fn plugins() -> [FootworkPlugin<LevelWorld>; 3] {
    let plugin = FootworkPlugin::default;
    [plugin(), plugin().in_fixed_steps(), plugin().in_schedule(Step)]
}

/// Runs the step of a game with its own schedule.
fn run_step(world: &mut World) {
    let time = *world.resource::<Time>();
    let mut step = Time::<()>::default();
    step.advance_by(Duration::from_micros(16_667));
    world.insert_resource(step);
    world.run_schedule(Step);
    world.insert_resource(time);
}

/// Returns probes with bumps and a wall, whose results are recorded.
fn probes() -> impl Bundle {
    let height = |at: Vec3| 0.1 * (at.z * 1.3).sin();
    let ground = move |at: Vec3| GroundPoint { height_m: height(at), ..GroundPoint::default() };
    let wall = |_: Vec3, to: Vec3| to.min(Vec3::new(1.0, 100.0, 100.0));
    (GroundProbe::new(ground), WallProbe::new(wall))
}

/// Runs a walk with turns, with or without a recorder. Returns the poses of all frames, and the recording.
fn walked(plugin: FootworkPlugin<LevelWorld>, own: bool, recorded: bool) -> (Vec<Pose>, Option<Trace>) {
    let mut app = app(plugin, 60.0, 1);
    app.init_schedule(Step);
    if own {
        app.add_systems(Update, run_step);
    }
    let e = spawn(&mut app, (walk(0.0, 1.5), probes()));
    if recorded {
        app.world_mut().entity_mut(e).insert(MotionRecorder::default());
    }
    let mut poses = Vec::new();
    for k in 0..240 {
        let (sin, cos) = (0.02 * k as f32).sin_cos();
        *app.world_mut().get_mut::<MotionInput>(e).unwrap() = walk(2.0 * sin, 2.0 * cos);
        app.update();
        poses.push(output(&app, e).pose.clone());
    }
    let trace = app.world().get::<MotionRecorder>(e).and_then(MotionRecorder::trace);
    (poses, trace)
}

fn replay(trace: Trace, character: Arc<footwork::matcher::Character>) -> Vec<Pose> {
    let mut replay = Replay::new(Arc::new(trace), character, None).unwrap();
    replay.rewind().unwrap();
    let mut poses = Vec::new();
    while replay.step().unwrap() {
        poses.push(replay.matcher().pose().clone());
    }
    poses
}

#[test]
fn a_recorder_changes_no_bit_and_its_recording_gives_all_poses_again() {
    let settings = footwork::matcher::MatcherConfig::default();
    let same = Arc::new(footwork::matcher::Character::new(clips(), settings).unwrap());
    for (k, (plain, recorded)) in plugins().into_iter().zip(plugins()).enumerate() {
        let (without, none) = walked(plain, k == 2, false);
        let (with, trace) = walked(recorded, k == 2, true);
        assert!(none.is_none() && with == without, "mode {k}: the recorder has changed the motion");
        let trace = trace.unwrap();
        assert!(trace.asks_for_ground() && trace.asks_for_walls() && trace.ground().is_empty());
        let again = replay(trace, same.clone());
        // With 64 fixed steps per second, a frame may have no step, or two.
        assert!((238..=258).contains(&again.len()), "mode {k}: {} updates", again.len());
        let mut of_replay = again.iter();
        for (frame, pose) in with.iter().enumerate().skip(2) {
            assert!(of_replay.any(|p| p == pose) || with[frame - 1] == *pose, "mode {k}: frame {frame} differs");
        }
    }
}

#[test]
fn restores_and_jumps_and_other_settings_go_on_with_a_key_frame() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, (walk(0.0, 1.5), MotionRecorder::default()));
    let run = |app: &mut App, frames: usize| (0..frames).for_each(|_| app.update());
    run(&mut app, 60);
    let saved = (app.world().get::<MotionState>(e).unwrap().clone(), *app.world().get::<Transform>(e).unwrap());
    run(&mut app, 60);
    app.world_mut().entity_mut(e).insert(saved);
    run(&mut app, 30);
    app.world_mut().get_mut::<Transform>(e).unwrap().translation = Vec3::new(40.0, 0.0, 7.0);
    run(&mut app, 30);
    // A character with other settings is created on another thread.
    let config = footwork::matcher::MatcherConfig { responsiveness: 2.0, ..Default::default() };
    let config = app.world_mut().resource_mut::<Assets<MotionConfig>>().add(MotionConfig(config));
    app.world_mut().get_mut::<MotionCharacter>(e).unwrap().config = Some(config);
    until(&mut app, |app| character(app, e).config().responsiveness == 2.0);
    run(&mut app, 30);
    let trace = app.world().get::<MotionRecorder>(e).unwrap().trace().unwrap();
    assert!(trace.updates() > 210, "{}", trace.updates());
    assert_eq!(trace.config().responsiveness, 1.0);
    assert_eq!(trace.config_at(trace.updates() - 1).responsiveness, 2.0);
    let again = replay(trace, character(&app, e));
    assert_eq!(again.last(), Some(&output(&app, e).pose));
}

#[test]
fn other_data_begin_a_new_recording() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, (walk(0.0, 1.5), MotionRecorder::default()));
    (0..120).for_each(|_| app.update());
    let handle = app.world().get::<MotionCharacter>(e).unwrap().database.clone().unwrap();
    let options = footwork_gait::GaitOptions { routes: false, ..Default::default() };
    let pack: Vec<_> =
        footwork_gait::clips(&options).into_iter().filter(|c| footwork_gait::PACK_19.contains(&&*c.name)).collect();
    let (db, _) = footwork::build::build(&pack, &Default::default(), &Default::default()).unwrap();
    let db = Arc::new(db);
    app.world_mut().resource_mut::<Assets<MotionDatabase>>().insert(handle.id(), MotionDatabase(db.clone())).unwrap();
    until(&mut app, |app| character(app, e).database().is_some_and(|d| Arc::ptr_eq(d, &db)));
    (0..60).for_each(|_| app.update());
    let trace = app.world().get::<MotionRecorder>(e).unwrap().trace().unwrap();
    assert_eq!(trace.database_hash(), Some(db.content_hash()));
    assert!((60..70).contains(&trace.updates()), "{}", trace.updates());
    assert_eq!(replay(trace, character(&app, e)).last(), Some(&output(&app, e).pose));
}

#[test]
fn a_recording_is_saved_once_there_is_one_and_stays_within_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hero.fwtrace");
    let config = RecorderConfig { seconds: 1.0, key_every_s: 0.5, ..RecorderConfig::default() };
    let recorder = MotionRecorder::new(config);
    assert!(matches!(recorder.save(&file), Err(MotionRecordingError::Empty)) && !file.exists());
    let mut app = at_60_hz();
    let e = spawn(&mut app, (walk(0.0, 1.5), recorder));
    (0..300).for_each(|_| app.update());
    let recorder = app.world().get::<MotionRecorder>(e).unwrap();
    recorder.save(&file).unwrap();
    let trace = Trace::load(&file).unwrap();
    assert!((1.0..1.6).contains(&trace.seconds()), "{} s", trace.seconds());
    // The newest updates are kept.
    assert_eq!(replay(trace, character(&app, e)).last(), Some(&output(&app, e).pose));
    let missing = recorder.save(&folder.path().join("missing/hero.fwtrace")).unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
}

#[test]
fn frames_in_which_no_time_passes_are_not_recorded() {
    let mut app = at_60_hz();
    let e = spawn(&mut app, (walk(0.0, 1.5), MotionRecorder::default()));
    (0..60).for_each(|_| app.update());
    app.world_mut().resource_mut::<Time<bevy_time::Virtual>>().pause();
    (0..60).for_each(|_| app.update());
    app.world_mut().resource_mut::<Time<bevy_time::Virtual>>().unpause();
    app.update();
    let recorder = app.world().get::<MotionRecorder>(e).unwrap();
    assert!((60..=63).contains(&recorder.get().unwrap().updates()), "{:?}", recorder.get().map(Recorder::updates));
    assert_eq!(replay(recorder.trace().unwrap(), character(&app, e)).last(), Some(&output(&app, e).pose));
    assert!(app.world().get::<MotionOutput>(e).is_some());
}
