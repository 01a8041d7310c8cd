//! Cost of a frame: one character, a crowd, saving and restoring a state. All at 60 Hz with a frequently changing stick, so that
//! one update in six searches.

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use footwork::database::MirrorMode;
use footwork::input::MotionInput;
use footwork::matcher::Backend;
use footwork::matcher::Character;
use footwork::matcher::{MatcherConfig, MatcherState, MotionMatcher, Output, SearchConfig, step};
use footwork::math::Transform;
use footwork::recorder::{Recorder, RecorderConfig};
use std::hint::black_box;

const DT_S: f32 = 1.0 / 60.0;

fn update(c: &mut Criterion) {
    let mut group = c.benchmark_group("update");
    for &backend in Backend::EXACT {
        let search = SearchConfig { backend, ..Default::default() };
        let config = MatcherConfig { search, ..Default::default() };
        let mut m = MotionMatcher::new(common::gait_full(), config).unwrap();
        let mut k = 0u32;
        group.bench_function(backend.name(), |b| {
            b.iter(|| {
                k += 1;
                black_box(m.update(&common::random_stick(1, f64::from(k) / 60.0), DT_S).unwrap());
            });
        });
    }
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Query), MatcherConfig::default()).unwrap();
    let mut k = 0u32;
    group.bench_function("boxes_mirror_query", |b| {
        b.iter(|| {
            k += 1;
            black_box(m.update(&common::random_stick(1, f64::from(k) / 60.0), DT_S).unwrap());
        });
    });
    group.finish();
}

/// Updates with and without a recorder.
fn recording(c: &mut Criterion) {
    let mut group = c.benchmark_group("recording");
    let ground = |at: glam::Vec3| common::stages::hill(at);
    for (name, recorded, grounded) in
        [("off", false, false), ("on", true, false), ("ground_off", false, true), ("ground_on", true, true)]
    {
        let mut m = MotionMatcher::new(common::gait_full(), MatcherConfig::default()).unwrap();
        let mut recorder = Recorder::new(m.character(), RecorderConfig::default());
        let mut k = 0u32;
        group.bench_function(name, |b| {
            b.iter(|| {
                k += 1;
                let input = common::random_stick(1, f64::from(k) / 60.0);
                let input = MotionInput { ground: if grounded { Some(&ground) } else { None }, ..input };
                let pose = if recorded { recorder.update(&mut m, &input, DT_S) } else { m.update(&input, DT_S) };
                black_box(pose.unwrap());
            });
        });
    }
    group.finish();
}

/// The default stages, each further stage in addition to them, and all stages.
fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("stages");
    let (on, off) = (common::stages::all_on(), MatcherConfig::default());
    let ground = |at: glam::Vec3| common::stages::hill(at);
    let orientation = MatcherConfig { stride_warp: off.stride_warp, ..on.clone() };
    let stride = MatcherConfig { orientation_warp: off.orientation_warp, ..on.clone() };
    let subjects = [
        ("default", &off, [false; 3]),
        ("orientation_warp", &orientation, [false; 3]),
        ("stride_warp", &stride, [false; 3]),
        ("ground", &off, [true, false, false]),
        ("look_at", &off, [false, true, false]),
        ("hands", &off, [false, false, true]),
        ("all", &on, [true; 3]),
    ];
    for (name, config, [grounded, looks, reaches]) in subjects {
        let mut m = MotionMatcher::new(common::gait_full(), config.clone()).unwrap();
        let mut k = 0u32;
        group.bench_function(name, |b| {
            b.iter(|| {
                k += 1;
                let all = common::stages::everything(f64::from(k) / 60.0, &ground);
                let input = MotionInput {
                    ground: all.ground.filter(|_| grounded),
                    look_at: all.look_at.filter(|_| looks),
                    hands: if reaches { all.hands } else { [None; 2] },
                    ..all
                };
                black_box(m.update(&input, DT_S).unwrap());
            });
        });
    }
    group.finish();
}

fn crowd(c: &mut Criterion) {
    let db = common::gait_full();
    let config = MatcherConfig::default();
    let character = Character::new(db.clone(), config).unwrap();
    let start = character.state_at(Transform::IDENTITY).unwrap();
    let mut states: Vec<MatcherState> = (0..64).map(|_| start.clone()).collect();
    let mut outputs: Vec<Output> = (0..64).map(|_| character.output()).collect();
    let mut scratch = character.scratch();
    let mut k = 0u32;
    c.bench_function("step/64_characters", |b| {
        b.iter(|| {
            k += 1;
            let input = |i| common::random_stick(i as u64, f64::from(k) / 60.0);
            let inputs: [MotionInput; 64] = std::array::from_fn(input);
            step(&character, &inputs, DT_S, &mut states, &mut scratch, &mut outputs).unwrap();
        });
    });
}

fn state(c: &mut Criterion) {
    let mut group = c.benchmark_group("state");
    let mut m = MotionMatcher::new(common::gait_full(), MatcherConfig::default()).unwrap();
    for k in 0..100 {
        m.update(&common::random_stick(1, f64::from(k) / 60.0), DT_S).unwrap();
    }
    let mut saved = m.state().clone();
    group.bench_function("save", |b| b.iter(|| saved.clone_from(black_box(m.state()))));
    let from = saved.clone();
    group.bench_function("restore", |b| b.iter_batched(|| (), |()| m.restore(black_box(&from)), BatchSize::SmallInput));
    group.finish();
}

criterion_group!(benches, update, recording, stages, crowd, state);
criterion_main!(benches);
