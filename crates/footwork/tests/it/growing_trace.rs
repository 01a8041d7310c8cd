//! A recording that is reassembled elsewhere during the run: piece by piece, with gaps, damage, and with dropped old updates.

use crate::common;

use common::{bits, random_stick};
use footwork::advanced::recorder::{Cursor, Piece};
use footwork::database::MirrorMode;
use footwork::input::{GroundPoint, MotionInput};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::math::Transform;
use footwork::recorder::{Recorder, RecorderConfig, Replay, ReplayError};
use glam::Vec3;
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;
const ROOM: usize = 1 << 20;

struct Game {
    character: Arc<Character>,
    matcher: MotionMatcher,
    recorder: Recorder,
    states: Vec<String>,
}

impl Game {
    fn new(config: RecorderConfig) -> Self {
        let character = Arc::new(Character::new(common::gait(MirrorMode::Query), MatcherConfig::default()).unwrap());
        let matcher = MotionMatcher::of(character.clone(), Transform::IDENTITY).unwrap();
        Self { recorder: Recorder::new(&character, config), character, matcher, states: Vec::new() }
    }

    fn update(&mut self) {
        let k = self.states.len();
        let ground = |at: Vec3| GroundPoint { height_m: 0.1 * at.z.abs().min(2.0), ..GroundPoint::default() };
        let mut input = random_stick(5, k as f64 / 60.0);
        if k % 50 > 20 {
            input = MotionInput { ground: Some(&ground), ..input };
        }
        self.recorder.update(&mut self.matcher, &input, DT_S).unwrap();
        self.states.push(bits(self.matcher.state()));
    }

    fn begin(&self, piece: &Piece) -> Replay {
        Replay::begin(piece, self.character.clone(), None).unwrap()
    }
}

/// Returns the piece after encoding and decoding.
fn sent(piece: &Piece) -> Piece {
    let back = Piece::from_bytes(&piece.to_bytes().unwrap()).unwrap();
    assert_eq!(back, *piece);
    back
}

fn replays(replay: &mut Replay, states: &[String]) {
    assert_eq!(replay.trace().updates(), states.len());
    replay.rewind().unwrap();
    for (update, state) in states.iter().enumerate() {
        assert!(replay.step().unwrap());
        assert_eq!(&bits(replay.matcher().state()), state, "update {update}");
    }
}

#[test]
fn pieces_of_any_length_make_the_same_trace_as_the_recorder() {
    let mut game = Game::new(RecorderConfig { key_every_s: 1.0, ..RecorderConfig::default() });
    let (mut cursor, mut piece, mut replay) = (Cursor::default(), Piece::default(), None::<Replay>);
    assert!(!game.recorder.read(&mut cursor, ROOM, &mut piece), "nothing is recorded yet");
    for k in 0..900 {
        if k % 200 == 30 {
            game.recorder.mark(&format!("part {k}"));
        }
        if k == 400 {
            let config = MatcherConfig { responsiveness: 1.7, ..game.matcher.config().clone() };
            game.matcher.set_config(config).unwrap();
        }
        if k == 700 {
            game.matcher.teleport(Transform::IDENTITY).unwrap();
        }
        game.update();
        // A piece per update for a while, then for several updates, then for many.
        if k < 100 || k % 7 == 0 && k < 300 || k % 120 == 0 {
            assert!(game.recorder.read(&mut cursor, ROOM, &mut piece));
            assert!(!game.recorder.read(&mut cursor, ROOM, &mut Piece::default()));
            let piece = sent(&piece);
            match &mut replay {
                None => replay = Some(game.begin(&piece)),
                Some(replay) => {
                    replay.append(&piece).unwrap();
                    while replay.step().unwrap() {}
                    assert_eq!(bits(replay.matcher().state()), game.states[k]);
                }
            }
        }
    }
    assert!(game.recorder.read(&mut cursor, ROOM, &mut piece));
    let mut replay = replay.unwrap();
    replay.append(&piece).unwrap();
    assert_eq!(piece.lost(), 0);
    assert!(**replay.trace() == game.recorder.trace());
    replays(&mut replay, &game.states);

    // The oldest updates are dropped; the rest is unchanged.
    replay.seek(850).unwrap();
    let dropped = replay.keep(500);
    assert!((300..=400).contains(&dropped), "{dropped}");
    assert_eq!(replay.position(), 850 - dropped);
    assert_eq!(replay.keep(500), 0);
    while replay.step().unwrap() {}
    replays(&mut replay, &game.states[dropped..]);
    let bytes = replay.trace().to_bytes().unwrap();
    let filed = footwork::recorder::Trace::from_bytes(&bytes, std::path::Path::new("t")).unwrap();
    assert!(filed == **replay.trace());
    assert_eq!(replay.trace().config().responsiveness, game.recorder.trace().config_at(dropped).responsiveness);
}

