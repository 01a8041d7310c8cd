//! The command: the studio in a window.

use clap::Parser;
use footwork_stream::{ADDRESS, Listen, Listener};
use footwork_studio::{App, Files, Start};
use std::path::PathBuf;
use std::process::ExitCode;

/// Drive a motion matched character, rewind it, ask why, tune it
#[derive(Debug, Parser)]
#[command(
    name = "footwork-studio",
    version,
    after_help = "Examples:\n  footwork-studio\n  footwork-studio hero.fwdb --config hero.toml\n  footwork-studio hero.fwdb run.fwtrace\n  footwork-studio mocap/\n  footwork-studio hero.fwdb --listen"
)]
struct Words {
    /// Databases, recordings, state machines, networks, motion files or folders of them, in any order. Default: the built-in data
    paths: Vec<PathBuf>,
    /// File with settings (TOML), where they are also saved. Default: footwork.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Listen for running games, and show their characters. ADDR: HOST:PORT. Default: 127.0.0.1:7475, this machine only
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true, default_missing_value = ADDRESS)]
    listen: Option<String>,
    /// Accept other machines, with --listen=HOST:PORT. Nothing is encrypted
    #[arg(long, requires = "listen")]
    listen_to_network: bool,
    /// Accept web pages of this origin, such as http://localhost:8000. Repeatable. Default: none
    #[arg(long, value_name = "ORIGIN", requires = "listen")]
    allow_origin: Vec<String>,
}

impl Words {
    fn listener(&self) -> Result<Option<Listener>, footwork_stream::ListenError> {
        let Some(address) = self.listen.clone() else { return Ok(None) };
        Listener::new(&Listen { address, remote: self.listen_to_network, origins: self.allow_origin.clone() }).map(Some)
    }
}

pub fn run() -> ExitCode {
    let words = Words::parse();
    let listener = match words.listener() {
        Ok(listener) => listener,
        Err(e) => {
            eprintln!("footwork-studio: {e}");
            return ExitCode::FAILURE;
        }
    };
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
        Box::new(move |context| {
            let mut app = App::new(&start, context.storage);
            if let Some(listener) = listener {
                app.listen(listener);
            }
            Ok(Box::new(app))
        }),
    );
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("footwork-studio: no window: {e}");
            ExitCode::FAILURE
        }
    }
}
