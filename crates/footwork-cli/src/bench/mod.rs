//! `footwork bench`: measurements on your own data.

mod codec;
mod crowd;
mod growth;
mod search;
mod update;

pub use search::exact_structures;

use crate::args::{BenchArgs, BenchCommand, Common};
use anyhow::Result;

/// Runs the command.
pub fn bench(args: &BenchArgs, common: &Common) -> Result<()> {
    match &args.what {
        BenchCommand::Codec(args) => codec::bench(args, common),
        BenchCommand::Crowd(args) => crowd::bench(args, common),
        BenchCommand::Growth(args) => growth::bench(args, common),
        BenchCommand::Search(args) => search::bench(args, common),
        BenchCommand::Update(args) => update::bench(args, common),
    }
}
