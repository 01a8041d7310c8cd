//! Panels for motion matching: drive a character, rewind it, explain its choices, tune it. They use plain data and egui, and are
//! the same in a desktop window, a web page and a game.
//!
//! ```text
//! Session (database, character, settings, recording) <-- Studio::ui --> viewport, timeline, why, tune, library, performance
//! ```
//!
//! [`Studio`] lays out all of them. A shell passes it the time and dropped files, and saves its files.

mod acts;
mod body;
mod camera;
mod drive;
mod findings;
mod flip;
mod follow;
mod followed;
mod history;
mod job;
mod lanes;
mod library;
mod machine;
mod machine_file;
mod machine_text;
mod measure;
mod mode;
mod networks;
mod performance;
mod request;
mod scene;
mod session;
mod settings;
mod states;
mod studio;
mod style;
mod tags;
#[cfg(test)]
mod tests;
mod timeline;
mod toml;
mod tracks;
mod tune;
mod tuning;
mod viewport;
mod why;

pub use camera::Orbit;
pub use drive::{Driver, Hands};
pub use findings::{Examined, Findings};
pub use flip::{Flip, Weight};
pub use follow::Following;
pub use job::Job;
pub use library::Library;
pub use machine_file::MachineFile;
pub use request::Request;
pub use scene::Layers;
pub use session::Session;
pub use studio::Studio;
pub use tags::{Sources, Unsaved};
pub use timeline::Timeline;
pub use tracks::{Sample, Tracks};
pub use tune::Tune;
pub use tuning::Tuning;
pub use viewport::Viewport;
pub use why::Why;
