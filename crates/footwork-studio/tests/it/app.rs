//! The application without a window: it loads, opens dropped files, rejects broken ones, saves, and stores unsaved changes.

use crate::storage::Kept;
use eframe::Storage;
use egui::{DroppedFile, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork_studio::{App, Files, Start, minute};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const DT_S: f32 = 1.0 / 60.0;

fn harness<'a>(start: &Start, storage: Option<&dyn Storage>) -> Harness<'a, App> {
    let builder = Harness::builder().with_size(vec2(1280.0, 720.0)).with_step_dt(DT_S);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.show(ui), App::new(start, storage));
    loaded(&mut harness);
    harness
}

/// Runs until loading has ended.
fn loaded(harness: &mut Harness<'_, App>) {
    let start = Instant::now();
    harness.run_steps(1);
    while harness.state().is_loading() {
        assert!(start.elapsed() < Duration::from_secs(120), "it loads and loads");
        std::thread::sleep(Duration::from_millis(5));
        harness.run_steps(1);
    }
    harness.run_steps(2);
}

fn drop(harness: &mut Harness<'_, App>, path: &Path) {
    let file = DroppedFile { path: Some(path.to_owned()), ..DroppedFile::default() };
    harness.input_mut().dropped_files.push(file);
    loaded(harness);
}

fn message(harness: &Harness<'_, App>) -> String {
    harness.state().message().unwrap_or_default().to_owned()
}

/// Saves a small database.
fn database(folder: &Path) -> PathBuf {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let (db, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap();
    let path = folder.join("small.fwdb");
    db.save(&path).unwrap();
    path
}

#[test]
fn what_is_dropped_is_opened_and_what_is_broken_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut harness = harness(&Start { files: Files::Disk(vec![path.clone()]), config: None }, None);
    assert_eq!(harness.state_mut().studio().unwrap().session.name, "small.fwdb");

    let broken = folder.path().join("broken.fwdb");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    drop(&mut harness, &broken);
    assert!(message(&harness).contains("broken.fwdb"), "{}", message(&harness));
    // The open data remains, and the character continues.
    assert_eq!(harness.state_mut().studio().unwrap().session.name, "small.fwdb");

    harness.run_steps(120);
    let trace = folder.path().join("run.fwtrace");
    harness.state_mut().studio().unwrap().session.trace().save(&trace).unwrap();
    drop(&mut harness, &trace);
    assert_eq!(message(&harness), "");
    assert!(!harness.state_mut().studio().unwrap().session.is_live());

    let settings = folder.path().join("hero.toml");
    std::fs::write(&settings, "# Mine.\n[matcher]\nresponsiveness = 2.0\n").unwrap();
    drop(&mut harness, &settings);
    let session = &mut harness.state_mut().studio().unwrap().session;
    assert_eq!(session.tuning.matcher().responsiveness, 2.0);
    session.set(&["responsiveness"], Some(&json!(3.0)), false);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run_steps(2);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "# Mine.\n[matcher]\nresponsiveness = 3.0\n");
    assert!(message(&harness).contains("hero.toml"), "{}", message(&harness));

    std::fs::write(&settings, "[matcher]\nresponsivness = 2.0\n").unwrap();
    drop(&mut harness, &settings);
    assert!(message(&harness).contains("responsiveness"), "{}", message(&harness));
    assert_eq!(harness.state_mut().studio().unwrap().session.tuning.matcher().responsiveness, 3.0);
}

#[test]
fn a_database_and_what_is_of_it_open_together_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut first = harness(&Start { files: Files::Disk(vec![path.clone()]), config: None }, None);
    first.run_steps(90);
    let at = |name: &str| folder.path().join(name);
    first.state_mut().studio().unwrap().session.trace().save(&at("run.fwtrace")).unwrap();
    std::fs::write(at("hero.toml"), "[matcher]\nresponsiveness = 2.0\n").unwrap();
    for order in [["run.fwtrace", "small.fwdb", "hero.toml"], ["hero.toml", "run.fwtrace", "small.fwdb"]] {
        let files = Files::Disk(order.map(at).into());
        let mut harness = harness(&Start { files, config: None }, None);
        assert_eq!(message(&harness), "", "{order:?}");
        let session = &harness.state_mut().studio().unwrap().session;
        assert_eq!((session.name.as_str(), session.is_live()), ("small.fwdb", false), "{order:?}");
        assert_eq!(session.tuning.matcher().responsiveness, 2.0);
    }
    // A broken file is reported, and the others are opened.
    std::fs::write(at("broken.toml"), "[matcher]\nresponsivness = 2.0\n").unwrap();
    let files = Files::Disk(["run.fwtrace", "broken.toml", "small.fwdb"].map(at).into());
    let mut harness = harness(&Start { files, config: None }, None);
    assert!(message(&harness).contains("broken.toml"), "{}", message(&harness));
    assert!(!harness.state_mut().studio().unwrap().session.is_live());
}

