//! Errors of the course of actions.

/// The course of actions cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionsError {
    /// The character has no clips.
    #[error("the course of actions needs a character with clips: give it a database")]
    NoDatabase,
    /// No clip has a kind of the course.
    #[error(
        "no clip is an action of the kind `{0}`: tag clips with `{0}` and `no_locomotion`, or use the built-in actions"
    )]
    NoKind(&'static str),
    /// A setting does not fit the database.
    #[error(transparent)]
    Config(#[from] footwork::matcher::ConfigError),
    /// An input is invalid.
    #[error(transparent)]
    Input(#[from] footwork::input::InputError),
}
