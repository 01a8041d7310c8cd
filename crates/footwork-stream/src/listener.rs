//! The studio's side: accepts games, and passes on their messages.

use crate::wire::{Follow, Hello, MOST_MESSAGE, VERSION, read, take_piece, text};
use footwork::advanced::recorder::Piece;
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

/// Maximum number of connections, including those without a greeting yet.
const MOST_CONNECTIONS: usize = 16;
/// Maximum number of messages queued for the studio. A game with more waits, while its recorder keeps new updates.
const MOST_EVENTS: usize = 64;
/// Time limit from the connection to a game's greeting, including the handshake.
const GREET: Duration = Duration::from_secs(5);
/// Maximum delay before a request of the studio is sent, and before a new connection is accepted.
const POLL: Duration = Duration::from_millis(20);
/// Maximum time that a new connection waits until the one closed for it has ended.
const ROOM: Duration = Duration::from_millis(500);
/// Maximum bytes of the reason for closing a connection, given by the protocol.
const MOST_REASON: usize = 120;

/// Address to listen at, and permitted peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// Address as `HOST:PORT`. Port 0 selects any free port. Default: [`crate::ADDRESS`].
    pub address: String,
    /// Permits an address that other machines can reach. Nothing is encrypted, and anyone who can reach the port may send data.
    /// Default: false.
    pub remote: bool,
    /// Origins of permitted web pages, such as `http://localhost:8000`. Games have no origin. Default: none.
    pub origins: Vec<String>,
}

impl Default for Listen {
    fn default() -> Self {
        Self { address: crate::ADDRESS.to_owned(), remote: false, origins: Vec::new() }
    }
}

/// Reason why the listener could not be started.
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

/// Identifier of the connection of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GameId(u64);

/// Event of a listener.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A game has connected, or its list of characters has changed.
    Game(GameId, Hello),
    /// A piece of the last requested character has arrived.
    Piece(GameId, Box<Piece>),
    /// A game has disconnected.
    Ended(GameId),
    /// A connection was rejected, or ended with an error. The text begins with its address.
    Refused(String),
}

/// Message from a connection to the listener.
enum Told {
    Arrived(u64, Sender<Follow>),
    Hello(u64, Hello),
    Piece(u64, u32, Box<Piece>),
    Ended(u64),
    Refused(String),
}

/// Server that accepts games, on its own threads. Dropping it closes all connections.
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
    /// Starts listening.
    ///
    /// # Errors
    /// Returns [`ListenError`] if the address is in use or not one of this machine, or if other machines can reach it and
    /// [`Listen::remote`] is not set.
    pub fn new(listen: &Listen) -> Result<Self, ListenError> {
        let error = |error| ListenError::Address { address: listen.address.clone(), error };
        let address = listen.address.to_socket_addrs().map_err(error)?.next();
        let address = address.ok_or_else(|| error(io::Error::other("no such host")))?;
        if !address.ip().is_loopback() && !listen.remote {
            return Err(ListenError::Remote { address });
        }
        let listener = TcpListener::bind(address).map_err(error)?;
        // Non-blocking, so that the thread checks regularly whether the listener was dropped.
        listener.set_nonblocking(true).map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        let (tell, told) = sync_channel(MOST_EVENTS);
        let closed = Arc::new(AtomicBool::new(false));
        let door = Door { listener, tell, closed: Arc::clone(&closed), origins: listen.origins.clone().into() };
        thread::Builder::new().name("footwork listener".to_owned()).spawn(|| door.run()).map_err(error)?;
        Ok(Self { address, told, games: BTreeMap::new(), closed })
    }

    /// Returns the address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the next event, or `None` if there is none. Does not block.
    pub fn poll(&mut self) -> Option<Event> {
        loop {
            return Some(match self.told.try_recv().ok()? {
                Told::Arrived(id, asks) => {
                    self.games.insert(GameId(id), Game { asks, ask: 0 });
                    continue;
                }
                Told::Hello(id, hello) => Event::Game(GameId(id), hello),
                // The piece answers an earlier request.
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

    /// Requests a character from a game, from the oldest update that the game still has; `None` stops the updates. The first
    /// piece after it starts a new recording.
    pub fn follow(&mut self, game: GameId, character: Option<&str>) {
        if let Some(game) = self.games.get_mut(&game) {
            game.ask += 1;
            let follow = character.map(str::to_owned);
            // If the game has disconnected, an event reports it.
            let _ = game.asks.send(Follow { footwork_stream: VERSION, ask: game.ask, follow });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.closed.store(true, SeqCst);
    }
}

/// Stages of a connection before and after its greeting.
mod stage {
    pub const WAITS: u8 = 0;
    /// The greeting has arrived, or the connection has ended by itself.
    pub const DONE: u8 = 1;
    /// Closed at the deadline.
    pub const LATE: u8 = 2;
    /// Closed for a newer connection.
    pub const REPLACED: u8 = 3;
}

/// Stage of a connection, shared by its thread and the door.
#[derive(Debug, Default)]
struct Stage(AtomicU8);

impl Stage {
    /// Moves from [`stage::WAITS`] to another stage. Returns false if it was left before.
    fn leave(&self, to: u8) -> bool {
        self.0.compare_exchange(stage::WAITS, to, SeqCst, SeqCst).is_ok()
    }

    /// Returns the reason why the door closed the connection, if it did.
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

/// Connection without a greeting so far.
struct Unfinished {
    begun: Instant,
    stage: Arc<Stage>,
    /// Second handle to the stream of the connection's thread.
    stream: TcpStream,
}

impl Unfinished {
    /// Ends every read and write of its thread. Returns false for a connection that has greeted or is closed.
    fn close(&self, why: u8) -> bool {
        let closed = self.stage.leave(why);
        if closed {
            // The other side may have closed the connection already.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        closed
    }
}

/// State of the thread that accepts connections.
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
        // Ordered from the oldest.
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

/// Closes the oldest connection without a greeting and waits until its thread has ended. Returns false if every connection has
/// greeted, or if the thread is blocked on the queue of the studio.
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

/// State of one connection's thread.
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
                // The connection may be closed already.
                let _ = socket.close(Some(frame)).and_then(|()| socket.flush());
            }
            ended
        });
        // The error depends on where the door closed the connection; the stage holds the reason.
        let ended = if known { ended } else { self.stage.why_closed().map_or(ended, Err) };
        self.stage.leave(stage::DONE);
        // Sending fails if the studio was closed.
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

    /// Passes on a game's messages until either side closes the connection. Sets `known` once the game has greeted.
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
                // The game ended without closing the connection.
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

/// Returns the origin of a web page that is not permitted. Programs other than browsers send no origin.
fn foreign(request: &Request, allowed: &[String]) -> Option<String> {
    let origins = request.headers().get_all("origin").iter();
    let mut words = origins.map(|origin| String::from_utf8_lossy(origin.as_bytes()).into_owned());
    words.find(|origin| !allowed.iter().any(|a| a.trim_end_matches('/').eq_ignore_ascii_case(origin)))
}
