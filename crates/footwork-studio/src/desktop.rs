//! What a desktop gives the application: threads and files.

use crate::open::{Files, OpenError, Opened, open};
use footwork::files::write_atomically;
use footwork_panels::Tuning;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Files that are opened beside the window.
#[derive(Debug)]
pub(crate) struct Job(Receiver<Result<Opened, OpenError>>);

impl Job {
    pub fn start(files: Files, tuning: Tuning) -> Self {
        let (send, done) = channel();
        std::thread::spawn(move || {
            // Nobody listens any more where something else was opened since.
            let _ = send.send(open(&files, &tuning));
        });
        Self(done)
    }

    /// The result, once it is there.
    pub fn poll(&mut self) -> Option<Result<Opened, OpenError>> {
        match self.0.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(OpenError("loading ended without a result".to_owned()))),
        }
    }
}

/// Writes a file. Returns where it is, in words.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let done = write_atomically(path, |f| f.write_all(bytes));
    done.map(|()| path.display().to_string()).map_err(|e| format!("{}: cannot write: {e}", path.display()))
}

/// Lets somebody choose files. Returns what to say instead.
pub(crate) fn choose() -> Option<&'static str> {
    Some("Drop a database, a recording, settings, clips or a folder onto the window.")
}

/// Files that came in another way than through egui.
pub(crate) fn received() -> Option<Result<Files, String>> {
    None
}
