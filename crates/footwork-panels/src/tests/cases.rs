//! The three cases of `docs/guide/why.md`: the panels' explanation of each, and its fix.

use super::*;
use footwork::build::{Multiply, MultiplyConfig};
use footwork::input::MotionInput;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::recorder::{Recorder, RecorderConfig, Trace};
use footwork_metrics::courses::RandomStick;
use footwork_metrics::eval::{Evaluation, Variant};
use glam::Vec2;
use std::ops::Range;

/// Records a game with a given input.
fn played(
    database: &Arc<Database>,
    config: &MatcherConfig,
    seconds: f32,
    input: &mut dyn FnMut(f32) -> MotionInput<'static>,
) -> Trace {
    let character = Arc::new(Character::new(database.clone(), config.clone()).unwrap());
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut matcher = MotionMatcher::of(character, Transform::IDENTITY).unwrap();
    for k in 0..(seconds / DT_S) as usize {
        recorder.update(&mut matcher, &input(k as f32 * DT_S), DT_S).unwrap();
    }
    recorder.trace()
}

/// Opens a window with a recording.
fn opened<'a>(database: &Arc<Database>, settings: &str, trace: Trace) -> Harness<'a, Studio> {
    let tuning = Tuning::parse(settings).unwrap();
    let mut session = Session::new("hero.fwdb", database.clone(), tuning).unwrap();
    session.open_trace(trace).unwrap();
    let builder = Harness::builder().with_size(vec2(1280.0, 720.0)).with_step_dt(DT_S).with_theme(Theme::Dark);
    builder.build_ui_state(
        |ui, studio: &mut Studio| {
            studio.ui(ui, DT_S);
        },
        Studio::new(session),
    )
}

/// Checks that the page of the guide contains all these words.
fn guide_says(all: &[String]) {
    let page = include_str!("../../../../docs/guide/why.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing: Vec<&String> = all.iter().filter(|words| !page.contains(words.as_str())).collect();
    assert!(missing.is_empty(), "docs/guide/why.md: expected {missing:#?}");
}

fn stick(x: f32, y: f32) -> MotionInput<'static> {
    MotionInput::stick(footwork::input::Stick { movement: Vec2::new(x, y), ..Default::default() })
}

/// Returns the time from a sideways turn of the stick until the sideways speed exceeds 1.5 m/s, in seconds.
fn turned_after_s(tracks: &crate::Tracks, turn_s: f32) -> f32 {
    let start = (turn_s / DT_S) as usize;
    let across = |k: usize| (tracks.get(k).unwrap().position - tracks.get(k - 1).unwrap().position).x.abs() / DT_S;
    let turned = (start..tracks.len()).find(|k| across(*k) > 1.5);
    turned.map_or(f32::INFINITY, |k| (k - start) as f32 * DT_S)
}

/// Checks every search within a time range of the recording, until one fulfils the condition.
fn search_where(
    harness: &mut Harness<'_, Studio>,
    times_s: Range<f32>,
    wished: &mut dyn FnMut(&mut Studio) -> bool,
) -> usize {
    let updates = (times_s.start / DT_S) as usize..(times_s.end / DT_S) as usize;
    for update in updates {
        if harness.state().session.tracks.get(update).is_some_and(|s| s.searches > 0) {
            harness.state_mut().session.scrub(update);
            harness.run_steps(1);
            if wished(harness.state_mut()) {
                return update;
            }
        }
    }
    panic!("no such search");
}

#[test]
fn a_late_turn() {
    let ahead_then_aside = &mut |time_s: f32| if time_s < 3.0 { stick(0.0, 1.0) } else { stick(1.0, 0.0) };
    let settings = "[matcher]\nresponsiveness = 0.2\n";
    let sluggish = Tuning::parse(settings).unwrap().matcher().clone();
    let trace = played(&database(), &sluggish, 6.0, ahead_then_aside);
    let mut harness = opened(&database(), settings, trace);
    let late_s = turned_after_s(&harness.state().session.tracks, 3.0);
    let mut said = String::new();
    // A candidate with a sharper turn lost, and would have won with the default weight of the trajectory.
    let update = search_where(&mut harness, 3.3..4.5, &mut |studio| {
        let Studio { session, why, .. } = studio;
        (1..LISTED).any(|k| {
            why.select(session, k);
            let Some(Some(flip)) = why.flip() else { return false };
            said = flip.to_string();
            flip.weight == Weight::Responsiveness && flip.from == 0.2 && (0.25..=1.0).contains(&flip.to)
        })
    });
    harness.run_steps(2);
    picture(&mut harness, "why_turn");
    let mended = played(&database(), &MatcherConfig::default(), 6.0, ahead_then_aside);
    let soon_s = turned_after_s(&opened(&database(), "", mended).state().session.tracks, 3.0);
    guide_says(&[
        format!("\"{said}\""),
        format!("At {:.2} s a wide curve", (update + 1) as f32 * DT_S),
        format!("needs {late_s:.2} s"),
        format!("turns after {soon_s:.2} s"),
    ]);
    assert!(soon_s < 0.5 * late_s, "{soon_s} {late_s}");
}

