//! Validation of database content from a file or a builder.

use super::content::{Clip, DatabaseContent, DatabaseEvent, MirrorMode};
use super::error::DatabaseError;
use super::tags::TagMask;
use crate::frames::{FARTHEST_M, JointIndex};
use crate::math::{Quat, Transform};
use crate::motion::PaceSpeeds;

/// Plausible frame rates, in frames per second.
const RATES_HZ: std::ops::RangeInclusive<f32> = 1.0..=1000.0;
/// Plausible speeds at full deflection of the stick, in m/s.
const SPEEDS_MPS: std::ops::RangeInclusive<f32> = 0.0..=100.0;

/// Factor to test for values below [`FARTHEST_M`], the limit for positions, values of curves and the like: a product with this
/// factor (2^128 over the limit) is finite in `f32` exactly if the value is below the limit. (The search accepts any finite
/// number.)
const SENSIBLE: f32 = f32::from_bits((127 + 127) << 23) / FARTHEST_M * 2.0;
const FINITE: f32 = 1.0;
/// Plausible standard deviations divided by weights. The range is far wider than that of plausible data and weights.
const SCALES: std::ops::RangeInclusive<f32> = 1e-12..=1e12;

/// Checks shapes, ranges and numbers.
pub fn check(c: &DatabaseContent) -> Result<(), DatabaseError> {
    if c.clips.is_empty() {
        return Err(DatabaseError::Empty { what: "clips" });
    }
    if c.row_frames.is_empty() {
        return Err(DatabaseError::Empty { what: "rows that can be matched" });
    }
    for (array, rate) in [("pose_rate_hz", c.pose_rate_hz), ("search_rate_hz", c.search_rate_hz)] {
        if !RATES_HZ.contains(&rate) {
            return Err(DatabaseError::Value { array, index: 0, value: rate });
        }
    }
    let mps = |pace: PaceSpeeds| [pace.forward_mps, pace.side_mps, pace.back_mps];
    for (index, value) in [c.stick.walk, c.stick.run].into_iter().flat_map(mps).enumerate() {
        if !SPEEDS_MPS.contains(&value) {
            return Err(DatabaseError::Value { array: "stick", index, value });
        }
    }
    shapes(c)?;
    rig(c)?;
    numbers(c)?;
    let mut rows_before = 0;
    for (i, clip) in c.clips.iter().enumerate() {
        check_clip(c, i, clip, &mut rows_before)?;
    }
    if rows_before != c.row_frames.len() {
        return Err(DatabaseError::Shape { array: "row_frames", expected: rows_before, found: c.row_frames.len() });
    }
    annotations(c)
}

fn shape(array: &'static str, expected: usize, found: usize) -> Result<(), DatabaseError> {
    if expected == found { Ok(()) } else { Err(DatabaseError::Shape { array, expected, found }) }
}

fn shapes(c: &DatabaseContent) -> Result<(), DatabaseError> {
    let (joints, rows, columns) = (c.skeleton.len(), c.row_frames.len(), c.schema.columns);
    let frames = c.poses.rotations.len() / joints;
    shape("pose joints", joints, c.poses.joints)?;
    shape("rotations", frames * joints, c.poses.rotations.len())?;
    shape("translations", frames * c.poses.translated.len(), c.poses.translations.len())?;
    shape("contacts", frames * c.rig.contact_joints.len(), c.contacts.len())?;
    shape("curves", frames * c.curve_names.len(), c.curves.len())?;
    shape("feature columns", columns, c.features.columns)?;
    shape("features", rows * columns, c.features.values.len())?;
    shape("feature_offset", columns, c.features.offset.len())?;
    shape("feature_scale", columns, c.features.scale.len())?;
    shape("row_flags", rows, c.row_flags.len())?;
    if !c.row_costs.is_empty() {
        shape("row_costs", rows, c.row_costs.len())?;
    }
    let joints_in_range = c.poses.translated.iter().chain(&c.rig.contact_joints).all(|j| j.at() < joints);
    if !joints_in_range || c.poses.translated.first().map(|j| j.0) != Some(0) || !c.poses.translated.is_sorted() {
        return Err(outside("a joint index", format!("of {joints} joints; the root comes first")));
    }
    Ok(())
}

