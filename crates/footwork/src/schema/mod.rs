//! The feature schema: features, their columns, and their weights.
//!
//! `spec` is the schema as written, `channel` computes and draws its features, `source` is their input.

pub(crate) mod buffers;
pub(crate) mod channel;
pub(crate) mod source;
mod spec;

use crate::error::{cut_quotes, quoted};
pub(crate) use buffers::SourceBuffers;
pub(crate) use channel::ChannelKind;
pub(crate) use source::{FeatureSource, MirrorColumn, TrajectorySample};
pub use spec::{ChannelSpec, ChannelType, Normalization, Preset, PropSpec, Residual};

use crate::frames::JointIndex;
use crate::motion::MirrorTable;
use crate::skeleton::{Skeleton, SkeletonError};
use channel::*;
use glam::Vec3;
use std::ops::Range;

/// A channel and its columns in the feature matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Label for display: `LeftFoot position`, `trajectory facing`.
    pub label: String,
    /// Kind of the feature, with its extraction.
    pub kind: ChannelKind,
    /// Weight, included in the stored features.
    pub weight: f32,
    /// Conversion of a difference to cost.
    pub residual: Residual,
    /// Its columns.
    pub columns: Range<usize>,
}

/// Channels resolved against a skeleton: the one definition of every column, used by both build and run time.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSchema {
    /// As written, with roles replaced by joint names.
    pub specs: Vec<ChannelSpec>,
    /// Attachment points that channels may use.
    pub props: Vec<PropSpec>,
    /// Channels in column order.
    pub channels: Vec<Channel>,
    /// All times of all trajectory channels, ascending, seconds; the times of [`FeatureSource::trajectory`].
    pub times_s: Vec<f32>,
    /// Number of columns of the feature matrix.
    pub columns: usize,
    /// Total number of values of the user channels.
    pub user_width: usize,
    /// Whether a channel uses accelerations.
    pub needs_accelerations: bool,
}

/// Error of an invalid schema.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema has no channels.
    #[error("the schema has no channels: nothing could be matched; use a preset or add `[[schema.channels]]`")]
    Empty,
    /// A joint, role or attachment point does not exist.
    #[error("schema channel {channel} ({kind:?}): {error}")]
    Joint {
        /// Index in the schema, from 0.
        channel: usize,
        /// Type.
        kind: ChannelType,
        /// The missing name, and the nearest one.
        error: SkeletonError,
    },
    /// A field is missing or invalid.
    #[error("schema channel {channel} ({kind:?}): {what}", what = cut_quotes(.what))]
    Field {
        /// Index in the schema, from 0.
        channel: usize,
        /// Type.
        kind: ChannelType,
        /// The problem and its fix.
        what: String,
    },
    /// A channel of one side has no counterpart on the other.
    #[error(
        "schema channel `{label}` has no counterpart on the other side, so it cannot be mirrored: add it, or set \
         `mirror = \"off\"`",
        label = quoted(.label)
    )]
    NoMirror {
        /// Channel.
        label: String,
    },
}

impl FeatureSchema {
    /// Returns a schema without channels, before they are resolved.
    pub(crate) fn empty() -> Self {
        Self {
            specs: Vec::new(),
            props: Vec::new(),
            channels: Vec::new(),
            times_s: Vec::new(),
            columns: 0,
            user_width: 0,
            needs_accelerations: false,
        }
    }

    /// Checks the channels against a skeleton and assigns the columns. `contacts` are the database's contact joints.
    ///
    /// # Errors
    /// Returns [`SchemaError`] for an empty schema, unknown joints (with the nearest name), or missing or invalid fields.
    pub fn resolve(
        specs: &[ChannelSpec],
        props: &[PropSpec],
        skeleton: &Skeleton,
        contacts: &[JointIndex],
    ) -> Result<Self, SchemaError> {
        if specs.is_empty() {
            return Err(SchemaError::Empty);
        }
        let mut times_s: Vec<f32> = specs.iter().flat_map(|s| s.times_s.iter().copied()).collect();
        times_s.retain(|t| t.is_finite());
        times_s.sort_by(f32::total_cmp);
        times_s.dedup();
        let mut schema = Self { specs: specs.to_vec(), props: props.to_vec(), times_s, ..Self::empty() };
        for (index, spec) in specs.iter().enumerate() {
            let (kind, label) = Resolver { schema: &schema, skeleton, contacts, index, spec }.resolve()?;
            let width = kind.width();
            match &kind {
                ChannelKind::User(u) => schema.user_width += u.width,
                ChannelKind::JointAcceleration(_) => schema.needs_accelerations = true,
                _ => {}
            }
            schema.channels.push(Channel {
                label,
                kind,
                weight: spec.weight,
                residual: spec.residual,
                columns: schema.columns..schema.columns + width,
            });
            schema.columns += width;
        }
        Ok(schema)
    }

