//! Blended clips between loops, such as clips between a walk and a run.
//!
//! Loops are aligned by the touch-down of the first contact joint, and blended phase by phase: poses, length of the stride,
//! and the path of the root within it.

use super::config::{BlendSpace, BuildConfig, ContactConfig};
use super::track::Track;
use super::{BuildError, contacts};
use crate::clip::Annotations;
use crate::frames::JointIndex;
use crate::math::Transform;
use crate::motion::{ClipView, PosePool};
use crate::pose::{Pose, PoseVelocity};
use crate::skeleton::Skeleton;
use glam::Vec3;
use serde::Serialize;

/// A clip that a blend space made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlendReport {
    /// Clip name.
    pub clip: String,
    /// Position on the axis.
    pub at: f32,
    /// Mean speed of the root, in m/s.
    pub speed_mps: f32,
    /// Mean speed of contact joints during contact, in m/s.
    pub skate_mps: f32,
    /// The same speeds of the two neighbouring source clips.
    pub sources_skate_mps: [f32; 2],
}

/// A loop that is sampled by phase.
struct Phased<'a> {
    track: &'a Track,
    pool: PosePool,
    skeleton: &'a Skeleton,
    /// Touch-down of the first contact joint, as a share of the cycle.
    landing: f64,
    /// Number of strides: touch-downs of the first contact joint.
    strides: usize,
    /// Touch-downs and lift-offs of the contact joints, joint by joint, as shares of the cycle since `landing`. Empty
    /// unless each joint has exactly one of each.
    events: Vec<f64>,
    skate_mps: f32,
}

/// Makes the clips of all blend spaces and appends them to the tracks.
pub fn sample(
    tracks: &mut Vec<Track>,
    skeleton: &Skeleton,
    feet: &[JointIndex],
    config: &BuildConfig,
) -> Result<Vec<BlendReport>, BuildError> {
    let mut reports = Vec::new();
    let mut made = Vec::new();
    for space in &config.blend_spaces {
        let points = points(space, tracks, skeleton, feet, &config.contacts)?;
        let (first, last) = (points[0].0, points[points.len() - 1].0);
        for k in 1..=space.steps {
            let at = first + (last - first) * k as f32 / (space.steps + 1) as f32;
            let upper = points.iter().position(|p| p.0 >= at).unwrap_or(points.len() - 1).max(1);
            let ((low, a), (high, b)) = (&points[upper - 1], &points[upper]);
            let share = (at - low) / (high - low);
            if !(0.001..=0.999).contains(&share) {
                continue;
            }
            let mut track = blend(a, b, share);
            track.name = format!("{}_{at:.2}", space.name);
            if tracks.iter().chain(&made).any(|t: &Track| t.name == track.name) {
                let what = format!("would make a second clip `{}`: rename it", track.name);
                return Err(BuildError::Config { key: "blend_spaces.name".into(), what });
            }
            let seconds = track.frames() as f32 / track.rate_hz;
            let way = track.loop_delta.map_or(0.0, |d| d.translation.length());
            reports.push(BlendReport {
                clip: track.name.clone(),
                at,
                speed_mps: way / seconds,
                skate_mps: skate_mps(&track, skeleton, feet, &config.contacts),
                sources_skate_mps: [a.skate_mps, b.skate_mps],
            });
            made.push(track);
        }
    }
    tracks.append(&mut made);
    Ok(reports)
}

