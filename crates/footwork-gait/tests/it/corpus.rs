//! Routes of a corpus are motion of the same quality as the built-in clips.

use crate::common;

use common::{TOES, Walked, walk};
use footwork_gait::{Side, corpus, joint};

fn routes() -> Vec<Walked> {
    corpus(0.12, 5).iter().map(|route| walk(route.generate())).collect()
}

#[test]
fn planted_toes_stay_and_no_joint_pops() {
    let routes = routes();
    assert!(routes.len() >= 5, "every kind of route");
    for w in &routes {
        let planted = |f: usize, side: Side| w.gait.truth.contacts[f][side.at()];
        let fastest = w.gait.truth.speed_mps.iter().copied().fold(0.0, f32::max);
        for f in 2..w.frames() {
            for side in Side::BOTH.into_iter().filter(|side| planted(f, *side) && planted(f - 1, *side)) {
                let toe = TOES[side.at()];
                let moved_m = (w.at(f, toe) - w.at(f - 1, toe)).length();
                assert!(moved_m < 1e-3, "{} frame {f} {side:?}: {moved_m} m", w.name());
            }
            for j in joint::HIPS..joint::COUNT {
                let change_mps = (w.at(f, j) - w.at(f - 1, j) * 2.0 + w.at(f - 2, j)).length() * w.rate();
                assert!(change_mps < 2.6 + 0.75 * fastest.max(1.6), "{} frame {f} joint {j}: {change_mps}", w.name());
            }
        }
    }
}

#[test]
fn routes_differ_in_speed_direction_and_facing() {
    let of = |kind: &str| {
        let routes = corpus(0.3, 5);
        let of_kind = routes.into_iter().filter(|r| r.name.ends_with(kind));
        let (mut speed_sum, mut aside, mut moving) = (0.0, 0, 0);
        for w in of_kind.map(|route| walk(route.generate())) {
            let truth = &w.gait.truth;
            for f in (0..w.frames()).filter(|f| truth.speed_mps[*f] > 0.3) {
                moving += 1;
                speed_sum += truth.speed_mps[f];
                let along = (truth.root[f].rotation * glam::Vec3::Z).dot(truth.heading[f].direction());
                aside += usize::from(along < 0.7);
            }
        }
        (speed_sum / moving as f32, aside as f32 / moving as f32)
    };
    let (stroll, jog, strafe) = (of("stroll"), of("jog"), of("strafe"));
    assert!(stroll.0 < 1.5 && jog.0 > 2.0, "{stroll:?} {jog:?}");
    // Every kind also strafes at times.
    assert!(strafe.1 > 1.2 * stroll.1, "{strafe:?} {stroll:?}");
}
