//! Writing the results of a run: motion and pictures.

use crate::args::MotionFiles;
use crate::interrupt::guarded;
use crate::run::Driven;
use anyhow::{Context, Result};
use footwork::advanced::files::write_atomically;
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork_draw::path_plot::{self, PathPlot};
use footwork_import::bvh::WriteOptions;
use footwork_import::glb::{self, GlbOptions};
use footwork_import::write_clip;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes the requested files. `title`: that of the picture of the paths.
pub fn motion(files: &MotionFiles, title: &str, db: &Database, driven: &Driven) -> Result<()> {
    if let Some(path) = &files.bvh {
        bvh(path, db, driven)?;
    }
    if let Some(path) = &files.glb {
        glb(path, db, driven)?;
    }
    if let Some(path) = &files.svg {
        svg(path, title, driven)?;
    }
    Ok(())
}

/// Writes the motion as BVH.
fn bvh(path: &Path, db: &Database, driven: &Driven) -> Result<()> {
    let clip = driven.clip(db, &stem(path));
    Ok(guarded(path, || write_clip(path, &clip, &WriteOptions::default()))?)
}

/// Writes the motion on a mannequin, as binary glTF.
fn glb(path: &Path, db: &Database, driven: &Driven) -> Result<()> {
    clip_glb(path, &driven.clip(db, &stem(path)))
}

/// Writes a clip on a mannequin, as binary glTF.
pub fn clip_glb(path: &Path, clip: &RawClip) -> Result<()> {
    file(path, |f| glb::write_clip(clip, &GlbOptions::default(), f).map_err(io::Error::other))
}

/// Writes the commanded and the walked path from above.
fn svg(path: &Path, title: &str, driven: &Driven) -> Result<()> {
    let drawing = path_plot::svg(&PathPlot {
        title,
        commanded: &driven.commanded,
        walked: &driven.walked,
        transitions: &driven.transitions,
        sections: &driven.parts,
        rate_hz: 1.0 / driven.summary.dt_s,
    });
    file(path, |f| f.write_all(drawing.as_bytes()))
}

/// Writes a text.
pub fn text(path: &Path, content: &str) -> Result<()> {
    file(path, |f| f.write_all(content.as_bytes()))
}

/// Writes bytes.
pub fn bytes(path: &Path, content: &[u8]) -> Result<()> {
    file(path, |f| f.write_all(content))
}

fn file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    guarded(path, || write_atomically(path, write)).with_context(|| format!("cannot write {}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "run".to_owned(), |s| s.to_string_lossy().into_owned())
}

/// Returns a path in a folder for each clip. Characters that file systems reject are replaced, and paths differ even if case is
/// ignored. Valid names are unchanged; other names, and later ones of repeated names, get a number.
pub fn clip_files<'a>(folder: &Path, names: impl IntoIterator<Item = &'a str>, extension: &str) -> Vec<PathBuf> {
    let names: Vec<(&str, String)> = names.into_iter().map(|n| (n, file_name(n))).collect();
    let mut taken = BTreeSet::new();
    let fits: Vec<bool> = names.iter().map(|(n, safe)| n == safe && taken.insert(safe.to_lowercase())).collect();
    let free = |((_, safe), fits): (&(&str, String), bool)| {
        let numbered = (2..).map(|k| format!("{safe}_{k}"));
        let mut tries = std::iter::once(safe.clone()).chain(numbered);
        let name = tries.find(|name| fits || taken.insert(name.to_lowercase())).unwrap_or_default();
        folder.join(format!("{name}.{extension}"))
    };
    names.iter().zip(fits).map(free).collect()
}

/// Returns a name that is valid in any file system, without extension.
fn file_name(name: &str) -> String {
    /// Leaves room for an extension within 255 bytes.
    const LONGEST: usize = 200;
    let refused = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let mut safe: String = name.chars().map(|c| if refused(c) { '_' } else { c }).collect();
    while safe.len() > LONGEST {
        safe.pop();
    }
    // Such names are hidden, or stand for a folder; some systems drop dots and spaces at the end.
    if safe.is_empty() || safe.starts_with(['.', ' ']) {
        safe.insert(0, '_');
    }
    while safe.ends_with(['.', ' ']) {
        safe.pop();
    }
    let device = safe.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = |d: &str| device.strip_prefix(d).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit());
    if ["CON", "PRN", "AUX", "NUL"].contains(&device.as_str()) || numbered("COM") || numbered("LPT") {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_get_files_of_their_own_in_the_folder() {
        let files = |names: &[&str]| -> Vec<String> {
            let paths = clip_files(Path::new("out"), names.iter().copied(), "bvh");
            assert!(paths.iter().all(|p| p.parent() == Some(Path::new("out"))), "{paths:?}");
            paths
                .iter()
                .map(|p| p.file_name().unwrap().to_str().unwrap().strip_suffix(".bvh").unwrap().into())
                .collect()
        };
        assert_eq!(files(&["walk", "locomotions.jog", "Läufer 1"]), ["walk", "locomotions.jog", "Läufer 1"]);
        assert_eq!(files(&["Armature|mixamo.com|Layer0", "a\\b:c"]), ["Armature_mixamo.com_Layer0", "a_b_c"]);
        assert_eq!(files(&["..", ".", "", "/etc/x", "../up", "x. "]), ["_", "__2", "__3", "_etc_x", "_.._up", "x"]);
        // Valid names are unchanged.
        assert_eq!(files(&["a/b", "a_b", "A_B", "a|b", "a_b_2"]), ["a_b_3", "a_b", "A_B_4", "a_b_5", "a_b_2"]);
        assert_eq!(files(&["nul", "com1.x", "common"]), ["_nul", "_com1.x", "common"]);
        assert_eq!(files(&["ä".repeat(300).as_str()])[0].len(), 200);
    }
}
