//! Motion files in and out for footwork.
//!
//! ```text
//! folders of .bvh --read_clips--> Vec<RawClip> --(footwork::build)--> Database
//! one .bvh -------read_clip-----> RawClip -----write_clip-----> .bvh
//! ```
//!
//! [`CharacterConfig`] is the TOML file that describes a character; [`read_clips`] reads what it names, sidecars included.
//! [`doctor`] says what is wrong with clips and mends them. [`glb`] writes runs for any glTF viewer.
//!
//! Reads and writes **BVH** ([`bvh`]): any channel layout, both flavours of LAFAN1, metres, centimetres, millimetres or
//! inches. What comes out is finite, in metres, +Y up, local to the parent joint; or an error that says where the trouble
//! is, what was expected, and what to do. Facing is not assumed here: the builder finds it from the motion.
//!
//! The three entry calls: [`read_clips`] (files, folders, patterns; all cores, progress), [`read_clip`], [`write_clip`]. Bytes in memory go through
//! [`bvh::parse`] and [`bvh::write`].
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
pub mod config;
pub mod doctor;
mod files;
pub mod glb;

pub use config::{CharacterConfig, ConfigFileError, SourceConfig, UnitSetting, read_clips};
pub use files::{ImportError, read_clip, read_files, write_clip};

/// The code in the papers is compiled as documentation tests: here, because this crate's tests know all the others.
#[cfg(doctest)]
mod papers {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/in-your-game.md")]
    struct InYourGame;
    #[doc = include_str!("../../../docs/guide/corrections.md")]
    struct Corrections;
}
