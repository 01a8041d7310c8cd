//! Errors of inputs, states and steps.

use crate::database::TagCosts;
use crate::obstacles::Obstacles;

/// Maximum magnitude of a number, in metres, metres per second or radians.
pub(super) const LARGEST: f32 = 1e6;

/// Reason why an input is rejected. The state is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A number is NaN, infinite, or so large that motion would exceed the range of floats.
    #[error("`{field}` is {value}: expected a finite number of at most {LARGEST} either way")]
    NotUsable {
        /// Name of the field.
        field: &'static str,
        /// The value.
        value: f32,
    },
    /// A direction has no length.
    #[error("`{field}` has no length: expected a unit vector")]
    NoDirection {
        /// Name of the field.
        field: &'static str,
    },
    /// The time step is invalid.
    #[error("a time step of {dt_s} s: expected 0 to 10")]
    TimeStep {
        /// The time step, in seconds.
        dt_s: f32,
    },
    /// The number of user values does not fit the schema.
    #[error("`user` has {found} values; the schema's user channels take {expected}")]
    UserWidth {
        /// Number of values that the schema requires.
        expected: usize,
        /// Number of values found.
        found: usize,
    },
    /// There are more tag costs than a search supports.
    #[error("`tag_costs` has {found} entries; at most {}: join those of one cost with `|`", TagCosts::MOST)]
    TagCosts {
        /// Number of entries found.
        found: usize,
    },
    /// There are too many obstacles.
    #[error("`obstacles` has {found} entries; at most {}: pass those near the character", Obstacles::MOST)]
    Obstacles {
        /// Number of entries found.
        found: usize,
    },
    /// The number of variables does not fit the state machine.
    #[error("`variables` has {found} values; the state machine has {expected} variables and triggers")]
    Variables {
        /// Number of variables and triggers of the machine.
        expected: usize,
        /// Number of values found.
        found: usize,
    },
    /// A call names a montage or section that the state machine does not have, or there are too many calls.
    #[error("`montages`: {what}; make calls with `MotionMatcher::montage_calls`")]
    Montages {
        /// The fault.
        what: &'static str,
    },
    /// A trajectory has no points, or its points are not in order of time.
    #[error("`trajectory`: {what}")]
    Trajectory {
        /// The fault.
        what: &'static str,
    },
    /// A pose belongs to another skeleton.
    #[error("the pose has {found} joints; the character has {expected}")]
    Joints {
        /// Number of joints of the character.
        expected: usize,
        /// Number of joints found.
        found: usize,
    },
    /// A character has another skeleton.
    #[error("the characters have different skeletons: {difference}")]
    OtherSkeleton {
        /// The first difference.
        difference: String,
    },
    /// A query requires a tag that no row has.
    #[error("`tags`: no row of the database has the required tag `{tag}`; mark clips with it or do not require it")]
    MissingTag {
        /// Name of the tag, or its index if it has no name.
        tag: String,
    },
    /// `root.mode = "external"` is set, but the input has no body.
    #[error("`body` is missing: `root.mode = \"external\"` needs the body that the game moves in every update")]
    NoBody,
    /// An action is requested of a character without actions.
    #[error("`action`: the character has no actions; tag clips with the kind of action and with `no_locomotion`")]
    NoActions,
    /// Slices have different lengths.
    #[error("{what}: {found} given for {expected} characters")]
    Characters {
        /// Name of the slice.
        what: &'static str,
        /// Number of characters.
        expected: usize,
        /// Number of elements found.
        found: usize,
    },
    /// A state belongs to another character or version.
    #[error("the state of character {character} belongs to another database or version; make a new one")]
    ForeignState {
        /// Index of the character.
        character: usize,
    },
    /// A state has a value that no update can produce.
    #[error("the state of character {character} is damaged: `{field}` has an impossible value; make a new one")]
    DamagedState {
        /// Index of the character.
        character: usize,
        /// Field of the header, or the block.
        field: &'static str,
    },
    /// An output or a scratch was created for another kind of character.
    #[error(
        "the {what} of character {character} was made for another kind of character; make it with `Character::{what}`"
    )]
    Foreign {
        /// `output` or `scratch`.
        what: &'static str,
        /// Index of the character.
        character: usize,
    },
}
