//! What a game sets and fires in the state machine of a character.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use footwork::machine::{Machine, Variables};

/// Values of the variables of a character's state machine, and its triggers. What the game does not set has the value that the
/// machine gives.
///
/// A name that the machine does not have is told once in the log, with the nearest that it has, and otherwise ignored.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
pub struct MotionVariables {
    values: Vec<(String, f32)>,
    /// How often each trigger was fired; begins anew after 65535.
    fired: Vec<(String, u16)>,
}

impl MotionVariables {
    /// Sets a variable; it keeps the value. Allocates only for a name that was not set before.
    pub fn set(&mut self, name: &str, value: f32) {
        match self.values.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name.to_owned(), value)),
        }
    }

    /// The value that was set; `None` where the machine's own holds.
    pub fn get(&self, name: &str) -> Option<f32> {
        self.values.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    /// Fires a trigger: it waits for as long as the machine says, until a transition or a montage uses it. Allocates only for a
    /// name that was not fired before.
    pub fn fire(&mut self, name: &str) {
        match self.fired.iter_mut().find(|(n, _)| n == name) {
            Some((_, times)) => *times = times.wrapping_add(1),
            None => self.fired.push((name.to_owned(), 1)),
        }
    }

    /// Forgets what was fired: another machine, which has seen nothing of it, begins.
    pub(crate) fn forget_fired(&mut self) {
        self.fired.clear();
    }
}

/// A machine's values as an update takes them; filled without allocating once they have been.
#[derive(Default)]
pub(crate) struct PreparedVariables {
    /// All values as the machine has them.
    defaults: Option<Variables>,
    /// Names that the machine does not have, and whether of triggers; they have been told.
    unknown: Vec<(bool, String)>,
}

impl PreparedVariables {
    /// Writes `[variables and triggers]`; `tell` hears of each unknown name once.
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
