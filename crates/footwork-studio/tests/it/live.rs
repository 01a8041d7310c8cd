//! A game sends its character to the studio. The window shows the same as the game, during the connection and after it.

use egui::vec2;
use egui_kittest::Harness;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::pose::Pose;
use footwork::recorder::{Recorder, RecorderConfig};
use footwork_stream::{Listen, Listener, Stream};
use footwork_studio::{App, Files, Start};
use glam::Vec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DT_S: f32 = 1.0 / 60.0;
const LONG: Duration = Duration::from_secs(120);

/// Game with one character.
struct Game {
    matcher: MotionMatcher,
    recorder: Recorder,
    stream: Stream,
    poses: Vec<Pose>,
}

impl Game {
    fn new(database: &Path, address: &str, config: MatcherConfig) -> Self {
        let database = Arc::new(Database::load(database).unwrap());
        let character = Arc::new(Character::new(database, config).unwrap());
        Self {
            matcher: MotionMatcher::of(character.clone(), Default::default()).unwrap(),
            recorder: Recorder::new(&character, RecorderConfig::default()),
            stream: Stream::new(address, "game").unwrap(),
            poses: Vec::new(),
        }
    }

    fn update(&mut self) {
        let towards = [Vec3::Z, Vec3::X, -Vec3::Z][self.poses.len() / 70 % 3];
        let input = MotionInput::stick(Stick::towards(towards, Gait::Run));
        let pose = self.recorder.update(&mut self.matcher, &input, DT_S).unwrap().clone();
        self.poses.push(pose);
        self.stream.send("hero", &self.recorder);
    }
}

fn database(folder: &Path, name: &str, clips: usize) -> PathBuf {
    let all = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    let (db, _) = build(&all[..clips.min(all.len())], &BuildConfig::default(), &BuildOptions::default()).unwrap();
    let path = folder.join(name);
    db.save(&path).unwrap();
    path
}

fn studio(database: &Path) -> (Harness<'static, App>, String) {
    let listener = Listener::new(&Listen { address: "127.0.0.1:0".into(), ..Listen::default() }).unwrap();
    let address = listener.address().to_string();
    let mut app = App::new(&Start { files: Files::Disk(vec![database.to_owned()]), config: None }, None);
    app.listen(listener);
    let builder = Harness::builder().with_size(vec2(1280.0, 720.0)).with_step_dt(DT_S);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.show(ui), app);
    until(&mut harness, "the data", |app| !app.is_loading());
    (harness, address)
}

/// Draws frames until a condition holds.
fn until(harness: &mut Harness<'_, App>, what: &str, mut there: impl FnMut(&mut App) -> bool) {
    let start = Instant::now();
    while !there(harness.state_mut()) {
        assert!(start.elapsed() < LONG, "{what} never comes: {:?}", harness.state().message());
        std::thread::sleep(Duration::from_millis(2));
        harness.run_steps(1);
    }
}

fn shown(app: &mut App) -> Pose {
    app.studio().unwrap().session.shown().pose().clone()
}

/// Returns true if the window has shown all sent updates.
fn is_at(app: &mut App, updates: usize) -> bool {
    let session = &app.studio().unwrap().session;
    session.following().is_some_and(|f| f.waiting == 0) && session.trace().updates() == updates
}

#[test]
fn the_window_shows_the_poses_of_the_game_while_it_runs_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path(), "hero.fwdb", usize::MAX);
    let (mut harness, address) = studio(&path);
    let config = MatcherConfig { responsiveness: 1.6, ..MatcherConfig::default() };
    let mut game = Game::new(&path, &address, config);
    until(&mut harness, "the game", |app| {
        game.update();
        app.studio().unwrap().session.following().is_some()
    });
    for _ in 0..200 {
        game.update();
        harness.run_steps(1);
    }
    // Review the beginning while the game continues.
    harness.state_mut().studio().unwrap().session.scrub(20);
    for _ in 0..100 {
        game.update();
        harness.run_steps(1);
        assert_eq!(shown(harness.state_mut()), game.poses[20]);
    }
    assert!(game.stream.flush("hero", &game.recorder, LONG));
    let updates = game.poses.len();
    until(&mut harness, "all of it", |app| is_at(app, updates));
    // Show also updates that arrived after the review began.
    for update in [updates - 1, 0, updates - 40, 150] {
        harness.state_mut().studio().unwrap().session.scrub(update);
        harness.run_steps(1);
        assert_eq!(shown(harness.state_mut()), game.poses[update], "update {update}");
    }
    let session = &mut harness.state_mut().studio().unwrap().session;
    session.go_live();
    assert_eq!(session.shown().pose(), game.poses.last().unwrap());

    // The differing settings of the game are listed, and copied only on request.
    assert_eq!(session.tuning.matcher().responsiveness, 1.0);
    let others = session.other_settings();
    assert!(others.len() == 1 && others[0].0 == "responsiveness", "{others:?}");
    session.take_settings();
    assert_eq!(session.tuning.matcher().responsiveness, 1.6);
    assert!(session.other_settings().is_empty());
    session.undo();
    assert_eq!(session.tuning.matcher().responsiveness, 1.0);

    // The recording remains when the game has ended, until another game connects.
    let Game { poses, stream, .. } = game;
    drop(stream);
    until(&mut harness, "the end", |app| app.studio().unwrap().session.following().is_some_and(|f| f.ended));
    harness.run_steps(3);
    assert_eq!(&shown(harness.state_mut()), poses.last().unwrap());
    assert_eq!(harness.state_mut().studio().unwrap().session.trace().updates(), updates);
    let mut game = Game::new(&path, &address, MatcherConfig::default());
    until(&mut harness, "the other game", |app| {
        game.update();
        app.studio().unwrap().session.following().is_some_and(|f| !f.ended)
    });
    // The character continues here from the game's recording.
    let session = &mut harness.state_mut().studio().unwrap().session;
    session.scrub(0);
    session.go_on_from_here();
    assert!(session.is_live() && session.following().is_none());
    for _ in 0..20 {
        game.update();
        harness.run_steps(1);
    }
    assert!(harness.state_mut().studio().unwrap().session.following().is_none());
}

#[test]
fn other_data_is_told_and_opened_data_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, other) = (database(folder.path(), "mine.fwdb", 12), database(folder.path(), "other.fwdb", usize::MAX));
    let (mut harness, address) = studio(&mine);
    let mut game = Game::new(&other, &address, MatcherConfig::default());
    until(&mut harness, "the message", |app| {
        game.update();
        app.message().is_some()
    });
    let said = harness.state().message().unwrap().to_owned();
    let hash = format!("{:032x}", game.matcher.character().database().unwrap().content_hash());
    assert!(said.contains("`hero`") && said.contains(&hash) && said.contains("mine.fwdb"), "{said}");
    assert!(harness.state_mut().studio().unwrap().session.following().is_none());
    harness.state_mut().open(Files::Disk(vec![other]));
    until(&mut harness, "the other data", |app| !app.is_loading());
    until(&mut harness, "the game", |app| {
        game.update();
        app.studio().unwrap().session.following().is_some()
    });
    let following = harness.state_mut().studio().unwrap().session.following().map(|f| f.name.to_owned());
    assert_eq!(following.as_deref(), Some("hero of game"));
}
