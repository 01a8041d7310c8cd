//! Rows of the feature matrix: their frames, raw values, and the finished matrix.

use super::config::BuildConfig;
use super::normalize::Scaling;
use super::pool::PooledClip;
use super::{BuildError, BuildOptions};
use crate::database::{Clip, Database, Features, MirrorMode, RowFlags, mirror_table_of};
use crate::frames::FrameIndex;
use crate::motion::{ClipView, PosePool};
use crate::parallel;
use crate::pose::{Pose, PoseVelocity, RootMotion};
use crate::schema::{ChannelKind, ChannelSpec, ChannelType, FeatureSchema, MirrorColumn, SourceBuffers};
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::borrow::Cow;

/// Inputs of the extraction of features.
pub struct Stage<'a> {
    pub clips: &'a [PooledClip],
    pub skeleton: &'a Skeleton,
    pub poses: &'a PosePool,
    pub schema: &'a FeatureSchema,
    pub config: &'a BuildConfig,
    pub options: &'a BuildOptions<'a>,
}

/// Raw rows of all clips, in order.
#[derive(Default)]
pub struct Extracted {
    /// `[rows x columns]`.
    pub raw: Vec<f32>,
    pub row_frames: Vec<FrameIndex>,
    pub row_flags: Vec<RowFlags>,
    pub row_costs: Vec<f32>,
    /// `[rows]` true for rows tagged with [`Database::NO_LOCOMOTION`].
    pub row_aside: Vec<bool>,
    /// `[rows]` true for rows tagged with [`Database::MADE`].
    pub row_made: Vec<bool>,
    /// `[clips]` number of rows.
    pub rows_per_clip: Vec<usize>,
}

impl Extracted {
    /// Returns the raw rows that are used for normalisation: those that queries without tags may find, or all if there are none. Of
    /// these, made rows are used only where they outnumber the captured rows, so that a few made loops change no captured feature.
    pub fn compared(&self, columns: usize) -> Cow<'_, [f32]> {
        let rows = self.row_aside.len();
        let all_aside = !self.row_aside.contains(&false);
        let found = |row: &usize| all_aside || !self.row_aside[*row];
        let made = (0..rows).filter(found).filter(|row| self.row_made[*row]).count();
        let captured = (0..rows).filter(found).count() - made;
        let used: Vec<usize> = (0..rows).filter(found).filter(|row| made >= captured || !self.row_made[*row]).collect();
        if used.len() == rows {
            return Cow::Borrowed(&self.raw);
        }
        Cow::Owned(used.iter().flat_map(|row| &self.raw[row * columns..(row + 1) * columns]).copied().collect())
    }
}

/// The finished matrix.
#[derive(Default)]
pub struct Assembled {
    pub clips: Vec<Clip>,
    pub features: Features,
    pub row_frames: Vec<FrameIndex>,
    pub row_flags: Vec<RowFlags>,
    /// `[rows]` cost biases, or empty if all are 0.
    pub row_costs: Vec<f32>,
}

