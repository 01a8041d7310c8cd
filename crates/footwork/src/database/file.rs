//! The `.fwdb` file format ([`crate::container`]).

use super::{Clip, Database, DatabaseContent, DatabaseEvent, Features, MirrorMode, RowFlags, TagSpan};
use crate::container::{FileError, FileFault, Format, Reader, Tensor, json_of, load, save, to_bytes};
use crate::frames::{ClipIndex, EventId, FrameIndex, JointIndex};
use crate::math::{Quat, Transform};
use crate::motion::{PosePool, StickSpeeds};
use crate::rig::{Body, Leg, Rig, Sole};
use crate::roles::{Assigned, FoundBy, JointRoles};
use crate::schema::{ChannelSpec, FeatureSchema, Normalization, PropSpec};
use crate::skeleton::Skeleton;
use bytemuck::cast_slice;
use glam::Vec3;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const FORMAT: Format =
    Format { what: "a database", extension: ".fwdb", key: "footwork", kind: None, version: 3, again: "build it again" };
const RAW_POSES: &str = "raw";
/// The only optional tensor: most databases have no row costs.
const ROW_COSTS: &str = "row_costs";

/// The JSON metadata beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    clips: Vec<Clip>,
    contact_joints: Vec<String>,
    content_hash: String,
    curves: Vec<String>,
    events: Vec<String>,
    format_version: u32,
    hips: Option<String>,
    joint_names: Vec<String>,
    joint_parents: Vec<Option<JointIndex>>,
    mirror: MirrorMode,
    mirror_pairs: Vec<[String; 2]>,
    normalization: Normalization,
    pose_encoding: String,
    pose_rate_hz: f32,
    roles: BTreeMap<String, RoleMetadata>,
    schema: Vec<ChannelSpec>,
    schema_hash: String,
    schema_props: Vec<PropSpec>,
    search_rate_hz: f32,
    stick: StickSpeeds,
    spine: Vec<String>,
    tags: Vec<String>,
}

/// A joint with a role.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleMetadata {
    confidence: f32,
    found_by: FoundBy,
    joint: String,
}

/// Value in `leg_joints` for a contact joint that does not end a leg.
const NO_JOINT: u32 = u32::MAX;

/// Returns all tensors, sorted by name.
fn tensors(c: &DatabaseContent) -> Vec<Tensor<'_>> {
    let (joints, frames, rows) = (c.skeleton.len(), c.poses.frames(), c.row_frames.len());
    let columns = c.features.columns;
    let rest: Vec<f32> = c.skeleton.rest().iter().flat_map(|t| t.translation.to_array()).collect();
    let rest_rotations: Vec<f32> = c.skeleton.rest().iter().flat_map(|t| t.rotation.to_array()).collect();
    let spans: Vec<u32> = c.tag_spans.iter().flat_map(|s| [s.tag, s.start.0, s.end.0]).collect();
    let events: Vec<u32> = c.events.iter().flat_map(|e| [e.name.0, e.clip.0]).collect();
    let event_times: Vec<f32> = c.events.iter().map(|e| e.time_s).collect();
    let translated: Vec<u32> = c.poses.translated.iter().map(|j| j.0).collect();
    let row_frames: Vec<u32> = c.row_frames.iter().map(|f| f.0).collect();
    let row_flags: Vec<u8> = c.row_flags.iter().map(|f| f.0).collect();
    let translations: &[f32] = cast_slice(&c.poses.translations);
    let rotations: &[f32] = cast_slice(&c.poses.rotations);
    let rig = &c.rig;
    let contacts = rig.contact_joints.len();
    let legs = (0..contacts).map(|slot| rig.body.as_ref().and_then(|body| body.legs[slot]));
    let leg_joints: Vec<u32> = legs
        .clone()
        .flat_map(|leg| leg.map_or([NO_JOINT; 4], |l| [l.hip, l.knee, l.ankle, l.toe].map(|j| j.0)))
        .collect();
    let leg_hinges: Vec<f32> = legs.flat_map(|leg| leg.map_or(Vec3::ZERO, |l| l.hinge).to_array()).collect();
    let soles: Vec<f32> = rig.soles.iter().flat_map(|s| s.to_array()).collect();
    let standing: Vec<f32> = rig.standing.iter().flat_map(|t| t.translation.to_array()).collect();
    let standing_rotations: Vec<f32> = rig.standing.iter().flat_map(|t| t.rotation.to_array()).collect();
    let width = c.poses.translated.len();
    let mut all = vec![
        Tensor::of("contacts", Dtype::U8, &[frames, contacts], &c.contacts),
        Tensor::of("curves", Dtype::F32, &[frames, c.curve_names.len()], &c.curves),
        Tensor::owned("event_name_and_clip", Dtype::U32, &[c.events.len(), 2], events),
        Tensor::owned("event_time_s", Dtype::F32, &[c.events.len()], event_times),
        Tensor::of("feature_offset", Dtype::F32, &[columns], &c.features.offset),
        Tensor::of("feature_scale", Dtype::F32, &[columns], &c.features.scale),
        Tensor::of("features", Dtype::F32, &[rows, columns], &c.features.values),
        Tensor::of("joint_rotations", Dtype::F32, &[frames, joints, 4], rotations),
        Tensor::owned("joint_translated", Dtype::U32, &[width], translated),
        Tensor::of("joint_translations", Dtype::F32, &[frames, width, 3], translations),
        Tensor::owned("leg_hinges", Dtype::F32, &[contacts, 3], leg_hinges),
        Tensor::owned("leg_joints", Dtype::U32, &[contacts, 4], leg_joints),
        Tensor::owned("rest_rotations", Dtype::F32, &[joints, 4], rest_rotations),
        Tensor::owned("rest_translations", Dtype::F32, &[joints, 3], rest),
        Tensor::of(ROW_COSTS, Dtype::F32, &[rows], &c.row_costs),
        Tensor::owned("row_flags", Dtype::U8, &[rows], row_flags),
        Tensor::owned("row_frames", Dtype::U32, &[rows], row_frames),
        Tensor::owned("soles", Dtype::F32, &[contacts, 7], soles),
        Tensor::owned("standing_rotations", Dtype::F32, &[joints, 4], standing_rotations),
        Tensor::owned("standing_translations", Dtype::F32, &[joints, 3], standing),
        Tensor::owned("tag_spans", Dtype::U32, &[c.tag_spans.len(), 3], spans),
    ];
    all.retain(|t| t.name != ROW_COSTS || !c.row_costs.is_empty());
    all
}

