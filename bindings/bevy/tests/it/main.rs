//! The plugin in apps without a window. The tests share one binary, because linking the engine is slow.

mod actions;
mod allocations;
#[cfg(feature = "examples")]
mod avian;
mod characters;
mod common;
mod events;
#[cfg(feature = "examples")]
mod guide;
mod machines;
mod models;
#[cfg(feature = "examples")]
mod panels;
mod recording;
mod threads;
