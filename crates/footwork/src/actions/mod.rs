//! Actions with contacts: jumps, vaults, climbs, steps, seats, and hands that touch objects.
//!
//! ```text
//!  clips with the tag `no_locomotion` --read--> Actions: contacts, flight, entries     (when a character is made)
//!  ActionRequest --plan--> the entry that fits best, or Refusal with what the nearest misses   (at control ticks)
//!  plan --Warp--> root at any time; places of feet, hands and hips                        (from entry to exit)
//! ```
//!
//! A request ([`crate::input::ActionRequest`]) is compared with every entry row of every action of its kinds. Nothing is marked up: what
//! touches is read from the motion.

mod action;
mod approach;
mod arrive;
mod config;
mod meet;
mod nearest;
mod part;
mod place;
mod plan;
mod probe;
mod read;
mod refusal;
mod rest;
mod sweep;
mod table;
mod track;
mod warp;

pub(crate) use action::AT_ONCE_S;
pub use action::{Action, Contact, Entry, Limb, MAX_MARKS, Mark, Passes, Phases};
pub use approach::Approach;
pub use config::ActionConfig;
pub(crate) use meet::{Met, Partner, Side, meet, reaching_hand};
pub use place::Place;
pub(crate) use plan::places;
pub use plan::{Plan, Situation};
pub(crate) use probe::probe;
pub use probe::{Proposal, Proposals, RayHit, RayHook};
pub use refusal::{Refusal, RefusalReason};
pub use table::Actions;
pub use warp::Warp;
