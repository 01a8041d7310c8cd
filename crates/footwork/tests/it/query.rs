//! Content of a query.

use crate::common;

use footwork::adjust::play_rate::PlayRateConfig;
use footwork::database::MirrorMode;
use footwork::matcher::{MatcherConfig, MotionMatcher, QueryPose};
use glam::Vec3;

/// Returns the largest distance between a foot as displayed at the start of a search and as described by its query, metres, over
/// all searches of a minute with a random stick.
fn apart_m(query_pose: QueryPose) -> f32 {
    let mut config = MatcherConfig {
        play_rate: PlayRateConfig { enabled: false, ..PlayRateConfig::default() },
        ..MatcherConfig::default()
    };
    config.feet.enabled = false;
    config.search.query_pose = query_pose;
    let db = common::gait(MirrorMode::Off);
    let mut m = MotionMatcher::new(db.clone(), config).unwrap();
    let column = |joint: &str| {
        let label = format!("{joint} position");
        db.schema.channels.iter().find(|c| c.label == label).unwrap().columns.clone()
    };
    let feet = ["LeftFoot", "RightFoot"].map(|joint| (db.skeleton.require(joint).unwrap(), column(joint)));
    let mut most: f32 = 0.0;
    for k in 0..60 * 60 {
        let before = m.pose().clone();
        m.update(&common::random_stick(3, f64::from(k) / 60.0), 1.0 / 60.0).unwrap();
        // The pose displayed at the end of an update is the one from which a search at the start of the next update begins.
        if m.output().searches != 1 || k == 0 {
            continue;
        }
        let asked = m.last_query().unwrap().features;
        for (joint, columns) in &feet {
            let asked: Vec<f32> = columns.clone().map(|c| db.features.denormalize(c, asked[c])).collect();
            let shown = before.in_root(&db.skeleton, *joint).translation;
            most = most.max((Vec3::from_slice(&asked) - shown).length());
        }
    }
    most
}

#[test]
fn a_query_is_of_the_clip_or_of_what_is_shown() {
    let (clip, shown) = (apart_m(QueryPose::Clip), apart_m(QueryPose::Shown));
    println!("{clip} m by the clip, {shown} m by what is shown");
    assert!(shown < 1e-4 && clip > 0.05);
}
