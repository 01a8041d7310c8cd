//! The studio's side: lets games in, and hands on what they send.

use crate::wire::{Follow, Hello, MOST_MESSAGE, VERSION, read, take_piece, text};
use footwork::recorder::Piece;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tungstenite::{Error, HandshakeError, Message, WebSocket, accept_hdr_with_config};

/// Connections at a time, those that have said nothing yet included.
const MOST_CONNECTIONS: usize = 16;
/// Messages that wait for the studio. A game waits where there are more, and its recorder keeps what is new.
const MOST_EVENTS: usize = 64;
/// Time from the connection to the greeting of a game, the handshake included.
const GREET: Duration = Duration::from_secs(5);
/// Longest time until a game hears what the studio asks, and until a new connection is seen.
const POLL: Duration = Duration::from_millis(20);
/// Longest time that a new connection waits until one that is closed for it has ended.
const ROOM: Duration = Duration::from_millis(500);
/// Bytes of the reason why a connection is closed, by the protocol.
const MOST_REASON: usize = 120;

/// Where to listen, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// `HOST:PORT`. Default: [`crate::ADDRESS`]. Port 0: any that is free.
    pub address: String,
    /// Listens to other machines too, if the address says so. Nothing is encrypted, and whoever reaches the port may send. Default:
    /// false.
    pub remote: bool,
    /// Origins of web pages that may connect, such as `http://localhost:8000`. Default: none. Games have no origin.
    pub origins: Vec<String>,
}

impl Default for Listen {
    fn default() -> Self {
        Self { address: crate::ADDRESS.to_owned(), remote: false, origins: Vec::new() }
    }
}

/// Nobody can listen there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The address is not one of this machine, or is in use.
    #[error("{address}: cannot listen: {error}; give --listen another HOST:PORT")]
    Address {
        /// Address.
        address: String,
        /// Reason.
        error: io::Error,
    },
    /// The address can be reached from other machines.
    #[error(
        "{address}: can be reached from other machines, and nothing is encrypted; add --listen-to-network if you mean that, or \
         listen on 127.0.0.1"
    )]
    Remote {
        /// Address.
        address: SocketAddr,
    },
}

/// A connection of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GameId(u64);

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A game is connected, or has other characters than before.
    Game(GameId, Hello),
    /// A piece of the character that was asked for last.
    Piece(GameId, Box<Piece>),
    /// A game is gone.
    Ended(GameId),
    /// A connection was refused or ended for a reason, in words that begin with its address.
    Refused(String),
}

/// What a connection tells the listener.
enum Told {
    Arrived(u64, Sender<Follow>),
    Hello(u64, Hello),
    Piece(u64, u32, Box<Piece>),
    Ended(u64),
    Refused(String),
}

/// Lets games in, on threads of its own; dropped, it ends all connections.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    told: Receiver<Told>,
    games: BTreeMap<GameId, Game>,
    closed: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Game {
    asks: Sender<Follow>,
    ask: u32,
}

