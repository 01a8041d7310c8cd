//! Tests of locked feet.

use super::*;
use crate::math::wrap_angle;

const DT_S: f32 = 1.0 / 60.0;

/// Ticks a foot whose clip has it at `at(tick)`, in contact where `touches(tick)`; returns the shown position of each tick.
fn run(config: &FeetConfig, ticks: usize, at: impl Fn(usize) -> Vec3, touches: impl Fn(usize) -> bool) -> Vec<Vec3> {
    let mut foot = Foot::default();
    let tick = |k: usize| {
        let ahead = (k..k + 60).find(|k| touches(*k));
        let stands = ahead.map_or(0, |from| (from..from + 60).take_while(|k| touches(*k)).count());
        let footing = Footing {
            animated: at(k),
            clip_velocity: Vec3::ZERO,
            slip: Vec3::ZERO,
            touches: touches(k),
            lands_in_s: ahead.map_or(f32::INFINITY, |down| (down - k) as f32 * DT_S),
            stands_s: stands as f32 * DT_S,
            ..Footing::default()
        };
        foot.tick(config, &footing, DT_S);
        foot.shown(config, at(k), 0.0)
    };
    (0..ticks).map(tick).collect()
}

fn way(shown: &[Vec3]) -> f32 {
    shown.windows(2).map(|w| (w[1] - w[0]).length()).sum()
}

#[test]
fn a_foot_that_its_clip_drags_over_the_ground_stands() {
    // In contact from the start while the root pulls the foot at 30 cm/s.
    let at = |k: usize| Vec3::Z * (0.3 * k as f32 * DT_S);
    let config = FeetConfig::default();
    let shown = run(&config, 30, at, |_| true);
    assert!(way(&shown[6..]) < 1e-3, "{}", way(&shown[6..]));
    let off = run(&FeetConfig { enabled: false, ..config }, 30, at, |_| true);
    assert!((way(&off) - 0.3 * 29.0 * DT_S).abs() < 1e-4);
}

#[test]
fn nobody_leaves_a_foot_further_behind_than_its_leash() {
    let at = |k: usize| Vec3::Z * (2.0 * k as f32 * DT_S);
    let config = FeetConfig::default();
    let shown = run(&config, 60, at, |_| true);
    for (k, toe) in shown.iter().enumerate() {
        assert!((*toe - at(k)).length() <= config.lock_radius_m + 1e-4, "{k}");
    }
    // Holden's reference controller unlocks the foot, and does not lock it again during the same contact.
    let reference = FeetConfig { lock: FootLock::Reference, ..config };
    let last = run(&reference, 60, at, |_| true)[59];
    assert!((last - at(59)).length() < 0.02, "{last}");
}

#[test]
fn a_foot_that_lands_comes_to_rest_before_it_touches() {
    // Root and blend move the foot at 50 cm/s although its clip keeps it at rest.
    let at = |k: usize| Vec3::X * (0.5 * k as f32 * DT_S);
    let on = |k: usize| k >= 30;
    let speed = |shown: &[Vec3]| (shown[31] - shown[30]).length() / DT_S;
    let led = speed(&run(&FeetConfig::default(), 60, at, on));
    let not = speed(&run(&FeetConfig { landing_s: 0.0, ..Default::default() }, 60, at, on));
    assert!(led < 0.12 && not > 0.25, "{led} {not}");
    // Without landing, the toe glides to its resting point, never faster and never backward.
    let glides = run(&FeetConfig { landing_s: 0.0, ..Default::default() }, 60, at, on);
    let steps = glides[28..40].windows(2).map(|w| w[1].x - w[0].x);
    assert!(steps.clone().all(|step| (-1e-5..=0.5 * DT_S + 1e-5).contains(&step)), "{:?}", steps.collect::<Vec<_>>());
}

