//! The one door to standard output. Who reads may stop reading (`footwork inspect | head`): that ends the command
//! quietly, and is no failure.

use std::io::{self, ErrorKind, Write};

/// As `println!`, but a closed pipe is no panic.
macro_rules! out {
    ($($words:tt)*) => { $crate::print::line(format_args!($($words)*)) };
}

/// Prints a line. Everything that was to be done is done by then: commands print last.
pub fn line(words: std::fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    let Err(error) = out.write_fmt(words).and_then(|()| out.write_all(b"\n")) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    eprintln!("footwork: cannot write to standard output: {error}");
    std::process::exit(1);
}
