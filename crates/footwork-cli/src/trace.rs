//! Recorded run, `.fwtrace`: a safetensors file like `.fwdb`, for any reader of that format.
//!
//! Numbers are tensors with descriptive names; one metadata key, `footwork`, contains the rest as JSON
//! with sorted keys. Equal runs give equal bytes. Loading checks the whole file before use.

use crate::ground::GroundKind;
use crate::interrupt::guarded;
use crate::run::Driven;
use anyhow::{Context, Result, anyhow, bail};
use bytemuck::{Pod, cast_slice};
use footwork::database::Database;
use footwork::files::{canonical_json, read_safetensors, write_atomically};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The version this program writes, and the newest it reads.
const FORMAT_VERSION: u32 = 1;
const KEY: &str = "footwork";
const KIND: &str = "trace";

/// Run, frame by frame. Frame 0 is the result of the first update.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub skeleton: Skeleton,
    pub rate_hz: f32,
    pub contact_joints: Vec<JointIndex>,
    /// Names of the database's clips.
    pub clips: Vec<String>,
    /// Name of the course.
    pub course: String,
    /// Ground of the run.
    pub ground: GroundKind,
    /// First frame and name of each part of the course.
    pub parts: Vec<(usize, String)>,
    /// Content hash of the database.
    pub database_hash: String,
    /// `[frames x joints]` to the parent; joint 0 is `world_from_root`.
    pub translations: Vec<Vec3>,
    /// `[frames x joints]`.
    pub rotations: Vec<Quat>,
    /// `[frames x contact joints]` contacts of the playing frame.
    pub contacts: Vec<u8>,
    /// `[frames]` position of the simulated character: the command.
    pub simulated: Vec<Vec3>,
    /// `[frames]` its facing: x and z of a unit vector.
    pub simulated_facings: Vec<[f32; 2]>,
    /// `[frames]` number of transitions.
    pub transitions: Vec<u32>,
    /// `[frames]` index of the playing clip.
    pub playing_clips: Vec<u32>,
    /// `[frames]` time in the playing clip, in seconds; that of a loop may exceed its length.
    pub playing_times_s: Vec<f32>,
    /// `[frames]` 1 if it is mirrored.
    pub playing_mirrored: Vec<u8>,
}

/// Metadata beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    clips: Vec<String>,
    contact_joints: Vec<String>,
    course: String,
    database_hash: String,
    format_version: u32,
    /// Omitted if level.
    #[serde(default, skip_serializing_if = "GroundKind::is_level")]
    ground: GroundKind,
    joint_names: Vec<String>,
    joint_parents: Vec<Option<JointIndex>>,
    kind: String,
    parts: Vec<(usize, String)>,
    rate_hz: f32,
}

impl Trace {
    /// Returns the trace of a run over a course.
    pub fn of(db: &Database, driven: &Driven, course: &str) -> Self {
        Self {
            skeleton: db.skeleton.clone(),
            rate_hz: 1.0 / driven.summary.dt_s,
            contact_joints: db.rig.contact_joints.clone(),
            clips: db.clips.iter().map(|c| c.name.clone()).collect(),
            course: course.to_owned(),
            ground: driven.ground,
            parts: driven.parts.clone(),
            database_hash: format!("{:032x}", db.content_hash()),
            translations: driven.translations.clone(),
            rotations: driven.rotations.clone(),
            contacts: driven.contacts.clone(),
            simulated: driven.commanded.iter().map(|s| s.position).collect(),
            simulated_facings: driven.commanded.iter().map(|s| [s.facing.x, s.facing.z]).collect(),
            transitions: driven.transition_counts.clone(),
            playing_clips: driven.playing.iter().map(|p| p.clip.0).collect(),
            playing_times_s: driven.playing.iter().map(|p| p.time_s as f32).collect(),
            playing_mirrored: driven.playing.iter().map(|p| u8::from(p.mirrored)).collect(),
        }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.transitions.len()
    }

