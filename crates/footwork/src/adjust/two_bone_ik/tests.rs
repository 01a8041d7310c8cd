use super::*;

const REACH: Reach = Reach { soft_m: 0.03, kept_m: 0.01 };

fn leg() -> BentLeg {
    let joint = |x: f32, y: f32, z: f32| Transform::new(Vec3::new(x, y, z), Quat::IDENTITY);
    let [hip, knee, ankle, toe] = [1, 2, 3, 4].map(JointIndex::new);
    BentLeg {
        leg: Leg { hip, knee, ankle, toe, hinge: Vec3::ZERO },
        above: joint(0.0, 1.0, 0.0),
        hip: joint(0.1, 0.95, 0.0),
        knee: joint(0.1, 0.52, 0.08),
        ankle: joint(0.1, 0.1, -0.02),
        toe: joint(0.1, 0.02, 0.12),
        pole: Vec3::new(0.0, -0.08, 0.14),
    }
}

#[test]
fn a_toe_that_stays_leaves_the_leg_as_it_is() {
    // The leg is bent well.
    let (mut bent, before) = (leg(), leg());
    bent.reach(before.toe.translation, Reach { soft_m: 0.005, ..REACH });
    for (a, b) in [(bent.hip, before.hip), (bent.knee, before.knee), (bent.ankle, before.ankle)] {
        assert!((a.translation - b.translation).length() < 1e-5 && a.rotation.angle_between(b.rotation) < 1e-3);
    }
}

#[test]
fn the_toe_arrives_bones_keep_their_length_and_the_foot_its_attitude() {
    for by in [Vec3::new(0.1, 0.05, 0.1), Vec3::new(-0.2, 0.1, -0.1), Vec3::new(0.0, 0.3, 0.2)] {
        let (mut bent, before) = (leg(), leg());
        let target = before.toe.translation + by;
        bent.reach(target, REACH);
        assert!((bent.toe.translation - target).length() < 1e-4, "{by}");
        let bone = |l: &BentLeg| {
            let (a, b, c) = (l.hip.translation, l.knee.translation, l.ankle.translation);
            ((b - a).length(), (c - b).length())
        };
        assert!((bone(&bent).0 - bone(&before).0).abs() < 1e-4 && (bone(&bent).1 - bone(&before).1).abs() < 1e-4);
        assert!(bent.ankle.rotation.angle_between(before.ankle.rotation) < 1e-3);
        // The knee still bends forward.
        assert!(bent.knee.translation.z > (bent.hip.translation.z + bent.ankle.translation.z) * 0.5);
    }
}

/// The leg with its knee at an angle to the pole, about the line from hip to ankle; its ankle below the hip.
fn knee_aside(angle_deg: f32) -> BentLeg {
    let (bent, hip) = (leg(), leg().hip.translation);
    let turn = Quat::from_rotation_y(angle_deg.to_radians());
    let knee = Transform::new(hip + Vec3::Y * -0.4 + turn * (Vec3::Z * 0.15), Quat::IDENTITY);
    let ankle = Transform::new(hip + Vec3::Y * -0.8, Quat::IDENTITY);
    let toe = Transform::new(ankle.translation + Vec3::new(0.0, -0.08, 0.14), Quat::IDENTITY);
    BentLeg { knee, ankle, toe, pole: Vec3::Z, ..bent }
}

#[test]
fn a_knee_that_bends_to_the_side_stays_there_and_turns_to_the_pole_without_a_step() {
    let loose = Reach { soft_m: 0.0, kept_m: 0.0 };
    for angle_deg in [0.0, 40.0, 90.0, -60.0] {
        let (mut bent, before) = (knee_aside(angle_deg), knee_aside(angle_deg));
        bent.reach(before.toe.translation, loose);
        assert!((bent.knee.translation - before.knee.translation).length() < 1e-4, "{angle_deg}");
    }
    // The hip sinks by 8 cm while the knee turns from the front to the back.
    let knee = |angle_deg: f32| {
        let mut bent = knee_aside(angle_deg);
        let toe = bent.toe.translation;
        bent.shift(Vec3::Y * -0.08);
        bent.reach(toe, loose);
        assert!((bent.toe.translation - toe).length() < 1e-4, "{angle_deg}");
        bent.knee.translation
    };
    let steps = (0..180).map(|k| (knee(k as f32 + 1.0) - knee(k as f32)).length());
    assert!(steps.clone().all(|step| step < 0.008), "{:?}", steps.fold(0.0, f32::max));
    assert!(knee(180.0).z > 0.1, "an overstretched knee bends to the pole: {}", knee(180.0));
}

#[test]
fn what_is_out_of_reach_is_pointed_at_and_the_knee_never_straightens() {
    let mut bent = leg();
    bent.reach(Vec3::new(0.1, 0.0, 2.0), REACH);
    let length = 0.437_38 + 0.431_74;
    let distance = (bent.ankle.translation - bent.hip.translation).length();
    assert!(distance < length - REACH.kept_m + 1e-4, "{distance}");
    let aim = (Vec3::new(0.1, 0.0, 2.0) - bent.ankle.translation).normalize();
    assert!((bent.toe.translation - bent.ankle.translation).normalize().dot(aim) > 0.9999);
}

