//! Tags on the timeline, findings and repeats in the database panel: dragged and clicked without a window.

use crate::mode::Mode;
use crate::session::Session;
use crate::tags::{Kind, Mark};
use crate::tests::{database, harness, render};
use crate::{Findings, Sources, Studio, Tuning};
use egui::{Key, Modifiers, Theme};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::frames::RowIndex;
use footwork_import::{CharacterConfig, Imported, SourceConfig, import_clips_in_memory};
use std::path::Path;
use std::sync::Arc;

/// Returns files of some clips of the built-in data, with sidecars.
fn files(names: &[&str], sidecars: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let bvh = |name: &&str| {
        let clip = clips.iter().find(|c| c.name == **name).unwrap_or_else(|| panic!("no clip {name}"));
        let mut text = Vec::new();
        footwork_import::bvh::write(clip, &mut text, &Default::default()).unwrap();
        (format!("{name}.bvh"), text)
    };
    let texts = sidecars.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    names.iter().map(bvh).chain(texts).collect()
}

/// The three clips of most tests. The build finds no loop of another length in them.
const NAMES: [&str; 3] = ["walk_125", "walk_175", "run_400"];
const SIDECAR: &str = "# By hand.\ntags = [\n  { name = \"calm\", start_s = 0.25, end_s = 0.75 }, # slow\n]\n";

fn import(files: &[(String, Vec<u8>)]) -> Imported {
    import_clips_in_memory(files, &SourceConfig::default()).unwrap()
}

fn session_of(files: &[(String, Vec<u8>)]) -> Session {
    let Imported { clips, takes, origins, .. } = import(files);
    let db = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0;
    let clips = clips.into_iter().map(|c| c.name).zip(origins).collect();
    let session = Session::new("files", Arc::new(db), Tuning::default()).unwrap();
    session.with_sources(Sources { takes, clips }).unwrap()
}

/// Returns a studio that shows a clip of the files at its start, paused.
fn shown<'a>(files: &[(String, Vec<u8>)], clip: &str) -> Harness<'a, Studio> {
    let mut harness = harness([1280.0, 720.0], Theme::Dark);
    harness.state_mut().open(session_of(files));
    show(&mut harness, clip);
    harness
}

fn show(harness: &mut Harness<'_, Studio>, clip: &str) {
    let session = &mut harness.state_mut().session;
    let take = session.takes.find(clip).unwrap();
    assert!(session.show_take(take, 0.0));
    harness.run_steps(2);
}

/// Drags from one time of a track to another.
fn drag(harness: &mut Harness<'_, Studio>, lane: &str, from_s: f32, to_s: f32) {
    let at = |harness: &Harness<'_, Studio>, time_s: f32| {
        let Studio { session, timeline, .. } = harness.state();
        timeline.clip.point(lane, session, time_s).unwrap_or_else(|| panic!("no track {lane}"))
    };
    let (from, to) = (at(harness, from_s), at(harness, to_s));
    harness.hover_at(from);
    harness.run_steps(1);
    harness.drag_at(from);
    harness.run_steps(1);
    for k in 1..=4 {
        harness.hover_at(from.lerp(to, k as f32 / 4.0));
        harness.run_steps(1);
    }
    harness.drop_at(to);
    harness.run_steps(2);
}

fn text(harness: &Harness<'_, Studio>, take: &str) -> String {
    let takes = &harness.state().session.takes;
    takes.list[takes.find(take).unwrap()].sidecar.text()
}

fn mark(harness: &Harness<'_, Studio>, take: &str, kind: Kind, index: usize) -> Option<Mark> {
    let takes = &harness.state().session.takes;
    takes.list[takes.find(take).unwrap()].sidecar.mark(kind, index)
}

/// Returns the share of a clip's rows, within a time range in seconds, that have a tag.
fn tagged(db: &Database, clip: &str, tag: &str, [from, to]: [f64; 2]) -> f64 {
    let Ok(mask) = db.tag_mask(tag) else { return 0.0 };
    let clip = db.clips.iter().find(|c| c.name == clip).unwrap();
    let rows = clip.row_range().filter(|r| (from..to).contains(&db.row_time_s(RowIndex::new(*r))));
    let (all, with) = rows.fold((0, 0), |(all, with), r| (all + 1, with + u32::from(db.row_tags(r).contains(&mask))));
    f64::from(with) / f64::from(all.max(1_u32))
}

