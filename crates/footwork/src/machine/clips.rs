//! Clips of a database, by name.

use super::error::MachineError;
use crate::database::Database;
use crate::frames::ClipIndex;
use crate::matcher::Playing;

/// Returns a clip by name.
pub(super) fn clip(db: &Database, at: &str, name: &str, mirrored: bool) -> Result<Playing, MachineError> {
    let names = || db.clips[..db.originals()].iter().map(|c| c.name.as_str());
    let Some(index) = names().position(|n| n == name) else {
        return Err(MachineError::unknown(at.to_owned(), "clip", name, names()));
    };
    if mirrored && db.mirror_table.is_none() {
        return Err(MachineError::new(at, "`mirrored`: the database was built without `mirror`"));
    }
    Ok(Playing { clip: ClipIndex::new(index), mirrored, time_s: 0.0 })
}
