//! Settings. Name, help, unit, range and default of each are written once.
//!
//! [`settings!`](crate::settings!) defines a struct from a list of fields; [`choices!`](crate::choices) defines an enum. Both
//! generate the serde implementations, the defaults, the checks and the descriptors from which the configuration page and
//! `footwork config` are written. Every error names the full key.
//!
//! A table is read over its default: omitted keys keep the value from the default of the enclosing table. Writing the table of a
//! stage switches the stage on, unless the table contains `enabled = false`.

use crate::error::nearest;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A key of a table.
#[derive(Debug)]
pub struct Field {
    /// Name in files.
    pub key: &'static str,
    /// Its name in files of older versions, which the error for that name tells; empty if there is none.
    pub formerly: &'static str,
    /// Help text, as written in the source; see [`Field::help`].
    pub doc: &'static str,
    /// Unit; empty if there is none.
    pub unit: &'static str,
    /// Minimum and maximum, both allowed.
    pub range: Option<(f64, f64)>,
    /// True if the key must be given.
    pub required: bool,
    /// Kind of value.
    pub kind: Kind,
    /// Its default as JSON.
    pub default: fn() -> String,
}

/// The kind of value of a key.
#[derive(Debug)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// A number.
    Number,
    /// An integer, 0 or more.
    Count,
    /// A text.
    Text,
    /// One of these texts.
    Choice(&'static [Choice]),
    /// A table with these keys.
    Table(&'static [Field]),
    /// A table with user-defined keys.
    Map(&'static Kind),
    /// A list, with exactly that number of entries if it is given.
    List(&'static Kind, Option<usize>),
    /// Optional; without a value, the default depends on the data.
    Optional(&'static Kind),
}

/// One of the texts that a key accepts.
#[derive(Debug)]
pub struct Choice {
    /// The text.
    pub name: &'static str,
    /// Help text, as written in the source.
    pub doc: &'static str,
}

/// A setting is outside of its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{key}`: {what}")]
pub struct SettingError {
    /// Full key.
    pub key: String,
    /// Expected and found value.
    pub what: String,
}

/// The location of a value in a configuration.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The top level.
    Top,
    /// A key of a table.
    Key(&'a At<'a>, &'a str),
    /// An entry of a list.
    Index(&'a At<'a>, usize),
}

/// A type of setting.
pub trait Setting: Sized {
    /// Kind of value.
    const KIND: Kind;

    /// Returns the default, or an arbitrary value if there is none.
    fn blank() -> Self;

    /// Reads a value over this one; omitted parts keep their value.
    ///
    /// # Errors
    /// Returns an error that names the key.
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error>;

    /// Checks all numbers in the value.
    ///
    /// # Errors
    /// Returns [`SettingError`] for the first number that is out of range.
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError>;

    /// Returns true for a value that is omitted when writing.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A table of settings.
pub trait Settings: Setting {
    /// Keys, in the order of the documentation.
    const FIELDS: &'static [Field];

    /// Reads the value of a key.
    ///
    /// # Errors
    /// Returns an error that names the key.
    fn set<'de, A: MapAccess<'de>>(&mut self, key: &'static str, at: &At, from: &mut A) -> Result<(), A::Error>;

    /// Called before the table is read: switches the stage on.
    fn written(&mut self) {}
}

impl Field {
    /// Returns a default as JSON. Numbers have the fewest digits that represent the same value.
    #[doc(hidden)]
    pub fn json<T: Serialize>(value: &T) -> String {
        serde_json::to_string(value).unwrap_or_default()
    }

    /// Returns the help text as paragraphs of plain text.
    pub fn help(&self) -> Vec<String> {
        paragraphs(self.doc)
    }
}

impl Choice {
    /// Returns the help text in one line.
    pub fn help(&self) -> String {
        paragraphs(self.doc).join(" ")
    }
}

fn paragraphs(doc: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in doc.lines().map(str::trim) {
        let last = all.len() - 1;
        match (line.is_empty(), all[last].is_empty()) {
            (true, true) => {}
            (true, false) => all.push(String::new()),
            (false, true) => all[last].push_str(line),
            (false, false) => all[last] = format!("{} {line}", all[last]),
        }
    }
    all.retain(|p| !p.is_empty());
    all
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Index(list, at) => write!(f, "{list}[{at}]"),
            Self::Key(table, key) => {
                if !matches!(table, Self::Top) {
                    write!(f, "{table}.")?;
                }
                let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                if !key.is_empty() && key.chars().all(bare) { f.write_str(key) } else { write!(f, "{key:?}") }
            }
        }
    }
}

impl At<'_> {
    /// Returns a message about the value at this location.
    fn tell(&self, what: impl fmt::Display) -> String {
        if matches!(self, Self::Top) { what.to_string() } else { format!("`{self}`: {what}") }
    }

    /// Reads the next value of a table, over `value`.
    ///
    /// # Errors
    /// Returns an error that names the key.
    pub fn read_over<'de, T: Setting, A: MapAccess<'de>>(
        &self,
        value: &mut T,
        range: Option<(f64, f64)>,
        from: &mut A,
    ) -> Result<(), A::Error> {
        let before = std::mem::replace(value, T::blank());
        *value = from.next_value_seed(Over { before, at: self, checked: Some(range) })?;
        Ok(())
    }

    /// Reads a table over `before`.
    ///
    /// # Errors
    /// Returns an error that names the key.
    pub fn read_table<'de, T: Settings, D: Deserializer<'de>>(&self, before: T, from: D) -> Result<T, D::Error> {
        from.deserialize_map(TableVisitor(before, self))
    }

    /// Reads one of several texts. Returns its index.
    ///
    /// # Errors
    /// Returns an error that names the key, the valid texts and the nearest of them.
    pub fn read_choice<'de, D: Deserializer<'de>>(
        &self,
        choices: &'static [Choice],
        from: D,
    ) -> Result<usize, D::Error> {
        let found: String = self.read_leaf(from)?;
        choices.iter().position(|c| c.name == found).ok_or_else(|| {
            let names = || choices.iter().map(|c| c.name);
            let hint = match nearest(&found, names()) {
                _ if found == "off" => "; to switch a stage off, set `enabled = false` in its table".to_owned(),
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            D::Error::custom(self.tell(format!("expected {}, found `{found}`{hint}", listed(names(), "or"))))
        })
    }

    /// Reads a value of another library's type.
    ///
    /// # Errors
    /// Returns an error that names the key.
    pub fn read_leaf<'de, T: Deserialize<'de>, D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error> {
        T::deserialize(from).map_err(|e| D::Error::custom(self.tell(e.to_string().trim_end())))
    }
}

/// Checks all settings of a configuration.
///
/// # Errors
/// Returns [`SettingError`] for the first number that is out of range.
pub(crate) fn check<T: Setting>(config: &T) -> Result<(), SettingError> {
    config.check(&At::Top, None)
}

/// Reads a value over another and checks it at once, so that the error has a line number. Entries of lists and maps are checked
/// against their range by the list or map.
struct Over<'a, T> {
    before: T,
    at: &'a At<'a>,
    checked: Option<Option<(f64, f64)>>,
}

impl<'de, T: Setting> DeserializeSeed<'de> for Over<'_, T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        let value = self.before.read(self.at, from)?;
        if let Some(range) = self.checked {
            value.check(self.at, range).map_err(D::Error::custom)?;
        }
        Ok(value)
    }
}

struct TableVisitor<'a, T>(T, &'a At<'a>);

impl<'de, T: Settings> Visitor<'de> for TableVisitor<'_, T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a table")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let Self(mut table, at) = self;
        if !matches!(at, At::Top) {
            table.written();
        }
        let mut given = vec![false; T::FIELDS.len()];
        while let Some(i) = map.next_key_seed(Key { fields: T::FIELDS, at })? {
            let key = T::FIELDS[i].key;
            if std::mem::replace(&mut given[i], true) {
                return Err(A::Error::custom(At::Key(at, key).tell("given twice; remove one")));
            }
            table.set(key, &At::Key(at, key), &mut map)?;
        }
        match T::FIELDS.iter().zip(given).find(|(f, given)| f.required && !given) {
            Some((f, _)) => Err(A::Error::custom(At::Key(at, f.key).tell("missing; it must be given"))),
            None => Ok(table),
        }
    }
}

