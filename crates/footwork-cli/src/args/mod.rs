//! Command-line arguments, typed: the commands get plain values from here.
//!
//! Help texts are an imperative (commands) or a noun phrase (flags) of at most 72 characters; then unit, default and
//! interactions.

mod bench;
mod common;
mod corpus;
mod cues;
mod drive;
mod files;
mod film;
mod report;
mod robot;

pub use bench::{
    BenchArgs, BenchCodecArgs, BenchCommand, BenchCrowdArgs, BenchGrowthArgs, BenchSearchArgs, BenchUpdateArgs, SetKind,
};
pub use common::{BuiltIn, Common, SearchKind};
pub use corpus::{CorpusArgs, CorpusCommand, CorpusMergeArgs, CorpusPartArgs, CorpusSurveyArgs};
pub use drive::{
    EvalArgs, GaitArgs, GaitKind, InspectArgs, MotionFiles, NewArgs, ReplayArgs, SearchArgs, SimulateArgs,
};
pub use files::{BuildArgs, ConvertArgs, DoctorArgs, OutputFormat, RetargetArgs};
pub use film::{CameraKind, FilmArgs, ViewKind};
pub use report::ReportArgs;
pub use robot::{RobotArgs, RobotFormat};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use common::{DriveFlags, NoOutputFlags, OutputFlags};

/// Parsed command line.
#[derive(Debug)]
pub struct Cli {
    /// Command; none: the demo.
    pub command: Option<Command>,
    /// Values of the flags that several commands take.
    pub common: Common,
    /// Print only errors and the object of `--json`.
    pub quiet: bool,
}

/// Build, inspect, film and evaluate motion matching databases
///
/// Without a command, footwork runs the demo: it builds the built-in data, drives a character over a scripted course, and
/// writes index.html, a report to open in a browser, and the motion as files to footwork-demo/.
#[derive(Debug, Parser)]
#[command(
    name = "footwork",
    version,
    after_help = "Examples:\n  footwork\n  footwork gait -o mocap/\n  footwork build mocap/ -o mocap.fwdb\n  footwork simulate --db mocap.fwdb --course standard\n  footwork report --db mocap.fwdb -o report.html\n  footwork film --db mocap.fwdb --sheet -o sheet.png\n\nExit codes: 0 success, 1 invalid files or settings, 2 wrong usage, 130 interrupted; doctor also 3 (warnings) and 4 (errors)."
)]
struct Words {
    /// Command; without one, the demo.
    #[command(subcommand)]
    command: Option<Command>,
    /// Flags of the demo.
    #[command(flatten)]
    demo: DriveFlags,
    /// Flags of every command.
    #[command(flatten)]
    output: OutputFlags,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build a database from motion files
    Build(BuildArgs),
    /// Build from many files with several processes or machines
    Corpus(CorpusArgs),
    /// Transfer clips to another skeleton; planted feet stay planted
    Retarget(RetargetArgs),
    /// Transfer clips to the hinges of a humanoid robot, with limits
    Robot(RobotArgs),
    /// Convert motion files to BVH or glTF, or animate your own character
    Convert(ConvertArgs),
    /// Check motion files for faults, and fix them in copies
    Doctor(DoctorArgs),
    /// Print every setting as TOML, with default, unit, range and help
    Config(ConfigArgs),
    /// Print the contents of a database
    Inspect(InspectArgs),
    /// Draw motion as a film strip, or as a picture that plays
    Film(FilmArgs),
    /// Write a database and a run as one page that opens in any browser
    Report(ReportArgs),
    /// Drive a character over a course and measure how well it follows
    Simulate(SimulateArgs),
    /// Replay a recorded run, or try other settings from some point on
    Replay(ReplayArgs),
    /// List, measure or write the clips of the built-in character
    Gait(GaitArgs),
    /// Write the project of a game with a character in it
    New(NewArgs),
    /// Run one query and explain the result
    Search(SearchArgs),
    /// Measure search and update times on your own data
    Bench(BenchArgs),
    /// Measure the quality of motion: feet, transitions, root, response
    Eval(EvalArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

/// Flags of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  footwork completions bash > ~/.local/share/bash-completion/completions/footwork\n  footwork completions zsh > ~/.zfunc/_footwork\n  footwork completions fish > ~/.config/fish/completions/footwork.fish"
)]
pub struct CompletionsArgs {
    /// Shell to complete commands in
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
    /// `--json` and `--quiet`.
    #[command(flatten)]
    no_flags: NoOutputFlags,
}

/// Flags of `config`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  footwork config > hero.toml\n  footwork build mocap/ --config hero.toml -o hero.fwdb"
)]
pub struct ConfigArgs {
    /// `--json` and `--quiet`.
    #[command(flatten)]
    no_flags: NoOutputFlags,
}

impl Cli {
    /// The arguments of this process. Ends it with a message where they are not valid.
    pub fn read() -> Self {
        let words = Words::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
        // Flags of the demo before a command would be ignored silently.
        if words.command.is_some() && words.demo != DriveFlags::default() {
            let what = "a flag of the command stands before it: write `footwork COMMAND --flag`";
            command().error(ErrorKind::ArgumentConflict, what).exit();
        }
        let common = words.command.as_ref().map_or_else(|| Common::from(&words.demo), Command::common);
        let common = Common { json: words.output.json, ..common };
        Self { command: words.command, common, quiet: words.output.quiet }
    }
}

/// The commands. A negative number is a value, whose range is told with the error, and no flag.
fn command() -> clap::Command {
    fn numbers(command: clap::Command) -> clap::Command {
        command.allow_negative_numbers(true).mut_subcommands(numbers)
    }
    numbers(Words::command())
}

