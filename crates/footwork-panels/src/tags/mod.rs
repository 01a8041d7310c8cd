//! Tags, costs, cuts and events of clips: edited on the timeline, saved in sidecars.

mod edit;
mod editor;
mod keep;
mod lanes;
mod mark;
mod paint;
mod session;
mod sidecar;
mod takes;
mod track;

pub(crate) use mark::{Kind, Mark};
pub(crate) use takes::{Home, Takes};
pub use takes::{Sources, Unsaved};
pub(crate) use track::{ClipTimeline, save_buttons, where_words};
