//! Finds the same motion twice: whole clips, parts of them at another time, mirror images.

use super::check::Check;
use super::examination::Examination;
use super::examined_clip::level;
use super::finding::{Finding, Severity};
use footwork::advanced::motion::MirrorTable;
use footwork::clip::RawClip;
use footwork::math::Facing;
use footwork::pose::{Pose, PoseVelocity};
use glam::Vec3;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Interval at which poses are compared, in seconds: if they agree there, they agree in between.
const STEP_S: f32 = 1.0 / 15.0;
/// Interval at which a clip's poses are looked up in the others, in seconds: half of the shortest overlap.
const ANCHOR_S: f32 = 0.5;
/// Maximum distance of coordinates of the same motion, in metres. Two takes of one walk differ by centimetres, and any two
/// strides of one person by more than this.
const SAME_M: f32 = 0.003;
/// Root speed is converted to metres with this time, in seconds.
const SPEED_WEIGHT_S: f32 = 0.1;
/// Minimum length of an overlap, in seconds.
const LEAST_S: f32 = 1.0;
/// Minimum length of an overlap that is a warning, in seconds. Very regular walking repeats only a stride or two.
const LONG_S: f32 = 3.0;
/// Minimum path of the joints over an overlap, mean, in metres: idle motion is alike everywhere.
const MOVES_M: f32 = 0.5;
/// Minimum share of the shorter clip that must agree for a copy.
const WHOLE: f32 = 0.9;
/// Minimum path of the joints, in metres, for clips that agree from end to end, whatever their length: ten times the tolerance.
const WHOLE_MOVES_M: f32 = 10.0 * SAME_M;

/// A stretch in which two clips agree: its first frames, its length, and whether it is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Overlap {
    clips: [usize; 2],
    starts: [usize; 2],
    frames: usize,
    mirrored: bool,
}

/// Finds duplicates; `--fix` leaves out copies of whole clips.
pub fn check(examination: &mut Examination, out: &mut Vec<Finding>) {
    let Some((ids, prepared)) = examination.prepared() else { return };
    let sketches: Vec<Sketch> = prepared.par_iter().map(Sketch::of).collect();
    let table = mirror_table(&prepared);
    let mirrors: Vec<Sketch> = match &table {
        Some(table) => prepared.par_iter().map(|c| Sketch::of(&mirror(c, table))).collect(),
        None => Vec::new(),
    };
    let plain = overlaps(&sketches, &sketches, false);
    let mirrored = overlaps(&mirrors, &sketches, true);
    let mut gone = BTreeSet::new();
    for o in plain.into_iter().chain(mirrored) {
        let [a, b] = o.clips;
        let (first, second) = (&examination.clips[ids[a]].clip.name.clone(), ids[b]);
        let rate_hz = prepared[b].rate_hz;
        let seconds = o.frames as f32 / rate_hz;
        let whole = sketches[a].covered(o.frames, sketches[a].frames.min(sketches[b].frames));
        let p = &mut examination.clips[second];
        let at = |k: usize| o.starts[k] as f32 / rate_hz;
        let place =
            format!("{:.2}-{:.2} s is {:.2}-{:.2} s of `{first}`", at(1), at(1) + seconds, at(0), at(0) + seconds);
        if o.mirrored {
            let what = format!("is a mirror image: {place}");
            let mend = "nothing; with `mirror` on it is in the database twice";
            out.push(Finding::new(Check::Duplicate, Severity::Hint, &p.clip.name, what, mend));
            continue;
        }
        let copy = whole && sketches[b].frames <= sketches[a].frames + sketches[a].step;
        let what = if whole { format!("is a copy: {place}") } else { format!("overlaps: {place}") };
        let frames = [o.starts[1], o.starts[1] + o.frames - 1]
            .map(|k| ((k as f32 / rate_hz * p.clip.rate_hz) as usize).min(p.frames() - 1));
        let severity = if whole || seconds >= LONG_S { Severity::Warning } else { Severity::Hint };
        let mend = if copy { "leave it out" } else { "cut it out of one (`discard`)" };
        let finding = Finding::new(Check::Duplicate, severity, &p.clip.name, what, mend);
        let finding = finding.over(p, frames[0], frames[1]).mended_by_discard(p);
        if copy && !gone.contains(&ids[a]) {
            p.left_out = true;
            gone.insert(second);
            out.push(finding.mended());
        } else {
            out.push(finding);
        }
    }
}

