//! Databases in shards: files with some of the clips each, and a manifest that lists them. Each file is a database that can be read
//! by itself.

use footwork::advanced::database::SetAside;
use footwork::advanced::error::{cut_quotes, quoted};
use footwork::advanced::files::write_atomically;
use footwork::database::{Database, DatabaseError, FileError, TagMask};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Version of the manifest.
const VERSION: u32 = 1;

/// A database in shards.
#[derive(Debug)]
pub struct Shards {
    path: PathBuf,
    manifest: Manifest,
}

/// One shard, as the manifest lists it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Clips of the whole database, as ranges `[start, end)`, ascending: those of the shard in order.
    pub clips: Vec<[usize; 2]>,
    /// Hash of all content of the file, 32 hexadecimal digits.
    pub content_hash: String,
    /// File, relative to the folder of the manifest.
    pub file: PathBuf,
    /// Rows of the whole database, as `clips`.
    pub rows: Vec<[usize; 2]>,
}

/// The manifest, a file of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// Number of clips of the whole database.
    clips: usize,
    /// Hash of the whole database.
    content_hash: String,
    format_version: u32,
    /// Number of rows of the whole database.
    rows: usize,
    /// Names of the tags of [`SetAside`].
    set_aside: Names,
    /// Hash of everything that the shards have in common.
    shared_hash: String,
    shards: Vec<Shard>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    only: Vec<String>,
    tags: Vec<String>,
}

/// Why shards cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// A shard is not a database.
    #[error(transparent)]
    File(#[from] FileError),
    /// The number of shards is 0, or exceeds the number of clips.
    #[error("number of shards: expected 1 to {clips}, the clips that have rows, found {found}")]
    Count {
        /// Number of clips with rows.
        clips: usize,
        /// Number given.
        found: usize,
    },
    /// The database cannot be divided.
    #[error(transparent)]
    Part(#[from] DatabaseError),
    /// The manifest is invalid, or a shard is not the one that it lists.
    #[error("{}: {what}; write the shards again", path.display(), what = cut_quotes(.what))]
    Manifest {
        /// Manifest.
        path: PathBuf,
        /// Fault.
        what: String,
    },
}

impl Shards {
    /// Name of the manifest in its folder.
    pub const MANIFEST: &str = "manifest.json";

    /// Writes a database in `count` shards to a folder, which is created: one file of about the same duration for each, and the
    /// manifest as the last file. The names of the files contain a hash of their content, so that shards that are in the
    /// folder already stay valid until the manifest is replaced.
    ///
    /// # Errors
    /// Returns [`ShardError`] if there are fewer clips than shards, or a file cannot be written.
    pub fn write(db: &Database, count: usize, folder: &Path) -> Result<Self, ShardError> {
        let clips = db.clips[..db.originals()].iter().filter(|clip| clip.rows > 0).count();
        let cuts = db.cuts(count).ok_or(ShardError::Count { clips, found: count })?;
        fs::create_dir_all(folder).map_err(|error| ShardError::Write { path: folder.to_owned(), error })?;
        let mut shards = Vec::with_capacity(count);
        for (k, originals) in cuts.into_iter().enumerate() {
            let (part, clips) = db.part(&originals.collect::<Vec<_>>())?;
            let content_hash = hex(part.content_hash());
            let file = PathBuf::from(format!("{}-of-{count}-{}.fwdb", k + 1, &content_hash[..8]));
            part.save(&folder.join(&file))?;
            let rows = clips.iter().map(|clip| db.clips[clip.at()].row_range()).map(|r| [r.start, r.end]);
            let clips = clips.iter().map(|clip| [clip.at(), clip.at() + 1]);
            shards.push(Shard { clips: joined(clips), content_hash, file, rows: joined(rows) });
        }
        let names = |tags: TagMask| db.tag_names(tags).map(str::to_owned).collect();
        let manifest = Manifest {
            clips: db.clips.len(),
            content_hash: hex(db.content_hash()),
            format_version: VERSION,
            rows: db.rows(),
            set_aside: Names { only: names(db.set_aside().only), tags: names(db.set_aside().tags) },
            shared_hash: hex(db.shared_hash()),
            shards,
        };
        let path = folder.join(Self::MANIFEST);
        let text = serde_json::to_string_pretty(&manifest).map_err(io::Error::other);
        let written = text.and_then(|text| write_atomically(&path, |out| writeln!(out, "{text}")));
        written.map_err(|error| ShardError::Write { path: path.clone(), error })?;
        Ok(Self { path, manifest })
    }

    /// Reads a manifest. The shards are not read.
    ///
    /// # Errors
    /// Returns [`ShardError`] if the file is not a manifest of this version, or a clip or row is in no shard or in several.
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        let text = fs::read(path).map_err(|error| ShardError::Read { path: path.to_owned(), error })?;
        let invalid = |what: String| ShardError::Manifest { path: path.to_owned(), what };
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))?;
        if manifest.format_version != VERSION {
            return Err(invalid(format!("format version: expected {VERSION}, found {}", manifest.format_version)));
        }
        let lists = |of: fn(&Shard) -> &Vec<[usize; 2]>| manifest.shards.iter().map(of);
        once("clip", manifest.clips, lists(|shard| &shard.clips)).map_err(invalid)?;
        once("row", manifest.rows, lists(|shard| &shard.rows)).map_err(invalid)?;
        Ok(Self { path: path.to_owned(), manifest })
    }

    /// Returns the path of the manifest.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the shards.
    pub fn list(&self) -> &[Shard] {
        &self.manifest.shards
    }

    /// Returns the numbers of clips and rows of the whole database.
    pub fn size(&self) -> (usize, usize) {
        (self.manifest.clips, self.manifest.rows)
    }

    /// Reads a shard. It excludes the rows that the whole database excludes: see [`Database::set_aside`].
    ///
    /// # Errors
    /// Returns [`ShardError`] if the file cannot be read, or is not the one that the manifest lists.
    ///
    /// # Panics
    /// If `shard` is not below the number of shards.
    pub fn load(&self, shard: usize) -> Result<Database, ShardError> {
        let (manifest, shard) = (&self.manifest, &self.manifest.shards[shard]);
        let path = self.path.parent().unwrap_or(Path::new("")).join(&shard.file);
        let db = Database::load(&path)?;
        let same = |what: &str, expected: &str, found: &str| match expected == found {
            true => Ok(()),
            false => Err(format!("shard `{}`, {what}: expected {expected}, found {found}", quoted(&name(&shard.file)))),
        };
        let number = |ranges: &[[usize; 2]]| ranges.iter().map(|[start, end]| end - start).sum::<usize>().to_string();
        let check = || -> Result<(), String> {
            same("content hash", &shard.content_hash, &hex(db.content_hash()))?;
            same("hash of skeleton, schema and names", &manifest.shared_hash, &hex(db.shared_hash()))?;
            same("number of clips", &number(&shard.clips), &db.clips.len().to_string())?;
            same("number of rows", &number(&shard.rows), &db.rows().to_string())
        };
        check().map_err(|what| ShardError::Manifest { path: self.path.clone(), what })?;
        self.setting_aside(db)
    }

    /// Returns a part of the database that excludes the rows that the whole excludes: see [`Database::set_aside`].
    ///
    /// # Errors
    /// Returns [`ShardError`] if the manifest names tags that the part does not have.
    pub fn setting_aside(&self, part: Database) -> Result<Database, ShardError> {
        let invalid = |what: String| ShardError::Manifest { path: self.path.clone(), what };
        let mask = |names: &[String]| {
            let masks = names.iter().map(|name| part.tag_mask(name).map_err(|error| invalid(error.to_string())));
            masks.collect::<Result<Vec<_>, _>>()
        };
        let Names { only, tags } = &self.manifest.set_aside;
        let all = |masks: Vec<TagMask>| masks.into_iter().fold(TagMask::default(), |all, mask| all | mask);
        let aside = SetAside { only: all(mask(only)?), tags: all(mask(tags)?) };
        Ok(part.setting_aside(aside))
    }
}