#[test]
fn stretching_slows_down_before_the_end_without_a_step() {
    let at = |d: f32| REACH.limit(d, 1.0);
    assert_eq!(at(0.95), 0.95);
    assert!(at(5.0) <= 0.99 + 1e-6 && at(1.2) > 0.9899);
    for k in 0..200 {
        let d = 0.9 + k as f32 * 0.001;
        let [a, b, c] = [0.0, 0.001, 0.002].map(|by| at(d + by));
        assert!((0.0..=0.001_01).contains(&(b - a)), "{d} {}", b - a);
        assert!((c - 2.0 * b + a).abs() < 5e-5, "{d}");
    }
}

#[test]
fn a_toe_approaches_a_point_without_a_snap_of_the_knee() {
    let down = Vec3::NEG_Y;
    let whole = Reach { soft_m: 0.0, kept_m: 0.0 };
    // A leg with the ankle at a distance from the hip, whose toe approaches a point further down.
    let of = |now_m: f32, by_m: f32| {
        let mut bent = leg();
        let foot = bent.toe.translation - bent.ankle.translation;
        bent.reach(bent.hip.translation + down * now_m + foot, whole);
        let before = bent;
        bent.approach(bent.toe.translation + down * by_m);
        (before, bent)
    };
    let length_m = leg().length_m();
    for now_m in [0.6, 0.75, 0.84, 0.86, length_m - 1e-3] {
        let (before, same) = of(now_m, 0.0);
        assert!((same.knee.translation - before.knee.translation).length() < 1e-3, "{now_m}");
        let knees: Vec<Vec3> = (0..400).map(|k| of(now_m, 0.2 - 0.001 * k as f32).1.knee.translation).collect();
        let steps: Vec<f32> = knees.windows(2).map(|k| (k[1] - k[0]).length()).collect();
        assert!(steps.iter().all(|step| *step < 0.004), "{now_m} {:?}", steps.iter().copied().fold(0.0, f32::max));
        // The knee of a leg that is straight in its clip starts to bend fast.
        let sharpest = steps.windows(2).map(|s| (s[1] - s[0]).abs()).fold(0.0, f32::max);
        assert!(sharpest < 3e-4 || now_m > 0.86, "{now_m} {sharpest}");
        // The leg never becomes straight.
        assert!(
            of(now_m, 5.0).1.length_m() - (of(now_m, 5.0).1.ankle.translation - leg().hip.translation).length() > 0.0
        );
    }
    // The toe of a well bent leg moves by most of the distance.
    for by_m in [-0.05, -0.02, 0.02, 0.05] {
        let (before, after) = of(0.6, by_m);
        let moved_m = (before.toe.translation.y - after.toe.translation.y) / by_m;
        assert!((0.75..=1.0).contains(&moved_m), "{by_m} {moved_m}");
    }
}

#[test]
fn a_folded_leg_is_hardly_turned_towards_a_far_point() {
    let whole = Reach { soft_m: 0.0, kept_m: 0.0 };
    for now_m in [0.15, 0.3, 0.8] {
        let mut before = leg();
        let foot = before.toe.translation - before.ankle.translation;
        before.reach(before.hip.translation + Vec3::NEG_Y * now_m + foot, whole);
        let direction = |leg: &BentLeg| (leg.ankle.translation - leg.hip.translation).normalize();
        for by in [Vec3::X, Vec3::Z, Vec3::new(0.4, 0.5, -0.3), Vec3::Y * 0.2, Vec3::NEG_Z * 0.02] {
            let mut after = before;
            after.approach(before.toe.translation + by);
            let turned_rad = acos(direction(&before).dot(direction(&after)));
            // The arc sine of the share.
            assert!(turned_rad < 0.42, "{now_m} {by} {turned_rad}");
            let moved_m = (after.toe.translation - before.toe.translation).length();
            assert!(by.length() > 0.3 * now_m || moved_m > 0.9 * by.length(), "{now_m} {by} {moved_m}");
        }
    }
}

#[test]
fn a_leg_is_stretched_less_the_straighter_it_is() {
    let (down, whole, behind_m) = (Vec3::NEG_Y, Reach { soft_m: 0.0, kept_m: 0.0 }, 0.08);
    let of = |distance_m: f32, share: f32| {
        let mut bent = leg();
        let foot = bent.toe.translation - bent.ankle.translation;
        bent.reach(bent.hip.translation + down * distance_m + foot, whole);
        let now_m = (bent.ankle.translation - bent.hip.translation).length();
        let toe = bent.toe.translation;
        let target = bent.less_stretched(toe + down * behind_m, share, REACH);
        (now_m, (target - toe).length())
    };
    let stretches: Vec<(f32, f32)> = (0..60).map(|k| of(0.866 - 0.004 * k as f32, 0.0)).collect();
    assert!(stretches[0].1 < 0.015 && stretches[59].1 > 0.7 * behind_m, "{stretches:?}");
    for pair in stretches.windows(2) {
        // The leg becomes shorter, but more slowly than without a correction.
        let (own_m, more_m) = (pair[0].0 - pair[1].0, pair[1].1 - pair[0].1);
        assert!((0.0..=own_m + 1e-6).contains(&more_m), "{pair:?}");
    }
    assert!((of(0.86, 1.0).1 - behind_m).abs() < 1e-6 && of(0.86, 0.5).1 > of(0.86, 0.0).1);
    // Nothing keeps a leg from bending.
    let bent = leg();
    let up = bent.toe.translation + Vec3::Y * 0.05;
    assert_eq!(bent.less_stretched(up, 0.0, REACH), up);
}
