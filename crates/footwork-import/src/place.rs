//! Source of files: the disk, or memory for programs without a disk, such as web pages.

use footwork::advanced::files::{check_regular, read_regular_at_most, read_text_at_most};
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// The disk, or named files in memory.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Disk,
    Memory(&'a [(String, Vec<u8>)]),
}

impl<'a> Place<'a> {
    /// Returns the bytes of a regular file.
    pub fn read(self, path: &Path, most_bytes: u64) -> io::Result<Cow<'a, [u8]>> {
        match self {
            Self::Disk => read_regular_at_most(path, most_bytes).map(Cow::Owned),
            Self::Memory(_) => match self.find(path) {
                Some(bytes) if bytes.len() as u64 <= most_bytes => Ok(Cow::Borrowed(bytes)),
                Some(_) => Err(io::ErrorKind::FileTooLarge.into()),
                None => Err(io::Error::new(io::ErrorKind::NotFound, "it is not among the files that were given")),
            },
        }
    }

    /// Returns the text of a file.
    pub fn read_text(self, path: &Path, most_bytes: u64) -> io::Result<String> {
        match self {
            Self::Disk => read_text_at_most(path, most_bytes),
            Self::Memory(_) => {
                let text = String::from_utf8(self.read(path, most_bytes)?.into_owned());
                text.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.utf8_error()))
            }
        }
    }

    /// Returns an error unless there is a regular file.
    pub fn look(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Disk => check_regular(path),
            Self::Memory(_) => self.read(path, u64::MAX).map(|_| ()),
        }
    }

    /// Returns true if there is a file or folder of that name.
    pub fn has(self, path: &Path) -> bool {
        match self {
            Self::Disk => path.exists(),
            Self::Memory(_) => self.find(path).is_some(),
        }
    }

    fn find(self, path: &Path) -> Option<&'a [u8]> {
        let Self::Memory(files) = self else { return None };
        files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, bytes)| bytes.as_slice())
    }
}
