//! Variables and triggers of a state machine that a game sets and fires over time.

use crate::RATE_HZ;
use footwork::machine::{MachineError, Variables};

/// A change of a variable, or a trigger that is fired.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    /// Time of the run, in seconds. The cue applies in the first update that begins at this time or later.
    pub at_s: f32,
    /// The variable or trigger.
    pub name: String,
    /// The new value of a variable; `None` fires a trigger.
    pub value: Option<f32>,
}

/// A variable or trigger over the rows of a course.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The variable or trigger.
    pub name: String,
    /// `[rows]` one per 1/60 s. A trigger is fired in each row whose value is over 0.5 after one whose value is not.
    pub values: Vec<f32>,
}

/// The cues of a run, in order of time.
#[derive(Clone, Debug)]
pub struct Cues {
    cues: Vec<Cue>,
    next: usize,
}

impl Cues {
    /// Collects cues and columns for all variables and triggers of a run: of a state machine, or of a chooser and its machines.
    /// Cues apply after columns; of several cues at one time, the last one takes effect.
    ///
    /// # Errors
    /// Returns [`MachineError`] for the first name that is neither a variable nor a trigger, with the nearest name.
    pub fn new(known: &[Variables], columns: &[Column], cues: &[Cue]) -> Result<Self, MachineError> {
        let mut all = Vec::new();
        for column in columns {
            let fires = known.iter().any(|v| v.trigger(&column.name).is_ok());
            let mut before = if fires { 0.0 } else { f32::NAN };
            for (row, value) in column.values.iter().enumerate() {
                let changes = if fires { *value > 0.5 && before <= 0.5 } else { *value != before };
                if changes {
                    let value = if fires { None } else { Some(*value) };
                    all.push(Cue { at_s: row as f32 / RATE_HZ, name: column.name.clone(), value });
                }
                before = *value;
            }
        }
        all.extend_from_slice(cues);
        for cue in &all {
            let place = |v: &Variables| if cue.value.is_some() { v.variable(&cue.name) } else { v.trigger(&cue.name) };
            if known.iter().all(|v| place(v).is_err())
                && let Some(first) = known.first()
            {
                place(first)?;
            }
        }
        // The sort is stable: entries of the same time stay in the order given.
        all.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Ok(Self { cues: all, next: 0 })
    }

    /// Applies to `variables` all cues that are due at a time, in seconds. Times must not decrease.
    pub fn apply(&mut self, time_s: f32, variables: &mut [&mut Variables]) {
        // The tolerance includes rows that begin later only by rounding.
        while let Some(cue) = self.cues.get(self.next).filter(|cue| cue.at_s <= time_s + 1e-4) {
            for variables in variables.iter_mut() {
                // A name may be missing in some of them.
                let _ = match cue.value {
                    Some(value) => variables.set(&cue.name, value),
                    None => variables.fire(&cue.name),
                };
            }
            self.next += 1;
        }
    }
}
