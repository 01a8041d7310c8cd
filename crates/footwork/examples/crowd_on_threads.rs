//! A thousand characters on two threads: the same bits as on one.

use footwork::matcher::step;
use footwork::prelude::*;
use glam::Vec3;
use std::error::Error;
use std::sync::Arc;

const CHARACTERS: usize = 1000;
const FRAMES: u32 = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let clips = footwork_gait::clips(&Default::default());
    let (database, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    let character = Character::new(Arc::new(database), MatcherConfig::default())?;
    let (one, two) = (ends(&character, 1)?, ends(&character, 2)?);
    let farthest = two.iter().map(|t| t.length()).fold(0.0, f32::max);
    println!("{CHARACTERS} characters, {FRAMES} frames; the farthest went {farthest:.2} m");
    println!("two threads and one: {}", if one == two { "the same bits" } else { "different" });
    if one == two { Ok(()) } else { Err("a number of threads changed the motion".into()) }
}

/// Where all characters are in the end.
fn ends(character: &Character, threads: usize) -> Result<Vec<Vec3>, Box<dyn Error>> {
    // What a game keeps of each character: its state, and what it shows.
    let mut states = vec![character.state_at(Transform::IDENTITY)?; CHARACTERS];
    let mut outputs = vec![character.output(); CHARACTERS];
    let mut scratches: Vec<_> = (0..threads).map(|_| character.scratch()).collect();
    for frame in 0..FRAMES {
        let inputs: Vec<MotionInput> = (0..CHARACTERS).map(|i| input(i, frame)).collect();
        let part = CHARACTERS.div_ceil(threads);
        std::thread::scope(|scope| {
            let parts = states.chunks_mut(part).zip(outputs.chunks_mut(part)).zip(inputs.chunks(part));
            let running: Vec<_> = parts
                .zip(&mut scratches)
                .map(|(((states, outputs), inputs), scratch)| {
                    scope.spawn(move || step(character, inputs, 1.0 / 60.0, states, scratch, outputs))
                })
                .collect();
            running.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
        })?;
    }
    Ok(outputs.iter().map(|o| o.pose.world_from_root().translation).collect())
}

/// Everybody goes another way.
fn input(character: usize, frame: u32) -> MotionInput<'static> {
    let facing = Facing::from_yaw(character as f32 * 0.37 + if frame < 30 { 0.0 } else { 1.0 });
    let gait = if character.is_multiple_of(3) { Gait::Run } else { Gait::Walk };
    MotionInput::stick(Stick::towards(facing.direction(), gait))
}
