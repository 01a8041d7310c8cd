//! Characters that use networks.

use super::body::Sampler;
use super::chooser::{ExactSearch, Projection, choice_weights};
use super::networks::{Decompression, Networks, NetworksError};
use super::source::{Codes, Decompressed};
use crate::database::Database;
use crate::frames::RowIndex;
use crate::matcher::character::Character;
use crate::matcher::model::Model;
use crate::matcher::source::Clips;
use crate::matcher::{ConfigError, MatcherConfig};
use crate::search::SearchIndex;
use std::sync::Arc;

/// Reason why networks and settings do not form a character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnedError {
    /// A setting is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The networks do not fit the database.
    #[error(transparent)]
    Networks(#[from] NetworksError),
    /// The latent variables of a database cannot be computed.
    #[error("the networks have no compressor, without which a database has no latent variables: train them again")]
    NoCompressor,
}

impl Character {
    /// Creates a character from networks alone. With a database, exact search is used if the projector is not trusted
    /// ([`Output::exact_searches`](crate::matcher::Output::exact_searches)), and choices can be explained.
    ///
    /// # Errors
    /// Returns [`LearnedError`] if a setting is out of range, a setting names something that the networks lack, or the
    /// database has another schema.
    pub fn learned(
        networks: Arc<Networks>,
        database: Option<Arc<Database>>,
        config: MatcherConfig,
    ) -> Result<Self, LearnedError> {
        let exact = match &database {
            Some(db) => {
                let latents = latents(&networks, db)?;
                let index = SearchIndex::build_for(db, config.search.backend, &choice_weights(db));
                Some(ExactSearch { db: db.clone(), index, latents })
            }
            None => None,
        };
        let model = Arc::new(Model { hash: networks.hash(), ..Model::of(networks.character()) });
        let source = Arc::new(Decompressed::new(networks.clone(), Codes::Stepped));
        let chooser = Arc::new(Projection::new(networks, source.clone(), exact));
        Ok(Self::from_parts(model, source, chooser, config)?.searching(database))
    }

    /// Creates a character that searches a database exactly and takes its poses from a decompressor. The database's poses
    /// are not used.
    ///
    /// # Errors
    /// Returns the errors of [`Character::learned`], or [`LearnedError::NoCompressor`].
    pub fn decompressed(
        networks: Arc<Networks>,
        database: Arc<Database>,
        config: MatcherConfig,
    ) -> Result<Self, LearnedError> {
        let latents = latents(&networks, &database)?;
        let searching = Self::new(database.clone(), config)?;
        let hash = searching.model().hash ^ networks.hash();
        let model = Arc::new(Model { hash, ..searching.model().clone() });
        Ok(searching.with_source(model, Arc::new(Decompressed::new(networks, Codes::Rows(Clips(database), latents)))))
    }
}

/// Returns the latent variables of a database's rows, `[rows x latents]`.
fn latents(networks: &Networks, db: &Database) -> Result<Vec<f32>, LearnedError> {
    networks.check_schema(db)?;
    let (columns, latents) = (networks.columns(), networks.latents());
    let mut sampler = Sampler::for_character(db, networks.character());
    let mut room = Decompression::new(networks);
    let mut code = vec![0.0; columns + latents];
    let mut all = Vec::with_capacity(db.rows() * latents);
    for row in (0..db.rows()).map(RowIndex::new) {
        let clip = db.row_clips[row.at()];
        let at = (clip, db.clips[clip.at()].mirrored, db.row_time_s(row));
        networks.compress(&mut sampler, at, &mut code, &mut room).ok_or(LearnedError::NoCompressor)?;
        all.extend_from_slice(&code[columns..]);
    }
    Ok(all)
}
