//! Reasons why motion files cannot be read or written.

use crate::bvh::BvhError;
use crate::format;
use crate::scene::SceneError;
use footwork::advanced::error::quoted;
use std::io;
use std::path::PathBuf;

/// Reason why files could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// File or folder.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A file could not be written; the old file is unchanged.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Reason of the failure.
        error: io::Error,
    },
    /// A BVH file is invalid.
    #[error(transparent)]
    Bvh(#[from] BvhError),
    /// A glTF or FBX file is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Annotations of a clip do not fit it.
    #[error(transparent)]
    Clip(#[from] footwork::clip::ClipError),
    /// The extension of a file is not that of a motion format.
    #[error("{} is no motion file by its name: expected one that ends in {}", path.display(), format::known())]
    UnknownFormat {
        /// File.
        path: PathBuf,
    },
    /// A file holds several clips where one is expected.
    #[error(
        "{} holds {} clips ({}): expected one; read all of them, or choose with a range",
        path.display(), names.len(), quoted(&names.join(", "))
    )]
    SeveralClips {
        /// File.
        path: PathBuf,
        /// Names of the clips.
        names: Vec<String>,
    },
    /// A folder holds no motion files.
    #[error(
        "{} holds no motion files: expected at least one that ends in {}, in the folder or below it",
        path.display(), format::known()
    )]
    EmptyFolder {
        /// Folder.
        path: PathBuf,
    },
    /// The list of files is empty.
    #[error("no files were given: expected at least one")]
    NoFiles,
    /// Two clips have the same name. Clips are identified by their names.
    #[error(
        "{} and {} both give a clip named `{name}`: rename one",
        first.display(), second.display(), name = quoted(.name)
    )]
    RepeatedName {
        /// Clip name: the file's, without extension.
        name: String,
        /// First file.
        first: PathBuf,
        /// Second file.
        second: PathBuf,
    },
    /// A file seems to use a different unit from most others.
    #[error(
        "{} seems to be in {odd_unit} (body of {odd_length} units), most others in {unit} (about {usual_length} units): \
         say which unit holds, or read it apart",
        path.display()
    )]
    MixedUnits {
        /// The file that differs.
        path: PathBuf,
        /// Unit guessed for it.
        odd_unit: &'static str,
        /// Its body length, in file units.
        odd_length: f32,
        /// Unit guessed for most files.
        unit: &'static str,
        /// Median body length of those files, in file units.
        usual_length: f32,
    },
}
