//! Foresight on motion with known best choices.

use crate::common;

use common::tiny::{channels, content};
use footwork::advanced::database::AcceptedTags;
use footwork::advanced::foresight::{Ahead, Foresight, ForesightSpec};
use footwork::database::{Database, MirrorMode};
use footwork::frames::RowIndex;
use footwork::input::{Goal, MotionInput};
use footwork::matcher::{MatcherConfig, MotionMatcher, SearchConfig};
use footwork::math::{Facing, Quat, Transform};
use footwork::schema::{Channel, Residual};
use glam::Vec3;
use std::f32::consts::PI;
use std::sync::Arc;

const WALK_MPS: f32 = 1.5;
const RATE_HZ: f32 = 30.0;

/// A clip made by hand.
#[derive(Clone, Copy)]
struct Made {
    rows: usize,
    looping: bool,
    /// Speed and turn rate of the root.
    speed_mps: f32,
    turn_radps: f32,
    /// A number that represents the pose, by row.
    pose: fn(usize) -> f32,
    /// Distance ahead of the root at which the trajectory ends after 1 s, metres.
    ahead_m: f32,
}

const STANDS: Made = Made { rows: 30, looping: true, speed_mps: 0.0, turn_radps: 0.0, pose: |_| 0.0, ahead_m: 0.0 };
const WALKS: Made = Made { speed_mps: WALK_MPS, ..STANDS };

/// Returns a database of the clips. Foot positions equal the number of the pose; the user channel distinguishes poses.
fn database(clips: &[Made], mirror: MirrorMode) -> Database {
    let of: Vec<(Made, usize)> = clips.iter().flat_map(|c| (0..c.rows).map(|row| (*c, row))).collect();
    let shapes: Vec<(usize, bool)> = clips.iter().map(|c| (c.rows, c.looping)).collect();
    let feet = [0.1, 0.1, 0.0, -0.1, 0.1, 0.0];
    let mut content = content(&shapes, &channels(1, Residual::Squared), mirror, |row, column| match column {
        0..6 => feet[column],
        6..10 => [0.0, 0.5, 0.0, 1.0][column - 6] * of[row].0.ahead_m,
        _ => (of[row].0.pose)(of[row].1),
    });
    for (row, (clip, at)) in of.iter().enumerate() {
        let time_s = *at as f32 / RATE_HZ;
        content.poses.translations[row] = Vec3::Z * clip.speed_mps * time_s;
        content.poses.rotations[row * 4] = Quat::from_rotation_y(clip.turn_radps * time_s);
    }
    for (stored, made) in content.clips.iter_mut().zip(clips) {
        let seconds = made.rows as f32 / RATE_HZ;
        let turn = Quat::from_rotation_y(made.turn_radps * seconds);
        stored.loop_delta = made.looping.then(|| Transform::new(Vec3::Z * made.speed_mps * seconds, turn));
    }
    Database::new(content).unwrap()
}

fn spec(db: &Database) -> ForesightSpec {
    let weight = |c: &Channel| vec![if c.kind.is_trajectory() { 0.0 } else { 1.0 }; c.columns.len()];
    ForesightSpec {
        speeds_mps: [WALK_MPS, 3.0],
        multipliers: db.schema.channels.iter().flat_map(weight).collect(),
        tags: AcceptedTags::default(),
        end_exclusion_rows: 0,
    }
}

/// Returns the loss at the first row of a clip, metres.
fn loss_m(db: &Database, table: &Foresight, clip: usize, turn_rad: f32, speed_mps: f32) -> f32 {
    table.loss_m(db, RowIndex(db.clips[clip].first_row), false, Ahead { turn_rad, speed_mps })
}

#[test]
fn the_loss_of_standing_where_a_walk_is_asked_is_what_a_pencil_says() {
    let moment_s = 0.1;
    let kept = footwork::advanced::math::powf(0.5, moment_s / ForesightSpec::HALF_LIFE_S);
    let behind_m = moment_s * WALK_MPS;
    // If the walk is near, the loss is a tenth of a second plus one transition. If it is far, standing for ever costs less.
    let near = behind_m + kept * ForesightSpec::JUMP_M;
    let never = behind_m / (1.0 - kept);
    for (pose, expected) in [((|_| 1.0) as fn(usize) -> f32, near), (|_| 20.0, never)] {
        let db = database(&[Made { pose, ..WALKS }, STANDS], MirrorMode::Off);
        let table = Foresight::bake(&db, spec(&db));
        assert!((loss_m(&db, &table, 0, 0.0, WALK_MPS)).abs() < 2e-3, "the walk loses nothing");
        let found = loss_m(&db, &table, 1, 0.0, WALK_MPS);
        // The sweeps stop before they converge to the last percent.
        assert!((found - expected).abs() < 0.02 * expected + 2e-3, "{found} {expected}");
        assert!(loss_m(&db, &table, 1, 0.0, 0.0) < 2e-3, "nothing is asked: it stands");
        assert_eq!(table.moments(), 20);
    }
}

