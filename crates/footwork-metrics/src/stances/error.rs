//! Why the course cannot be run.

use footwork::input::InputError;

/// Why the course cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StancesError {
    /// The character has no state machine.
    #[error("the course of stances needs a state machine: give the character one")]
    NoMachine,
    /// The skeleton has no hips.
    #[error("no joint has the role `hips`: the course of stances looks at their height")]
    NoHips,
    /// The machine has no state with motion matching of a stance's name, or its query accepts no row.
    #[error("the machine has no state `{state}` with motion matching whose query accepts rows of this database")]
    NoStance {
        /// Its name.
        state: &'static str,
    },
    /// The machine has other variables.
    #[error("the course of stances: {0}")]
    Variable(#[from] footwork::machine::MachineError),
    /// An input or state was refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A setting does not fit.
    #[error(transparent)]
    Config(#[from] footwork::matcher::ConfigError),
}