#[test]
fn the_tracks_of_a_clip_with_six_tags_have_room_in_a_small_window() {
    let tag = |name: &str| format!("  {{ name = \"{name}\", start_s = 0.25, end_s = 0.75 }},\n");
    let tags: String = ["calm", "brisk", "indoors", "careful", "tired"].map(tag).concat();
    let harness = shown(&files(&NAMES, &[("walk_125.tags.toml", &format!("tags = [\n{tags}]\n"))]), "walk_125");
    let Studio { session, timeline, .. } = harness.state();
    let y = |lane: &str| timeline.clip.point(lane, session, 0.0).unwrap().y;
    // Tracks are 13 px high. The figure above them has at least as much of the window.
    assert!(y("events") + 6.5 <= 720.0 - 4.0, "the last track ends at {}", y("events") + 6.5);
    assert!(y("used") > 360.0 && y("tired") < y("new tag"), "the first track is at {}", y("used"));
}

#[test]
fn tags_that_are_dragged_are_in_the_rows_of_the_data_that_is_built_from_the_sidecars() {
    let mut files = files(&NAMES, &[("walk_125.tags.toml", SIDECAR)]);
    let mut harness = shown(&files, "walk_125");
    drag(&mut harness, "calm", 0.75, 1.0);
    drag(&mut harness, "new tag", 0.1, 0.4);
    // The name of a new mark has the focus.
    harness.event(egui::Event::Text("brisk".to_owned()));
    harness.run_steps(2);
    drag(&mut harness, "events", 0.3, 0.5);
    drag(&mut harness, "costs", 0.2, 0.6);
    drag(&mut harness, "no entry", 0.0, 0.1);
    let unsaved = harness.state().session.unsaved_tags();
    assert_eq!(unsaved.len(), 1);
    let text = &unsaved[0].text;
    assert!(text.starts_with("# By hand.\n") && text.contains("# slow\n"), "{text}");
    assert_eq!(unsaved[0].path, Path::new("walk_125.tags.toml"));
    assert_eq!(unsaved[0].saved.as_deref(), Some(SIDECAR));
    files.retain(|(name, _)| name != "walk_125.tags.toml");
    files.push(("walk_125.tags.toml".to_owned(), text.clone().into_bytes()));

    let again = session_of(&files);
    let db = again.database();
    assert_eq!(tagged(db, "walk_125", "calm", [0.25, 1.0]), 1.0, "{text}");
    assert_eq!(tagged(db, "walk_125", "calm", [1.02, 9.0]), 0.0, "{text}");
    assert_eq!(tagged(db, "walk_125", "brisk", [0.12, 0.38]), 1.0, "{text}");
    assert_eq!(tagged(db, "walk_125", "brisk", [0.42, 9.0]), 0.0, "{text}");
    let event =
        db.events.iter().find(|e| (e.time_s - 0.5).abs() < 0.02).unwrap_or_else(|| panic!("{:?}\n{text}", db.events));
    assert_eq!(db.event_names[event.name.at()], "new");
    let clip = db.clips.iter().find(|c| c.name == "walk_125").unwrap();
    let costly = |r: usize| db.row_costs.get(r).is_some_and(|c| *c == 0.5);
    let within = clip.row_range().filter(|r| (0.22..0.58).contains(&db.row_time_s(RowIndex::new(*r))));
    assert!(within.clone().count() > 5 && within.clone().all(costly), "{text}");
    assert!(db.row_flags[clip.row_range().start].no_entry(), "{text}");

    // The character and the clip continue at the same position with the rebuilt data.
    harness.state_mut().session.mark_tags_saved(&unsaved[0]);
    harness.state_mut().continue_with(again).unwrap();
    harness.run_steps(2);
    let session = &harness.state().session;
    assert!(session.unsaved_tags().is_empty() && matches!(session.mode, Mode::Clip(_)));
    assert!(session.database().tags.iter().any(|t| t == "brisk"));
    assert!(session.can_undo());
}

