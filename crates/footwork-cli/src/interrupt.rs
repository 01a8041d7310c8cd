//! Ctrl-C leaves no half file: what is being written lies under a temporary name, which is removed.

use footwork::files::remove_temporaries;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static WRITING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Exit code of an interrupted command, by convention 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Listens for Ctrl-C.
pub fn install() {
    // Failing to listen only means that Ctrl-C does what it does by default.
    let _ = ctrlc::set_handler(|| {
        if let Ok(paths) = WRITING.lock() {
            for path in paths.iter() {
                remove_temporaries(path);
            }
        }
        std::process::exit(INTERRUPTED);
    });
}

/// Marks a file as being written while `write` runs.
pub fn guarded<T>(path: &Path, write: impl FnOnce() -> T) -> T {
    let with = |f: &dyn Fn(&mut Vec<PathBuf>)| {
        if let Ok(mut paths) = WRITING.lock() {
            f(&mut paths);
        }
    };
    with(&|paths| paths.push(path.to_owned()));
    let result = write();
    with(&|paths| paths.retain(|p| p != path));
    result
}
