//! Ctrl-C at any time leaves the old file or the new one, never a partial one, and no temporary files.

#![cfg(unix)]

use crate::common;

use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn an_interrupted_build_leaves_no_half_file() {
    let dir = tempfile::tempdir().unwrap();
    common::ok(dir.path(), &["build", "-o", "a.fwdb"]);
    let whole = std::fs::read(dir.path().join("a.fwdb")).unwrap();
    let mut interrupted = 0;
    // The result must be the old or the new file, whenever the signal arrives.
    for wait_ms in [30, 60, 120, 240, 480, 960] {
        std::fs::write(dir.path().join("a.fwdb"), "the old file").unwrap();
        let mut build = common::footwork(dir.path())
            .args(["build", "-o", "a.fwdb"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait_ms));
        let sent = Command::new("kill").args(["-INT", &build.id().to_string()]).output().unwrap();
        let code = build.wait().unwrap().code();
        let found = std::fs::read(dir.path().join("a.fwdb")).unwrap();
        let is = if found == whole { "new" } else { "old" };
        assert!(found == whole || found == b"the old file", "after {wait_ms} ms: {} bytes", found.len());
        assert_eq!(common::names(dir.path()), ["a.fwdb"], "after {wait_ms} ms");
        // Code 0: the build ended before the signal. No code: the signal came before the handler was installed.
        assert!(matches!(code, Some(0 | 130) | None), "after {wait_ms} ms: {code:?}, {is}");
        interrupted += u32::from(sent.status.success() && code == Some(130));
    }
    assert!(interrupted > 0, "no build lasted long enough to be interrupted");
}
