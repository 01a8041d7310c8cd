//! The `.fwdb` file format: a safetensors file that any reader of that format can open.
//!
//! All numeric arrays are tensors with descriptive names. One metadata key, `footwork`, holds the rest as JSON with sorted keys.
//! Equal content gives equal bytes. The format is little-endian, as safetensors is.

use super::file_error::FileError;
use super::{Clip, Database, DatabaseContent, DatabaseEvent, Features, MirrorMode, RowFlags, TagSpan};
use crate::files::{canonical_json, read_safetensors, write_atomically};
use crate::frames::{ClipIndex, EventId, FrameIndex, JointIndex};
use crate::math::{Quat, Transform};
use crate::motion::{PosePool, StickSpeeds};
use crate::rig::{Body, Leg, Rig, Sole};
use crate::roles::{Assigned, FoundBy, JointRoles};
use crate::schema::{ChannelSpec, FeatureSchema, Normalization, PropSpec};
use crate::skeleton::Skeleton;
use bytemuck::{Pod, cast_slice};
use glam::Vec3;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

#[cfg(target_endian = "big")]
compile_error!("safetensors files are little-endian; reading them on a big-endian machine is not written yet");

/// Format version that this library writes and reads.
pub(super) const FORMAT_VERSION: u32 = 3;
const KEY: &str = "footwork";
pub(super) const RAW_POSES: &str = "raw";
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

/// A tensor for writing.
struct Tensor<'a> {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: std::borrow::Cow<'a, [u8]>,
}

fn tensor<'a, T: Pod>(name: &'static str, dtype: Dtype, shape: &[usize], values: &'a [T]) -> Tensor<'a> {
    Tensor { name, dtype, shape: shape.to_vec(), bytes: cast_slice(values).into() }
}

fn owned<T: Pod>(name: &'static str, dtype: Dtype, shape: &[usize], values: Vec<T>) -> Tensor<'static> {
    Tensor { name, dtype, shape: shape.to_vec(), bytes: cast_slice(&values).to_vec().into() }
}

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
        tensor("contacts", Dtype::U8, &[frames, contacts], &c.contacts),
        tensor("curves", Dtype::F32, &[frames, c.curve_names.len()], &c.curves),
        owned("event_name_and_clip", Dtype::U32, &[c.events.len(), 2], events),
        owned("event_time_s", Dtype::F32, &[c.events.len()], event_times),
        tensor("feature_offset", Dtype::F32, &[columns], &c.features.offset),
        tensor("feature_scale", Dtype::F32, &[columns], &c.features.scale),
        tensor("features", Dtype::F32, &[rows, columns], &c.features.values),
        tensor("joint_rotations", Dtype::F32, &[frames, joints, 4], rotations),
        owned("joint_translated", Dtype::U32, &[width], translated),
        tensor("joint_translations", Dtype::F32, &[frames, width, 3], translations),
        owned("leg_hinges", Dtype::F32, &[contacts, 3], leg_hinges),
        owned("leg_joints", Dtype::U32, &[contacts, 4], leg_joints),
        owned("rest_rotations", Dtype::F32, &[joints, 4], rest_rotations),
        owned("rest_translations", Dtype::F32, &[joints, 3], rest),
        tensor(ROW_COSTS, Dtype::F32, &[rows], &c.row_costs),
        owned("row_flags", Dtype::U8, &[rows], row_flags),
        owned("row_frames", Dtype::U32, &[rows], row_frames),
        owned("soles", Dtype::F32, &[contacts, 7], soles),
        owned("standing_rotations", Dtype::F32, &[joints, 4], standing_rotations),
        owned("standing_translations", Dtype::F32, &[joints, 3], standing),
        owned("tag_spans", Dtype::U32, &[c.tag_spans.len(), 3], spans),
    ];
    all.retain(|t| t.name != ROW_COSTS || !c.row_costs.is_empty());
    all
}

fn metadata_json(c: &DatabaseContent, content_hash: String) -> String {
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
        format_version: FORMAT_VERSION,
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
    canonical_json(&serde_json::to_value(metadata).unwrap_or_default())
}

