//! The unit of lengths, as a configuration writes it.

use crate::config_error::ConfigFileError;
use crate::units::Units;
use footwork::advanced::settings::{At, Kind, Setting, SettingError};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// A unit of length, as written in a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UnitSetting {
    /// Metres per unit.
    Scale(f32),
    /// Name of a unit.
    Name(String),
}

impl Setting for UnitSetting {
    const KIND: Kind = Kind::Text;
    fn blank() -> Self {
        Self::default()
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        Self::deserialize(from).map_err(|_| D::Error::custom(format!("`{at}`: expected {UNITS}")))
    }
    fn check(&self, at: &At, _: Option<(f64, f64)>) -> Result<(), SettingError> {
        self.known().map(|_| ()).map_err(|what| SettingError { key: at.to_string(), what })
    }
}

/// Allowed values of a unit.
const UNITS: &str = "auto, m, cm, mm, in, or a number of metres per unit";

impl Default for UnitSetting {
    fn default() -> Self {
        Self::Name("auto".into())
    }
}

impl std::str::FromStr for UnitSetting {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let setting = s.parse().map_or_else(|_| Self::Name(s.to_owned()), Self::Scale);
        setting.known().map(|_| setting)
    }
}

impl UnitSetting {
    /// Returns the unit as importers take it.
    ///
    /// # Errors
    /// Returns [`ConfigFileError::Value`] for an unknown name or a scale that is not positive.
    pub fn units(&self) -> Result<Units, ConfigFileError> {
        self.known().map_err(|what| ConfigFileError::Value { key: "source.units", what })
    }

    fn known(&self) -> Result<Units, String> {
        match self {
            Self::Scale(s) if s.is_finite() && *s > 0.0 => Ok(Units::MetresPerUnit(*s)),
            Self::Scale(s) => Err(format!("expected more than 0 metres per unit, found {s}")),
            Self::Name(n) => match n.as_str() {
                "auto" => Ok(Units::Auto),
                "m" => Ok(Units::Metres),
                "cm" => Ok(Units::Centimetres),
                "mm" => Ok(Units::Millimetres),
                "in" => Ok(Units::Inches),
                other => Err(format!("expected {UNITS}, found `{other}`")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_names_or_numbers() {
        let units = |s: &str| s.parse::<UnitSetting>().and_then(|u| u.units().map_err(|e| e.to_string()));
        assert_eq!(units("cm").unwrap(), Units::Centimetres);
        assert_eq!(units("0.0564").unwrap(), Units::MetresPerUnit(0.0564));
        assert!(units("ells").unwrap_err().contains("expected auto"));
        assert!(units("-1").is_err());
    }
}
