//! Your own model and clips, without naming any joint: the clips are read, built and played on the model.
//! `cargo run --release -p bevy_footwork --features examples --example own_character -- hero.glb mocap/`

mod common;

use bevy::prelude::*;
use bevy_footwork::footwork::build::{BuildConfig, BuildOptions, build};
use bevy_footwork::prelude::*;
use footwork_import::{SourceConfig, import_clips};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Asset path of the model, and the clips.
#[derive(Resource)]
struct Own(String, Option<MotionDatabase>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = common::files();
    let (model, clips) = (files.first(), files.get(1));
    // Bevy reads assets from one folder, which is that of the model.
    let (folder, model) = match model.map(Path::new) {
        Some(path) => {
            let path = path.canonicalize()?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (path.parent().unwrap_or(Path::new("/")).display().to_string(), format!("{name}#Scene0"))
        }
        None => ("assets".to_owned(), common::MANNEQUIN.to_owned()),
    };
    let clips = clips.map(|folder| database(Path::new(folder))).transpose()?;
    let assets = bevy::asset::AssetPlugin { file_path: folder, ..default() };
    App::new()
        .add_plugins((DefaultPlugins.set(assets), common::Stage))
        .add_plugins((FootworkPlugin::default(), BuiltInPersonPlugin))
        .insert_resource(Own(model, clips))
        .add_systems(Startup, spawn)
        .add_systems(Update, steer)
        .run();
    Ok(())
}

/// Builds a database, as `footwork build` does.
fn database(folder: &Path) -> Result<MotionDatabase, Box<dyn std::error::Error>> {
    let imported = import_clips(&[PathBuf::from(folder)], Path::new("."), &SourceConfig::default(), None)?;
    imported.notes.iter().for_each(|n| println!("{n}"));
    let (db, _report) = build(&imported.clips, &BuildConfig::default(), &BuildOptions::default())?;
    println!("{} clips, {:.0} s", db.clips.len(), db.seconds());
    Ok(MotionDatabase(Arc::new(db)))
}

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut databases: ResMut<Assets<MotionDatabase>>,
    mut own: ResMut<Own>,
) {
    let clips = own.1.take().map_or_else(|| assets.load(common::CLIPS), |db| databases.add(db));
    let model = WorldAssetRoot(assets.load(own.0.clone()));
    commands.spawn((MotionCharacter::new(clips), model, common::Followed));
}

fn steer(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    camera: Single<&Transform, With<Camera3d>>,
    mut hero: Single<&mut MotionInput>,
) {
    **hero = MotionInput::stick(common::stick(&keys, &pads), &camera, keys.pressed(KeyCode::ShiftLeft));
}