/// Checks that legs are chains of joints, and that every array has the length that the skeleton requires.
fn rig(c: &DatabaseContent) -> Result<(), DatabaseError> {
    let (rig, joints) = (&c.rig, c.skeleton.len());
    let contacts = rig.contact_joints.len();
    shape("soles", contacts, rig.soles.len())?;
    shape("standing", joints, rig.standing.len())?;
    shape("carries_foot", joints, rig.carries_foot.len())?;
    let parent = |j: JointIndex| c.skeleton.parents()[j.at()];
    if rig.roles.iter().any(|(_, joint)| joint.at() >= joints) {
        return Err(outside("a role", format!("a joint of {joints}")));
    }
    let Some(body) = &rig.body else { return Ok(()) };
    shape("legs", contacts, body.legs.len())?;
    let spine_in_range = body.spine.iter().all(|j| j.at() < joints);
    if !spine_in_range || !(1..joints).contains(&body.hips.at()) {
        return Err(outside("hips or spine", format!("a joint of {joints}")));
    }
    for leg in body.legs.iter().flatten() {
        let in_range = [leg.hip, leg.knee, leg.ankle, leg.toe].iter().all(|j| j.at() < joints);
        let chain = in_range
            && parent(leg.knee) == Some(leg.hip)
            && parent(leg.ankle) == Some(leg.knee)
            && (leg.toe == leg.ankle || parent(leg.toe) == Some(leg.ankle))
            && parent(leg.hip).is_some();
        if !chain || !leg.hinge.is_finite() {
            return Err(outside("a leg", format!("{leg:?} is not a chain of joints")));
        }
    }
    Ok(())
}

fn numbers(c: &DatabaseContent) -> Result<(), DatabaseError> {
    let good = |array: &'static str, values: &[f32], factor: f32| match first_bad(values, factor) {
        Some(index) => Err(DatabaseError::Value { array, index, value: values[index] }),
        None => Ok(()),
    };
    good("features", &c.features.values, FINITE)?;
    good("feature_offset", &c.features.offset, SENSIBLE)?;
    good("rotations", bytemuck::cast_slice(&c.poses.rotations), FINITE)?;
    good("translations", bytemuck::cast_slice(&c.poses.translations), SENSIBLE)?;
    good("curves", &c.curves, SENSIBLE)?;
    good("row_costs", &c.row_costs, FINITE)?;
    if let Some(index) = c.row_costs.iter().position(|cost| *cost < 0.0) {
        return Err(DatabaseError::Value { array: "row_costs", index, value: c.row_costs[index] });
    }
    if let Some(index) = c.features.scale.iter().position(|s| !SCALES.contains(s)) {
        return Err(DatabaseError::Value { array: "feature_scale", index, value: c.features.scale[index] });
    }
    let rest: Vec<f32> = c.skeleton.rest().iter().flat_map(|t| t.translation.to_array()).collect();
    good("rest_translations", &rest, SENSIBLE)?;
    let rest: Vec<Quat> = c.skeleton.rest().iter().map(|t| t.rotation).collect();
    let soles: Vec<f32> = c.rig.soles.iter().flat_map(|s| s.to_array()).collect();
    good("soles", &soles, SENSIBLE)?;
    let standing: Vec<f32> = c.rig.standing.iter().flat_map(|t| t.translation.to_array()).collect();
    good("standing_translations", &standing, SENSIBLE)?;
    let standing: Vec<Quat> = c.rig.standing.iter().map(|t| t.rotation).collect();
    let rotations = [("rotations", &c.poses.rotations), ("rest_rotations", &rest), ("standing_rotations", &standing)];
    for (array, turns) in rotations {
        if let Some(i) = turns.iter().position(|q| !is_unit(q)) {
            return Err(DatabaseError::Value { array, index: i * 4, value: turns[i].length() });
        }
    }
    Ok(())
}

fn is_unit(q: &Quat) -> bool {
    (q.length() - 1.0).abs() < 1e-3
}

/// Returns the index of the first value that is not finite, or not finite after multiplication. A whole chunk is tested with one
/// sum of products with 0, which vectorises.
fn first_bad(values: &[f32], factor: f32) -> Option<usize> {
    for (k, chunk) in values.chunks(4096).enumerate() {
        // 0 * finite is 0; 0 * inf and 0 * NaN are NaN.
        let mut lanes = [0.0f32; 8];
        let parts = chunk.chunks_exact(8);
        let mut tail = 0.0;
        for v in parts.remainder() {
            tail += v * factor * 0.0;
        }
        for part in parts {
            for (l, v) in lanes.iter_mut().zip(part) {
                *l += v * factor * 0.0;
            }
        }
        if lanes.iter().sum::<f32>() + tail != 0.0 {
            return chunk.iter().position(|v| !(v * factor).is_finite()).map(|i| k * 4096 + i);
        }
    }
    None
}

