//! Errors of the course of stances.

use footwork::input::InputError;

/// The course of stances cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StancesError {
    /// The character has no state machine.
    #[error("the course of stances needs a state machine: give the character one")]
    NoMachine,
    /// The skeleton has no hips.
    #[error("no joint has the role `hips`: the course of stances looks at their height")]
    NoHips,
    /// The machine has no motion-matching state with the name of a stance, or its query accepts no row.
    #[error("the machine has no state `{state}` with motion matching whose query accepts rows of this database")]
    NoStance {
        /// Name of the state.
        state: &'static str,
    },
    /// The machine does not have the variables of the course.
    #[error("the course of stances: {0}")]
    Variable(#[from] footwork::machine::MachineError),
    /// An input or state is invalid.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A setting does not fit the database.
    #[error(transparent)]
    Config(#[from] footwork::matcher::ConfigError),
}
