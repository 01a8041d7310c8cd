//! Cache of parsed clips, in a form that is fast to read.
//!
//! The key of an entry is a hash of the file's bytes (not its name or time), its extension and the writing program. An entry
//! holds the unit that its clip was read with, and is only used for that unit. It ends with a hash of itself: a truncated,
//! damaged or foreign entry is ignored, and the source is read again. Deleting the folder at any time is safe.

use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use footwork::clip::{Annotations, RawClip};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

const MAGIC: [u8; 8] = *b"fwclip01";

/// A folder of parsed clips.
#[derive(Debug)]
pub struct ClipCache {
    folder: PathBuf,
    writer: String,
    used: Mutex<BTreeSet<String>>,
    hits: AtomicUsize,
}

/// A parsed clip, without its name.
pub(crate) struct Kept {
    /// Unit that it was read with, in metres.
    pub metres_per_unit: f32,
    /// Body length for guessing the unit, in file units; not finite if no unit can be guessed.
    pub body_length_units: f32,
    pub clip: RawClip,
}

impl ClipCache {
    /// Returns a cache in `folder`, which is created on the first write. `writer` identifies the program: entries of other
    /// programs, or of other builds of this one, are ignored.
    pub fn new(folder: PathBuf, writer: &str) -> Self {
        Self { folder, writer: writer.to_owned(), used: Mutex::default(), hits: AtomicUsize::new(0) }
    }

    /// Returns the number of clips taken from the cache so far.
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::Relaxed)
    }

    /// Returns the key of the entry for a file's bytes.
    pub(crate) fn key(&self, bytes: &[u8], extension: &str) -> String {
        let mut hash = Xxh3::new();
        hash.update(self.writer.as_bytes());
        hash.update(&[0]);
        hash.update(extension.as_bytes());
        hash.update(&[0]);
        hash.update(bytes);
        format!("{:032x}", hash.digest128())
    }

    /// Returns the entry, if there is a valid one.
    pub(crate) fn get(&self, key: &str) -> Option<Kept> {
        decode(key, &fs::read(self.folder.join(key)).ok()?)
    }

    /// Counts an entry that replaced reading its file.
    pub(crate) fn hit(&self, key: &str) {
        self.hits.fetch_add(1, Ordering::Relaxed);
        self.keep(key);
    }

    fn keep(&self, key: &str) {
        self.used.lock().unwrap_or_else(|e| e.into_inner()).insert(key.to_owned());
    }

    /// Writes an entry. A failure is ignored: the next build only takes longer.
    pub(crate) fn put(&self, key: &str, metres_per_unit: f32, body_length_units: f32, clip: &RawClip) {
        let plain = clip.annotations == Annotations::default() && !clip.looping;
        if !plain || fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        // Not synced: an entry that a crash leaves half-written does not end with its hash.
        let part = self.folder.join(format!(".{key}.{}.part", std::process::id()));
        let bytes = encode(key, metres_per_unit, body_length_units, clip);
        if fs::write(&part, bytes).is_ok() && fs::rename(&part, self.folder.join(key)).is_ok() {
            self.keep(key);
        } else {
            let _ = fs::remove_file(&part);
        }
    }

    /// Removes the entries that were not used since this cache was opened, so that the folder only holds those of the last
    /// build.
    pub fn forget_unused(&self) {
        let used = self.used.lock().unwrap_or_else(|e| e.into_inner());
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let ours = name.trim_start_matches('.').split('.').next().is_some_and(is_key);
            if ours && !used.contains(&name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn is_key(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the folder for cached data of an output: `FOOTWORK_CACHE`, or else the system's cache folder. Returns `None` if
/// there is none or `FOOTWORK_CACHE` is `off`. Each output has a folder of its own in it.
pub fn cache_folder(output: &Path) -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = match var("FOOTWORK_CACHE") {
        Some(off) if off.as_os_str() == "off" => return None,
        Some(given) => given,
        None => {
            let system = if cfg!(windows) {
                var("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                var("HOME").map(|h| h.join("Library/Caches"))
            } else {
                var("XDG_CACHE_HOME").or(var("HOME").map(|h| h.join(".cache")))
            };
            system?.join("footwork")
        }
    };
    let output = std::path::absolute(output).ok()?;
    Some(base.join(format!("{:016x}", xxh3_64(output.as_os_str().as_encoded_bytes()))))
}

fn encode(key: &str, metres_per_unit: f32, body_length_units: f32, clip: &RawClip) -> Vec<u8> {
    let skeleton = &clip.skeleton;
    let parents: Vec<Option<u32>> = skeleton.parents().iter().map(|p| p.map(|p| p.0)).collect();
    let names = serde_json::to_vec(&(skeleton.names(), parents)).unwrap_or_default();
    let numbers = [names.len() as u32, skeleton.len() as u32, clip.frames() as u32];
    let rest_translations: Vec<Vec3> = skeleton.rest().iter().map(|t| t.translation).collect();
    let rest_rotations: Vec<Quat> = skeleton.rest().iter().map(|t| t.rotation).collect();
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(cast_slice(&numbers));
    out.extend_from_slice(cast_slice(&[metres_per_unit, body_length_units, clip.rate_hz]));
    out.extend_from_slice(&names);
    out.extend_from_slice(cast_slice(&rest_translations));
    out.extend_from_slice(cast_slice(&rest_rotations));
    out.extend_from_slice(cast_slice(&clip.translations));
    out.extend_from_slice(cast_slice(&clip.rotations));
    let hash = hash(key, &out);
    out.extend_from_slice(&hash.to_le_bytes());
    out
}

fn decode(key: &str, bytes: &[u8]) -> Option<Kept> {
    let (content, written) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if hash(key, content).to_le_bytes() != written {
        return None;
    }
    let mut rest = content.strip_prefix(&MAGIC)?;
    let numbers: Vec<u32> = take(&mut rest, 3)?;
    let [names, joints, frames] = [numbers[0] as usize, numbers[1] as usize, numbers[2] as usize];
    let floats: Vec<f32> = take(&mut rest, 3)?;
    let json: Vec<u8> = take(&mut rest, names)?;
    let (names, parents): (Vec<String>, Vec<Option<u32>>) = serde_json::from_slice(&json).ok()?;
    let rest_translations: Vec<Vec3> = take(&mut rest, joints)?;
    let rest_rotations: Vec<Quat> = take(&mut rest, joints)?;
    let pose = rest_translations.into_iter().zip(rest_rotations).map(|(t, r)| Transform::new(t, r)).collect();
    let parents = parents.into_iter().map(|p| p.map(JointIndex)).collect();
    let clip = RawClip {
        name: String::new(),
        source: String::new(),
        skeleton: Skeleton::new(names, parents, pose).ok()?,
        rate_hz: floats[2],
        looping: false,
        translations: take(&mut rest, frames.checked_mul(joints)?)?,
        rotations: take(&mut rest, frames.checked_mul(joints)?)?,
        annotations: Annotations::default(),
    };
    rest.is_empty().then_some(Kept { metres_per_unit: floats[0], body_length_units: floats[1], clip })
}

/// Returns the hash of an entry's content and key: an entry under another key is ignored.
fn hash(key: &str, content: &[u8]) -> u64 {
    xxh3_64_with_seed(content, xxh3_64(key.as_bytes()))
}

/// Reads the next `count` values.
fn take<T: Pod>(bytes: &mut &[u8], count: usize) -> Option<Vec<T>> {
    let (head, tail) = bytes.split_at_checked(count.checked_mul(size_of::<T>())?)?;
    *bytes = tail;
    Some(pod_collect_to_vec(head))
}
