//! Reads state machines and choosers from TOML files.

use crate::config::read_text;
use crate::config_error::ConfigFileError;
use crate::place::Place;
use crate::sidecar::parse_toml;
use footwork::chooser::ChooserSpec;
use footwork::machine::MachineSpec;
use std::path::Path;

/// Reads a state machine from a TOML file; [`footwork::machine::Machine::new`] resolves it for a database.
///
/// # Errors
/// Returns a [`ConfigFileError`] if the file is unreadable, is not TOML, or has an unknown key (it lists the known ones).
pub fn load_machine(path: &Path) -> Result<MachineSpec, ConfigFileError> {
    parse_machine(&read_text(Place::Disk, path)?, path)
}

/// As [`load_machine`], from text in memory. `path` is only used in messages.
///
/// # Errors
/// Returns a [`ConfigFileError`] if the text is not TOML, or has an unknown key (it lists the known ones).
pub fn parse_machine(text: &str, path: &Path) -> Result<MachineSpec, ConfigFileError> {
    parse_toml(text, path)
}

/// Reads a chooser from a TOML file; [`footwork::chooser::Chooser::new`] resolves it for the characters of a game.
///
/// # Errors
/// Returns a [`ConfigFileError`] if the file is unreadable, is not TOML, or has an unknown key (it lists the known ones).
pub fn load_chooser(path: &Path) -> Result<ChooserSpec, ConfigFileError> {
    parse_toml(&read_text(Place::Disk, path)?, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_a_file_are_told_with_their_line() {
        let parse = |text: &str| parse_machine(text, Path::new("m.toml")).map_err(|e| e.to_string());
        let spec = parse(
            "[variables]\nspeed = 1.5\n[[states]]\nname = \"a\"\nmatch = \"\"\n[[states]]\nname = \"b\"\n[[states.machine.states]]\nname = \"c\"\nclip = [\"x\", \"y\"]\n",
        );
        let spec = spec.unwrap();
        let inner = spec.states[1].machine.as_ref().unwrap();
        assert_eq!((spec.variables["speed"], inner.states[0].name.as_str()), (1.5, "c"));
        let e = parse("[[states]]\nname = \"a\"\nblendspace = \"x\"\n").unwrap_err();
        assert!(e.contains("m.toml") && e.contains("line 3") && e.contains("blend_space"), "{e}");
        assert!(parse("[[montages]]\nname = \"a\"").unwrap_err().contains("layer"));
    }
}