/// Returns the clips of a space, in order of their positions.
fn points<'a>(
    space: &BlendSpace,
    tracks: &'a [Track],
    skeleton: &'a Skeleton,
    feet: &[JointIndex],
    config: &ContactConfig,
) -> Result<Vec<(f32, Phased<'a>)>, BuildError> {
    let refuse = |what: String| BuildError::Config { key: format!("blend_spaces `{}`", space.name), what };
    let mut points = Vec::new();
    for p in &space.clips {
        let Some(track) = tracks.iter().find(|t| t.name == p.clip) else {
            let nearest = crate::error::nearest(&p.clip, tracks.iter().map(|t| t.name.as_str()));
            let hint = nearest.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            return Err(refuse(format!("no clip is named `{}`{hint}", p.clip)));
        };
        if track.loop_delta.is_none() {
            return Err(refuse(format!("clip `{}` is no loop: only loops can be blended by phase", p.clip)));
        }
        let phased = Phased::new(track, skeleton, feet, config);
        if let Some((_, first)) = points.first().filter(|(_, f): &&(f32, Phased)| f.strides != phased.strides) {
            let (a, b) = (&first.track.name, &track.name);
            let what = format!(
                "clip `{a}` goes round in {} strides, `{b}` in {}: cut them to as many",
                first.strides, phased.strides
            );
            return Err(refuse(what));
        }
        points.push((p.at, phased));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if points.len() < 2 || points.windows(2).any(|w| w[0].0 >= w[1].0) || points.iter().any(|p| !p.0.is_finite()) {
        return Err(refuse("needs two clips or more, each at a place of its own".into()));
    }
    Ok(points)
}

impl<'a> Phased<'a> {
    fn new(track: &'a Track, skeleton: &'a Skeleton, feet: &[JointIndex], config: &ContactConfig) -> Self {
        let n = track.frames();
        let labels = contacts::label(track, skeleton, feet, config);
        // Times at which contacts of a joint begin (`to`: true) or end, as shares of the cycle.
        let changes = |slot: usize, to: bool| -> Vec<f64> {
            let on = |f: usize| labels[f % n * feet.len() + slot] == 1;
            (0..n).filter(|f| on(f + 1) == to && on(*f) != to).map(|f| (f + 1) as f64 / n as f64).collect()
        };
        let landings = if feet.is_empty() { Vec::new() } else { changes(0, true) };
        let landing = landings.first().copied().unwrap_or(0.0);
        let all: Vec<Vec<f64>> = (0..feet.len()).flat_map(|s| [changes(s, true), changes(s, false)]).collect();
        let once = all.iter().all(|c| c.len() == 1);
        let events = all.iter().flatten().map(|p| (p - landing).rem_euclid(1.0)).collect::<Vec<_>>();
        let events = if once { events } else { Vec::new() };
        let joints = track.joints;
        let pool = PosePool {
            joints,
            rotations: track.rotations.clone(),
            translated: (0..joints).map(JointIndex::new).collect(),
            translations: track.translations.clone(),
        };
        let skate_mps = skate_mps(track, skeleton, feet, config);
        Self { track, pool, skeleton, landing, strides: landings.len(), events, skate_mps }
    }

    fn view(&self) -> ClipView<'_> {
        ClipView {
            skeleton: self.skeleton,
            poses: &self.pool,
            start: 0,
            frames: self.track.frames(),
            rate_hz: self.track.rate_hz,
            loop_delta: self.track.loop_delta,
            mirror: None,
        }
    }

    /// Returns the time in the clip at a phase, counted from the touch-down, in seconds.
    fn time_s(&self, phase: f64) -> f64 {
        (self.landing + phase) * self.view().seconds()
    }
}

/// Returns corresponding phases of two loops and of their blend, each rising from 0 to 1.
fn anchors(a: &Phased, b: &Phased, share: f64) -> Vec<[f64; 3]> {
    let mut all: Vec<[f64; 3]> = vec![[0.0; 3], [1.0; 3]];
    if a.events.len() == b.events.len() {
        let pairs = a.events.iter().zip(&b.events).filter(|(p, q)| **p > 0.0 && **q > 0.0);
        all.extend(pairs.map(|(p, q)| [*p, *q, p + (q - p) * share]));
    }
    all.sort_by(|x, y| x[2].total_cmp(&y[2]));
    // Loops whose feet touch down in different orders cannot be aligned.
    let rising = all.windows(2).all(|w| (0..3).all(|k| w[1][k] - w[0][k] > 1e-3));
    if rising { all } else { vec![[0.0; 3], [1.0; 3]] }
}

/// Returns the phases of the two loops at a phase of the blend, of any number of cycles.
fn phases(anchors: &[[f64; 3]], phase: f64) -> [f64; 2] {
    let (rounds, x) = (phase.floor(), phase - phase.floor());
    let upper = anchors.iter().position(|a| a[2] > x).unwrap_or(anchors.len() - 1).max(1);
    let (low, high) = (anchors[upper - 1], anchors[upper]);
    let t = (x - low[2]) / (high[2] - low[2]);
    [0, 1].map(|k| rounds + low[k] + (high[k] - low[k]) * t)
}