/// Returns the hash of all tensors and all metadata.
pub(super) fn content_hash(c: &DatabaseContent) -> u128 {
    hash_of(&metadata_json(c, String::new()), tensors(c).iter().map(|t| (t.name, t.shape.as_slice(), t.bytes.as_ref())))
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
        let all = tensors(self);
        let mut views = Vec::with_capacity(all.len());
        for t in &all {
            let view = TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map_err(|e| e.to_string())?;
            views.push((t.name, view));
        }
        let json = metadata_json(self, format!("{:032x}", self.content_hash()));
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), json)]))).map_err(|e| e.to_string())
    }

    /// Writes a `.fwdb` file atomically.
    ///
    /// # Errors
    /// Returns [`FileError::Io`]; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let io = |error| FileError::Io { path: path.to_owned(), action: "write", error };
        let bytes = self.to_bytes().map_err(|e| io(std::io::Error::other(e)))?;
        write_atomically(path, |f| f.write_all(&bytes)).map_err(io)
    }

    /// Reads a `.fwdb` file. Version, hash, shapes, ranges and numbers are checked before use.
    ///
    /// # Errors
    /// Returns [`FileError`] with the problem and how to fix it.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let bytes = read_safetensors(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => {
                FileError::Container { path: path.to_owned(), detail: error.to_string() }
            }
            _ => FileError::Io { path: path.to_owned(), action: "read", error },
        })?;
        Self::from_bytes(&bytes, path)
    }

    /// Reads a `.fwdb` file from memory, as [`Database::load`] does. `path` is for messages.
    ///
    /// # Errors
    /// Returns [`FileError`] with the problem and how to fix it.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let reader = Reader::open(bytes, path)?;
        let hash = reader.hash;
        let content = reader.content()?;
        let db = Database::new(content).map_err(|error| FileError::Content { path: path.to_owned(), error })?;
        Ok(db.with_content_hash(hash))
    }
}

/// A file whose container, version and hash have been checked.
struct Reader<'a> {
    path: &'a Path,
    tensors: SafeTensors<'a>,
    metadata: Metadata,
    hash: u128,
}

impl<'a> Reader<'a> {
    fn open(bytes: &'a [u8], path: &'a Path) -> Result<Self, FileError> {
        let path_owned = || path.to_owned();
        let container =
            |e: safetensors::SafeTensorError| FileError::Container { path: path_owned(), detail: e.to_string() };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(container)?;
        let json =
            header.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or(FileError::NotOurs { path: path_owned() })?;
        let damaged = |e: serde_json::Error| FileError::Metadata { path: path_owned(), detail: e.to_string() };
        let value: serde_json::Value = serde_json::from_str(json).map_err(damaged)?;
        // The version comes first, because everything else may differ in a newer one.
        let version = value.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        let found = u32::try_from(version).unwrap_or(u32::MAX);
        match found.cmp(&FORMAT_VERSION) {
            std::cmp::Ordering::Greater => return Err(FileError::Newer { path: path_owned(), found }),
            std::cmp::Ordering::Less => return Err(FileError::Older { path: path_owned(), found }),
            std::cmp::Ordering::Equal => {}
        }
        let encoding = value.get("pose_encoding").and_then(serde_json::Value::as_str).unwrap_or_default();
        if encoding != RAW_POSES {
            return Err(FileError::Encoding { path: path_owned(), found: encoding.to_owned() });
        }
        let metadata: Metadata = serde_json::from_value(value.clone()).map_err(damaged)?;
        let mut reader = Self { path, tensors, metadata, hash: 0 };
        reader.hash = reader.check_hash(value)?;
        Ok(reader)
    }

    fn check_hash(&self, mut value: serde_json::Value) -> Result<u128, FileError> {
        let recorded = self.metadata.content_hash.clone();
        value["content_hash"] = serde_json::Value::String(String::new());
        let json = canonical_json(&value);
        let mut names = self.tensors.names();
        names.sort_unstable();
        let mut all = Vec::with_capacity(names.len());
        for name in &names {
            let t = self.tensors.tensor(name).map_err(|e| self.tensor_error(name, e.to_string()))?;
            all.push((*name, t));
        }
        let hash = hash_of(&json, all.iter().map(|(n, t)| (*n, t.shape(), t.data())));
        let found = format!("{hash:032x}");
        if found == recorded {
            return Ok(hash);
        }
        Err(FileError::Damaged { path: self.path.to_owned(), recorded, found })
    }

    fn tensor_error(&self, tensor: &str, detail: String) -> FileError {
        FileError::Tensor { path: self.path.to_owned(), tensor: tensor.to_owned(), detail }
    }