/// A clip as rows of coordinates in root space, with the root's velocity.
struct Sketch {
    frames: usize,
    /// Frames in `STEP_S`, in `ANCHOR_S`, in `LEAST_S`.
    step: usize,
    anchor: usize,
    least: usize,
    width: usize,
    /// `[frames x width]`.
    rows: Vec<f32>,
}

impl Sketch {
    fn of(clip: &RawClip) -> Self {
        let joints = clip.skeleton.len();
        let n = clip.frames();
        let (mut pose, mut world) = (Pose::rest(&clip.skeleton), Vec::new());
        let width = 3 * joints;
        let mut rows = Vec::with_capacity(n * width);
        for f in 0..n {
            let range = f * joints..(f + 1) * joints;
            pose.translations.copy_from_slice(&clip.translations[range.clone()]);
            pose.rotations.copy_from_slice(&clip.rotations[range]);
            pose.world(&clip.skeleton, &mut world);
            let root = world[0];
            let facing = Facing::from_rotation(root.rotation).rotation().inverse();
            // Joint 0 is always at the origin, so its columns hold the root's velocity.
            let (a, b) = (f.saturating_sub(1), (f + 1).min(n - 1));
            let v = clip.translations[b * joints] - clip.translations[a * joints];
            let v = facing * level(v) * (clip.rate_hz / (b - a).max(1) as f32) * SPEED_WEIGHT_S;
            rows.extend([v.x, v.y, v.z]);
            for t in &world[1..] {
                let at = facing * (t.translation - root.translation);
                rows.extend([at.x, at.y, at.z]);
            }
        }
        let frames = |seconds: f32| ((seconds * clip.rate_hz).round() as usize).max(1);
        Self { frames: n, step: frames(STEP_S), anchor: frames(ANCHOR_S), least: frames(LEAST_S), width, rows }
    }

    fn row(&self, k: usize) -> &[f32] {
        &self.rows[k * self.width..(k + 1) * self.width]
    }

    /// Returns true if an overlap covers (nearly) `frames`; overlaps are measured in whole steps.
    fn covered(&self, overlap: usize, frames: usize) -> bool {
        (overlap + self.step - 1) as f32 >= WHOLE * frames as f32
    }

    /// Returns the mean path of the joints over some frames, in metres.
    fn way(&self, from: usize, frames: usize) -> f32 {
        let step = |k: usize| {
            let (a, b) = (self.row(k), self.row(k + self.step));
            let go = level(Vec3::from_slice(a)).length() / SPEED_WEIGHT_S * STEP_S;
            let moved = |(a, b): (&[f32], &[f32])| (Vec3::from_slice(a) - Vec3::from_slice(b)).length();
            go + a.chunks(3).zip(b.chunks(3)).skip(1).map(moved).sum::<f32>() * 3.0 / self.width as f32
        };
        (from..(from + frames).saturating_sub(self.step)).step_by(self.step).map(step).sum()
    }
}

fn same(a: &[f32], b: &[f32]) -> bool {
    // The first columns decide most pairs.
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2.0 * SAME_M)
        && a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() < SAME_M * SAME_M * a.len() as f32 / 3.0
}

/// Returns where clips of `a` agree with later clips of `b`.
fn overlaps(a: &[Sketch], b: &[Sketch], mirrored: bool) -> Vec<Overlap> {
    let Some(width) = b.first().map(|s| s.width) else { return Vec::new() };
    let key = key_column(b, width);
    let mut index: Vec<(f32, u32, u32)> = b
        .iter()
        .enumerate()
        .flat_map(|(c, s)| (0..s.frames).map(move |k| (s.row(k)[key], c as u32, k as u32)))
        .collect();
    index.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let found: Vec<Vec<Overlap>> = a
        .par_iter()
        .enumerate()
        .map(|(c, sketch)| {
            let mut found: BTreeMap<(usize, isize), Overlap> = BTreeMap::new();
            for k in (0..sketch.frames).step_by(sketch.anchor) {
                let row = sketch.row(k);
                let from = index.partition_point(|e| e.0 < row[key] - 2.0 * SAME_M);
                for (_, other, at) in index[from..].iter().take_while(|e| e.0 < row[key] + 2.0 * SAME_M) {
                    let (other, at) = (*other as usize, *at as usize);
                    if other <= c || !same(row, b[other].row(at)) {
                        continue;
                    }
                    let place = (other, at as isize - k as isize);
                    if found.get(&place).is_some_and(|o| (o.starts[0]..o.starts[0] + o.frames).contains(&k)) {
                        continue;
                    }
                    if let Some((starts, frames)) = overlap(sketch, &b[other], [k, at]) {
                        let o = Overlap { clips: [c, other], starts, frames, mirrored };
                        keep_longer(found.entry(place).or_insert(o), o);
                    }
                }
            }
            // Keeps the longest overlap of each pair.
            let mut best: BTreeMap<usize, Overlap> = BTreeMap::new();
            for o in found.into_values() {
                keep_longer(best.entry(o.clips[1]).or_insert(o), o);
            }
            best.into_values().collect()
        })
        .collect();
    found.into_iter().flatten().collect()
}