#[test]
fn settings_that_are_not_saved_stay_with_their_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let other = folder.path().join("other.fwdb");
    std::fs::copy(&path, &other).unwrap();
    let start = Start { files: Files::Disk(vec![path.clone()]), config: None };
    let mut storage = Kept::default();
    let value = |harness: &mut Harness<'_, App>| {
        let session = &harness.state_mut().studio().unwrap().session;
        (session.name.clone(), session.tuning.matcher().responsiveness)
    };
    let usual = footwork::matcher::MatcherConfig::default().responsiveness;
    {
        let mut harness = harness(&start, None);
        harness.state_mut().studio().unwrap().session.set(&["responsiveness"], Some(&json!(3.0)), false);
        drop(&mut harness, &other);
        assert_eq!(value(&mut harness), ("other.fwdb".to_owned(), usual));
        eframe::App::save(harness.state_mut(), &mut storage);
    }
    // In the next run other data is opened, then the first again.
    let start = Start { files: Files::Disk(vec![other]), config: None };
    let mut harness = harness(&start, Some(&storage));
    assert_eq!(value(&mut harness), ("other.fwdb".to_owned(), usual));
    drop(&mut harness, &path);
    assert_eq!(value(&mut harness), ("small.fwdb".to_owned(), 3.0));
    assert!(message(&harness).contains("not saved"), "{}", message(&harness));
}

#[test]
fn a_path_that_is_typed_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut harness = harness(&Start::default(), None);
    harness.get_by_label("File").click();
    harness.run_steps(2);
    harness.get_by_label("Open a path that you type").click();
    harness.run_steps(3);
    harness.event(egui::Event::Text(path.display().to_string()));
    harness.run_steps(2);
    harness.get_by_label("Open").click();
    loaded(&mut harness);
    assert_eq!(harness.state_mut().studio().unwrap().session.name, "small.fwdb");
    assert_eq!(message(&harness), "");
}

#[test]
fn clips_become_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    for clip in &clips[..6] {
        let path = folder.path().join(format!("{}.bvh", clip.name));
        footwork_import::write_clip(&path, clip, &Default::default()).unwrap();
    }
    let mut harness = harness(&Start { files: Files::Disk(vec![folder.path().to_owned()]), config: None }, None);
    assert_eq!(message(&harness), "");
    let db = harness.state_mut().studio().unwrap().session.database().clone();
    for clip in &clips[..6] {
        assert!(db.clips.iter().any(|c| c.name == clip.name), "{}", clip.name);
    }
}

#[test]
fn files_in_memory_open_as_those_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let bytes = |path: &Path| std::fs::read(path).unwrap();
    let mut harness = harness(&Start { files: Files::Disk(vec![path.clone()]), config: None }, None);
    let mut open = |files: Vec<(&str, Vec<u8>)>| {
        harness.run_steps(60);
        let files = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        harness.state_mut().open(Files::Memory(files));
        loaded(&mut harness);
        let (told, app) = (message(&harness), harness.state_mut());
        let session = &mut app.studio().unwrap().session;
        let trace = session.trace().to_bytes().unwrap();
        (told, session.name.clone(), session.is_live(), session.database().originals(), trace)
    };
    let (told, name, live, _, trace) = open(vec![("mine.fwdb", bytes(&path))]);
    assert_eq!((told.as_str(), name.as_str(), live), ("", "mine.fwdb", true));
    let (told, _, live, ..) = open(vec![("run.fwtrace", trace)]);
    assert_eq!((told.as_str(), live), ("", false));
    let (told, ..) = open(vec![("hero.toml", b"[matcher]\nresponsiveness = -2.0\n".to_vec())]);
    assert!(told.contains("hero.toml") && told.contains("responsiveness"), "{told}");
    let (told, ..) = open(vec![("hero.toml", vec![0xff])]);
    assert!(told.contains("hero.toml") && told.contains("UTF-8"), "{told}");
    let (told, name, ..) = open(vec![("broken.fwdb", bytes(&path)[..5000].to_vec())]);
    assert!(told.contains("broken.fwdb") && name == "mine.fwdb", "{told}");

    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let mut files = Vec::new();
    for clip in &clips[..3] {
        let mut text = Vec::new();
        footwork_import::bvh::write(clip, &mut text, &Default::default()).unwrap();
        files.push((format!("{}.bvh", clip.name), text));
    }
    let (told, _, live, originals, _) = open(files.iter().map(|(n, b)| (n.as_str(), b.clone())).collect());
    assert_eq!((told.as_str(), live, originals), ("", true, 3));
}

