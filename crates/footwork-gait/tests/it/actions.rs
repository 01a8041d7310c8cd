//! Actions match their ground truth: contacts, flights, steps, obstacles, phases.

use crate::common;

use common::{TOES, Walked, walk};
use footwork::database::Database;
use footwork_gait::{
    ActionKind, ActionTruth, GaitClip, GaitOptions, Gate, TOE_HEIGHT_M, gates, generate, joint, skeleton,
};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Clips of all actions.
fn actions() -> &'static [Walked] {
    static ALL: OnceLock<Vec<Walked>> = OnceLock::new();
    ALL.get_or_init(|| {
        let clips = generate(&GaitOptions { routes: false, actions: true, ..GaitOptions::default() });
        clips.into_iter().filter(|c| c.truth.action.is_some()).map(walk).collect()
    })
}

fn truth(w: &Walked) -> &ActionTruth {
    w.gait.truth.action.as_ref().expect("filtered above")
}

/// Returns the frames within a time range.
fn frames(w: &Walked, from_s: f32, to_s: f32) -> std::ops::RangeInclusive<usize> {
    let first = (from_s * w.rate() - 1e-3).ceil().max(0.0) as usize;
    first..=((to_s * w.rate() + 1e-3) as usize).min(w.frames() - 1)
}

/// Returns the distance of a point beyond the obstacle's edge, and its height over the ground before; `None` without an
/// obstacle.
fn along(a: &ActionTruth, p: Vec3) -> Option<(f32, f32)> {
    let o = a.obstacle?;
    let way = footwork::math::Facing::from_yaw(o.yaw).direction();
    Some(((p - o.front).dot(way), p.y - (o.front.y - o.height_m.max(0.0))))
}

/// Returns the height of the surface under a point, over the ground before the obstacle; `None` over a gap or without an obstacle.
fn surface(a: &ActionTruth, along_m: f32) -> Option<f32> {
    let o = a.obstacle?;
    let over = along_m > 0.0 && along_m < o.depth_m;
    if over && o.height_m == 0.0 { None } else { Some(if over { o.height_m } else { 0.0 }) }
}

#[test]
fn every_kind_is_there_in_at_most_thirteen_takes_under_its_own_tag() {
    let mut takes: BTreeMap<ActionKind, Vec<&str>> = BTreeMap::new();
    for w in actions() {
        let a = truth(w);
        let tags: Vec<&str> = w.gait.clip.annotations.tags.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(tags, [a.kind.tag(), Database::NO_LOCOMOTION], "{}", w.name());
        assert!(w.name().starts_with(a.kind.tag()), "{}", w.name());
        assert!(!w.gait.clip.looping);
        if !w.name().ends_with("_right") {
            takes.entry(a.kind).or_default().push(w.name());
        }
        if let Some(base) = w.name().strip_suffix("_left") {
            assert!(actions().iter().any(|m| m.name() == format!("{base}_right")), "{base}");
        }
    }
    assert_eq!(takes.len(), ActionKind::ALL.len(), "{takes:?}");
    assert!(takes.values().all(|t| (3..=13).contains(&t.len())), "{takes:?}");
}

#[test]
fn phases_follow_each_other_within_the_clip() {
    for w in actions() {
        let p = truth(w).phases;
        let seconds = (w.frames() - 1) as f32 / w.rate();
        let times = [0.0, p.wind_up_s, p.action_s, p.follow_through_s, p.recovery_s, p.end_s, seconds];
        assert!(times.windows(2).all(|t| t[0] <= t[1] + 1e-3), "{} {times:?}", w.name());
        assert!(p.action_s < p.follow_through_s && p.follow_through_s < p.end_s, "{} {times:?}", w.name());
        // Locomotion before and after the action.
        assert!(p.wind_up_s >= 0.5 && seconds - p.end_s >= 0.5, "{} {times:?}", w.name());
    }
}

#[test]
fn what_touches_is_where_the_truth_says_and_still() {
    let mut worst = (0.0f32, "");
    for w in actions() {
        let a = truth(w);
        assert!(!a.contacts.is_empty(), "{}", w.name());
        for c in &a.contacts {
            assert!(c.end_s - c.begin_s >= 0.1 - 1e-3, "{} {c:?}", w.name());
            let mut before: Option<Vec3> = None;
            for f in frames(w, c.begin_s, c.end_s) {
                let at = w.at(f, c.joint);
                let off = (at - c.position).length();
                if off > worst.0 {
                    worst = (off, w.name());
                }
                assert!(off < 1e-3, "{} frame {f}: {off} from {c:?}", w.name());
                let speed = before.map_or(0.0, |b| (at - b).length() * w.rate());
                assert!(speed < 0.05, "{} frame {f}: {speed} m/s, {c:?}", w.name());
                before = Some(at);
            }
        }
    }
    println!("contacts are met within {:.2} mm ({})", worst.0 * 1000.0, worst.1);
}

