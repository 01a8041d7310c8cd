//! Streams the flight recorder of a running game to the studio, over a WebSocket.
//!
//! ```text
//! game: Recorder --Stream::send--> thread == ws://127.0.0.1:7475 ==> thread --Listener::poll--> studio: Replay::append
//! ```
//!
//! The recorder is the buffer between the two: it always keeps the last minutes. [`Stream::send`] copies its new updates if the
//! previous copy is already being sent; otherwise a later call copies them. It never blocks. A studio follows one character at a
//! time; each other character costs the game one look-up by name.
//!
//! ```no_run
//! use footwork::input::MotionInput;
//! use footwork::matcher::MotionMatcher;
//! use footwork::recorder::{Recorder, RecorderConfig};
//! use footwork_stream::{ADDRESS, Stream};
//!
//! fn play(hero: &mut MotionMatcher) -> Result<(), Box<dyn std::error::Error>> {
//!     // Once. The studio may be started later, and restarted.
//!     let mut stream = Stream::new(ADDRESS, "my game")?;
//!     let mut recorder = Recorder::new(hero.character(), RecorderConfig::default());
//!     loop {
//!         // In every frame:
//!         recorder.update(hero, &MotionInput::default(), 1.0 / 60.0)?;
//!         stream.send("hero", &recorder);
//!     }
//! }
//! ```

mod game;
mod listener;
mod wire;

pub use game::{Status, Stream, StreamError};
pub use listener::{Event, GameId, Listen, ListenError, Listener};
pub use wire::{ADDRESS, Character, Hello, VERSION};

/// Compiles the code of the guide as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/studio.md")]
struct Guide;
