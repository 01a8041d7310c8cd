//! Body, features and names that all motion of a character shares, from any source.

use crate::database::{Database, TagMask, TagQuery};
use crate::frames::JointIndex;
use crate::motion::StickSpeeds;
use crate::rig::Rig;
use crate::schema::FeatureSchema;
use crate::skeleton::Skeleton;

/// Body, features and names: the parts of a database beside its motion.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Joints. Joint 0 is the root.
    pub skeleton: Skeleton,
    /// Roles, legs, soles and standing pose.
    pub rig: Rig,
    /// Joints with translations of their own, the root first.
    pub translated: Vec<JointIndex>,
    /// Columns of the features.
    pub schema: FeatureSchema,
    /// `[columns]` subtracted from raw features.
    pub feature_offset: Vec<f32>,
    /// `[columns]` divisors of the features after that subtraction.
    pub feature_scale: Vec<f32>,
    /// Names of the tags.
    pub tags: Vec<String>,
    /// Tags of at least one row.
    pub tags_in_use: TagMask,
    /// Names of the events.
    pub events: Vec<String>,
    /// Number of curves.
    pub curves: usize,
    /// Poses per second of the captured motion.
    pub pose_rate_hz: f32,
    /// Speeds of a full stick, unless the settings have others.
    pub stick: StickSpeeds,
    /// Identifies states of this model.
    pub hash: u64,
}

impl Model {
    /// Returns the model of a database.
    pub fn of(db: &Database) -> Self {
        Self {
            skeleton: db.skeleton.clone(),
            rig: db.rig.clone(),
            translated: db.poses.translated.clone(),
            schema: db.schema.clone(),
            feature_offset: db.features.offset.clone(),
            feature_scale: db.features.scale.clone(),
            tags: db.tags.clone(),
            tags_in_use: (0..db.rows()).fold(TagMask::default(), |all, row| all | *db.row_tags(row)),
            events: db.event_names.clone(),
            curves: db.curve_names.len(),
            pose_rate_hz: db.pose_rate_hz,
            stick: db.stick,
            hash: db.content_hash() as u64,
        }
    }

    /// Returns the number of contact joints.
    pub fn contacts(&self) -> usize {
        self.rig.contact_joints.len()
    }

    /// Returns the first tag that a query requires and no motion has: its name, or its number if it has no name.
    pub fn missing_tag(&self, tags: &TagQuery) -> Option<String> {
        let missing = tags.missing(&self.tags_in_use)?;
        Some(self.tags.get(missing).cloned().unwrap_or_else(|| missing.to_string()))
    }

    /// Normalises raw features in place.
    pub fn normalize(&self, raw: &mut [f32]) {
        for (v, (o, s)) in raw.iter_mut().zip(self.feature_offset.iter().zip(&self.feature_scale)) {
            *v = (*v - o) / s;
        }
    }
}
