//! Tags in the application: saved beside the clips, used by a rebuild, restored after a crash, never overwriting others' changes.

use crate::storage::Kept;
use eframe::Storage;
use egui::{DroppedFile, Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::frames::ClipIndex;
use footwork_studio::{App, Files, Start};
use std::time::{Duration, Instant};

const DT_S: f32 = 1.0 / 60.0;
const CLIPS: [&str; 3] = ["walk_125", "walk_175", "run_400"];

fn harness<'a>(files: Files, storage: Option<&dyn Storage>) -> Harness<'a, App> {
    let builder = Harness::builder().with_size(vec2(1280.0, 720.0)).with_step_dt(DT_S);
    let app = App::new(&Start { files, config: None }, storage);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.show(ui), app);
    wait(&mut harness);
    harness
}

/// Runs until loading and rebuilding have ended.
fn wait(harness: &mut Harness<'_, App>) {
    let start = Instant::now();
    let goes_on = |harness: &mut Harness<'_, App>| {
        let app = harness.state_mut();
        app.is_loading() || app.studio().is_some_and(|s| s.session.busy.is_some())
    };
    harness.run_steps(2);
    while goes_on(harness) {
        assert!(start.elapsed() < Duration::from_secs(120), "it loads and loads");
        std::thread::sleep(Duration::from_millis(5));
        harness.run_steps(1);
    }
    harness.run_steps(2);
}

fn message(harness: &Harness<'_, App>) -> String {
    harness.state().message().unwrap_or_default().to_owned()
}

/// Creates a folder of clips, one of them with a sidecar.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    for clip in clips.iter().filter(|c| CLIPS.contains(&c.name.as_str())) {
        let path = folder.path().join(format!("{}.bvh", clip.name));
        footwork_import::write_clip(&path, clip, &Default::default()).unwrap();
    }
    std::fs::write(folder.path().join("walk_125.tags.toml"), "# By hand.\ntags = [{ name = \"calm\" }]\n").unwrap();
    folder
}

/// Adds an event in the first second of a clip.
fn add_event(harness: &mut Harness<'_, App>, clip: &str) {
    let session = &mut harness.state_mut().studio().unwrap().session;
    let index = session.database().clips.iter().position(|c| c.name == clip).unwrap();
    session.show_moment(ClipIndex::new(index), 0.5);
    harness.run_steps(2);
    harness.get_by_label("Event here").click();
    harness.run_steps(2);
}

fn press_save(harness: &mut Harness<'_, App>) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run_steps(2);
}

#[test]
fn tags_are_saved_beside_the_clips_and_built_in_while_the_character_goes_on() {
    let folder = folder();
    let sidecar = folder.path().join("walk_125.tags.toml");
    let mut harness = harness(Files::Disk(vec![folder.path().to_owned()]), None);
    assert_eq!(message(&harness), "");
    add_event(&mut harness, "walk_125");
    assert_eq!(harness.state_mut().studio().unwrap().session.unsaved_tags()[0].path, sidecar);
    press_save(&mut harness);
    assert!(message(&harness).contains("walk_125.tags.toml"), "{}", message(&harness));
    assert!(!folder.path().join("footwork.toml").exists());
    let text = std::fs::read_to_string(&sidecar).unwrap();
    assert!(
        text.starts_with("# By hand.\ntags = [{ name = \"calm\" }]\nevents = [{ name = \"new\", time_s = 0.5"),
        "{text}"
    );
    assert!(harness.state_mut().studio().unwrap().session.database().event_names.is_empty());
    harness.get_by_label("Rebuild").click();
    harness.run_steps(2);
    assert!(harness.state_mut().studio().unwrap().session.busy.is_some());
    wait(&mut harness);
    let session = &harness.state_mut().studio().unwrap().session;
    assert_eq!(session.database().event_names, ["new"]);
    assert!(session.unsaved_tags().is_empty() && !session.is_live());

    // A sidecar that has become invalid is reported in one error, and the data remains.
    std::fs::write(&sidecar, "tags = [{ nmae = \"calm\" }]\n").unwrap();
    harness.get_by_label("Rebuild").click();
    wait(&mut harness);
    let told = message(&harness);
    assert!(told.contains("walk_125.tags.toml") && told.contains("did you mean `name`"), "{told}");
    assert_eq!(harness.state_mut().studio().unwrap().session.database().event_names, ["new"]);
}

#[test]
fn what_somebody_else_wrote_is_not_written_over() {
    let folder = folder();
    let sidecar = folder.path().join("walk_125.tags.toml");
    let mut harness = harness(Files::Disk(vec![folder.path().to_owned()]), None);
    add_event(&mut harness, "walk_125");
    std::fs::write(&sidecar, "# Theirs.\n").unwrap();
    press_save(&mut harness);
    assert!(message(&harness).contains("not saved"), "{}", message(&harness));
    assert_eq!(std::fs::read_to_string(&sidecar).unwrap(), "# Theirs.\n");
    // After opening the file and undoing that, the edited tags may be saved.
    let file = DroppedFile { path: Some(sidecar.clone()), ..DroppedFile::default() };
    harness.input_mut().dropped_files.push(file);
    wait(&mut harness);
    assert_eq!(message(&harness), "");
    let session = &mut harness.state_mut().studio().unwrap().session;
    assert!(session.unsaved_tags().is_empty());
    session.undo();
    press_save(&mut harness);
    assert!(std::fs::read_to_string(&sidecar).unwrap().contains("events ="));
}

#[test]
fn tags_that_were_not_saved_are_there_the_next_time_their_data_is_opened() {
    let folder = folder();
    let clips = || Files::Disk(vec![folder.path().to_owned()]);
    let mut storage = Kept::default();
    let mut first = harness(clips(), None);
    add_event(&mut first, "walk_175");
    let unsaved = first.state_mut().studio().unwrap().session.unsaved_tags();
    eframe::App::save(first.state_mut(), &mut storage);
    // Other data is opened in between.
    let one = || Files::Disk(vec![folder.path().join("run_400.bvh")]);
    let mut other = harness(one(), Some(&storage));
    assert!(other.state_mut().studio().unwrap().session.unsaved_tags().is_empty());
    eframe::App::save(other.state_mut(), &mut storage);
    let mut again = harness(clips(), Some(&storage));
    assert!(message(&again).contains("Undo takes them back"), "{}", message(&again));
    assert_eq!(again.state_mut().studio().unwrap().session.unsaved_tags(), unsaved);
    again.state_mut().studio().unwrap().session.undo();
    eframe::App::save(again.state_mut(), &mut storage);
    assert_eq!(storage.get_string("footwork.tags").as_deref(), Some(""));
}

#[test]
fn faults_of_files_in_memory_are_found() {
    let folder = folder();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        files.push((path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()));
    }
    let mut harness = harness(Files::Memory(files), None);
    let session = &harness.state_mut().studio().unwrap().session;
    assert!(session.has_files() && session.database().tags.iter().any(|t| t == "calm"));
    harness.get_by_label("Database").click();
    harness.run_steps(2);
    harness.get_by_label("Findings").click();
    harness.run_steps(2);
    harness.get_by_label("Examine").click();
    wait(&mut harness);
    let findings = harness.state_mut().studio().unwrap().session.findings.clone().unwrap();
    assert_eq!(findings.examined, footwork_panels::Examined::Files);
}
