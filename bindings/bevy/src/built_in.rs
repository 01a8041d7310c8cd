//! Built-in characters: clips and a mannequin, without files.

use bevy_app::prelude::*;
use bevy_asset::io::embedded::EmbeddedAssetRegistry;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork_gait::{BIPED_MACHINE, GaitOptions};
use footwork_import::glb::{GlbOptions, write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tracing::error;

/// Adds the assets `embedded://footwork/person.fwdb` (the built-in clips), `embedded://footwork/person.glb` (a mannequin with
/// their skeleton), and `embedded://footwork/person.machine.toml` (a state machine for these clips: crouch, aim, gestures). Takes
/// about a second, because it computes the clips. Add it after Bevy's `AssetPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInPersonPlugin;

/// Adds the assets `embedded://footwork/actions.fwdb` (the built-in clips with actions: jumps, vaults, climbs, seats) and
/// `embedded://footwork/person.glb` (a mannequin with their skeleton). Takes about a second, because it computes the clips. Add it after
/// Bevy's `AssetPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInActionsPlugin;

impl Plugin for BuiltInPersonPlugin {
    fn build(&self, app: &mut App) {
        static FILES: OnceLock<Result<[Vec<u8>; 2], String>> = OnceLock::new();
        let machine = ("person.machine.toml", BIPED_MACHINE.as_bytes());
        add(
            app,
            "BuiltInPersonPlugin",
            FILES.get_or_init(|| files(&GaitOptions::BUILT_IN)),
            "person.fwdb",
            Some(machine),
        );
    }
}

impl Plugin for BuiltInActionsPlugin {
    fn build(&self, app: &mut App) {
        static FILES: OnceLock<Result<[Vec<u8>; 2], String>> = OnceLock::new();
        add(app, "BuiltInActionsPlugin", FILES.get_or_init(|| files(&GaitOptions::ACTIONS)), "actions.fwdb", None);
    }
}

/// Adds a database and the mannequin to the assets.
fn add(app: &mut App, plugin: &str, files: &Result<[Vec<u8>; 2], String>, name: &str, more: Option<(&str, &[u8])>) {
    let Some(registry) = app.world().get_resource::<EmbeddedAssetRegistry>() else {
        error!("`{plugin}` needs Bevy's `AssetPlugin` before it");
        return;
    };
    match files {
        Ok([clips, mannequin]) => {
            for (name, bytes) in [(name, &clips[..]), ("person.glb", &mannequin[..])].into_iter().chain(more) {
                let name = format!("footwork/{name}");
                registry.insert_asset(PathBuf::from(&name), Path::new(&name), bytes.to_vec());
            }
        }
        Err(e) => error!("the built-in person cannot be made: {e}"),
    }
}

/// Returns the database and the mannequin.
fn files(options: &GaitOptions) -> Result<[Vec<u8>; 2], String> {
    let clips = footwork_gait::clips(options);
    let (db, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).map_err(|e| e.to_string())?;
    let mut mannequin = Vec::new();
    write(&db.skeleton, &[], &GlbOptions::default(), &mut mannequin).map_err(|e| e.to_string())?;
    Ok([db.to_bytes()?, mannequin])
}
