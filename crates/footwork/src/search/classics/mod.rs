//! Search structures of other systems, to be measured beside the tree: boxes, kd-trees, principal components, voxels, clusters.
//! Only with the feature `classics`: games need the tree alone.
//!
//! ```
//! use footwork::matcher::Backend;
//! use footwork::advanced::search::classics::{Setting, pca};
//!
//! // The default setting of a backend, and the same structure with more candidates.
//! assert_eq!(Setting::of(Backend::Pca), Setting::Pca(pca::Settings::default()));
//! let more = Setting::Pca(pca::Settings { candidates: 1000, ..pca::Settings::default() });
//! assert_eq!(more.to_string(), "4 components, 1000 candidates");
//! assert!(!more.is_exact());
//! ```

mod boxes;
pub mod clusters;
pub mod flat;
pub mod kdtree;
pub mod pca;
mod rows;
mod setting;
mod structure;
mod touched;
pub mod voxel;

pub use rows::Columns;
pub use setting::Setting;
pub(super) use structure::Classic;
pub use touched::Touched;
