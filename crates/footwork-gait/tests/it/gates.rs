//! Every gate of `footwork gait --report` holds, and each can fail.

use footwork::math::Quat;
use footwork_gait::{GaitClip, GaitOptions, Gate, JERK_JOINTS, coverage, gates, generate, joint, walking_jerk_mps3};
use std::sync::OnceLock;

fn clips() -> &'static [GaitClip] {
    static ALL: OnceLock<Vec<GaitClip>> = OnceLock::new();
    ALL.get_or_init(|| generate(&GaitOptions { terrain: true, crouch: true, gestures: true, ..GaitOptions::default() }))
}

fn measured() -> &'static [Gate] {
    static GATES: OnceLock<Vec<Gate>> = OnceLock::new();
    GATES.get_or_init(|| gates(clips(), &[]))
}

#[test]
fn every_gate_holds() {
    assert!(measured().len() >= 20, "{}", measured().len());
    for g in measured() {
        assert!(g.holds(), "{} is {} ({}), not {} to {}: {}", g.name, g.value, g.at, g.low, g.high, g.source);
        assert!(g.source.len() > 20 && g.low <= g.high, "{}", g.name);
    }
}

#[test]
fn another_seed_is_another_walk_within_the_same_gates() {
    let others =
        generate(&GaitOptions { seed: 7, terrain: true, crouch: true, gestures: true, ..GaitOptions::default() });
    let find =
        |clips: &[GaitClip]| clips.iter().find(|c| c.clip.name == "walk_130_loop").unwrap().clip.rotations.clone();
    assert_ne!(find(clips()), find(&others), "the seed changes the steps");
    for g in gates(&others, &[]) {
        // Random routes of other seeds have other turns. Their worst frame was not reviewed, and they may lack requested motion.
        let within = match g.name {
            "joint_over_its_limit_deg" => g.value < 8.0,
            "coverage_holes" => g.value <= 2.0,
            _ => g.holds(),
        };
        assert!(within, "{} is {} at {}", g.name, g.value, g.at);
    }
}

/// Returns a gate measured on a modified clip.
fn spoilt(name: &str, spoil: impl Fn(&mut GaitClip)) -> Gate {
    let mut clips = clips().to_vec();
    clips.iter_mut().for_each(spoil);
    gates(&clips, &[]).into_iter().find(|g| g.name == name).unwrap()
}

#[test]
fn gates_fail_where_the_person_is_spoilt() {
    let bend = |j: usize, rad: f32| {
        move |c: &mut GaitClip| {
            for f in 0..c.clip.frames() {
                let q = &mut c.clip.rotations[f * joint::COUNT + j];
                *q = *q * Quat::from_rotation_x(rad);
            }
        }
    };
    let lift = |m: f32| {
        move |c: &mut GaitClip| {
            for f in 0..c.clip.frames() {
                c.clip.translations[f * joint::COUNT + joint::HIPS].y += m;
            }
        }
    };
    let upright = |c: &mut GaitClip| {
        for f in (0..c.clip.frames()).filter(|f| c.truth.crouch[*f] == 1.0) {
            c.clip.translations[f * joint::COUNT + joint::HIPS].y += 0.1;
        }
    };
    for (gate, broken) in [
        ("crouch_least_drop_pct_of_leg", spoilt("crouch_least_drop_pct_of_leg", upright)),
        ("crouch_trunk_lean_deg", spoilt("crouch_trunk_lean_deg", bend(joint::SPINE, 0.5))),
        ("crouch_mass_inside_feet_cm", spoilt("crouch_mass_inside_feet_cm", bend(joint::HIPS, 0.8))),
        ("crouch_walk_toe_clearance_cm", spoilt("crouch_walk_toe_clearance_cm", lift(-0.05))),
        ("walk_130_swing_knee_peak_deg", spoilt("walk_130_swing_knee_peak_deg", bend(joint::LEFT_LEG, 0.2))),
        (
            "walk_130_left_right_difference_deg",
            spoilt("walk_130_left_right_difference_deg", bend(joint::LEFT_LEG, 0.2)),
        ),
        ("walk_130_hip_off_normal_of_2_sd", spoilt("walk_130_hip_off_normal_of_2_sd", bend(joint::LEFT_UP_LEG, 0.5))),
        ("planted_toe_slide_mm", spoilt("planted_toe_slide_mm", bend(joint::LEFT_LEG, 0.2))),
        ("sole_below_ground_mm", spoilt("sole_below_ground_mm", lift(-0.01))),
        ("walk_toe_clearance_cm", spoilt("walk_toe_clearance_cm", lift(-0.02))),
        ("joint_over_its_limit_deg", spoilt("joint_over_its_limit_deg", bend(joint::RIGHT_LEG, -0.3))),
        ("standing_mass_inside_feet_cm", spoilt("standing_mass_inside_feet_cm", bend(joint::HIPS, 1.0))),
        (
            "walk_130_pelvis_rise_cm",
            spoilt("walk_130_pelvis_rise_cm", |c: &mut GaitClip| {
                for f in 0..c.clip.frames() {
                    c.clip.translations[f * joint::COUNT + joint::HIPS].y = 0.9;
                }
            }),
        ),
        (
            "walk_130_double_support_pct",
            spoilt("walk_130_double_support_pct", |c: &mut GaitClip| {
                c.truth.touching.iter_mut().for_each(|t| *t = [true, true]);
            }),
        ),
        (
            "run_shortest_flight_ms",
            spoilt("run_shortest_flight_ms", |c: &mut GaitClip| {
                c.truth.touching.iter_mut().for_each(|t| *t = if *t == [false, false] { [true, false] } else { *t });
            }),
        ),
    ] {
        assert!(!broken.holds(), "{gate}: {}", broken.value);
    }
}

#[test]
fn without_routes_and_starts_the_coverage_has_holes() {
    let straight: Vec<GaitClip> = clips()
        .iter()
        .filter(|c| c.clip.name.starts_with("walk_") || c.clip.name.starts_with("run_"))
        .cloned()
        .collect();
    let holes = coverage(&straight).iter().filter(|c| c.is_hole()).count();
    assert!(holes > 20, "{holes}");
    assert_eq!(coverage(clips()).iter().filter(|c| c.is_hole()).count(), 0);
}

#[test]
fn jerk_is_a_third_derivative() {
    let mut clip = clips().iter().find(|c| c.clip.name == "walk_130").unwrap().clip.clone();
    let frames = clip.frames();
    // z = 2 t^3 / 6 + 1.3 t: a jerk of 2 m/s^3 in every joint, at a walk.
    for f in 0..frames {
        let t = f as f32 / clip.rate_hz - 0.5 * frames as f32 / clip.rate_hz;
        clip.translations[f * joint::COUNT].z = t * t * t / 3.0 * 0.5 + 1.2 * t;
        for j in 0..joint::COUNT {
            clip.rotations[f * joint::COUNT + j] = Quat::IDENTITY;
        }
        clip.translations[f * joint::COUNT + joint::HIPS].y = 0.9;
        clip.translations[f * joint::COUNT + joint::HIPS].x = 0.0;
        clip.translations[f * joint::COUNT + joint::HIPS].z = 0.0;
    }
    let (jerk, counted) = walking_jerk_mps3(&clip, &JERK_JOINTS);
    assert!(counted > 30 && (jerk - 1.0).abs() < 0.15, "{jerk} over {counted} frames");
}
