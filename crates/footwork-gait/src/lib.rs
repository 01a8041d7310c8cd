//! Locomotion made from nothing: built-in clips for motion matching, with contacts, speed and heading *known*.
//!
//! ```text
//!  script of legs --RootPath--> root(t) --FootPlan--> stances --Foot--> toes, heels --+
//!  (stick goals through          |        where and when                              |
//!   the game's own spring)       +------> lean, twist ------------> Trunk (pelvis) <--+
//!                                                                     |       |
//!                                              GaitClip <-- legs (IK) +       + spine, arms, head
//!                                              clip + truth
//! ```
//!
//! The same options give the same bytes on every machine: all numbers come from `footwork::math`.
//!
//! ```
//! use footwork_gait::{GaitOptions, generate};
//! let clips = generate(&GaitOptions::default());
//! let walk = clips.iter().find(|c| c.clip.name == "walk_125").unwrap();
//! assert!((walk.truth.speed_mps[0] - 1.25).abs() < 1e-3);
//! ```

mod body;
mod feet;
mod footsteps;
mod laws;
mod legs;
mod path;
mod pelvis;
mod random_route;
mod repertoire;
mod shapes;
mod synth;
mod truth;
mod upper_body;

pub use body::{HEIGHT_M, Side, TOE_HEIGHT_M, joint, skeleton};
pub use truth::{Footstep, GaitClip, GaitTruth};

use footwork::clip::RawClip;

/// What to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitOptions {
    /// Seed of the random routes. Default 1.
    pub seed: u64,
    /// Frames per second. Default 60, what games and the published data run at or below.
    pub rate_hz: f32,
    /// Include the random routes, about half of all frames. Default true; tests that need little data leave them out.
    pub routes: bool,
}

impl Default for GaitOptions {
    fn default() -> Self {
        Self { seed: 1, rate_hz: 60.0, routes: true }
    }
}

/// All clips with the truth about them, in a fixed order; the first is a looping `idle`.
pub fn generate(options: &GaitOptions) -> Vec<GaitClip> {
    let mut recipes = repertoire::recipes();
    if options.routes {
        recipes.extend(random_route::recipes(options.seed));
    }
    recipes.iter().map(|r| synth::synthesise(r, options)).collect()
}

/// All clips, as an importer would hand them over.
pub fn clips(options: &GaitOptions) -> Vec<RawClip> {
    generate(options).into_iter().map(|g| g.clip).collect()
}
