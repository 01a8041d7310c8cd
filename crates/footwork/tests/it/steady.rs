//! Steady commands: characters settle on motion that continues.

use crate::common;
use footwork::build::BuildConfig;
use footwork::database::{Database, MirrorMode};
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig};
use footwork::math::Facing;
use glam::Vec3;

const DT_S: f32 = 1.0 / 60.0;

/// Returns the transitions between 4 and 24 s of walking ahead.
fn transitions(steady_cost: f32) -> u32 {
    let search = SearchConfig { steady_cost, ..SearchConfig::default() };
    let config = MatcherConfig { search, ..MatcherConfig::default() };
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Off), config).unwrap();
    let mut count = 0;
    for k in 0..24 * 60 {
        m.update(&common::walk(Vec3::Z), DT_S).unwrap();
        count += if k > 4 * 60 { m.output().transitions } else { 0 };
    }
    count
}

#[test]
fn a_steady_walk_settles_on_a_loop() {
    let (with, without) = (transitions(SearchConfig::default().steady_cost), transitions(0.0));
    println!("transitions in 20 s: {with}, without the cost {without}");
    assert!(with <= 1, "{with}");
}

/// However much a transition costs while a command is steady, a clip that leads elsewhere is left. The stick turns by 10 degrees per
/// second. The spring of the facing lags by 4 degrees.
#[test]
fn a_slow_turn_is_followed_whatever_a_transition_costs() {
    let search = SearchConfig { steady_cost: 1e4, ..SearchConfig::default() };
    let config = MatcherConfig { search, ..MatcherConfig::default() };
    let mut m = MotionMatcher::new(common::gait(MirrorMode::Off), config).unwrap();
    let mut lags = Vec::new();
    for k in 0..24 * 60 {
        let direction = Facing::from_yaw((k as f32 * DT_S * 10.0).to_radians());
        m.update(&common::walk(direction.direction()), DT_S).unwrap();
        let shown = Facing::from_rotation(m.output().pose.world_from_root().rotation);
        lags.push(shown.angle_to(direction).abs().to_degrees());
    }
    let mean = lags[4 * 60..].iter().sum::<f32>() / (20.0 * 60.0);
    println!("facing behind the stick: mean {mean} degrees");
    assert!(mean < 12.0, "{mean}");
}

#[test]
fn rows_of_loops_are_steady_and_rows_before_a_change_are_not() {
    let clips = [common::clip("walk_100_loop"), common::clip("stop_walk_80_left_foot")];
    let (db, _) = common::built(&clips, &BuildConfig::default());
    let rows = |db: &Database, name: &str| {
        let clip = db.clips.iter().find(|c| c.name == name).unwrap();
        db.row_unsteadiness[clip.row_range()].to_vec()
    };
    assert!(rows(&db, "walk_100_loop").iter().all(|u| *u == 0.0));
    let stop = rows(&db, "stop_walk_80_left_foot");
    assert!(stop.iter().all(|u| (0.0..=1.75).contains(u)) && *stop.last().unwrap() == 1.75, "{stop:?}");
    assert!(stop.iter().any(|u| *u > 1.0) && stop.iter().any(|u| *u < 1.0), "{stop:?}");
}
