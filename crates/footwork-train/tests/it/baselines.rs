//! Baselines are trained on a few clips and driven over courses.

use crate::common;

use common::gait;
use footwork_train::baselines::direct::DirectSizes;
use footwork_train::baselines::drive::Stage;
use footwork_train::baselines::pfnn::PfnnSizes;
use footwork_train::baselines::{BaselineSettings, Baselines};
use footwork_train::pace::Limit;
use footwork_train::train::DeviceKind;

fn train(steps: u64) -> Baselines {
    let settings = BaselineSettings {
        direct: Some(Limit::Steps(steps)),
        pfnn: Some(Limit::Steps(steps)),
        direct_sizes: DirectSizes { hidden: 64, batch: 16 },
        pfnn_sizes: PfnnSizes { hidden: 48, batch: 8 },
        seed: 3,
    };
    Baselines::train(gait(), &settings, &DeviceKind::Cpu.open().unwrap(), &mut |_, _, _| {}).unwrap()
}

#[test]
fn losses_fall_below_a_bound_that_untrained_networks_miss() {
    let (untrained, trained) = (train(1), train(500));
    for ((before, after), bound) in untrained.records.iter().zip(&trained.records).zip([13.5, 10.0]) {
        println!("{}: {} -> {}", before.name, before.last_loss(), after.last_loss());
        assert!(before.last_loss() > bound && after.last_loss() < bound, "{}", before.name);
    }
}

#[test]
fn training_twice_gives_the_same_losses() {
    let [first, second] = [train(60), train(60)].map(|b| b.records.into_iter().map(|r| r.losses).collect::<Vec<_>>());
    assert!(first == second && first.iter().all(|losses| losses.len() == 1));
}

#[test]
fn baselines_are_driven_over_the_courses_of_the_others() {
    let stage = Stage::new(gait()).unwrap();
    let rows = train(20).compare(&stage, &["a"], 4.0).unwrap();
    let names: Vec<&str> = rows.iter().map(|r| r.row.variant.as_str()).collect();
    let baselines = ["direct", "direct_free", "direct_1s", "direct_1s_free", "pfnn", "pfnn_free"];
    assert_eq!(names[..2], ["exact", "exact_free"]);
    assert_eq!(names[2..], baselines);
    for r in &rows {
        let value = |key: &str| r.row.values[key].mean;
        assert!(value("path_error_m").is_finite() && value("jerk_root").is_finite(), "{}", r.row.variant);
    }
    // With `pulled`, the root stays near the simulated character, even if the body moves badly.
    assert!(rows[2].row.values["path_error_max_m"].mean < 0.2 && rows[0].walk.freezes_s.is_none());
}
