//! Makes the names of clips unique by the names of their folders.

use crate::note::Note;
use footwork::clip::RawClip;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Renames clips that have one name in different folders to `folder.name`, with as many folders as make the names differ.
pub(crate) fn tell_apart(clips: &mut [RawClip]) -> Vec<Note> {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, c) in clips.iter().enumerate() {
        by_name.entry(c.name.clone()).or_default().push(i);
    }
    let mut notes = Vec::new();
    for (name, same) in by_name.into_iter().filter(|(_, same)| same.len() > 1) {
        let folders: Vec<Vec<String>> = same.iter().map(|i| folders(&clips[*i])).collect();
        let most = folders.iter().map(Vec::len).max().unwrap_or(0);
        let named = |levels: usize| -> Vec<String> {
            let own =
                |f: &Vec<String>| [&f[f.len() - levels.min(f.len())..], std::slice::from_ref(&name)].concat().join(".");
            folders.iter().map(own).collect()
        };
        let apart = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        // Two files of one name in one folder are a mistake: `finish` returns an error.
        let Some(names) = (1..=most).map(named).find(apart) else { continue };
        for (i, own) in same.into_iter().zip(names).filter(|(_, own)| *own != name) {
            let text = format!("`{name}` is in several folders: this one is called `{own}`");
            notes.push(Note { about: clips[i].source.clone(), text });
            clips[i].name = own;
        }
    }
    notes
}

/// Returns the names of the folders above a clip's file, the outermost first.
fn folders(clip: &RawClip) -> Vec<String> {
    let folder = Path::new(&clip.source).parent();
    let parts = folder.into_iter().flat_map(Path::components);
    let normal = parts.filter(|c| matches!(c, Component::Normal(_)));
    normal.map(|c| c.as_os_str().to_string_lossy().into_owned()).collect()
}