    /// Writes all raw features, `[columns]`.
    pub fn extract(&self, source: &FeatureSource, out: &mut [f32]) {
        for c in &self.channels {
            c.kind.extract(source, &mut out[c.columns.clone()]);
        }
    }

    /// Returns the earliest time that a channel uses (at most 0) and the latest (at least 0), seconds.
    pub fn horizon_s(&self) -> (f32, f32) {
        let first = self.times_s.first().copied().unwrap_or(0.0).min(0.0);
        let last = self.times_s.last().copied().unwrap_or(0.0).max(0.0);
        (first, last)
    }

    /// Returns true if heights of the trajectory are features.
    pub(crate) fn matches_heights(&self) -> bool {
        let in_space = |kind: &ChannelKind| matches!(kind, ChannelKind::TrajectoryPosition(TrajectoryPosition(t)) if t.dimensions == 3);
        self.channels.iter().any(|c| in_space(&c.kind))
    }

    /// Returns a hash of the channels as written: two schemas with equal hashes have equal columns.
    pub fn hash(&self) -> u64 {
        let json = serde_json::to_vec(&(&self.specs, &self.props)).unwrap_or_default();
        xxhash_rust::xxh3::xxh3_64(&json)
    }

    /// Returns the source of each mirrored column, `[columns]`.
    ///
    /// # Errors
    /// Returns [`SchemaError::NoMirror`] if a channel has no counterpart.
    pub fn mirror_columns(&self, table: &MirrorTable) -> Result<Vec<MirrorColumn>, SchemaError> {
        let pair = |j: JointIndex| table.pairs[j.at()];
        let mut columns = Vec::with_capacity(self.columns);
        for c in &self.channels {
            let counterpart = self.channels.iter().find(|o| c.kind.mirrors(&o.kind, &pair));
            let Some(o) = counterpart else {
                return Err(SchemaError::NoMirror { label: c.label.clone() });
            };
            let signs = c.kind.mirror_signs(table.rest_normal);
            columns.extend(o.columns.clone().zip(signs).map(|(column, sign)| MirrorColumn { column, sign }));
        }
        Ok(columns)
    }

    /// Returns a label for a column: `LeftFoot position y`.
    pub fn column_label(&self, column: usize) -> String {
        let Some(c) = self.channels.iter().find(|c| c.columns.contains(&column)) else {
            return format!("column {column}");
        };
        let i = column - c.columns.start;
        let time = |slots: &[usize], at: usize| format!("{:+.2} s", self.times_s[slots[at]]);
        let ground = ["x", "z"];
        let space = ["x", "y", "z"];
        let part = match &c.kind {
            ChannelKind::TrajectoryFacing(t) => format!("{} {}", time(&t.slots, i / 2), ground[i % 2]),
            ChannelKind::TrajectoryPosition(TrajectoryPosition(t))
            | ChannelKind::TrajectoryVelocity(TrajectoryVelocity(t)) => {
                let axis = if t.dimensions == 2 { ground[i % 2] } else { space[i % 3] };
                format!("{} {axis}", time(&t.slots, i / t.dimensions))
            }
            ChannelKind::JointHeading(_) => ground[i].to_owned(),
            ChannelKind::JointRotation(_) => format!("{}{}", ["x", "y"][i / 3], space[i % 3]),
            ChannelKind::User(_) | ChannelKind::Contact(_) => i.to_string(),
            ChannelKind::JointPosition(_)
            | ChannelKind::JointVelocity(_)
            | ChannelKind::JointAcceleration(_)
            | ChannelKind::JointAngularVelocity(_) => space[i].to_owned(),
        };
        format!("{} {part}", c.label)
    }
}

