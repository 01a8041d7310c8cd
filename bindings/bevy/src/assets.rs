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

/// A state machine: a `.machine.toml` file, or a specification from code, added to `Assets<MotionMachine>`. It is resolved for the
/// database of the character that names it.
#[derive(Asset, TypePath, Clone, Debug, Default)]
pub struct MotionMachine(pub MachineSpec);

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

/// Reads one of the four.
#[derive(Debug, TypePath)]
pub struct MotionLoader<A: TypePath>(PhantomData<fn() -> A>);

impl<A: TypePath> Default for MotionLoader<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// What comes out of a file.
pub trait MotionFile: Asset + Sized {
    /// Endings of such files.
    const EXTENSIONS: &'static [&'static str];

    /// Reads a file's bytes. `path` is for messages.
    ///
    /// # Errors
    /// What is wrong with the file, and what to do.
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

/// An error in a file.
fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// The text of a file.
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
