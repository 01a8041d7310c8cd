//! All printing to standard output. A reader may stop reading (`footwork inspect | head`): that ends the command without a
//! message, with exit code 0.

use anstream::AutoStream;
use anstyle::Style;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Neither progress nor notes.
static QUIET: AtomicBool = AtomicBool::new(false);
/// No lines on standard output.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Sets what `--quiet` leaves out. With `--json` the object, which is the only output, stays.
pub fn set_quiet(quiet: bool, json: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
    SILENT.store(quiet && !json, Ordering::Relaxed);
}

/// True where neither progress nor notes are shown.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// As `println!`, but a closed pipe does not panic.
macro_rules! out {
    ($($words:tt)*) => { $crate::print::line(format_args!($($words)*)) };
}

/// Prints a line. Everything that was to be done is done by then: commands print last.
pub fn line(words: std::fmt::Arguments<'_>) {
    if SILENT.load(Ordering::Relaxed) {
        return;
    }
    let mut out = io::stdout().lock();
    finish(out.write_fmt(words).and_then(|()| out.write_all(b"\n")));
}

/// Prints a line whose parts have styles. It is plain where standard output is not a terminal, and with NO_COLOR.
pub fn styled(parts: &[(Style, &str)]) {
    if SILENT.load(Ordering::Relaxed) {
        return;
    }
    let words: String = parts.iter().map(|(style, text)| format!("{style}{text}{style:#}")).collect();
    finish(AutoStream::auto(io::stdout()).lock().write_all(format!("{words}\n").as_bytes()));
}

/// Prints bytes as they are, also where lines are not printed.
pub fn bytes(content: &[u8]) {
    finish(io::stdout().lock().write_all(content));
}

/// Prints a note to standard error, unless it is not wanted.
pub fn note(words: std::fmt::Arguments<'_>) {
    if !is_quiet() {
        eprintln!("footwork: note: {words}");
    }
}

fn finish(written: io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("footwork: cannot write to standard output: {error}");
    std::process::exit(1);
}
