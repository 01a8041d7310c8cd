//! Choice among characters by conditions.

use crate::components::MotionCharacter;
use crate::variables::MotionVariables;
use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use footwork::chooser::ChooserConditions;
use footwork::machine::Variables;
use tracing::error;

/// Makes an entity the character of the first row whose condition holds: healthy or injured, on foot or with a shield. Motion
/// continues from the pose shown, and the state machine in the state of the same name, if the new character has one.
///
/// Conditions use [`MotionVariables`], including variables that the state machine does not have.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[require(MotionVariables)]
pub struct MotionChooser {
    /// Names of the conditions' variables, and their default values.
    pub variables: Vec<(String, f32)>,
    /// Rows, in order of priority. If none holds, the character does not change.
    pub rows: Vec<MotionChoice>,
}

/// A row of a [`MotionChooser`].
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionChoice {
    /// Condition, such as `injured & speed > 2`; `None`: always true.
    pub when: Option<String>,
    /// Character of the row.
    pub character: MotionCharacter,
}

/// Parsed conditions of a chooser; `None` if they are invalid.
#[derive(Component)]
pub(crate) struct ReadConditions(Option<(ChooserConditions, Variables)>);

/// Parses new conditions, and applies the rows.
pub(crate) fn choose_characters(
    mut commands: Commands,
    mut choosers: Query<(
        Entity,
        Ref<MotionChooser>,
        &MotionVariables,
        Option<&mut MotionCharacter>,
        Option<&mut ReadConditions>,
    )>,
) {
    for (entity, chooser, given, character, read) in &mut choosers {
        let Some(mut read) = read.filter(|_| !chooser.is_changed()) else {
            let variables = chooser.variables.iter().cloned().collect();
            let rows = chooser.rows.iter().map(|row| row.when.as_deref());
            let conditions = match ChooserConditions::new(&variables, rows) {
                Ok(conditions) => Some((conditions.variables(), conditions)),
                Err(e) => {
                    error!("chooser of {entity}: {e}; it chooses nothing");
                    None
                }
            };
            commands.entity(entity).insert(ReadConditions(conditions.map(|(variables, read)| (read, variables))));
            continue;
        };
        let Some((conditions, values)) = &mut read.0 else { continue };
        for (name, default) in &chooser.variables {
            // The conditions were parsed with the same names, so this succeeds.
            let _ = values.set(name, given.get(name).unwrap_or(*default));
        }
        let Some(row) = conditions.choose(values) else { continue };
        let chosen = &chooser.rows[row].character;
        match character {
            Some(mut character) if *character != *chosen => *character = chosen.clone(),
            Some(_) => {}
            None => _ = commands.entity(entity).insert(chosen.clone()),
        }
    }
}
