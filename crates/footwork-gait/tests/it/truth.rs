//! Speeds, balance, coverage and bytes.

use crate::common;

use common::{all, find};
use footwork::advanced::math::wrap_angle;
use footwork_gait::{GaitOptions, generate, joint};

#[test]
fn steady_clips_move_at_their_nominal_speed() {
    for (name, speed) in [
        ("walk_80", 0.8),
        ("walk_125", 1.25),
        ("walk_175_loop", 1.75),
        ("run_250", 2.5),
        ("run_320_loop", 3.2),
        ("run_400", 4.0),
        ("backward_walk", 1.25),
        ("backward_run", 2.5),
        ("strafe_walk_90_left", 1.5),
        ("strafe_run_90_right", 3.0),
    ] {
        let w = find(name);
        let last = w.frames() - 1;
        let way = (w.at(last, joint::ROOT) - w.at(0, joint::ROOT)).length();
        let mean = way * w.rate() / last as f32;
        assert!((mean - speed).abs() < 1e-3, "{name}: {mean}");
        assert!(w.gait.truth.speed_mps.iter().all(|v| (v - speed).abs() < 1e-3), "{name}");
    }
}

#[test]
fn the_true_speed_and_heading_are_those_of_the_root() {
    for w in all() {
        for f in 1..w.frames() - 1 {
            let v = (w.at(f + 1, 0) - w.at(f - 1, 0)) * (0.5 * w.rate());
            let truth = w.gait.truth.heading[f].direction() * w.gait.truth.speed_mps[f];
            assert!((v - truth).length() < 0.05, "{} frame {f}: {v} {truth}", w.name());
        }
    }
}

#[test]
fn cadence_times_step_length_is_the_speed() {
    for (name, speed) in [("walk_125", 1.25), ("walk_175", 1.75), ("run_400", 4.0)] {
        let w = find(name);
        let mut steps: Vec<_> = w.gait.truth.footsteps.iter().filter(|s| s.start_s > 0.0).collect();
        steps.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        for pair in steps.windows(2) {
            let (length, time) = (pair[1].position.z - pair[0].position.z, pair[1].start_s - pair[0].start_s);
            // Step lengths vary.
            assert!((length / time - speed).abs() < 0.1 * speed, "{name}: {length} m in {time} s");
        }
        // On average, the steps have the speed of the body.
        let (first, last) = (steps.first().unwrap(), steps.last().unwrap());
        let mean = (last.position.z - first.position.z) / (last.start_s - first.start_s);
        assert!((mean - speed).abs() < 0.02 * speed, "{name}: {mean} m/s");
    }
}

#[test]
fn left_and_right_are_balanced() {
    let mut turned = 0.0f64;
    for w in all() {
        for f in 1..w.frames() {
            let yaw = |f: usize| 2.0 * footwork::advanced::math::atan2(w.rotation(f, 0).y, w.rotation(f, 0).w);
            turned += f64::from(wrap_angle(yaw(f) - yaw(f - 1)));
        }
    }
    assert!(turned.abs() < 0.01, "{turned} rad");
}

#[test]
fn mirrored_clips_are_mirror_images() {
    let mut pairs = 0;
    for left in all() {
        let name = left.name();
        let twin = match name.strip_suffix("_left") {
            Some(base) => format!("{base}_right"),
            None if name.starts_with("route") && !name.ends_with("mirrored") => format!("{name}_mirrored"),
            None => continue,
        };
        let right = find(&twin);
        pairs += 1;
        assert_eq!(left.frames(), right.frames(), "{name}");
        for f in (0..left.frames()).step_by(7) {
            for (a, b) in [(joint::LEFT_TOE, joint::RIGHT_TOE), (joint::RIGHT_HAND, joint::LEFT_HAND)] {
                let (l, r) = (left.at(f, a), right.at(f, b));
                assert!((l.x + r.x).abs() + (l.y - r.y).abs() + (l.z - r.z).abs() < 2e-3, "{name} frame {f}: {l} {r}");
            }
        }
    }
    assert!(pairs > 40, "{pairs}");
}

