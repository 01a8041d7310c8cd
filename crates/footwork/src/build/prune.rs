//! Removal of redundant motion: clips or stretches of clips that are in the database already, and rows of a loop that
//! cannot be distinguished from its other rows.

use super::config::PruneConfig;
use super::pool::PooledClip;
use super::rows::Assembled;
use crate::clip::{RawClip, TimeRange};
use crate::database::{Clip, Database, RowFlags};
use crate::parallel;
use serde::Serialize;

/// Distance between rows of a loop below which transitions to the later row are blocked. A transition between them would
/// gain less than it costs (squared: the default of `matcher.search.transition_cost`).
const SAME: f32 = 0.14;

/// Maximum difference between the rotations of joints in the same pose: 8 degrees, as a dot product of quaternions (the
/// cosine of 4 degrees).
const SAME_DOT: f32 = 0.997_564;
/// Maximum difference between their translations along each axis, in metres.
const SAME_M: f32 = 0.05;

/// A stretch that was left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pruned {
    /// Clip name.
    pub clip: String,
    /// Clip that contains the same motion.
    pub same_as: String,
    /// Start, in seconds of the clip.
    pub start_s: f32,
    /// End, in seconds of the clip.
    pub end_s: f32,
    /// Offset of the same motion in the other clip, in seconds; positive if it is later there.
    pub later_s: f32,
    /// True if nothing of the clip remains.
    pub whole: bool,
}

/// Blocks transitions to redundant rows of loops. Ten seconds of standing are hundreds of rows that fit equally well: they
/// would fill the list of the best rows of a search.
pub fn thin_loops(assembled: &mut Assembled, clips: &[PooledClip]) {
    let columns = assembled.features.columns;
    let said = |clip: &Clip| {
        let original = clips.iter().find(|c| c.name == clip.name.trim_end_matches(" (mirrored)"));
        clip.looping() && original.is_some_and(|c| c.annotations.loops == Some(true))
    };
    let rows = |row: usize| &assembled.features.values[row * columns..][..columns];
    for clip in assembled.clips.iter().filter(|c| said(c)) {
        let mut kept: Vec<usize> = Vec::new();
        for row in clip.row_range() {
            if kept.iter().any(|k| near(rows(*k), rows(row), SAME)) {
                assembled.row_flags[row] = RowFlags(assembled.row_flags[row].0 | RowFlags::NO_ENTRY);
            } else {
                kept.push(row);
            }
        }
    }
}

fn near(a: &[f32], b: &[f32], distance: f32) -> bool {
    let limit = distance * distance;
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += (a - b) * (a - b);
        if sum > limit {
            return false;
        }
    }
    true
}

/// Returns the stretches of clips that an earlier clip of the database also contains, in order. `config.enabled` is
/// ignored.
pub fn find(db: &Database, config: &PruneConfig) -> Vec<Pruned> {
    let clips = &db.clips[..db.originals()];
    let run = ((config.run_s * db.search_rate_hz).round() as usize).max(1);
    let mut found: Vec<Pruned> = Vec::new();
    // Remaining rows: only they are a reason to prune others.
    let mut stays = vec![true; db.row_frames.len()];
    for (i, clip) in clips.iter().enumerate() {
        let mut row = clip.row_range().start;
        // Every sufficiently long run contains a row of this grid.
        let raster: Vec<usize> = clip.row_range().step_by((run / 2).max(1)).collect();
        let seeds = parallel::map(&raster, |seed| best_run(db, &clips[..i], &stays, clip, *seed, config.distance));
        for best in seeds.into_iter().flatten() {
            let Run { first, last, other } = best;
            let whole = first == clip.row_range().start && last + 1 == clip.row_range().end;
            if first < row || (last + 1 - first < run && !whole) || (clip.looping() && !whole) {
                continue;
            }
            row = last + 1;
            stays[first..=last].fill(false);
            let time_s = |r: usize| f64::from(db.row_frames[r].0 - clip.first_frame) / f64::from(db.pose_rate_hz);
            let of = &clips[db.row_clips[other].at()];
            let other_s = f64::from(db.row_frames[other].0 - of.first_frame) / f64::from(db.pose_rate_hz);
            found.push(Pruned {
                clip: clip.name.clone(),
                same_as: of.name.clone(),
                start_s: time_s(first) as f32,
                end_s: (time_s(last) + 1.0 / f64::from(db.search_rate_hz)) as f32,
                later_s: (other_s - time_s(first)) as f32,
                whole,
            });
        }
    }
    found
}

/// Rows `first..=last` that are the same as those from `other` on.
struct Run {
    first: usize,
    last: usize,
    other: usize,
}

/// Returns true if two rows have the same pose. Features do not cover all joints: with equal features, the arms may differ.
fn same_pose(db: &Database, a: usize, b: usize) -> bool {
    let poses = &db.poses;
    let [a, b] = [a, b].map(|row| db.row_frames[row].at());
    let rotation = |frame: usize, joint: usize| poses.rotations[frame * poses.joints + joint];
    // Features cover the root completely.
    let turned = |joint: usize| rotation(a, joint).dot(rotation(b, joint)).abs() < SAME_DOT;
    let moved = |k: usize| {
        let at = |frame: usize| poses.translations[frame * poses.translated.len() + k];
        (at(a) - at(b)).abs().max_element() > SAME_M
    };
    let joints = poses.translated.iter().enumerate().filter(|(_, joint)| joint.at() != 0);
    !(1..poses.joints).any(turned) && !joints.into_iter().any(|(k, _)| moved(k))
}

/// Returns the longest run around a row.
fn best_run(db: &Database, earlier: &[Clip], stays: &[bool], clip: &Clip, seed: usize, distance: f32) -> Option<Run> {
    let columns = db.features.columns;
    let row = |r: usize| &db.features.values[r * columns..][..columns];
    let same = |a: usize, b: usize| stays[b] && near(row(a), row(b), distance) && same_pose(db, a, b);
    let range = clip.row_range();
    let mut best: Option<Run> = None;
    for other in earlier.iter().filter(|c| c.looping() == clip.looping()) {
        let others = other.row_range();
        for at in others.clone().filter(|at| same(seed, *at)) {
            let back = (1..=(seed - range.start).min(at - others.start)).take_while(|k| same(seed - k, at - k)).count();
            let ahead = (1..(range.end - seed).min(others.end - at)).take_while(|k| same(seed + k, at + k)).count();
            if best.as_ref().is_none_or(|b| back + ahead > b.last - b.first) {
                best = Some(Run { first: seed - back, last: seed + ahead, other: at - back });
            }
        }
    }
    best
}

/// Returns the clips without the stretches that were found.
pub fn without(clips: &[RawClip], found: &[Pruned]) -> Vec<RawClip> {
    let mut left = Vec::with_capacity(clips.len());
    for clip in clips {
        let of_clip: Vec<&Pruned> = found.iter().filter(|p| p.clip == clip.name).collect();
        if of_clip.iter().any(|p| p.whole) {
            continue;
        }
        let mut clip = clip.clone();
        let ranges = of_clip.iter().map(|p| TimeRange { start_s: p.start_s, end_s: p.end_s });
        clip.annotations.discard.extend(ranges);
        left.push(clip);
    }
    left
}
