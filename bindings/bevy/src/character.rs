//! Gives an entity the data of its character once they are loaded, and other data when they change.

use crate::components::{MotionCharacter, MotionKind, MotionOutput, MotionState};
use crate::convert::into_root;
use crate::kinds::{KindKey, Kinds};
use crate::model::MotionModel;
use crate::montages::MotionMontages;
use crate::plugin_state::PluginState;
use crate::variables::{MotionVariables, PreparedVariables};
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use footwork::matcher::{Character, MatcherState};
use std::sync::Arc;

/// Inserts the kind of an entity when it is available, and replaces it when it changes. Motion continues from the pose shown.
pub(crate) fn adopt_kinds(
    mut commands: Commands,
    mut kinds: ResMut<Kinds>,
    mut characters: Query<(
        Entity,
        &MotionCharacter,
        (&Transform, &mut MotionVariables, Option<&MotionMontages>),
        Option<(&mut MotionKind, &mut MotionState, &mut MotionOutput, &mut PluginState)>,
    )>,
) {
    for (entity, wanted, (transform, mut variables, montages), parts) in &mut characters {
        let Some(character) = kinds.get(KindKey::of(wanted)) else { continue };
        let Some((mut kind, mut state, mut output, mut plugin_state)) = parts else {
            let Some(parts) = begin(character, transform) else { continue };
            go_on_calling(commands.entity(entity), montages, character, &parts.1.0);
            commands.entity(entity).insert(parts);
            continue;
        };
        if Arc::ptr_eq(character, &kind.character) {
            continue;
        }
        variables.forget_fired();
        // A database with another skeleton cannot show the pose, so the character starts at rest, and its model is fitted again.
        let was = (&*kind.character, &state.0, &output.0);
        let Ok((new, shown)) = character.take_over(was, &mut character.scratch()) else {
            commands.entity(entity).remove::<(Parts, MotionMontages, MotionModel)>();
            continue;
        };
        go_on_calling(commands.entity(entity), montages, character, &new);
        kind.character = character.clone();
        (state.0, output.0) = (new, shown);
        plugin_state.prepared.forget();
        plugin_state.variables = PreparedVariables::default();
    }
}

/// Inserts or removes the montage calls, as the character has a state machine or not.
fn go_on_calling(
    mut entity: EntityCommands,
    before: Option<&MotionMontages>,
    character: &Character,
    state: &MatcherState,
) {
    match MotionMontages::going_on(before, character, state) {
        Some(calls) => _ = entity.insert(calls),
        None => _ = entity.remove::<MotionMontages>(),
    }
}

type Parts = (MotionKind, MotionState, MotionOutput, PluginState);

fn begin(character: &Arc<Character>, at: &Transform) -> Option<Parts> {
    let mut state = character.state_at(into_root(at, 1.0)).ok()?;
    let mut output = character.output();
    character.show(&mut state, &mut character.scratch(), &mut output).ok()?;
    let kind = MotionKind { character: character.clone(), scale: 1.0 };
    Some((kind, MotionState(state), MotionOutput(output), PluginState::default()))
}