/// Shown positions of a foot that swings towards its place over 30 ticks and touches for 30 more. Its clip drags it at 20 cm/s.
fn placed(place: Option<Vec3>) -> Vec<Vec3> {
    let (config, mut foot) = (FeetConfig::default(), Foot::default());
    let tick = |k: usize| {
        let swing = place.unwrap_or(Vec3::ZERO) * smoothstep(k as f32 / 30.0);
        let drag = if place.is_some() { Vec3::ZERO } else { Vec3::Z * (0.2 * k as f32 * DT_S) };
        let lands_in_s = 30usize.saturating_sub(k) as f32 * DT_S;
        let (animated, touches) = (swing + drag, k >= 30);
        let footing = Footing { animated, touches, lands_in_s, stands_s: 0.5, place, ..Footing::default() };
        foot.tick(&config, &footing, DT_S);
        foot.shown(&config, animated, 0.0)
    };
    (0..60).map(tick).collect()
}

#[test]
fn a_foot_stands_at_its_planned_place() {
    let place = Vec3::new(0.1, 0.0, 0.4);
    let shown = placed(Some(place));
    for (k, toe) in shown.iter().enumerate().skip(30) {
        assert!((*toe - place).length() < 1e-3, "{k}: {toe}");
    }
    assert!(most_change_mps(&shown) < 0.6, "{}", most_change_mps(&shown));
    // Without a plan it stands where it comes to rest.
    assert!((placed(None)[59] - place).length() > 0.1);
}

#[test]
fn a_held_foot_moves_to_another_place() {
    let (config, mut foot) = (FeetConfig::default(), Foot::default());
    let mut shown = Vec::new();
    for k in 0..60 {
        let place = Some(if k < 30 { Vec3::ZERO } else { Vec3::X * 0.02 });
        foot.tick(&config, &Footing { touches: true, place, ..Footing::default() }, DT_S);
        shown.push(foot.shown(&config, Vec3::ZERO, 0.0));
    }
    assert!(shown[29].length() < 1e-4 && (shown[59] - Vec3::X * 0.02).length() < 1e-4, "{} {}", shown[29], shown[59]);
    assert!((shown[31] - shown[30]).length() < 0.01, "it moves smoothly");
}

#[test]
fn what_is_shown_has_no_steps() {
    // Swings, is in contact while it is dragged, swings again.
    let at = |k: usize| Vec3::new(0.0, 0.02, 0.6 * k as f32 * DT_S);
    let shown = run(&FeetConfig::default(), 150, at, |k| (40..70).contains(&k) || k > 110);
    for (k, w) in shown.windows(2).enumerate() {
        assert!((w[1] - w[0]).length() < 0.04, "{k}: {}", (w[1] - w[0]).length());
    }
}

/// Largest change of the shown velocity from tick to tick, m/s.
fn most_change_mps(shown: &[Vec3]) -> f32 {
    shown.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).length() / DT_S).fold(0.0, f32::max)
}

#[test]
fn a_foot_that_is_out_of_reach_when_it_touches_is_held_later_and_does_not_jump() {
    let config = FeetConfig::default();
    let mut foot = Foot { offset: Vec3::X * 0.3, seen: 1.0, ..Foot::default() };
    let touching = Footing { touches: true, ..Footing::default() };
    let mut shown = vec![foot.shown(&config, Vec3::ZERO, 0.0); 2];
    let mut held = 0;
    for _ in 0..60 {
        foot.tick(&config, &touching, DT_S);
        shown.push(foot.shown(&config, Vec3::ZERO, 0.0));
        held += usize::from(foot.held());
    }
    assert!(most_change_mps(&shown) < 1.0, "{}", most_change_mps(&shown));
    let last = shown[61];
    assert!(held > 40 && last.x > 0.1 && last.x < config.lock_radius_m && last == shown[60], "{held} {last}");
}