#[test]
fn an_edge_is_dragged_to_a_frame_and_taken_back_in_one_step_with_the_settings() {
    let files = files(&NAMES, &[("walk_125.tags.toml", SIDECAR)]);
    let mut harness = shown(&files, "walk_125");
    let settings = serde_json::json!(2.0);
    harness.state_mut().session.set(&["responsiveness"], Some(&settings), false);
    drag(&mut harness, "calm", 0.252, 0.403);
    let rate_hz = harness.state().session.takes.list[0].take.rate_hz;
    let start_s = mark(&harness, "walk_125", Kind::Tag, 0).unwrap().start_s.unwrap();
    assert!((start_s - 0.4).abs() < 1.0 / rate_hz, "{start_s}");
    assert!((start_s * rate_hz - (start_s * rate_hz).round()).abs() < 1e-3, "{start_s} is not a frame");
    assert_eq!(mark(&harness, "walk_125", Kind::Tag, 0).unwrap().end_s, Some(0.75));
    // Dragging the middle moves both ends, clamped to the clip.
    drag(&mut harness, "calm", 0.6, 99.0);
    let moved = mark(&harness, "walk_125", Kind::Tag, 0).unwrap();
    let takes = &harness.state().session.takes;
    let take = &takes.list[takes.find("walk_125").unwrap()].take;
    assert!((moved.end_s.unwrap() - take.frames as f32 / rate_hz).abs() < 1e-3, "{moved:?}");
    assert!((moved.end_s.unwrap() - moved.start_s.unwrap() - (0.75 - start_s)).abs() < 1e-3, "{moved:?}");

    let undo = |harness: &mut Harness<'_, Studio>| {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        harness.run_steps(1);
    };
    undo(&mut harness);
    assert_eq!(mark(&harness, "walk_125", Kind::Tag, 0).unwrap().start_s, Some(start_s));
    undo(&mut harness);
    assert_eq!(text(&harness, "walk_125"), SIDECAR);
    assert_eq!(harness.state().session.tuning.matcher().responsiveness, 2.0);
    undo(&mut harness);
    assert_eq!(harness.state().session.tuning.matcher().responsiveness, 1.0);
    for _ in 0..2 {
        harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
        harness.run_steps(1);
    }
    assert_eq!(harness.state().session.tuning.matcher().responsiveness, 2.0);
    assert_eq!(mark(&harness, "walk_125", Kind::Tag, 0).unwrap().start_s, Some(start_s));
}

#[test]
fn marks_are_chosen_and_deleted_and_loops_are_said() {
    let files = files(&NAMES, &[("walk_125.tags.toml", SIDECAR)]);
    let mut harness = shown(&files, "walk_125");
    let at = {
        let Studio { session, timeline, .. } = harness.state();
        timeline.clip.point("calm", session, 0.5).unwrap()
    };
    harness.hover_at(at);
    harness.run_steps(1);
    harness.drag_at(at);
    harness.run_steps(1);
    harness.drop_at(at);
    harness.run_steps(2);
    harness.get_by_label("Delete").click();
    harness.run_steps(2);
    assert_eq!(mark(&harness, "walk_125", Kind::Tag, 0), None);
    assert!(text(&harness, "walk_125").contains("# By hand."));
    let session = &mut harness.state_mut().session;
    let take = session.takes.find("walk_125").unwrap();
    session.edit_tags(take, false, |sidecar, take| sidecar.set_looping(Some(true), take));
    assert!(text(&harness, "walk_125").contains("loop = true"));
    // A click beside a mark shows the time.
    drag(&mut harness, "used", 0.1, 0.6);
    let place = harness.state().session.clip_place().unwrap();
    assert!((place.time_s - 0.6).abs() < 0.02, "{}", place.time_s);
    let before = place.time_s;
    harness.key_press(Key::Period);
    harness.run_steps(1);
    let rate_hz = f64::from(harness.state().session.takes.list[0].take.rate_hz);
    let after = harness.state().session.clip_place().unwrap().time_s;
    assert!((after - before - 1.0 / rate_hz).abs() < 1e-3, "{before} {after}");
}

#[test]
fn times_are_those_of_the_file_where_parts_are_discarded() {
    let files = files(&NAMES, &[("walk_125.tags.toml", "discard = [[0.0, 0.5]]\n")]);
    let harness = shown(&files, "walk_125");
    let session = &harness.state().session;
    let place = session.clip_place().unwrap();
    assert!((place.time_s - 0.5).abs() < 0.02, "the nearest time that is left, not {}", place.time_s);
    let name = &session.database().clips[place.clip.at()].name;
    assert!(name.starts_with("walk_125["), "{name}");
}