impl Listener {
    /// Begins to listen.
    ///
    /// # Errors
    /// Returns [`ListenError`] for an address that is in use or not of this machine, and for one that other machines can reach
    /// unless [`Listen::remote`] is set.
    pub fn new(listen: &Listen) -> Result<Self, ListenError> {
        let error = |error| ListenError::Address { address: listen.address.clone(), error };
        let address = listen.address.to_socket_addrs().map_err(error)?.next();
        let address = address.ok_or_else(|| error(io::Error::other("no such host")))?;
        if !address.ip().is_loopback() && !listen.remote {
            return Err(ListenError::Remote { address });
        }
        let listener = TcpListener::bind(address).map_err(error)?;
        // It looks up now and then whether it is still wanted.
        listener.set_nonblocking(true).map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        let (tell, told) = sync_channel(MOST_EVENTS);
        let closed = Arc::new(AtomicBool::new(false));
        let door = Door { listener, tell, closed: Arc::clone(&closed), origins: listen.origins.clone().into() };
        thread::Builder::new().name("footwork listener".to_owned()).spawn(|| door.run()).map_err(error)?;
        Ok(Self { address, told, games: BTreeMap::new(), closed })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next thing that has happened; none: nothing since.
    pub fn poll(&mut self) -> Option<Event> {
        loop {
            return Some(match self.told.try_recv().ok()? {
                Told::Arrived(id, asks) => {
                    self.games.insert(GameId(id), Game { asks, ask: 0 });
                    continue;
                }
                Told::Hello(id, hello) => Event::Game(GameId(id), hello),
                // It answers what was asked before.
                Told::Piece(id, ask, _) if self.games.get(&GameId(id)).is_none_or(|game| game.ask != ask) => continue,
                Told::Piece(id, _, piece) => Event::Piece(GameId(id), piece),
                Told::Ended(id) => {
                    self.games.remove(&GameId(id));
                    Event::Ended(GameId(id))
                }
                Told::Refused(why) => Event::Refused(why),
            });
        }
    }

    /// Asks a game for a character, from as far back as it is at hand; none: for nothing more. The first piece that comes begins
    /// the recording.
    pub fn follow(&mut self, game: GameId, character: Option<&str>) {
        if let Some(game) = self.games.get_mut(&game) {
            game.ask += 1;
            let follow = character.map(str::to_owned);
            // A game that is gone is told by an event.
            let _ = game.asks.send(Follow { footwork_stream: VERSION, ask: game.ask, follow });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.closed.store(true, SeqCst);
    }
}

/// The stages of a connection before and after its greeting.
mod stage {
    pub const WAITS: u8 = 0;
    /// Greeted, or ended by itself.
    pub const DONE: u8 = 1;
    /// Closed at the deadline.
    pub const LATE: u8 = 2;
    /// Closed for a newer connection.
    pub const REPLACED: u8 = 3;
}

/// A connection as its thread and the door share it.
#[derive(Debug, Default)]
struct Stage(AtomicU8);

impl Stage {
    /// Leaves [`stage::WAITS`] for another stage; false if it was left before.
    fn leave(&self, to: u8) -> bool {
        self.0.compare_exchange(stage::WAITS, to, SeqCst, SeqCst).is_ok()
    }

    /// Why the door has closed the connection, if it has.
    fn why_closed(&self) -> Option<String> {
        match self.0.load(SeqCst) {
            stage::LATE => Some(format!("expected a greeting within {} s, found none", GREET.as_secs())),
            stage::REPLACED => Some(format!(
                "closed for a newer connection: expected a greeting before {MOST_CONNECTIONS} connections were open, found none"
            )),
            _ => None,
        }
    }
}

/// A connection without a greeting so far.
struct Unfinished {
    begun: Instant,
    stage: Arc<Stage>,
    /// The same connection as its thread has.
    stream: TcpStream,
}

impl Unfinished {
    /// Ends every read and write of its thread; false for a connection that has greeted or is closed.
    fn close(&self, why: u8) -> bool {
        let closed = self.stage.leave(why);
        if closed {
            // The other side may be gone already.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        closed
    }
}

/// The thread that lets games in.
struct Door {
    listener: TcpListener,
    tell: SyncSender<Told>,
    closed: Arc<AtomicBool>,
    origins: Arc<[String]>,
}

impl Door {
    fn run(self) {
        let open = Arc::new(AtomicUsize::new(0));
        let mut next = 0;
        // The oldest first.
        let mut unfinished: VecDeque<Unfinished> = VecDeque::new();
        while !self.closed.load(SeqCst) {
            unfinished.retain(|u| u.stage.0.load(SeqCst) == stage::WAITS);
            while unfinished.front().is_some_and(|oldest| oldest.begun.elapsed() > GREET) {
                unfinished.pop_front().map(|late| late.close(stage::LATE));
            }
            let Ok((stream, peer)) = self.listener.accept() else {
                thread::sleep(POLL);
                continue;
            };
            let Ok(shared) = stream.try_clone() else { continue };
            if open.load(SeqCst) >= MOST_CONNECTIONS && !make_room(&mut unfinished, &open) {
                continue;
            }
            open.fetch_add(1, SeqCst);
            next += 1;
            let stage = Arc::<Stage>::default();
            unfinished.push_back(Unfinished { begun: Instant::now(), stage: Arc::clone(&stage), stream: shared });
            let guest = Guest {
                id: next,
                peer,
                tell: self.tell.clone(),
                closed: Arc::clone(&self.closed),
                origins: Arc::clone(&self.origins),
                stage,
            };
            let counter = Arc::clone(&open);
            let begun = thread::Builder::new().name("footwork game".to_owned()).spawn(move || {
                guest.run(stream);
                counter.fetch_sub(1, SeqCst);
            });
            if begun.is_err() {
                open.fetch_sub(1, SeqCst);
            }
        }
    }
}

/// Closes the oldest connection without a greeting and waits until its thread has ended. False where every connection has
/// greeted, or the thread cannot end: it waits for the studio to take its last event.
fn make_room(unfinished: &mut VecDeque<Unfinished>, open: &AtomicUsize) -> bool {
    while let Some(oldest) = unfinished.pop_front() {
        if oldest.close(stage::REPLACED) {
            break;
        }
    }
    let end = Instant::now() + ROOM;
    while open.load(SeqCst) >= MOST_CONNECTIONS && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    open.load(SeqCst) < MOST_CONNECTIONS
}

/// A connection.
struct Guest {
    id: u64,
    peer: SocketAddr,
    tell: SyncSender<Told>,
    closed: Arc<AtomicBool>,
    origins: Arc<[String]>,
    stage: Arc<Stage>,
}

impl Guest {
    fn run(self, stream: TcpStream) {
        let mut known = false;
        let ended = self.welcome(stream).and_then(|mut socket| {
            let ended = self.serve(&mut socket, &mut known);
            if let Err(why) = &ended {
                let end = (0..=MOST_REASON.min(why.len())).rev().find(|k| why.is_char_boundary(*k)).unwrap_or(0);
                let frame = CloseFrame { code: CloseCode::Policy, reason: why[..end].to_owned().into() };
                // It may be gone already.
                let _ = socket.close(Some(frame)).and_then(|()| socket.flush());
            }
            ended
        });
        // A connection that the door has closed fails in many ways, all for the same reason.
        let ended = if known { ended } else { self.stage.why_closed().map_or(ended, Err) };
        self.stage.leave(stage::DONE);
        // Nobody listens any more where the studio was closed.
        if let Err(why) = ended {
            let _ = self.tell.send(Told::Refused(format!("{}: {why}", self.peer)));
        }
        if known {
            let _ = self.tell.send(Told::Ended(self.id));
        }
    }

    fn welcome(&self, stream: TcpStream) -> Result<WebSocket<TcpStream>, String> {
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_nodelay(true))
            .and_then(|()| stream.set_write_timeout(Some(GREET)))
            .and_then(|()| stream.set_read_timeout(Some(GREET)));
        prepared.map_err(|e| e.to_string())?;
        let config = WebSocketConfig::default().max_message_size(Some(MOST_MESSAGE)).max_frame_size(Some(MOST_MESSAGE));
        #[allow(clippy::result_large_err)] // The type is the library's.
        let check = |request: &Request, response: Response| match foreign(request, &self.origins) {
            None => Ok(response),
            Some(origin) => {
                let why = format!("refused a web page of `{origin}`; --allow-origin {origin} lets it in");
                let mut answer = ErrorResponse::new(Some(why));
                *answer.status_mut() = tungstenite::http::StatusCode::FORBIDDEN;
                Err(answer)
            }
        };
        let mut socket = accept_hdr_with_config(stream, check, Some(config)).map_err(|e| match e {
            HandshakeError::Failure(Error::Http(answer)) => {
                String::from_utf8_lossy(answer.body().as_deref().unwrap_or_default()).into_owned()
            }
            other => format!("refused what is no WebSocket: {other}"),
        })?;
        let greeting = Follow { footwork_stream: VERSION, ask: 0, follow: None };
        socket.send(Message::text(text(&greeting))).map_err(|e| e.to_string())?;
        socket.get_ref().set_read_timeout(Some(POLL)).map_err(|e| e.to_string())?;
        Ok(socket)
    }

    /// Hands on what a game says, until one of the two is gone. `known` once it has said who it is.
    fn serve(&self, socket: &mut WebSocket<TcpStream>, known: &mut bool) -> Result<(), String> {
        let (asks, asked) = channel();
        while !self.closed.load(SeqCst) {
            match socket.read() {
                Ok(Message::Text(words)) => {
                    let hello: Hello = read(&words)?;
                    hello.check()?;
                    if !*known && !self.stage.leave(stage::DONE) {
                        return Ok(());
                    }
                    if !std::mem::replace(known, true) && self.tell.send(Told::Arrived(self.id, asks.clone())).is_err()
                    {
                        return Ok(());
                    }
                    if self.tell.send(Told::Hello(self.id, hello)).is_err() {
                        return Ok(());
                    }
                }
                Ok(Message::Binary(_)) if !*known => {
                    return Err("expected a greeting first, found a piece of a recording".to_owned());
                }
                Ok(Message::Binary(bytes)) => {
                    let (ask, piece) = take_piece(&bytes)?;
                    if self.tell.send(Told::Piece(self.id, ask, Box::new(piece))).is_err() {
                        return Ok(());
                    }
                }
                Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::AlreadyClosed) => return Ok(()),
                Ok(_) => {}
                Err(Error::Io(e)) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&e.kind()) => {}
                // A game that ended without a word.
                Err(Error::Io(_)) if *known => return Ok(()),
                Err(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => return Ok(()),
                Err(e) => return Err(e.to_string()),
            }
            while let Ok(follow) = asked.try_recv() {
                socket.send(Message::text(text(&follow))).map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }
}

/// The origin of a web page that may not connect. Programs other than browsers have none.
fn foreign(request: &Request, allowed: &[String]) -> Option<String> {
    let origins = request.headers().get_all("origin").iter();
    let mut words = origins.map(|origin| String::from_utf8_lossy(origin.as_bytes()).into_owned());
    words.find(|origin| !allowed.iter().any(|a| a.trim_end_matches('/').eq_ignore_ascii_case(origin)))
}