    /// Returns a copy of a tensor in aligned memory. `shape`: expected sizes, `None` for any.
    fn read<T: Pod>(&self, name: &str, dtype: Dtype, shape: &[Option<usize>]) -> Result<Vec<T>, FileError> {
        let t = self.tensors.tensor(name).map_err(|e| self.tensor_error(name, e.to_string()))?;
        let fits = t.shape().len() == shape.len()
            && t.shape().iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|w| w == *found));
        if t.dtype() != dtype || !fits {
            let detail = format!("is {:?} {:?}, expected {dtype:?} {shape:?}", t.dtype(), t.shape());
            return Err(self.tensor_error(name, detail));
        }
        Ok(bytemuck::pod_collect_to_vec(t.data()))
    }

    fn skeleton(&self) -> Result<Skeleton, FileError> {
        let m = &self.metadata;
        let joints = Some(m.joint_names.len());
        let translations: Vec<Vec3> = self.read("rest_translations", Dtype::F32, &[joints, Some(3)])?;
        let rotations: Vec<Quat> = self.read("rest_rotations", Dtype::F32, &[joints, Some(4)])?;
        let rest = translations.into_iter().zip(rotations).map(|(t, r)| Transform::new(t, r)).collect();
        Skeleton::new(m.joint_names.clone(), m.joint_parents.clone(), rest)
            .map_err(|e| FileError::Metadata { path: self.path.to_owned(), detail: e.to_string() })
    }

    fn rig(&self, skeleton: &Skeleton) -> Result<Rig, FileError> {
        let m = &self.metadata;
        let joint = |name: &String| {
            let path = self.path.to_owned();
            skeleton.require(name).map_err(|e| FileError::Metadata { path, detail: e.to_string() })
        };
        let contact_joints = m.contact_joints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let mut roles = Vec::with_capacity(m.roles.len());
        for (role, r) in &m.roles {
            let assigned = Assigned { joint: joint(&r.joint)?, found_by: r.found_by, confidence: r.confidence };
            roles.push((role.clone(), assigned));
        }
        let contacts = Some(contact_joints.len());
        let leg_joints: Vec<[u32; 4]> = self.read("leg_joints", Dtype::U32, &[contacts, Some(4)])?;
        let hinges: Vec<Vec3> = self.read("leg_hinges", Dtype::F32, &[contacts, Some(3)])?;
        let leg = |(joints, hinge): (&[u32; 4], &Vec3)| {
            let [hip, knee, ankle, toe] = joints.map(JointIndex);
            (joints[0] != NO_JOINT).then_some(Leg { hip, knee, ankle, toe, hinge: *hinge })
        };
        let legs = leg_joints.iter().zip(&hinges).map(leg).collect();
        let spine = m.spine.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
        let hips = m.hips.as_ref().map(joint).transpose()?;
        let joints = Some(skeleton.len());
        let soles: Vec<[f32; 7]> = self.read("soles", Dtype::F32, &[contacts, Some(7)])?;
        let translations: Vec<Vec3> = self.read("standing_translations", Dtype::F32, &[joints, Some(3)])?;
        let rotations: Vec<Quat> = self.read("standing_rotations", Dtype::F32, &[joints, Some(4)])?;
        let standing = translations.into_iter().zip(rotations).map(|(t, r)| Transform::new(t, r)).collect();
        Ok(Rig {
            body: hips.map(|hips| Body { hips, spine, legs }),
            soles: soles.into_iter().map(Sole::from_array).collect(),
            standing,
            ..Rig::find(skeleton, JointRoles::from_assigned(roles), &contact_joints)
        })
    }

    fn content(self) -> Result<DatabaseContent, FileError> {
        let metadata_error = |detail: String| FileError::Metadata { path: self.path.to_owned(), detail };
        let m = &self.metadata;
        let skeleton = self.skeleton()?;
        let rig = self.rig(&skeleton)?;
        let contact_joints = &rig.contact_joints;
        let schema = FeatureSchema::resolve(&m.schema, &m.schema_props, &skeleton, contact_joints)
            .map_err(|e| metadata_error(e.to_string()))?;
        let (joints, any) = (Some(skeleton.len()), None);
        let columns = Some(schema.columns);
        let translated: Vec<u32> = self.read("joint_translated", Dtype::U32, &[any])?;
        let width = Some(translated.len());
        let rotations: Vec<Quat> = self.read("joint_rotations", Dtype::F32, &[any, joints, Some(4)])?;
        let frames = Some(rotations.len() / skeleton.len());
        let row_frames: Vec<u32> = self.read("row_frames", Dtype::U32, &[any])?;
        let rows = Some(row_frames.len());
        let row_flags: Vec<u8> = self.read("row_flags", Dtype::U8, &[rows])?;
        let has_costs = self.tensors.names().contains(&ROW_COSTS);
        let row_costs = if has_costs { self.read(ROW_COSTS, Dtype::F32, &[rows])? } else { Vec::new() };
        let spans: Vec<[u32; 3]> = self.read("tag_spans", Dtype::U32, &[any, Some(3)])?;
        let event_ids: Vec<[u32; 2]> = self.read("event_name_and_clip", Dtype::U32, &[any, Some(2)])?;
        let event_times: Vec<f32> = self.read("event_time_s", Dtype::F32, &[Some(event_ids.len())])?;
        let events = event_ids.iter().zip(event_times);
        Ok(DatabaseContent {
            poses: PosePool {
                joints: skeleton.len(),
                rotations,
                translated: translated.into_iter().map(JointIndex).collect(),
                translations: self.read("joint_translations", Dtype::F32, &[frames, width, Some(3)])?,
            },
            normalization: m.normalization,
            clips: m.clips.clone(),
            pose_rate_hz: m.pose_rate_hz,
            search_rate_hz: m.search_rate_hz,
            contacts: self.read("contacts", Dtype::U8, &[frames, Some(contact_joints.len())])?,
            rig,
            curve_names: m.curves.clone(),
            curves: self.read("curves", Dtype::F32, &[frames, Some(m.curves.len())])?,
            features: Features {
                columns: schema.columns,
                values: self.read("features", Dtype::F32, &[rows, columns])?,
                offset: self.read("feature_offset", Dtype::F32, &[columns])?,
                scale: self.read("feature_scale", Dtype::F32, &[columns])?,
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
