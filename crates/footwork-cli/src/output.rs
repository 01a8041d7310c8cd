//! Writing what a drive gave: motion for other programs, a picture for people.

use crate::interrupt::guarded;
use crate::path_svg::{self, PathPlot};
use crate::run::Driven;
use anyhow::{Context, Result};
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::files::write_atomically;
use footwork_import::bvh::WriteOptions;
use footwork_import::glb::{self, GlbOptions};
use footwork_import::write_clip;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The motion as BVH.
pub fn bvh(path: &Path, db: &Database, driven: &Driven) -> Result<()> {
    let clip = driven.clip(db, &stem(path));
    Ok(guarded(path, || write_clip(path, &clip, &WriteOptions::default()))?)
}

/// The motion on a mannequin, as glTF binary.
pub fn glb(path: &Path, db: &Database, driven: &Driven) -> Result<()> {
    clip_glb(path, &driven.clip(db, &stem(path)))
}

/// A clip on a mannequin, as glTF binary.
pub fn clip_glb(path: &Path, clip: &RawClip) -> Result<()> {
    file(path, |f| glb::write_clip(clip, &GlbOptions::default(), f).map_err(io::Error::other))
}

/// Commanded and walked path from above.
pub fn svg(path: &Path, title: &str, driven: &Driven) -> Result<()> {
    let drawing = path_svg::svg(&PathPlot {
        title,
        commanded: &driven.commanded,
        walked: &driven.walked,
        transitions: &driven.transitions,
        sections: &driven.parts,
        rate_hz: 1.0 / driven.summary.dt_s,
    });
    file(path, |f| f.write_all(drawing.as_bytes()))
}

/// Any text.
pub fn text(path: &Path, content: &str) -> Result<()> {
    file(path, |f| f.write_all(content.as_bytes()))
}

/// Any bytes.
pub fn bytes(path: &Path, content: &[u8]) -> Result<()> {
    file(path, |f| f.write_all(content))
}

fn file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    guarded(path, || write_atomically(path, write)).with_context(|| format!("cannot write {}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "run".to_owned(), |s| s.to_string_lossy().into_owned())
}
