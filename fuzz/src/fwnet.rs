//! Network files. They hold a database file with the character: its hash is corrected too, and mutations reach into it.

use crate::fwdb;
use crate::json;
use footwork::advanced::math::Random;
use footwork::learned::{FileError, FileFault, Networks};
use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Value, json};
use std::path::Path;

/// Key of the metadata in the header.
const KEY: &str = "footwork_networks";
/// The tensor with the character.
const CHARACTER: &str = "character";

/// Reads networks. If the character inside has the wrong hash, it is corrected and the file is read again.
///
/// # Errors
/// Same as [`Networks::from_bytes`].
pub fn read(bytes: &[u8]) -> Result<Networks, FileError> {
    let path = Path::new("t");
    let read = Networks::from_bytes(bytes, path);
    if let Err(FileError { fault: FileFault::Character(inside), .. }) = &read
        && let FileFault::Damaged { recorded, found } = &inside.fault
        && recorded.len() == found.len()
    {
        return Networks::from_bytes(&fwdb::replaced(bytes, recorded.as_bytes(), found.as_bytes()), path);
    }
    read
}

/// Changes the character, the metadata or a number, and keeps all lengths right; sometimes changes any bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(seed.into());
    let file = data[..size].to_vec();
    let changed = match random.below(8) {
        0 => None,
        1 | 2 => with_changed_character(&file, &mut random),
        _ => fwdb::changed(&file, KEY, &mut random),
    };
    match changed {
        Some(new) => json::give_back(&new, data, max_size),
        None => fuzzer_mutate(data, size, max_size),
    }
}

/// Returns the file with another character. If its length differs, the tensors behind it move.
fn with_changed_character(file: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (header, numbers) = fwdb::split(file)?;
    let mut root = serde_json::from_slice::<Value>(header).ok()?;
    let [start, end] = offsets(&root[CHARACTER])?;
    let character = fwdb::changed(numbers.get(start..end)?, fwdb::KEY, random)?;
    for (name, tensor) in root.as_object_mut()? {
        let Some([from, to]) = offsets(tensor) else { continue };
        let moved = |at: usize| at.checked_sub(end).map_or(at, |beyond| start + character.len() + beyond);
        let from = if name == CHARACTER { from } else { moved(from) };
        tensor["data_offsets"] = json!([from, moved(to)]);
    }
    root[CHARACTER]["shape"] = json!([character.len()]);
    Some(fwdb::join(&root.to_string(), &[&numbers[..start], &character, &numbers[end..]].concat()))
}

/// Returns the range of a tensor among the numbers.
fn offsets(tensor: &Value) -> Option<[usize; 2]> {
    let at = |k: usize| usize::try_from(tensor["data_offsets"][k].as_u64()?).ok();
    let (start, end) = (at(0)?, at(1)?);
    (start <= end).then_some([start, end])
}
