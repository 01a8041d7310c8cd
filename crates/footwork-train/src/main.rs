//! The `footwork-train` command: trains the networks of learned motion matching.

mod args;

use anyhow::Context;
use args::{Args, TrainFlags};
use clap::Parser;
use footwork::database::Database;
use footwork_train::phase::Tick;
use footwork_train::train::{Trained, train};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::process::ExitCode;
use std::time::Instant;

/// Tensors come and go by the thousand: this allocator makes a step a tenth faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let start = Instant::now();
    let args = Args::parse();
    match run(&args.train, start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("footwork-train: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &TrainFlags, start: Instant) -> anyhow::Result<()> {
    let settings = flags.settings();
    let device = flags.device.kind().open()?;
    let db = Database::load(&flags.db)?;
    let bar = bar(flags.quiet || flags.json);
    let mut observer = |tick: Tick| {
        if tick.steps.is_multiple_of(20) {
            bar.set_message(format!("{:>11} loss {:.4}", tick.phase.name(), tick.loss));
            bar.set_position((f64::from(tick.progress) * 1000.0) as u64);
        }
    };
    let trained = train(&db, &settings, device, start, &mut observer)?;
    bar.finish_and_clear();
    trained.networks.save(&flags.output).with_context(|| format!("{}", flags.output.display()))?;
    print(flags, &trained, start)
}

fn bar(hidden: bool) -> ProgressBar {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
    let bar = ProgressBar::with_draw_target(Some(1000), target);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}%");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn print(flags: &TrainFlags, trained: &Trained, start: Instant) -> anyhow::Result<()> {
    let (networks, quality) = (&trained.networks, &trained.quality);
    if flags.json {
        let object = serde_json::json!({
            "frames": trained.frames,
            "motion_s": trained.motion_s,
            "seconds": start.elapsed().as_secs_f64(),
            "bytes": networks.bytes(),
            "calibration": networks.calibration,
            "quality": quality,
            "phases": trained.phases,
        });
        println!("{object:#}");
        return Ok(());
    }
    if flags.quiet {
        return Ok(());
    }
    println!(
        "{}: {:.2} MB, trained on {} frames",
        flags.output.display(),
        networks.bytes() as f64 / 1e6,
        trained.frames
    );
    for phase in &trained.phases {
        let rate = phase.steps as f64 / phase.seconds.max(1e-9);
        println!(
            "  {:<11} {:>7} steps in {:>5.0} s ({rate:.0}/s), loss {:.4}",
            phase.phase.name(),
            phase.steps,
            phase.seconds,
            phase.last_loss()
        );
        let last = phase.losses.last().into_iter().flatten().zip(&phase.parts);
        let parts: Vec<String> = last.map(|(loss, name)| format!("{name} {loss:.4}")).collect();
        println!("              {}", parts.join(", "));
    }
    let (all, feet) = (&quality.reconstruction, &quality.contact_joints);
    println!("  poses: mean {:.2} cm, p99 {:.2} cm, max {:.1} cm", all.mean_cm, all.p99_cm, all.max_cm);
    println!("  contact joints: mean {:.2} cm, p99 {:.2} cm, max {:.1} cm", feet.mean_cm, feet.p99_cm, feet.max_cm);
    let [planted, recorded] = quality.planted_cm_s;
    println!("  planted feet: {planted:.1} cm/s, in the data {recorded:.1}");
    println!("  contacts: {:.1} % right", 100.0 * quality.contacts_right);
    let steps: Vec<String> = quality.stepper_cm.iter().map(|(n, cm)| format!("{cm:.2} cm after {n} frames")).collect();
    println!("  stepper: {}", steps.join(", "));
    println!(
        "  projector: distance {:.3} times that of the search, {:.2} cm",
        quality.projector_cost_ratio, quality.projector_cm
    );
    let c = &networks.calibration;
    println!("  calibration: transition {:.2}, trusted {:.2}", c.transition_distance, c.trusted_distance);
    println!(
        "  {:.0} s in all; next: footwork simulate --net {}",
        start.elapsed().as_secs_f64(),
        flags.output.display()
    );
    Ok(())
}
