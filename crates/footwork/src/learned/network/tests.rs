//! Tests of networks.

use super::*;
use crate::learned::half;
use crate::search::Kernel as Instructions;

/// Returns a generator of numbers from -1 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn network(widths: &[usize], seed: u64) -> Network {
    let mut next = numbers(seed);
    let mut values = |n: usize| (0..n).map(|_| next()).collect::<Vec<f32>>();
    let layers = widths.windows(2).map(|w| Layer { weights: Weights::F32(values(w[0] * w[1])), bias: values(w[1]) });
    let layers = layers.collect();
    let (inputs, outputs) = (widths[0], widths[widths.len() - 1]);
    let network = Network {
        input_mean: values(inputs),
        input_std: vec![0.7; inputs],
        layers,
        output_std: vec![1.3; outputs],
        output_mean: values(outputs),
    };
    network.check().unwrap();
    network
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn all_kernels_and_batches_give_the_same_bits() {
    for (seed, widths) in [[5, 70, 131, 3], [59, 512, 64, 146], [1, 1, 1, 1]].iter().enumerate() {
        for precision in Precision::ALL {
            let network = network(widths, seed as u64).with_precision(precision);
            assert_eq!(network.precision(), precision);
            let (inputs, outputs, mut room) = (network.inputs(), network.outputs(), NetworkScratch::default());
            let mut next = numbers(99);
            // Two whole groups and a part of one; some inputs are exactly at their mean.
            let many: Vec<f32> = (0..19 * inputs)
                .map(|i| if i % 3 == 0 { network.input_mean[i % inputs] } else { 2.0 * next() })
                .collect();
            let mut expected = vec![0.0; 19 * outputs];
            let portable = Kernel::new(Instructions::Portable).unwrap();
            for (x, y) in many.chunks_exact(inputs).zip(expected.chunks_exact_mut(outputs)) {
                network.run_with(portable, x, y, &mut room);
            }
            assert!(expected.iter().any(|v| *v != expected[0]) || outputs == 1);
            for kernel in Instructions::ALL.into_iter().filter_map(Kernel::new) {
                let mut found = vec![0.0; 19 * outputs];
                for (x, y) in many.chunks_exact(inputs).zip(found.chunks_exact_mut(outputs)) {
                    network.run_with(kernel, x, y, &mut room);
                }
                assert_eq!(bits(&found), bits(&expected), "{kernel:?} {precision:?}");
                found.fill(0.0);
                network.run_many_with(kernel, &many, &mut found, &mut room);
                assert_eq!(bits(&found), bits(&expected), "{kernel:?} {precision:?}, many");
            }
            let mut dense = vec![0.0; outputs];
            network.run_dense(&many[..inputs], &mut dense, &mut room);
            assert_eq!(bits(&dense), bits(&expected[..outputs]));
        }
    }
}

#[test]
fn stored_weights_are_near_those_that_were_trained() {
    let network = network(&[20, 64, 10], 7);
    let of = |precision| network.with_precision(precision).layers[0].weights.to_f32();
    let trained = of(Precision::F32);
    let worst = |stored: Vec<f32>| stored.iter().zip(&trained).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // For numbers up to 1: half floats have 11 bits, integers 127 steps.
    assert!(worst(of(Precision::F16)) <= 0.5 / 2048.0);
    assert!((0.001..=0.51 / 127.0).contains(&worst(of(Precision::I8))));
    assert_eq!(network.with_precision(Precision::I8).bytes(), 20 * 64 + 64 * 10 + 4 * 2 * 74 + 8 * 30);
}

#[test]
fn half_floats_are_exact_where_they_can_be() {
    for half in (0..0x7c00u16).chain(0x8000..0xfc00) {
        assert_eq!(half::to_f16(half::from_f16(half)), half);
    }
    assert_eq!(half::from_f16(0x3c00), 1.0);
    assert_eq!(half::from_f16(0x0001), f32::from_bits((127 - 24) << 23));
    // Values half way between two half floats are rounded to even.
    assert_eq!(half::to_f16(1.0 + 1.0 / 2048.0), 0x3c00);
    assert_eq!(half::to_f16(1.0 + 3.0 / 2048.0), 0x3c02);
    assert_eq!(half::to_f16(1e9), 0x7bff);
}

#[test]
fn what_is_no_network_is_refused() {
    let good = network(&[3, 4, 2], 1);
    let refused = |change: fn(&mut Network)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad.check().unwrap_err().to_string()
    };
    assert_eq!(refused(|n| n.layers.clear()), "the network has no layers");
    assert_eq!(
        refused(|n| {
            n.layers.pop();
        }),
        "layer 1 takes 2 inputs, expected 4"
    );
    assert_eq!(refused(|n| n.layers[1].bias.push(0.0)), "layer 1 takes 2 inputs, expected 4");
    assert_eq!(refused(|n| n.input_std[1] = 0.0), "input_std, value 1: 0 is not usable");
    let nan = |n: &mut Network| n.layers[0].weights = Weights::F32(vec![f32::NAN; 12]);
    assert_eq!(refused(nan), "weights, value 0: NaN is not usable");
}
