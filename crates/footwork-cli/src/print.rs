//! The one door to standard output. Who reads may stop reading (`footwork inspect | head`): that ends the command
//! quietly, and is no failure.
//!
//! Names come from files, and a file may hold anything: what a terminal would obey is printed escaped, as in `\u001b`. (That
//! form is what JSON has, too, so that lines of JSON stay JSON.)

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};

/// As `println!`, but a closed pipe is no panic, and control characters are escaped.
macro_rules! out {
    ($($words:tt)*) => { $crate::print::line(format_args!($($words)*)) };
}

/// Prints a line, with empty lines before and after it if it starts or ends so. Everything that was to be done is done by then:
/// commands print last.
pub fn line(words: std::fmt::Arguments<'_>) {
    let words = words.to_string();
    let inner = words.trim_matches('\n');
    let before = words.len() - words.trim_start_matches('\n').len();
    let after = if inner.is_empty() { 0 } else { words.len() - words.trim_end_matches('\n').len() };
    let text = ["\n".repeat(before).as_str(), &escaped(inner), &"\n".repeat(after + 1)].concat();
    let Err(error) = io::stdout().lock().write_all(text.as_bytes()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("footwork: cannot write to standard output: {error}");
    std::process::exit(1);
}

/// Prints an error or a note to standard error. It may have several lines.
pub fn message(words: &str) {
    let lines: Vec<Cow<'_, str>> = words.split('\n').map(escaped).collect();
    // Where nobody reads, nothing can be told.
    let _ = writeln!(io::stderr().lock(), "footwork: {}", lines.join("\n"));
}

/// Text without anything that a terminal obeys: control characters, and those that turn the direction of writing.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if obeyed(c) {
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
    fn what_a_terminal_obeys_is_escaped_and_nothing_else() {
        assert_eq!(escaped("wa\x1b[2Jlk\r\n\u{9b}31m\u{202e}"), r"wa\u001b[2Jlk\u000d\u000a\u009b31m\u202e");
        for harmless in ["Läufer 1", "`walk` 歩く \"x\" \\u001b", ""] {
            assert_eq!(escaped(harmless), harmless);
        }
        let json = serde_json::to_string("\u{9b}31m\x1b").unwrap();
        assert_eq!(serde_json::from_str::<String>(&escaped(&json)).unwrap(), "\u{9b}31m\x1b");
    }
}
