//! The `footwork` command: build, inspect and drive motion matching databases. Without a command: the demo.

#[macro_use]
mod print;

mod args;
mod bench;
mod build;
mod clips;
mod completions;
mod convert;
mod course;
mod database;
mod demo;
mod doctor;
mod draw;
mod eval;
mod film;
mod gait;
mod ground;
mod inspect;
mod interrupt;
mod markup;
mod output;
mod path_svg;
mod progress;
mod retarget;
mod run;
mod search;
mod simulate;
mod trace;

use args::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::read();
    print::set_quiet(cli.quiet, cli.common.json);
    interrupt::install();
    let result = match &cli.command {
        None => demo::demo(&cli.common),
        // Its exit code depends on the findings.
        Some(Command::Doctor(args)) => match doctor::doctor(args, &cli.common) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Some(Command::Build(args)) => build::build(args, &cli.common),
        Some(Command::Retarget(args)) => retarget::retarget(args, &cli.common),
        Some(Command::Convert(args)) => convert::convert(args, &cli.common),
        Some(Command::Inspect(args)) => inspect::inspect(args, &cli.common),
        Some(Command::Film(args)) => film::film(args, &cli.common),
        Some(Command::Simulate(args)) => simulate::simulate(args, &cli.common),
        Some(Command::Gait(args)) => gait::gait(args, &cli.common),
        Some(Command::Search(args)) => search::search(args, &cli.common),
        Some(Command::Bench(args)) => bench::bench(args, &cli.common),
        Some(Command::Eval(args)) => eval::eval(args, &cli.common),
        Some(Command::Completions(args)) => completions::completions(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("footwork: {error:#}");
            ExitCode::FAILURE
        }
    }
}
