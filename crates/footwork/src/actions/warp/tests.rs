//! Tests of warps.

use super::*;
use crate::actions::action::{Mark, Passes, Phases};
use crate::database::TagMask;
use crate::frames::ClipIndex;
use crate::math::Quat;
use std::f32::consts::PI;

/// Frames per second.
const RATE_HZ: f32 = 60.0;

/// Returns the distance that the clip has covered: it stands for half a second, walks 1 m in one second, and stands again.
fn travelled_m(time_s: f32) -> f32 {
    (time_s - 0.5).clamp(0.0, 1.0)
}

/// Returns an action that touches at 1.5 s until 2 s, and lands at 2.8 s.
fn action() -> Action {
    let mark = |start_s: f32, end_s, rises_s, position| {
        let root = Vec3::Z * travelled_m(start_s);
        Mark { start_s, end_s, rises_s, position, yaw_rad: 0.0, root }
    };
    let marks = vec![mark(1.5, 2.0, 1.2, Vec3::new(0.1, 1.0, 1.4)), mark(2.8, 2.9, 2.1, Vec3::new(0.0, 0.0, 2.2))];
    Action {
        clip: ClipIndex(0),
        mirrored: false,
        kinds: TagMask::default(),
        entries: Vec::new(),
        phases: Phases::default(),
        passes: Passes::Touched,
        marks,
        contacts: Vec::new(),
        flight_s: None,
        ground_m: [0.0; 2],
        holds: false,
        end_s: 3.0,
        rate_hz: RATE_HZ,
        travel_m: (0..=180).map(|f| travelled_m(f as f32 / RATE_HZ)).collect(),
    }
}

fn warp(action: &Action) -> Warp<'_> {
    let marks = [
        Place { position: Vec3::new(5.3, 1.1, 3.2), yaw_rad: 1.9 },
        Place { position: Vec3::new(6.4, 0.05, 2.9), yaw_rad: 1.7 },
    ];
    let root = Place { position: Vec3::new(4.0, 0.0, 3.0), yaw_rad: 1.5 };
    Warp { action, base_s: 0.2, clip_root: Place::default(), root, marks }
}

fn root_of_clip(time_s: f32) -> Transform {
    Transform::new(Vec3::Z * travelled_m(time_s), Quat::IDENTITY)
}

#[test]
fn contacts_are_met_exactly_and_kept() {
    let action = action();
    let warp = warp(&action);
    for (k, from_s, to_s) in [(0, 1.5, 2.0), (1, 2.8, 3.0)] {
        for time_s in [from_s, 0.5 * (from_s + to_s), to_s] {
            let c = warp.correction(time_s);
            let off = c.point(action.marks[k].position) - warp.marks[k].position;
            assert!(
                off.length() < 1e-5 && wrap_angle(c.turn_rad - warp.marks[k].yaw_rad).abs() < 1e-5,
                "{time_s} {off}"
            );
        }
    }
}

#[test]
fn where_the_clip_stands_nothing_moves() {
    let action = action();
    let warp = warp(&action);
    let start = warp.root_at(0.2, root_of_clip(0.2));
    assert!((start.translation - warp.root.position).length() < 1e-6);
    for time_s in [0.3, 0.4, 0.49] {
        let now = warp.root_at(time_s, root_of_clip(time_s));
        assert_eq!((now.translation, now.rotation), (start.translation, start.rotation), "{time_s}");
    }
    // A foot that stands there keeps its point, too.
    let foot = Vec3::new(0.1, 0.0, 0.1);
    assert_eq!(warp.correction(0.3).point(foot), warp.correction(0.49).point(foot));
}

#[test]
fn the_root_moves_without_steps() {
    let action = action();
    let warp = warp(&action);
    let at = |k: usize| {
        let time_s = 0.2 + k as f32 * 1e-3;
        warp.root_at(time_s, root_of_clip(time_s)).translation
    };
    for k in 0..2800 {
        // 1 m/s by the clip; the rest by the warp.
        assert!((at(k + 1) - at(k)).length() < 4e-3, "{k}: {}", (at(k + 1) - at(k)).length());
    }
}

#[test]
fn a_warp_based_at_a_contact_goes_on_from_there() {
    let action = action();
    let whole = warp(&action);
    let root = whole.root_at(1.8, root_of_clip(1.8));
    let later = Warp { base_s: 1.8, clip_root: Place::of(root_of_clip(1.8)), root: Place::of(root), ..whole };
    for time_s in [1.8, 1.95, 2.3, 2.6, 2.8, 3.0] {
        let [a, b] = [whole, later].map(|w| w.root_at(time_s, root_of_clip(time_s)));
        assert!((a.translation - b.translation).length() < 1e-4, "{time_s}: {} {}", a.translation, b.translation);
    }
}

#[test]
fn a_full_turn_counts_as_none() {
    let action = action();
    let mut warp = warp(&action);
    let [before, _] = warp.needs(warp.base(), 0);
    warp.root.yaw_rad += 2.0 * PI;
    let [after, turn_rad] = warp.needs(warp.base(), 0);
    assert!((before - after).abs() < 1e-4 && (turn_rad - 0.4).abs() < 1e-4, "{before} {after} {turn_rad}");
}
