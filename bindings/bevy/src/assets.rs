//! Databases, settings and networks as assets.

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::matcher::MatcherConfig;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A motion database: a `.fwdb` file. Characters share it.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct MotionDatabase(pub Arc<Database>);

/// Settings of characters: the `[matcher]` table of a character's TOML file (`*.toml`). The other tables say how a database is
/// built, and are not read here.
#[derive(Asset, TypePath, Clone, Debug, Default)]
pub struct MotionConfig(pub MatcherConfig);

/// Networks in the place of clips and search: a `.fwnet` file.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct MotionNetworks(pub Arc<Networks>);

/// Why a file is no asset. Bevy's log names the file as well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionAssetError {
    /// The file could not be read.
    #[error("{}: could not be read: {source}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file's content is invalid.
    #[error("{message}")]
    Invalid {
        /// What is wrong, with the file, and what to do.
        message: String,
    },
}

/// Reads `.fwdb` files.
#[derive(Debug, Default, TypePath)]
pub struct MotionDatabaseLoader;

/// Reads the `[matcher]` table of TOML files.
#[derive(Debug, Default, TypePath)]
pub struct MotionConfigLoader;

/// Reads `.fwnet` files.
#[derive(Debug, Default, TypePath)]
pub struct MotionNetworksLoader;

async fn bytes(reader: &mut dyn Reader, path: &Path) -> Result<Vec<u8>, MotionAssetError> {
    let mut bytes = Vec::new();
    let read = reader.read_to_end(&mut bytes).await;
    read.map_err(|source| MotionAssetError::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

fn invalid(message: impl ToString) -> MotionAssetError {
    MotionAssetError::Invalid { message: message.to_string() }
}

impl AssetLoader for MotionDatabaseLoader {
    type Asset = MotionDatabase;
    type Settings = ();
    type Error = MotionAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<MotionDatabase, MotionAssetError> {
        let path = context.path().path().to_owned();
        let bytes = bytes(reader, &path).await?;
        Ok(MotionDatabase(Arc::new(Database::from_bytes(&bytes, &path).map_err(invalid)?)))
    }

    fn extensions(&self) -> &[&str] {
        &["fwdb"]
    }
}

impl AssetLoader for MotionConfigLoader {
    type Asset = MotionConfig;
    type Settings = ();
    type Error = MotionAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<MotionConfig, MotionAssetError> {
        let path = context.path().path().to_owned();
        let bytes = bytes(reader, &path).await?;
        let at = |error: &dyn std::fmt::Display| invalid(format!("{}: {error}", path.display()));
        let text = std::str::from_utf8(&bytes).map_err(|e| at(&e))?;
        let mut table: toml::Table = toml::from_str(text).map_err(|e| at(&e))?;
        let Some(matcher) = table.remove("matcher") else { return Ok(MotionConfig::default()) };
        Ok(MotionConfig(matcher.try_into().map_err(|e: toml::de::Error| at(&format!("[matcher]: {}", e.message())))?))
    }

    fn extensions(&self) -> &[&str] {
        &["toml"]
    }
}

impl AssetLoader for MotionNetworksLoader {
    type Asset = MotionNetworks;
    type Settings = ();
    type Error = MotionAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<MotionNetworks, MotionAssetError> {
        let path = context.path().path().to_owned();
        let bytes = bytes(reader, &path).await?;
        Ok(MotionNetworks(Arc::new(Networks::from_bytes(&bytes, &path).map_err(invalid)?)))
    }

    fn extensions(&self) -> &[&str] {
        &["fwnet"]
    }
}