#[test]
fn networks_are_dropped_and_play() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = harness(&Start::default(), None);
    // The built-in data includes its networks, but plays its clips.
    let session = &harness.state_mut().studio().unwrap().session;
    assert!(session.networks().is_some() && !session.plays_networks());
    let path = folder.path().join("biped.fwnet");
    std::fs::write(&path, &footwork_gait::BIPED_NETWORKS[..1000]).unwrap();
    drop(&mut harness, &path);
    assert!(message(&harness).contains("biped.fwnet"), "{}", message(&harness));
    std::fs::write(&path, footwork_gait::BIPED_NETWORKS).unwrap();
    drop(&mut harness, &path);
    assert_eq!(message(&harness), "");
    assert!(harness.state_mut().studio().unwrap().session.plays_networks());
    // Networks of other data are rejected, and the playing motion continues.
    let other = database(folder.path());
    drop(&mut harness, &other);
    drop(&mut harness, &path);
    assert!(message(&harness).contains("normalisation"), "{}", message(&harness));
    assert!(!harness.state_mut().studio().unwrap().session.plays_networks());
}

#[test]
fn a_scripted_minute_is_the_same_every_time() {
    let hash = minute().unwrap();
    assert_eq!(hash.len(), 16);
    assert_eq!(minute().unwrap(), hash);
}

#[test]
fn settings_that_were_not_saved_are_there_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let start = Start { files: Files::Disk(vec![database(folder.path())]), config: None };
    let mut storage = Kept::default();
    let mut first = harness(&start, None);
    first.state_mut().studio().unwrap().session.set(&["responsiveness"], Some(&json!(4.0)), false);
    eframe::App::save(first.state_mut(), &mut storage);
    let mut second = harness(&start, Some(&storage));
    let session = &mut second.state_mut().studio().unwrap().session;
    assert_eq!(session.tuning.matcher().responsiveness, 4.0);
    session.undo();
    assert_eq!(session.tuning.matcher().responsiveness, 1.0);
    eframe::App::save(second.state_mut(), &mut storage);
    assert_eq!(storage.get_string("footwork.settings").as_deref(), Some(""));
}

#[test]
fn a_state_machine_is_opened_edited_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.machine.toml");
    let one = "# Mine.\n[[states]]\nname = \"all\"\nmatch = \"\"\n";
    std::fs::write(&path, one).unwrap();
    let mut harness = harness(&Start { files: Files::Disk(vec![database(folder.path())]), config: None }, None);
    drop(&mut harness, &path);
    assert_eq!(message(&harness), "");
    assert!(harness.state_mut().studio().unwrap().session.runs_machine());
    // Without an edit there is nothing to save. `Save` saves an edit.
    let two = format!("{one}\n[[states]]\nname = \"walks\"\nmatch = \"walk\"\n");
    let session = &mut harness.state_mut().studio().unwrap().session;
    assert!(session.unsaved_machine().is_none());
    session.edit_machine(&two);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run_steps(2);
    assert!(message(&harness).contains("State machine saved"), "{}", message(&harness));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), two);
    // A file that was changed by another program is not replaced.
    std::fs::write(&path, "# Theirs.\n").unwrap();
    harness.state_mut().studio().unwrap().session.edit_machine(one);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run_steps(2);
    assert!(message(&harness).contains("not saved"), "{}", message(&harness));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Theirs.\n");
    // A broken file is opened too, for editing. A file with states is one of a machine under any name.
    let broken = folder.path().join("other.toml");
    std::fs::write(&broken, "[[states]]\nname = \"all\"\nmacth = \"\"\n").unwrap();
    drop(&mut harness, &broken);
    assert!(message(&harness).contains("macth"), "{}", message(&harness));
    let session = &mut harness.state_mut().studio().unwrap().session;
    assert!(session.machine_file().unwrap().error().is_some() && session.runs_machine());
}
