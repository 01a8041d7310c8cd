//! `footwork completions`: completion scripts for shells.

use crate::args::{self, CompletionsArgs};
use crate::print;
use anyhow::Result;

/// Runs the command. The script is printed with `--quiet`, too: it is the only output.
pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    args::completions(args.shell, &mut script);
    print::bytes(&script);
    Ok(())
}