fn metadata_json(c: &DatabaseContent, content_hash: String) -> Result<String, String> {
    let name = |joint: JointIndex| c.skeleton.name(joint).to_owned();
    let names = |joints: &[JointIndex]| joints.iter().map(|j| name(*j)).collect();
    let body = c.rig.body.as_ref();
    let role = |(role, a): (&str, Assigned)| {
        let metadata = RoleMetadata { confidence: a.confidence, found_by: a.found_by, joint: name(a.joint) };
        (role.to_owned(), metadata)
    };
    let metadata = Metadata {
        clips: c.clips.clone(),
        contact_joints: names(&c.rig.contact_joints),
        content_hash,
        curves: c.curve_names.clone(),
        events: c.event_names.clone(),
        format_version: FORMAT.version,
        hips: body.map(|body| name(body.hips)),
        joint_names: c.skeleton.names().to_vec(),
        joint_parents: c.skeleton.parents().to_vec(),
        mirror: c.mirror,
        mirror_pairs: c.mirror_pairs.clone(),
        stick: c.stick,
        normalization: c.normalization,
        pose_encoding: RAW_POSES.to_owned(),
        pose_rate_hz: c.pose_rate_hz,
        roles: c.rig.roles.assigned().map(role).collect(),
        schema: c.schema.specs.clone(),
        schema_hash: format!("{:016x}", c.schema.hash()),
        schema_props: c.schema.props.clone(),
        search_rate_hz: c.search_rate_hz,
        spine: body.map_or_else(Vec::new, |body| names(&body.spine)),
        tags: c.tags.clone(),
    };
    json_of(&metadata)
}

/// Returns the hash of all tensors and all metadata.
pub(super) fn content_hash(c: &DatabaseContent) -> u128 {
    // JSON supports all of the metadata.
    let json = metadata_json(c, String::new()).unwrap_or_default();
    hash_of(&json, tensors(c).iter().map(|t| (t.name.as_ref(), t.shape.as_slice(), t.bytes.as_ref())))
}

fn hash_of<'a>(json: &str, tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(json.as_bytes());
    for (name, shape, bytes) in tensors {
        hash.update(name.as_bytes());
        for n in shape {
            hash.update(&(*n as u64).to_le_bytes());
        }
        hash.update(bytes);
    }
    hash.digest128()
}

impl Database {
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the container format cannot hold the content.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let json = metadata_json(self, format!("{:032x}", self.content_hash()))?;
        to_bytes(&FORMAT, json, &tensors(self))
    }

    /// Writes a `.fwdb` file atomically.
    ///
    /// # Errors
    /// Returns [`FileFault::Io`]; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        save(&FORMAT, path, self.to_bytes())
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
        if encoding != RAW_POSES {
            return Err(reader.error(FileFault::Encoding(encoding.to_owned())));
        }
        let hash = reader.check_hash(|json, tensors| {
            let mut all = tensors.tensors();
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            hash_of(json, all.iter().map(|(name, t)| (name.as_str(), t.shape(), t.data())))
        })?;
        let metadata = reader.metadata()?;
        let file = File { reader, metadata };
        let db = Database::new(file.content()?).map_err(|e| file.reader.content_error(e))?;
        Ok(db.with_content_hash(hash))
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
            body: hips.map(|hips| Body { hips, spine, legs }),
            soles: soles.into_iter().map(Sole::from_array).collect(),
            standing,
            ..Rig::find(skeleton, JointRoles::from_assigned(roles), &contact_joints)
        })
    }

    fn content(&self) -> Result<DatabaseContent, FileError> {
        let m = &self.metadata;
        let skeleton = self.skeleton()?;
        let rig = self.rig(&skeleton)?;
        let contact_joints = &rig.contact_joints;
        let schema = FeatureSchema::resolve(&m.schema, &m.schema_props, &skeleton, contact_joints)
            .map_err(|e| self.reader.metadata_error(e))?;
        let (joints, any) = (Some(skeleton.len()), None);
        let columns = Some(schema.columns);
        let translated: Vec<u32> = self.reader.read("joint_translated", Dtype::U32, &[any])?;
        let width = Some(translated.len());
        let rotations: Vec<Quat> = self.reader.read("joint_rotations", Dtype::F32, &[any, joints, Some(4)])?;
        let frames = Some(rotations.len() / skeleton.len());
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
            poses: PosePool {
                joints: skeleton.len(),
                rotations,
                translated: translated.into_iter().map(JointIndex).collect(),
                translations: self.reader.read("joint_translations", Dtype::F32, &[frames, width, Some(3)])?,
            },
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
