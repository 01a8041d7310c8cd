//! Location of real motion data: the folder given by `FOOTWORK_DATA`, which is not part of this project.

use std::path::PathBuf;

/// Returns a folder of the data, or `None` after a message that the test is skipped. With `CI` set, a skip is a failure.
pub fn data_folder(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("FOOTWORK_DATA").filter(|v| !v.is_empty()) else {
        assert!(std::env::var_os("CI").is_none(), "FOOTWORK_DATA is not set: with CI set, no test may be skipped");
        println!("skipped: FOOTWORK_DATA is not set");
        return None;
    };
    let folder = PathBuf::from(root).join(name);
    assert!(folder.is_dir(), "FOOTWORK_DATA has no folder {}", folder.display());
    Some(folder)
}
