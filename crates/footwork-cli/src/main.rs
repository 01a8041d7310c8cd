//! The `footwork` command: build, inspect and drive motion matching databases. Without a command: the demo.

#[macro_use]
mod print;

mod action_list;
mod actions;
mod args;
mod bench;
mod build;
mod cast;
mod choose;
mod clips;
mod completions;
mod config;
mod convert;
mod corpus;
mod course;
mod database;
mod demo;
mod doctor;
mod eval;
mod expected;
mod files;
mod film;
mod gait;
mod inspect;
mod interrupt;
mod kept;
mod kind;
mod machine;
mod networks;
mod new;
mod output;
mod progress;
mod replay;
mod report;
mod retarget;
mod robot;
mod run;
mod search;
mod simulate;
mod stances;

use args::{Cli, Command};
use files::Files;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::read();
    print::set_quiet(cli.quiet, cli.common.json);
    interrupt::install();
    match check_files(&cli).and_then(|()| run(&cli)) {
        Ok(code) => code,
        Err(error) => {
            print::message(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Checks all files of a command, before any work.
fn check_files(cli: &Cli) -> anyhow::Result<()> {
    expected::check(cli)?;
    Files::of(cli)?.check()
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let done = match &cli.command {
        None => demo::demo(&cli.common),
        // Its exit code depends on the findings.
        Some(Command::Doctor(args)) => return doctor::doctor(args, &cli.common),
        Some(Command::Build(args)) => build::build(args, &cli.common),
        Some(Command::Corpus(args)) => corpus::corpus(args, &cli.common),
        Some(Command::Retarget(args)) => retarget::retarget(args, &cli.common),
        Some(Command::Robot(args)) => robot::robot(args, &cli.common),
        Some(Command::Convert(args)) => convert::convert(args, &cli.common),
        Some(Command::Config(_)) => {
            config::config();
            Ok(())
        }
        Some(Command::Inspect(args)) => inspect::inspect(args, &cli.common),
        Some(Command::Film(args)) => film::film(args, &cli.common),
        Some(Command::Report(args)) => report::report(args, &cli.common),
        Some(Command::Simulate(args)) => simulate::simulate(args, &cli.common),
        Some(Command::Replay(args)) => replay::replay(args, &cli.common),
        Some(Command::Gait(args)) => gait::gait(args, &cli.common),
        Some(Command::New(args)) => new::new(args, &cli.common),
        Some(Command::Search(args)) => search::search(args, &cli.common),
        Some(Command::Bench(args)) => bench::bench(args, &cli.common),
        Some(Command::Eval(args)) => eval::eval(args, &cli.common),
        Some(Command::Completions(args)) => completions::completions(args),
    };
    done.map(|()| ExitCode::SUCCESS)
}
