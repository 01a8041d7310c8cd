//! Tests of the command, run as a user runs it.

mod bench;
mod bounds;
mod build;
mod cache;
mod cli;
mod common;
mod convert;
mod demo;
mod doctor;
mod eval;
mod film;
mod gait;
mod guide;
mod interrupt;
mod locomotion;
mod loops;
mod mirror;
mod outputs;
mod papers;
mod pipe;
mod replay;
mod report;
mod retarget;
mod simulate;
mod walls;
