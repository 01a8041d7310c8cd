//! What a desktop gives the application: threads, files, gamepads.

pub(crate) use crate::live::Live;

use crate::open::{Chosen, Files, KINDS, OpenError, Opened, Work};
use footwork::files::write_atomically;
use footwork_panels::{Hands, Tuning};
#[cfg(feature = "gamepad")]
use glam::Vec2;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

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
        "{}: not saved: the file is not the one that was opened; drop it onto the window to take it over, or move it away",
        path.display()
    ))
}

/// Lets somebody choose files, in a window of the system.
#[derive(Debug, Default)]
pub(crate) struct Chooser(Option<(Receiver<Vec<PathBuf>>, Instant)>);

/// A file dialog that ends earlier than this was not shown.
const NO_WINDOW: Duration = Duration::from_millis(400);

impl Chooser {
    /// True where folders can be chosen.
    pub const FOLDERS: bool = true;

    /// Opens the window.
    pub fn choose(&mut self, what: Chosen) {
        let (send, chosen) = channel();
        self.0 = Some((chosen, Instant::now()));
        // Some systems open windows from the main thread only, where nothing may wait.
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
            // The window of the studio may be closed by now.
            let _ = send.send(files.iter().map(|f| f.path().to_owned()).collect());
        });
    }

    /// Files that were chosen since.
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

/// The gamepads of the system.
#[cfg(feature = "gamepad")]
#[derive(Debug)]
pub(crate) struct Gamepads(Option<gilrs::Gilrs>);

#[cfg(feature = "gamepad")]
impl Default for Gamepads {
    fn default() -> Self {
        // A system without any is none to complain about.
        Self(gilrs::Gilrs::new().ok())
    }
}

#[cfg(feature = "gamepad")]
impl Gamepads {
    /// What all of them say together.
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

/// None: made without them.
#[cfg(not(feature = "gamepad"))]
#[derive(Debug, Default)]
pub(crate) struct Gamepads;

#[cfg(not(feature = "gamepad"))]
impl Gamepads {
    /// Nothing.
    pub fn hands(&mut self) -> Hands {
        Hands::default()
    }
}
