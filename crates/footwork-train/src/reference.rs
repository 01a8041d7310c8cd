//! Networks in the format of the reference implementation, github.com/orangeduck/Motion-Matching.
//!
//! Little endian, without magic and version. An array is `u32 n` and `n` floats; a matrix `u32 rows, u32 columns` and its floats, row
//! after row. A network is the arrays input mean, input std, output mean, output std; `u32 layers`; then weights `[inputs x outputs]`
//! and bias for each layer.

use footwork::advanced::learned::{Layer, Network, NetworkError, Weights};

/// The bytes are not a network of the reference implementation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The file ends too early, or a size exceeds the file.
    #[error(
        "{what}: expected {expected} more bytes at byte {at}, found {found}; the file is truncated or of another format"
    )]
    Truncated {
        /// Name of the item that was read.
        what: String,
        /// Offset in the file, bytes.
        at: usize,
        /// Required bytes.
        expected: u64,
        /// Remaining bytes.
        found: usize,
    },
    /// There are bytes after the network.
    #[error("{0} bytes are left after the network; the file is of another format")]
    TooLong(usize),
    /// The numbers are not a valid network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, what: &str, count: u64) -> Result<&'a [u8], ReferenceError> {
        let found = self.bytes.len() - self.at;
        let size = usize::try_from(count).ok().filter(|size| *size <= found);
        let Some(size) = size else {
            return Err(ReferenceError::Truncated { what: what.to_owned(), at: self.at, expected: count, found });
        };
        self.at += size;
        Ok(&self.bytes[self.at - size..self.at])
    }

    fn count(&mut self, what: &str) -> Result<u64, ReferenceError> {
        let bytes = self.take(what, 4)?;
        Ok(u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
    }

    fn floats(&mut self, what: &str, count: u64) -> Result<Vec<f32>, ReferenceError> {
        let bytes = self.take(what, count.saturating_mul(4))?;
        Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    fn array(&mut self, what: &str) -> Result<Vec<f32>, ReferenceError> {
        let count = self.count(what)?;
        self.floats(what, count)
    }
}

/// Reads a network of the reference: `decompressor.bin`, `stepper.bin` or `projector.bin`.
///
/// # Errors
/// Returns a [`ReferenceError`] if the bytes are not exactly one network with usable numbers.
pub fn read_reference(bytes: &[u8]) -> Result<Network, ReferenceError> {
    let mut reader = Reader { bytes, at: 0 };
    let input_mean = reader.array("input mean")?;
    let input_std = reader.array("input std")?;
    let output_mean = reader.array("output mean")?;
    let output_std = reader.array("output std")?;
    let layers = reader.count("number of layers")?;
    let mut network = Network { input_mean, input_std, layers: Vec::new(), output_std, output_mean };
    for layer in 0..layers {
        let what = format!("weights of layer {layer}");
        let (rows, columns) = (reader.count(&what)?, reader.count(&what)?);
        let weights = reader.floats(&what, rows.saturating_mul(columns))?;
        let bias = reader.array(&format!("bias of layer {layer}"))?;
        if columns != bias.len() as u64 {
            let (layer, found) = (layer as usize, bias.len());
            return Err(NetworkError::Chain { layer, expected: columns as usize, found }.into());
        }
        network.layers.push(Layer { weights: Weights::F32(weights), bias });
    }
    if reader.at < bytes.len() {
        return Err(ReferenceError::TooLong(bytes.len() - reader.at));
    }
    network.check()?;
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two inputs, three hidden units, one output.
    fn network() -> Vec<u8> {
        let mut bytes = Vec::new();
        let array = |bytes: &mut Vec<u8>, sizes: &[u32], values: &[f32]| {
            sizes.iter().for_each(|s| bytes.extend(s.to_le_bytes()));
            values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        };
        array(&mut bytes, &[2], &[0.5, -0.5]);
        array(&mut bytes, &[2], &[2.0, 4.0]);
        array(&mut bytes, &[1], &[10.0]);
        array(&mut bytes, &[1], &[3.0]);
        array(&mut bytes, &[2], &[]);
        array(&mut bytes, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, -6.0]);
        array(&mut bytes, &[3], &[0.1, 0.2, 0.3]);
        array(&mut bytes, &[3, 1], &[1.0, 0.5, 0.25]);
        array(&mut bytes, &[1], &[-1.0]);
        bytes
    }

    #[test]
    fn a_whole_network_is_read_and_runs() {
        let network = read_reference(&network()).unwrap();
        assert_eq!((network.inputs(), network.outputs(), network.parameters()), (2, 1, 13));
        let mut out = [0.0];
        network.run(&[2.5, 3.5], &mut out, &mut footwork::advanced::learned::NetworkScratch::default());
        // Normalised 1 and 1: hidden 5.1, 7.2 and 0; 5.1 + 3.6 - 1 = 7.7.
        assert!((out[0] - (7.7 * 3.0 + 10.0)).abs() < 1e-4, "{out:?}");
    }

    #[test]
    fn truncated_and_longer_bytes_are_refused() {
        let whole = network();
        for length in 0..whole.len() {
            assert!(matches!(read_reference(&whole[..length]), Err(ReferenceError::Truncated { .. })), "{length}");
        }
        let longer = [whole.as_slice(), &[0]].concat();
        assert_eq!(read_reference(&longer), Err(ReferenceError::TooLong(1)));
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let whole = network();
        for at in (0..whole.len()).step_by(4) {
            for value in [u32::MAX, u32::MAX / 2, 1 << 30, 0] {
                let mut bytes = whole.clone();
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                // Some positions hold floats, for which zero is valid. Reading must not panic or allocate the requested size.
                let _ = read_reference(&bytes);
            }
        }
        assert!(read_reference(&[0xff; 64]).is_err());
        assert!(read_reference(&[0; 20]).is_err());
    }
}
