//! Stages of an update. Each is a job over what it names; [`super::update`] has their order.

pub(super) mod act;
pub(super) mod blend;
mod blended_feet;
pub(crate) mod choose;
pub(super) mod contacts;
pub(crate) mod cost;
pub(super) mod enter;
pub(super) mod foreseen;
pub mod go;
pub(super) mod legs;
pub(super) mod play;
pub(super) mod predict;
pub(crate) mod query;
pub(super) mod root;
pub(super) mod settle;
pub(super) mod show;
pub(super) mod tick;
pub(super) mod upper_body;
pub(super) mod warp_goals;
