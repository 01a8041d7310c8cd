//! Shared code of the training tests: a small database and small settings.
#![allow(dead_code, reason = "no test uses everything")]

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork_gait::GaitOptions;
use footwork_train::error::TrainError;
use footwork_train::phase::Tick;
use footwork_train::train::{Budget, DeviceKind, TrainJob, TrainSettings, Trained};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A few clips of the built-in walk.
pub fn gait() -> &'static Arc<Database> {
    static DB: OnceLock<Arc<Database>> = OnceLock::new();
    DB.get_or_init(|| {
        let wanted = ["idle", "walk_130_loop", "walk_175_loop", "run_250_loop"];
        let all = footwork_gait::clips(&GaitOptions { routes: false, ..GaitOptions::default() });
        let clips: Vec<_> = all.into_iter().filter(|clip| wanted.contains(&clip.name.as_str())).collect();
        assert_eq!(clips.len(), wanted.len());
        Arc::new(build(&clips, &BuildConfig::default(), &BuildOptions::default()).unwrap().0)
    })
}

/// Small networks, trained for a number of steps per phase.
pub fn settings(steps: [u64; 3]) -> TrainSettings {
    TrainSettings {
        latents: 8,
        hidden: 64,
        compressor_hidden: 64,
        projector_hidden: 64,
        batch: [16, 8, 16],
        budget: Budget::Steps(steps),
        ..TrainSettings::default()
    }
}

/// Trains; `then` is called after each step and may set the flag that stops it.
pub fn train_with(
    settings: &TrainSettings,
    checkpoint: Option<&Path>,
    resume: bool,
    then: &mut dyn FnMut(Tick, &AtomicBool),
) -> Result<Trained, TrainError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    let mut observer = |tick: Tick| then(tick, &flag);
    let job = TrainJob {
        db: gait(),
        settings,
        device: DeviceKind::Cpu.open()?,
        start: Instant::now(),
        checkpoint: checkpoint.map(Path::to_owned),
        resume,
        interrupted,
        observer: &mut observer,
    };
    job.run()
}

/// Trains, and stops after a number of steps of all phases together.
pub fn train(
    settings: &TrainSettings,
    checkpoint: Option<&Path>,
    resume: bool,
    stop_after: u64,
) -> Result<Trained, TrainError> {
    let mut steps = 0;
    let mut then = |_: Tick, interrupted: &AtomicBool| {
        steps += 1;
        interrupted.store(steps == stop_after, Ordering::Relaxed);
    };
    train_with(settings, checkpoint, resume, &mut then)
}

/// Trains without an interruption.
pub fn train_through(settings: &TrainSettings) -> Trained {
    train(settings, None, false, u64::MAX).unwrap()
}
