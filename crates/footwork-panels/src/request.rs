//! What panels ask of the shell.

/// What somebody asks of the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Save all that was changed: settings, tags, the state machine.
    Save,
    /// Save the settings (TOML).
    SaveSettings,
    /// Save the sidecars that were changed.
    SaveTags,
    /// Save the sidecars that were changed, then build the database again from its files.
    Rebuild,
    /// Look for faults in the clips.
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
