//! Errors of BVH files, each with its remedy.

use footwork::clip::ClipError;
use footwork::error::{cut_quotes, quoted};
use footwork::skeleton::{Skeleton, SkeletonError};

/// An unusable file, with place and reason. Shown as `walk.bvh:12: ...`.
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
    /// Two bytes per letter.
    #[error("the text is UTF-16: expected plain text; save as UTF-8")]
    Utf16,
    /// NUL bytes.
    #[error("found a NUL byte: expected text, this is binary data (or UTF-16); export the motion as BVH text")]
    Binary,
    /// Another format.
    #[error("expected `HIERARCHY`, found `{found}`: is this a BVH file?")]
    NoHierarchy {
        /// First word of the file.
        found: String,
    },
    /// A word out of place.
    #[error("expected {expected}, found `{found}`", expected = cut_quotes(.expected))]
    Expected {
        /// The words that are valid here.
        expected: String,
        /// The word found.
        found: String,
    },
    /// The file ends in its middle.
    #[error(
        "the file ends here, expected {expected}: it is truncated; export or copy it again",
        expected = cut_quotes(.expected)
    )]
    Truncated {
        /// The words that would be valid next.
        expected: String,
    },
    /// No `ROOT`.
    #[error("the hierarchy has no joints: expected `ROOT <name>`, found `{found}`")]
    NoJoints {
        /// The word found.
        found: String,
    },
    /// A second `ROOT`.
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
    /// `JOINT` and nothing after it.
    #[error("expected a joint name after `{keyword}`, found none: write `{keyword} <name>`")]
    NoName {
        /// `ROOT` or `JOINT`.
        keyword: String,
    },
    /// A name used twice.
    #[error("joint name `{joint}` is used twice, first in line {first_line}: rename one", joint = quoted(.joint))]
    RepeatedName {
        /// The name.
        joint: String,
        /// Line of its first use.
        first_line: usize,
    },
    /// More joints than any rig has.
    #[error("more than {} joints: at most so many are supported; leave out helper joints", Skeleton::MAX_JOINTS)]
    TooManyJoints,
    /// `{` without `}`.
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
    /// `}` without `{`.
    #[error("`}}` closes nothing: expected `MOTION` after the root's own brace; remove it")]
    StrayBrace,
    /// A joint without a place.
    #[error("joint `{joint}` has no OFFSET: expected `OFFSET <x> <y> <z>`", joint = quoted(.joint))]
    NoOffset {
        /// The joint.
        joint: String,
    },
    /// A channel that does not exist.
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
    /// `CHANNELS 3` and two names, or four.
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
    /// Two values for one component.
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
    /// A block of its own twice in one joint.
    #[error("joint `{joint}` has `{keyword}` twice: expected it once; remove one", joint = quoted(.joint))]
    RepeatedKeyword {
        /// The joint.
        joint: String,
        /// `OFFSET` or `CHANNELS`.
        keyword: &'static str,
    },
    /// Nothing moves.
    #[error("no joint has a channel: expected at least one, or there is no motion")]
    NoChannels,
    /// No motion block.
    #[error("expected `MOTION` after the hierarchy, found `{found}`")]
    NoMotion {
        /// The word found.
        found: String,
    },
    /// An invalid frame time.
    #[error(
        "a frame time of `{found}` is not usable: expected seconds per frame, 0.001 to 1 (not frames per second), \
         such as 0.033333"
    )]
    FrameTime {
        /// The value in the file.
        found: String,
    },
    /// `Frames: 0`.
    #[error("the motion has no frames: expected at least 1; export it again with a frame range")]
    NoFrames,
    /// A row of another length.
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
    /// Fewer rows than promised.
    #[error(
        "found {found} frames, expected {claimed} as `Frames:` says: the file is truncated; export or copy it again"
    )]
    TooFewRows {
        /// The value in the file.
        claimed: u64,
        /// Number of rows.
        found: usize,
    },
    /// More rows than promised.
    #[error(
        "found {found} frames, expected {claimed} as `Frames:` says: correct `Frames:` to {found}, or remove the rest"
    )]
    TooManyRows {
        /// The value in the file.
        claimed: u64,
        /// Number of rows.
        found: usize,
    },
    /// A word in the place of a number.
    #[error("{place}: expected a number, found `{found}`{}", comma_hint(.found), place = cut_quotes(.place))]
    NotANumber {
        /// Frame, joint and channel; or the keyword.
        place: String,
        /// The word found.
        found: String,
    },
    /// NaN, infinity, or too large for a 32-bit number.
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
    /// A few channels, very many joints and frames.
    #[error(
        "{joints} joints x {frames} frames are far more than the {values} values given: expected channels for most joints"
    )]
    TooLarge {
        /// Joints.
        joints: usize,
        /// Frames.
        frames: usize,
        /// Numbers in the motion block.
        values: usize,
    },
    /// An invalid unit.
    #[error(
        "{metres_per_unit} metres per unit are not usable: expected a positive number, such as 0.01 for centimetres"
    )]
    BadUnits {
        /// The value given.
        metres_per_unit: f32,
    },
    /// No bone has a length, so that the unit cannot be guessed.
    #[error("no bone has a length, so the unit cannot be guessed: say which it is, for instance centimetres")]
    UnknownUnits,
    /// Names or offsets of an invalid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Numbers of an invalid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

fn comma_hint(found: &str) -> &'static str {
    if found.contains(',') { "; decimals need a point, values a space between them, never a comma" } else { "" }
}

/// A problem at a byte: lines are counted only when something is wrong.
pub(super) struct Fault {
    pub at: usize,
    pub problem: BvhProblem,
}

impl Fault {
    pub fn new(at: usize, problem: BvhProblem) -> Self {
        Self { at, problem }
    }
}

/// A piece of a file for a message: short, printable.
pub(super) fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    let mut out: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        out.push_str("...");
    }
    out
}
