//! Output of the commands.

use crate::args::TrainFlags;
use footwork::advanced::learned::{Network, Precision};
use footwork_train::train::Trained;
use std::path::PathBuf;

/// Prints the report of a training.
pub fn trained(flags: &TrainFlags, trained: &Trained, seconds: f64) {
    let (networks, quality, output) = (&trained.networks, &trained.quality, flags.files().1);
    if flags.json {
        let object = serde_json::json!({
            "output": output,
            "frames": trained.frames,
            "motion_s": trained.motion_s,
            "seconds": seconds,
            "bytes": networks.bytes(),
            "calibration": networks.calibration,
            "quality": quality,
            "phases": trained.phases,
        });
        println!("{object:#}");
        return;
    }
    if flags.quiet {
        return;
    }
    println!("{}: {:.2} MB, trained on {} frames", output.display(), networks.bytes() as f64 / 1e6, trained.frames);
    for phase in &trained.phases {
        println!(
            "  {:<11} {:>7} steps in {:>5.0} s ({:.0}/s), loss {:.4}{}",
            phase.phase.name(),
            phase.steps,
            phase.seconds,
            phase.steps as f64 / phase.seconds.max(1e-9),
            phase.last_loss(),
            if phase.stopped_early { ", stopped early: it no longer improved" } else { "" }
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
    let (ratio, cm) = (quality.projector_cost_ratio, quality.projector_cm);
    println!("  projector: distance {ratio:.3} times that of the search, {cm:.2} cm");
    let c = &networks.calibration;
    println!("  calibration: transition {:.2}, trusted {:.2}", c.transition_distance, c.trusted_distance);
    println!("  {seconds:.0} s in all; next: footwork simulate --learned {}", output.display());
}

/// Prints the files of an export.
pub fn exported(written: &[(PathBuf, usize)], json: bool) {
    if json {
        let files: Vec<_> = written.iter().map(|(path, n)| serde_json::json!({ "path": path, "bytes": n })).collect();
        println!("{:#}", serde_json::json!({ "files": files }));
        return;
    }
    for (path, bytes) in written {
        println!("{}: {:.2} MB", path.display(), *bytes as f64 / 1e6);
    }
}

/// Prints the sizes of imported networks.
pub fn imported(networks: &[(&str, Network)], json: bool) {
    let sizes = |n: &Network| -> Vec<usize> {
        std::iter::once(n.inputs()).chain(n.layers.iter().map(footwork::advanced::learned::Layer::outputs)).collect()
    };
    let bytes = |n: &Network| Precision::ALL.map(|p| n.with_precision(p).bytes());
    let parameters: usize = networks.iter().map(|(_, n)| n.parameters()).sum();
    let mut total = [0; 3];
    for (_, network) in networks {
        total.iter_mut().zip(bytes(network)).for_each(|(sum, b)| *sum += b);
    }
    let by_precision = |bytes: [usize; 3]| -> serde_json::Map<String, serde_json::Value> {
        Precision::ALL.iter().zip(bytes).map(|(p, b)| (p.name().to_owned(), b.into())).collect()
    };
    if json {
        let all: Vec<_> = networks
            .iter()
            .map(|(name, n)| {
                let bytes = by_precision(bytes(n));
                serde_json::json!({ "name": name, "sizes": sizes(n), "parameters": n.parameters(), "bytes": bytes })
            })
            .collect();
        let object = serde_json::json!({ "networks": all, "parameters": parameters, "bytes": by_precision(total) });
        println!("{object:#}");
        return;
    }
    let line = |name: &str, sizes: String, parameters: usize, bytes: [usize; 3]| {
        let [f32, f16, int8] = bytes.map(|b| b as f64 / 1e6);
        println!(
            "{name:<13}{sizes:<28}{parameters:>9} parameters  f32 {f32:.2} MB  f16 {f16:.2} MB  int8 {int8:.2} MB"
        );
    };
    for (name, network) in networks {
        let sizes: Vec<String> = sizes(network).iter().map(ToString::to_string).collect();
        line(name, sizes.join("-"), network.parameters(), bytes(network));
    }
    line("together", String::new(), parameters, total);
}
