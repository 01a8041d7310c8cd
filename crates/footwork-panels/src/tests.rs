//! The panels without a window: keys, clicks, shown values, and pictures for review.

use crate::flip::{Choice, Weight};
use crate::mode::Mode;
use crate::performance::Performance;
use crate::why::LISTED;
use crate::{Driver, Session, Studio, Tuning};
use egui::{Key, Modifiers, Theme, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::advanced::search::{CandidateReport, Verdict};
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::math::Transform;
use footwork_metrics::update_times::Stages;
use glam::Vec3;
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, OnceLock};

mod acts;
mod cases;
mod host;
mod machine;
mod tags;

const DT_S: f32 = 1.0 / 60.0;

pub(crate) fn database() -> Arc<Database> {
    static DATABASE: OnceLock<Arc<Database>> = OnceLock::new();
    let made = || {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    };
    DATABASE.get_or_init(made).clone()
}

/// Returns all of the built-in data, including slopes and stairs: the data of its networks.
fn whole() -> Arc<Database> {
    static DATABASE: OnceLock<Arc<Database>> = OnceLock::new();
    let made = || {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { terrain: true, ..Default::default() });
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    };
    DATABASE.get_or_init(made).clone()
}

fn networks() -> Arc<Networks> {
    Arc::new(Networks::from_bytes(footwork_gait::BIPED_NETWORKS, Path::new("biped.fwnet")).unwrap())
}

pub(crate) fn studio() -> Studio {
    Studio::new(Session::new("built-in data", database(), Tuning::default()).unwrap())
}

pub(crate) fn harness<'a>(size: [f32; 2], theme: Theme) -> Harness<'a, Studio> {
    let builder = Harness::builder().with_size(vec2(size[0], size[1])).with_step_dt(DT_S).with_theme(theme);
    builder.build_ui_state(
        |ui, studio: &mut Studio| {
            studio.ui(ui, DT_S);
        },
        studio(),
    )
}

fn shown(harness: &Harness<'_, Studio>) -> Vec<Vec3> {
    harness.state().session.shown().pose().translations.clone()
}

fn root(harness: &Harness<'_, Studio>) -> Vec3 {
    shown(harness)[0]
}

/// Runs and turns for some seconds.
fn driven<'a>(seconds: f32) -> Harness<'a, Studio> {
    let mut harness = harness([1280.0, 720.0], Theme::Dark);
    harness.state_mut().session.set_driver(Driver::Random);
    harness.run_steps((seconds / DT_S) as usize);
    harness
}

#[test]
fn keys_drive_the_character() {
    let mut harness = harness([1280.0, 720.0], Theme::Dark);
    harness.run_steps(10);
    let start = root(&harness);
    harness.key_down(Key::W);
    harness.run_steps(120);
    harness.key_up(Key::W);
    let way = (root(&harness) - start).with_y(0.0);
    assert!((2.0..5.0).contains(&way.length()), "{way}");
    // The character moves in the direction of the camera.
    let ahead = footwork::math::Facing::from_yaw(harness.state().viewport.orbit.yaw_rad).direction();
    assert!(way.normalize().dot(ahead) > 0.95, "{way}");
}

#[test]
fn scrubbing_shows_the_pose_of_that_frame() {
    let mut harness = harness([1280.0, 720.0], Theme::Dark);
    harness.state_mut().session.set_driver(Driver::Random);
    let mut poses = Vec::new();
    for _ in 0..600 {
        harness.run_steps(1);
        poses.push(harness.state().session.shown().pose().clone());
    }
    let recorded = harness.state().session.tracks.len();
    // The harness made updates before the first one of this test.
    let first = recorded - poses.len();
    harness.key_press(Key::P);
    harness.run_steps(2);
    assert!(!harness.state().session.is_live());
    let extra = harness.state().session.tracks.len() - recorded;
    for update in [0, 599, 17, 18, 400] {
        harness.state_mut().session.scrub(first + update);
        harness.run_steps(1);
        assert_eq!(harness.state().session.shown().pose(), &poses[update], "update {update}, {extra} more");
    }
}

