//! Pictures of the examples, drawn without a screen: each shows a lit figure on the ground. They are kept for review in
//! `target/bevy/*.png`.
//!
//! Needs `xvfb-run` and a Vulkan driver. Without them the test prints a message, or fails if `CI` is set.

use std::path::{Path, PathBuf};
use std::process::Command;
use tiny_skia::Pixmap;

/// Returns the folder of final artefacts, which includes the examples.
fn target() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), |target| workspace.join(target))
}

/// Runs an example until it has saved its picture.
fn picture(example: &str, after_s: &str) -> Option<Pixmap> {
    if Command::new("xvfb-run").arg("--help").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "no xvfb-run");
        println!("no xvfb-run: no picture of `{example}`");
        return None;
    }
    let target = target();
    // The profile is the folder of the test: <profile>/deps/pictures-...
    let test = std::env::current_exe().unwrap();
    let profile = target.join(test.ancestors().nth(2).and_then(Path::file_name).unwrap());
    let folder = target.join("bevy");
    std::fs::create_dir_all(&folder).unwrap();
    let file: PathBuf = folder.join(format!("{example}.png"));
    let _ = std::fs::remove_file(&file);
    let mut run = Command::new("timeout");
    run.args(["300", "xvfb-run", "-a", "-s", "-screen 0 1600x900x24"]);
    run.arg(profile.join("examples").join(example)).arg("--picture").arg(&file).args(["--after", after_s]);
    let ran = run.env("XDG_RUNTIME_DIR", &folder).env("WGPU_BACKEND", "vulkan").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr) + String::from_utf8_lossy(&ran.stdout);
    assert!(file.exists(), "`{example}` has drawn nothing ({}):\n{said}", ran.status);
    Some(Pixmap::load_png(&file).unwrap())
}

/// Measurements of a picture: pixels of the mannequin's left (orange) and right side (blue), and the box around them, as shares
/// of width and height.
struct Figure {
    left: usize,
    right: usize,
    top: f32,
    bottom: f32,
    brightness: f32,
}

fn figure(picture: &Pixmap) -> Figure {
    figure_in(picture, [0.0, 1.0])
}

/// Returns the figure between two shares of the width.
fn figure_in(picture: &Pixmap, columns: [f32; 2]) -> Figure {
    let (whole, height) = (picture.width() as usize, picture.height() as usize);
    let [from, to] = columns.map(|share| (share * whole as f32) as usize);
    let width = to - from;
    let (mut left, mut right, mut rows, mut light) = (0, 0, vec![0usize; height], 0.0);
    let inside = picture.pixels().iter().enumerate().filter(|(i, _)| (from..to).contains(&(i % whole)));
    for (i, pixel) in inside {
        let [r, g, b] = [pixel.red(), pixel.green(), pixel.blue()].map(f32::from);
        light += (r + g + b) / 765.0;
        let (orange, blue) = (r > 1.6 * b + 20.0 && r > 1.25 * g, b > 1.6 * r + 20.0 && b > 1.25 * g);
        left += usize::from(orange);
        right += usize::from(blue);
        rows[i / whole] += usize::from(orange || blue);
    }
    let seen = |n: &usize| *n > 1;
    let top = rows.iter().position(seen).unwrap_or(0) as f32 / height as f32;
    let bottom = rows.iter().rposition(seen).unwrap_or(0) as f32 / height as f32;
    Figure { left, right, top, bottom, brightness: light / (width * height) as f32 }
}

/// Checks a picture for a figure. `whole`: the figure is completely visible, with ground below its feet.
fn shows_figures(example: &str, after_s: &str, whole: bool) {
    let Some(picture) = picture(example, after_s) else { return };
    let f = figure(&picture);
    let said = format!(
        "{example}: {} and {} pixels of the sides, from {:.2} to {:.2} of the height, brightness {:.2}",
        f.left, f.right, f.top, f.bottom, f.brightness
    );
    println!("{said}");
    assert!(f.left > 150 && f.right > 150, "no figure with two sides: {said}");
    assert!(f.bottom - f.top > 0.3 && (!whole || f.bottom < 0.98), "it does not stand in the picture: {said}");
    assert!((0.25..0.85).contains(&f.brightness), "dark or washed out: {said}");
}

#[test]
fn the_minimal_example_shows_a_walking_figure() {
    shows_figures("minimal", "1.5", true);
}

#[test]
fn strafing_shows_a_figure() {
    shows_figures("strafe", "1.5", true);
}

#[test]
fn stairs_show_a_figure() {
    shows_figures("stairs", "2", true);
}

#[test]
fn a_course_of_obstacles_shows_a_vault() {
    let Some(picture) = picture("obstacle_course", "2.5") else { return };
    let f = figure(&picture);
    println!("{} and {} pixels of the sides, from {:.2} to {:.2} of the height", f.left, f.right, f.top, f.bottom);
    assert!(f.left > 150 && f.right > 150 && (0.25..0.85).contains(&f.brightness), "no figure with two sides");
    // The feet of a standing figure are at 0.66 of the height.
    assert!(f.bottom < 0.6, "its feet are on the ground, at {:.2} of the height", f.bottom);
}

#[test]
fn the_panels_are_shown_beside_the_figure_of_the_game() {
    let Some(picture) = picture("panels", "4") else { return };
    let (game, panels) = (figure_in(&picture, [0.0, 0.25]), figure_in(&picture, [0.3, 0.98]));
    println!("{} and {} pixels of the sides, brightness {:.2}", game.left, game.right, game.brightness);
    assert!(game.left > 150 && game.right > 150 && game.bottom < 0.98, "no figure beside the panels");
    assert!((0.25..0.85).contains(&game.brightness), "dark or washed out: {:.2}", game.brightness);
    // egui is dark by default, and the bars of costs are coloured.
    assert!(panels.brightness < 0.3, "no panels: brightness {:.2}", panels.brightness);
    assert!(panels.left > 50 && panels.right > 50, "nothing in the panels: {} and {}", panels.left, panels.right);
}

#[test]
fn a_crowd_is_shown() {
    shows_figures("crowd", "0.8", false);
}
