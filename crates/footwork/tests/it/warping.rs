//! Orientation and stride warping of a built-in walk: the errors that they remove, and the values that they preserve.

use crate::common;

use common::walk::{REACH, Walk, yaw};
use footwork::adjust::lower_body::LowerBody;
use footwork::adjust::orientation_warp::OrientationWarpConfig;
use footwork::adjust::stride_warp::{StrideWarp, StrideWarpConfig};
use footwork::math::{Facing, Transform};

#[test]
fn a_walk_warped_by_30_degrees_slides_no_more_and_the_chest_faces_ahead() {
    let walk = Walk::new("walk_125_loop");
    let angle = 30f32.to_radians();
    for hips_share in [0.0, 0.5, 1.0] {
        let config = OrientationWarpConfig { hips_share, ..Default::default() };
        // The root moves in the new direction, at the same speed, facing ahead.
        let sent = |pose: &mut footwork::pose::Pose| pose.translations[0] = yaw(30.0) * pose.translations[0];
        let plain = walk.slide_mps(|_, _| {});
        let without = walk.slide_mps(|_, pose| sent(pose));
        let mut turned: f32 = 0.0;
        let with = walk.slide_mps(|_, pose| {
            sent(pose);
            let upper = ["Spine2", "Head"].map(|n| walk.joint(n));
            let before = upper.map(|j| walk.at(pose, j).rotation);
            walk.bend(pose, |lower, pose| config.apply(angle, lower, pose));
            for (joint, before) in upper.into_iter().zip(before) {
                turned = turned.max(walk.at(pose, joint).rotation.angle_between(before).to_degrees());
            }
        });
        println!(
            "share {hips_share}: slide {plain:.4} as captured, {without:.4} unwarped, {with:.4} warped m/s; upper body {turned:.3} deg"
        );
        // Legs that do all of the turning are too short in some frames.
        assert!(without > 0.3 && with < plain + 0.02, "{plain} {without} {with}");
        assert!(turned < 1.0);
    }
}

#[test]
fn longer_and_shorter_strides_cover_the_ground_without_sliding() {
    for (name, factors) in
        [("walk_125_loop", [0.9, 1.1]), ("walk_175_loop", [0.9, 1.1]), ("run_320_loop", [0.9, 1.125])]
    {
        let walk = Walk::new(name);
        let config = StrideWarpConfig::default();
        for factor in factors {
            let sent = |pose: &mut footwork::pose::Pose| pose.translations[0] *= factor;
            let plain = walk.slide_mps(|_, _| {});
            let without = walk.slide_mps(|_, pose| sent(pose));
            let mut state = StrideWarp::default();
            for frame in 0..walk.frames() {
                let lower = LowerBody::of(&walk.skeleton, &walk.body, REACH, &walk.pose(frame));
                state.update(&config, Facing::FORWARD, factor - 1.0, &lower, walk.dt_s());
            }
            let (mut low, mut high) = (f32::MAX, f32::MIN);
            let with = walk.slide_mps(|_, pose| {
                sent(pose);
                walk.bend(pose, |lower, pose| {
                    state.update(&config, Facing::FORWARD, factor - 1.0, lower, walk.dt_s());
                    state.apply(Facing::FORWARD, lower, pose);
                });
                (low, high) = (low.min(state.sunk.value), high.max(state.sunk.value));
            });
            println!(
                "{name} x {factor}: slide {plain:.4} as captured, {without:.4} unwarped, {with:.4} warped m/s; pelvis {low:.3} to {high:.3} m lower"
            );
            assert!(with < plain + 0.1 * (without - plain), "{plain} {without} {with}");
            assert!(high < 0.08);
        }
    }
}

#[test]
fn no_warp_is_no_change() {
    let walk = Walk::new("walk_125_loop");
    let mut pose = walk.pose(10);
    let mut lower = LowerBody::of(&walk.skeleton, &walk.body, REACH, &pose);
    OrientationWarpConfig::default().apply(0.0, &mut lower, &mut pose);
    StrideWarp::default().apply(Facing::FORWARD, &mut lower, &mut pose);
    let (hips, legs) = (lower.hips(), lower.legs().iter().flatten().map(|leg| leg.toe).collect::<Vec<_>>());
    let as_it_was = LowerBody::of(&walk.skeleton, &walk.body, REACH, &pose);
    assert_eq!((hips, legs), (as_it_was.hips(), as_it_was.legs().iter().flatten().map(|leg| leg.toe).collect()));
    assert_eq!(pose, walk.pose(10));
    assert_eq!(Transform::IDENTITY, pose.world_from_root().inverse() * pose.world_from_root());
}
