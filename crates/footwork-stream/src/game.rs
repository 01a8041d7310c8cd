//! The game's side: copies updates from recorders without blocking, and sends them on its own thread.

use crate::wire::{Character, Follow, Hello, MOST_CHARACTERS, MOST_MESSAGE, MOST_NAME, VERSION, put_piece, read, text};
use footwork::advanced::recorder::{Cursor, DataId, Piece};
use footwork::recorder::Recorder;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tungstenite::client::client_with_config;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// Maximum bytes copied in one frame. A new follower gets the kept history of most recordings, which is minutes, in one copy.
const ROOM: usize = 1 << 20;
/// Maximum delay before a message of the studio is read.
const POLL: Duration = Duration::from_millis(20);
/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(1);
const GREET: Duration = Duration::from_secs(5);
/// Initial and maximum time between attempts to connect.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Reason why a stream could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The address has no port, or a name is too long.
    #[error("{what}: expected {expected}, found `{found}`")]
    Invalid {
        /// Name of the invalid value.
        what: &'static str,
        /// Description of the valid values.
        expected: String,
        /// Value found.
        found: String,
    },
    /// The thread could not be started.
    #[error("the thread of the stream: {0}")]
    Thread(#[from] io::Error),
}

/// State of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// True while a studio is connected.
    pub connected: bool,
    /// Character that the studio follows.
    pub follows: Option<String>,
    /// Updates sent so far.
    pub sent: u64,
    /// Updates left out: the recorder had dropped them, or they exceeded the space for one frame.
    pub lost: u64,
    /// Reason why the last connection failed or ended.
    pub problem: Option<String>,
}

/// State shared by the game and the thread. Each holds the lock only briefly.
#[derive(Debug)]
struct Slot {
    status: Status,
    /// True once the game has dropped its stream.
    closed: bool,
    characters: BTreeMap<String, DataId>,
    /// True once the current list of characters was sent to the studio.
    announced: bool,
    /// Number of the studio's last request.
    ask: u32,
    /// Data copied by the game; valid if `full`.
    piece: Piece,
    full: bool,
    /// True while the previous piece is being sent.
    sending: bool,
}

type Shared = Arc<Mutex<Slot>>;

/// Connection that sends recorders to a studio. It keeps trying to connect, so the studio may start later. Dropping it closes the
/// connection.
#[derive(Debug)]
pub struct Stream {
    shared: Shared,
    thread: Thread,
    /// Read position in the recorder of the followed character, for the request `ask`.
    cursor: Cursor,
    ask: u32,
}

