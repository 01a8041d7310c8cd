//! Thresholds for an evaluation, as a TOML file:
//!
//! ```toml
//! [default]                     # a variant
//! label_skate_cm_s = 12         # at most
//!
//! [default.times.reference]     # maximum ratio to the value in that row
//! ik_correction_p99_cm = 1.0
//! ```

use crate::eval::{CAPTURED_ROWS, Row, Value, keys};
use footwork::advanced::error::nearest;
use toml::Table;

/// Name of the table of bounds that are relative to other rows.
const TIMES: &str = "times";

/// All bounds, in the order of variants and keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gate {
    /// Bounds.
    pub bounds: Vec<Bound>,
}

/// Upper limit of a metric of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Variant that the bound applies to.
    pub variant: String,
    /// Key of the metric.
    pub key: &'static str,
    /// Upper limit.
    pub limit: Limit,
}

/// Upper limit of a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Absolute value, in the unit of the metric.
    Value(f32),
    /// Factor of the value in another row.
    Times(f32, String),
}

/// A bound that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broken<'a> {
    /// The bound.
    pub bound: &'a Bound,
    /// Measured value; `None` if it was not measured, which also breaks the bound.
    pub value: Option<Value>,
    /// Upper limit as a number; `None` if the other row was not measured.
    pub at_most: Option<f32>,
}

/// A text is not a valid set of bounds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// The text is not valid TOML.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A name is unknown.
    #[error("{place}: no {what} is named `{name}`{}", hint(.nearest))]
    Unknown {
        /// Table that contains the name.
        place: String,
        /// Kind of name that was expected.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
    /// A bound is not a number, or is below 0.
    #[error("{place}: expected {expected}, found {found}")]
    Value {
        /// Table and key of the value.
        place: String,
        /// Expected kind of value.
        expected: &'static str,
        /// Value that was found.
        found: String,
    },
    /// The text contains no bounds.
    #[error("no bounds: expected a table per variant, such as [default]")]
    Empty,
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default()
}

impl Gate {
    /// Parses the bounds for these variants.
    ///
    /// # Errors
    /// Returns [`GateError`] if the text is not TOML, if a variant or key is unknown (with the nearest name), if a bound is not a
    /// number, or if there are no bounds.
    pub fn parse(text: &str, variants: &[&str]) -> Result<Self, GateError> {
        let rows: Vec<&str> = variants.iter().copied().chain(CAPTURED_ROWS).collect();
        let mut gate = Self::default();
        for (variant, value) in &text.parse::<Table>()? {
            known("the gate", "variant of this evaluation", variant, variants)?;
            let place = format!("[{variant}]");
            let bounds = table(&place, value)?;
            gate.add(&place, variant, bounds, Limit::Value)?;
            let Some(times) = bounds.get(TIMES) else { continue };
            for (other, value) in table(&format!("[{variant}.{TIMES}]"), times)? {
                known(&format!("[{variant}.{TIMES}]"), "row of this evaluation", other, &rows)?;
                let place = format!("[{variant}.{TIMES}.{other}]");
                gate.add(&place, variant, table(&place, value)?, |factor| Limit::Times(factor, other.clone()))?;
            }
        }
        if gate.bounds.is_empty() { Err(GateError::Empty) } else { Ok(gate) }
    }

    fn add(
        &mut self,
        place: &str,
        variant: &str,
        bounds: &Table,
        limit: impl Fn(f32) -> Limit,
    ) -> Result<(), GateError> {
        let metrics: Vec<&'static str> = keys().collect();
        for (key, value) in bounds.iter().filter(|(_, value)| !value.is_table()) {
            let key = metrics[known(place, "metric", key, &metrics)?];
            let number = value.as_float().or_else(|| value.as_integer().map(|v| v as f64));
            let Some(number) = number.filter(|n| n.is_finite() && *n >= 0.0) else {
                let place = format!("{place} {key}");
                return Err(GateError::Value { place, expected: "a number from 0 on", found: value.to_string() });
            };
            self.bounds.push(Bound { variant: variant.to_owned(), key, limit: limit(number as f32) });
        }
        let inner = bounds.iter().find(|(key, value)| value.is_table() && *key != TIMES);
        inner.map_or(Ok(()), |(key, _)| known(place, "table", key, &[TIMES]).map(|_| ()))
    }

    /// Returns the bounds that are exceeded, sorted by the ratio of value to limit, the largest first.
    pub fn broken(&self, rows: &[Row]) -> Vec<Broken<'_>> {
        let value = |row: &str, key: &str| rows.iter().find(|r| r.variant == row)?.values.get(key).copied();
        let mut broken = Vec::new();
        for bound in &self.bounds {
            let found = value(&bound.variant, bound.key);
            let at_most = match &bound.limit {
                Limit::Value(v) => Some(*v),
                Limit::Times(factor, other) => value(other, bound.key).map(|v| factor * v.mean),
            };
            // A value that is missing or not a number breaks its bound.
            if !found.zip(at_most).is_some_and(|(found, at_most)| found.mean <= at_most) {
                broken.push(Broken { bound, value: found, at_most });
            }
        }
        broken.sort_by(|a, b| b.excess().total_cmp(&a.excess()));
        broken
    }
}

