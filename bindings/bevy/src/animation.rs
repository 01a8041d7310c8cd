//! Plays a model's own animation until its poses show how the body is built, for models whose rest pose does not stand.

use crate::unknown_body::UnknownBody;
use bevy_animation::graph::{AnimationGraph, AnimationGraphHandle, AnimationNodeIndex};
use bevy_animation::{AnimationClip, AnimationPlayer};
use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets};
use bevy_ecs::prelude::*;
use bevy_mesh::skinning::SkinnedMesh;

/// The animation that was started on a model, and the entity of its player.
#[derive(Component)]
struct Shown {
    player: Entity,
    animation: AnimationNodeIndex,
}

/// Adds the systems to an app that has Bevy's animation.
pub fn add(app: &mut App) {
    let animated = resource_exists::<Assets<AnimationGraph>>;
    app.add_systems(Update, (play_first, stop_shown).chain().run_if(animated));
}

/// Plays the first animation of the file that a skin comes from, unless the game plays one.
fn play_first(
    mut commands: Commands,
    unknown: Query<Entity, (With<UnknownBody>, Without<Shown>)>,
    (children, skins): (Query<&Children>, Query<&SkinnedMesh>),
    mut players: Query<&mut AnimationPlayer>,
    assets: Res<AssetServer>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
) {
    for character in &unknown {
        let file =
            children.iter_descendants(character).find_map(|e| skins.get(e).ok()?.inverse_bindposes.path().cloned());
        let player = children.iter_descendants(character).find(|e| players.contains(*e));
        let (Some(file), Some(player)) = (file, player) else { continue };
        let Ok(mut playing) = players.get_mut(player) else { continue };
        if playing.playing_animations().next().is_some() {
            continue;
        }
        let clip = assets.load::<AnimationClip>(file.with_label("Animation0"));
        let (graph, animation) = AnimationGraph::from_clip(clip);
        playing.play(animation).repeat();
        commands.entity(player).insert(AnimationGraphHandle(graphs.add(graph)));
        commands.entity(character).insert(Shown { player, animation });
    }
}

/// Stops the animation once the model is fitted.
fn stop_shown(
    mut commands: Commands,
    known: Query<(Entity, &Shown), Without<UnknownBody>>,
    mut players: Query<&mut AnimationPlayer>,
) {
    for (character, shown) in &known {
        if let Ok(mut player) = players.get_mut(shown.player) {
            player.stop(shown.animation);
        }
        commands.entity(character).remove::<Shown>();
    }
}