#[test]
fn data_without_files_keeps_its_tags_in_a_folder_and_says_where_they_belong() {
    let mut harness = harness([1280.0, 720.0], Theme::Light);
    show(&mut harness, "walk_125");
    drag(&mut harness, "new tag", 0.2, 0.5);
    let session = &mut harness.state_mut().session;
    assert_eq!(session.unsaved_tags()[0].path, Path::new("tags/walk_125.tags.toml"));
    assert!(!session.has_files());
    assert!(crate::tags::where_words(session).contains("does not say where the files of its clips are"));
    // An existing sidecar is opened; an invalid one is rejected.
    let open =
        |session: &mut Session, name: &str, text: &str| session.open_sidecars(&[(name.to_owned(), text.to_owned())]);
    let e = open(session, "walk_125.tags.toml", "tags = [{ nme = \"a\" }]\n").unwrap_err();
    assert!(e.contains("walk_125.tags.toml") && e.contains("line 1") && e.contains("did you mean `name`"), "{e}");
    assert!(open(session, "wlak.tags.toml", "").unwrap_err().contains("no clip"));
    open(session, "walk_125.tags.toml", "# Theirs.\n").unwrap();
    assert!(session.unsaved_tags().is_empty());
    session.undo();
    assert_eq!(session.unsaved_tags()[0].saved.as_deref(), Some("# Theirs.\n"));
    assert!(session.unsaved_tags()[0].text.contains("tags = ["));
}

#[test]
fn tags_that_were_not_saved_are_kept_and_those_of_other_data_are_not_lost() {
    let files = files(&NAMES, &[("walk_125.tags.toml", SIDECAR)]);
    let mut session = session_of(&files);
    let other = "{\"elsewhere.tags.toml\":{\"saved\":null,\"text\":\"loop = true\\n\"}}";
    assert_eq!(session.kept_tags(other), other);
    let take = session.takes.find("walk_125").unwrap();
    session.edit_tags(take, false, |sidecar, take| sidecar.set_looping(Some(false), take));
    let kept = session.kept_tags(other);
    assert!(kept.contains("elsewhere") && kept.contains("loop = false"), "{kept}");
    let mut again = session_of(&files);
    let words = again.restore_tags(&kept).unwrap();
    assert!(words.contains("Undo") && !words.contains("changed since"), "{words}");
    assert_eq!(again.unsaved_tags(), session.unsaved_tags());
    assert_eq!(again.other_tags(&kept), other);
    again.undo();
    assert!(again.unsaved_tags().is_empty());
    assert_eq!(again.restore_tags(""), None);
    // Another program has changed the file since.
    let files = self::files(&NAMES, &[("walk_125.tags.toml", "# Theirs.\n")]);
    let words = session_of(&files).restore_tags(&kept).unwrap();
    assert!(words.contains("walk_125 have changed since"), "{words}");
}

/// Returns a walk that starts in a T-pose, for which the doctor has a fix in the sidecar.
fn faulty() -> RawClip {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let mut clip = clips.into_iter().find(|c| c.name == "walk_125").unwrap();
    let joints = clip.skeleton.len();
    let rest = clip.skeleton.rest().to_vec();
    let root = clip.translations[0];
    let mut start_t: Vec<_> = rest.iter().map(|t| t.translation).collect();
    start_t[0] = root;
    let frames = 20;
    for _ in 0..frames {
        clip.translations.splice(0..0, start_t.iter().copied());
        clip.rotations.splice(0..0, rest.iter().map(|t| t.rotation));
    }
    clip.looping = false;
    clip.annotations = Default::default();
    assert_eq!(clip.rotations.len() % joints, 0);
    clip
}

#[test]
fn a_finding_is_shown_and_mended_in_the_sidecar() {
    let mut files = files(&NAMES[1..], &[]);
    let mut text = Vec::new();
    footwork_import::bvh::write(&faulty(), &mut text, &Default::default()).unwrap();
    files.push(("walk_125.bvh".to_owned(), text));
    let examine = |files: &[(String, Vec<u8>)]| {
        let Imported { clips, fixes, .. } = import(files);
        Findings::of_clips(clips, &fixes, &CharacterConfig::default()).unwrap()
    };
    let findings = examine(&files);
    let is_pose = |f: &footwork_import::doctor::Finding| f.check.name() == "calibration" && f.clip == "walk_125";
    assert!(findings.list.iter().any(is_pose), "{:?}", findings.list);
    let mut harness = shown(&files, "run_400");
    harness.get_by_label("Database").click();
    harness.run_steps(2);
    harness.get_by_label("Findings").click();
    harness.run_steps(2);
    harness.state_mut().session.findings = Some(findings);
    harness.run_steps(2);
    // The most severe finding is the first.
    harness.get_all_by_label("Show me").next().unwrap().click();
    harness.run_steps(2);
    let session = &harness.state().session;
    assert_eq!(session.clip_place().map(|p| session.takes.list[p.take].take.name.as_str()), Some("walk_125"));
    assert!(session.pointed.is_some());
    harness.get_all_by_label("Mend").next().unwrap().click();
    harness.run_steps(2);
    assert!(self::text(&harness, "walk_125").starts_with("discard = [[0.0, "), "{}", self::text(&harness, "walk_125"));
    assert!(harness.get_all_by_label("Mended").next().is_some());
    files.push(("walk_125.tags.toml".to_owned(), self::text(&harness, "walk_125").into_bytes()));
    // The excluded start is not played: the database starts after it.
    let again = session_of(&files);
    let start_s = again.takes.parts(again.database(), again.takes.find("walk_125").unwrap()).next().unwrap().1;
    assert!((start_s - 20.0 / 60.0).abs() < 0.05, "{start_s}");
}

