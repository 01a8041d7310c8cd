//! A running game sends what its flight recorder keeps to the studio, over a WebSocket.
//!
//! ```text
//! game: Recorder --Stream::send--> thread == ws://127.0.0.1:7475 ==> thread --Listener::poll--> studio: Replay::append
//! ```
//!
//! The recorder is the buffer between the two: it keeps the last minutes anyway. [`Stream::send`] copies what it has newly written,
//! if what was copied before is on its way, else it comes back later for more. It never waits. A studio follows one character at a
//! time; the others cost the game a look at a name.
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
//!         // In every frame.
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

/// The code in the guide is compiled as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/studio.md")]
struct Guide;
