//! Tags by rules: the tags that clips of known speed, turn rate and height receive.

use crate::common;

use common::clip;
use footwork::build::{BuildConfig, BuildError, BuildOptions, TagRule, build};
use footwork::database::Database;
use footwork_gait::GaitOptions;

fn rule(tag: &str, when: &str) -> TagRule {
    TagRule { tag: tag.into(), when: when.into(), until: None, shortest_s: 0.2 }
}

fn config(rules: Vec<TagRule>) -> BuildConfig {
    BuildConfig { rules, ..BuildConfig::default() }
}

/// Returns the ranges of a clip that have a tag, seconds.
fn ranges(db: &Database, clip: &str, tag: &str) -> Vec<[f32; 2]> {
    let clip = db.clips.iter().find(|c| c.name == clip).unwrap_or_else(|| panic!("{clip}"));
    let frames = clip.frame_range();
    let at_s = |frame: usize| (frame - frames.start) as f32 / db.pose_rate_hz;
    let spans = db.tag_spans.iter().filter(|s| db.tags[s.tag as usize] == tag && frames.contains(&s.start.at()));
    spans.map(|s| [at_s(s.start.at()), at_s(s.end.at())]).collect()
}

/// Returns the share of a clip that has a tag.
fn share(db: &Database, clip: &str, tag: &str) -> f32 {
    let seconds = db.clips.iter().find(|c| c.name == clip).unwrap().frames as f32 / db.pose_rate_hz;
    ranges(db, clip, tag).iter().map(|[start, end]| end - start).sum::<f32>() / seconds
}

#[test]
fn clips_are_tagged_by_their_speed_turn_and_contacts() {
    let names = ["idle", "walk_125_loop", "walk_200_loop", "run_250_loop", "run_320_loop", "change_125_250"];
    let curves = ["curve_175_radius_100_left", "curve_175_radius_300_right"];
    let clips: Vec<_> = names.iter().chain(&curves).map(|name| clip(name)).collect();
    let rules = vec![
        rule("brisk", "speed_mps > 2.2"),
        rule("slow", "speed_mps > 0.5 & !(speed_mps >= 1.6)"),
        rule("still", "speed_mps < 0.2 & turn_degps < 20"),
        // 1.75 m/s on a radius of 1 m is 100 degrees per second; on 3 m it is 33.
        rule("turning", "turn_degps > 70"),
        rule("ahead", "forward_mps > 0.5 & side_mps < 0.3 & side_mps > -0.3"),
        TagRule { shortest_s: 0.4, ..rule("flight", "foot_contact < 1") },
        TagRule { shortest_s: 0.0, ..rule("airborne", "foot_contact == 0") },
        rule("upright", "hips_share > 0.9 & hips_m > 0.7 & hips_m < 1.1"),
    ];
    let (db, report) = common::built(&clips, &config(rules));
    for (name, wanted) in [
        ("idle", &["still", "upright"][..]),
        ("walk_125_loop", &["slow", "ahead", "upright"]),
        ("walk_200_loop", &["ahead", "upright"]),
        ("run_250_loop", &["brisk", "ahead", "upright"]),
        ("run_320_loop", &["brisk", "ahead", "upright"]),
    ] {
        for tag in ["brisk", "slow", "still", "turning", "ahead", "flight", "upright"] {
            let found = share(&db, name, tag);
            let expected = if wanted.contains(&tag) { 1.0 } else { 0.0 };
            assert!((found - expected).abs() < 0.01, "{name} is {tag} for {found} of its time");
        }
    }
    // A run has flight phases, but shorter than the 0.4 s that the other tag requires.
    let airborne = ["run_320_loop", "walk_125_loop"].map(|name| share(&db, name, "airborne"));
    // Contacts are those of toes: a walk has none for a short time after the heel strike.
    assert!(airborne[0] > 0.4 && airborne[1] < 0.25, "{airborne:?}");
    assert!(share(&db, curves[0], "turning") > 0.7 && share(&db, curves[1], "turning") < 0.05);
    let [[start, end]] = ranges(&db, "change_125_250", "brisk")[..] else { panic!("one range") };
    assert!((0.8..2.4).contains(&start) && end > 2.7, "{start} {end}");
    assert!(ranges(&db, "change_125_250", "slow")[0][1] < start);
    let told: Vec<&String> = report.warnings.iter().filter(|w| w.contains("rules")).collect();
    assert!(told.len() == 1 && told[0].contains("`flight`") && told[0].contains("rules[5]"), "{told:?}");
}

#[test]
fn a_range_goes_on_until_its_end_is_reached() {
    let clips = [clip("change_250_125"), clip("walk_125_loop"), clip("run_250_loop")];
    let until = |tag: &str, text: &str| TagRule { until: Some(text.into()), ..rule(tag, "speed_mps > 2.2") };
    let rules =
        vec![rule("plain", "speed_mps > 2.2"), until("longer", "speed_mps < 1.6"), until("never", "speed_mps < 0.1")];
    let (db, _) = common::built(&clips, &config(rules));
    let [plain, longer, never] = ["plain", "longer", "never"].map(|tag| ranges(&db, "change_250_125", tag));
    assert!(plain.len() == 1 && longer.len() == 1 && never.len() == 1);
    assert!(plain[0][0] == 0.0 && longer[0][0] == 0.0 && never[0][0] == 0.0);
    assert!(plain[0][1] + 0.1 < longer[0][1] && longer[0][1] + 0.1 < never[0][1], "{plain:?} {longer:?} {never:?}");
    // In a loop, a range without an end covers the whole clip, and a range without a begin is empty.
    assert_eq!((share(&db, "run_250_loop", "never"), share(&db, "walk_125_loop", "never")), (1.0, 0.0));
}

#[test]
fn a_crouch_is_told_by_the_height_of_the_hips() {
    let clips = footwork_gait::clips(&GaitOptions { routes: false, crouch: true, ..GaitOptions::default() });
    let (db, _) = common::built(&clips, &config(vec![rule("low", "hips_share < 0.8")]));
    let mut crouches = 0;
    for c in db.clips.iter().filter(|c| c.frames > 60) {
        let low = share(&db, &c.name, "low");
        if c.name.starts_with("crouch") && c.looping() {
            crouches += 1;
            assert!(low > 0.99, "{}: {low}", c.name);
        }
        assert!(c.name.contains("crouch") || low < 0.01, "{}: {low}", c.name);
    }
    assert!(crouches > 0);
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_with_its_place() {
    let clips = [clip("walk_125")];
    let refused = |rule: TagRule| {
        let rules = vec![self::rule("a", "speed_mps > 1"), rule];
        match build(&clips, &config(rules), &BuildOptions::default()) {
            Err(BuildError::Config { key, what }) => format!("{key}: {what}"),
            other => panic!("{other:?}"),
        }
    };
    for (wrong, told) in [
        (rule("b", "sped_mps > 1"), ["rules[1].when", "character 1", "the nearest is `speed_mps`"]),
        (rule("b", "speed_mps > 1 &"), ["rules[1].when", "character 16", "expected a name"]),
        (
            TagRule { until: Some("hips_m".into()), ..rule("b", "hips_m < 1") },
            ["rules[1].until", "hips_m > 0.5", "comparison"],
        ),
        (rule(" ", "hips_m < 1"), ["rules[1].tag", "name", "tag"]),
    ] {
        let e = refused(wrong);
        assert!(told.iter().all(|t| e.contains(t)), "{e}");
    }
}
