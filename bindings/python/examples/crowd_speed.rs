//! Times steps of a crowd in Rust, as `crowd_speed.py` beside it does in Python: `cargo run --release --example crowd_speed`.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::{Gait, MotionInput, Stick};
use footwork::matcher::{Character, MatcherConfig, step};
use footwork::math::{Facing, Transform};
use footwork_gait::GaitOptions;
use std::sync::Arc;
use std::time::Instant;

const SECONDS: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(1000), |n| n.parse())?;
    let clips = footwork_gait::clips(&GaitOptions::BUILT_IN);
    let (db, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    let character = Character::new(Arc::new(db), MatcherConfig::default())?;
    let mut states = (0..n).map(|_| character.state_at(Transform::IDENTITY)).collect::<Result<Vec<_>, _>>()?;
    let (mut scratch, mut outputs) = (character.scratch(), vec![character.output(); n]);
    let (mut inputs, mut seconds) = (vec![MotionInput::default(); n], 0.0);
    for k in 0..SECONDS * 60 {
        if k % 60 == 0 {
            for (i, input) in inputs.iter_mut().enumerate() {
                let yaw_rad = (i * (1 + k / 60)) as f32;
                *input = MotionInput::stick(Stick::towards(Facing::from_yaw(yaw_rad).direction(), Gait::Walk));
            }
        }
        let start = Instant::now();
        step(&character, &inputs, 1.0 / 60.0, &mut states, &mut scratch, &mut outputs)?;
        seconds += start.elapsed().as_secs_f64();
    }
    let mean_ms = 1e3 * seconds / (SECONDS * 60) as f64;
    println!("{n} characters, Rust: {mean_ms:.2} ms per step, {:.2} us per character", 1e3 * mean_ms / n as f64);
    Ok(())
}
