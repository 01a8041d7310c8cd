//! What all motion of a character has in common, whatever gives it.

use crate::database::{Database, TagMask, TagQuery};
use crate::frames::JointIndex;
use crate::motion::StickSpeeds;
use crate::rig::Rig;
use crate::schema::FeatureSchema;
use crate::skeleton::Skeleton;

/// Body, features and names: what a database has beside its motion.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Joints; joint 0 is the root.
    pub skeleton: Skeleton,
    /// Roles, legs, soles, how the body stands.
    pub rig: Rig,
    /// Joints with translations of their own, the root first.
    pub translated: Vec<JointIndex>,
    /// Columns of the features.
    pub schema: FeatureSchema,
    /// `[columns]` subtracted from raw features.
    pub feature_offset: Vec<f32>,
    /// `[columns]` by which they are divided then.
    pub feature_scale: Vec<f32>,
    /// Names of the tags.
    pub tags: Vec<String>,
    /// The tags that motion has somewhere.
    pub tags_in_use: TagMask,
    /// Names of the events.
    pub events: Vec<String>,
    /// Number of curves.
    pub curves: usize,
    /// Poses per second of the motion as captured.
    pub pose_rate_hz: f32,
    /// What a full stick stands for, where settings do not say.
    pub stick: StickSpeeds,
    /// Tells states of this model from those of others.
    pub hash: u64,
}

impl Model {
    /// The model of a database.
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

    /// Number of contact joints.
    pub fn contacts(&self) -> usize {
        self.rig.contact_joints.len()
    }

    /// The first tag that no motion has and without which a query does not hold: its name, or its number where it has no name.
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
