//! What a `.fwdb` file holds: its tensors and metadata, and their hash.

use super::content::{Clip, DatabaseContent, MirrorMode};
use crate::container::{Format, Tensor, json_of};
use crate::frames::JointIndex;
use crate::motion::StickSpeeds;
use crate::motion::codec::EncodedPoses;
use crate::roles::{Assigned, FoundBy};
use crate::schema::{ChannelSpec, Normalization, PropSpec};
use bytemuck::cast_slice;
use glam::Vec3;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

pub(super) const FORMAT: Format =
    Format { what: "a database", extension: ".fwdb", key: "footwork", kind: None, version: 3, again: "build it again" };
/// Pose encoding: `f32` of every frame.
pub(super) const RAW_POSES: &str = "raw";
/// Pose encoding: [`crate::motion::codec`].
pub(super) const SEGMENTS: &str = "segments";
/// The only optional tensor: most databases have no row costs.
pub(super) const ROW_COSTS: &str = "row_costs";

/// The JSON metadata beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    pub clips: Vec<Clip>,
    pub contact_joints: Vec<String>,
    pub content_hash: String,
    pub curves: Vec<String>,
    pub events: Vec<String>,
    pub format_version: u32,
    pub hips: Option<String>,
    pub joint_names: Vec<String>,
    pub joint_parents: Vec<Option<JointIndex>>,
    pub mirror: MirrorMode,
    pub mirror_pairs: Vec<[String; 2]>,
    pub normalization: Normalization,
    pub pose_encoding: String,
    pub pose_rate_hz: f32,
    pub roles: BTreeMap<String, RoleMetadata>,
    pub schema: Vec<ChannelSpec>,
    pub schema_hash: String,
    pub schema_props: Vec<PropSpec>,
    pub search_rate_hz: f32,
    pub stick: StickSpeeds,
    pub spine: Vec<String>,
    pub tags: Vec<String>,
}

/// A joint with a role.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleMetadata {
    pub confidence: f32,
    pub found_by: FoundBy,
    pub joint: String,
}

/// Value in `leg_joints` for a contact joint that does not end a leg.
pub(super) const NO_JOINT: u32 = u32::MAX;

/// Returns all tensors, sorted by name: poses as bits, if they are given.
pub(super) fn tensors<'a>(c: &'a DatabaseContent, encoded: Option<&'a EncodedPoses>) -> Vec<Tensor<'a>> {
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
        Tensor::owned("joint_translated", Dtype::U32, &[width], translated),
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
    if let Some(EncodedPoses { runs, starts, bytes }) = encoded {
        all.push(Tensor::of("pose_bits", Dtype::U8, &[bytes.len()], bytes));
        all.push(Tensor::of("pose_runs", Dtype::U32, &[runs.len()], runs));
        all.push(Tensor::of("pose_segments", Dtype::U64, &[starts.len()], starts));
    } else {
        all.push(Tensor::of("joint_rotations", Dtype::F32, &[frames, joints, 4], rotations));
        all.push(Tensor::of("joint_translations", Dtype::F32, &[frames, width, 3], translations));
    }
    all.retain(|t| t.name != ROW_COSTS || !c.row_costs.is_empty());
    all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Returns the metadata with the hash of all content, or with an empty one to compute that hash.
pub(super) fn metadata_json(c: &DatabaseContent, encoded: bool, content_hash: String) -> Result<String, String> {
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
        pose_encoding: if encoded { SEGMENTS } else { RAW_POSES }.to_owned(),
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
pub(super) fn content_hash(c: &DatabaseContent, encoded: Option<&EncodedPoses>) -> u128 {
    // JSON supports all of the metadata.
    let json = metadata_json(c, encoded.is_some(), String::new()).unwrap_or_default();
    hash_of(&json, tensors(c, encoded).iter().map(|t| (t.name.as_ref(), t.shape.as_slice(), t.bytes.as_ref())))
}

/// Returns the hash of metadata and of tensors, given as name, shape and bytes in the order of their names.
pub(super) fn hash_of<'a>(json: &str, tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>) -> u128 {
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
