//! Reads and writes Biovision Hierarchy (`.bvh`).
//!
//! ```text
//! bytes --parse--> Bvh (as in the file: its units, degrees, channels) --to_clip--> RawClip --write--> bytes
//!                   +--guess_units--> metres per unit
//! ```
//!
//! The parser accepts any order and number of channels per joint, 6-channel joints anywhere, End Sites, CRLF, tabs, blank
//! lines, keywords in any case, names with spaces and colons, a UTF-8 byte order mark, a missing newline at the end, and
//! exponents. It rejects any file whose motion is ambiguous, with file, line, what was expected and what was found
//! ([`BvhError`]). No input makes the parser panic, and no number in a header makes it allocate.
//!
//! BVH has no standard. The nearest to one is M. Meredith, S. Maddock, "Motion Capture File Formats Explained" (2001). Position
//! channels are absolute (they replace `OFFSET`), and the first rotation channel is the outermost, as in every maintained
//! importer.

mod convert;
mod error;
mod euler;
mod hierarchy;
mod lexer;
mod motion;
mod number;
mod read;
mod units;
mod write;

pub use error::{BvhError, BvhProblem};
pub use euler::RotationOrder;
pub use read::parse;
pub use units::{UnitGuess, Units, guess_units};
pub use write::{WriteError, WriteOptions, write};

use glam::Vec3;

/// A parsed file, in its own units and angles.
///
/// [`parse`] guarantees: at least one joint, one channel and one frame; parents before children, only joint 0 without a parent;
/// unique names; finite numbers; `values.len() == frames * channels()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// Joints in file order, which is also the order of their channels in a row.
    pub joints: Vec<BvhJoint>,
    /// Number of frames.
    pub frames: usize,
    /// `Frame Time` as written, in seconds; see [`Bvh::rate_hz`].
    pub frame_time_s: f64,
    /// `[frames x channels]`: positions in file units, rotations in degrees.
    pub values: Vec<f32>,
}

/// A `ROOT` or `JOINT`.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// Name as written, without the spaces around it.
    pub name: String,
    /// Index of the parent; `None` for the `ROOT`.
    pub parent: Option<usize>,
    /// `OFFSET` from the parent, file units.
    pub offset: Vec3,
    /// Channels of this joint, in the order of a row; may be empty.
    pub channels: Vec<Channel>,
    /// `OFFSET` of the (first) `End Site` below this joint, file units.
    pub end_site: Option<Vec3>,
}

/// One value per frame of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A component of the position relative to the parent, file units.
    Position(Axis),
    /// A rotation about an axis, degrees.
    Rotation(Axis),
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// First component of a vector.
    X,
    /// Second component of a vector; up.
    Y,
    /// Third component of a vector.
    Z,
}

impl Axis {
    /// Returns the index of the vector component: 0, 1 or 2.
    pub const fn at(self) -> usize {
        self as usize
    }
}

impl Channel {
    /// All channels, positions first.
    pub const ALL: [Self; 6] = [
        Self::Position(Axis::X),
        Self::Position(Axis::Y),
        Self::Position(Axis::Z),
        Self::Rotation(Axis::X),
        Self::Rotation(Axis::Y),
        Self::Rotation(Axis::Z),
    ];

    /// Returns the name in a file, such as `Xposition`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position(Axis::X) => "Xposition",
            Self::Position(Axis::Y) => "Yposition",
            Self::Position(Axis::Z) => "Zposition",
            Self::Rotation(Axis::X) => "Xrotation",
            Self::Rotation(Axis::Y) => "Yrotation",
            Self::Rotation(Axis::Z) => "Zrotation",
        }
    }
}

impl Bvh {
    /// Returns the number of values per frame: the sum of all joints' channels.
    pub fn channels(&self) -> usize {
        self.joints.iter().map(|j| j.channels.len()).sum()
    }
}