    /// Writes it, all or nothing.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        guarded(path, || write_atomically(path, |f| f.write_all(&bytes)))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let (frames, joints) = (self.frames(), self.skeleton.len());
        let rest: Vec<f32> = self.skeleton.rest().iter().flat_map(|t| t.translation.to_array()).collect();
        let rest_rotations: Vec<f32> = self.skeleton.rest().iter().flat_map(|t| t.rotation.to_array()).collect();
        let tensors: [(&str, Dtype, Vec<usize>, &[u8]); 11] = [
            ("contacts", Dtype::U8, vec![frames, self.contact_joints.len()], &self.contacts),
            ("joint_rotations", Dtype::F32, vec![frames, joints, 4], cast_slice(&self.rotations)),
            ("joint_translations", Dtype::F32, vec![frames, joints, 3], cast_slice(&self.translations)),
            ("playing_clip", Dtype::U32, vec![frames], cast_slice(&self.playing_clips)),
            ("playing_mirrored", Dtype::U8, vec![frames], &self.playing_mirrored),
            ("playing_time_s", Dtype::F32, vec![frames], cast_slice(&self.playing_times_s)),
            ("rest_rotations", Dtype::F32, vec![joints, 4], cast_slice(&rest_rotations)),
            ("rest_translations", Dtype::F32, vec![joints, 3], cast_slice(&rest)),
            ("simulated_facings", Dtype::F32, vec![frames, 2], cast_slice(&self.simulated_facings)),
            ("simulated_positions", Dtype::F32, vec![frames, 3], cast_slice(&self.simulated)),
            ("transitions", Dtype::U32, vec![frames], cast_slice(&self.transitions)),
        ];
        let mut views = Vec::with_capacity(tensors.len());
        for (name, dtype, shape, bytes) in tensors {
            views.push((name, TensorView::new(dtype, shape, bytes)?));
        }
        let metadata = Metadata {
            clips: self.clips.clone(),
            contact_joints: self.contact_joints.iter().map(|j| self.skeleton.name(*j).to_owned()).collect(),
            course: self.course.clone(),
            database_hash: self.database_hash.clone(),
            format_version: FORMAT_VERSION,
            ground: self.ground,
            joint_names: self.skeleton.names().to_vec(),
            joint_parents: self.skeleton.parents().to_vec(),
            kind: KIND.to_owned(),
            parts: self.parts.clone(),
            rate_hz: self.rate_hz,
        };
        let json = canonical_json(&serde_json::to_value(metadata)?);
        Ok(safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), json)])))?)
    }

    /// Reads one and checks all of it.
    pub fn load(path: &Path) -> Result<Self> {
        let unusable =
            |e: anyhow::Error| anyhow!("{}: {e:#}; record it again: footwork simulate --trace", path.display());
        let bytes = read_safetensors(path).map_err(|e| match e.kind() {
            ErrorKind::InvalidData => unusable(anyhow!("not a .fwtrace file, or a truncated one: {e}")),
            _ => anyhow!("cannot read {}: {e}", path.display()),
        })?;
        Self::from_bytes(&bytes).map_err(unusable)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let container = |e: safetensors::SafeTensorError| anyhow!("not a .fwtrace file, or a truncated one: {e}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(container)?;
        let tensors = Tensors(SafeTensors::deserialize(bytes).map_err(container)?);
        let json = header.metadata().as_ref().and_then(|m| m.get(KEY));
        let json = json.context("metadata: expected the key `footwork`, found another safetensors file")?;
        let value: serde_json::Value = serde_json::from_str(json).context("damaged metadata")?;
        if value.get("kind").and_then(serde_json::Value::as_str) != Some(KIND) {
            bail!("expected a trace, found another footwork file; open databases with --db");
        }
        // The version first: everything else may look different in a newer one.
        let version = value.get("format_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if version != u64::from(FORMAT_VERSION) {
            bail!("format version: expected {FORMAT_VERSION}, found {version}");
        }
        let m: Metadata = serde_json::from_value(value).context("damaged metadata")?;
        let trace = tensors.trace(m)?;
        trace.check()?;
        Ok(trace)
    }

    /// What the shapes do not say: ranges and numbers.
    fn check(&self) -> Result<()> {
        if self.frames() == 0 {
            bail!("expected at least one frame, found none");
        }
        if !(1.0..=1000.0).contains(&self.rate_hz) {
            bail!("rate: expected 1 to 1000 frames per second, found {}", self.rate_hz);
        }
        let joints = self.skeleton.len();
        let bad = self
            .translations
            .iter()
            .zip(&self.rotations)
            .position(|(t, r)| !t.is_finite() || !r.is_finite() || !(0.99..=1.01).contains(&r.length()));
        if let Some(i) = bad {
            let joint = &self.skeleton.names()[i % joints];
            bail!("frame {}, joint `{joint}`: expected a finite place and a unit quaternion", i / joints);
        }
        let finite = self.simulated.iter().all(|p| p.is_finite())
            && self.simulated_facings.iter().flatten().chain(&self.playing_times_s).all(|v| v.is_finite());
        if !finite {
            bail!("simulated character, playing times: expected finite numbers");
        }
        if let Some(f) = self.playing_clips.iter().position(|c| *c as usize >= self.clips.len()) {
            bail!("frame {f}: expected one of {} clips, found clip {}", self.clips.len(), self.playing_clips[f]);
        }
        let mut slots: Vec<JointIndex> = self.contact_joints.clone();
        slots.sort();
        slots.dedup();
        if slots.len() < self.contact_joints.len() {
            bail!("joints that touch the ground: expected each joint once");
        }
        if self.parts.iter().any(|p| p.0 >= self.frames()) || !self.parts.is_sorted_by(|a, b| a.0 < b.0) {
            bail!("parts of the course: expected them in order within {} frames", self.frames());
        }
        Ok(())
    }
}

