//! The built-in motion against its own truth and against people.

mod actions;
mod common;
mod contacts;
mod gates;
mod poses;
mod truth;