#[test]
fn the_timeline_is_clicked_and_stepped_through() {
    let mut harness = driven(6.0);
    let rect = harness.get_by_label("timeline").rect();
    let at = rect.left_center() + vec2(0.6 * rect.width(), 0.0);
    harness.hover_at(at);
    harness.run_steps(1);
    harness.drag_at(at);
    harness.run_steps(1);
    harness.drop_at(at);
    harness.run_steps(1);
    let update = harness.state().session.shown_update().unwrap();
    assert!(!harness.state().session.is_live());
    assert!(update + 30 < harness.state().session.tracks.len(), "{update}");
    harness.key_press(Key::Comma);
    harness.run_steps(1);
    assert_eq!(harness.state().session.shown_update(), Some(update - 1));
    harness.get_by_label("Back to live").click();
    harness.run_steps(2);
    assert!(harness.state().session.is_live());
}

#[test]
fn driving_on_from_a_moment_begins_there() {
    let mut harness = driven(5.0);
    harness.state_mut().session.scrub(100);
    harness.run_steps(1);
    let there = root(&harness);
    harness.get_by_label("Drive on from here").click();
    harness.run_steps(1);
    assert!(harness.state().session.is_live());
    assert!((root(&harness) - there).length() < 0.2);
}

#[test]
fn a_weight_that_is_moved_changes_the_next_match() {
    let mut session = studio().session;
    session.set_driver(Driver::Random);
    for _ in 0..240 {
        session.advance(DT_S, &Default::default(), 0.0);
    }
    let state = session.matcher.state().clone();
    let mut paths = Vec::new();
    for weight in [1.0, 0.0] {
        session.matcher.restore(&state).unwrap();
        for channel in &database().schema.channels {
            session.set(&["channel_cost", &channel.label], Some(&json!(weight)), false);
        }
        assert_eq!(session.message, None);
        session.set_driver(Driver::Random);
        let mut clips = Vec::new();
        for _ in 0..240 {
            session.advance(DT_S, &Default::default(), 0.0);
            clips.push(session.matcher.output().playing);
        }
        paths.push(clips);
    }
    assert_ne!(paths[0], paths[1]);
}

#[test]
fn settings_are_undone_with_keys() {
    let mut harness = harness([1280.0, 720.0], Theme::Dark);
    harness.state_mut().session.set(&["responsiveness"], Some(&json!(3.0)), false);
    harness.run_steps(1);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(1);
    assert_eq!(harness.state().session.matcher.config().responsiveness, 1.0);
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    harness.run_steps(1);
    assert_eq!(harness.state().session.matcher.config().responsiveness, 3.0);
}

#[test]
fn what_a_change_does_is_measured() {
    let mut studio = studio();
    studio.session.set(&["search", "interval_s"], Some(&json!(0.5)), false);
    let Studio { session, tune, .. } = &mut studio;
    tune.measure(session);
    while tune.measure.is_running() {
        std::thread::sleep(std::time::Duration::from_millis(20));
        tune.measure.poll(session);
    }
    assert_eq!(session.message, None);
    let [before, after] = tune.measure.value("t90_mean_s").unwrap();
    assert!(before > 0.1 && after > 0.0 && before != after, "{before} {after}");
}

#[test]
fn settings_that_cannot_be_are_told_and_change_nothing() {
    let mut session = studio().session;
    session.set(&["search", "interval_s"], Some(&json!(-1)), false);
    assert!(session.message.as_deref().is_some_and(|m| m.contains("interval_s")), "{:?}", session.message);
    assert_eq!(session.tuning.text(), "");
    session.set(&["channel_cost", "LeftFot position"], Some(&json!(1)), false);
    assert!(session.message.as_deref().is_some_and(|m| m.contains("LeftF")), "{:?}", session.message);
    assert_eq!(session.tuning.text(), "");
}

