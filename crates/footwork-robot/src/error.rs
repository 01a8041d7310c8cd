//! Errors of robot models and of retargeting to them.

use footwork::retarget::RetargetError;

/// Error of a robot model, or of retargeting to one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RobotError {
    /// A file could not be read.
    #[error("{file}: {what}")]
    Read {
        /// Path of the file.
        file: String,
        /// The problem.
        what: String,
    },
    /// The model is invalid or uses a part of MJCF that is not supported.
    #[error("{file}, line {line}: {what}")]
    Model {
        /// Path of the file.
        file: String,
        /// Line in the file, from 1.
        line: u32,
        /// The problem and how to fix it.
        what: String,
    },
    /// The limbs of the model could not be found.
    #[error("robot `{model}`: {what}")]
    Parts {
        /// Name of the model.
        model: String,
        /// The problem and how to fix it.
        what: String,
    },
    /// An option is invalid.
    #[error("{what}")]
    Options {
        /// The option, what was expected, and what was found.
        what: String,
    },
    /// The clips cannot be transferred to the body of the robot.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
}
