//! Choosing among characters by conditions.

use crate::character::MotionCharacter;
use crate::variables::MotionVariables;
use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use footwork::chooser::ChooserConditions;
use footwork::machine::Variables;
use tracing::error;

/// Makes an entity the character of the first row whose condition holds: healthy or injured, on foot or with a shield. Motion goes on
/// from the pose that is shown, and the state machine in the state of the same name, if the new character's has one.
///
/// Conditions are over [`MotionVariables`]: those that the entity's state machine has, or others.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone, PartialEq)]
#[require(MotionVariables)]
pub struct MotionChooser {
    /// Names of the variables of the conditions, and their values while nothing is set.
    pub variables: Vec<(String, f32)>,
    /// Rows. Where none holds, the character stays.
    pub rows: Vec<MotionChoice>,
}

/// A row of a [`MotionChooser`].
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone, PartialEq)]
pub struct MotionChoice {
    /// Condition, such as `injured & speed > 2`; `None`: always.
    pub when: Option<String>,
    /// The character.
    pub character: MotionCharacter,
}

/// The conditions of a chooser, read. `None` where they cannot be.
#[derive(Component)]
pub(crate) struct ReadConditions(Option<(ChooserConditions, Variables)>);

/// Reads conditions that are new, and lets the rows choose.
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
            // The names are those that the conditions were read with.
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
