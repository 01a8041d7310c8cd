//! The shortest way from clips to a moving character: build the database, push the stick, read poses.

use footwork::prelude::*;
use glam::Vec3;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clips = footwork_gait::clips(&Default::default());
    let (database, report) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    println!(
        "{} clips, {:.0} s, {} rows of {} features",
        report.clips.len(),
        report.seconds,
        report.rows,
        report.columns
    );

    let mut character = MotionMatcher::new(Arc::new(database), MatcherConfig::default())?;
    let walk_left = MotionInput::stick(Stick::towards(Vec3::new(0.6, 0.0, 0.8), Gait::Walk));
    for frame in 0..120 {
        let pose = character.update(&walk_left, 1.0 / 60.0)?;
        if frame % 30 == 29 {
            println!("{:.1} s: at {:.2}", (frame + 1) as f32 / 60.0, pose.world_from_root().translation);
        }
    }
    println!(
        "{} searches, {} transitions",
        character.state().header.choice.searches,
        character.state().header.transition.count
    );
    Ok(())
}
