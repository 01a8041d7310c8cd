//! The state machine of a session's character.

use crate::session::Session;
use footwork::machine::{Machine, MachineSpec};
use footwork::matcher::Character;
use std::sync::Arc;

impl Session {
    /// Returns the state machine that can run the character.
    pub fn machine(&self) -> Option<&Machine> {
        self.machine.as_deref()
    }

    /// Sets the state machine that can run the character; see [`Session::run_machine`].
    ///
    /// # Errors
    /// Returns a message if the machine does not fit the database; nothing changes.
    pub fn set_machine(&mut self, spec: MachineSpec) -> Result<(), String> {
        let machine = Machine::new(self.database().clone(), spec).map_err(|e| e.to_string())?;
        self.take_machine(Arc::new(machine))
    }

    /// Same as [`Session::set_machine`], for a compiled machine.
    pub(crate) fn take_machine(&mut self, machine: Arc<Machine>) -> Result<(), String> {
        let runs = self.runs_machine();
        self.variables = machine.variables();
        self.machine = Some(machine);
        if runs { self.run_machine(true) } else { Ok(()) }
    }

    /// Returns true while a state machine runs the character.
    pub fn runs_machine(&self) -> bool {
        self.matcher.character().machine().is_some()
    }

    /// Lets the state machine run the character, or motion matching alone. The character continues from the pose shown, and a new
    /// recording starts. A running machine continues unchanged.
    ///
    /// # Errors
    /// Returns a message if there is no machine; nothing changes.
    pub fn run_machine(&mut self, run: bool) -> Result<(), String> {
        let machine = match &self.machine {
            Some(machine) if run => Some(machine.clone()),
            None if run => return Err("there is no state machine for this data".to_owned()),
            _ => None,
        };
        let running = self.matcher.character().machine();
        if machine.as_deref().zip(running).is_some_and(|(a, b)| std::ptr::eq(a, b)) {
            return Ok(());
        }
        let character = match self.plays_networks() {
            true => {
                Character::new(self.database().clone(), self.tuning.matcher().clone()).map_err(|e| e.to_string())?
            }
            false => (**self.matcher.character()).clone(),
        };
        self.become_a(character.with_machine(machine).map_err(|e| e.to_string())?)?;
        self.reset_variables();
        Ok(())
    }

    /// Replaces the machine of the session with that of a recording.
    pub(crate) fn follow_machine(&mut self, recorded: Option<&MachineSpec>) -> Result<(), String> {
        let now = self.matcher.character().machine().map(Machine::spec);
        match recorded {
            _ if recorded == now => Ok(()),
            Some(spec) => {
                self.set_machine(spec.clone())?;
                self.run_machine(true)
            }
            None => self.run_machine(false),
        }
    }

    /// Resets all variables to the machine's defaults, and all triggers.
    pub(crate) fn reset_variables(&mut self) {
        self.variables = self.machine().map(Machine::variables).unwrap_or_default();
    }

    /// Sets the variables from a recorded update. Triggers fired before it do not fire again.
    pub(crate) fn put_variables(&mut self, recorded: &[f32]) {
        self.reset_variables();
        let values = self.variables.values_mut();
        if values.len() == recorded.len() {
            values.copy_from_slice(recorded);
        }
    }
}
