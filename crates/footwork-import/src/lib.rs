//! Reads and writes motion files for footwork.
//!
//! ```text
//! .bvh --bvh::parse---+
//! .glb .gltf --gltf---+--> Vec<RawClip> --tags, ranges, one skeleton--> (footwork::build) --> Database
//! .fbx --fbx----------+         |
//!                               +--write_clip--> .bvh     +--glb::write--> .glb with a mannequin, or your own mesh
//! ```
//!
//! [`CharacterConfig`] is the TOML configuration of a character; [`import_clips`] reads the clips of its `[source]` table, with
//! name patterns, ranges and sidecars. [`doctor`] finds faults in clips and fixes them.
//!
//! The crate reads **BVH** ([`bvh`]: any channel layout, any unit), **glTF** ([`gltf`]: `.glb`, `.gltf`) and **FBX** (`fbx`:
//! binary and ASCII, with the feature `fbx`), in any mixture; it writes BVH and glTF ([`glb`]). Clips are finite, in metres, +Y
//! up, local to the parent joint. Errors state the location, what was expected, and what to do. Facing is not assumed here: the
//! builder finds it from the motion.
//!
//! Entry points: [`import_clips`] (files, folders, patterns; all cores, progress, notes), [`read_clip`], [`write_clip`]. For
//! files in memory, use [`import_clips_in_memory`], or [`bvh::parse`], [`gltf::parse`], `fbx::parse`, [`bvh::write`] and
//! [`glb::write()`].
//!
//! ```
//! use footwork_import::bvh;
//!
//! let text = "HIERARCHY
//! ROOT Hips
//! {
//!     OFFSET 0 0 0
//!     CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
//!     End Site
//!     {
//!         OFFSET 0 -95 0
//!     }
//! }
//! MOTION
//! Frames: 2
//! Frame Time: 0.0333
//! 0 95 0  0 0 0
//! 0 95 4  0 90 0
//! ";
//! let file = bvh::parse(text.as_bytes(), "step.bvh")?;
//! let clip = file.to_clip("step", "step.bvh", bvh::Units::Centimetres)?;
//! assert_eq!(clip.rate_hz, 30.0);
//! assert_eq!(clip.translations[1], glam::Vec3::new(0.0, 0.95, 0.04));
//!
//! let mut out = Vec::new();
//! bvh::write(&clip, &mut out, &bvh::WriteOptions::default()).unwrap();
//! # Ok::<(), bvh::BvhError>(())
//! ```

pub mod bvh;
mod cache;
mod common_units;
pub mod config;
mod config_error;
mod corpus;
pub mod doctor;
#[cfg(feature = "fbx")]
pub mod fbx;
mod files;
mod find;
pub mod format;
pub mod glb;
pub mod gltf;
mod import;
mod import_error;
mod imported;
mod input;
mod loaded;
mod machine;
mod note;
mod one_skeleton;
pub mod pattern;
mod place;
mod ranges;
pub mod reference;
mod resample;
mod scene;
mod shards;
mod sidecar;
mod take;
mod unique_names;
mod unit_setting;
mod units;
mod upright;

pub use cache::{ClipCache, cache_folder};
pub use config::{
    CharacterConfig, SourceConfig, UnitSetting, import_clips, import_clips_cached, import_clips_in_memory,
    motion_files, read_clips,
};
pub use config_error::ConfigFileError;
pub use corpus::Corpus;
pub use files::{import_files, read_clip, read_files, write_clip};
pub use import_error::ImportError;
pub use imported::Imported;
pub use machine::{load_chooser, load_machine, parse_machine};
pub use note::{Fix, Note};
pub use ranges::RangeSpec;
pub use resample::resample;
pub use scene::{SceneError, SceneProblem};
pub use shards::{Shard, ShardError, Shards};
pub use sidecar::{check_rules, parse_sidecar};
pub use take::{Origin, Take};
pub use units::Units;

/// Compiles the code of README and guide as documentation tests. They are in this crate because its tests depend on all others.
#[cfg(doctest)]
mod papers {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/in-your-game.md")]
    struct InYourGame;
    #[doc = include_str!("../../../docs/guide/record-and-replay.md")]
    struct RecordAndReplay;
    #[doc = include_str!("../../../docs/guide/corrections.md")]
    struct Corrections;
    #[doc = include_str!("../../../docs/guide/retargeting.md")]
    struct Retargeting;
    #[doc = include_str!("../../../docs/guide/why.md")]
    struct Why;
    #[doc = include_str!("../../../docs/guide/actions.md")]
    struct Actions;
    #[doc = include_str!("../../../docs/guide/obstacles.md")]
    struct Obstacles;
    #[doc = include_str!("../../../docs/guide/montages.md")]
    struct Montages;
    #[doc = include_str!("../../../docs/guide/choose.md")]
    struct Choose;
}
