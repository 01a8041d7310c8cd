//! Cost of one query: sampling a pose of a clip and writing its features.

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use footwork::advanced::schema::SourceBuffers;
use footwork::build::{BuildConfig, SchemaConfig};
use footwork::frames::{ClipIndex, FrameIndex};
use footwork::pose::{Pose, PoseVelocity};
use footwork::schema::Preset;
use std::hint::black_box;

fn query(c: &mut Criterion) {
    let mut group = c.benchmark_group("query");
    for (name, preset) in [("holden", Preset::Holden), ("o3de", Preset::O3de)] {
        let schema = SchemaConfig { preset: Some(preset), ..Default::default() };
        let db = common::built(common::clips(), &BuildConfig { schema, ..Default::default() }).0;
        let mut buffers = SourceBuffers::new(&db.schema, &db.skeleton, db.rig.contact_joints.len());
        let mut out = vec![0.0; db.features.columns];
        let mut r = common::Random(2);
        group.bench_function(name, |b| {
            b.iter(|| {
                let clip = ClipIndex::new(r.below(db.clips.len()));
                let view = db.view(clip, false);
                let time_s = f64::from(r.unit()) * view.seconds();
                buffers.gather_body(&view, time_s, db.schema.needs_accelerations);
                buffers.gather_trajectory(&view, time_s, &db.schema.times_s);
                db.schema.extract(&buffers.source(), &mut out);
                db.features.normalize(&mut out);
                black_box(&out);
            });
        });
    }
    let db = common::gait_full();
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
    let mut r = common::Random(3);
    group.bench_function("sample_pose", |b| {
        b.iter(|| {
            let frame = FrameIndex::new(r.below(db.frames()));
            db.sample_pose(frame, 0.4, &mut pose, &mut velocity);
            black_box(&pose);
        });
    });
    group.finish();
}

criterion_group!(benches, query);
criterion_main!(benches);
