//! Recordings of a host, such as a game, that grow while they are reviewed.

use crate::mode::Mode;
use crate::why::flip_at;
use crate::{Hands, Session, Tuning};
use footwork::advanced::recorder::{Cursor, Piece};
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::{GroundPoint, MotionInput};
use footwork::matcher::{Character, MotionMatcher};
use footwork::math::Transform;
use footwork::recorder::{Recorder, RecorderConfig};
use footwork_metrics::courses::RandomStick;
use glam::Vec3;
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;
/// Height of the host's ground, in metres.
const HEIGHT_M: f32 = 3.0;

/// Character of a host, on ground that only the host has.
struct Host {
    matcher: MotionMatcher,
    recorder: Recorder,
    random: RandomStick,
    time_s: f32,
}

impl Host {
    fn new(config: RecorderConfig) -> Self {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        let database = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0;
        let character = Character::new(Arc::new(database), Default::default()).unwrap();
        let recorder = Recorder::new(&character, config);
        let at = Transform { translation: Vec3::Y * HEIGHT_M, ..Transform::IDENTITY };
        let matcher = MotionMatcher::of(Arc::new(character), at).unwrap();
        Self { matcher, recorder, random: RandomStick::new(3), time_s: 0.0 }
    }

    fn run(&mut self, updates: usize) {
        let ground = |_: Vec3| GroundPoint { height_m: HEIGHT_M, ..GroundPoint::default() };
        for _ in 0..updates {
            let input = MotionInput { ground: Some(&ground), ..MotionInput::stick(self.random.at(self.time_s)) };
            self.recorder.update(&mut self.matcher, &input, DT_S).unwrap();
            self.time_s += DT_S;
        }
    }

    fn session(&self) -> Session {
        let database = self.matcher.character().database().unwrap().clone();
        let mut session = Session::new("host", database, Tuning::default()).unwrap();
        session.open_trace(self.recorder.trace()).unwrap();
        session.scrub(usize::MAX);
        session
    }
}

#[test]
fn a_recording_that_grows_and_drops_its_oldest_updates_is_followed() {
    let mut host = Host::new(RecorderConfig { seconds: 4.0, key_every_s: 1.0, ..RecorderConfig::default() });
    host.run(200);
    let mut session = host.session();
    let (mut cursor, mut piece) = (Cursor::default(), Piece::default());
    let mut follow = |host: &Host, session: &mut Session, cursor: &mut Cursor| {
        if host.recorder.read(cursor, usize::MAX, &mut piece) {
            session.receive("host", &piece).unwrap();
        }
        while session.following().is_some_and(|f| f.waiting > 0) {
            session.advance(DT_S, &Hands::default(), 0.0);
        }
    };
    follow(&host, &mut session, &mut cursor);
    for _ in 0..12 {
        host.run(50);
        follow(&host, &mut session, &mut cursor);
        assert!(session.is_live() && session.shown().pose() == host.matcher.pose());
    }
    assert_eq!(session.tracks.len(), 800);
    // While the character is driven here, received updates are ignored until the recording is read again.
    session.scrub(500);
    session.go_on_from_here();
    host.run(600);
    follow(&host, &mut session, &mut cursor);
    assert!(session.following().is_none() && session.is_live());
    follow(&host, &mut session, &mut Cursor::default());
    assert!(session.shown().pose() == host.matcher.pose());
}

#[test]
fn ground_that_is_known_by_its_answers_is_shown_below_the_character_and_no_flip_is_guessed() {
    let mut host = Host::new(RecorderConfig::default());
    host.run(300);
    let mut session = host.session();
    let level_m = session.level_m().unwrap();
    assert!((level_m - HEIGHT_M).abs() < 0.01, "{level_m}");
    let Mode::Review(review) = &session.mode else { panic!("no recording is shown") };
    let explained = review.replay.matcher().explain(50).unwrap();
    let update = session.tracks.search_at(usize::MAX - 1).unwrap();
    let said = flip_at(&mut session, update, explained.candidates.last().unwrap()).unwrap_err();
    assert!(said.contains("ground and walls"), "{said}");
    // A character driven here has its own ground.
    session.restart();
    assert_eq!(session.level_m(), None);
}
