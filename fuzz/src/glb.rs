//! Splits and joins binary glTF.

use crate::json;
use footwork::advanced::math::Random;
use libfuzzer_sys::fuzzer_mutate;
use serde_json::Value;

const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// Returns a file with two chunks.
pub fn join(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let chunk = |bytes: &[u8], kind: u32, fill: u8| {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), fill);
        [&(padded.len() as u32).to_le_bytes(), &kind.to_le_bytes(), padded.as_slice()].concat()
    };
    let body = [chunk(json, JSON, b' '), chunk(bin, BIN, 0)].concat();
    [b"glTF\x02\0\0\0".as_slice(), &(body.len() as u32 + 12).to_le_bytes(), &body].concat()
}

/// Returns its chunks, as far as they exist.
fn split(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_le_bytes(file.get(12..16)?.try_into().ok()?) as usize;
    let json = file.get(20..)?.get(..length)?;
    Some((json, file.get(20 + length + 8..).unwrap_or_default()))
}

/// Changes the JSON or a number, and keeps all lengths right; sometimes changes any bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(seed.into());
    let way = random.below(5);
    let file = data[..size].to_vec();
    let Some((json, bin)) = split(&file).filter(|_| way > 0) else { return fuzzer_mutate(data, size, max_size) };
    let (mut json, mut bin) = (json.to_vec(), bin.to_vec());
    if way > 2 {
        let most = bin.len() + 64;
        let length = bin.len();
        bin.resize(most, 0);
        let length = fuzzer_mutate(&mut bin, length, most);
        bin.truncate(length);
    } else if let Ok(mut root) = serde_json::from_slice::<Value>(&json) {
        (0..=random.below(3)).for_each(|_| json::mutate(&mut root, &mut random));
        json = root.to_string().into_bytes();
    }
    json::give_back(&join(&json, &bin), data, max_size)
}

/// The same for a file that is only JSON.
pub fn mutate_text(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(seed.into());
    let root = serde_json::from_slice::<Value>(&data[..size]);
    let Some(mut root) = root.ok().filter(|_| random.below(4) > 0) else { return fuzzer_mutate(data, size, max_size) };
    (0..=random.below(3)).for_each(|_| json::mutate(&mut root, &mut random));
    json::give_back(root.to_string().as_bytes(), data, max_size)
}
