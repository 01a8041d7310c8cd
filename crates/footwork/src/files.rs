//! Writing files so that a crash, a full disk or Ctrl-C leaves the old file or the new one, never half of one; and so
//! that equal content gives equal bytes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The name under which a file is written until it is whole: beside it, hidden.
pub fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.part"))
}

/// Writes to a temporary name, syncs, renames. On any error the temporary file is removed and `path` is as it was.
///
/// # Errors
/// What the file system or `write` says.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    }
    let temporary = temporary_path(path);
    let result = (|| {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs::rename(&temporary, path)
    })();
    if result.is_err() {
        // The error that counts is the first one.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// JSON with sorted keys, whatever map the JSON crate was built with: equal content gives equal bytes.
pub fn canonical_json(value: &serde_json::Value) -> String {
    let mut out = String::new();
    canonical(value, &mut out);
    out
}

fn canonical(value: &serde_json::Value, out: &mut String) {
    match value {
        serde_json::Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (i, k) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(&serde_json::Value::String(k.clone()), out);
                out.push(':');
                canonical(&map[k], out);
            }
            out.push('}');
        }
        serde_json::Value::Array(list) => {
            out.push('[');
            for (i, v) in list.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                canonical(v, out);
            }
            out.push(']');
        }
        leaf => out.push_str(&leaf.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.fwdb");
        write_atomically(&path, |f| f.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |f| {
            f.write_all(b"new, but the disk is")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_atomically(&dir.path().join("no/such/a.fwdb"), |_| Ok(())).is_err());
    }
}
