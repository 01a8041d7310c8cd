//! Learned motion matching: three small networks replace clips, features and search.
//!
//! ```text
//!  exact:    query --search--> row of the database --clips--> pose
//!  learned:  query --projector--> code --stepper--> code, 1/30 s later --decompressor--> pose
//! ```
//!
//! A code consists of the features of a frame and some latent variables, which together determine its pose. The crate
//! `footwork-train` trains [`Networks`] and stores them in a `.fwnet` file.
//! [`Character::learned`](crate::matcher::Character::learned) creates a character from networks alone.
//! [`Character::decompressed`](crate::matcher::Character::decompressed) searches a database exactly, and takes only poses
//! from a network. The rest of a character is the same: input, blending, adjustments, state.
//!
//! Source: Holden et al., "Learned Motion Matching" (2020).

pub(crate) mod body;
mod character;
pub(crate) mod chooser;
mod decompression;
mod file;
mod future;
mod half;
mod kernels;
pub(crate) mod layer;
pub(crate) mod network;
pub(crate) mod networks;
mod source;

pub use crate::container::{FileError, FileFault};
pub use character::LearnedError;
pub use networks::{Networks, NetworksError};
