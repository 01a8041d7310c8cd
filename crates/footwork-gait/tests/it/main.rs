//! The built-in motion against its ground truth and against measurements of people.

mod actions;
mod common;
mod contacts;
mod corpus;
mod gates;
mod poses;
mod truth;
