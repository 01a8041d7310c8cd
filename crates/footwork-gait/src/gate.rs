//! A measured quantity with its bounds.

/// One measured quantity and its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Name of the quantity, ending in its unit.
    pub name: &'static str,
    /// Measured value.
    pub value: f32,
    /// Smallest value that passes.
    pub low: f32,
    /// Largest value that passes.
    pub high: f32,
    /// Source of the bounds, or the reason for them.
    pub source: &'static str,
    /// Clip, time and body part of the worst value, for gates over many values; otherwise empty.
    pub at: String,
}

impl Gate {
    pub(crate) fn new(name: &'static str, value: f32, low: f32, high: f32, source: &'static str) -> Self {
        Self { name, value, low, high, source, at: String::new() }
    }

    /// Returns true if the value lies within the bounds.
    pub fn holds(&self) -> bool {
        self.low <= self.value && self.value <= self.high
    }
}

/// An extreme value and its location.
pub(crate) struct Extreme {
    sign: f32,
    value: f32,
    at: String,
}

impl Extreme {
    pub(crate) fn least() -> Self {
        Self { sign: -1.0, value: f32::MAX, at: String::new() }
    }

    pub(crate) fn most() -> Self {
        Self { sign: 1.0, value: f32::MIN, at: String::new() }
    }

    pub(crate) fn meet(&mut self, value: f32, at: impl FnOnce() -> String) {
        if (value - self.value) * self.sign > 0.0 {
            (self.value, self.at) = (value, at());
        }
    }

    pub(crate) fn gate(self, name: &'static str, low: f32, high: f32, source: &'static str) -> Gate {
        Gate { name, value: self.value, low, high, source, at: self.at }
    }
}
