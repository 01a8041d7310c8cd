//! Courses and metrics on the built-in data.

mod action_reading;
mod actions;
mod aside;
mod courses;
mod gait;
mod rest;
mod stances;
