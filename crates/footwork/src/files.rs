//! File input and output. After a crash, a full disk or Ctrl-C, either the old or the new file exists, never a partial one.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of symbolic links followed in a chain, as in operating systems.
const MOST_LINKS: usize = 40;
/// Maximum number of temporary names that are tried.
const MOST_NAMES: u32 = 10_000;
/// Maximum length of the part of a file name that is kept in temporary names, in bytes. File systems allow 255.
const LONGEST_NAME: usize = 200;

/// Age at which the writer of a temporary file is assumed to have been killed.
const LEFT_AFTER: Duration = Duration::from_secs(3600);

/// Returns the file to which symbolic links lead, or `path` itself if it is not a link. The file need not exist.
///
/// # Errors
/// Returns the error of the file system, or an error if links form a circle.
pub fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let to = fs::read_link(&at)?;
                // An absolute link replaces `at`.
                at = at.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("too many symbolic links, or links in a circle"))
}

/// Returns the prefix of the hidden temporary names that this process uses beside a file while it writes it.
fn temporary_prefix(name: &OsStr) -> String {
    format!(".{}.{}.", shortened(name), std::process::id())
}

fn shortened(name: &OsStr) -> String {
    let mut name = name.to_string_lossy().into_owned();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    name
}

const TEMPORARY_SUFFIX: &str = ".part";

/// Creates a file with a temporary name that no other writer uses.
fn create_temporary(path: &Path, name: &OsStr) -> io::Result<(PathBuf, File)> {
    let prefix = temporary_prefix(name);
    for k in 0..MOST_NAMES {
        let temporary = path.with_file_name(format!("{prefix}{k}{TEMPORARY_SUFFIX}"));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "all temporary names are taken"))
}

/// Removes temporary files of `path` that killed processes have left: those that are an hour older than `ours`, which was just
/// created. Both times come from the file system.
fn remove_leftovers(path: &Path, name: &OsStr, ours: &File) {
    let modified = |of: io::Result<fs::Metadata>| of.and_then(|m| m.modified());
    let Ok(now) = modified(ours.metadata()) else { return };
    let stem = format!(".{}.", shortened(name));
    // The name contains a process and a count, nothing else.
    let is_ours = |found: &str| {
        let numbers = found.strip_prefix(&stem).and_then(|rest| rest.strip_suffix(TEMPORARY_SUFFIX));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        numbers.and_then(|n| n.split_once('.')).is_some_and(|(process, count)| is_number(process) && is_number(count))
    };
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let age = || modified(entry.metadata()).ok().and_then(|then| now.duration_since(then).ok());
        if is_ours(&entry.file_name().to_string_lossy()) && age().is_some_and(|age| age > LEFT_AFTER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes unfinished temporary files of this process for `path`. Call it when a program is interrupted.
pub fn remove_temporaries(path: &Path) {
    let Ok(path) = resolve_links(path) else { return };
    let Some(name) = path.file_name() else { return };
    let prefix = temporary_prefix(name);
    for entry in fs::read_dir(folder_of(&path)).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        if found.starts_with(&prefix) && found.ends_with(TEMPORARY_SUFFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes to a temporary name, syncs, and renames. On any error the temporary file is removed and `path` is unchanged. Any number
/// of writers may write to one `path` at the same time: the last one to finish wins. Temporary files of `path` that killed
/// processes have left are removed once they are older than an hour.
///
/// A symbolic link is kept, and its target is written in this way. A device or a pipe is written directly, because it cannot be
/// replaced.
///
/// # Errors
/// Returns the error of the file system or of `write`. A folder is rejected.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    // This test comes first, because links such as `/dev/stdout` may lead to targets without a name.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut out = BufWriter::with_capacity(1 << 20, OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let path = &resolve_links(path)?;
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let (temporary, file) = create_temporary(path, name)?;
    remove_leftovers(path, name, &file);
    let result = (|| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)
    })();
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Reads a regular file like [`read_at_most`]. A pipe or a device could block the reader without end, so it is rejected without
/// being opened.
///
/// # Errors
/// Returns the errors of [`read_at_most`], and [`InvalidInput`](io::ErrorKind::InvalidInput) for a path that is not a regular
/// file.
pub fn read_regular_at_most(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    read_at_most(path, bytes)
}

/// Checks without opening it that a path leads to a regular file.
///
/// # Errors
/// Returns the error of the file system, or [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn check_regular(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let found = if kind.is_dir() { "folder" } else { special(kind) };
    let text = format!("expected a regular file, found a {found}; copy its content into a file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

#[cfg(unix)]
fn special(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> &'static str {
    "device or pipe"
}

/// Reads a file of at most `bytes` bytes. A larger file is rejected without being read; an endless one, such as a device, is
/// rejected after `bytes` bytes.
///
/// # Errors
/// Returns the error of the file system, or one of the kind [`FileTooLarge`](io::ErrorKind::FileTooLarge).
pub fn read_at_most(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let too_large = |found: String| {
        let text = format!("the file is too large: expected at most {}, found {found}", megabytes(bytes));
        Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
    };
    if length > bytes {
        return too_large(megabytes(length));
    }
    let mut out = Vec::with_capacity(length as usize);
    // Read one byte more than expected, to detect a file that has grown or, like a device, reports a length of 0.
    (&mut file).take(bytes.saturating_add(1)).read_to_end(&mut out)?;
    if out.len() as u64 > bytes { too_large("more".to_owned()) } else { Ok(out) }
}

/// Reads a text file like [`read_at_most`].
///
/// # Errors
/// Returns the errors of [`read_at_most`], and [`InvalidData`](io::ErrorKind::InvalidData) if the text is not UTF-8.
pub fn read_text_at_most(path: &Path, bytes: u64) -> io::Result<String> {
    let text = String::from_utf8(read_at_most(path, bytes)?);
    text.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, format!("not text in UTF-8: {}", e.utf8_error())))
}

/// Returns a size as text.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests;
