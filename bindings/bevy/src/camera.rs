//! Warns if no camera sees a character.

use crate::model::MotionModel;
use bevy_app::prelude::*;
use bevy_camera::Camera;
use bevy_camera::visibility::{NoCpuCulling, VisibleEntities};
use bevy_ecs::prelude::*;
use bevy_transform::prelude::GlobalTransform;
use bevy_window::Window;
use tracing::warn;

/// Frames after which the warning is given: 2 s at 60 Hz.
const PATIENCE: u32 = 120;

/// Frames for which no camera has seen a character whose model is shown.
#[derive(Component, Default)]
struct Unseen(u32);

/// Adds the systems.
pub fn add(app: &mut App) {
    app.add_systems(Last, (begin, look).chain());
}

fn begin(mut commands: Commands, shown: Query<Entity, Added<MotionModel>>) {
    for character in &shown {
        commands.entity(character).insert(Unseen::default());
    }
}

/// Compares the visible entities of all cameras with the meshes of each character. Warns once per character, and not in apps without
/// window and camera.
fn look(
    mut commands: Commands,
    mut unseen: Query<(Entity, &mut Unseen, &GlobalTransform)>,
    children: Query<&Children>,
    cameras: Query<(&Camera, &VisibleEntities, &GlobalTransform)>,
    always_seen: Query<(), With<NoCpuCulling>>,
    windows: Query<(), With<Window>>,
) {
    for (character, mut unseen, at) in &mut unseen {
        unseen.0 += 1;
        let meshes = || children.iter_descendants(character);
        let active = || cameras.iter().filter(|(camera, ..)| camera.is_active);
        let seen = |mesh: Entity| {
            always_seen.contains(mesh)
                || active().any(|(_, visible, _)| visible.entities.values().any(|list| list.contains(&mesh)))
        };
        let is_seen = meshes().any(seen);
        if !is_seen && unseen.0 < PATIENCE {
            continue;
        }
        commands.entity(character).remove::<Unseen>();
        if is_seen || windows.is_empty() && cameras.is_empty() {
            continue;
        }
        let at = at.translation();
        match active().next() {
            None => warn!(
                "{character}: no camera sees it: there is no active camera; spawn a `Camera3d` that looks at {at}"
            ),
            Some((.., camera)) => warn!(
                "{character}: no camera sees it: it is at {at}, the first camera at {} and looks along {}; turn the camera \
                 (`Transform::looking_at`), or see whether the model is hidden",
                camera.translation(),
                *camera.forward()
            ),
        }
    }
}