#[test]
fn faults_of_a_database_are_found_without_its_files() {
    let findings = Findings::of_database(&database(), &CharacterConfig::default()).unwrap();
    let loud: Vec<_> = findings.list.iter().filter(|f| f.severity > footwork_import::doctor::Severity::Hint).collect();
    assert!(loud.is_empty(), "{loud:?}");
    // A copy of a clip is found as a repeat.
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let mut three: Vec<RawClip> = clips.into_iter().filter(|c| NAMES.contains(&c.name.as_str())).collect();
    three.push(RawClip { name: "walk_again".to_owned(), ..three[0].clone() });
    let db = build(&three, &BuildConfig::default(), &BuildOptions::default()).unwrap().0;
    let findings = Findings::of_database(&db, &CharacterConfig::default()).unwrap();
    assert!(
        findings.list.iter().any(|f| f.check.name() == "duplicate" && f.clip == "walk_again"),
        "{:?}",
        findings.list
    );

    let mut repeats = crate::library::Repeats::default();
    repeats.start(&Arc::new(db));
    while repeats.found().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        repeats.poll();
    }
    let found = repeats.found().unwrap();
    assert!(found.iter().any(|p| p.clip == "walk_again" && p.whole), "{found:?}");
}

/// Saves pictures for review, such as `target/studio/*_tags.png`.
#[test]
fn pictures() {
    let target =
        std::env::var("CARGO_TARGET_DIR").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target").into());
    let folder = std::path::PathBuf::from(target).join("studio");
    std::fs::create_dir_all(&folder).unwrap();
    let sidecar = "# By hand.\ntags = [{ name = \"calm\", start_s = 0.25, end_s = 0.75 }, { name = \"left_turn\", start_s = 1.0 }]\n\
                   costs = [{ cost = 0.5, start_s = 0.5, end_s = 1.2 }]\ndiscard = [[0.0, 0.12]]\n\
                   do_not_enter = [[0.8, 1.0]]\nevents = [{ name = \"step\", time_s = 0.6 }]\n";
    let mut files = files(&NAMES, &[("walk_125.tags.toml", sidecar)]);
    let mut text = Vec::new();
    footwork_import::bvh::write(&faulty(), &mut text, &Default::default()).unwrap();
    files.push(("posed.bvh".to_owned(), text));
    for (name, theme) in [("dark", Theme::Dark), ("light", Theme::Light)] {
        let mut harness = harness([1280.0, 720.0], theme);
        harness.state_mut().open(session_of(&files));
        harness.run_steps(240);
        show(&mut harness, "walk_125");
        let save = |harness: &mut Harness<'_, Studio>, what: &str| {
            let Some(image) = render(harness) else { return };
            image.save(folder.join(format!("{name}_{what}.png"))).unwrap();
        };
        harness.get_by_label("Database").click();
        harness.run_steps(2);
        save(&mut harness, "tags_clip");
        drag(&mut harness, "calm", 0.75, 0.9);
        drag(&mut harness, "new tag", 1.1, 1.5);
        save(&mut harness, "tags_edit");
        harness.get_by_label("Tags").click();
        harness.run_steps(2);
        save(&mut harness, "tags_page");
        let Imported { clips, fixes, .. } = import(&files);
        let findings = Findings::of_clips(clips, &fixes, &CharacterConfig::default()).unwrap();
        harness.state_mut().session.findings = Some(findings);
        harness.get_by_label("Findings").click();
        harness.run_steps(2);
        harness.get_all_by_label("Show me").next().unwrap().click();
        harness.run_steps(2);
        save(&mut harness, "findings");
        harness.get_by_label("Unused").click();
        harness.run_steps(2);
        save(&mut harness, "unused");
        harness.get_by_label("Repeats").click();
        harness.run_steps(2);
        harness.get_by_label("Find repeats").click();
        harness.run_steps(2);
        std::thread::sleep(std::time::Duration::from_millis(200));
        harness.run_steps(2);
        save(&mut harness, "repeats");
    }
}
