//! All output. If a reader closes its pipe early (`footwork inspect | head`), the command ends without a message, with exit code
//! 0.
//!
//! Names come from files and may contain any character. Characters that control a terminal are printed escaped, as in `\u001b`.
//! JSON uses the same form, so lines of JSON stay valid.

use anstream::AutoStream;
use anstyle::Style;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// True: neither progress nor notes are printed.
static QUIET: AtomicBool = AtomicBool::new(false);
/// True: no lines are printed to standard output.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Sets the effect of `--quiet`. With `--json`, the object is still printed, since it is the only output.
pub fn set_quiet(quiet: bool, json: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
    SILENT.store(quiet && !json, Ordering::Relaxed);
}

/// Returns true if neither progress nor notes are shown.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// As `println!`, but a closed pipe does not panic, and control characters are escaped.
macro_rules! out {
    ($($words:tt)*) => { $crate::print::line(format_args!($($words)*)) };
}

/// Prints a line, with empty lines before and after it if it starts or ends so. Commands print last, when all work is done.
pub fn line(words: std::fmt::Arguments<'_>) {
    if SILENT.load(Ordering::Relaxed) {
        return;
    }
    let words = words.to_string();
    let inner = words.trim_matches('\n');
    let before = words.len() - words.trim_start_matches('\n').len();
    let after = if inner.is_empty() { 0 } else { words.len() - words.trim_end_matches('\n').len() };
    let text = ["\n".repeat(before).as_str(), &escaped(inner), &"\n".repeat(after + 1)].concat();
    finish(io::stdout().lock().write_all(text.as_bytes()));
}

/// Prints a line whose parts have styles. It is plain if standard output is not a terminal, and with NO_COLOR.
pub fn styled(parts: &[(Style, &str)]) {
    if SILENT.load(Ordering::Relaxed) {
        return;
    }
    let words: String = parts.iter().map(|(style, text)| format!("{style}{}{style:#}", escaped(text))).collect();
    finish(AutoStream::auto(io::stdout()).lock().write_all(format!("{words}\n").as_bytes()));
}

/// Prints bytes unchanged, even if lines are not printed.
pub fn bytes(content: &[u8]) {
    finish(io::stdout().lock().write_all(content));
}

/// Prints a note to standard error, except with `--quiet`.
pub fn note(words: std::fmt::Arguments<'_>) {
    if !is_quiet() {
        message(&format!("note: {words}"));
    }
}

/// Prints an error or a note to standard error. It may have several lines.
pub fn message(words: &str) {
    let lines: Vec<Cow<'_, str>> = words.split('\n').map(escaped).collect();
    // Failure to write to standard error is ignored: it cannot be reported.
    let _ = writeln!(io::stderr().lock(), "footwork: {}", lines.join("\n"));
}

fn finish(written: io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("footwork: cannot write to standard output: {error}");
    std::process::exit(1);
}

/// Escapes characters that control a terminal: control characters, and those that change the direction of text.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let controls = |c: char| {
        c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_that_control_a_terminal_are_escaped() {
        assert_eq!(escaped("wa\x1b[2Jlk\r\n\u{9b}31m\u{202e}"), r"wa\u001b[2Jlk\u000d\u000a\u009b31m\u202e");
        for harmless in ["Läufer 1", "`walk` 歩く \"x\" \\u001b", ""] {
            assert_eq!(escaped(harmless), harmless);
        }
        let json = serde_json::to_string("\u{9b}31m\x1b").unwrap();
        assert_eq!(serde_json::from_str::<String>(&escaped(&json)).unwrap(), "\u{9b}31m\x1b");
    }
}
