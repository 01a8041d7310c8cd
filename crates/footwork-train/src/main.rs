//! The `footwork-train` command: trains the networks of learned motion matching.

mod args;
mod bar;
mod compare;
mod print;

use anyhow::Context;
use args::{Command, ExportFlags, ImportFlags, TrainFlags, Words};
use bar::bar;
use clap::Parser;
use footwork::advanced::files::{read_at_most, write_atomically};
use footwork::database::Database;
use footwork::learned::Networks;
use footwork_train::checkpoint::Checkpoint;
use footwork_train::error::TrainError;
use footwork_train::phase::{Phase, Tick};
use footwork_train::reference::read_reference;
use footwork_train::train::{TrainJob, TrainSettings};
use footwork_train::{onnx, svg};
use indicatif::ProgressBar;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Training allocates thousands of tensors: this allocator makes a step a tenth faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;
/// Maximum size of a file of the reference implementation, bytes.
const LARGEST_REFERENCE: u64 = 1 << 30;

fn main() -> ExitCode {
    let start = Instant::now();
    let words = Words::parse();
    let done = match &words.command {
        Some(Command::Export(flags)) => export(flags),
        Some(Command::Import(flags)) => import(flags),
        Some(Command::Baselines(flags)) => compare::baselines(flags),
        None => train(&words.train, start),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("footwork-train: {error:#}");
            let interrupted = matches!(error.downcast_ref(), Some(TrainError::Interrupted { .. }));
            if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
        }
    }
}

fn train(flags: &TrainFlags, start: Instant) -> anyhow::Result<()> {
    let (db, output) = flags.files();
    let decompressor_of = flags.decompressor_of.as_deref().map(Networks::load).transpose()?.map(Arc::new);
    let settings = TrainSettings { decompressor_of, ..flags.settings() };
    let device = flags.device.kind().open()?;
    let db = Database::load(&db)?;
    let checkpoint = Checkpoint::path_of(&output);
    let bar = bar(flags.quiet || flags.json);
    let mut observer = |tick: Tick| show(&bar, tick);
    let job = TrainJob {
        db: &db,
        settings: &settings,
        device,
        start,
        checkpoint: Some(checkpoint.clone()),
        resume: flags.resume,
        interrupted: interruption(),
        observer: &mut observer,
    };
    let trained = job.run();
    bar.finish_and_clear();
    let trained = trained?;
    trained.networks.save(&output)?;
    let curves = output.with_extension("svg");
    let svg = svg::loss_curves(&trained.phases);
    write_atomically(&curves, |f| f.write_all(svg.as_bytes())).with_context(|| format!("{}", curves.display()))?;
    // The output is complete: failure to remove the checkpoint does no harm.
    let _ = std::fs::remove_file(&checkpoint);
    print::trained(flags, &trained, start.elapsed().as_secs_f64());
    Ok(())
}

/// Returns a flag that is true after Ctrl-C. A second Ctrl-C ends the program at once.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    // If this fails, Ctrl-C has its default effect.
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
    flag
}

fn show(bar: &ProgressBar, tick: Tick) {
    if tick.steps.is_multiple_of(20) {
        let (phases, left) = (Phase::ALL.len(), tick.left_s.ceil() as u64);
        let (name, number) = (tick.phase.name(), tick.phase as usize + 1);
        let left = format!("{}:{:02} left", left / 60, left % 60);
        bar.set_message(format!("{number}/{phases} {name:<11} loss {:.4} {left}", tick.loss));
        bar.set_position((f64::from(tick.progress) * 1000.0) as u64);
    }
}

fn export(flags: &ExportFlags) -> anyhow::Result<()> {
    let networks = Networks::load(&flags.net)?;
    let written = onnx::export(&networks, &flags.output).with_context(|| format!("{}", flags.output.display()))?;
    print::exported(&written, flags.json);
    Ok(())
}

fn import(flags: &ImportFlags) -> anyhow::Result<()> {
    let mut networks = Vec::new();
    for name in ["decompressor", "stepper", "projector"] {
        let path = flags.folder.join(format!("{name}.bin"));
        let bytes =
            read_at_most(&path, LARGEST_REFERENCE).with_context(|| format!("{}: cannot read", path.display()))?;
        networks.push((name, read_reference(&bytes).with_context(|| format!("{}", path.display()))?));
    }
    print::imported(&networks, flags.json);
    Ok(())
}
