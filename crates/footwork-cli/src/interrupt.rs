//! Ctrl-C leaves no partial files: the temporary files in use are removed.

use footwork::advanced::files::remove_temporaries;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static WRITING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Exit code of an interrupted command, by convention 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// Installs the handler of Ctrl-C.
pub fn install() {
    // If this fails, Ctrl-C has its default effect.
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
