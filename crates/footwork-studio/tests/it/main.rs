//! The studio without a window.

mod app;
mod live;
mod storage;
mod tags;