#[test]
fn a_stop_that_slides() {
    let pack = |multiply: Multiply| {
        let mut clips = footwork_gait::clips(&Default::default());
        clips.retain(|c| footwork_gait::PACK_19.contains(&c.name.as_str()));
        let multiply = MultiplyConfig { mode: multiply, ..MultiplyConfig::default() };
        let config = BuildConfig { multiply, ..BuildConfig::default() };
        Arc::new(build(&clips, &config, &BuildOptions::default()).unwrap().0)
    };
    let (thin, made) = (pack(Multiply::Off), pack(MultiplyConfig::default().mode));
    let trace =
        played(&thin, &MatcherConfig::default(), 8.0, &mut |time_s| stick(0.0, if time_s < 4.0 { 1.0 } else { 0.0 }));
    let mut harness = opened(&thin, "", trace);
    // Every candidate moves in another direction than the stick.
    let elsewhere = |c: &footwork::advanced::search::CandidateReport| {
        c.channels.iter().any(|(label, cost)| label == "trajectory position" && *cost > 1.0)
    };
    search_where(&mut harness, 4.0..6.0, &mut |studio| studio.why.candidates().iter().take(LISTED).all(elsewhere));
    harness.get_by_label("Database").click();
    harness.run_steps(2);
    harness.get_by_label("Coverage").click();
    harness.run_steps(2);
    harness.run_steps(2);
    picture(&mut harness, "why_stop");
    let skate = |db: &Arc<Database>| {
        let variant = Variant { name: "mine".into(), config: MatcherConfig::default(), mover: Default::default() };
        let done = Evaluation::new(db.clone(), &["d"], 0..1).run(&variant, &|| ()).unwrap();
        ["label_skate_cm_s", "ik_correction_p99_cm"].map(|key| done.row.values[key].mean)
    };
    let (thin, made) = (skate(&thin), skate(&made));
    assert!(made[0] < 0.3 * thin[0] && made[1] < thin[1], "{made:?} {thin:?}");
}

#[test]
fn a_wrong_style() {
    let database = whole();
    let mut untagged = MatcherConfig::default();
    untagged.ground.own_ground_tags = vec![];
    let run = |config: &MatcherConfig| {
        let mut random = RandomStick::new(1);
        played(&database, config, 120.0, &mut |time_s| MotionInput::stick(random.at(time_s)))
    };
    let mut harness = opened(&database, "", run(&untagged));
    let stairs = |studio: &Studio| {
        let clip = studio.session.shown().clip_name().unwrap_or_default().to_owned();
        clip.starts_with("stairs") || clip.starts_with("slope")
    };
    let update = search_where(&mut harness, 1.0..119.0, &mut |studio| {
        let played = stairs(studio);
        let Studio { session, why, .. } = studio;
        why.select(session, 1);
        played && why.flip() == Some(None)
    });
    harness.run_steps(2);
    picture(&mut harness, "why_style");
    let uneven = |studio: &Studio| {
        let is_uneven = |s: &&crate::Sample| {
            let name = &database.clips[s.clip.unwrap().at()].name;
            name.starts_with("stairs") || name.starts_with("slope")
        };
        studio.session.tracks.iter().filter(is_uneven).count()
    };
    let count = uneven(harness.state());
    guide_says(&[
        format!("search at {:.2} s", (update + 1) as f32 * DT_S),
        format!("played for {count} of 7200 updates"),
    ]);
    assert_eq!(uneven(opened(&database, "", run(&MatcherConfig::default())).state()), 0);
}
