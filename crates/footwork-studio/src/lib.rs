//! The studio: the panels of [`footwork_panels`] in a window, with files to open and save.

mod app;
mod open;

pub use app::{App, Start};
pub use open::{OpenError, Opened, open};
