//! Cost of one search over the built-in data, with queries like those of a moving character, with and without a playing row.

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use footwork::advanced::search::SearchIndex;
use footwork::advanced::search::{Candidates, Match, SearchQuery};
use footwork::database::MirrorMode;
use footwork::frames::RowIndex;
use footwork::matcher::Backend;
use std::hint::black_box;

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    for (name, db) in [("full", common::gait_full()), ("mirror_query", common::gait(MirrorMode::Query))] {
        let ones = vec![1.0; db.features.columns];
        let mut r = common::Random(1);
        // Near a row but not equal to one, like the query of a moving character.
        let queries: Vec<Vec<f32>> = (0..64)
            .map(|_| {
                let row = db.features.row(RowIndex::new(r.below(db.rows())));
                row.iter().map(|v| v + r.between(-0.4, 0.4)).collect()
            })
            .collect();
        for &backend in Backend::EXACT {
            let index = SearchIndex::build(&db, backend);
            for plays in [false, true] {
                let mut k = 0;
                let label = format!("{}/{name}{}", backend.name(), if plays { "_while_playing" } else { "" });
                group.bench_function(label, |b| {
                    b.iter(|| {
                        k = (k + 1) % queries.len();
                        // The playing row usually has a low cost, which lets a search stop early.
                        let m = Match { row: RowIndex(0), mirrored: false, cost: 1.0, continuing: true };
                        let query = SearchQuery {
                            continuing: plays.then_some(m),
                            transition_cost: 0.02,
                            candidates: Candidates { end_exclusion_rows: 10, ..Default::default() },
                            ..SearchQuery::new(&queries[k], &ones)
                        };
                        black_box(index.search(&db, &query))
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