fn name(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Returns ascending ranges, with one range in place of several that follow each other without a gap.
fn joined(ranges: impl Iterator<Item = [usize; 2]>) -> Vec<[usize; 2]> {
    let mut out: Vec<[usize; 2]> = Vec::new();
    for [start, end] in ranges.filter(|[start, end]| start < end) {
        match out.last_mut() {
            Some(last) if last[1] == start => last[1] = end,
            _ => out.push([start, end]),
        }
    }
    out
}

/// Checks that ranges of several shards, ascending in each of them, hold each of the numbers below `count` once.
fn once<'a>(what: &str, count: usize, shards: impl Iterator<Item = &'a Vec<[usize; 2]>>) -> Result<(), String> {
    let mut all = Vec::new();
    for ranges in shards {
        let ends = ranges.iter().flatten();
        if ranges.iter().any(|[start, end]| start >= end) || !ends.is_sorted() || ranges.is_empty() {
            return Err(format!("{what}s of a shard: expected ascending ranges, found {ranges:?}"));
        }
        all.extend_from_slice(ranges);
    }
    all.sort_unstable();
    all.push([count, count]);
    let mut next = 0;
    for [start, end] in all {
        let expected = format!("{what}s: expected each below {count} in one shard");
        match start.cmp(&next) {
            std::cmp::Ordering::Less => return Err(format!("{expected}, found {what} {start} in several, or above")),
            std::cmp::Ordering::Greater => return Err(format!("{expected}, found {what} {next} in none")),
            std::cmp::Ordering::Equal => next = end,
        }
    }
    Ok(())
}