impl Stage<'_> {
    /// Computes all rows, clip by clip.
    pub fn extract(&self, labels: &[Vec<u8>], contacts: usize, search_rate_hz: f32) -> Result<Extracted, BuildError> {
        self.check_user_channels()?;
        let labelled: Vec<(&PooledClip, &Vec<u8>)> = self.clips.iter().zip(labels).collect();
        let per_clip =
            parallel::map(&labelled, |(clip, labels)| self.extract_clip(clip, labels, contacts, search_rate_hz));
        let mut all = Extracted::default();
        all.raw.reserve_exact(per_clip.iter().map(|one| one.raw.len()).sum());
        for one in per_clip {
            all.rows_per_clip.push(one.row_frames.len());
            all.raw.extend(one.raw);
            all.row_frames.extend(one.row_frames);
            all.row_flags.extend(one.row_flags);
            all.row_costs.extend(one.row_costs);
            all.row_aside.extend(one.row_aside);
            all.row_made.extend(one.row_made);
        }
        if let Some(i) = all.raw.iter().position(|v| !v.is_finite()) {
            let what = format!("feature `{}` is {}", self.schema.column_label(i % self.schema.columns), all.raw[i]);
            return Err(BuildError::Config { key: "schema".into(), what });
        }
        Ok(all)
    }

    fn extract_clip(&self, clip: &PooledClip, labels: &[u8], contacts: usize, search_rate_hz: f32) -> Extracted {
        let view = clip.view(self.skeleton, self.poses);
        let mut buffers = SourceBuffers::new(self.schema, self.skeleton, contacts);
        let frames = row_frames(clip.frames(), clip.rate_hz, search_rate_hz);
        let columns = self.schema.columns;
        let mut raw = vec![0.0; frames.len() * columns];
        let (mut flags, mut costs) = (Vec::with_capacity(frames.len()), Vec::with_capacity(frames.len()));
        let (mut aside, mut made) = (Vec::with_capacity(frames.len()), Vec::with_capacity(frames.len()));
        for (frame, out) in frames.iter().zip(raw.chunks_exact_mut(columns)) {
            let time_s = *frame as f64 / f64::from(clip.rate_hz);
            buffers.gather_body(&view, time_s, self.schema.needs_accelerations);
            buffers.gather_trajectory(&view, time_s, &self.schema.times_s);
            buffers.contacts.copy_from_slice(&labels[frame * contacts..][..contacts]);
            self.user_values(clip, time_s, &mut buffers.user);
            self.schema.extract(&buffers.source(), out);
            flags.push(self.flags(clip, &view, time_s));
            let holds = clip.annotations.costs.iter().filter(|c| c.range.contains(time_s as f32));
            costs.push(holds.fold(0.0, |sum, c| sum + c.cost));
            let tags = clip.annotations.tags.iter().filter(|t| t.range.contains(time_s as f32));
            let has = |tag: &str| tags.clone().any(|t| t.name == tag);
            aside.push(has(Database::NO_LOCOMOTION));
            made.push(has(Database::MADE));
        }
        Extracted {
            raw,
            row_frames: frames.iter().map(|f| FrameIndex::new(clip.range.start + f)).collect(),
            row_flags: flags,
            row_costs: costs,
            row_aside: aside,
            row_made: made,
            rows_per_clip: Vec::new(),
        }
    }

    fn flags(&self, clip: &PooledClip, view: &ClipView, time_s: f64) -> RowFlags {
        let (back_s, ahead_s) = self.schema.horizon_s();
        let covered = view.covers(time_s + f64::from(back_s), time_s + f64::from(ahead_s));
        let barred = clip.annotations.do_not_enter.iter().any(|r| r.contains(time_s as f32));
        let mut flags = 0;
        if !covered {
            flags |= RowFlags::EXTRAPOLATED;
        }
        if barred || (!covered && !self.config.extrapolate_ends) {
            flags |= RowFlags::NO_ENTRY;
        }
        RowFlags(flags)
    }

    fn user_values(&self, clip: &PooledClip, time_s: f64, out: &mut [f32]) {
        for c in &self.schema.channels {
            let ChannelKind::User(user) = &c.kind else { continue };
            let out = &mut out[user.start..user.start + user.width];
            if let Some((_, values)) = self.options.user.iter().find(|(name, _)| *name == user.name) {
                values(&clip.name, time_s + f64::from(clip.source_start_s), out);
            } else if let Some(curve) = clip.annotations.curves.iter().find(|c| c.name == user.name) {
                curve.sample(time_s as f32, out);
            }
        }
    }

    /// Checks that every user channel has a closure, or a curve of its width in at least one clip.
    fn check_user_channels(&self) -> Result<(), BuildError> {
        for c in &self.schema.channels {
            let ChannelKind::User(user) = &c.kind else { continue };
            if self.options.user.iter().any(|(name, _)| *name == user.name) {
                continue;
            }
            let key = format!("schema user channel `{}`", user.name);
            let of_name = |clip: &PooledClip| clip.annotations.curves.iter().any(|c| c.name == user.name);
            if !self.clips.iter().any(of_name) {
                let what = "has no values: give a closure, or a curve of this name in a clip's tags file".to_owned();
                return Err(BuildError::Config { key, what });
            }
            for clip in self.clips {
                if let Some(c) = clip.annotations.curves.iter().find(|c| c.name == user.name && c.width != user.width) {
                    let what =
                        format!("is {} wide, but clip `{}` has {} value(s) per key", user.width, clip.name, c.width);
                    return Err(BuildError::Config { key, what });
                }
            }
        }
        Ok(())
    }
}

/// Returns the frames that become rows: multiples of `rate_hz / search_rate_hz`, rounded to whole frames.
fn row_frames(frames: usize, rate_hz: f32, search_rate_hz: f32) -> Vec<usize> {
    let step = f64::from(rate_hz) / f64::from(search_rate_hz);
    let mut rows: Vec<usize> = Vec::new();
    for k in 0.. {
        let frame = (k as f64 * step).round() as usize;
        if frame >= frames {
            break;
        }
        if rows.last() != Some(&frame) {
            rows.push(frame);
        }
    }
    rows
}

