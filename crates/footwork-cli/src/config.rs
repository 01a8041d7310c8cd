//! `footwork config`: every setting, with its default.

/// Runs the command.
pub fn config() {
    out!("{}", footwork_import::reference::toml().trim_end());
}
