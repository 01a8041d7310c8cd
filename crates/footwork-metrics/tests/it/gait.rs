//! Metrics on motion whose contacts, speed and heading are known.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::GaitOptions;
use footwork_metrics::courses::{Run, course};
use footwork_metrics::eval::{Evaluation, METRICS, Row, Variant};
use footwork_metrics::measure::{Measurement, Quantity, response_times};
use footwork_metrics::metrics::response::ground_velocities;
use footwork_metrics::metrics::skate;
use footwork_metrics::motion::Space;
use footwork_metrics::recording::record;
use footwork_metrics::samples::{Statistic, percentile};
use footwork_metrics::source::Source;
use std::sync::{Arc, OnceLock};

fn gait() -> Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    let build = || {
        let clips = footwork_gait::clips(&GaitOptions { routes: false, ..Default::default() });
        build(&clips, &BuildConfig::default(), &BuildOptions::default()).map(|(db, _)| Arc::new(db))
    };
    DB.get_or_init(|| build().unwrap_or_else(|e| panic!("{e}"))).clone()
}

#[test]
fn planted_feet_of_the_built_in_walk_do_not_slide_and_its_root_has_its_speed() {
    let (db, source) = (gait(), Source::new(&gait()));
    let clip = db.clips.iter().position(|c| c.name == "walk_125").unwrap();
    let clip = &source.clips[clip];
    let (motion, toes) = (&clip.motion, &source.subject.contact_joints);
    let mut planted = 0;
    for frame in 1..motion.frames() {
        for (slot, toe) in toes.iter().enumerate() {
            let at = |frame: usize| motion.contacts[frame * toes.len() + slot] != 0;
            let speed = skate::toe_speed_cm_s(motion, frame, *toe).unwrap();
            if at(frame) && at(frame - 1) {
                planted += 1;
                assert!(speed < 3.0, "frame {frame}: a planted toe at {speed} cm/s");
            }
        }
    }
    assert!(planted > motion.frames() / 2, "{planted} planted toes in {} frames", motion.frames());
    let way = motion.roots[motion.frames() - 1].translation - motion.roots[0].translation;
    let speed_mps = way.length() * footwork_metrics::RATE_HZ / (motion.frames() - 1) as f32;
    assert!((speed_mps - 1.25).abs() < 0.02, "{speed_mps}");
    assert!(motion.hips_facings.iter().all(|f| f.yaw().abs() < 0.2));
    assert!(clip.rest_height_m >= clip.lowest_height_m - 1e-3);
    assert_eq!(source.subject.legs.len(), 2);
    let [hip, knee, ankle] = source.subject.legs[0].map(|j| motion.position(Space::World, 0, j).y);
    assert!(hip > knee && knee > ankle);
}

#[test]
fn the_source_is_above_its_own_percentile_one_time_in_a_thousand() {
    let source = Source::new(&gait());
    let mut mocap = Measurement::default();
    mocap.add_source(&source);
    let of = |quantity, statistic| mocap.of(quantity).statistic(statistic).unwrap();
    let over = of(Quantity::VelocityChangeOverDatabase, Statistic::PctOver(1.0));
    assert!((over - 0.1).abs() < 0.02, "{over} %");
    assert!((of(Quantity::VelocityChangeOverMax, Statistic::Max) - 1.0).abs() < 1e-5);
    assert_eq!(mocap.of(Quantity::Transitions).statistic(Statistic::Mean), None);
}

#[test]
fn a_recording_shows_what_the_character_did() {
    let (db, source) = (gait(), Source::new(&gait()));
    let mut walk = course("a", Run::new(0)).unwrap();
    walk.rows.truncate(600);
    let character = Arc::new(Character::new(db.clone(), MatcherConfig::default()).unwrap());
    let recording = record(&character, &db, &source, &walk).unwrap();
    let (motion, toes) = (&recording.motion, source.subject.contact_joints.len());
    assert_eq!(motion.frames(), 600);
    assert_eq!(motion.world.len(), 600 * db.skeleton.len());
    assert_eq!((motion.contacts.len(), recording.locked_s.len()), (600 * toes, 600 * toes));
    assert!(motion.roots[0].translation.length() < 0.1);
    // Eight seconds of walking at 1.75 m/s, straight ahead.
    let way = recording.simulated[599] - recording.simulated[119];
    assert!((way.z / 8.0 - 1.75).abs() < 0.02 && way.x.abs() < 0.01, "{way}");
    assert!(!recording.seams.is_empty() && recording.seams.is_sorted_by_key(|s| s.frame));
    assert!(recording.seams.iter().filter_map(|s| s.jump).all(|j| j.pose_cm > 0.0 && j.velocity_cm_s > 0.0));
}

