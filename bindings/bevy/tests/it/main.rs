//! The plugin in apps without a window. One binary: an engine takes long to link.

mod allocations;
mod characters;
mod common;
mod events;
mod machines;
mod models;
#[cfg(feature = "examples")]
mod panels;
mod recording;
mod threads;