/// Returns the source of each column in a mirror image; `None` if `mirror` is off. `mirror_pairs`: joint names.
pub fn mirror_columns(
    skeleton: &Skeleton,
    schema: &FeatureSchema,
    poses: &PosePool,
    mirror_pairs: &[[String; 2]],
    config: &BuildConfig,
) -> Result<Option<Vec<MirrorColumn>>, BuildError> {
    if config.mirror == MirrorMode::Off {
        return Ok(None);
    }
    if config.mirror == MirrorMode::Query && !config.symmetric_normalization {
        let what = "`mirror = \"query\"` needs it: both sides must be measured alike".to_owned();
        return Err(BuildError::Config { key: "symmetric_normalization".into(), what });
    }
    let table = mirror_table_of(skeleton, mirror_pairs, &poses.translated)?;
    Ok(Some(schema.mirror_columns(&table)?))
}

/// Normalises the rows, and appends the stored mirror images, if any, after all originals.
pub fn assemble(
    extracted: Extracted,
    pooled: &[PooledClip],
    schema: &FeatureSchema,
    scaling: Scaling,
    mirror: Option<&[MirrorColumn]>,
) -> Assembled {
    let columns = schema.columns;
    let mut features = Features { columns, values: extracted.raw, offset: scaling.offset, scale: scaling.scale };
    let originals = extracted.row_frames.len();
    let Extracted { mut row_frames, mut row_flags, mut row_costs, rows_per_clip, .. } = extracted;
    if row_costs.iter().all(|cost| *cost == 0.0) {
        row_costs.clear();
    }
    let mut clips: Vec<Clip> = Vec::with_capacity(pooled.len());
    let mut row = 0u32;
    for (clip, rows) in pooled.iter().zip(&rows_per_clip) {
        clips.push(Clip {
            name: clip.name.clone(),
            first_frame: clip.range.start as u32,
            frames: clip.frames() as u32,
            first_row: row,
            rows: *rows as u32,
            loop_delta: clip.loop_delta,
            mirrored: false,
            source_start_s: clip.source_start_s,
        });
        row += *rows as u32;
    }
    if let Some(mirror) = mirror {
        let mut mirrored = vec![0.0; originals * columns];
        for (out, raw) in mirrored.chunks_exact_mut(columns).zip(features.values.chunks_exact(columns)) {
            for (o, m) in out.iter_mut().zip(mirror) {
                *o = m.sign * raw[m.column];
            }
        }
        features.values.extend(mirrored);
        row_frames.extend_from_within(..);
        row_flags.extend_from_within(..);
        row_costs.extend_from_within(..);
        let images: Vec<Clip> = clips
            .iter()
            .map(|c| Clip {
                name: format!("{} (mirrored)", c.name),
                first_row: c.first_row + originals as u32,
                mirrored: true,
                ..c.clone()
            })
            .collect();
        clips.extend(images);
    }
    let mut values = std::mem::take(&mut features.values);
    for raw in values.chunks_exact_mut(columns) {
        features.normalize(raw);
    }
    features.values = values;
    Assembled { clips, features, row_frames, row_flags, row_costs }
}

/// Sets the missing axes of heading channels: the axis that, averaged over some frames, points in the root's facing.
pub fn with_heading_axes(
    mut specs: Vec<ChannelSpec>,
    skeleton: &Skeleton,
    poses: &PosePool,
    frames: &[usize],
) -> Vec<ChannelSpec> {
    for spec in specs.iter_mut().filter(|s| s.kind == ChannelType::JointHeading && s.axis.is_none()) {
        let Some(joint) = spec.joint.as_ref().and_then(|j| skeleton.find(j)) else { continue };
        let mut sum = Vec3::ZERO;
        let (mut pose, velocity) = (Pose::rest(skeleton), PoseVelocity::zero(skeleton.len()));
        let mut motion = RootMotion::zero(skeleton.len());
        for f in frames.iter().copied().step_by(10) {
            pose.rotations.copy_from_slice(&poses.rotations[f * poses.joints..][..poses.joints]);
            motion.from_pose(skeleton, &pose, &velocity);
            sum += motion.rotations[joint.at()].inverse() * Vec3::Z;
        }
        if sum.length() > 1e-3 {
            spec.axis = Some((sum / sum.length()).to_array());
        }
    }
    specs
}
