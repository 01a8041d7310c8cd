//! The three files of the library, `.fwdb`, `.fwnet` and `.fwtrace`: safetensors files that any reader of that format can open.
//!
//! All numeric arrays are tensors with descriptive names. One metadata key holds the rest as JSON with sorted keys. Equal content
//! gives equal bytes. Files are little-endian, as safetensors is.

mod error;
mod format;
mod read;
mod write;

pub use error::{FileError, FileFault};
pub(crate) use format::Format;
pub use read::read_safetensors;
pub(crate) use read::{Reader, load};
pub(crate) use write::{Tensor, json_of, save, save_tensors, to_bytes};

#[cfg(target_endian = "big")]
compile_error!("safetensors files are little-endian; reading them on a big-endian machine is not written yet");
