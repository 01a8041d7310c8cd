//! A game without an engine: the built-in character walks and is streamed to the studio.
//!
//! `footwork-studio --listen`, then `cargo run --release -p footwork-stream --example streaming -- [SECONDS [ADDRESS]]`.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork::input::MotionInput;
use footwork::matcher::{Character, MatcherConfig, MotionMatcher};
use footwork::recorder::{Recorder, RecorderConfig};
use footwork_metrics::courses::RandomStick;
use footwork_stream::{ADDRESS, Stream};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DT_S: f32 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let seconds: f32 = words.next().map_or(Ok(60.0), |word| word.parse())?;
    let address = words.next().unwrap_or_else(|| ADDRESS.to_owned());

    // The studio builds the same data from the built-in motion.
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { terrain: true, ..Default::default() });
    let (database, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    let character = Arc::new(Character::new(Arc::new(database), MatcherConfig::default())?);
    let mut hero = MotionMatcher::of(character.clone(), Default::default())?;
    let mut recorder = Recorder::new(&character, RecorderConfig::default());
    let mut stream = Stream::new(&address, "example")?;

    let (start, mut stick) = (Instant::now(), RandomStick::new(7));
    for frame in 0..(seconds / DT_S) as u32 {
        let input = MotionInput::stick(stick.at(frame as f32 * DT_S));
        recorder.update(&mut hero, &input, DT_S)?;
        stream.send("hero", &recorder);
        std::thread::sleep(Duration::from_secs_f32(frame as f32 * DT_S).saturating_sub(start.elapsed()));
    }
    if stream.status().follows.is_some() {
        stream.flush("hero", &recorder, Duration::from_secs(2));
    }
    let status = stream.status();
    println!("{} updates, {} sent, {} left out", recorder.updates(), status.sent, status.lost);
    if let Some(problem) = status.problem {
        println!("{problem}");
    }
    Ok(())
}