impl Broken<'_> {
    fn excess(&self) -> f32 {
        self.value.zip(self.at_most).map_or(0.0, |(value, at_most)| value.mean / at_most.max(f32::MIN_POSITIVE))
    }
}

/// Returns the index of a name in the list of known names.
fn known(place: &str, what: &'static str, name: &str, names: &[&str]) -> Result<usize, GateError> {
    let unknown = || {
        let nearest = nearest(name, names.iter().copied());
        GateError::Unknown { place: place.to_owned(), what, name: name.to_owned(), nearest }
    };
    names.iter().position(|n| *n == name).ok_or_else(unknown)
}

fn table<'a>(place: &str, value: &'a toml::Value) -> Result<&'a Table, GateError> {
    let wrong =
        || GateError::Value { place: place.to_owned(), expected: "a table of bounds", found: value.to_string() };
    value.as_table().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(variant: &str, values: &[(&'static str, f32)]) -> Row {
        let value = |mean| Value { mean, sd: None, worst: None };
        Row { variant: variant.to_owned(), values: values.iter().map(|(key, mean)| (*key, value(*mean))).collect() }
    }

    #[test]
    fn values_at_the_bound_hold_and_the_worst_that_does_not_comes_first() {
        let text =
            "[default]\njerk_root = 300\nskating_pct = 4\ndv_p999 = 1.5\n[default.times.mocap]\njerk_world = 1.5";
        let gate = Gate::parse(text, &["default"]).unwrap();
        assert_eq!(gate.bounds.len(), 4);
        let mocap = row("mocap", &[("jerk_world", 200.0)]);
        let good =
            row("default", &[("jerk_root", 300.0), ("skating_pct", 0.0), ("dv_p999", 1.5), ("jerk_world", 300.0)]);
        assert_eq!(gate.broken(&[good, mocap.clone()]), vec![]);
        let bad =
            row("default", &[("jerk_root", 301.0), ("skating_pct", 9.0), ("dv_p999", f32::NAN), ("jerk_world", 400.0)]);
        let keys = |rows: &[Row]| gate.broken(rows).iter().map(|b| (b.bound.key, b.at_most)).collect::<Vec<_>>();
        let found = keys(&[bad, mocap]);
        let expected = [
            ("skating_pct", Some(4.0)),
            ("jerk_world", Some(300.0)),
            ("jerk_root", Some(300.0)),
            ("dv_p999", Some(1.5)),
        ];
        assert!(expected.iter().all(|e| found.contains(e)) && found.len() == 4, "{found:?}");
        assert_eq!(found.iter().filter(|f| f.0 != "dv_p999").copied().collect::<Vec<_>>(), expected[..3]);
    }

    #[test]
    fn what_was_not_measured_does_not_hold() {
        let gate = Gate::parse("[default]\njerk_root = 300\n[default.times.mocap]\ndv_p999 = 1", &["default"]).unwrap();
        let broken = gate.broken(&[row("default", &[("dv_p999", 0.0)])]);
        assert_eq!(
            broken.iter().map(|b| (b.value.is_some(), b.at_most)).collect::<Vec<_>>(),
            [(false, Some(300.0)), (true, None)]
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, parts) in [
            ("", &["no bounds"][..]),
            ("[default]", &["no bounds"]),
            ("x = 1", &["no variant", "`x`"]),
            ("default = 1", &["[default]", "table", "found 1"]),
            ("[defualt]", &["no variant", "`defualt`", "nearest is `default`"]),
            ("[default]\njerk_rot = 1", &["[default]", "no metric", "`jerk_rot`", "nearest is `jerk_root`"]),
            ("[default]\njerk_root = \"1\"", &["[default] jerk_root", "a number", "\"1\""]),
            ("[default]\njerk_root = -1", &["a number from 0 on", "-1"]),
            ("[default]\njerk_root = nan", &["a number", "nan"]),
            ("[default.time.mocap]\njerk_root = 1", &["[default]", "no table", "nearest is `times`"]),
            ("[default.times]\njerk_root = 1", &["no row", "`jerk_root`"]),
            ("[default.times.mokap]\njerk_root = 1", &["[default.times]", "nearest is `mocap`"]),
            ("[default.times.mocap]\njerk = 1", &["[default.times.mocap]", "no metric"]),
            ("[default", &["TOML"]),
        ] {
            let error = Gate::parse(text, &["default"]).unwrap_err().to_string();
            assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
        }
    }
}