fn outside(what: impl Into<String>, detail: String) -> DatabaseError {
    DatabaseError::Range { what: what.into(), detail }
}

fn check_clip(c: &DatabaseContent, i: usize, clip: &Clip, rows_before: &mut usize) -> Result<(), DatabaseError> {
    let frames = c.poses.frames();
    let name = || format!("clip `{}`", clip.name);
    let end = u64::from(clip.first_frame) + u64::from(clip.frames);
    if clip.frames == 0 || end > frames as u64 {
        let detail = format!("frames {}..{end} of {frames}", clip.first_frame);
        return Err(outside(name(), detail));
    }
    let follows = i == 0 || c.clips[i - 1].mirrored <= clip.mirrored;
    if !follows || (clip.mirrored && c.mirror != MirrorMode::Stored) {
        return Err(outside(name(), "mirror images come last, and only where they are stored".into()));
    }
    if !clip.mirrored && i > 0 && c.clips[i - 1].frame_range().end != clip.first_frame as usize {
        return Err(outside(name(), "its frames must follow those of the clip before".into()));
    }
    let rows_end = u64::from(clip.first_row) + u64::from(clip.rows);
    if clip.first_row as usize != *rows_before || rows_end > c.row_frames.len() as u64 {
        let detail = format!("rows {}..{rows_end} of {}", clip.first_row, c.row_frames.len());
        return Err(outside(name(), detail));
    }
    *rows_before = rows_end as usize;
    let is_place = |t: Transform| first_bad(&t.translation.to_array(), SENSIBLE).is_none() && is_unit(&t.rotation);
    if clip.loop_delta.is_some_and(|t| !is_place(t)) || !clip.source_start_s.is_finite() {
        return Err(outside(name(), "its loop is no place and turn, or its start is not finite".into()));
    }
    let frames_of_rows = &c.row_frames[clip.row_range()];
    let rising = frames_of_rows.windows(2).all(|w| w[0] < w[1]);
    if !rising || frames_of_rows.iter().any(|f| !clip.frame_range().contains(&f.at())) {
        return Err(outside(name(), "its rows must name its own frames, rising".into()));
    }
    Ok(())
}

fn annotations(c: &DatabaseContent) -> Result<(), DatabaseError> {
    if c.tags.len() > TagMask::CAPACITY {
        return Err(outside("a tag", format!("{} tags, at most {}", c.tags.len(), TagMask::CAPACITY)));
    }
    for s in &c.tag_spans {
        if s.tag as usize >= c.tags.len() || s.start > s.end || s.end.at() > c.poses.frames() {
            return Err(outside("a tag", format!("tag {} over frames {}..{}", s.tag, s.start, s.end)));
        }
    }
    for e in &c.events {
        if e.name.at() >= c.event_names.len() || e.clip.at() >= c.clips.len() || !e.time_s.is_finite() {
            return Err(outside("an event", format!("event {} of clip {} at {} s", e.name, e.clip, e.time_s)));
        }
    }
    let order = |e: &DatabaseEvent| (e.clip, e.time_s);
    if !c.events.windows(2).all(|w| order(&w[0]) <= order(&w[1])) {
        return Err(outside("events", "they must be in order of clip and time".into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{FINITE, SENSIBLE, first_bad};

    #[test]
    fn the_first_value_that_is_not_usable_is_found_wherever_it_stands() {
        let too_large = 1_073_741_824.0f32;
        for n in [1usize, 7, 8, 4095, 4096, 9001] {
            let mut v = vec![too_large.next_down(); n];
            assert_eq!(first_bad(&v, SENSIBLE), None);
            v[n - 1] = -too_large;
            assert_eq!(first_bad(&v, SENSIBLE), Some(n - 1));
            assert_eq!(first_bad(&v, FINITE), None);
            v[n - 1] = f32::NAN;
            assert_eq!(first_bad(&v, FINITE), Some(n - 1));
            v[n / 2] = f32::INFINITY;
            assert_eq!(first_bad(&v, FINITE), Some(n / 2));
        }
    }
}
