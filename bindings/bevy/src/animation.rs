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
    unknown: Query<(Entity, Option<&Shown>), With<UnknownBody>>,
    (children, skins): (Query<&Children>, Query<&SkinnedMesh>),
    mut players: Query<&mut AnimationPlayer>,
    assets: Res<AssetServer>,
    mut graphs: ResMut<Assets<AnimationGraph>>,
) {
    for (character, shown) in &unknown {
        // To load the animation, Bevy reads the file again, which replaces all entities of the model.
        if shown.is_some_and(|shown| players.contains(shown.player)) {
            continue;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_asset::{AssetApp, AssetPlugin};
    use bevy_mesh::skinning::SkinnedMeshInverseBindposes;

    /// Adds a model as Bevy does when a file is loaded: a skin, and a player of animations.
    fn spawn_model(app: &mut App, character: Entity) -> Entity {
        let inverse_bindposes = app.world().resource::<AssetServer>().load("hero.gltf#Skin0/InverseBindMatrices");
        let skin = SkinnedMesh { inverse_bindposes, joints: Vec::new() };
        let model = app.world_mut().spawn((AnimationPlayer::default(), skin)).id();
        app.world_mut().entity_mut(character).add_child(model);
        model
    }

    #[test]
    fn the_animation_is_played_on_the_model_that_is_there_after_the_file_is_read_again() {
        let mut app = App::new();
        app.add_plugins((bevy_app::TaskPoolPlugin::default(), AssetPlugin::default()));
        app.init_asset::<AnimationClip>().init_asset::<AnimationGraph>().init_asset::<SkinnedMeshInverseBindposes>();
        add(&mut app);
        let character = app.world_mut().spawn(UnknownBody::default()).id();
        let plays = |app: &App, model: Entity| {
            app.world().get::<AnimationPlayer>(model).unwrap().playing_animations().next().is_some()
        };
        let first = spawn_model(&mut app, character);
        app.update();
        assert!(plays(&app, first));
        app.world_mut().despawn(first);
        let second = spawn_model(&mut app, character);
        app.update();
        assert!(plays(&app, second));
        app.world_mut().entity_mut(character).remove::<UnknownBody>();
        app.update();
        assert!(!plays(&app, second));
    }
}
