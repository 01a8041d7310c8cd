//! Errors of BVH files, each with its remedy.

use footwork::advanced::error::{cut_quotes, quoted};
use footwork::clip::ClipError;
use footwork::skeleton::{Skeleton, SkeletonError};

/// An invalid file, with location and reason. Shown as `walk.bvh:12: ...`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}{}: {problem}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct BvhError {
    /// The source given to the parser, usually a path.
    pub file: String,
    /// Line, counted from 1; `None` for a problem of the whole file.
    pub line: Option<usize>,
    /// The problem.
    pub problem: BvhProblem,
}

/// A problem of a BVH file. Frames count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhProblem {
    /// The file has no bytes.
    #[error("the file is empty: expected `HIERARCHY`; export or copy the file again")]
    Empty,
    /// The text is UTF-16.
    #[error("the text is UTF-16: expected plain text; save as UTF-8")]
    Utf16,
    /// The file contains NUL bytes.
    #[error("found a NUL byte: expected text, this is binary data (or UTF-16); export the motion as BVH text")]
    Binary,
    /// The file does not start with `HIERARCHY`.
    #[error("expected `HIERARCHY`, found `{found}`: is this a BVH file?")]
    NoHierarchy {
        /// First word of the file.
        found: String,
    },
    /// A word is not valid here.
    #[error("expected {expected}, found `{found}`", expected = cut_quotes(.expected))]
    Expected {
        /// The words that are valid here.
        expected: String,
        /// The word found.
        found: String,
    },
    /// The file ends too early.
    #[error(
        "the file ends here, expected {expected}: it is truncated; export or copy it again",
        expected = cut_quotes(.expected)
    )]
    Truncated {
        /// The words that would be valid next.
        expected: String,
    },
    /// The hierarchy has no `ROOT`.
    #[error("the hierarchy has no joints: expected `ROOT <name>`, found `{found}`")]
    NoJoints {
        /// The word found.
        found: String,
    },
    /// The file has a second `ROOT`.
    #[error(
        "`{second}` is a second ROOT after `{first}`: expected one; put each character into a file of its own",
        first = quoted(.first), second = quoted(.second)
    )]
    TwoRoots {
        /// First root.
        first: String,
        /// Second root.
        second: String,
    },
    /// A `ROOT` or `JOINT` has no name.
    #[error("expected a joint name after `{keyword}`, found none: write `{keyword} <name>`")]
    NoName {
        /// `ROOT` or `JOINT`.
        keyword: String,
    },
    /// A joint name is used twice.
    #[error("joint name `{joint}` is used twice, first in line {first_line}: rename one", joint = quoted(.joint))]
    RepeatedName {
        /// The name.
        joint: String,
        /// Line of its first use.
        first_line: usize,
    },
    /// The hierarchy has more than [`Skeleton::MAX_JOINTS`] joints.
    #[error("more than {} joints: at most so many are supported; leave out helper joints", Skeleton::MAX_JOINTS)]
    TooManyJoints,
    /// A `{` has no `}`.
    #[error(
        "the brace of joint `{joint}`, opened in line {opened_line}, is not closed: expected `}}`, found {found}",
        joint = quoted(.joint)
    )]
    OpenBrace {
        /// The joint.
        joint: String,
        /// Line of its brace.
        opened_line: usize,
        /// The word found, quoted; or the end of the file.
        found: String,
    },
    /// A `}` has no `{`.
    #[error("`}}` closes nothing: expected `MOTION` after the root's own brace; remove it")]
    StrayBrace,
    /// A joint has no `OFFSET`.
    #[error("joint `{joint}` has no OFFSET: expected `OFFSET <x> <y> <z>`", joint = quoted(.joint))]
    NoOffset {
        /// The joint.
        joint: String,
    },
    /// A channel name is unknown.
    #[error(
        "joint `{joint}` has a channel `{channel}`: expected one of Xposition, Yposition, Zposition, Xrotation, \
         Yrotation, Zrotation",
        joint = quoted(.joint), channel = quoted(.channel)
    )]
    UnknownChannel {
        /// The joint.
        joint: String,
        /// The word.
        channel: String,
    },
    /// The channel count does not match the list of channels.
    #[error(
        "joint `{joint}`: expected {claimed} channels, as `CHANNELS {claimed}` says, found {found}: correct the count",
        joint = quoted(.joint)
    )]
    ChannelCount {
        /// The joint.
        joint: String,
        /// The value in the file.
        claimed: u64,
        /// The number of names in the list.
        found: usize,
    },
    /// A joint lists a position channel twice.
    #[error(
        "joint `{joint}` lists `{channel}` twice: expected each position channel at most once",
        joint = quoted(.joint)
    )]
    RepeatedChannel {
        /// The joint.
        joint: String,
        /// The channel.
        channel: &'static str,
    },
    /// A joint has `OFFSET` or `CHANNELS` twice.
    #[error("joint `{joint}` has `{keyword}` twice: expected it once; remove one", joint = quoted(.joint))]
    RepeatedKeyword {
        /// The joint.
        joint: String,
        /// `OFFSET` or `CHANNELS`.
        keyword: &'static str,
    },
    /// No joint has a channel.
    #[error("no joint has a channel: expected at least one, or there is no motion")]
    NoChannels,
    /// The file has no motion block.
    #[error("expected `MOTION` after the hierarchy, found `{found}`")]
    NoMotion {
        /// The word found.
        found: String,
    },
    /// The frame time is invalid.
    #[error(
        "a frame time of `{found}` is not usable: expected seconds per frame, 0.001 to 1 (not frames per second), \
         such as 0.033333"
    )]
    FrameTime {
        /// The value in the file.
        found: String,
    },
    /// The motion has no frames.
    #[error("the motion has no frames: expected at least 1; export it again with a frame range")]
    NoFrames,
    /// A row has too many or too few values.
    #[error(
        "frame {frame} has {found} values, expected {expected}, one per channel, in one line: the file is damaged or its \
         hierarchy is another's"
    )]
    RowLength {
        /// Frame.
        frame: usize,
        /// Channels of the hierarchy.
        expected: usize,
        /// Values in the line.
        found: usize,
    },
    /// The motion block has fewer rows than stated.
    #[error(
        "found {found} frames, expected {claimed} as `Frames:` says: the file is truncated; export or copy it again"
    )]
    TooFewRows {
        /// The value in the file.
        claimed: u64,
        /// Number of rows.
        found: usize,
    },
    /// The motion block has more rows than stated.
    #[error(
        "found {found} frames, expected {claimed} as `Frames:` says: correct `Frames:` to {found}, or remove the rest"
    )]
    TooManyRows {
        /// The value in the file.
        claimed: u64,
        /// Number of rows.
        found: usize,
    },
    /// A word is not a number.
    #[error("{place}: expected a number, found `{found}`{}", comma_hint(.found), place = cut_quotes(.place))]
    NotANumber {
        /// Frame, joint and channel; or the keyword.
        place: String,
        /// The word found.
        found: String,
    },
    /// A number is NaN, infinite, or too large for 32 bits.
    #[error(
        "{place}: expected a finite number, found `{found}`: repair the motion in the tool that wrote it",
        place = cut_quotes(.place)
    )]
    NotFinite {
        /// Frame, joint and channel; or the keyword.
        place: String,
        /// The word found.
        found: String,
    },
    /// The clip would have far more transforms than the file has values.
    #[error(
        "{joints} joints x {frames} frames are far more than the {values} values given: expected channels for most joints"
    )]
    TooLarge {
        /// Number of joints.
        joints: usize,
        /// Number of frames.
        frames: usize,
        /// Number of values in the motion block.
        values: usize,
    },
    /// The given unit is invalid.
    #[error(
        "{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres"
    )]
    BadUnits {
        /// The value given.
        metres_per_unit: f32,
    },
    /// No bone has a length, so the unit cannot be guessed.
    #[error("no bone has a length, so the unit cannot be guessed: say which it is, for instance centimetres")]
    UnknownUnits,
    /// The names or offsets do not form a valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The values do not form a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

fn comma_hint(found: &str) -> &'static str {
    if found.contains(',') { "; decimals need a point, values a space between them, never a comma" } else { "" }
}

/// A problem at a byte offset. Lines are counted only on an error.
pub(super) struct Fault {
    pub at: usize,
    pub problem: BvhProblem,
}

impl Fault {
    pub fn new(at: usize, problem: BvhProblem) -> Self {
        Self { at, problem }
    }
}

/// Returns a piece of a file for a message: short and printable.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    let mut out: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        out.push_str("...");
    }
    out
}
