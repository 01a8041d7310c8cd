//! Built-in character: clips and a mannequin, without files.

use bevy_app::prelude::*;
use bevy_asset::io::embedded::EmbeddedAssetRegistry;
use footwork::build::{BuildConfig, BuildOptions, build};
use footwork_gait::BIPED_MACHINE;
use footwork_import::glb::{GlbOptions, write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tracing::error;

/// Adds the assets `embedded://footwork/person.fwdb` (the built-in clips), `embedded://footwork/person.glb` (a mannequin with
/// their skeleton), and `embedded://footwork/person.machine.toml` (a state machine for these clips: crouch, aim, gestures). Takes
/// about a second, because it computes the clips. Add it after Bevy's `AssetPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInPersonPlugin;

impl Plugin for BuiltInPersonPlugin {
    fn build(&self, app: &mut App) {
        static FILES: OnceLock<Result<[Vec<u8>; 2], String>> = OnceLock::new();
        let Some(registry) = app.world().get_resource::<EmbeddedAssetRegistry>() else {
            error!("`BuiltInPersonPlugin` needs Bevy's `AssetPlugin` before it");
            return;
        };
        match FILES.get_or_init(files) {
            Ok([clips, mannequin]) => {
                let files = [("fwdb", clips), ("glb", mannequin), ("machine.toml", &BIPED_MACHINE.into())];
                for (ending, bytes) in files {
                    let name = format!("footwork/person.{ending}");
                    registry.insert_asset(PathBuf::from(&name), Path::new(&name), bytes.clone());
                }
            }
            Err(e) => error!("the built-in person cannot be made: {e}"),
        }
    }
}

/// Returns the database and the mannequin.
fn files() -> Result<[Vec<u8>; 2], String> {
    let clips = footwork_gait::clips(&footwork_gait::GaitOptions::BUILT_IN);
    let (db, _) = build(&clips, &BuildConfig::default(), &BuildOptions::default()).map_err(|e| e.to_string())?;
    let mut mannequin = Vec::new();
    write(&db.skeleton, &[], &GlbOptions::default(), &mut mannequin).map_err(|e| e.to_string())?;
    Ok([db.to_bytes()?, mannequin])
}
