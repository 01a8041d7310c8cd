//! The macros that define settings. Other crates use them as well: what they expand to is found through [`crate::advanced`].

/// Defines structs of settings. A field is
///
/// ```text
/// /// What it does: the effect of a higher and a lower value.
/// name: type = default, in low to high, unit "s";
/// ```
///
/// where everything after the type is optional. `pub struct` defines a table in which every field has a default; `pub entry`
/// defines an entry of a list, in which every field without a default must be given. Further options: `key "loop"` for a name
/// that is not valid in Rust, `formerly "old"` for the name in older versions, `brief true` for a key that is not written if it has its default.
#[macro_export]
macro_rules! settings {
    ($($(#[$meta:meta])* pub $form:ident $name:ident { $(
        $(#[doc = $doc:literal])*
        $field:ident: $type:ty $(= $default:expr)? $(, in $low:literal to $high:literal)? $(, unit $unit:literal)?
        $(, key $key:literal)? $(, formerly $formerly:literal)? $(, brief $brief:literal)?;
    )* })*) => {$(
        $(#[$meta])*
        pub struct $name {$(
            $(#[doc = $doc])*
            #[doc = concat!(
                "\n\n" $(, "Unit: ", $unit, ". ")? $(, "Range: ", stringify!($low), " to ", stringify!($high), ". ")?
                $(, "Default: `", stringify!($default), "`.")?
            )]
            pub $field: $type,
        )*}

        const _: () = {
            use $crate::advanced::settings::{At, Field, Kind, Setting, SettingError, Settings};
            use ::serde::de::{Deserialize, Deserializer, MapAccess};
            use ::serde::ser::{Serialize, SerializeStruct, Serializer};

            type Range = Option<(f64, f64)>;

            #[allow(non_camel_case_types)]
            enum Place { $($field),* }

            impl Settings for $name {
                const FIELDS: &'static [Field] = &[$(Field {
                    key: $crate::settings!(@key $field $($key)?),
                    formerly: concat!($($formerly)?),
                    doc: concat!($($doc, "\n"),*),
                    unit: concat!($($unit)?),
                    range: $crate::settings!(@range $($low, $high)?),
                    required: $crate::settings!(@required $form $(, $default)?),
                    kind: <$type as Setting>::KIND,
                    default: || { let value: $type = $crate::settings!(@default $type $(, $default)?); Field::json(&value) },
                }),*];

                fn set<'de, A: MapAccess<'de>>(
                    &mut self,
                    key: &'static str,
                    at: &At,
                    from: &mut A,
                ) -> Result<(), A::Error> {
                    $(if key == Self::FIELDS[Place::$field as usize].key {
                        let range = Self::FIELDS[Place::$field as usize].range;
                        return at.read_over(&mut self.$field, range, from);
                    })*
                    Ok(())
                }

                fn written(&mut self) {
                    $($crate::settings!(@switch self $field);)*
                }
            }

            impl Setting for $name {
                const KIND: Kind = Kind::Table(Self::FIELDS);
                fn blank() -> Self {
                    Self { $($field: $crate::settings!(@default $type $(, $default)?)),* }
                }
                fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
                    at.read_table(self, from)
                }
                fn check(&self, at: &At, _: Range) -> Result<(), SettingError> {
                    $(
                        let field = &Self::FIELDS[Place::$field as usize];
                        self.$field.check(&At::Key(at, field.key), field.range)?;
                    )*
                    Ok(())
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    At::Top.read_table(Self::blank(), from)
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    let mut table = to.serialize_struct(stringify!($name), Self::FIELDS.len())?;
                    $(if !self.$field.is_absent() $(&& !($brief && self.$field == Self::blank().$field))? {
                        let key = Self::FIELDS[Place::$field as usize].key;
                        table.serialize_field(key, &self.$field)?;
                    })*
                    table.end()
                }
            }
        };

        $crate::settings!(@form $form $name);
    )*};

    (@form struct $name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                <Self as $crate::advanced::settings::Setting>::blank()
            }
        }
    };
    (@form entry $name:ident) => {};
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@range) => { None };
    (@range $low:literal, $high:literal) => { Some(($low as f64, $high as f64)) };
    (@required entry) => { true };
    (@required $form:ident $(, $default:expr)?) => { false };
    (@default $type:ty) => { <$type as $crate::advanced::settings::Setting>::blank() };
    (@default $type:ty, $default:expr) => { $default };
    (@switch $self:ident enabled) => { $self.enabled = true };
    (@switch $self:ident $field:ident) => {};
}

/// Defines an enum whose variants are texts in files: `pub enum Name = Default { /// Help. Variant = "text", }`. If `= Default`
/// is omitted, the enum has no default.
#[macro_export]
macro_rules! choices {
    ($($(#[$meta:meta])* pub enum $name:ident $(= $default:ident)? { $(
        $(#[doc = $doc:literal])*
        $(#[cfg($condition:meta)])?
        $variant:ident = $text:literal,
    )* })*) => {$(
        $(#[$meta])*
        pub enum $name {$(
            $(#[doc = $doc])*
            $(#[cfg($condition)])?
            $variant,
        )*}

        impl $name {
            const CHOICES: &'static [$crate::advanced::settings::Choice] = &[$(
                $(#[cfg($condition)])?
                $crate::advanced::settings::Choice { name: $text, doc: concat!($($doc, "\n"),*) }
            ),*];
            const VALUES: &'static [Self] = &[$($(#[cfg($condition)])? Self::$variant),*];

            /// Returns its name in files.
            pub fn name(self) -> &'static str {
                match self {$(
                    $(#[cfg($condition)])?
                    Self::$variant => $text,
                )*}
            }
        }

        const _: () = {
            use $crate::advanced::settings::{At, Kind, Setting, SettingError};
            use ::serde::de::{Deserialize, Deserializer};
            use ::serde::ser::{Serialize, Serializer};

            impl Setting for $name {
                const KIND: Kind = Kind::Choice(Self::CHOICES);
                fn blank() -> Self {
                    $crate::choices!(@blank $($default)?)
                }
                fn read<'de, D: Deserializer<'de>>(self, at: &At, from: D) -> Result<Self, D::Error> {
                    Ok(Self::VALUES[at.read_choice(Self::CHOICES, from)?])
                }
                fn check(&self, _: &At, _: Option<(f64, f64)>) -> Result<(), SettingError> {
                    Ok(())
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    Self::blank().read(&At::Top, from)
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    to.serialize_str(self.name())
                }
            }
        };

        $(impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?
    )*};
    (@blank) => { Self::VALUES[0] };
    (@blank $default:ident) => { Self::$default };
}