#[test]
fn whatever_a_stick_asks_for_is_there() {
    // Counts frames within 10 % of a speed and 15 degrees of a direction relative to the facing.
    let count = |speed: f32, angle: f32| {
        let mut n = 0;
        for w in all() {
            for f in 0..w.frames() {
                let (v, root) = (w.gait.truth.speed_mps[f], w.gait.truth.root[f]);
                let facing = footwork::math::Facing::from_rotation(root.rotation);
                let travel = facing.angle_to(w.gait.truth.heading[f]);
                let off = wrap_angle(travel - angle.to_radians()).abs();
                n += usize::from((v - speed).abs() < 0.1 * speed && off < 15f32.to_radians());
            }
        }
        n
    };
    let mut table = String::new();
    let mut least = usize::MAX;
    // Full stick: forward, diagonal, side, back diagonal, back; axes are scaled separately.
    for (kind, rows) in [
        ("walk", [(1.75, 0.0), (1.63, 40.6), (1.5, 90.0), (1.38, 129.8), (1.25, 180.0)]),
        ("run", [(4.0, 0.0), (3.54, 36.9), (3.0, 90.0), (2.76, 129.8), (2.5, 180.0)]),
    ] {
        for (speed, angle) in rows {
            for side in [1.0, -1.0] {
                let n = count(speed, angle * side);
                table += &format!("{kind} {speed} m/s at {} degrees: {n} frames\n", angle * side);
                least = least.min(n);
            }
        }
    }
    println!("{table}");
    assert!(least > 120, "{table}");
}