struct Key<'a> {
    fields: &'static [Field],
    at: &'a At<'a>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = usize;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = usize;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        self.fields.iter().position(|f| f.key == key).ok_or_else(|| {
            let keys = || self.fields.iter().map(|f| f.key);
            let renamed = self.fields.iter().find(|f| !key.is_empty() && f.formerly == key);
            let hint = match (renamed, nearest(key, keys())) {
                (Some(new), _) => format!("its name is now `{}`", new.key),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => format!("known here: {}", listed(keys(), "and")),
            };
            E::custom(format!("unknown key `{}`; {hint}", At::Key(self.at, key)))
        })
    }
}

/// Returns a list as text: `a`, `b` or `c`.
fn listed<'a>(names: impl Iterator<Item = &'a str>, last: &str) -> String {
    let names: Vec<String> = names.map(|n| format!("`{n}`")).collect();
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn out_of_range(at: &At, range: Option<(f64, f64)>, found: impl fmt::Display) -> Result<(), SettingError> {
    let expected = range.map_or("a finite number".to_owned(), |(low, high)| format!("{low} to {high}"));
    Err(SettingError { key: at.to_string(), what: format!("expected {expected}, found {found}") })
}

impl Setting for f32 {
    const KIND: Kind = Kind::Number;
    fn blank() -> Self {
        0.0
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        at.read_leaf(from)
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        let (low, high) = range.map_or((f32::MIN, f32::MAX), |(low, high)| (low as f32, high as f32));
        if (low..=high).contains(self) { Ok(()) } else { out_of_range(at, range, self) }
    }
}

impl Setting for usize {
    const KIND: Kind = Kind::Count;
    fn blank() -> Self {
        0
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        at.read_leaf(from)
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        match range {
            Some((low, high)) if !(low..=high).contains(&(*self as f64)) => out_of_range(at, range, self),
            _ => Ok(()),
        }
    }
}

macro_rules! plain {
    ($($type:ty: $kind:expr),*) => {$(
        impl Setting for $type {
            const KIND: Kind = $kind;
            fn blank() -> Self {
                Self::default()
            }
            fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
                at.read_leaf(from)
            }
            fn check(&self, _: &At, _: Option<(f64, f64)>) -> Result<(), SettingError> {
                Ok(())
            }
        }
    )*};
}