/// Maximum distance of an attachment point from its joint, metres.
const MOST_OFFSET_M: f32 = 1000.0;

/// Resolves one channel.
struct Resolver<'a> {
    schema: &'a FeatureSchema,
    skeleton: &'a Skeleton,
    contacts: &'a [JointIndex],
    index: usize,
    spec: &'a ChannelSpec,
}

impl Resolver<'_> {
    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError::Field { channel: self.index, kind: self.spec.kind, what: what.into() })
    }

    fn find(&self, name: &str) -> Result<JointIndex, SchemaError> {
        self.skeleton.require(name).map_err(|error| SchemaError::Joint {
            channel: self.index,
            kind: self.spec.kind,
            error,
        })
    }

    fn joint_name(&self) -> Result<&str, SchemaError> {
        match &self.spec.joint {
            Some(name) => Ok(name),
            None => self.wrong("`joint` is missing: name a joint, a role or a prop"),
        }
    }

    fn joint(&self) -> Result<JointIndex, SchemaError> {
        self.find(self.joint_name()?)
    }

    fn point(&self) -> Result<JointPoint, SchemaError> {
        let name = self.joint_name()?;
        let relative_to = self.spec.relative_to.as_deref().map(|r| self.find(r)).transpose()?;
        let prop = self.schema.props.iter().find(|p| p.name == name);
        let (joint, offset) = match prop {
            Some(p) => (self.find(&p.joint)?, Vec3::from_array(p.offset_m)),
            None => (self.find(name)?, Vec3::ZERO),
        };
        if !offset.is_finite() || offset.length() > MOST_OFFSET_M {
            return self.wrong(format!("the offset of prop `{name}` is {offset}: expected at most {MOST_OFFSET_M} m"));
        }
        if relative_to == Some(joint) && offset == Vec3::ZERO {
            return self.wrong(format!("`{name}` relative to itself never changes"));
        }
        Ok(JointPoint { joint, offset, relative_to })
    }

    fn slots(&self) -> Result<Vec<usize>, SchemaError> {
        let times = &self.spec.times_s;
        if times.is_empty() {
            return self.wrong("`times_s` is missing: give the times to look at, such as [0.33, 0.67, 1.0]");
        }
        for (i, t) in times.iter().enumerate() {
            if !t.is_finite() || t.abs() > 10.0 {
                return self.wrong(format!("a time of {t} s: expected -10 to 10"));
            }
            if *t == 0.0 {
                return self.wrong("a time of 0 s: the root seen from itself never changes");
            }
            if times[..i].contains(t) {
                return self.wrong(format!("{t} s stands twice in `times_s`"));
            }
        }
        let all = &self.schema.times_s;
        Ok(times.iter().map(|t| all.iter().position(|a| a == t).unwrap_or(0)).collect())
    }

    fn trajectory(&self) -> Result<Trajectory, SchemaError> {
        match self.spec.dimensions {
            2 | 3 => Ok(Trajectory { slots: self.slots()?, dimensions: self.spec.dimensions }),
            d => self.wrong(format!("`dimensions = {d}`: expected 2 (ground) or 3 (space)")),
        }
    }

    fn resolve(&self) -> Result<(ChannelKind, String), SchemaError> {
        use ChannelType as T;
        let spec = self.spec;
        if !(spec.weight.is_finite() && spec.weight > 0.0) {
            return self.wrong(format!(
                "`weight = {}`: expected more than 0; to leave a channel out, remove it or set its run-time multiplier to 0",
                spec.weight
            ));
        }
        self.refuse_foreign_fields()?;
        let kind = match spec.kind {
            T::JointPosition => ChannelKind::JointPosition(JointPosition(self.point()?)),
            T::JointVelocity => ChannelKind::JointVelocity(JointVelocity(self.point()?)),
            T::JointAcceleration => ChannelKind::JointAcceleration(JointAcceleration(self.point()?)),
            T::JointRotation => {
                let joint = self.joint()?;
                let rest_inverse = self.skeleton.rest_model()[joint.at()].rotation.inverse();
                ChannelKind::JointRotation(JointRotation { joint, rest_inverse })
            }
            T::JointHeading => {
                let axis = Vec3::from_array(spec.axis.unwrap_or([0.0, 0.0, 1.0]));
                if !(axis.is_finite() && axis.length() > 1e-3) {
                    return self.wrong("`axis` must be a direction");
                }
                ChannelKind::JointHeading(JointHeading { joint: self.joint()?, axis: axis / axis.length() })
            }
            T::JointAngularVelocity => ChannelKind::JointAngularVelocity(JointAngularVelocity { joint: self.joint()? }),
            T::TrajectoryPosition => ChannelKind::TrajectoryPosition(TrajectoryPosition(self.trajectory()?)),
            T::TrajectoryFacing => ChannelKind::TrajectoryFacing(TrajectoryFacing { slots: self.slots()? }),
            T::TrajectoryVelocity => ChannelKind::TrajectoryVelocity(TrajectoryVelocity(self.trajectory()?)),
            T::Contact => {
                let joint = self.joint()?;
                let Some(slot) = self.contacts.iter().position(|c| *c == joint) else {
                    let known: Vec<&str> = self.contacts.iter().map(|c| self.skeleton.name(*c)).collect();
                    return self.wrong(format!(
                        "`{}` is no contact joint; these are: {}",
                        self.joint_name()?,
                        known.join(", ")
                    ));
                };
                ChannelKind::Contact(Contact { joint, slot })
            }
            T::User => {
                let Some(name) = spec.name.clone() else {
                    return self.wrong("`name` is missing");
                };
                if !(1..=256).contains(&spec.width) {
                    return self.wrong(format!("`width = {}`: expected 1 to 256", spec.width));
                }
                ChannelKind::User(User { name, width: spec.width, start: self.schema.user_width })
            }
        };
        let label = self.label();
        Ok((kind, label))
    }

    /// Rejects a field that the type of channel does not use.
    fn refuse_foreign_fields(&self) -> Result<(), SchemaError> {
        use ChannelType as T;
        let s = self.spec;
        let (trajectory, point, of_joint) = match s.kind {
            T::TrajectoryPosition | T::TrajectoryFacing | T::TrajectoryVelocity => (true, false, false),
            T::JointPosition | T::JointVelocity | T::JointAcceleration => (false, true, true),
            T::JointRotation | T::JointHeading | T::JointAngularVelocity | T::Contact => (false, false, true),
            T::User => (false, false, false),
        };
        let foreign = [
            ("joint", s.joint.is_some() && !of_joint),
            ("relative_to", s.relative_to.is_some() && !point),
            ("axis", s.axis.is_some() && s.kind != T::JointHeading),
            ("times_s", !s.times_s.is_empty() && !trajectory),
            ("dimensions", s.dimensions != 2 && (!trajectory || s.kind == T::TrajectoryFacing)),
            ("name", s.name.is_some() && s.kind != T::User),
            ("width", s.width != 1 && s.kind != T::User),
        ];
        match foreign.iter().find(|f| f.1) {
            Some((field, _)) => self.wrong(format!("`{field}` means nothing for this type of channel: remove it")),
            None => Ok(()),
        }
    }

    fn label(&self) -> String {
        use ChannelType as T;
        let joint = self.spec.joint.as_deref().unwrap_or("");
        let what = match self.spec.kind {
            T::JointPosition => "position",
            T::JointVelocity => "velocity",
            T::JointAcceleration => "acceleration",
            T::JointRotation => "rotation",
            T::JointHeading => "heading",
            T::JointAngularVelocity => "angular velocity",
            T::TrajectoryPosition => "trajectory position",
            T::TrajectoryFacing => "trajectory facing",
            T::TrajectoryVelocity => "trajectory velocity",
            T::Contact => "contact",
            T::User => self.spec.name.as_deref().unwrap_or("user"),
        };
        let relative = self.spec.relative_to.as_ref().map(|r| format!(" to {r}")).unwrap_or_default();
        format!("{joint} {what}{relative}").trim().to_owned()
    }
}

#[cfg(test)]
mod tests;
