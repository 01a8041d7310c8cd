//! The studio: the panels of [`footwork_panels`] in a window or in a web page, with files to open and save.

mod app;
#[cfg(not(target_arch = "wasm32"))]
mod desktop;
mod kept;
#[cfg(not(target_arch = "wasm32"))]
mod live;
mod minute;
mod open;
#[cfg(target_arch = "wasm32")]
mod page;
mod path_field;
#[cfg(target_arch = "wasm32")]
mod web;

pub use app::{App, Start};
pub use minute::minute;
pub use open::{Files, OpenError, Opened, open};
#[cfg(target_arch = "wasm32")]
pub use page::{footwork_minute, start};

#[cfg(not(target_arch = "wasm32"))]
use desktop as shell;
#[cfg(target_arch = "wasm32")]
use web as shell;
