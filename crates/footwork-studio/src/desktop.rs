//! Services of the desktop: files, gamepads.

pub(crate) use crate::live::Live;

use crate::open::{Chosen, Files, KINDS};
use footwork::advanced::files::write_atomically;
use footwork_panels::Hands;
#[cfg(feature = "gamepad")]
use glam::Vec2;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// Writes a file. Returns its location for the user.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let made = path.parent().filter(|p| !p.as_os_str().is_empty()).map_or(Ok(()), std::fs::create_dir_all);
    let done = made.and_then(|()| write_atomically(path, |f| f.write_all(bytes)));
    done.map(|()| path.display().to_string()).map_err(|e| format!("{}: cannot write: {e}", path.display()))
}

/// Returns an error if a file differs both from when it was read (`None`: no file) and from the text to write.
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
        "{}: not saved: the file is not the one that was opened; drop it onto the window to take it over, or move it away",
        path.display()
    ))
}

/// File dialog of the system.
#[derive(Debug, Default)]
pub(crate) struct Chooser(Option<(Receiver<Vec<PathBuf>>, Instant)>);

/// A file dialog that ends within this time was not shown.
const NO_WINDOW: Duration = Duration::from_millis(400);

impl Chooser {
    /// True if folders can be selected.
    pub const FOLDERS: bool = true;

    /// Opens the dialog.
    pub fn choose(&mut self, what: Chosen) {
        let (send, chosen) = channel();
        self.0 = Some((chosen, Instant::now()));
        // Some systems open windows only from the main thread, which must not block.
        let dialog = rfd::AsyncFileDialog::new();
        let answer: Pin<Box<dyn Future<Output = _> + Send>> = match what {
            Chosen::Files => Box::pin(dialog.set_title("Open").add_filter("motion", &KINDS).pick_files()),
            Chosen::Folder => {
                let one = dialog.set_title("Open a folder of clips").pick_folder();
                Box::pin(async { one.await.map(|folder| vec![folder]) })
            }
        };
        std::thread::spawn(move || {
            let files = pollster::block_on(answer).unwrap_or_default();
            // The studio's window may be closed by now.
            let _ = send.send(files.iter().map(|f| f.path().to_owned()).collect());
        });
    }

    /// Returns the files selected since the last call.
    pub fn received(&mut self) -> Option<Result<Files, String>> {
        let (receiver, since) = self.0.as_ref()?;
        let chosen = match receiver.try_recv() {
            Err(TryRecvError::Empty) => return None,
            chosen => chosen.unwrap_or_default(),
        };
        let at_once = since.elapsed() < NO_WINDOW;
        self.0 = None;
        let no_window = "no file dialog can be opened: the system has no desktop portal and no zenity; type a path, or drop files onto \
                         this window";
        match chosen.is_empty() {
            true => at_once.then(|| Err(no_window.to_owned())),
            false => Some(Ok(Files::Disk(chosen))),
        }
    }
}

/// Gamepads of the system.
#[cfg(feature = "gamepad")]
#[derive(Debug)]
pub(crate) struct Gamepads(Option<gilrs::Gilrs>);

#[cfg(feature = "gamepad")]
impl Default for Gamepads {
    fn default() -> Self {
        // A system without gamepad support is not an error.
        Self(gilrs::Gilrs::new().ok())
    }
}

#[cfg(feature = "gamepad")]
impl Gamepads {
    /// Returns the combined input of all gamepads.
    pub fn hands(&mut self) -> Hands {
        use gilrs::{Axis, Button};
        let Some(all) = &mut self.0 else { return Hands::default() };
        while all.next_event().is_some() {}
        all.gamepads().fold(Hands::default(), |hands, (_, pad)| {
            let stick = |x, y| Vec2::new(pad.value(x), pad.value(y));
            let (left, right) =
                (stick(Axis::LeftStickX, Axis::LeftStickY), stick(Axis::RightStickX, Axis::RightStickY));
            let (run, strafe) = (Button::RightTrigger2, Button::LeftTrigger2);
            hands.with(Hands::of_sticks(left, right, pad.is_pressed(run), pad.is_pressed(strafe)))
        })
    }
}

/// Empty stand-in without the feature `gamepad`.
#[cfg(not(feature = "gamepad"))]
#[derive(Debug, Default)]
pub(crate) struct Gamepads;

#[cfg(not(feature = "gamepad"))]
impl Gamepads {
    /// Returns no input.
    pub fn hands(&mut self) -> Hands {
        Hands::default()
    }
}
