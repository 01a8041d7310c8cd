//! Courses and metrics on the built-in data.

mod aside;
mod courses;
mod gait;
mod rest;
mod stances;