#[test]
fn what_flips_a_choice_does_flip_it() {
    let mut harness = driven(8.0);
    let (mut found, mut none) = (0, 0);
    for update in (120..470).step_by(50) {
        harness.state_mut().session.scrub(update);
        harness.run_steps(1);
        let Studio { session, why, .. } = harness.state_mut();
        let lost = |c: &CandidateReport| matches!(c.verdict, Verdict::CostlierBy(_) | Verdict::HarderToReach(_));
        let listed = why.candidates().iter().take(LISTED).cloned().enumerate();
        let lost: Vec<(usize, CandidateReport)> = listed.filter(|(_, c)| lost(c)).collect();
        let flipped = lost.into_iter().find_map(|(index, wanted)| {
            why.select(session, index);
            why.flip().expect("it was looked for").cloned().map(|flip| (flip, wanted))
        });
        let Some((flip, wanted)) = flipped else {
            none += 1;
            continue;
        };
        found += 1;
        let searched = session.tracks.search_at(update).unwrap();
        let Mode::Review(review) = &mut session.mode else { panic!("it is recorded") };
        review.show(searched - 1).unwrap();
        let before = review.replay.matcher().state().clone();
        review.show(searched).unwrap();
        let (input, character) = (review.replay.input().clone(), review.replay.matcher().character().clone());
        let choice = Choice { character: &character, before: &before, input: &input, ground: None, dt_s: DT_S };
        let clip_with = |value: f32| {
            let matcher = choice.repeat(flip.weight.set(character.config(), value)).unwrap();
            let playing = matcher.output().playing;
            (matcher.clip_name().unwrap().to_owned(), playing.time_s)
        };
        let (clip, time_s) = clip_with(flip.to);
        assert_eq!(clip, wanted.clip, "{flip}");
        assert!((time_s - wanted.time_s).abs() < 0.2, "{flip}: {time_s} {}", wanted.time_s);
        // A slightly smaller change is not enough.
        let (other, other_s) = clip_with(flip.to + 0.05 * (flip.from - flip.to));
        assert!(other != wanted.clip || (other_s - wanted.time_s).abs() > 0.02, "{flip} is not the smallest change");
        assert_eq!(flip.from, flip.weight.of(character.config()));
    }
    assert!(found > 0, "no choice was flipped, {none} could not be");
}

#[test]
fn a_recording_is_opened_and_a_foreign_one_is_refused() {
    let mut harness = driven(4.0);
    let pose = {
        let session = &mut harness.state_mut().session;
        session.scrub(150);
        session.shown().pose().clone()
    };
    let trace = harness.state().session.trace();
    let bytes = trace.to_bytes().unwrap();
    let again = footwork::recorder::Trace::from_bytes(&bytes, std::path::Path::new("a.fwtrace")).unwrap();
    let mut other = studio().session;
    other.open_trace(again.clone()).unwrap();
    other.scrub(150);
    assert_eq!(other.shown().pose(), &pose);
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, seed: 9, ..Default::default() });
    let foreign = Arc::new(build(&clips[..12], &BuildConfig::default(), &BuildOptions::default()).unwrap().0);
    let mut session = Session::new("others", foreign, Tuning::default()).unwrap();
    assert!(session.open_trace(again).unwrap_err().contains("data"));
    assert!(session.is_live());
}

#[test]
fn clips_are_played_in_the_viewport() {
    let mut harness = harness([1280.0, 720.0], Theme::Light);
    harness.get_by_label("Database").click();
    harness.run_steps(2);
    harness.state_mut().session.play_clip(footwork::frames::ClipIndex::new(3));
    harness.run_steps(30);
    let mut world: Vec<Transform> = Vec::new();
    harness.state_mut().session.world(&mut world);
    let Mode::Clip(player) = &harness.state().session.mode else { panic!("a clip is shown") };
    assert!((player.time_s - 0.5).abs() < 0.05, "{}", player.time_s);
    assert!(world.len() == database().skeleton.len());
}

#[test]
fn networks_play_beside_the_clips() {
    let mut harness = driven(1.0);
    assert!(harness.query_by_label("networks").is_none(), "there are none");
    let session = &mut harness.state_mut().session;
    assert!(session.play_networks(true).unwrap_err().contains(".fwnet"));
    assert!(session.set_networks(networks()).unwrap_err().contains("normalisation"));
    harness.state_mut().open(Session::new("built-in data", whole(), Tuning::default()).unwrap());
    let session = &mut harness.state_mut().session;
    session.set_driver(Driver::Random);
    session.set_networks(networks()).unwrap();
    session.play_networks(true).unwrap();
    let start = session.shown().pose().translations[0];
    harness.run_steps(240);
    assert!(harness.state().session.plays_networks());
    assert!((root(&harness) - start).length() > 1.0, "it stands still");
    // A recording of networks is replayed with networks.
    let trace = harness.state().session.trace();
    let shown = harness.state().session.shown().pose().clone();
    harness.get_by_label("clips").click();
    harness.run_steps(30);
    assert!(!harness.state().session.plays_networks());
    let session = &mut harness.state_mut().session;
    session.open_trace(trace).unwrap();
    assert!(session.plays_networks());
    session.scrub(usize::MAX);
    assert_eq!(session.shown().pose(), &shown);
    // Searches of networks compare no rows; those of clips do.
    let mut performance = Performance::default();
    assert_eq!(performance.touched(session), None);
    session.play_networks(false).unwrap();
    harness.run_steps(30);
    let session = &mut harness.state_mut().session;
    let touched = performance.touched(session).unwrap();
    assert!(touched.rows < session.database().rows() && touched.nodes > 0, "{touched:?}");
    performance.start(session);
    while performance.times().is_none() {
        assert_eq!(session.message, None);
        std::thread::sleep(std::time::Duration::from_millis(20));
        performance.poll(session);
    }
    let times = performance.times().unwrap();
    assert!(times.of(Stages::Learned).is_some_and(|t| t.update_us > 0.0), "{times:?}");
}

