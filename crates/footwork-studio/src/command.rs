//! The command: the studio in a window.

use clap::Parser;
use footwork_studio::{App, Files, Start};
use std::path::PathBuf;
use std::process::ExitCode;

/// Drive a motion matched character, rewind it, ask why, tune it
#[derive(Debug, Parser)]
#[command(
    name = "footwork-studio",
    version,
    after_help = "Examples:\n  footwork-studio\n  footwork-studio hero.fwdb --config hero.toml\n  footwork-studio mocap/"
)]
struct Words {
    /// Database, recording, motion files or a folder of them. Default: the built-in data
    paths: Vec<PathBuf>,
    /// File with settings (TOML), where they are also saved. Default: footwork.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub fn run() -> ExitCode {
    let words = Words::parse();
    let start = Start { files: Files::Disk(words.paths), config: words.config };
    let viewport = egui::ViewportBuilder::default()
        .with_title("footwork studio")
        .with_app_id("footwork-studio")
        .with_inner_size([1280.0, 720.0])
        .with_min_inner_size([800.0, 500.0]);
    let options = eframe::NativeOptions { viewport, multisampling: 0, ..Default::default() };
    let made = eframe::run_native(
        "footwork-studio",
        options,
        Box::new(move |context| Ok(Box::new(App::new(&start, context.storage)))),
    );
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("footwork-studio: no window: {e}");
            ExitCode::FAILURE
        }
    }
}