#[test]
fn a_free_foot_that_is_led_elsewhere_does_not_jump() {
    let config = FeetConfig::default();
    let mut foot = Foot::default();
    let free = |x: f32| Footing { animated: Vec3::X * x, lands_in_s: f32::INFINITY, ..Footing::default() };
    (0..5).for_each(|_| foot.tick(&config, &free(0.0), DT_S));
    let mut shown = vec![foot.shown(&config, Vec3::ZERO, 0.0); 2];
    foot.animate_elsewhere(&config, Vec3::X * 0.14);
    for _ in 0..60 {
        foot.tick(&config, &free(0.14), DT_S);
        shown.push(foot.shown(&config, Vec3::X * 0.14, 0.0));
    }
    assert!(most_change_mps(&shown) < 0.6, "{}", most_change_mps(&shown));
    assert!((shown[61].x - 0.14).abs() < 1e-3, "{}", shown[61]);
}

#[test]
fn a_dragged_foot_keeps_its_velocity_when_it_is_released() {
    let at = |k: usize| Vec3::X * (2.0 * k as f32 * DT_S);
    let shown = run(&FeetConfig { landing_s: 0.0, ..FeetConfig::default() }, 60, at, |k| k < 40);
    let before = shown[39] - shown[38];
    assert!((before.x / DT_S - 2.0).abs() < 0.05, "dragged at the speed of the clip: {before}");
    assert!(most_change_mps(&shown[36..46]) < 0.5, "{}", most_change_mps(&shown[36..46]));
}

#[test]
fn toes_stay_above_the_ground_and_feel_it_softly() {
    let c = FeetConfig::default();
    assert!(c.above_ground(-1.0) >= 0.0 && c.above_ground(-1.0) < 1e-3);
    assert!((c.above_ground(0.1) - 0.1).abs() < 1e-3);
    for k in -100..100 {
        let [a, b, c] = [-1.0, 0.0, 1.0].map(|by| c.above_ground((k as f32 + by) * 1e-3));
        assert!(b > a && c - 2.0 * b + a < 2e-4, "{k}");
    }
}

#[test]
fn a_foot_moves_with_a_teleport() {
    let by = crate::math::Transform::new(Vec3::X * 5.0, crate::math::Quat::from_rotation_y(1.0));
    let (config, mut foot) = (FeetConfig::default(), Foot::default());
    let footing = Footing { animated: Vec3::new(0.2, 0.0, 0.4), touches: true, ..Footing::default() };
    (0..5).for_each(|_| foot.tick(&config, &footing, DT_S));
    let moved = foot.moved(by);
    let shown = moved.shown(&config, by.point(footing.animated), 0.0);
    assert!((shown - by.point(foot.shown(&config, footing.animated, 0.0))).length() < 1e-5);
}

#[test]
fn a_leg_follows_its_foot_except_in_the_swing() {
    let config = FeetConfig::default();
    let mut foot = Foot::default();
    // Held for a second, a swing of a second, held again.
    let following = (0..180).map(|k| {
        let touches = !(60..120).contains(&k);
        let lands_in_s = if touches { 0.0 } else { (120 - k) as f32 * DT_S };
        foot.tick(&config, &Footing { touches, lands_in_s, stands_s: 1.0, ..Footing::default() }, DT_S);
        foot.following(&config, 0.0)
    });
    let following: Vec<f32> = following.collect();
    assert!(following[20..60].iter().all(|share| *share == 1.0), "{following:?}");
    assert!(following[70..110].iter().all(|share| *share < 1e-3), "{following:?}");
    assert!(following[121..].iter().all(|share| *share > 0.99), "{following:?}");
}

#[test]
fn a_foot_that_is_too_near_to_its_opposite_swings_aside_and_lands_where_its_clip_does() {
    let config = FeetConfig::default();
    let aside_m = |config: &FeetConfig, nearer_m: f32| {
        let mut foot = Foot::default();
        let ticks = (0..60u32).map(move |k| {
            let lands_in_s = (60 - k) as f32 * DT_S;
            let lands_in_s = if lands_in_s < config.landing_s { lands_in_s } else { f32::INFINITY };
            foot.tick(config, &Footing { nearer_m, lands_in_s, stands_s: 0.5, ..Footing::default() }, DT_S);
            // Between ticks as at them.
            let ahead = foot.aside_m(DT_S);
            (foot.aside_m(0.0), ahead)
        });
        ticks.collect::<Vec<_>>()
    };
    let near = aside_m(&config, 0.03);
    assert!(near.iter().any(|(now, _)| *now > 0.045) && near[59].0 < 0.02, "{near:?}");
    assert!(near.windows(2).all(|two| (two[0].1 - two[1].0).abs() < 1e-6), "{near:?}");
    // At most by the lock radius; not where nothing is too near, and not by the reference.
    assert!(aside_m(&config, 5.0).iter().all(|(now, _)| *now <= config.lock_radius_m));
    let reference = FeetConfig { lock: FootLock::Reference, ..FeetConfig::default() };
    let none = [aside_m(&config, 0.0), aside_m(&reference, 0.03)];
    assert!(none.concat().iter().all(|(now, _)| *now == 0.0));
}