fn blend(a: &Phased, b: &Phased, share: f32) -> Track {
    let anchors = anchors(a, b, f64::from(share));
    let rate_hz = a.track.rate_hz;
    let seconds = a.view().seconds() * f64::from(1.0 - share) + b.view().seconds() * f64::from(share);
    let frames = ((seconds * f64::from(rate_hz)).round() as usize).max(3);
    let joints = a.track.joints;
    let mut track = Track {
        name: String::new(),
        rate_hz,
        looping: true,
        joints,
        translations: Vec::with_capacity(frames * joints),
        rotations: Vec::with_capacity(frames * joints),
        // Contacts are detected in the blended clip.
        annotations: Annotations { loops: Some(true), tags: common_tags(a.track, b.track), ..Default::default() },
        round: None,
        loop_delta: None,
        source_start_s: 0.0,
    };
    let mut root = Transform::IDENTITY;
    let mut poses = [a, b].map(|p| (Pose::rest(p.skeleton), PoseVelocity::zero(joints)));
    for f in 0..frames {
        let [here, next] = [f, f + 1].map(|f| phases(&anchors, f as f64 / frames as f64));
        for (k, (p, out)) in [a, b].iter().zip(&mut poses).enumerate() {
            p.view().sample(p.time_s(here[k]), &mut out.0, &mut out.1);
        }
        let [(one, _), (other, _)] = &poses;
        track.translations.push(root.translation);
        track.rotations.push(root.rotation);
        for j in 1..joints {
            track.translations.push(one.translations[j].lerp(other.translations[j], share));
            track.rotations.push(one.rotations[j].nlerp(other.rotations[j], share));
        }
        let [p, q] = [(a, 0), (b, 1)].map(|(s, k)| {
            let at = |phase: f64| s.view().root(s.time_s(phase)).0;
            at(here[k]).inverse() * at(next[k])
        });
        let step =
            Transform::new(p.translation.lerp(q.translation, share), p.rotation.nlerp(q.rotation, share).yaw_twist());
        root = root * step;
    }
    for i in joints..track.rotations.len() {
        track.rotations[i] = track.rotations[i].towards(track.rotations[i - joints]);
    }
    // The root has advanced by one step after the last frame: the displacement of the cycle.
    track.loop_delta = Some(root);
    track
}

/// Returns the tags that cover both clips completely.
fn common_tags(a: &Track, b: &Track) -> Vec<crate::clip::TagRange> {
    let whole = |t: &Track, name: &str| {
        let end_s = (t.frames() - 1) as f32 / t.rate_hz;
        t.annotations.tags.iter().any(|x| x.name == name && x.range.start_s <= 0.0 && x.range.end_s >= end_s)
    };
    let both = a.annotations.tags.iter().filter(|t| whole(a, &t.name) && whole(b, &t.name));
    both.map(|t| {
        let range = crate::clip::TimeRange { start_s: 0.0, end_s: f32::MAX };
        crate::clip::TagRange { name: t.name.clone(), range }
    })
    .collect()
}

/// Returns the mean horizontal speed of contact joints during contact, in m/s.
fn skate_mps(track: &Track, skeleton: &Skeleton, feet: &[JointIndex], config: &ContactConfig) -> f32 {
    let n = track.frames();
    let labels = contacts::label(track, skeleton, feet, config);
    let (mut sum, mut count) = (0.0, 0.0f32);
    for (slot, foot) in feet.iter().enumerate() {
        let at = |f: usize| track.joint_world(skeleton, f, foot.at()).translation * Vec3::new(1.0, 0.0, 1.0);
        for f in (1..n).filter(|f| labels[f * feet.len() + slot] == 1 && labels[(f - 1) * feet.len() + slot] == 1) {
            sum += (at(f) - at(f - 1)).length() * track.rate_hz;
            count += 1.0;
        }
    }
    sum / count.max(1.0)
}
