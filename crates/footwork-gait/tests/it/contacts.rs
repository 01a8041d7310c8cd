//! Planted feet do not move, and contacts match the positions of the feet.

use crate::common;

use common::{TOES, all};
use footwork_gait::{Side, TOE_HEIGHT_M, joint};

#[test]
fn a_planted_toe_moves_less_than_a_millimetre() {
    for w in all() {
        for side in Side::BOTH {
            let mut planted_at = None;
            for f in 0..w.frames() {
                if !w.gait.truth.contacts[f][side.at()] {
                    planted_at = None;
                    continue;
                }
                let toe = w.at(f, TOES[side.at()]);
                let start = *planted_at.get_or_insert(toe);
                assert!((toe - start).length() < 1e-3, "{} frame {f} {side:?}", w.name());
                if f > 0 {
                    let speed = (toe - w.at(f - 1, TOES[side.at()])).length() * w.rate();
                    // The previous frame may be in swing: then this is the end of the roll from heel to toe.
                    let bound = if w.gait.truth.contacts[f - 1][side.at()] { 0.05 } else { 1.5 };
                    assert!(speed < bound, "{} frame {f} {side:?}: {speed} m/s", w.name());
                }
            }
        }
    }
}

#[test]
fn planted_toes_are_where_the_footsteps_say() {
    for w in all() {
        for f in 0..w.frames() {
            let t = f as f32 / w.rate();
            for side in Side::BOTH {
                let step = w.gait.truth.footsteps.iter().find(|s| s.side == side && s.start_s <= t && t <= s.end_s);
                // The last frame may be at the end of the last step.
                let expected = step.is_some();
                assert_eq!(w.gait.truth.contacts[f][side.at()], expected, "{} frame {f} {side:?}", w.name());
                if let Some(step) = step {
                    let toe = w.at(f, TOES[side.at()]);
                    let error = toe - step.position - glam::Vec3::Y * TOE_HEIGHT_M;
                    assert!(error.length() < 1e-3, "{} frame {f} {side:?}: {error}", w.name());
                }
            }
        }
    }
}

#[test]
fn nothing_sinks_into_the_ground() {
    for w in all() {
        for f in 0..w.frames() {
            for toe in TOES {
                assert!(w.at(f, toe).y > -0.005, "{} frame {f}", w.name());
                // The heel: a fifth of the foot's length behind the ankle, on the sole.
                let foot = w.world[f][toe - 1];
                let heel = foot.point(glam::Vec3::new(0.0, -0.039 * 1.75, -0.2 * 0.152 * 1.75));
                assert!(heel.y > -0.005, "{} frame {f}: heel at {} m", w.name(), heel.y);
            }
        }
    }
}

#[test]
fn contacts_found_by_speed_agree_with_the_truth() {
    let (mut same, mut total) = (0, 0);
    for w in all() {
        for f in 1..w.frames() - 1 {
            for side in Side::BOTH {
                let speed = (w.at(f + 1, TOES[side.at()]) - w.at(f - 1, TOES[side.at()])).length() * 0.5 * w.rate();
                same += usize::from((speed < 0.15) == w.gait.truth.contacts[f][side.at()]);
                total += 1;
            }
        }
    }
    let share = same as f64 / total as f64;
    println!("agreement {share:.4}");
    assert!(share > 0.95, "{share}");
}

#[test]
fn a_walk_always_stands_on_a_foot_and_a_run_flies() {
    let supported = |name: &str, count: usize| {
        let w = common::find(name);
        let frames = w.gait.truth.touching.iter().filter(|c| c.iter().filter(|on| **on).count() == count).count();
        frames as f32 / w.frames() as f32
    };
    for run in ["run_250_loop", "run_320_loop", "run_400_loop"] {
        assert!(supported(run, 0) > 0.2 && supported(run, 2) == 0.0, "{run}");
    }
    assert!(supported("walk_125_loop", 2) > 0.2 && supported("walk_125_loop", 0) == 0.0);
    assert_eq!(supported("idle", 2), 1.0);
}

#[test]
fn every_plant_is_an_event() {
    for w in all() {
        let plants = w.gait.truth.footsteps.iter().filter(|s| s.start_s >= 0.0).count();
        let events = &w.gait.clip.annotations.events;
        assert!(events.is_sorted_by(|a, b| a.time_s <= b.time_s));
        assert_eq!(events.iter().filter(|e| e.name.ends_with("_footstep")).count(), plants, "{}", w.name());
        let others = events.len() - plants;
        assert!(others == 0 || ["wave_left", "wave_right", "reload"].contains(&w.name()), "{}", w.name());
    }
    assert_eq!(joint::COUNT, 23);
}