#[test]
fn weights_name_themselves() {
    assert_eq!(Weight::Channel("LeftFoot position".into()).to_string(), "LeftFoot position");
}

/// Returns a picture, or `None` without Vulkan, except in continuous integration.
pub(crate) fn render(harness: &mut Harness<'_, Studio>) -> Option<image::RgbaImage> {
    match harness.render() {
        Ok(image) => Some(image),
        Err(e) if std::env::var_os("CI").is_none() => {
            eprintln!("skipped: no Vulkan: {e}");
            None
        }
        Err(e) => panic!("no Vulkan: {e}"),
    }
}

/// Saves a picture for review as `target/studio/*.png`, and checks that it is not empty.
fn picture(harness: &mut Harness<'_, Studio>, name: &str) {
    let Some(image) = render(harness) else { return };
    let colours: std::collections::BTreeSet<[u8; 4]> = image.pixels().map(|p| p.0).collect();
    assert!(colours.len() > 100, "{name}: {} colours", colours.len());
    let target =
        std::env::var("CARGO_TARGET_DIR").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target").into());
    let folder = std::path::PathBuf::from(target).join("studio");
    std::fs::create_dir_all(&folder).unwrap();
    image.save(folder.join(format!("{name}.png"))).unwrap();
}

#[test]
fn pictures() {
    for (name, size, theme) in [("dark", [1280.0, 720.0], Theme::Dark), ("light", [1920.0, 1080.0], Theme::Light)] {
        let mut harness = harness(size, theme);
        harness.state_mut().session.set_driver(Driver::Random);
        harness.run_steps(400);
        let save = |harness: &mut Harness<'_, Studio>, what: &str| picture(harness, &format!("{name}_{what}"));
        save(&mut harness, "live");
        harness.state_mut().session.scrub(300);
        harness.run_steps(2);
        let Studio { session, why, viewport, .. } = harness.state_mut();
        viewport.layers.features = true;
        let lost = |c: &CandidateReport| matches!(c.verdict, Verdict::CostlierBy(_));
        let beaten = why.candidates().iter().position(lost).expect("something lost");
        why.select(session, beaten);
        harness.run_steps(2);
        save(&mut harness, "why");
        harness.get_by_label("Database").click();
        harness.run_steps(3);
        save(&mut harness, "clips");
        harness.get_by_label("Scatter").click();
        harness.run_steps(3);
        save(&mut harness, "scatter");
        harness.get_by_label("Features").click();
        harness.run_steps(3);
        save(&mut harness, "histogram");
        harness.get_by_label("Coverage").click();
        harness.run_steps(3);
        save(&mut harness, "coverage");
        harness.get_by_label("Performance").click();
        harness.state_mut().session.go_live();
        harness.state_mut().session.set_ground(footwork_metrics::ground::GroundKind::Stairs);
        harness.state_mut().session.set_driver(Driver::Hands);
        harness.state_mut().viewport.orbit.yaw_rad = 0.0;
        harness.key_down(Key::W);
        harness.run_steps(200);
        save(&mut harness, "stairs");
        harness.key_up(Key::W);
        harness.state_mut().open(Session::new("built-in data", whole(), Tuning::default()).unwrap());
        harness.state_mut().session.set_networks(networks()).unwrap();
        harness.state_mut().session.play_networks(true).unwrap();
        harness.get_by_label("Performance").click();
        let Studio { session, performance, .. } = harness.state_mut();
        performance.start(session);
        while performance.times().is_none() && session.message.is_none() {
            std::thread::sleep(std::time::Duration::from_millis(20));
            performance.poll(session);
        }
        harness.run_steps(60);
        save(&mut harness, "performance");
    }
}
