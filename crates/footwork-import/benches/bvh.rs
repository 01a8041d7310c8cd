//! Measures reading and writing BVH, on one core, with about 5 MB of synthetic text in the layout of LAFAN1.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use footwork_import::bvh::{self, Units, WriteOptions};
use std::fmt::Write;
use std::hint::black_box;

const JOINTS: usize = 23;
const FRAMES: usize = 7_000;

fn text() -> String {
    let mut text = String::from("HIERARCHY\n");
    for j in 0..JOINTS {
        let (keyword, positions) = if j == 0 { ("ROOT", "6 Xposition Yposition Zposition") } else { ("JOINT", "3") };
        let _ = write!(
            text,
            "{keyword} J{j}\n{{\nOFFSET 0.0 8.1 0.0\nCHANNELS {positions} Zrotation Yrotation Xrotation\n"
        );
    }
    text += &"}\n".repeat(JOINTS);
    let _ = write!(text, "MOTION\nFrames: {FRAMES}\nFrame Time: 0.016667\n");
    let mut seed = 1u32;
    for _ in 0..FRAMES {
        for _ in 0..3 + 3 * JOINTS {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Between -180 and 180, small values more often, as in real motion.
            let scale = [180.0, 30.0, 5.0, 180.0][(seed >> 30) as usize];
            let unit = f64::from(seed & 0x00ff_ffff) / f64::from(0x0080_0000) - 1.0;
            let _ = write!(text, "{:.6} ", unit * scale);
        }
        text.push('\n');
    }
    text
}

fn bench(c: &mut Criterion) {
    let text = text();
    let parsed = bvh::parse(text.as_bytes(), "bench").expect("valid");
    let clip = parsed.to_clip("bench", "bench", Units::Auto).expect("valid");
    let mut group = c.benchmark_group("bvh");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(30);
    group.bench_function("parse", |b| b.iter(|| bvh::parse(black_box(text.as_bytes()), "bench")));
    group.bench_function("to_clip", |b| b.iter(|| parsed.to_clip("bench", "bench", Units::Auto)));
    let mut out = Vec::with_capacity(2 * text.len());
    group.bench_function("write", |b| {
        b.iter(|| {
            out.clear();
            bvh::write(black_box(&clip), &mut out, &WriteOptions::default())
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
