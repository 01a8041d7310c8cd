//! Parts of a database: some of its clips, with everything that all clips share, so that costs have the same bits as in the whole.

use super::content::{Clip, DatabaseContent, DatabaseEvent, TagSpan};
use super::features::Features;
use super::{Database, DatabaseError, tensors};
use crate::frames::{ClipIndex, FrameIndex};
use crate::motion::PosePool;
use crate::motion::codec::EncodedPoses;
use std::ops::Range;

impl Database {
    /// Divides the original clips into `count` ranges of about the same number of frames. Each range has clips with rows. Returns
    /// `None` if `count` is 0, or more than the clips that have rows.
    pub fn cuts(&self, count: usize) -> Option<Vec<Range<usize>>> {
        let originals = self.originals();
        let with_rows: Vec<usize> = (0..originals).filter(|clip| self.clips[*clip].rows > 0).collect();
        if count == 0 || count > with_rows.len() {
            return None;
        }
        let (mut cuts, mut start, mut used) = (Vec::with_capacity(count), 0, 0);
        for k in 1..=count {
            // The first `last` clips with rows are in ranges up to this one; at least one is left for each of the others.
            let full = |clip: &&usize| self.clips[**clip].frame_range().end <= self.frames() * k / count;
            let last = with_rows.iter().take_while(full).count().clamp(used + 1, with_rows.len() - (count - k));
            let end = with_rows.get(last).copied().filter(|_| k < count).unwrap_or(originals);
            cuts.push(start..end);
            (start, used) = (end, last);
        }
        Some(cuts)
    }

    /// Returns the database of some original clips (`originals`, ascending) and their stored mirror images, and the clip of this
    /// database for each of its clips. Order, features and poses have the same bits; normalisation, names and the rule of
    /// [`Database::set_aside`] are those of this database.
    ///
    /// # Errors
    /// Returns [`DatabaseError::Empty`] if the clips have no rows.
    pub fn part(&self, originals: &[usize]) -> Result<(Self, Vec<ClipIndex>), DatabaseError> {
        let c = &self.content;
        let frames = joined(originals.iter().map(|clip| c.clips[*clip].frame_range()));
        let moved = |frame: u32| {
            let at = frames.partition_point(|range| range.end <= frame as usize);
            let before: usize = frames[..at].iter().map(Range::len).sum();
            let range = frames.get(at).filter(|range| range.start <= frame as usize)?;
            Some((before + frame as usize - range.start) as u32)
        };
        let kept: Vec<usize> = (0..c.clips.len()).filter(|clip| moved(c.clips[*clip].first_frame).is_some()).collect();
        let rows = joined(kept.iter().map(|clip| c.clips[*clip].row_range()));
        let mut first_row = 0;
        let clip = |clip: &usize| {
            let clip = &c.clips[*clip];
            let first_frame = moved(clip.first_frame).unwrap_or_default();
            let moved = Clip { first_frame, first_row, ..clip.clone() };
            first_row += clip.rows;
            moved
        };
        let clips = kept.iter().map(clip).collect();
        let row_frames = gathered(&c.row_frames, 1, &rows).into_iter();
        let span = |span: &TagSpan| {
            let (tag, start, end) = (span.tag, span.start.at(), span.end.at());
            let cut = frames.iter().map(move |range| range.start.max(start)..range.end.min(end));
            let inside = cut.filter(|range| range.start < range.end);
            inside.filter_map(move |range| {
                let start = moved(range.start as u32)?;
                Some(TagSpan { tag, start: FrameIndex(start), end: FrameIndex(start + range.len() as u32) })
            })
        };
        let event = |event: &DatabaseEvent| {
            let clip = kept.binary_search(&event.clip.at()).ok()?;
            Some(DatabaseEvent { clip: ClipIndex::new(clip), ..*event })
        };
        let translated = c.poses.translated.len();
        let shared = shared(c);
        let content = DatabaseContent {
            clips,
            poses: PosePool {
                rotations: gathered(&c.poses.rotations, c.poses.joints, &frames),
                translations: gathered(&c.poses.translations, translated, &frames),
                ..shared.poses
            },
            contacts: gathered(&c.contacts, c.rig.contact_joints.len(), &frames),
            curves: gathered(&c.curves, c.curve_names.len(), &frames),
            features: Features { values: gathered(&c.features.values, c.features.columns, &rows), ..shared.features },
            // Validation finds a mirror image whose frames are not those of an original.
            row_frames: row_frames.map(|frame| FrameIndex(moved(frame.0).unwrap_or(u32::MAX))).collect(),
            row_flags: gathered(&c.row_flags, 1, &rows),
            row_costs: if c.row_costs.is_empty() { Vec::new() } else { gathered(&c.row_costs, 1, &rows) },
            tag_spans: c.tag_spans.iter().flat_map(span).collect(),
            events: c.events.iter().filter_map(event).collect(),
            ..shared
        };
        let encoded_poses = self.encoded_poses.as_ref().and_then(|encoded| encoded.part(&frames));
        let part = Self { encoded_poses, ..Self::new(content)? }.setting_aside(self.set_aside());
        Ok((part, kept.into_iter().map(ClipIndex::new).collect()))
    }

