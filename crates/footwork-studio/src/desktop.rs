//! What a desktop gives the application: threads and files.

use crate::open::{Files, OpenError, Opened, Work};
use footwork::files::write_atomically;
use footwork_panels::Tuning;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What is done beside the window: files that are opened, data that is built again.
#[derive(Debug)]
pub(crate) struct Job(Receiver<Result<Opened, OpenError>>);

impl Job {
    pub fn start(work: Work, tuning: Tuning) -> Self {
        let (send, done) = channel();
        std::thread::spawn(move || {
            // Nobody listens any more where something else was opened since.
            let _ = send.send(work.run(&tuning));
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
    let made = path.parent().filter(|p| !p.as_os_str().is_empty()).map_or(Ok(()), std::fs::create_dir_all);
    let done = made.and_then(|()| write_atomically(path, |f| f.write_all(bytes)));
    done.map(|()| path.display().to_string()).map_err(|e| format!("{}: cannot write: {e}", path.display()))
}

/// Fails where a file is not as it was when it was read (`None`: there was none), and not as it is about to be written.
pub(crate) fn check_unchanged(path: &Path, read: Option<&str>, text: &str) -> Result<(), String> {
    let found = match std::fs::read_to_string(path) {
        Ok(found) => Some(found),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(format!("{}: cannot read: {e}", path.display())),
    };
    if found.as_deref() == read || found.as_deref() == Some(text) {
        return Ok(());
    }
    Err(format!(
        "{}: not saved: the file is not the one that was opened; drop it onto the window to take it over (Undo brings these tags \
         back), or move it away",
        path.display()
    ))
}

/// Lets somebody choose files. Returns what to say instead.
pub(crate) fn choose() -> Option<&'static str> {
    Some("Drop a database, a recording, settings, clips or a folder onto the window.")
}

/// Files that came in another way than through egui.
pub(crate) fn received() -> Option<Result<Files, String>> {
    None
}
