//! A reader may close the pipe early: `footwork inspect | head` ends without a message.

use crate::common;

use std::process::Stdio;

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let dir = tempfile::tempdir().unwrap();
    common::mocap(dir.path());
    for args in [
        &["build", "mocap", "-o", "a.fwdb"][..],
        &["inspect", "--db", "a.fwdb"],
        &["inspect", "--db", "a.fwdb", "--json"],
        &["simulate", "--db", "a.fwdb", "--seconds", "2", "--explain", "1"],
        &["film", "mocap/idle.bvh", "-o", "a.png"],
        &["config"],
        &["--help"],
        &[],
    ] {
        let mut command = common::footwork(dir.path());
        let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The pipe is closed before the first line.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {told}");
        assert!(told.is_empty(), "{args:?}: {told}");
    }
    // All files are written nevertheless.
    for file in ["a.fwdb", "a.png", "footwork-demo/strip.png"] {
        assert!(dir.path().join(file).exists(), "{file}");
    }
}