impl Stream {
    /// Starts connecting to a studio at `address` ([`crate::ADDRESS`]: the studio on this machine), on its own thread. The studio
    /// shows `game` as the name. Allocates all memory that [`Stream::send`] needs.
    ///
    /// # Errors
    /// Returns [`StreamError`] if the address has no port, a name has more than 256 bytes, or the thread cannot be started.
    pub fn new(address: &str, game: &str) -> Result<Self, StreamError> {
        let address = address.strip_prefix("ws://").unwrap_or(address).trim_end_matches('/').to_owned();
        if address.rsplit_once(':').is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
            let (what, expected) = ("address of the studio", format!("HOST:PORT, such as {}", crate::ADDRESS));
            return Err(StreamError::Invalid { what, expected, found: address });
        }
        if game.len() > MOST_NAME {
            let (what, expected) = ("name of the game", format!("at most {MOST_NAME} bytes"));
            return Err(StreamError::Invalid { what, expected, found: game.to_owned() });
        }
        let shared = Arc::new(Mutex::new(Slot {
            status: Status::default(),
            closed: false,
            characters: BTreeMap::new(),
            announced: true,
            ask: 0,
            piece: Piece::with_capacity(ROOM),
            full: false,
            sending: false,
        }));
        let sender =
            Sender { shared: Arc::clone(&shared), address, game: game.to_owned(), piece: Piece::with_capacity(ROOM) };
        let thread = thread::Builder::new().name("footwork stream".to_owned()).spawn(|| sender.run())?.thread().clone();
        Ok(Self { shared, thread, cursor: Cursor::default(), ask: 0 })
    }

    /// Offers the recorder of a character. Call it in every frame, after [`Recorder::update`]. Copies the recorder's new updates
    /// if a studio follows this character and the previous copy has been taken; otherwise a later call copies them. Never blocks.
    /// Allocates only for a new character, and where a recording or a part of it begins.
    ///
    /// Ignores characters beyond 4096, and those with names of more than 256 bytes.
    pub fn send(&mut self, name: &str, recorder: &Recorder) {
        let Ok(mut slot) = self.shared.try_lock() else { return };
        announce(&mut slot, name, recorder);
        if slot.status.follows.as_deref() == Some(name)
            && !slot.full
            && copy(&mut slot, &mut self.cursor, &mut self.ask, recorder)
        {
            drop(slot);
            self.thread.unpark();
        }
    }

    /// Removes a character from the list, such as one that is no longer in the game.
    pub fn forget(&mut self, name: &str) {
        let mut slot = lock(&self.shared);
        if slot.characters.remove(name).is_some() {
            slot.announced = false;
        }
    }

    /// Waits until all updates of a character were sent to the studio, for at most `within`. Use it at the end of a program.
    /// Returns false on timeout.
    pub fn flush(&mut self, name: &str, recorder: &Recorder, within: Duration) -> bool {
        let end = Instant::now() + within;
        loop {
            {
                let mut slot = lock(&self.shared);
                announce(&mut slot, name, recorder);
                if slot.status.follows.as_deref() == Some(name) && !slot.full && !slot.sending {
                    if !copy(&mut slot, &mut self.cursor, &mut self.ask, recorder) {
                        return true;
                    }
                    self.thread.unpark();
                }
            }
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the state of the stream. Allocates.
    pub fn status(&self) -> Status {
        lock(&self.shared).status.clone()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        lock(&self.shared).closed = true;
        self.thread.unpark();
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Slot> {
    // A panic cannot leave a slot in an inconsistent state.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn announce(slot: &mut Slot, name: &str, recorder: &Recorder) {
    let (data, count) = (recorder.data(), slot.characters.len());
    match slot.characters.get_mut(name) {
        Some(known) if *known == data => {}
        Some(known) => {
            *known = data;
            slot.announced = false;
        }
        None if count < MOST_CHARACTERS && name.len() <= MOST_NAME => {
            slot.characters.insert(name.to_owned(), data);
            slot.announced = false;
        }
        None => {}
    }
}

/// Copies new updates to the slot. Returns false if there are none.
fn copy(slot: &mut Slot, cursor: &mut Cursor, ask: &mut u32, recorder: &Recorder) -> bool {
    if *ask != slot.ask {
        (*cursor, *ask) = (Cursor::default(), slot.ask);
    }
    slot.full = recorder.read(cursor, ROOM, &mut slot.piece);
    if slot.full {
        slot.status.lost += slot.piece.lost();
    }
    slot.full
}

/// State of the sending thread.
struct Sender {
    shared: Shared,
    address: String,
    game: String,
    piece: Piece,
}

impl Sender {
    fn run(mut self) {
        let mut wait = FIRST_WAIT;
        while !lock(&self.shared).closed {
            let ended = self.connect().and_then(|socket| {
                wait = FIRST_WAIT;
                self.talk(socket)
            });
            {
                let mut slot = lock(&self.shared);
                slot.status = Status { problem: ended.err(), connected: false, follows: None, ..slot.status.clone() };
                (slot.full, slot.sending) = (false, false);
            }
            let next = Instant::now() + wait;
            while !lock(&self.shared).closed && Instant::now() < next {
                thread::park_timeout(next.saturating_duration_since(Instant::now()));
            }
            wait = (2 * wait).min(LONGEST_WAIT);
        }
    }

    fn connect(&self) -> Result<WebSocket<TcpStream>, String> {
        let mut last = format!("{}: no such address", self.address);
        for address in self.address.to_socket_addrs().map_err(|e| format!("{}: {e}", self.address))? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => return self.shake_hands(stream),
                Err(e) => last = format!("{address}: {e}; is the studio started with --listen?"),
            }
        }
        Err(last)
    }

    fn shake_hands(&self, stream: TcpStream) -> Result<WebSocket<TcpStream>, String> {
        let io = |e: io::Error| e.to_string();
        stream.set_nodelay(true).map_err(io)?;
        stream.set_read_timeout(Some(GREET)).map_err(io)?;
        let config = WebSocketConfig::default().max_message_size(Some(MOST_MESSAGE)).max_frame_size(Some(MOST_MESSAGE));
        let made = client_with_config(format!("ws://{}/", self.address), stream, Some(config));
        let (mut socket, _) = made.map_err(|e| match e {
            HandshakeError::Failure(Error::Http(response)) => {
                let words = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
                format!("{}: refused: {} {words}", self.address, response.status())
            }
            other => format!("{}: {other}", self.address),
        })?;
        // The first message must be the greeting of a studio.
        match socket.read() {
            Ok(Message::Text(greeting)) => read::<Follow>(&greeting).map(|_| socket),
            Ok(Message::Close(frame)) => Err(closed_by_studio(frame.map(|f| f.reason.to_string()))),
            Ok(_) => Err("expected the greeting of a studio, found another message".to_owned()),
            Err(e) => Err(e.to_string()),
        }
    }

    /// Sends until one side closes the connection.
    fn talk(&mut self, mut socket: WebSocket<TcpStream>) -> Result<(), String> {
        {
            let mut slot = lock(&self.shared);
            slot.status = Status { connected: true, problem: None, ..slot.status.clone() };
            slot.announced = false;
        }
        loop {
            self.listen(&mut socket)?;
            let (hello, full, ask, closed) = {
                let mut slot = lock(&self.shared);
                let known = std::mem::replace(&mut slot.announced, true);
                let hello = (!known).then(|| self.hello(&slot));
                let full = std::mem::replace(&mut slot.full, false);
                if full {
                    std::mem::swap(&mut slot.piece, &mut self.piece);
                }
                slot.sending = full;
                (hello, full, slot.ask, slot.closed)
            };
            if let Some(hello) = &hello {
                socket.send(Message::text(text(hello))).map_err(|e| e.to_string())?;
            }
            if full {
                socket.send(Message::binary(put_piece(ask, &self.piece)?)).map_err(|e| e.to_string())?;
                let mut slot = lock(&self.shared);
                slot.sending = false;
                slot.status.sent += self.piece.updates();
            }
            if closed && !full {
                // The other side may have closed the connection as well.
                let _ = socket.close(None).and_then(|()| socket.flush());
                return Ok(());
            }
            if !full {
                thread::park_timeout(POLL);
            }
        }
    }

    fn hello(&self, slot: &Slot) -> Hello {
        let character = |(name, data): (&String, &DataId)| Character { name: name.clone(), data: *data };
        let characters = slot.characters.iter().map(character).collect();
        Hello { footwork_stream: VERSION, game: self.game.clone(), characters }
    }

    /// Reads the studio's pending messages, without blocking.
    fn listen(&self, socket: &mut WebSocket<TcpStream>) -> Result<(), String> {
        let block =
            |socket: &WebSocket<TcpStream>, on: bool| socket.get_ref().set_nonblocking(!on).map_err(|e| e.to_string());
        block(socket, false)?;
        loop {
            match socket.read() {
                Ok(Message::Text(words)) => {
                    let Follow { ask, follow, .. } = read(&words)?;
                    let mut slot = lock(&self.shared);
                    // A piece copied for the previous request is dropped.
                    (slot.ask, slot.status.follows, slot.full) = (ask, follow, false);
                }
                Ok(Message::Close(frame)) => return Err(closed_by_studio(frame.map(|f| f.reason.to_string()))),
                Ok(_) => {}
                Err(Error::Io(e)) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) => return Err(e.to_string()),
            }
        }
        block(socket, true)
    }
}

fn closed_by_studio(reason: Option<String>) -> String {
    match reason.filter(|words| !words.is_empty()) {
        Some(words) => format!("the studio ended the connection: {words}"),
        None => "the studio ended the connection".to_owned(),
    }
}
