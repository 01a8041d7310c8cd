//! The state machine of a session: values set here reach the character, and the panels show its state.

use super::{DT_S, picture, root};
use crate::tracks::{LayerEvent, windows};
use crate::{Hands, Session, Studio, Tuning};
use egui::{Theme, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::frames::EventId;
use footwork::matcher::{EndCause, EventKind};
use footwork::recorder::Trace;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Returns the built-in data with a crouch and gestures.
fn database() -> Arc<Database> {
    static DATABASE: OnceLock<Arc<Database>> = OnceLock::new();
    let options = footwork_gait::GaitOptions {
        routes: false,
        crouch: true,
        gestures: true,
        ..footwork_gait::GaitOptions::default()
    };
    let made = || {
        let clips = footwork_gait::clips(&options);
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    };
    DATABASE.get_or_init(made).clone()
}

/// Returns a session whose character the built-in machine runs.
fn session() -> Session {
    let mut session = Session::new("built-in data", database(), Tuning::default()).unwrap();
    let machine = footwork_import::parse_machine(footwork_gait::BIPED_MACHINE, Path::new("biped.machine.toml"));
    session.set_machine(machine.unwrap()).unwrap();
    session.run_machine(true).unwrap();
    session
}

fn harness<'a>() -> Harness<'a, Studio> {
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_step_dt(DT_S).with_theme(Theme::Dark);
    let draw = |ui: &mut egui::Ui, studio: &mut Studio| {
        studio.ui(ui, DT_S);
    };
    let mut harness = builder.build_ui_state(draw, Studio::new(session()));
    harness.get_by_label("State machine").click();
    harness.run_steps(30);
    harness
}

fn state(session: &Session) -> String {
    session.shown().machine_view().unwrap().state.to_owned()
}

fn montages(session: &Session) -> Vec<String> {
    let view = session.shown().machine_view().unwrap();
    view.layers.iter().flat_map(|l| &l.montages).map(|m| m.name.to_owned()).collect()
}

#[test]
fn variables_and_triggers_of_the_panel_are_input_of_the_live_drive_and_are_recorded() {
    let mut harness = harness();
    assert_eq!(state(&harness.state().session), "upright");
    harness.state_mut().session.variables.set("crouch", 1.0).unwrap();
    harness.get_by_label("reload").click();
    harness.run_steps(60);
    let session = &harness.state().session;
    assert_eq!((state(session), montages(session)), ("crouched".to_owned(), vec!["reload".to_owned()]));
    // The panel shows the state, its outgoing transition, and the layer's montage.
    assert!(harness.query_by_label_contains("crouched  match crouched").is_some());
    assert!(harness.query_by_label("to rising").is_some() && harness.query_by_label("!crouch").is_some());
    // A click selects another state.
    harness.get_by_label_contains("upright  motion matching").click();
    harness.run_steps(2);
    assert!(harness.query_by_label("Transitions out of `upright`").is_some());
    harness.run_steps(200);
    let session = &mut harness.state_mut().session;
    let (name, updates) = {
        let mut all = windows(session.tracks.layer_events(), session.tracks.len());
        assert_eq!(all.len(), 4, "a window and the three moments of the clip: {all:?}");
        all.retain(|(_, updates)| !updates.is_empty());
        let character = session.shown().character();
        (character.event_name(all[0].0).unwrap().to_owned(), all[0].1.clone())
    };
    // The window of 1.85 s ends on an update, so rounding decides which update reports it.
    assert!(name == "reload_hands_busy" && (111..=112).contains(&updates.len()), "{name} {updates:?}");
    // A recording contains the machine and its variables; a session without a machine can replay it.
    let shown = session.shown().pose().clone();
    let bytes = session.trace().to_bytes().unwrap();
    let mut other = Session::new("the same data", database(), Tuning::default()).unwrap();
    other.open_trace(Trace::from_bytes(&bytes, Path::new("a.fwtrace")).unwrap()).unwrap();
    let of_other = windows(other.tracks.layer_events(), other.tracks.len());
    other.scrub(usize::MAX);
    assert_eq!((other.shown().pose(), state(&other)), (&shown, "crouched".to_owned()));
    assert!(of_other.len() == 4 && of_other.iter().any(|w| w.1 == updates), "{of_other:?}");
    harness.state_mut().open(other);
    harness.get_by_label("State machine").click();
    harness.run_steps(2);
    assert!(harness.query_by_label("1.00").is_some(), "the recorded value of `crouch`");
}

#[test]
fn the_machine_and_the_search_alone_take_turns_from_the_pose_shown() {
    let mut harness = harness();
    let before = root(&harness);
    harness.get_by_label("clips").click();
    harness.run_steps(2);
    assert!(!harness.state().session.runs_machine() && harness.state().session.message.is_none());
    assert!(harness.query_by_label_contains("Choose `states`").is_some());
    assert!((root(&harness) - before).length() < 0.1);
    harness.get_by_label("states").click();
    harness.run_steps(2);
    assert!(harness.state().session.runs_machine() && (root(&harness) - before).length() < 0.1);
    // A changed setting keeps the machine in use.
    harness.state_mut().session.set(&["responsiveness"], Some(&serde_json::json!(2.0)), false);
    harness.run_steps(2);
    assert!(harness.state().session.runs_machine());
}

#[test]
fn driving_on_from_a_moment_fires_nothing_again() {
    let mut session = session();
    let drive = |session: &mut Session, updates: usize| {
        (0..updates).for_each(|_| session.advance(DT_S, &Hands::default(), 0.0));
    };
    session.variables.set("crouch", 1.0).unwrap();
    drive(&mut session, 30);
    session.variables.fire("look_around").unwrap();
    drive(&mut session, 30);
    assert_eq!(montages(&session), ["look_around"]);
    session.scrub(20);
    // A session that had no machine can continue it, too.
    let mut other = Session::new("the same data", database(), Tuning::default()).unwrap();
    other.open_trace(session.trace()).unwrap();
    other.scrub(20);
    for session in [&mut session, &mut other] {
        session.go_on_from_here();
        assert_eq!(session.message, None);
        drive(session, 30);
        assert_eq!((state(session), montages(session)), ("crouched".to_owned(), vec![]));
        session.variables.fire("look_around").unwrap();
        drive(session, 30);
        assert_eq!(montages(session), ["look_around"]);
        session.restart();
        drive(session, 30);
        assert_eq!((state(session), montages(session)), ("upright".to_owned(), vec![]));
    }
}

#[test]
fn networks_of_the_built_in_data_take_turns_with_its_machine() {
    let options = footwork_gait::GaitOptions { terrain: true, crouch: true, gestures: true, ..Default::default() };
    let built = build(footwork_gait::clips(&options), &BuildConfig::default(), &BuildOptions::default());
    let mut session = Session::new("built-in data", Arc::new(built.unwrap().0), Tuning::default()).unwrap();
    let machine = footwork_import::parse_machine(footwork_gait::BIPED_MACHINE, Path::new("biped.machine.toml"));
    session.set_machine(machine.unwrap()).unwrap();
    session.set_networks(super::networks()).unwrap();
    for networks in [true, false, true] {
        let done = if networks { session.play_networks(true) } else { session.run_machine(true) };
        assert_eq!((done, session.plays_networks(), session.runs_machine()), (Ok(()), networks, !networks));
        (0..60).for_each(|_| session.advance(DT_S, &Hands::default(), 0.0));
        assert_eq!(session.message, None);
    }
}

#[test]
fn a_machine_for_other_clips_is_refused_in_words() {
    let mut session = super::studio().session;
    let machine = footwork_import::parse_machine(footwork_gait::BIPED_MACHINE, Path::new("biped.machine.toml"));
    let said = session.set_machine(machine.unwrap()).unwrap_err();
    assert!(said.contains("no clip is named `aim_up_40_yaw_70_right`"), "{said}");
    assert!(session.run_machine(true).unwrap_err().contains("no state machine"));
    session.advance(DT_S, &Hands::default(), 0.0);
    assert_eq!(session.message, None);
}

#[test]
fn the_text_of_a_machine_is_edited_with_its_errors_and_put_in_force() {
    let mut harness = harness();
    let session = &mut harness.state_mut().session;
    session.open_machine(Path::new("a.machine.toml"), footwork_gait::BIPED_MACHINE.to_owned(), None).unwrap();
    session.variables.set("crouch", 1.0).unwrap();
    harness.run_steps(60);
    assert_eq!(state(&harness.state().session), "crouched");
    // An error is reported with its position; the machine in use remains.
    let spoilt = footwork_gait::BIPED_MACHINE.replacen("\"crouched\"", "\"crouchd\"", 1);
    harness.state_mut().session.edit_machine(&spoilt);
    harness.run_steps(2);
    let said = harness.state().session.machine_file().unwrap().error().unwrap().to_owned();
    assert!(said.contains("crouch"), "{said}");
    assert!(harness.query_by_label(&said).is_some(), "the panel shows it");
    harness.get_by_label("Apply").click();
    harness.run_steps(2);
    assert!(harness.state().session.machine_file().unwrap().differs_from_machine(), "`Apply` cannot be clicked");
    assert_eq!(state(&harness.state().session), "crouched");
    // A valid change with a warning: the state and the variables remain.
    let extra = "\n[[states]]\nname = \"apart\"\nmatch = \"\"\n";
    harness.state_mut().session.edit_machine(&format!("{}{extra}", footwork_gait::BIPED_MACHINE));
    harness.run_steps(2);
    let warnings = harness.state().session.machine_file().unwrap().warnings().to_vec();
    assert!(warnings.iter().any(|w| w.contains("states.`apart`")), "{warnings:?}");
    harness.get_by_label("Apply").click();
    harness.run_steps(30);
    let session = &mut harness.state_mut().session;
    let crouch = session.variables.values()[session.variables.variable("crouch").unwrap()];
    assert_eq!((state(session), crouch), ("crouched".to_owned(), 1.0));
    assert!(session.machine().unwrap().state_names().any(|name| name == "apart"));
    assert!(!session.machine_file().unwrap().differs_from_machine() && session.message.is_none());
    // An unsaved text can be restored, only for the same data.
    let kept = session.kept_machine("");
    let mut again = self::session();
    assert_eq!(
        again.restore_machine(&kept).unwrap(),
        "The state machine that was not saved the last time is open again."
    );
    assert!(again.machine_file().unwrap().text().ends_with(extra));
    assert_eq!(again.kept_machine(""), kept, "it is still not saved");
    again.name = "other data".to_owned();
    assert_eq!(again.restore_machine(&kept), None);
    session.mark_machine_saved();
    assert!(session.unsaved_machine().is_none() && session.kept_machine("").is_empty());
}

#[test]
fn data_without_a_machine_begins_one() {
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_step_dt(DT_S);
    let draw = |ui: &mut egui::Ui, studio: &mut Studio| {
        studio.ui(ui, DT_S);
    };
    let mut harness = builder.build_ui_state(draw, super::studio());
    harness.get_by_label("State machine").click();
    harness.run_steps(2);
    harness.get_by_label("New state machine").click();
    harness.run_steps(5);
    assert_eq!(state(&harness.state().session), "all");
    assert!(harness.query_by_label_contains("no state machine").is_none());
}

#[test]
fn windows_without_end_last_and_those_without_begin_are_left_out() {
    let event = |update, event, kind| LayerEvent { update, layer: 0, event: EventId::new(event), kind };
    let events = [
        event(2, 1, EventKind::End(EndCause::Passed)),
        event(3, 0, EventKind::Moment),
        event(4, 1, EventKind::Begin),
        event(6, 2, EventKind::Begin),
        event(9, 1, EventKind::End(EndCause::Passed)),
    ];
    let all = windows(events.iter(), 20);
    assert_eq!(all, [(EventId::new(0), 3..3), (EventId::new(1), 4..9), (EventId::new(2), 6..20)]);
}

#[test]
fn a_picture_of_the_machine() {
    let mut harness = harness();
    harness.key_down(egui::Key::W);
    harness.get_by_label("wave").click();
    harness.run_steps(170);
    harness.get_by_label("reload").click();
    harness.state_mut().session.variables.set("crouch", 1.0).unwrap();
    harness.state_mut().session.variables.set("aim", 0.7).unwrap();
    harness.run_steps(100);
    picture(&mut harness, "dark_machine");
}