#[test]
fn an_evaluation_gives_every_metric_and_the_same_again() {
    let evaluation = Evaluation::new(gait(), &["a", "d"], 0..2);
    let variant = Variant { name: "default".into(), config: MatcherConfig::default(), mover: Default::default() };
    let evaluated = evaluation.run(&variant, &|| ()).unwrap();
    assert_eq!(evaluation.run(&variant, &|| ()).unwrap(), evaluated);
    let row = &evaluated.row;
    for key in ["label_skate_cm_s", "jerk_root", "path_error_m", "t90_start_s", "idle_toe_cm_s", "transitions_per_s"] {
        assert!(row.values[key].mean > 0.0 && row.values[key].sd.is_some(), "{key}");
    }
    // Courses a and d have no turns; coverage comes from course f.
    assert!(!row.values.contains_key("t90_90_vel_s") && !row.values.contains_key("coverage_pct"));
    let mocap = evaluation.mocap();
    for metric in METRICS {
        for row in [&mocap, &evaluated.played] {
            assert_eq!(row.values.contains_key(metric.key), metric.captured, "{} {}", row.variant, metric.key);
        }
    }
    // By construction, except for frames that were played more than once: values at the percentile do not exceed it.
    let over = |row: &Row| row.values["dv_over_source_pct"].mean;
    assert!((over(&mocap) - 0.1).abs() < 0.02 && (0.01..0.12).contains(&over(&evaluated.played)), "{evaluated:?}");
    let (value, worst) = row.values["jerk_root"].worst.unwrap();
    assert!(value > row.values["jerk_root"].mean && ["a", "d"].contains(&worst.course) && worst.joint.0 > 0);
}

#[test]
fn the_simulated_character_answers_as_soon_as_its_springs() {
    let (db, source) = (gait(), Source::new(&gait()));
    let config = MatcherConfig::default();
    let character = Arc::new(Character::new(db.clone(), config.clone()).unwrap());
    // 1 - (1 + x) e^-x is 0.9 at x = 3.8897, and x is t 2 ln 2 / half-life. Velocity responds later: until the character faces
    // the new direction, it is slower, since it moves sideways and backward.
    let spring_s = |half_life_s: f32| 3.8897 * half_life_s / (2.0 * std::f32::consts::LN_2);
    // A velocity is measured between two frames, which is half a frame late.
    let velocity_s = spring_s(config.simulation.velocity_half_life_s) + 0.5 / 60.0;
    let facing_s = spring_s(config.simulation.facing_half_life_s);
    let expected = [
        (Quantity::Turn90Heading, facing_s),
        (Quantity::Turn180Heading, facing_s),
        (Quantity::Start, velocity_s),
        (Quantity::Stop, velocity_s),
        // Both springs integrated, with the speeds ahead, aside and back: 2.7 % less than with 0.24 and 0.28 s.
        (Quantity::Turn180Velocity, 0.835),
    ];
    let mut times: Vec<(Quantity, f32)> = Vec::new();
    for (name, index) in ["b", "c", "d"].into_iter().flat_map(|name| (0..4).map(move |i| (name, i))) {
        let course = course(name, Run::new(index)).unwrap();
        let recording = record(&character, &db, &source, &course).unwrap();
        let velocities = ground_velocities(&recording.simulated);
        let found = response_times(&course, character.stick(), &velocities, &recording.simulated_facings);
        times.extend(found.into_iter().map(|(_, quantity, time_s)| (quantity, time_s)));
    }
    for (quantity, expected_s) in expected {
        let mut of: Vec<f32> = times.iter().filter(|t| t.0 == quantity).map(|t| t.1).collect();
        let median_s = percentile(&mut of, 50.0);
        assert!((median_s - expected_s).abs() < 1.0 / 60.0, "{quantity:?}: {median_s} s, expected {expected_s} s");
    }
}
