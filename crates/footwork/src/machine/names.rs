//! Values that a game sets, by name.

use super::error::MachineError;
use super::memory::TRIGGER_COUNTS;

/// Values of a machine's variables and triggers. Setting one by name looks up the name and allocates nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variables {
    names: Vec<String>,
    values: Vec<f32>,
    /// Index of the first trigger.
    triggers: usize,
}

impl Variables {
    pub(crate) fn new(names: &[String], defaults: &[f32]) -> Self {
        let mut values = defaults.to_vec();
        values.resize(names.len(), 0.0);
        Self { names: names.to_vec(), values, triggers: defaults.len() }
    }

    /// Sets a variable.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown variable.
    pub fn set(&mut self, name: &str, value: f32) -> Result<(), MachineError> {
        let at = self.variable(name)?;
        self.values[at] = value;
        Ok(())
    }

    /// Fires a trigger.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown trigger.
    pub fn fire(&mut self, name: &str) -> Result<(), MachineError> {
        let at = self.trigger(name)?;
        self.values[at] = (self.values[at] + 1.0) % TRIGGER_COUNTS;
        Ok(())
    }

    /// Returns the index of a variable in the values.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown variable.
    pub fn variable(&self, name: &str) -> Result<usize, MachineError> {
        self.place("variable", 0..self.triggers, name)
    }

    /// Returns the index of a trigger in the values. Its value counts how often it was fired: add 1 to fire it, and wrap to 0
    /// after 65,535. Any other decrease does not fire.
    ///
    /// # Errors
    /// Returns [`MachineError`] for an unknown trigger.
    pub fn trigger(&self, name: &str) -> Result<usize, MachineError> {
        self.place("trigger", self.triggers..self.names.len(), name)
    }

    /// Takes over the values of variables and the counts of triggers from another machine, by name.
    pub fn take_over(&mut self, other: &Self) {
        for (k, name) in self.names.iter().enumerate() {
            let before = other.names.iter().position(|n| n == name);
            let same = before.filter(|before| (*before < other.triggers) == (k < self.triggers));
            if let Some(before) = same {
                self.values[k] = other.values[before];
            }
        }
    }

    /// Returns all values for [`crate::input::MotionInput::variables`].
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns all values for writing by index.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    fn place(&self, kind: &'static str, among: std::ops::Range<usize>, name: &str) -> Result<usize, MachineError> {
        let start = among.start;
        let names = &self.names[among];
        let place = names.iter().position(|n| n == name).map(|at| start + at);
        place.ok_or_else(|| MachineError::unknown(format!("{kind}s"), kind, name, names.iter().map(String::as_str)))
    }
}
