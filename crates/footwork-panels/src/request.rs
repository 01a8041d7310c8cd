//! Requests from the panels to the shell.

/// Request to the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Save all changes: settings, tags, the state machine.
    Save,
    /// Save the settings (TOML).
    SaveSettings,
    /// Save the changed sidecars.
    SaveTags,
    /// Save the changed sidecars, then rebuild the database from its files.
    Rebuild,
    /// Run the doctor on the clips.
    Examine,
    /// Save the state machine (TOML).
    SaveMachine,
    /// Save the recording (`.fwtrace`).
    SaveTrace,
    /// Choose files to open.
    Open,
    /// Choose a folder of clips to open.
    OpenFolder,
    /// Type the path of a file or folder to open.
    OpenPath,
}