    /// Returns the database of all clips of several parts of one database, in the order of `parts`: originals first, then stored mirror
    /// images.
    ///
    /// # Errors
    /// Returns [`DatabaseError`] if there are no parts, or if they are of different databases.
    pub fn join(parts: &[&Self]) -> Result<Self, DatabaseError> {
        let first = parts.first().ok_or(DatabaseError::Empty { what: "parts" })?;
        if let Some(k) = parts.iter().position(|part| part.shared_hash() != first.shared_hash()) {
            let detail = "its skeleton, schema, normalisation or names are not those of the first".to_owned();
            return Err(DatabaseError::Range { what: format!("part {k}"), detail });
        }
        let mut all = shared(first);
        let (mut clips_before, mut encoded) = (0, Some(EncodedPoses::default()));
        for part in parts {
            let before = all.poses.frames() as u32;
            let moved = |frame: FrameIndex| FrameIndex(before + frame.0);
            all.poses.rotations.extend_from_slice(&part.poses.rotations);
            all.poses.translations.extend_from_slice(&part.poses.translations);
            all.contacts.extend_from_slice(&part.contacts);
            all.curves.extend_from_slice(&part.curves);
            let span = |s: &TagSpan| TagSpan { start: moved(s.start), end: moved(s.end), ..*s };
            all.tag_spans.extend(part.tag_spans.iter().map(span));
            let event = |e: &DatabaseEvent| DatabaseEvent { clip: ClipIndex::new(clips_before + e.clip.at()), ..*e };
            all.events.extend(part.events.iter().map(event));
            clips_before += part.originals();
            encoded = encoded.zip(part.encoded_poses.as_ref()).map(|(all, part)| all.followed_by(part));
        }
        let costs = parts.iter().any(|part| !part.row_costs.is_empty());
        for mirrored in [false, true] {
            let mut before = 0;
            for part in parts {
                for clip in part.clips.iter().filter(|clip| clip.mirrored == mirrored) {
                    let (rows, columns) = (clip.row_range(), all.features.columns);
                    let (first_frame, first_row) = (before + clip.first_frame, all.row_frames.len() as u32);
                    all.clips.push(Clip { first_frame, first_row, ..clip.clone() });
                    all.features.values.extend(&part.features.values[rows.start * columns..rows.end * columns]);
                    all.row_frames.extend(part.row_frames[rows.clone()].iter().map(|f| FrameIndex(before + f.0)));
                    all.row_flags.extend(&part.row_flags[rows.clone()]);
                    if costs {
                        all.row_costs.extend(rows.map(|row| part.row_costs.get(row).copied().unwrap_or(0.0)));
                    }
                }
                before += part.frames() as u32;
            }
        }
        Ok(Self { encoded_poses: encoded, ..Self::new(all)? })
    }

    /// Returns the hash of everything that parts of one database share: skeleton, schema, normalisation, rates, names.
    pub fn shared_hash(&self) -> u128 {
        tensors::content_hash(&shared(self), None)
    }
}

/// Returns the content without clips, frames and rows.
fn shared(c: &DatabaseContent) -> DatabaseContent {
    let (offset, scale) = (c.features.offset.clone(), c.features.scale.clone());
    DatabaseContent {
        skeleton: c.skeleton.clone(),
        schema: c.schema.clone(),
        stick: c.stick,
        normalization: c.normalization,
        clips: Vec::new(),
        poses: PosePool { joints: c.poses.joints, translated: c.poses.translated.clone(), ..PosePool::default() },
        pose_rate_hz: c.pose_rate_hz,
        search_rate_hz: c.search_rate_hz,
        rig: c.rig.clone(),
        contacts: Vec::new(),
        curve_names: c.curve_names.clone(),
        curves: Vec::new(),
        features: Features { columns: c.features.columns, values: Vec::new(), offset, scale },
        row_frames: Vec::new(),
        row_flags: Vec::new(),
        row_costs: Vec::new(),
        tags: c.tags.clone(),
        tag_spans: Vec::new(),
        event_names: c.event_names.clone(),
        events: Vec::new(),
        mirror: c.mirror,
        mirror_pairs: c.mirror_pairs.clone(),
    }
}

/// Returns ascending ranges, with one range in place of several that follow each other without a gap. Empty ones are left out.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges.filter(|range| !range.is_empty()) {
        match out.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => out.push(range),
        }
    }
    out
}

/// Returns the elements in these ranges, each `width` values.
fn gathered<T: Copy>(values: &[T], width: usize, ranges: &[Range<usize>]) -> Vec<T> {
    let mut out = Vec::with_capacity(width * ranges.iter().map(Range::len).sum::<usize>());
    for range in ranges {
        out.extend_from_slice(&values[range.start * width..range.end * width]);
    }
    out
}