/// The completion script of a shell.
pub fn completions(shell: clap_complete::Shell, out: &mut impl std::io::Write) {
    clap_complete::generate(shell, &mut Words::command(), "footwork", out);
}

impl Command {
    fn common(&self) -> Common {
        match self {
            Self::Build(a) => Common { rate: a.rate.rate, ..Common::from(&a.config) },
            Self::Corpus(a) => match &a.phase {
                CorpusCommand::Survey(a) => Common { rate: a.rate.rate, ..Common::from(&a.config) },
                CorpusCommand::Extract(_) | CorpusCommand::Merge(_) | CorpusCommand::Part(_) => Common::default(),
            },
            Self::Retarget(a) => Common::from(&a.config),
            Self::Robot(a) => Common::from(&a.config),
            Self::Convert(a) => Common { rate: a.rate, ..Common::from(&a.config) },
            Self::Doctor(a) => Common { rate: a.rate.rate, ..Common::from(&a.config) },
            Self::Inspect(a) => Common::from(&a.database),
            Self::Film(a) => Common::from(&a.database).learned(a.learned.as_ref()),
            Self::Simulate(a) => Common::from(&a.drive).learned(a.learned.as_ref()),
            // Its configuration is for what comes after a fork.
            Self::Replay(a) => Common { seed: 1, ..Common::default() }.of_data(&a.db).learned(a.learned.as_ref()),
            Self::Report(a) => Common::from(&a.drive),
            Self::Gait(a) => Common::from(&a.config()).seeded(&a.seed),
            Self::New(a) => Common::from(&a.database),
            Self::Search(a) => Common::from(&a.matcher),
            Self::Bench(a) => match &a.what {
                BenchCommand::Codec(a) => Common::from(&a.config).of_data(&a.db),
                BenchCommand::Crowd(a) => {
                    let search = a.search.search;
                    Common { search, ..Common::from(&a.config) }
                        .of_data(&a.db)
                        .seeded(&a.seed)
                        .learned(a.learned.as_ref())
                }
                BenchCommand::Growth(a) => Common::from(&a.database).seeded(&a.seed),
                BenchCommand::Search(a) => Common::from(&a.database).seeded(&a.seed),
                BenchCommand::Update(a) => Common::from(&a.drive),
            },
            Self::Eval(a) => Common::from(&a.matcher),
            Self::Completions(_) | Self::Config(_) => Common::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a help text: its first sentence is short, and no text ends with a full stop.
    fn check(of: &str, text: Option<String>) {
        let text = text.unwrap_or_else(|| panic!("{of} has no help"));
        let first = text.split(". ").next().unwrap_or_default();
        assert!((5..=72).contains(&first.chars().count()), "{of}: {} characters: {first}", first.chars().count());
        assert!(!text.ends_with('.'), "{of}: {text}");
    }

    fn walk(command: &clap::Command, path: &str) {
        check(path, command.get_about().map(ToString::to_string));
        for arg in command.get_arguments().filter(|a| !a.is_hide_set()) {
            check(&format!("{path} {}", arg.get_id()), arg.get_help().map(ToString::to_string));
        }
        for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
            walk(sub, &format!("{path} {}", sub.get_name()));
        }
    }

    #[test]
    fn help_texts_follow_the_template() {
        let mut command = Words::command();
        command.build();
        walk(&command, "footwork");
    }

    /// Long names of the flags that the help of a command lists.
    fn flags(path: &[&str]) -> Vec<String> {
        let mut command = Words::command();
        command.build();
        let found = path.iter().fold(&command, |c, name| c.find_subcommand(name).unwrap());
        let visible = found.get_arguments().filter(|a| !a.is_hide_set());
        visible.filter_map(|a| a.get_long().map(str::to_owned)).collect()
    }

    #[test]
    fn commands_list_only_flags_that_they_use() {
        let shared = ["db", "config", "rate", "search", "seed", "json", "quiet"];
        let cases: [(&[&str], &[&str]); 21] = [
            (&[], &["db", "config", "rate", "search", "seed", "json", "quiet"]),
            (&["build"], &["config", "rate", "json", "quiet"]),
            (&["retarget"], &["config", "json", "quiet"]),
            (&["robot"], &["config", "rate", "json", "quiet"]),
            (&["convert"], &["config", "rate", "json", "quiet"]),
            (&["doctor"], &["config", "rate", "json", "quiet"]),
            (&["inspect"], &["db", "config", "rate", "json", "quiet"]),
            (&["film"], &["db", "config", "rate", "json", "quiet"]),
            (&["report"], &["db", "config", "rate", "search", "seed", "json", "quiet"]),
            (&["simulate"], &["db", "config", "rate", "search", "seed", "json", "quiet"]),
            (&["replay"], &["db", "config", "json", "quiet"]),
            (&["gait"], &["config", "seed", "json", "quiet"]),
            (&["new"], &["db", "config", "rate", "json", "quiet"]),
            (&["search"], &["db", "config", "rate", "search", "json", "quiet"]),
            (&["bench", "codec"], &["db", "config", "json", "quiet"]),
            (&["bench", "crowd"], &["db", "config", "rate", "search", "seed", "json", "quiet"]),
            (&["bench", "search"], &["db", "config", "rate", "seed", "json", "quiet"]),
            (&["bench", "update"], &["db", "config", "rate", "search", "seed", "json", "quiet"]),
            (&["eval"], &["db", "config", "rate", "search", "json", "quiet"]),
            (&["completions"], &[]),
            (&["config"], &[]),
        ];
        for (path, expected) in cases {
            let listed = flags(path);
            for flag in shared {
                let is_listed = listed.iter().any(|l| l == flag);
                assert_eq!(is_listed, expected.contains(&flag), "{path:?} --{flag}");
            }
        }
    }
}
