//! Variables and triggers of a character's state machine.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use footwork::machine::{Machine, Variables};

/// Variables and triggers of a character's state machine. Variables that the game does not set have the machine's defaults.
///
/// A name that the machine does not have is ignored; the log reports it once, with the most similar name.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionVariables {
    values: Vec<(String, f32)>,
    /// Number of times that each trigger was fired; wraps after 65535.
    fired: Vec<(String, u16)>,
}

impl MotionVariables {
    /// Sets a variable, which keeps the value. Allocates only for a new name.
    pub fn set(&mut self, name: &str, value: f32) {
        match self.values.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name.to_owned(), value)),
        }
    }

    /// Returns the value that was set, or `None` if the machine's default applies.
    pub fn get(&self, name: &str) -> Option<f32> {
        self.values.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    /// Fires a trigger. It waits until a transition or a montage uses it, for at most the time given by the machine. Allocates
    /// only for a new name.
    pub fn fire(&mut self, name: &str) {
        match self.fired.iter_mut().find(|(n, _)| n == name) {
            Some((_, times)) => *times = times.wrapping_add(1),
            None => self.fired.push((name.to_owned(), 1)),
        }
    }

    /// Clears fired triggers, for a change to another machine.
    pub(crate) fn forget_fired(&mut self) {
        self.fired.clear();
    }
}

/// A machine's values in the form of an update. Refilling them does not allocate.
#[derive(Default)]
pub(crate) struct PreparedVariables {
    /// Default values of the machine.
    defaults: Option<Variables>,
    /// Unknown names that were reported, and whether each is a trigger.
    unknown: Vec<(bool, String)>,
}

impl PreparedVariables {
    /// Writes `[variables and triggers]`. Calls `tell` once for each unknown name.
    pub fn fill(
        &mut self,
        given: &MotionVariables,
        machine: Option<&Machine>,
        out: &mut Vec<f32>,
        mut tell: impl FnMut(String),
    ) {
        let Self { defaults, unknown } = self;
        let defaults = defaults.get_or_insert_with(|| machine.map(Machine::variables).unwrap_or_default());
        out.clear();
        out.extend_from_slice(defaults.values());
        let mut put = |is_trigger: bool, name: &str, value: f32| {
            if unknown.iter().any(|(t, n)| *t == is_trigger && n == name) {
                return;
            }
            match if is_trigger { defaults.trigger(name) } else { defaults.variable(name) } {
                Ok(at) => out[at] = value,
                Err(e) => {
                    let what = match machine {
                        Some(_) => e.to_string(),
                        None => format!("`{name}` needs a state machine: name one in `MotionCharacter::machine`"),
                    };
                    tell(what);
                    unknown.push((is_trigger, name.to_owned()));
                }
            }
        };
        given.values.iter().for_each(|(name, value)| put(false, name, *value));
        given.fired.iter().for_each(|(name, times)| put(true, name, f32::from(*times)));
    }
}
