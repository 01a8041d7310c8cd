//! A layer of a network, and the storage formats of its weights.

use super::half;

/// Storage format of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats, as trained.
    F32,
    /// 16-bit floats.
    F16,
    /// 8-bit integers with a factor per output.
    I8,
}

impl Precision {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::F32, Self::F16, Self::I8];

    /// Returns `f32`, `f16` or `int8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::I8 => "int8",
        }
    }

    /// Returns the size of a weight in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::I8 => 1,
        }
    }
}

/// `[inputs x outputs]` weights of a layer, row after row.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// 32-bit floats, as trained.
    F32(Vec<f32>),
    /// Bits of IEEE half floats.
    F16(Vec<u16>),
    /// Integers, and the factor of each output, `[outputs]`.
    I8(Vec<i8>, Vec<f32>),
}

impl Weights {
    /// Returns the storage format.
    pub fn precision(&self) -> Precision {
        match self {
            Self::F32(_) => Precision::F32,
            Self::F16(_) => Precision::F16,
            Self::I8(..) => Precision::I8,
        }
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(w) => w.len(),
            Self::F16(w) => w.len(),
            Self::I8(w, _) => w.len(),
        }
    }

    /// Returns true if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the weights as floats.
    pub fn to_f32(&self) -> Vec<f32> {
        match self {
            Self::F32(w) => w.clone(),
            Self::F16(w) => w.iter().map(|h| half::from_f16(*h)).collect(),
            Self::I8(w, scale) => w.iter().zip(scale.iter().cycle()).map(|(q, s)| f32::from(*q) * s).collect(),
        }
    }

    /// Returns the weights in another format, rounded to the nearest value. `outputs` is the length of a row.
    pub(super) fn with_precision(&self, precision: Precision, outputs: usize) -> Self {
        if self.precision() == precision {
            return self.clone();
        }
        let values = self.to_f32();
        match precision {
            Precision::F32 => Self::F32(values),
            Precision::F16 => Self::F16(values.iter().map(|v| half::to_f16(*v)).collect()),
            Precision::I8 => {
                let mut scale = vec![0.0f32; outputs];
                for row in values.chunks_exact(outputs) {
                    scale.iter_mut().zip(row).for_each(|(s, v)| *s = s.max(v.abs() / 127.0));
                }
                // The factor of a column of zeros is arbitrary.
                scale.iter_mut().filter(|s| **s == 0.0).for_each(|s| *s = 1.0);
                let quantized = values.iter().zip(scale.iter().cycle());
                Self::I8(quantized.map(|(v, s)| (v / s).round().clamp(-127.0, 127.0) as i8).collect(), scale)
            }
        }
    }
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Weights, `[inputs x outputs]`.
    pub weights: Weights,
    /// Biases, `[outputs]`.
    pub bias: Vec<f32>,
}

impl Layer {
    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.weights.len() / self.bias.len().max(1)
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }
}
