//! Identity of the data that a recording needs.

use crate::matcher::Character;
use serde::{Deserialize, Serialize};

/// Identity of the data that a character uses. A recording can be replayed only with the same data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataId {
    /// Hash that identifies the motion: the lower half of the hash of its database, or a hash of its networks.
    #[serde(with = "hex")]
    pub model: u64,
    /// Content hash of the database that is searched; `None` if there are only networks.
    #[serde(with = "optional_hex")]
    pub database: Option<u128>,
}

/// Hashes as text, because other languages read JSON numbers with 53 bits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{hash:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        u64::from_str_radix(&String::deserialize(from)?, 16).map_err(D::Error::custom)
    }
}

mod optional_hex {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(hash: &Option<u128>, to: S) -> Result<S::Ok, S::Error> {
        hash.map(|hash| format!("{hash:032x}")).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u128>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| u128::from_str_radix(&text, 16).map_err(D::Error::custom)).transpose()
    }
}

impl DataId {
    /// Returns the identity of a character's data.
    pub fn of(character: &Character) -> Self {
        Self { model: character.model().hash, database: character.database().map(|db| db.content_hash()) }
    }

    /// Returns true for characters that play networks.
    pub fn has_networks(&self) -> bool {
        self.database.is_none_or(|hash| hash as u64 != self.model)
    }
}

impl std::fmt::Display for DataId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match (self.database, self.has_networks()) {
            (Some(database), false) => write!(f, "database {database:032x}"),
            (Some(database), true) => write!(f, "networks {:016x} with database {database:032x}", self.model),
            (None, _) => write!(f, "networks {:016x}", self.model),
        }
    }
}