#[test]
fn planted_toes_stand_still() {
    for w in actions() {
        for (side, toe) in TOES.into_iter().enumerate() {
            let mut start: Option<Vec3> = None;
            for f in 0..w.frames() {
                start = if w.gait.truth.contacts[f][side] { start.or(Some(w.at(f, toe))) } else { None };
                let slid = start.map_or(0.0, |s| (w.at(f, toe) - s).length());
                assert!(slid < 1e-3, "{} frame {f}: {slid} m", w.name());
            }
        }
        for s in &w.gait.truth.footsteps {
            let f = (0.5 * (s.start_s.max(0.0) + s.end_s) * w.rate()) as usize;
            let off = (w.at(f, TOES[s.side.at()]) - s.position - Vec3::Y * TOE_HEIGHT_M).length();
            assert!(off < 2e-3, "{} {s:?}: {off}", w.name());
        }
    }
}

#[test]
fn bodies_in_flight_fall_freely() {
    let mut flights = 0;
    for w in actions() {
        let a = truth(w);
        let (Some(leave), Some(land)) = (a.take_off_s, a.landing_s) else { continue };
        flights += 1;
        let within: Vec<usize> = frames(w, leave, land).collect();
        assert!(within.len() > 5, "{}", w.name());
        for f in &within[1..within.len() - 1] {
            let change = (w.at(f + 1, joint::HIPS) - w.at(*f, joint::HIPS) * 2.0 + w.at(f - 1, joint::HIPS))
                * w.rate()
                * w.rate();
            assert!((change.y + 9.81).abs() < 0.3, "{} frame {f}: {change}", w.name());
            assert!(change.z.abs() < 0.3, "{} frame {f}: {change}", w.name());
            assert_eq!(w.gait.truth.contacts[*f], [false, false], "{} frame {f}", w.name());
        }
    }
    assert!(flights > 60, "{flights}");
}

#[test]
fn nothing_goes_through_an_obstacle_or_the_ground() {
    let mut worst = (0.0f32, String::new());
    for w in actions() {
        let a = truth(w);
        let Some(o) = a.obstacle else { continue };
        let parents: Vec<Option<usize>> = skeleton().parents().iter().map(|p| p.map(|p| p.at())).collect();
        for f in 0..w.frames() {
            for (j, parent) in parents.iter().enumerate().filter(|(j, _)| *j > joint::HIPS) {
                let Some(parent) = parent.filter(|p| *p >= joint::HIPS) else { continue };
                for k in 0..=4 {
                    let p = w.at(f, parent) + (w.at(f, j) - w.at(f, parent)) * (k as f32 * 0.25);
                    let Some((z, y)) = along(a, p) else { continue };
                    let inside = if o.height_m > 0.0 { z.min(o.depth_m - z).min(o.height_m - y) } else { 0.0 };
                    if inside > worst.0 {
                        worst = (inside, format!("{} frame {f} {}", w.name(), skeleton().names()[j]));
                    }
                    // In a vault, the knees graze the top edge of the thin wall: a known fault of these clips.
                    let most = if a.kind == ActionKind::Vault { 0.05 } else { 0.02 };
                    assert!(inside < most, "{} frame {f} {}: {inside} m inside", w.name(), skeleton().names()[j]);
                }
            }
            for toe in TOES {
                let Some((z, y)) = along(a, w.at(f, toe)) else { continue };
                // Beyond the edge of a drop, the ground is far below; the feet are in the air by then.
                let Some(ground) = surface(a, z) else { continue };
                if o.height_m > 0.0 && ground > 0.0 && y < ground {
                    continue;
                }
                assert!(y > ground + 0.005, "{} frame {f}: toe {y} over {ground}", w.name());
            }
        }
    }
    println!("deepest inside an obstacle: {:.1} mm, {}", worst.0 * 1000.0, worst.1);
}

#[test]
fn nothing_pops() {
    for w in actions() {
        let step = |f: usize, j: usize| w.at(f, j) - w.at(f - 1, j);
        let fastest = (1..w.frames()).map(|f| step(f, joint::HIPS).length() * w.rate()).fold(0.0, f32::max);
        for f in 2..w.frames() {
            for j in 1..joint::COUNT {
                let change = (step(f, j) - step(f - 1, j)).length() * w.rate();
                // As in locomotion: a foot stops when it lands, and the change increases with the speed of the body. The knees stop the
                // pelvis within a tenth of a second, at a landing from 1.75 m.
                let bound = if j == joint::HIPS { 1.1 } else { (2.6 + 0.75 * fastest).max(3.8) };
                assert!(change < bound, "{} frame {f} {}: {change} m/s", w.name(), skeleton().names()[j]);
            }
        }
    }
}

