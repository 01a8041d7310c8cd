//! Offline work: building a database, and writing and reading a file of about 100 MB.

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use footwork::build::BuildConfig;
use footwork::clip::RawClip;
use footwork::database::{Database, MirrorMode};
use std::hint::black_box;

/// Returns copies of the built-in clips under different names, until the file has about 100 MB.
fn inflated() -> Vec<RawClip> {
    let mut all = Vec::new();
    for round in 0..6 {
        all.extend(common::all_clips().iter().map(|c| RawClip { name: format!("{} {round}", c.name), ..c.clone() }));
    }
    all
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    group.sample_size(10);
    group.bench_function("gait_without_routes", |b| {
        b.iter(|| black_box(common::built(common::clips(), &BuildConfig::default())));
    });
    let stored = BuildConfig { mirror: MirrorMode::Stored, ..Default::default() };
    group.bench_function("gait_without_routes_mirrored", |b| {
        b.iter(|| black_box(common::built(common::clips(), &stored)));
    });
    group.finish();
}

fn file(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.fwdb");
    let db = common::built(&inflated(), &BuildConfig::default()).0;
    db.save(&path).unwrap();
    let megabytes = std::fs::metadata(&path).unwrap().len() / 1_000_000;
    println!("the file has {megabytes} MB");
    let mut group = c.benchmark_group("file");
    group.sample_size(10);
    group.bench_function(format!("load_{megabytes}_mb"), |b| b.iter(|| black_box(Database::load(&path).unwrap())));
    group.bench_function(format!("save_{megabytes}_mb"), |b| b.iter(|| db.save(&path).unwrap()));
    group.finish();
}

criterion_group!(benches, build, file);
criterion_main!(benches);
