//! Reference data for the test of the web page: prints the hash of a scripted minute, and writes a database, a recording of it
//! and clips into a folder. See `docs/web/test`.

use footwork::build::{BuildConfig, BuildOptions, build};
use footwork_panels::{Driver, Hands, Session, Tuning};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("expected a folder")?);
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions { routes: false, ..Default::default() });
    for clip in &clips[..3] {
        footwork_import::write_clip(&folder.join(format!("{}.bvh", clip.name)), clip, &Default::default())?;
    }
    let (database, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default())?;
    database.save(&folder.join("small.fwdb"))?;
    let mut session = Session::new("small", Arc::new(database), Tuning::default())?;
    session.set_driver(Driver::Random);
    for _ in 0..600 {
        session.advance(1.0 / 60.0, &Hands::default(), 0.0);
    }
    session.trace().save(&folder.join("run.fwtrace"))?;
    println!("{}", footwork_studio::minute()?);
    Ok(())
}