/// Returns two walks that are equal for a second. Only the second one ends in a pose from which a turn begins.
fn crossroads(mirror: MirrorMode) -> Database {
    let early = |row: usize| if row < 24 { 0.0 } else { 30.0 };
    let late = |row: usize| if row < 24 { 0.0 } else { 10.0 };
    let onward = Made { rows: 33, looping: false, speed_mps: 0.3, ahead_m: -0.3, ..STANDS };
    let turns = Made { rows: 60, looping: false, turn_radps: PI, pose: |_| 10.0, ..STANDS };
    let dead_end = Made { pose: |_| 30.0, ..STANDS };
    let all = [STANDS, Made { pose: early, ..onward }, Made { pose: late, ..onward }, turns, dead_end];
    database(&all, mirror)
}

#[test]
fn what_leads_to_the_turn_loses_less_to_the_side_that_it_turns_to() {
    let db = crossroads(MirrorMode::Off);
    let table = Foresight::bake(&db, spec(&db));
    let better_by = |turn_rad| loss_m(&db, &table, 1, turn_rad, 0.0) - loss_m(&db, &table, 2, turn_rad, 0.0);
    assert!(better_by(2.0) > 0.1, "{}", better_by(2.0));
    assert!(better_by(0.0).abs() < 0.05, "{}", better_by(0.0));
    assert!(better_by(2.0) > 2.0 * better_by(-1.0).abs(), "{} {}", better_by(2.0), better_by(-1.0));
}

#[test]
fn a_row_in_a_mirror_loses_for_the_right_what_it_loses_for_the_left() {
    let db = crossroads(MirrorMode::Query);
    let table = Foresight::bake(&db, spec(&db));
    for row in [0, 40, 70, 110].map(RowIndex) {
        for turn_rad in [-2.5, -1.0, 0.0, 0.3, 3.0] {
            let seen = |mirrored, turn_rad| table.loss_m(&db, row, mirrored, Ahead { turn_rad, speed_mps: 1.0 });
            assert!((seen(true, turn_rad) - seen(false, -turn_rad)).abs() < 1e-4);
        }
    }
}

/// Returns the clip that a standing character enters when the goal is behind it.
fn chosen(db: &Arc<Database>, foresight_cost: f32) -> usize {
    let search = SearchConfig {
        foresight_cost,
        end_exclusion_s: 0.0,
        rest_cost: 0.0,
        steady_cost: 0.0,
        path_cost: 0.0,
        minimum_improvement: 0.0,
        ..SearchConfig::default()
    };
    let mut character = MotionMatcher::new(db.clone(), MatcherConfig { search, ..Default::default() }).unwrap();
    let turn = Goal::Velocity { velocity: -Vec3::Z * 0.3, facing: Some(Facing::from_yaw(2.8)) };
    let input = MotionInput { goal: turn, user: &[0.0], ..MotionInput::default() };
    for _ in 0..60 {
        character.update(&input, 1.0 / 60.0).unwrap();
        if character.output().transitions > 0 {
            return character.state().header.playback.playing.clip.at();
        }
    }
    0
}

#[test]
fn of_rows_that_fit_alike_foresight_takes_the_one_that_leads_on() {
    let db = Arc::new(crossroads(MirrorMode::Off));
    assert_ne!(chosen(&db, 0.0), 2, "of equals the first");
    assert_eq!(chosen(&db, 2.0), 2);
}

#[test]
fn a_table_has_the_same_bits_again_and_with_any_number_of_threads() {
    let db = common::gait(MirrorMode::Query);
    let spec = ForesightSpec { end_exclusion_rows: 10, ..spec(&db) };
    let bake = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Foresight::bake(&db, spec.clone()))
    };
    let one = bake(1);
    assert!(one == bake(2) && one == Foresight::bake(&db, spec.clone()));
    assert!(one.sweeps() < 200, "not settled after {} sweeps", one.sweeps());
    assert!(one.bytes() >= one.moments() * 108);
}

#[test]
fn a_character_keeps_its_table_until_it_needs_another() {
    let db = common::gait(MirrorMode::Off);
    let with = |foresight_cost, end_exclusion_s| MatcherConfig {
        search: SearchConfig { foresight_cost, end_exclusion_s, ..SearchConfig::default() },
        ..MatcherConfig::default()
    };
    let mut character = MotionMatcher::new(db, with(0.0, 0.3)).unwrap();
    let mut table = |config| {
        character.set_config(config).unwrap();
        character.character().foresight().map(|made| std::ptr::from_ref(made) as usize)
    };
    assert_eq!(table(with(0.0, 0.3)), None);
    let first = table(with(1.0, 0.3));
    assert!(first.is_some() && first == table(with(2.0, 0.3)));
    assert_ne!(first, table(with(2.0, 0.5)));
    assert_eq!(table(with(0.0, 0.5)), None);
}
