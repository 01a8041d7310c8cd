//! Finds the motion files of folders and patterns, each once, whatever links there are between folders.
//!
//! A state of the search is a folder together with the number of pattern steps already matched. Each state is visited once, so
//! the search ends and is complete for any structure of links.

use crate::config_error::ConfigFileError;
use crate::format::Format;
use crate::import_error::ImportError;
use crate::input::Input;
use glob::{MatchOptions, Pattern};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};

const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The part of a pattern for one folder level.
enum Step {
    /// An exact name.
    Name(PathBuf),
    /// A name with `*`, `?` or `[..]`.
    Fits(Pattern),
    /// `**`: any number of folders.
    Folders,
    /// Any name that is not hidden, in a folder.
    Any,
}

/// Returns the motion files of a list of inputs (relative ones under `base`), sorted by path. A file that is both named and
/// found in a folder counts as named. A file that several links lead to is listed once.
pub(crate) fn find(inputs: &[PathBuf], base: &Path) -> Result<Vec<Input>, ConfigFileError> {
    let mut named: Vec<Input> = Vec::new();
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    for input in inputs {
        let path = base.join(input);
        let words = input.to_string_lossy();
        if path.is_dir() {
            let files = search(&path, &[Step::Folders, Step::Any])?;
            if files.is_empty() {
                return Err(ImportError::EmptyFolder { path }.into());
            }
            found.extend(files);
        } else if !words.contains(['*', '?', '[']) || path.exists() {
            named.push(Input { path, named: true });
        } else {
            let (start, steps) = steps(input, &path)?;
            let files = search(&base.join(start), &steps)?;
            if files.is_empty() {
                return Err(ConfigFileError::NoMatch { pattern: path });
            }
            found.extend(files);
        }
    }
    named.sort();
    named.dedup();
    // Of several paths to a file, prefer one that is not a link, then the shortest, so that a link to a file does not hide the
    // file itself.
    let mut by_file: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for path in found {
        let file = real(&path);
        let is_link = |p: &Path| real(p.parent().unwrap_or(p)).join(p.file_name().unwrap_or_default()) != file;
        let rank = |p: &Path| (is_link(p), p.components().count());
        let better = by_file.get(&file).is_none_or(|known| rank(&path) < rank(known));
        if better {
            by_file.insert(file, path);
        }
    }
    for input in &named {
        by_file.remove(&real(&input.path));
    }
    named.extend(by_file.into_values().map(|path| Input { path, named: false }));
    named.sort();
    Ok(named)
}

/// Returns the path without links, which is the same for all paths to one file.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the folder in which a search begins, and the remaining steps of the pattern.
fn steps(input: &Path, shown: &Path) -> Result<(PathBuf, Vec<Step>), ConfigFileError> {
    let mut start = PathBuf::new();
    let mut steps = Vec::new();
    for part in input.components() {
        let words = part.as_os_str().to_string_lossy();
        let step = match part {
            Component::Normal(_) if words == "**" => Step::Folders,
            Component::Normal(_) if words.contains(['*', '?', '[']) => {
                let refuse = |e: glob::PatternError| ConfigFileError::Pattern {
                    pattern: shown.display().to_string(),
                    what: e.msg.to_owned(),
                };
                Step::Fits(Pattern::new(&words).map_err(refuse)?)
            }
            _ if steps.is_empty() => {
                start.push(part);
                continue;
            }
            _ => Step::Name(PathBuf::from(part.as_os_str())),
        };
        steps.push(step);
    }
    // `folder/**` means everything below the folder.
    if matches!(steps.last(), Some(Step::Folders)) {
        steps.push(Step::Any);
    }
    Ok((start, steps))
}

/// Returns the matching motion files, relative to `start`.
fn search(start: &Path, steps: &[Step]) -> Result<Vec<PathBuf>, ConfigFileError> {
    let mut files = Vec::new();
    if !start.as_os_str().is_empty() && !start.is_dir() {
        return Ok(files);
    }
    // Links to a folder above `start` are not followed, as they would add unrelated files.
    let above: BTreeSet<PathBuf> = real(start).ancestors().skip(1).map(Path::to_owned).collect();
    let mut seen: BTreeSet<(PathBuf, usize)> = BTreeSet::new();
    // Links are searched last, so that files are first found by their own path.
    let mut places = VecDeque::from([(start.to_owned(), 0)]);
    let mut linked = VecDeque::new();
    while let Some((folder, at)) = places.pop_front().or_else(|| linked.pop_front()) {
        let Some(step) = steps.get(at) else { continue };
        if !seen.insert((real(&folder), at)) {
            continue;
        }
        let last = at + 1 == steps.len();
        if let Step::Folders = step {
            places.push_back((folder.clone(), at + 1));
        }
        if let Step::Name(name) = step {
            let path = folder.join(name);
            if last && is_motion(&path) {
                files.push(path);
            } else if path.is_dir() {
                places.push_back((path, at + 1));
            }
            continue;
        }
        for (path, name) in list(&folder)? {
            let (fits, next) = match step {
                Step::Fits(pattern) => (pattern.matches_with(&name, OPTIONS), at + 1),
                Step::Folders => (!name.starts_with('.'), at),
                Step::Any => (!name.starts_with('.'), at + 1),
                Step::Name(_) => (false, at),
            };
            if !fits {
                continue;
            }
            if last && !matches!(step, Step::Folders) {
                if is_motion(&path) {
                    files.push(path);
                }
            } else if path.is_dir() {
                let up = matches!(step, Step::Folders) && above.contains(&real(&path));
                let list = if path.is_symlink() { &mut linked } else { &mut places };
                if !up {
                    list.push_back((path, next));
                }
            }
        }
    }
    Ok(files)
}

/// Returns true for an existing file with the extension of a motion format.
fn is_motion(path: &Path) -> bool {
    Format::of(path).is_some() && path.is_file()
}

/// Returns the contents of a folder, in order of name.
fn list(folder: &Path) -> Result<Vec<(PathBuf, String)>, ConfigFileError> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let refuse = |error| ConfigFileError::Read { path: here.to_owned(), error };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(here).map_err(refuse)? {
        let name = entry.map_err(refuse)?.file_name();
        found.push((folder.join(&name), name.to_string_lossy().into_owned()));
    }
    found.sort();
    Ok(found)
}
