//! `footwork config`: prints every setting with its default.

use crate::print;

/// Runs the command. The text is printed with `--quiet`, too: it is the only output.
pub fn config() {
    print::bytes(footwork_import::reference::toml().as_bytes());
}