struct Tensors<'a>(SafeTensors<'a>);

impl Tensors<'_> {
    /// A tensor copied into aligned memory. `shape`: expected sizes, `None` for any.
    fn read<T: Pod>(&self, name: &str, dtype: Dtype, shape: &[Option<usize>]) -> Result<Vec<T>> {
        let t = self.0.tensor(name).map_err(|e| anyhow!("tensor `{name}`: {e}"))?;
        let fits = t.shape().len() == shape.len()
            && t.shape().iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|w| w == *found));
        if t.dtype() != dtype || !fits {
            bail!("tensor `{name}` is {:?} {:?}, expected {dtype:?} {shape:?}", t.dtype(), t.shape());
        }
        Ok(bytemuck::pod_collect_to_vec(t.data()))
    }

    fn trace(&self, m: Metadata) -> Result<Trace> {
        let joints = Some(m.joint_names.len());
        let rest_translations: Vec<Vec3> = self.read("rest_translations", Dtype::F32, &[joints, Some(3)])?;
        let rest_rotations: Vec<Quat> = self.read("rest_rotations", Dtype::F32, &[joints, Some(4)])?;
        let rest = rest_translations.into_iter().zip(rest_rotations).map(|(t, r)| Transform::new(t, r)).collect();
        let skeleton = Skeleton::new(m.joint_names, m.joint_parents, rest).context("damaged metadata")?;
        let mut contact_joints = Vec::with_capacity(m.contact_joints.len());
        for name in &m.contact_joints {
            contact_joints.push(skeleton.require(name).context("damaged metadata")?);
        }
        let transitions: Vec<u32> = self.read("transitions", Dtype::U32, &[None])?;
        let frames = Some(transitions.len());
        Ok(Trace {
            translations: self.read("joint_translations", Dtype::F32, &[frames, joints, Some(3)])?,
            rotations: self.read("joint_rotations", Dtype::F32, &[frames, joints, Some(4)])?,
            contacts: self.read("contacts", Dtype::U8, &[frames, Some(contact_joints.len())])?,
            simulated: self.read("simulated_positions", Dtype::F32, &[frames, Some(3)])?,
            simulated_facings: self.read("simulated_facings", Dtype::F32, &[frames, Some(2)])?,
            playing_clips: self.read("playing_clip", Dtype::U32, &[frames])?,
            playing_times_s: self.read("playing_time_s", Dtype::F32, &[frames])?,
            playing_mirrored: self.read("playing_mirrored", Dtype::U8, &[frames])?,
            transitions,
            rate_hz: m.rate_hz,
            clips: m.clips,
            course: m.course,
            ground: m.ground,
            parts: m.parts,
            database_hash: m.database_hash,
            contact_joints,
            skeleton,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        let names = vec!["Root".to_owned(), "Foot".to_owned()];
        let rest = vec![Transform::default(); 2];
        let skeleton = Skeleton::new(names, vec![None, Some(JointIndex(0))], rest).unwrap();
        let frames = 3;
        Trace {
            skeleton,
            rate_hz: 60.0,
            contact_joints: vec![JointIndex(1)],
            clips: vec!["walk".into()],
            course: "standard".into(),
            ground: GroundKind::Stairs,
            parts: vec![(0, "stand".into()), (2, "walk".into())],
            database_hash: "0".repeat(32),
            translations: vec![Vec3::Y; frames * 2],
            rotations: vec![Quat::IDENTITY; frames * 2],
            contacts: vec![1, 0, 1],
            simulated: vec![Vec3::ZERO; frames],
            simulated_facings: vec![[0.0, 1.0]; frames],
            transitions: vec![1, 0, 2],
            playing_clips: vec![0; frames],
            playing_times_s: vec![0.1; frames],
            playing_mirrored: vec![0; frames],
        }
    }

    fn refused(t: &Trace) -> String {
        format!("{:#}", Trace::from_bytes(&t.to_bytes().unwrap()).unwrap_err())
    }

    #[test]
    fn a_trace_comes_back_as_it_was_and_equal_runs_give_equal_bytes() {
        let bytes = trace().to_bytes().unwrap();
        assert_eq!(bytes, trace().to_bytes().unwrap());
        assert_eq!(Trace::from_bytes(&bytes).unwrap(), trace());
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        let bytes = trace().to_bytes().unwrap();
        for n in 0..bytes.len() {
            assert!(Trace::from_bytes(&bytes[..n]).is_err(), "{n} bytes");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let mut t = trace();
        t.translations[3].x = f32::NAN;
        assert!(refused(&t).contains("frame 1, joint `Foot`"), "{}", refused(&t));
        let mut t = trace();
        t.playing_clips[1] = 7;
        assert!(refused(&t).contains("frame 1: expected one of 1 clips, found clip 7"));
        let mut t = trace();
        t.parts[1].0 = 9;
        assert!(refused(&t).contains("parts of the course"));
        let mut t = trace();
        t.rate_hz = 0.0;
        assert!(refused(&t).contains("frames per second"));
    }

    #[test]
    fn another_version_and_another_kind_are_refused_by_name() {
        let bytes = trace().to_bytes().unwrap();
        let with = |from: &str, to: &str| {
            assert_eq!(from.len(), to.len());
            let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
            let mut changed = bytes.clone();
            changed[at..at + to.len()].copy_from_slice(to.as_bytes());
            format!("{:#}", Trace::from_bytes(&changed).unwrap_err())
        };
        assert!(with(r#"format_version\":1"#, r#"format_version\":9"#).contains("found 9"));
        assert!(with(r#"\"trace\""#, r#"\"other\""#).contains("expected a trace"));
        assert!(with(r#""shape":[3]"#, r#""shape":[9]"#).contains("not a .fwtrace file"));
    }
}
