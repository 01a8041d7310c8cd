//! Measures idle motion: walks of 5 to 6 s, stopped in six phases, then 60 s without input, at 30, 60 and 144 Hz.
//!
//! ```sh
//! cargo run --release -p footwork-metrics --example rest               # the built-in data
//! cargo run --release -p footwork-metrics --example rest -- mocap.fwdb
//! ```
//!
//! Prints transitions per second after the first two seconds, and the ratio of the median update times of the slowest and the
//! fastest second.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::database::Database;
use footwork::matcher::{Character, MatcherConfig};
use footwork_gait::GaitOptions;
use footwork_metrics::rest::{PHASES, RATES_HZ, Rest, rest};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let database = match std::env::args().nth(1) {
        Some(file) => Database::load(Path::new(&file))?,
        None => {
            build(footwork_gait::clips(&GaitOptions::default()), &BuildConfig::default(), &BuildOptions::default())?.0
        }
    };
    let character = Arc::new(Character::new(Arc::new(database), MatcherConfig::default())?);
    println!("Hz   transitions/s: mean  most   slowest second / fastest");
    for rate_hz in RATES_HZ {
        let rests = (0..PHASES).map(|phase| rest(&character, phase, rate_hz)).collect::<Result<Vec<_>, _>>()?;
        let rates: Vec<f32> = rests.iter().map(Rest::transitions_per_s).collect();
        let mean = rates.iter().sum::<f32>() / PHASES as f32;
        let most = rates.iter().copied().fold(0.0, f32::max);
        let slowdown = rests.iter().map(Rest::slowdown).fold(0.0, f64::max);
        println!("{rate_hz:>3}                  {mean:.2}  {most:.2}   {slowdown:.2}");
    }
    Ok(())
}
