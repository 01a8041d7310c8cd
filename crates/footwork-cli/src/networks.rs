//! Networks of a command: a file, or those of the built-in character.

use anyhow::Result;
use footwork::learned::Networks;
use std::path::Path;

/// The name of the networks of the built-in character.
pub const BUILT_IN: &str = "built-in";

/// Opens a `.fwnet` file, or `built-in`.
pub fn open(path: &Path) -> Result<Networks> {
    if path == Path::new(BUILT_IN) {
        return Ok(Networks::from_bytes(footwork_gait::BIPED_NETWORKS, path)?);
    }
    Ok(Networks::load(path)?)
}
