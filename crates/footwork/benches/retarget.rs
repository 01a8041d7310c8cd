//! Cost of retargeting one pose to another body: from 23 joints to 23, to 65, and to a spine of another length.

#[path = "../tests/common/hero.rs"]
mod hero;

use criterion::{Criterion, criterion_group, criterion_main};
use footwork::pose::Pose;
use footwork::retarget::{Reference, RetargetMap};
use footwork::roles::JointRoles;
use footwork::skeleton::Skeleton;
use hero::{Hero, hero};
use std::hint::black_box;

fn reference(skeleton: &Skeleton) -> Reference {
    let roles = JointRoles::resolve(skeleton, &Default::default()).unwrap();
    Reference::from_rest(skeleton, &roles).unwrap()
}

fn retarget(c: &mut Criterion) {
    let person = footwork_gait::skeleton();
    let walk = footwork_gait::clips(&Default::default()).into_iter().find(|c| c.name == "walk_175").unwrap();
    let poses: Vec<Pose> = walk
        .translations
        .chunks_exact(person.len())
        .zip(walk.rotations.chunks_exact(person.len()))
        .map(|(t, r)| Pose { translations: t.to_vec(), rotations: r.to_vec() })
        .collect();
    let mut group = c.benchmark_group("retarget");
    for (name, target) in [
        ("23_to_23", person.clone()),
        ("23_to_65", hero(Hero::default())),
        ("23_to_66_spine_of_4", hero(Hero { spine: 4, ..Hero::default() })),
    ] {
        let map = RetargetMap::new(reference(&person), reference(&target)).unwrap();
        let mut out = Pose::rest(&target);
        let mut f = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                f = (f + 1) % poses.len();
                map.apply(black_box(&poses[f]), &mut out);
                black_box(&out);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, retarget);
criterion_main!(benches);