/// Ticks a foot that stays in place while its clip turns it to `yaw_rad(tick)`; returns the shown heading of each tick, and of half a
/// tick later, in radians.
fn headings(
    config: &FeetConfig,
    ticks: usize,
    yaw_rad: impl Fn(f32) -> f32,
    touches: impl Fn(usize) -> bool,
) -> Vec<f32> {
    let mut foot = Foot::default();
    let tick = |k: usize| {
        let now = k as f32;
        let lands_in_s = (k..k + 60).find(|k| touches(*k)).map_or(f32::INFINITY, |down| (down - k) as f32 * DT_S);
        let heading_rad = yaw_rad(now);
        let footing = Footing { heading_rad, touches: touches(k), lands_in_s, stands_s: 0.5, ..Footing::default() };
        foot.tick(config, &footing, DT_S);
        [0.0, 0.5].map(|part| yaw_rad(now + part) + foot.turn(config, yaw_rad(now + part), part * DT_S))
    };
    (0..ticks).flat_map(tick).collect()
}

#[test]
fn a_planted_foot_does_not_turn_with_the_body() {
    // The body turns by 90 degrees per second, across half a turn; the foot touches from tick 20 to tick 50.
    let turns = |k: f32| wrap_angle(3.0 + std::f32::consts::FRAC_PI_2 * k * DT_S);
    let on = |k: usize| (20..50).contains(&k);
    let config = FeetConfig { lock_angle_deg: 60.0, ..Default::default() };
    let shown = headings(&config, 100, turns, on);
    let step = |k: usize| wrap_angle(shown[k + 1] - shown[k]).abs().to_degrees();
    // The spring that brings it to rest takes some ticks.
    assert!((52..98).all(|k| step(k) < 0.05), "{:?}", (40..100).map(step).collect::<Vec<_>>());
    // The turn has no steps: half a tick of the body's turn is 0.75 degrees.
    assert!((0..199).all(|k| step(k) < 3.0), "{:?}", (0..199).map(step).fold(0.0, f32::max));
    let last = wrap_angle(shown[199] - turns(99.5)).abs().to_degrees();
    assert!(last < 0.5, "{last}");
    // Without a lock, the foot turns with the body.
    let free = headings(&FeetConfig { lock_angle_deg: 0.0, ..config }, 100, turns, on);
    assert!((0..200).all(|k| wrap_angle(free[k] - turns(0.5 * k as f32)).abs() < 1e-4));
}

#[test]
fn a_planted_foot_turns_with_a_body_that_is_further_than_the_lock_angle() {
    let turns = |k: f32| wrap_angle(std::f32::consts::PI * k * DT_S);
    let config = FeetConfig::default();
    let shown = headings(&config, 120, turns, |_| true);
    for (k, heading) in shown.iter().enumerate() {
        let behind = wrap_angle(turns(0.5 * k as f32) - heading).to_degrees();
        assert!((-0.1..=config.lock_angle_deg + 0.1).contains(&behind), "{k}: {behind}");
    }
    let steps = shown.windows(2).skip(60).map(|w| wrap_angle(w[1] - w[0]).to_degrees());
    assert!(steps.clone().all(|step| (step - 1.5).abs() < 0.2), "{:?}", steps.collect::<Vec<_>>());
}
