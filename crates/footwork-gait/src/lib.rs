//! Synthetic locomotion: built-in clips for motion matching with known contacts, speed and heading.
//!
//! ```text
//!  script of legs --RootPath--> root(t) --FootPlan--> stances --LegPlan--> how knees bend, how feet roll
//!  (stick goals through          |        where and when |                       |
//!   the game's own spring)       +------> lean, gaze     +-------> Body <--------+
//!                                            |                      | pelvis: as high as the stance leg is long
//!                                            |                      v
//!                    GaitClip <-- spine, arms, head      Leg: held by the ground, or carried by the knee
//!                    clip + truth <------------------------- IK
//! ```
//!
//! A crouch ([`GaitOptions::crouch`]) lowers the same body over the same steps; gestures ([`GaitOptions::gestures`]) rotate the
//! head and the arms of a standing body. Actions ([`GaitOptions::actions`]) interrupt the locomotion for a jump, a vault, a seat
//! or a handshake. Queries exclude all three unless they request their tags.
//!
//! [`gates`] compares the motion with measurements of people, [`coverage()`] with the requests of a stick.
//!
//! The same options give the same bytes on every machine: all functions are those of `footwork::math`.
//!
//! ```
//! use footwork_gait::{GaitOptions, generate};
//! let clips = generate(&GaitOptions::default());
//! let walk = clips.iter().find(|c| c.clip.name == "walk_125").unwrap();
//! assert!((walk.truth.speed_mps[0] - 1.25).abs() < 1e-3);
//! ```

mod action_gates;
mod action_truth;
mod actions;
mod body;
mod corpus;
mod coverage;
mod cycles;
mod feet;
mod footsteps;
mod gate;
mod gates;
mod gestures;
mod ground;
mod laws;
mod leg;
mod leg_pose;
mod legs;
mod measure;
mod mirror;
mod options;
mod path;
mod pelvis;
mod random_route;
mod recipe;
mod repertoire;
mod shapes;
mod stances;
mod stride;
mod swing;
mod synth;
mod truth;
mod upper_body;

pub use action_truth::{ActionContact, ActionKind, ActionObstacle, ActionPhases, ActionTruth, HAND_M};
pub use body::{HEIGHT_M, Side, TOE_HEIGHT_M, joint, skeleton};
pub use corpus::{Route, corpus};
pub use coverage::{CoverageCell, coverage};
pub use gate::Gate;
pub use gates::{JERK_JOINTS, gates};
pub use measure::walking_jerk_mps3;
pub use options::GaitOptions;
pub use truth::{Footstep, GaitClip, GaitTruth};

use footwork::clip::RawClip;

/// Networks trained on all clips of the default options, without slopes and stairs: a `.fwnet` file, for
/// `footwork::learned::Networks::from_bytes`. The guide's page on learned motion matching has the command that trains it.
pub const BIPED_NETWORKS: &[u8] = include_bytes!("../assets/biped.fwnet");

/// A state machine for the clips of all options: motion matching upright and crouched, an aim, gestures. A TOML file.
pub const BIPED_MACHINE: &str = include_str!("../assets/biped.machine.toml");

/// Names of the clips of a small pack: the contents of a typical pack of 19 locomotion clips. No starts, stops or turns.
pub const PACK_19: [&str; 19] = [
    "idle",
    "walk_130_loop",
    "walk_175_loop",
    "run_250_loop",
    "run_400_loop",
    "backward_walk",
    "backward_run",
    "strafe_walk_45_left",
    "strafe_walk_45_right",
    "strafe_walk_90_left",
    "strafe_walk_90_right",
    "strafe_walk_135_left",
    "strafe_walk_135_right",
    "strafe_run_45_left",
    "strafe_run_45_right",
    "strafe_run_90_left",
    "strafe_run_90_right",
    "strafe_run_135_left",
    "strafe_run_135_right",
];

/// Returns all clips with their ground truth, in a fixed order; the first is a looping `idle`.
pub fn generate(options: &GaitOptions) -> Vec<GaitClip> {
    let mut recipes = repertoire::recipes();
    if options.terrain {
        recipes.extend(repertoire::terrain());
    }
    if options.routes {
        recipes.extend(random_route::recipes(options.seed));
    }
    // Last, so that the clips of default queries keep their indices.
    if options.crouch {
        recipes.extend(stances::crouch());
    }
    if options.gestures {
        recipes.extend(stances::gestures());
    }
    if options.cycles {
        recipes.extend(cycles::cycles());
    }
    let mut clips: Vec<GaitClip> = Vec::with_capacity(recipes.len());
    for recipe in &recipes {
        let clip = match clips.last() {
            Some(before) if recipe.mirrors => mirror::mirrored(before, &recipe.name),
            _ => synth::synthesise(recipe, options),
        };
        clips.push(clip);
    }
    if options.actions {
        clips.extend(actions::clips(options));
    }
    clips
}

/// Returns all clips in the form of an importer's result.
pub fn clips(options: &GaitOptions) -> Vec<RawClip> {
    generate(options).into_iter().map(|g| g.clip).collect()
}
