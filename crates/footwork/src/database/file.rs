//! The `.fwdb` file format ([`crate::container`]).

use super::Database;
use super::content::{DatabaseContent, DatabaseEvent, TagSpan};
use super::features::{Features, RowFlags};
use super::tensors::{FORMAT, Metadata, NO_JOINT, RAW_POSES, ROW_COSTS, SEGMENTS, hash_of, metadata_json, tensors};
use crate::container::{FileError, FileFault, Reader, load, save_tensors, to_bytes};
use crate::frames::{ClipIndex, EventId, FrameIndex, JointIndex};
use crate::math::{Quat, Transform};
use crate::motion::PosePool;
use crate::motion::codec::EncodedPoses;
use crate::rig::{Body, Leg, Rig, Sole};
use crate::roles::{Assigned, JointRoles};
use crate::schema::FeatureSchema;
use crate::skeleton::Skeleton;
use glam::Vec3;
use safetensors::tensor::Dtype;
use std::path::Path;

impl Database {
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the container format cannot hold the content.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        to_bytes(&FORMAT, &self.metadata_json()?, &tensors(self, self.encoded_poses.as_ref()))
    }

    /// Writes a `.fwdb` file atomically.
    ///
    /// # Errors
    /// Returns [`FileFault::Io`]; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let json = self.metadata_json().map_err(|e| {
            FileError::new(&FORMAT, path, FileFault::Io { action: "write", error: std::io::Error::other(e) })
        })?;
        save_tensors(&FORMAT, path, &json, &tensors(self, self.encoded_poses.as_ref()))
    }

    fn metadata_json(&self) -> Result<String, String> {
        metadata_json(self, self.encoded_poses.is_some(), format!("{:032x}", self.content_hash()))
    }

    /// Reads a `.fwdb` file. Version, hash, shapes, ranges and numbers are checked before use.
    ///
    /// # Errors
    /// Returns [`FileError`] with the problem and how to fix it.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        load(&FORMAT, path, Self::from_bytes)
    }

    /// Reads a `.fwdb` file from memory, as [`Database::load`] does. `path` is for messages.
    ///
    /// # Errors
    /// Returns [`FileError`] with the problem and how to fix it.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let mut reader = Reader::open(&FORMAT, bytes, path)?;
        let encoding = reader.value("pose_encoding").and_then(serde_json::Value::as_str).unwrap_or_default();
        if ![RAW_POSES, SEGMENTS].contains(&encoding) {
            return Err(reader.error(FileFault::Encoding(encoding.to_owned())));
        }
        let hash = reader.check_hash(|json, tensors| {
            let mut all = tensors.tensors();
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            hash_of(json, all.iter().map(|(name, t)| (name.as_str(), t.shape(), t.data())))
        })?;
        let metadata = reader.metadata()?;
        let file = File { reader, metadata };
        let encoded_poses = file.encoded_poses()?;
        let content = file.content(encoded_poses.as_ref())?;
        let db = Database::new(content).map_err(|e| file.reader.content_error(e))?;
        Ok(Self { encoded_poses, ..db.with_content_hash(hash) })
    }
}

/// A file whose hash has been checked.
struct File<'a> {
    reader: Reader<'a>,
    metadata: Metadata,
}