#[test]
fn every_gate_of_actions_holds_and_each_fails_on_a_spoilt_clip() {
    let clips: Vec<_> = actions().iter().map(|w| w.gait.clone()).collect();
    let of_actions = |clips: &[GaitClip]| -> Vec<Gate> {
        gates(clips, &[]).into_iter().filter(|g| g.name.starts_with("action_")).collect()
    };
    let found = of_actions(&clips);
    assert_eq!(found.len(), 7);
    for g in &found {
        println!("{}: {} at {}", g.name, g.value, g.at);
        assert!(g.holds(), "{} is {} ({}), not {} to {}", g.name, g.value, g.at, g.low, g.high);
    }
    // Half a metre within a frame is too fast for every joint, and half a turn for the trunk.
    let mut spoilt = clips;
    let clip = spoilt.iter_mut().find(|c| c.clip.name.starts_with("climb")).expect("a climb");
    let middle = clip.clip.frames() / 2 * joint::COUNT + joint::HIPS;
    clip.clip.translations[middle].y += 0.5;
    clip.clip.rotations[middle + joint::SPINE - joint::HIPS] = footwork::math::Quat::from_rotation_x(3.0);
    clip.truth.action.as_mut().expect("an action").phases.recovery_s += 1.0;
    for g in of_actions(&spoilt) {
        assert!(!g.holds(), "{} is {} ({})", g.name, g.value, g.at);
    }
}

#[test]
fn the_root_goes_with_the_surface_and_ends_as_high() {
    for w in actions() {
        let a = truth(w);
        let end = match a.obstacle {
            Some(o) if o.depth_m == f32::INFINITY => o.height_m,
            _ => 0.0,
        };
        let root = |f: usize| w.gait.truth.root[f].translation;
        assert_eq!(root(0), Vec3::ZERO, "{}", w.name());
        assert!((root(w.frames() - 1).y - end).abs() < 1e-4, "{}: {} for {end}", w.name(), root(w.frames() - 1).y);
        for f in 2..w.frames() {
            let change = (root(f) - root(f - 1) * 2.0 + root(f - 2)).length() * w.rate();
            assert!(change < 1.1, "{} frame {f}: {change} m/s", w.name());
            let joint = w.world[f][joint::ROOT].translation;
            assert_eq!(joint, root(f), "{} frame {f}", w.name());
        }
    }
}

#[test]
fn clips_begin_and_end_in_the_locomotion_of_their_name() {
    for w in actions() {
        let speed = |from_s: f32, to_s: f32| {
            let speeds: Vec<f32> = frames(w, from_s, to_s).map(|f| w.gait.truth.speed_mps[f]).collect();
            speeds.iter().sum::<f32>() / speeds.len() as f32
        };
        let p = truth(w).phases;
        let first = speed(0.0, 0.3);
        let expected = match w.name() {
            n if n.starts_with("get_up") || n.contains("_stand_") => 0.0..0.05,
            n if n.contains("_walk_") => 1.0..1.6,
            _ => 3.3..4.0,
        };
        assert!(expected.contains(&first), "{}: {first} m/s", w.name());
        let seconds = (w.frames() - 1) as f32 / w.rate();
        let last = speed(seconds - 0.2, seconds);
        let stops = matches!(
            truth(w).kind,
            ActionKind::Mantle
                | ActionKind::Climb
                | ActionKind::Sit
                | ActionKind::PickUp
                | ActionKind::Push
                | ActionKind::Handshake
        );
        let still = stops || (w.name().contains("_stand_") && !w.name().starts_with("get_up_walk"));
        assert_eq!(last < 0.05, still, "{}: {last} m/s at the end, action ended at {}", w.name(), p.end_s);
    }
}

#[test]
fn joints_stay_within_their_range() {
    let clips: Vec<_> = actions().iter().map(|w| w.gait.clone()).collect();
    let over = gates(&clips, &[]).into_iter().find(|g| g.name == "joint_over_its_limit_deg").expect("a gate");
    println!("{}: {} at {}", over.name, over.value, over.at);
    // Squats, climbs and vaults flex the hips further than walking.
    assert!(over.value < 30.0, "{} at {}", over.value, over.at);
}

#[test]
fn other_rates_give_the_same_motion() {
    let slow = generate(&GaitOptions { rate_hz: 30.0, routes: false, actions: true, ..GaitOptions::default() });
    for g in slow.iter().filter(|g| g.truth.action.is_some()) {
        let fast = actions().iter().find(|w| w.name() == g.clip.name).expect("the same clips");
        assert_eq!(g.truth.action.as_ref().map(|a| a.phases), Some(truth(fast).phases));
        for f in 0..g.clip.frames().min(fast.frames().div_ceil(2)) {
            for j in 0..joint::COUNT {
                let (a, b) = (g.clip.rotations[f * joint::COUNT + j], fast.rotation(2 * f, j));
                assert!(a.angle_between(b) < 1e-3, "{} frame {f} joint {j}", g.clip.name);
            }
        }
    }
}