#[test]
fn what_does_not_fit_is_left_out_and_told() {
    let mut game = Game::new(RecorderConfig { key_every_s: 0.5, ..RecorderConfig::default() });
    let (mut cursor, mut piece) = (Cursor::default(), Piece::default());
    (0..100).for_each(|_| game.update());
    assert!(game.recorder.read(&mut cursor, ROOM, &mut piece));
    let mut replay = game.begin(&piece);
    (0..200).for_each(|_| game.update());
    // Too small for one key frame: no piece is returned until one fits.
    assert!(!game.recorder.read(&mut cursor, 100, &mut piece));
    let all = game.recorder.bytes();
    assert!(game.recorder.read(&mut cursor, all / 3, &mut piece));
    let (updates, lost) = (piece.updates(), piece.lost());
    assert!(lost > 0 && updates > 0 && lost + updates == 200, "{lost} lost, {updates} sent");
    replay.append(&sent(&piece)).unwrap();
    let rest = [&game.states[..100], &game.states[100 + lost as usize..]].concat();
    replays(&mut replay, &rest);
    // It continues without another gap.
    game.update();
    assert!(game.recorder.read(&mut cursor, all / 3, &mut piece));
    assert_eq!((piece.lost(), piece.updates()), (0, 1));
    replay.append(&piece).unwrap();
    assert!(replay.step().unwrap());
}

#[test]
fn a_recorder_that_begins_anew_is_read_anew() {
    let mut game = Game::new(RecorderConfig::default());
    let (mut cursor, mut piece) = (Cursor::default(), Piece::default());
    game.update();
    game.recorder.read(&mut cursor, ROOM, &mut piece);
    assert!(piece.begins() && piece.data() == Some(game.recorder.data()));
    game.update();
    game.recorder.read(&mut cursor, ROOM, &mut piece);
    assert!(!piece.begins());
    game.recorder.clear();
    assert!(!game.recorder.read(&mut cursor, ROOM, &mut piece));
    game.update();
    assert!(game.recorder.read(&mut cursor, ROOM, &mut piece));
    assert!(piece.begins() && piece.updates() == 1);
    game.begin(&piece);
}

#[test]
fn damaged_pieces_change_nothing_and_never_panic() {
    let mut game = Game::new(RecorderConfig { key_every_s: 0.3, ..RecorderConfig::default() });
    let (mut cursor, mut first, mut second) = (Cursor::default(), Piece::default(), Piece::default());
    (0..10).for_each(|_| game.update());
    game.recorder.read(&mut cursor, ROOM, &mut first);
    (0..30).for_each(|_| game.update());
    game.recorder.read(&mut cursor, ROOM, &mut second);
    let mut replay = game.begin(&first);
    let before = replay.trace().clone();
    let refused = replay.append(&first).unwrap_err();
    assert!(matches!(refused, ReplayError::Damaged { .. }), "{refused}");
    let (whole, mut refusals) = (second.to_bytes().unwrap(), 0);
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let cut = Piece::from_bytes(&whole[..at]);
        assert!(cut.is_err(), "{at} bytes");
        let Ok(piece) = Piece::from_bytes(&bytes) else { continue };
        // A separate replay: after damage, only a key frame can continue it.
        let mut replay = game.begin(&first);
        if replay.append(&piece).is_err() {
            refusals += 1;
            assert!(*replay.trace() == before, "byte {at}");
        } else {
            // Inputs that differ from the recorded ones may be detected in the replay.
            while replay.step().unwrap_or(false) {}
        }
    }
    assert!(refusals > 10, "{refusals} of {} were noticed", whole.len());
    for at in 0..400.min(first.to_bytes().unwrap().len()) {
        let mut bytes = first.to_bytes().unwrap();
        bytes[at] = bytes[at].wrapping_add(1);
        if let Ok(piece) = Piece::from_bytes(&bytes) {
            let _ = Replay::begin(&piece, game.character.clone(), None);
        }
    }
    replay.append(&second).unwrap();
    replays(&mut replay, &game.states);
}