impl File<'_> {
    fn skeleton(&self) -> Result<Skeleton, FileError> {
        let m = &self.metadata;
        let joints = Some(m.joint_names.len());
        let translations: Vec<Vec3> = self.reader.read("rest_translations", Dtype::F32, &[joints, Some(3)])?;
        let rotations: Vec<Quat> = self.reader.read("rest_rotations", Dtype::F32, &[joints, Some(4)])?;
        let rest = translations.into_iter().zip(rotations).map(|(t, r)| Transform::new(t, r)).collect();
        Skeleton::new(m.joint_names.clone(), m.joint_parents.clone(), rest).map_err(|e| self.reader.metadata_error(e))
    }

    fn rig(&self, skeleton: &Skeleton) -> Result<Rig, FileError> {
        let m = &self.metadata;
        let joint = |name: &String| skeleton.require(name).map_err(|e| self.reader.metadata_error(e));
        let contact_joints = m.contact_joints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let mut roles = Vec::with_capacity(m.roles.len());
        for (role, r) in &m.roles {
            let assigned = Assigned { joint: joint(&r.joint)?, found_by: r.found_by, confidence: r.confidence };
            roles.push((role.clone(), assigned));
        }
        let contacts = Some(contact_joints.len());
        let leg_joints: Vec<[u32; 4]> = self.reader.read("leg_joints", Dtype::U32, &[contacts, Some(4)])?;
        let hinges: Vec<Vec3> = self.reader.read("leg_hinges", Dtype::F32, &[contacts, Some(3)])?;
        let leg = |(joints, hinge): (&[u32; 4], &Vec3)| {
            let [hip, knee, ankle, toe] = joints.map(JointIndex);
            (joints[0] != NO_JOINT).then_some(Leg { hip, knee, ankle, toe, hinge: *hinge })
        };
        let legs = leg_joints.iter().zip(&hinges).map(leg).collect();
        let spine = m.spine.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let hips = m.hips.as_ref().map(joint).transpose()?;
        let joints = Some(skeleton.len());
        let soles: Vec<[f32; 7]> = self.reader.read("soles", Dtype::F32, &[contacts, Some(7)])?;
        let translations: Vec<Vec3> = self.reader.read("standing_translations", Dtype::F32, &[joints, Some(3)])?;
        let rotations: Vec<Quat> = self.reader.read("standing_rotations", Dtype::F32, &[joints, Some(4)])?;
        let standing = translations.into_iter().zip(rotations).map(|(t, r)| Transform::new(t, r)).collect();
        Ok(Rig {
            body: hips.map(|hips| Body::new(skeleton, hips, spine, legs)),
            soles: soles.into_iter().map(Sole::from_array).collect(),
            standing,
            ..Rig::find(skeleton, JointRoles::from_assigned(roles), &contact_joints)
        })
    }

    fn encoded_poses(&self) -> Result<Option<EncodedPoses>, FileError> {
        if self.metadata.pose_encoding == RAW_POSES {
            return Ok(None);
        }
        Ok(Some(EncodedPoses {
            runs: self.reader.read("pose_runs", Dtype::U32, &[None])?,
            starts: self.reader.read("pose_segments", Dtype::U64, &[None])?,
            bytes: self.reader.read("pose_bits", Dtype::U8, &[None])?,
        }))
    }

    fn poses(&self, joints: usize, encoded: Option<&EncodedPoses>) -> Result<PosePool, FileError> {
        let translated: Vec<u32> = self.reader.read("joint_translated", Dtype::U32, &[None])?;
        let translated: Vec<JointIndex> = translated.into_iter().map(JointIndex).collect();
        if let Some(encoded) = encoded {
            return encoded.decode(joints, &translated).map_err(|fault| self.reader.tensor_error("pose_bits", fault));
        }
        let rotations: Vec<Quat> = self.reader.read("joint_rotations", Dtype::F32, &[None, Some(joints), Some(4)])?;
        let shape = [Some(rotations.len() / joints), Some(translated.len()), Some(3)];
        let translations = self.reader.read("joint_translations", Dtype::F32, &shape)?;
        Ok(PosePool { joints, rotations, translated, translations })
    }

    fn content(&self, encoded: Option<&EncodedPoses>) -> Result<DatabaseContent, FileError> {
        let m = &self.metadata;
        let skeleton = self.skeleton()?;
        let rig = self.rig(&skeleton)?;
        let contact_joints = &rig.contact_joints;
        let schema = FeatureSchema::resolve(&m.schema, &m.schema_props, &skeleton, contact_joints)
            .map_err(|e| self.reader.metadata_error(e))?;
        let any = None;
        let columns = Some(schema.columns);
        let poses = self.poses(skeleton.len(), encoded)?;
        let frames = Some(poses.frames());
        let row_frames: Vec<u32> = self.reader.read("row_frames", Dtype::U32, &[any])?;
        let rows = Some(row_frames.len());
        let row_flags: Vec<u8> = self.reader.read("row_flags", Dtype::U8, &[rows])?;
        let has_costs = self.reader.names().contains(&ROW_COSTS);
        let row_costs = if has_costs { self.reader.read(ROW_COSTS, Dtype::F32, &[rows])? } else { Vec::new() };
        let spans: Vec<[u32; 3]> = self.reader.read("tag_spans", Dtype::U32, &[any, Some(3)])?;
        let event_ids: Vec<[u32; 2]> = self.reader.read("event_name_and_clip", Dtype::U32, &[any, Some(2)])?;
        let event_times: Vec<f32> = self.reader.read("event_time_s", Dtype::F32, &[Some(event_ids.len())])?;
        let events = event_ids.iter().zip(event_times);
        Ok(DatabaseContent {
            poses,
            normalization: m.normalization,
            clips: m.clips.clone(),
            pose_rate_hz: m.pose_rate_hz,
            search_rate_hz: m.search_rate_hz,
            contacts: self.reader.read("contacts", Dtype::U8, &[frames, Some(contact_joints.len())])?,
            rig,
            curve_names: m.curves.clone(),
            curves: self.reader.read("curves", Dtype::F32, &[frames, Some(m.curves.len())])?,
            features: Features {
                columns: schema.columns,
                values: self.reader.read("features", Dtype::F32, &[rows, columns])?,
                offset: self.reader.read("feature_offset", Dtype::F32, &[columns])?,
                scale: self.reader.read("feature_scale", Dtype::F32, &[columns])?,
            },
            row_frames: row_frames.into_iter().map(FrameIndex).collect(),
            row_flags: row_flags.into_iter().map(RowFlags).collect(),
            row_costs,
            tags: m.tags.clone(),
            tag_spans: spans
                .into_iter()
                .map(|[tag, start, end]| TagSpan { tag, start: FrameIndex(start), end: FrameIndex(end) })
                .collect(),
            event_names: m.events.clone(),
            events: events
                .map(|([name, clip], time_s)| DatabaseEvent { name: EventId(*name), clip: ClipIndex(*clip), time_s })
                .collect(),
            mirror: m.mirror,
            mirror_pairs: m.mirror_pairs.clone(),
            stick: m.stick,
            skeleton,
            schema,
        })
    }
}
