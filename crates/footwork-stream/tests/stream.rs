//! A game and a studio on this machine: the studio receives what was recorded, also when connections break.

// An allocator is an unsafe trait; no other test needs unsafe code.
#![allow(unsafe_code)]

use footwork::advanced::recorder::DataId;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::pose::Pose;
use footwork::recorder::{Recorder, RecorderConfig, Replay};
use footwork_stream::{Event, GameId, Hello, Listen, ListenError, Listener, Stream};
use glam::Vec3;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket, client};

const DT_S: f32 = 1.0 / 60.0;
const LONG: Duration = Duration::from_secs(60);

struct Counting;

thread_local! {
    // Const, so that the allocator can access it without allocating. Per thread, so that only the game's allocations count.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Size of the largest block that any thread has allocated, in bytes.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator with its arguments unchanged; counting touches one thread-local
// integer that needs no allocation and no destructor, and one atomic integer.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn character() -> Arc<Character> {
    static CHARACTER: OnceLock<Arc<Character>> = OnceLock::new();
    let made = || {
        let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
        let (database, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap();
        Arc::new(Character::new(Arc::new(database), MatcherConfig::default()).unwrap())
    };
    CHARACTER.get_or_init(made).clone()
}

/// Character of a game.
struct Hero {
    matcher: MotionMatcher,
    recorder: Recorder,
    poses: Vec<Pose>,
}

impl Hero {
    fn new(config: RecorderConfig) -> Self {
        let who = character();
        let matcher = MotionMatcher::of(who.clone(), Default::default()).unwrap();
        Self { matcher, recorder: Recorder::new(&who, config), poses: Vec::new() }
    }

    fn update(&mut self) {
        let towards = [Vec3::Z, Vec3::X, -Vec3::Z, -Vec3::X][self.poses.len() / 90 % 4];
        let input = MotionInput::stick(Stick::towards(towards, Gait::Walk));
        let pose = self.recorder.update(&mut self.matcher, &input, DT_S).unwrap().clone();
        self.poses.push(pose);
    }
}

fn listener() -> (Listener, String) {
    let listener = Listener::new(&Listen { address: "127.0.0.1:0".into(), ..Listen::default() }).unwrap();
    let address = listener.address().to_string();
    (listener, address)
}

/// Waits until `there` returns a value.
fn until<T>(what: &str, mut there: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(start.elapsed() < LONG, "{what} never comes");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for the next game that has characters.
fn game(listener: &mut Listener) -> (GameId, Hello) {
    until("a game", || match listener.poll()? {
        Event::Game(id, hello) if !hello.characters.is_empty() => Some((id, hello)),
        _ => None,
    })
}

/// Recording of a character as the studio has received it.
#[derive(Default)]
struct Shown {
    replay: Option<Replay>,
    lost: u64,
    pieces: usize,
    bytes: usize,
}

impl Shown {
    fn poll(&mut self, listener: &mut Listener) {
        while let Some(event) = listener.poll() {
            let Event::Piece(_, piece) = event else { continue };
            (self.pieces, self.lost) = (self.pieces + 1, self.lost + piece.lost());
            self.bytes += piece.to_bytes().unwrap().len();
            match &mut self.replay {
                _ if piece.begins() => self.replay = Some(Replay::begin(&piece, character(), None).unwrap()),
                Some(replay) => replay.append(&piece).unwrap(),
                None => panic!("it does not begin"),
            }
        }
    }

    fn updates(&self) -> usize {
        self.replay.as_ref().map_or(0, |r| r.trace().updates())
    }

    /// Compares the last poses with those of the game.
    fn compare(&mut self, poses: &[Pose]) {
        let replay = self.replay.as_mut().unwrap();
        let updates = replay.trace().updates();
        let poses = &poses[poses.len() - updates..];
        replay.rewind().unwrap();
        for (update, pose) in poses.iter().enumerate() {
            assert!(replay.step().unwrap());
            assert_eq!(replay.matcher().pose(), pose, "update {update}");
        }
        assert!(!replay.step().unwrap());
    }
}

#[test]
fn the_studio_shows_what_the_game_shows_and_sending_allocates_nothing() {
    let (mut listener, address) = listener();
    let (mut hero, mut other) = (Hero::new(RecorderConfig::default()), Hero::new(RecorderConfig::default()));
    let mut stream = Stream::new(&address, "test").unwrap();
    // The studio connects late and still receives the earlier updates.
    for _ in 0..200 {
        hero.update();
        other.update();
        stream.send("hero", &hero.recorder);
        stream.send("other", &other.recorder);
    }
    let (id, hello) = game(&mut listener);
    assert_eq!(hello.game, "test");
    assert_eq!(hello.characters[0].data, DataId::of(&character()));
    let hello = if hello.characters.len() < 2 { game(&mut listener).1 } else { hello };
    assert_eq!(hello.characters.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["hero", "other"]);
    listener.follow(id, Some("hero"));
    let mut shown = Shown::default();
    until("the beginning", || {
        stream.send("hero", &hero.recorder);
        shown.poll(&mut listener);
        (shown.updates() == 200).then_some(())
    });
    let mut calls = 0;
    for frame in 0..600 {
        hero.update();
        other.update();
        let before = CALLS.get();
        stream.send("hero", &hero.recorder);
        stream.send("other", &other.recorder);
        calls += if frame < 60 { 0 } else { CALLS.get() - before };
        std::thread::sleep(Duration::from_millis(1));
        shown.poll(&mut listener);
    }
    assert_eq!(calls, 0, "allocations in 540 frames");
    assert!(stream.flush("hero", &hero.recorder, LONG));
    until("the end", || {
        shown.poll(&mut listener);
        (shown.updates() == 800).then_some(())
    });
    assert!(shown.pieces > 50 && shown.lost == 0, "{} pieces, {} lost", shown.pieces, shown.lost);
    shown.compare(&hero.poses);
    let status = stream.status();
    assert_eq!((status.sent, status.lost, status.problem), (800, 0, None));
    println!("{} bytes for 800 updates in {} pieces", shown.bytes, shown.pieces);

    // Follow the other character, from its beginning.
    listener.follow(id, Some("other"));
    shown = Shown::default();
    until("the other one", || {
        stream.send("hero", &hero.recorder);
        stream.send("other", &other.recorder);
        shown.poll(&mut listener);
        (shown.updates() == 800).then_some(())
    });
    shown.compare(&other.poses);
    drop(stream);
    until("the end of the game", || listener.poll().filter(|e| matches!(e, Event::Ended(game) if *game == id)));
}

#[test]
fn a_studio_that_is_started_again_is_found_again() {
    let (mut listener, address) = listener();
    let mut hero = Hero::new(RecorderConfig::default());
    let mut stream = Stream::new(&address, "test").unwrap();
    hero.update();
    stream.send("hero", &hero.recorder);
    game(&mut listener);
    drop(listener);
    until("the end", || (!stream.status().connected).then_some(()));
    for _ in 0..100 {
        hero.update();
        stream.send("hero", &hero.recorder);
    }
    // The port may not be free at once.
    let listen = Listen { address, ..Listen::default() };
    let mut listener = until("the port", || Listener::new(&listen).ok());
    let (id, _) = game(&mut listener);
    listener.follow(id, Some("hero"));
    let mut shown = Shown::default();
    until("all of it", || {
        stream.send("hero", &hero.recorder);
        shown.poll(&mut listener);
        (shown.updates() == 101).then_some(())
    });
    shown.compare(&hero.poses);
}

#[test]
fn what_the_recorder_has_dropped_is_a_gap_and_the_rest_goes_on_at_a_key_frame() {
    let (mut listener, address) = listener();
    // The recorder keeps one second.
    let mut hero = Hero::new(RecorderConfig { seconds: 1.0, key_every_s: 0.25, ..RecorderConfig::default() });
    let mut stream = Stream::new(&address, "test").unwrap();
    hero.update();
    stream.send("hero", &hero.recorder);
    let (id, _) = game(&mut listener);
    listener.follow(id, Some("hero"));
    let mut shown = Shown::default();
    until("the beginning", || {
        stream.send("hero", &hero.recorder);
        shown.poll(&mut listener);
        (shown.updates() == 1).then_some(())
    });
    // Nothing is offered for five seconds.
    for _ in 0..300 {
        hero.update();
    }
    hero.recorder.mark("after the gap");
    hero.update();
    assert!(stream.flush("hero", &hero.recorder, LONG));
    let kept = hero.recorder.updates();
    until("the rest", || {
        shown.poll(&mut listener);
        (shown.updates() == 1 + kept).then_some(())
    });
    assert_eq!(shown.lost, 301 - kept as u64);
    assert_eq!(stream.status().lost, shown.lost);
    let replay = shown.replay.as_mut().unwrap();
    replay.seek(kept).unwrap();
    assert_eq!(Some(replay.matcher().pose()), hero.poses.last());
    replay.rewind().unwrap();
    for _ in 0..=kept {
        assert!(replay.step().unwrap());
    }
    assert_eq!(replay.trace().marks(), [(kept, "after the gap".to_owned())]);
    // The recording survives writing and reading as a file.
    let bytes = replay.trace().to_bytes().unwrap();
    let filed = footwork::recorder::Trace::from_bytes(&bytes, std::path::Path::new("t")).unwrap();
    assert!(filed == **replay.trace());
}

#[test]
fn web_pages_are_refused_unless_they_are_allowed() {
    let allowed = "http://localhost:8000".to_owned();
    let listen = Listen { address: "127.0.0.1:0".into(), origins: vec![allowed.clone()], ..Listen::default() };
    let mut listener = Listener::new(&listen).unwrap();
    let connect = |origin: Option<&str>| {
        let stream = TcpStream::connect(listener.address()).unwrap();
        let mut request = format!("ws://{}/", listener.address()).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        client(request, stream).map(|_| ()).map_err(|e| e.to_string())
    };
    assert!(connect(Some("https://example.org")).unwrap_err().contains("403"));
    assert!(connect(Some("null")).unwrap_err().contains("403"));
    connect(Some(&allowed)).unwrap();
    connect(None).unwrap();
    let why = until("a word", || match listener.poll()? {
        Event::Refused(why) => Some(why),
        _ => None,
    });
    assert!(why.contains("`https://example.org`") && why.contains("--allow-origin"), "{why}");
}

#[test]
fn other_machines_are_let_in_only_where_somebody_says_so() {
    let mut listen = Listen { address: "0.0.0.0:0".into(), ..Listen::default() };
    let refused = Listener::new(&listen).unwrap_err();
    assert!(matches!(refused, ListenError::Remote { .. }));
    assert!(refused.to_string().contains("--listen-to-network"));
    listen.remote = true;
    Listener::new(&listen).unwrap();
    assert!(Listener::new(&Listen { address: "nowhere".into(), ..Listen::default() }).is_err());
    assert!(Stream::new("nowhere", "test").is_err());
    assert!(Stream::new("localhost:1", &"x".repeat(300)).is_err());
}

fn greeted(listener: &Listener) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(listener.address()).unwrap();
    client(format!("ws://{}/", listener.address()), stream).unwrap().0
}

#[test]
fn hostile_messages_end_the_connection_with_a_reason_and_nothing_else() {
    let (mut listener, _) = listener();
    let hello = r#"{"footwork_stream":1,"game":"x","characters":[]}"#;
    let binary = |bytes: &[u8]| Message::binary(bytes.to_vec());
    let mut piece = 0u32.to_le_bytes().to_vec();
    piece.extend(u32::MAX.to_le_bytes());
    let other_version = Message::text(r#"{"footwork_stream":2,"studio":true}"#);
    for (messages, expected) in [
        (vec![Message::text("hello")], "other text"),
        (vec![Message::text("{}")], "something else"),
        (vec![other_version], "version 2"),
        (vec![binary(b"....")], "greeting"),
        (vec![Message::text(hello), binary(b"")], "less than its header"),
        (vec![Message::text(hello), binary(&piece)], "end too early"),
        (vec![Message::text(hello), binary(b"0000\x02\0\0\0{}")], "piece of a recording"),
        (vec![Message::text(hello), binary(&vec![0; 17 << 20])], "too"),
    ] {
        let mut socket = greeted(&listener);
        for message in messages {
            // The connection may close before the last message is sent.
            let _ = socket.send(message);
        }
        let why = until(expected, || match listener.poll()? {
            Event::Refused(why) => Some(why),
            _ => None,
        });
        assert!(why.contains("127.0.0.1") && why.contains(expected), "{why}: {expected}");
    }
    // Bytes that are not a WebSocket handshake.
    let mut socket = TcpStream::connect(listener.address()).unwrap();
    socket.write_all(b"\x16\x03\x01 no words of ours\r\n\r\n").unwrap();
    let why = until("a word", || match listener.poll()? {
        Event::Refused(why) => Some(why),
        _ => None,
    });
    assert!(why.contains("no WebSocket"), "{why}");
    let _ = socket.read(&mut [0; 64]);
    // The listener still accepts connections.
    greeted(&listener).send(Message::text(hello)).unwrap();
    until("a game", || listener.poll().filter(|e| matches!(e, Event::Game(..))));
}

/// Waits for the reason why a connection was ended.
fn refusal(listener: &mut Listener) -> String {
    until("a reason", || match listener.poll()? {
        Event::Refused(why) => Some(why),
        _ => None,
    })
}

#[test]
fn memory_for_a_message_is_limited_to_a_few_times_its_bytes() {
    const MOST: usize = 96 << 20;
    let (mut listener, _) = listener();
    // Four million small values, and 300,000 settings without a segment.
    let values = format!(r#"{{"footwork_stream":1,"game":"x","characters":[],"more":[{}0]}}"#, "0,".repeat(4 << 20));
    let settings = format!(r#"{{"configs":[{}{{}}],"parts":[]}}"#, "{},".repeat(300_000));
    let piece = [&[0; 4], &(settings.len() as u32).to_le_bytes()[..], settings.as_bytes()].concat();
    let hello = Message::text(r#"{"footwork_stream":1,"game":"x","characters":[]}"#);
    for (messages, expected) in [
        (vec![Message::text(values)], "a text of at most"),
        (
            vec![hello.clone(), Message::binary(piece)],
            "configs: expected at most 1 for 0 bytes of updates, found 300001",
        ),
    ] {
        let mut socket = greeted(&listener);
        for message in messages {
            // The connection may be closed before all of it is sent.
            let _ = socket.send(message);
        }
        let why = refusal(&mut listener);
        assert!(why.contains(expected), "{why}");
        let largest = LARGEST.load(Relaxed);
        assert!(largest < MOST, "{largest} bytes in one block: {expected}");
    }
}

/// Returns true once the other side has closed a connection.
fn is_closed(socket: &mut TcpStream) -> bool {
    socket.set_nonblocking(true).unwrap();
    loop {
        match socket.read(&mut [0; 256]) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(e) => return e.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn a_new_connection_replaces_the_oldest_one_without_a_greeting() {
    let (mut listener, _) = listener();
    let hello = Message::text(r#"{"footwork_stream":1,"game":"x","characters":[]}"#);
    // A game that has greeted is never replaced, regardless of its age.
    let mut first = greeted(&listener);
    first.send(hello.clone()).unwrap();
    until("a game", || listener.poll().filter(|e| matches!(e, Event::Game(..))));
    let mut silent: Vec<TcpStream> = (0..15).map(|_| TcpStream::connect(listener.address()).unwrap()).collect();
    silent.iter_mut().for_each(|socket| socket.write_all(b"GET / HT").unwrap());
    greeted(&listener).send(hello.clone()).unwrap();
    until("the new game", || listener.poll().filter(|e| matches!(e, Event::Game(..))));
    until("the end of the oldest", || is_closed(&mut silent[0]).then_some(()));
    assert!(!is_closed(&mut silent[14]), "the newest of them waits");
    first.send(hello).unwrap();
    until("the first game again", || listener.poll().filter(|e| matches!(e, Event::Game(..))));
}

#[test]
fn a_connection_that_trickles_bytes_is_closed_at_the_deadline() {
    let (mut listener, _) = listener();
    let mut slow = TcpStream::connect(listener.address()).unwrap();
    let mut handshake = b"GET / HTTP/1.1\r\nX-Filler: ".iter().copied().chain(std::iter::repeat(b'x'));
    let start = Instant::now();
    while !is_closed(&mut slow) && start.elapsed() < LONG / 3 {
        let _ = slow.write_all(&[handshake.next().unwrap()]);
        std::thread::sleep(Duration::from_millis(250));
    }
    assert!(start.elapsed() < LONG / 3, "the connection is still open");
    let why = refusal(&mut listener);
    assert!(why.contains("expected a greeting within 5 s"), "{why}");
}

#[test]
fn a_game_tells_why_it_is_not_connected() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let stream = Stream::new(&address, "test").unwrap();
    let problem = until("a problem", || stream.status().problem);
    assert!(problem.contains(&address) && problem.contains("--listen"), "{problem}");
}
