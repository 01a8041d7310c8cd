//! Why an input, a state or a step is refused.

use crate::database::TagCosts;

/// The largest usable magnitude of a number, in metres, metres per second or radians.
pub(super) const LARGEST: f32 = 1e6;

/// Why an input is refused. The state is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// NaN, infinity, or a number so large that motion would leave what floats can hold.
    #[error("`{field}` is {value}: expected a finite number of at most {LARGEST} either way")]
    NotUsable {
        /// Which.
        field: &'static str,
        /// Value.
        value: f32,
    },
    /// A direction without one.
    #[error("`{field}` has no length: expected a unit vector")]
    NoDirection {
        /// Which.
        field: &'static str,
    },
    /// A time step that is none.
    #[error("a time step of {dt_s} s: expected 0 to 10")]
    TimeStep {
        /// Given.
        dt_s: f32,
    },
    /// User values that do not fit the schema.
    #[error("`user` has {found} values; the schema's user channels take {expected}")]
    UserWidth {
        /// Values that the schema takes.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// More costs of tags than a search has room for.
    #[error("`tag_costs` has {found} entries; at most {}: join those of one cost with `|`", TagCosts::MOST)]
    TagCosts {
        /// Entries given.
        found: usize,
    },
    /// Variables that do not fit the state machine.
    #[error("`variables` has {found} values; the state machine has {expected} variables and triggers")]
    Variables {
        /// Variables and triggers of the machine.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A call of a montage or section that the state machine does not have, or more calls than are kept.
    #[error("`montages`: {what}; make calls with `MotionMatcher::montage_calls`")]
    Montages {
        /// The fault.
        what: &'static str,
    },
    /// A trajectory without points or out of order.
    #[error("`trajectory`: {what}")]
    Trajectory {
        /// What is wrong.
        what: &'static str,
    },
    /// A pose of another skeleton.
    #[error("the pose has {found} joints; the character has {expected}")]
    Joints {
        /// Joints of the character.
        expected: usize,
        /// Joints given.
        found: usize,
    },
    /// A character over another skeleton.
    #[error("the characters have different skeletons: {difference}")]
    OtherSkeleton {
        /// The first difference.
        difference: String,
    },
    /// A query that cannot hold without a tag that no row has.
    #[error("`tags`: no row of the database has the required tag `{tag}`; mark clips with it or do not require it")]
    MissingTag {
        /// Name of the tag, or its number where it has no name.
        tag: String,
    },
    /// `root.mode = "external"` without a body.
    #[error("`body` is missing: `root.mode = \"external\"` needs the body that the game moves in every update")]
    NoBody,
    /// Slices of different lengths.
    #[error("{what}: {found} given for {expected} characters")]
    Characters {
        /// Which slice.
        what: &'static str,
        /// Characters.
        expected: usize,
        /// Elements given.
        found: usize,
    },
    /// A state of another character or version.
    #[error("the state of character {character} belongs to another database or version; make a new one")]
    ForeignState {
        /// Which.
        character: usize,
    },
    /// A state with a value that no update can have left behind.
    #[error("the state of character {character} is damaged: `{field}` has an impossible value; make a new one")]
    DamagedState {
        /// Which.
        character: usize,
        /// Field of the header, or the block.
        field: &'static str,
    },
    /// An output or a scratch that was made for other characters.
    #[error(
        "the {what} of character {character} was made for another kind of character; make it with `Character::{what}`"
    )]
    Foreign {
        /// `output` or `scratch`.
        what: &'static str,
        /// Which.
        character: usize,
    },
}
