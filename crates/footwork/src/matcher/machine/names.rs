//! The values that a game sets, by name.

use super::error::MachineError;
use super::memory::TRIGGER_COUNTS;

/// Values of a machine's variables and triggers. Setting one by name looks it up; allocates nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variables {
    names: Vec<String>,
    values: Vec<f32>,
    /// The first triggers' place.
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
    /// Returns [`MachineError`] for a name that is none of a variable.
    pub fn set(&mut self, name: &str, value: f32) -> Result<(), MachineError> {
        let at = self.variable(name)?;
        self.values[at] = value;
        Ok(())
    }

    /// Fires a trigger.
    ///
    /// # Errors
    /// Returns [`MachineError`] for a name that is none of a trigger.
    pub fn fire(&mut self, name: &str) -> Result<(), MachineError> {
        let at = self.trigger(name)?;
        self.values[at] = (self.values[at] + 1.0) % TRIGGER_COUNTS;
        Ok(())
    }

    /// The place of a variable among the values.
    ///
    /// # Errors
    /// Returns [`MachineError`] for a name that is none of a variable.
    pub fn variable(&self, name: &str) -> Result<usize, MachineError> {
        self.place("variable", 0..self.triggers, name)
    }

    /// The place of a trigger among the values. Its value counts how often it was fired: add 1 to fire it, and begin again at 0 after
    /// 65,535. A value that falls otherwise is taken over without firing.
    ///
    /// # Errors
    /// Returns [`MachineError`] for a name that is none of a trigger.
    pub fn trigger(&self, name: &str) -> Result<usize, MachineError> {
        self.place("trigger", self.triggers..self.names.len(), name)
    }

    /// Takes over the values of variables, and the counts of triggers, that another machine has by the same names.
    pub fn take_over(&mut self, other: &Self) {
        for (k, name) in self.names.iter().enumerate() {
            let before = other.names.iter().position(|n| n == name);
            let same = before.filter(|before| (*before < other.triggers) == (k < self.triggers));
            if let Some(before) = same {
                self.values[k] = other.values[before];
            }
        }
    }

    /// All values, as [`crate::input::MotionInput::variables`] takes them.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The same, to be written by place.
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
