//! The plugin in apps without a window. The tests share one binary, because linking the engine is slow.

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
