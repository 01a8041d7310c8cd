//! Cost of decisions about actions: a plan, an approach, a pair that meets.

#[path = "../tests/common/mod.rs"]
mod common;

use common::actions::{Case, character, database};
use common::walk;
use criterion::{Criterion, criterion_group, criterion_main};
use footwork::actions::{Place, Situation};
use footwork::frames::RowIndex;
use footwork::input::{Goal, MotionInput};
use footwork::matcher::{Meeting, MotionMatcher};
use footwork::math::{Facing, Transform};
use glam::Vec3;
use std::f32::consts::PI;
use std::hint::black_box;

const DT_S: f32 = 1.0 / 60.0;

/// Plans of a walking character for one request, and the way to the nearest entry.
fn plan(c: &mut Criterion) {
    let mut group = c.benchmark_group("action");
    let (who, db) = (character(), database());
    for (kind, size_m) in [("vault", 0.95), ("jump", 1.5), ("sit", 0.45), ("pick_up", 0.4)] {
        let mut m = MotionMatcher::of(who.clone(), Transform::IDENTITY).unwrap();
        for _ in 0..150 {
            m.update(&walk(Vec3::Z), DT_S).unwrap();
        }
        let case = Case { kind, speed_mps: 1.5, size_m, distance_m: 2.6, angle_deg: 3.0 };
        let root = m.pose().world_from_root();
        let request = case.request(&db, root);
        let toes = [0.1, -0.1].map(|x| Vec3::new(x, 0.0, 0.1));
        let multipliers = vec![1.0; db.features.columns];
        let situation = Situation {
            root: Place { position: root.translation, yaw_rad: 0.0 },
            velocity: Vec3::Z * 1.5,
            toes: &toes,
            stands: &[true, false],
            pose: db.features.row(RowIndex(100)),
            multipliers: &multipliers,
            now_s: 0.0,
        };
        let config = &who.config().actions;
        group.bench_function(format!("plan/{kind}"), |b| {
            b.iter(|| black_box(who.actions().plan(&db, config, &request, &situation)));
        });
        group.bench_function(format!("approach/{kind}"), |b| {
            b.iter(|| black_box(who.approach(m.state(), &request)));
        });
    }
    group.finish();
}

/// The best pair of two characters that walk towards each other for some seconds.
fn meet(c: &mut Criterion) {
    let mut group = c.benchmark_group("meeting");
    for (apart_m, frames) in [(1.0, 0), (2.4, 0), (2.4, 60), (2.4, 100)] {
        let at = |z: f32, yaw: f32| Transform::new(Vec3::Z * z, Facing::from_yaw(yaw).rotation());
        let [mut a, mut b] =
            [at(0.0, 0.4), at(apart_m, PI - 0.3)].map(|root| MotionMatcher::of(character(), root).unwrap());
        let kind = database().action_kind("handshake").unwrap();
        let mut meeting = Meeting::new([a.character(), b.character()], [kind; 2], 4).unwrap();
        let mut goals = [Goal::None; 2];
        for frame in 0..frames {
            if frame % 10 == 0 {
                goals = meeting.goals([&a, &b]).unwrap();
            }
            for (m, goal) in [&mut a, &mut b].into_iter().zip(goals) {
                m.update(&MotionInput { goal, ..MotionInput::default() }, DT_S).unwrap();
            }
        }
        let found = if meeting.plan(&mut a, &mut b).is_ok() { "met" } else { "apart" };
        group.bench_function(format!("plan/{apart_m}_m_{frames}_{found}"), |bench| {
            bench.iter(|| black_box(meeting.plan(&mut a, &mut b).is_ok()));
        });
    }
    group.finish();
}

criterion_group!(benches, plan, meet);
criterion_main!(benches);
