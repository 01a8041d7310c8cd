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

mod body;
mod character;
mod chooser;
mod file;
mod kernels;
mod network;
mod networks;
mod source;

pub use body::{BodyLayout, ROTATION_WIDTH, Sampler};
pub use character::LearnedError;
pub use chooser::choice_weights;
pub use file::NetworkFileError;
pub use kernels::Kernel;
pub use network::{Layer, Network, NetworkError, NetworkScratch, Precision, Weights};
pub use networks::{Calibration, Decompression, NetworkParts, Networks, NetworksError, STEP_S};
