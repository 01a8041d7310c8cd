//! Databases, settings, networks and state machines as assets.

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use footwork::database::Database;
use footwork::learned::Networks;
use footwork::machine::MachineSpec;
use footwork::matcher::MatcherConfig;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Motion database from a `.fwdb` file, shared by its characters.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct MotionDatabase(pub Arc<Database>);

/// Settings of characters, from the `[matcher]` table of a character's TOML file (`*.toml`). The other tables are for building a
/// database, and are ignored here.
#[derive(Asset, TypePath, Clone, Debug, Default)]
pub struct MotionConfig(pub MatcherConfig);

/// Networks that replace clips and search, from a `.fwnet` file.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct MotionNetworks(pub Arc<Networks>);

/// State machine from a `.machine.toml` file, or from code, added to `Assets<MotionMachine>`. It is compiled for the database of
/// each character that uses it.
#[derive(Asset, TypePath, Clone, Debug, Default)]
pub struct MotionMachine(pub MachineSpec);

/// Reason why a file could not be loaded. Bevy's log also names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionAssetError {
    /// The file could not be read.
    #[error("{}: could not be read: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file's content is invalid.
    #[error("{message}")]
    Invalid {
        /// Error message with the file and a fix.
        message: String,
    },
}

/// Loader for one of the four kinds of assets.
#[derive(Debug, TypePath)]
pub struct MotionLoader<A: TypePath>(PhantomData<fn() -> A>);

impl<A: TypePath> Default for MotionLoader<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Asset that can be read from a file.
pub trait MotionFile: Asset + Sized {
    /// Extensions of the files.
    const EXTENSIONS: &'static [&'static str];

    /// Reads a file's bytes. `path` is used in messages.
    ///
    /// # Errors
    /// Returns a message with the problem and a fix.
    fn read(bytes: &[u8], path: &Path) -> Result<Self, String>;
}

impl MotionFile for MotionDatabase {
    const EXTENSIONS: &'static [&'static str] = &["fwdb"];

    fn read(bytes: &[u8], path: &Path) -> Result<Self, String> {
        Database::from_bytes(bytes, path).map(|db| Self(Arc::new(db))).map_err(|e| e.to_string())
    }
}

impl MotionFile for MotionNetworks {
    const EXTENSIONS: &'static [&'static str] = &["fwnet"];

    fn read(bytes: &[u8], path: &Path) -> Result<Self, String> {
        Networks::from_bytes(bytes, path).map(|n| Self(Arc::new(n))).map_err(|e| e.to_string())
    }
}

impl MotionFile for MotionConfig {
    const EXTENSIONS: &'static [&'static str] = &["toml"];

    fn read(bytes: &[u8], path: &Path) -> Result<Self, String> {
        let mut table: toml::Table = toml::from_str(text(bytes, path)?).map_err(|e| at(path, &e))?;
        let Some(matcher) = table.remove("matcher") else { return Ok(Self::default()) };
        Ok(Self(matcher.try_into().map_err(|e: toml::de::Error| at(path, &format!("[matcher]: {}", e.message())))?))
    }
}

impl MotionFile for MotionMachine {
    const EXTENSIONS: &'static [&'static str] = &["machine.toml"];

    fn read(bytes: &[u8], path: &Path) -> Result<Self, String> {
        toml::from_str(text(bytes, path)?).map(Self).map_err(|e| at(path, &e))
    }
}

/// Returns an error message with the file's path.
fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Returns the text of a file.
fn text<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a str, String> {
    std::str::from_utf8(bytes).map_err(|e| at(path, &e))
}

impl<A: MotionFile> AssetLoader for MotionLoader<A> {
    type Asset = A;
    type Settings = ();
    type Error = MotionAssetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<A, MotionAssetError> {
        let path = context.path().path().to_owned();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|source| MotionAssetError::Read { path: path.clone(), source })?;
        A::read(&bytes, &path).map_err(|message| MotionAssetError::Invalid { message })
    }

    fn extensions(&self) -> &[&str] {
        A::EXTENSIONS
    }
}