/// FNV-1a over all data that reaches a database.
fn hash(options: &GaitOptions) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    let mut eat = |bits: u32| {
        for byte in bits.to_le_bytes() {
            h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for g in generate(options) {
        g.clip.translations.iter().for_each(|t| t.to_array().map(f32::to_bits).into_iter().for_each(&mut eat));
        g.clip.rotations.iter().for_each(|q| q.to_array().map(f32::to_bits).into_iter().for_each(&mut eat));
        g.clip.annotations.events.iter().for_each(|e| eat(e.time_s.to_bits()));
        g.truth.contacts.iter().for_each(|c| eat(u32::from(c[0]) * 2 + u32::from(c[1])));
    }
    h
}

#[test]
fn the_same_bytes_come_out_everywhere() {
    // Changes with every change of the motion. After reviewing the motion, write the printed number here.
    const EXPECTED: u64 = 0x8071_d742_c50c_db88;
    const EXPECTED_ASIDE: u64 = 0x8b48_0cde_4236_12c2;
    const EXPECTED_ACTIONS: u64 = 0x5d0c_5756_f7b4_8045;
    let level = |seed: u64| GaitOptions { seed, terrain: true, ..GaitOptions::default() };
    let (a, b) = (hash(&level(1)), hash(&level(1)));
    assert_eq!(a, b, "twice the same options");
    assert_ne!(a, hash(&level(2)), "the seed changes the routes");
    assert_eq!(a, EXPECTED, "the built-in data changed: {a:#018x}");
    let aside = hash(&GaitOptions { routes: false, crouch: true, gestures: true, ..GaitOptions::default() });
    assert_eq!(aside, EXPECTED_ASIDE, "crouch or gestures changed: {aside:#018x}");
    let actions = hash(&GaitOptions { routes: false, actions: true, ..GaitOptions::default() });
    assert_eq!(actions, EXPECTED_ACTIONS, "actions changed: {actions:#018x}");
}

#[test]
fn a_stance_is_asked_for_by_its_tag_and_gestures_by_theirs() {
    let mut found = std::collections::BTreeSet::new();
    for w in all() {
        let tags = &w.gait.clip.annotations.tags;
        let tagged = |name: &str| tags.iter().any(|t| t.name == name);
        let at = |f: usize| (f as f32 + 0.5) / w.rate();
        let within = |name: &str, f: usize| tags.iter().any(|t| t.name == name && t.range.contains(at(f)));
        let aside = w.gait.truth.crouch.iter().any(|c| *c > 0.0) || tagged("upper_body");
        assert_eq!(tagged("no_locomotion"), aside, "{}", w.name());
        for f in 1..w.frames() - 1 {
            let c = &w.gait.truth.crouch;
            let (sinks, rises) = (c[f + 1] > c[f], c[f + 1] < c[f]);
            assert_eq!(within("crouch", f), sinks || (c[f] == 1.0 && !rises), "{} frame {f}", w.name());
            assert!(!rises || within("stand_up", f), "{} frame {f}", w.name());
        }
        let gesture = ["aim", "wave", "reload", "look_around"].into_iter().find(|g| tagged(g));
        assert_eq!(gesture.is_some(), tagged("upper_body"), "{}", w.name());
        if let Some(gesture) = gesture {
            found.insert(gesture);
            assert!(w.gait.truth.footsteps.iter().all(|s| s.start_s < 0.0), "{} stands", w.name());
        }
    }
    assert_eq!(found.len(), 4);
    let events =
        |name: &str| find(name).gait.clip.annotations.events.iter().map(|e| e.name.clone()).collect::<Vec<_>>();
    assert_eq!(events("reload"), ["reload_magazine_out", "reload_magazine_in", "reload_slide"]);
    assert_eq!(events("wave_right"), ["wave_begin", "wave_end"]);
}

#[test]
fn an_aim_looks_and_points_where_its_name_says() {
    for (name, yaw, pitch) in [
        ("aim_level_yaw_0", 0.0, 0.0),
        ("aim_level_yaw_70_left", 70.0, 0.0),
        ("aim_up_40_yaw_35_right", -35.0, -40.0),
        ("aim_down_40_yaw_70_left", 70.0, 40.0),
    ] {
        let w = find(name);
        let way = |v: glam::Vec3| {
            let flat = (v.x * v.x + v.z * v.z).sqrt();
            (
                footwork::advanced::math::atan2(v.x, v.z).to_degrees(),
                -footwork::advanced::math::atan2(v.y, flat).to_degrees(),
            )
        };
        let head = way(w.world[0][joint::HEAD].rotation * glam::Vec3::Z);
        let weapon = way(w.world[0][joint::LEFT_HAND].rotation * glam::Vec3::X);
        for (what, (y, p)) in [("head", head), ("hand", weapon)] {
            assert!((y - yaw).abs() < 9.0 && (p - pitch).abs() < 9.0, "{name}: {what} at {y:.1}, {p:.1}");
        }
    }
}

#[test]
fn there_are_minutes_of_it_and_names_are_unique() {
    let seconds: f32 = all().iter().map(|w| w.frames() as f32 / w.rate()).sum();
    println!("{} clips, {seconds:.1} s", all().len());
    assert!((600.0..=1800.0).contains(&seconds), "{seconds}");
    let mut names: Vec<_> = all().iter().map(|w| w.name()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(all()[0].name(), "idle");
}

#[test]
fn other_rates_give_the_same_motion() {
    let slow = generate(&GaitOptions { rate_hz: 30.0, routes: false, ..GaitOptions::default() });
    for g in &slow {
        if g.clip.looping {
            continue;
        }
        let fast = find(&g.clip.name);
        for f in 0..g.clip.frames().min(fast.frames().div_ceil(2)) {
            let error = (g.truth.root[f].translation - fast.gait.truth.root[2 * f].translation).length();
            assert!(error < 1e-4, "{} frame {f}: {error}", g.clip.name);
            assert_eq!(g.truth.contacts[f], fast.gait.truth.contacts[2 * f], "{} frame {f}", g.clip.name);
        }
    }
}