fn keep_longer(best: &mut Overlap, other: Overlap) {
    if other.frames > best.frames {
        *best = other;
    }
}

/// Returns the first frames and the number of frames of an overlap around a match, if it is long enough and moves enough.
fn overlap(a: &Sketch, b: &Sketch, at: [usize; 2]) -> Option<([usize; 2], usize)> {
    let (starts, frames) = grow(a, b, at);
    let moves = a.way(starts[0], frames);
    let part = frames >= a.least && moves > MOVES_M;
    let longer = a.frames.max(b.frames);
    (part || a.covered(frames, longer) && moves > WHOLE_MOVES_M).then_some((starts, frames))
}

/// Extends a match in both directions while the motion stays the same: returns the first frames and the number of frames.
fn grow(a: &Sketch, b: &Sketch, [k, at]: [usize; 2]) -> ([usize; 2], usize) {
    let step = a.step;
    let back = (1..=k.min(at) / step).take_while(|d| same(a.row(k - d * step), b.row(at - d * step))).count() * step;
    let most = (a.frames - 1 - k).min(b.frames - 1 - at) / step;
    let on = (1..=most).take_while(|d| same(a.row(k + d * step), b.row(at + d * step))).count() * step;
    ([k - back, at - back], back + on + 1)
}

/// Returns the column with the largest variance.
fn key_column(sketches: &[Sketch], width: usize) -> usize {
    let mut sums = vec![(0.0f64, 0.0f64); width];
    for s in sketches {
        for k in (0..s.frames).step_by(16) {
            for (sum, v) in sums.iter_mut().zip(s.row(k)) {
                sum.0 += f64::from(*v);
                sum.1 += f64::from(*v) * f64::from(*v);
            }
        }
    }
    let n = sketches.iter().map(|s| s.frames.div_ceil(16)).sum::<usize>().max(1) as f64;
    let variance = |c: &usize| sums[*c].1 / n - (sums[*c].0 / n) * (sums[*c].0 / n);
    (0..width).max_by(|a, b| variance(a).total_cmp(&variance(b))).unwrap_or(0)
}

/// Returns the mirror table of a prepared set; `None` for bodies without a mirror image.
fn mirror_table(clips: &[RawClip]) -> Option<MirrorTable> {
    let skeleton = &clips.first()?.skeleton;
    let moves = |j: usize| {
        let rest = skeleton.rest()[j].translation;
        clips.iter().any(|c| c.translations.iter().skip(j).step_by(skeleton.len()).any(|t| (*t - rest).length() > 1e-4))
    };
    let translated: Vec<_> =
        (0..skeleton.len()).filter(|j| *j == 0 || moves(*j)).map(footwork::frames::JointIndex::new).collect();
    MirrorTable::new(skeleton, &[], &translated).ok()
}

fn mirror(clip: &RawClip, table: &MirrorTable) -> RawClip {
    let joints = clip.skeleton.len();
    let mut out = clip.clone();
    let (mut pose, mut velocity) = (Pose::rest(&clip.skeleton), PoseVelocity::zero(joints));
    for f in 0..clip.frames() {
        let range = f * joints..(f + 1) * joints;
        pose.translations.copy_from_slice(&clip.translations[range.clone()]);
        pose.rotations.copy_from_slice(&clip.rotations[range.clone()]);
        table.joints(&mut pose, &mut velocity);
        pose.set_world_from_root(table.root(pose.world_from_root()));
        out.translations[range.clone()].copy_from_slice(&pose.translations);
        out.rotations[range].copy_from_slice(&pose.rotations);
    }
    out
}
