//! Database files with a correct hash and invalid content, so that the code behind the hash check is reached.

use crate::json;
use footwork::advanced::math::Random;
use footwork::database::{Database, FileError, FileFault};
use libfuzzer_sys::fuzzer_mutate;
use serde_json::Value;
use std::path::Path;

/// Offset of the JSON in a safetensors file.
const START: usize = 8;
/// Key of the metadata in the header, for databases and recordings.
pub(crate) const KEY: &str = "footwork";

/// Reads a database. If its hash is wrong, it is corrected and the file is read again.
pub fn read(bytes: &[u8]) -> Result<Database, FileError> {
    let path = Path::new("t");
    match Database::from_bytes(bytes, path) {
        Err(FileError { fault: FileFault::Damaged { recorded, found }, .. }) if recorded.len() == found.len() => {
            Database::from_bytes(&replaced(bytes, recorded.as_bytes(), found.as_bytes()), path)
        }
        other => other,
    }
}

/// Returns the bytes with the first `from` replaced by `to`, which has the same length.
pub(crate) fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(at) = bytes.windows(from.len()).position(|w| w == from) {
        bytes[at..][..to.len()].copy_from_slice(to);
    }
    bytes
}

/// Returns the header and the numbers.
pub(crate) fn split(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u64::from_le_bytes(file.get(..START)?.try_into().ok()?)).ok()?;
    file[START..].split_at_checked(length)
}

pub(crate) fn join(header: &str, numbers: &[u8]) -> Vec<u8> {
    let padded = format!("{header:<0$}", header.len().next_multiple_of(8));
    [&(padded.len() as u64).to_le_bytes(), padded.as_bytes(), numbers].concat()
}

/// Changes the metadata or a number, and keeps all lengths right; sometimes changes any bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(seed.into());
    let file = data[..size].to_vec();
    let changed = if random.below(8) > 0 { changed(&file, KEY, &mut random) } else { None };
    match changed {
        Some(new) => json::give_back(&new, data, max_size),
        None => fuzzer_mutate(data, size, max_size),
    }
}

/// Returns the file with other metadata, another header or other numbers. `key` names the metadata. `None` if the file has no
/// header.
pub(crate) fn changed(file: &[u8], key: &str, random: &mut Random) -> Option<Vec<u8>> {
    let (header, numbers) = split(file)?;
    let (mut numbers, most) = (numbers.to_vec(), numbers.len());
    let mut header = String::from_utf8_lossy(header).trim_end().to_owned();
    match random.below(7) {
        way @ 0..3 => {
            if let Ok(mut root) = serde_json::from_str::<Value>(&header) {
                let ours = root.get_mut("__metadata__").and_then(|all| all.get_mut(key)).filter(|_| way < 2);
                match ours.map(|text| (serde_json::from_str::<Value>(text.as_str().unwrap_or_default()), text)) {
                    Some((Ok(mut inner), text)) => {
                        (0..=random.below(3)).for_each(|_| json::mutate(&mut inner, random));
                        *text = Value::String(inner.to_string());
                    }
                    _ => json::mutate(&mut root, random),
                }
                header = root.to_string();
            }
        }
        3 if most > 0 => {
            let length = fuzzer_mutate(&mut numbers, most, most);
            numbers[length..].fill(0);
        }
        _ => change_number(&mut numbers, random),
    }
    Some(join(&header, &numbers))
}

/// Replaces a value of four bytes.
fn change_number(numbers: &mut [u8], random: &mut Random) {
    if numbers.len() < 4 {
        return;
    }
    let words = numbers.len() / 4;
    let (at, from) = (4 * random.below(words), 4 * random.below(words));
    let float = [0.0, 1.0, -1.0, 1e-38, 1e9, 1e19, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY][random.below(10)];
    let word: [u8; 4] = match random.below(3) {
        0 => f32::to_le_bytes(float),
        1 => (random.below(40) as u32).to_le_bytes(),
        _ => [numbers[from], numbers[from + 1], numbers[from + 2], numbers[from + 3]],
    };
    numbers[at..at + 4].copy_from_slice(&word);
}