plain!(bool: Kind::Switch, String: Kind::Text);

impl<T: Setting> Setting for Option<T> {
    const KIND: Kind = Kind::Optional(&T::KIND);
    fn blank() -> Self {
        None
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        struct Maybe<'a, T>(T, &'a At<'a>);
        impl<'de, T: Setting> Visitor<'de> for Maybe<'_, T> {
            type Value = Option<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
                Ok(None)
            }
            fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Option<T>, D::Error> {
                self.0.read(self.1, from).map(Some)
            }
        }
        from.deserialize_option(Maybe(self.unwrap_or_else(T::blank), at))
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        self.as_ref().map_or(Ok(()), |v| v.check(at, range))
    }
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

struct List<'a, T>(&'a At<'a>, PhantomData<T>);

impl<'de, T: Setting> Visitor<'de> for List<'_, T> {
    type Value = Vec<T>;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = {
            let at = &At::Index(self.0, all.len());
            list.next_element_seed(Over { before: T::blank(), at, checked: None })?
        } {
            all.push(value);
        }
        Ok(all)
    }
}

fn check_all<'a, T: Setting + 'a>(
    list: impl IntoIterator<Item = &'a T>,
    at: &At,
    range: Option<(f64, f64)>,
) -> Result<(), SettingError> {
    list.into_iter().enumerate().try_for_each(|(i, v)| v.check(&At::Index(at, i), range))
}

impl<T: Setting> Setting for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND, None);
    fn blank() -> Self {
        Self::new()
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(List(at, PhantomData))
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        check_all(self, at, range)
    }
}

impl<T: Setting, const N: usize> Setting for [T; N] {
    const KIND: Kind = Kind::List(&T::KIND, Some(N));
    fn blank() -> Self {
        std::array::from_fn(|_| T::blank())
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        let list: Vec<T> = from.deserialize_seq(List(at, PhantomData))?;
        list.try_into()
            .map_err(|list: Vec<T>| D::Error::custom(at.tell(format!("expected {N} values, found {}", list.len()))))
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        check_all(self, at, range)
    }
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    const KIND: Kind = Kind::Map(&T::KIND);
    fn blank() -> Self {
        Self::new()
    }
    fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
        struct Map<'a, T>(&'a At<'a>, PhantomData<T>);
        impl<'de, T: Setting> Visitor<'de> for Map<'_, T> {
            type Value = BTreeMap<String, T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let at = &At::Key(self.0, &key);
                    let value = map.next_value_seed(Over { before: T::blank(), at, checked: None })?;
                    all.insert(key, value);
                }
                Ok(all)
            }
        }
        from.deserialize_map(Map(at, PhantomData))
    }
    fn check(&self, at: &At, range: Option<(f64, f64)>) -> Result<(), SettingError> {
        self.iter().try_for_each(|(key, v)| v.check(&At::Key(at, key), range))
    }
}

#[cfg(test)]
mod tests;
