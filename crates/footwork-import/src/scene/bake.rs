//! Samples animated nodes (translation, rotation, scale at any time) as joints (translation and rotation per frame).

use super::joints::SceneSkeleton;
use super::limits::{MOST_TIMES_LARGER, SECONDS_MOST};
use super::{Naming, Rest, Sample, Scene, SceneProblem, Trs};
use crate::units::Units;
use footwork::clip::{Annotations, RawClip};
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use glam::Vec3;
use std::collections::HashSet;

/// Number of joints x frames that is always allowed: a quarter of an hour of a person with fingers, at 20 Hz.
const ALWAYS_ALLOWED: usize = 1 << 20;
const BYTES_PER_TRANSFORM: usize = 28;
/// Maximum relative difference of scale factors that count as equal, as exporters round.
const SAME_SCALE: f32 = 1e-3;
/// Maximum share of a frame by which a last key may miss its frame.
const SAME_FRAME: f64 = 0.05;
/// Maximum relative difference in bone length between bind pose and nodes. A larger one belongs to another body.
const SAME_LENGTH: f32 = 0.05;

/// Data shared by all takes of a file.
pub(super) struct Bake<'a> {
    scene: &'a Scene,
    rig: &'a SceneSkeleton,
    naming: &'a Naming<'a>,
    skeleton: Skeleton,
    /// Metres of the output per metre of the file's own unit.
    metres: f32,
    /// `[joints]` number of generations below each joint: 0 for a leaf.
    generations: Vec<usize>,
    /// Number of joints x frames so far, over all takes.
    transforms: usize,
}

impl<'a> Bake<'a> {
    pub fn new(scene: &'a Scene, rig: &'a SceneSkeleton, naming: &'a Naming<'a>) -> Result<Self, SceneProblem> {
        let metres = match naming.units {
            Units::Auto => 1.0,
            said => said.metres_per_unit().unwrap_or(1.0) / naming.file_metres_per_unit,
        };
        if !(metres.is_finite() && metres > 0.0) {
            return Err(SceneProblem::BadUnits { metres_per_unit: metres * naming.file_metres_per_unit });
        }
        let mut generations = vec![0; rig.nodes.len()];
        for j in (1..rig.nodes.len()).rev() {
            let p = rig.parents[j].unwrap_or(0);
            generations[p] = generations[p].max(generations[j] + 1);
        }
        let lone = Skeleton::new(vec!["root".into()], vec![None], vec![Transform::IDENTITY])?;
        let mut bake = Self { scene, rig, naming, skeleton: lone, metres, generations, transforms: 0 };
        bake.skeleton = bake.rest()?;
        Ok(bake)
    }

    /// Returns the skeleton. The rest pose of a joint is its bind pose, if there is a valid one, or else the node's transform.
    fn rest(&self) -> Result<Skeleton, SceneProblem> {
        let (rig, scene) = (self.rig, self.scene);
        let mut rest = Vec::new();
        self.pose(|n| scene.nodes[n].local, &mut rest).map_err(|fault| self.refusal(fault, "rest pose", 0.0))?;
        for j in 1..rest.len() {
            let bind = |j: usize| scene.nodes[rig.nodes[j]].bind;
            let Some((parent, own)) = bind(rig.parents[j].unwrap_or(0)).zip(bind(j)) else { continue };
            let local = parent.inverse() * own;
            let (a, b) = (local.translation.length() * self.metres, rest[j].translation.length());
            if local.is_finite() && (a - b).abs() <= SAME_LENGTH * a.max(b).max(0.01) {
                rest[j] = Transform::new(local.translation * self.metres, local.rotation.normalize());
            }
        }
        let parents = rig.parents.iter().map(|p| p.map(JointIndex::new)).collect();
        Ok(Skeleton::new(rig.names.clone(), parents, rest)?)
    }

    /// Samples a take.
    pub fn clip(&mut self, take: usize, name: String, sample: &impl Sample) -> Result<RawClip, SceneProblem> {
        let t = &self.scene.takes[take];
        let frames = self.frames(take, &name)?;
        self.transforms += frames * self.rig.nodes.len();
        let joints = self.rig.nodes.len();
        let mut clip = RawClip {
            name,
            source: self.naming.source.to_owned(),
            skeleton: self.skeleton.clone(),
            rate_hz: t.rate_hz as f32,
            looping: false,
            translations: Vec::with_capacity(frames * joints),
            rotations: Vec::with_capacity(frames * joints),
            annotations: Annotations { events: t.events.clone(), ..Annotations::default() },
        };
        let mut pose = Vec::with_capacity(joints);
        for f in 0..frames {
            let time_s = (t.start_s + f as f64 / t.rate_hz).min(t.end_s.max(t.start_s));
            pose.clear();
            self.pose(|n| sample.local(take, n, time_s), &mut pose)
                .map_err(|fault| self.refusal(fault, &clip.name, time_s - t.start_s))?;
            clip.translations.extend(pose.iter().map(|p| p.translation));
            clip.rotations.extend(pose.iter().map(|p| p.rotation));
        }
        clip.validate()?;
        Ok(clip)
    }

    /// Returns the number of frames of a take, both ends included; an error if it is implausible for a file of this size.
    fn frames(&self, take: usize, name: &str) -> Result<usize, SceneProblem> {
        let t = &self.scene.takes[take];
        let joints = self.rig.nodes.len();
        let seconds = t.end_s - t.start_s;
        let too_long = || SceneProblem::TooLong { clip: name.to_owned(), seconds, rate_hz: t.rate_hz, joints };
        if !(0.0..=SECONDS_MOST).contains(&seconds) || !(1.0..=1000.0).contains(&t.rate_hz) {
            return Err(too_long());
        }
        let frames = (seconds * t.rate_hz + SAME_FRAME).floor() as usize + 1;
        let transforms = frames.saturating_mul(joints).saturating_add(self.transforms);
        let bytes = transforms.saturating_mul(BYTES_PER_TRANSFORM);
        if transforms > ALWAYS_ALLOWED && bytes / MOST_TIMES_LARGER > self.scene.bytes {
            return Err(too_long());
        }
        Ok(frames)
    }

    /// Returns the skeleton with the nodes' own transforms as its rest pose.
    pub fn standing(&self) -> Result<Rest, SceneProblem> {
        let (rig, local) = (self.rig, |n: usize| self.scene.nodes[n].local);
        let mut rest = Vec::new();
        let (above, scales) = self.pose(local, &mut rest).map_err(|fault| self.refusal(fault, "rest pose", 0.0))?;
        let parents: Vec<_> = rig.parents.iter().map(|p| p.map(JointIndex::new)).collect();
        let scale = |p: &Option<usize>| p.map_or(above.scale, |p| scales[p]).element_sum() / 3.0;
        Ok(Rest {
            scales: rig.parents.iter().map(scale).collect(),
            nodes: rig.nodes.clone(),
            above: above.transform,
            skeleton: Skeleton::new(rig.names.clone(), parents, rest)?,
        })
    }

    /// Computes the local transforms of all joints, in metres, from those of the nodes. Returns the transform above the root,
    /// and the `[joints]` scales that apply to their children.
    fn pose(&self, local: impl Fn(usize) -> Trs, out: &mut Vec<Transform>) -> Result<(Scaled, Vec<Vec3>), Fault> {
        let mut above = Scaled { transform: Transform::IDENTITY, scale: Vec3::splat(self.metres) };
        for n in &self.rig.above {
            above = above.child(sane(local(*n)).map_err(|kind| Fault { node: *n, kind })?);
            above.scale = Vec3::splat(uniform(above.scale).ok_or(Fault { node: *n, kind: Kind::Scale(above.scale) })?);
        }
        let mut scales: Vec<Vec3> = Vec::with_capacity(self.rig.nodes.len());
        for (j, n) in self.rig.nodes.iter().enumerate() {
            let fault = |kind| Fault { node: *n, kind };
            let own = match sane(local(*n)) {
                // A leaf joint has nothing below it: a mirror changes only its mesh.
                Err(Kind::Mirrored(s)) if self.generations[j] == 0 => Trs { scale: s.abs(), ..local(*n) },
                other => other.map_err(fault)?,
            };
            let (transform, scale) = match self.rig.parents[j] {
                None => {
                    let root = above.child(own);
                    (root.transform, root.scale)
                }
                Some(p) => {
                    (Transform::new(scales[p] * own.translation, own.rotation.normalize()), scales[p] * own.scale)
                }
            };
            // Scale of a joint only moves its children; uneven scale also shears the children's children.
            let even = uniform(scale);
            if even.is_none() && self.generations[j] > 1 {
                return Err(fault(Kind::Scale(own.scale)));
            }
            scales.push(even.map_or(scale, Vec3::splat));
            out.push(transform);
        }
        Ok((above, scales))
    }

    fn refusal(&self, fault: Fault, clip: &str, time_s: f64) -> SceneProblem {
        let joint = self.scene.nodes[fault.node].name.clone();
        let told = |s: Vec3| format!("{:.3}, {:.3}, {:.3}", s.x, s.y, s.z);
        match fault.kind {
            Kind::Scale(s) => SceneProblem::Scale { joint, scale: told(s) },
            Kind::Mirrored(s) => SceneProblem::Mirrored { joint, scale: told(s) },
            Kind::NotATransform => SceneProblem::NotATransform { clip: clip.to_owned(), joint, time_s },
        }
    }
}

/// A fault of a node at a time.
struct Fault {
    node: usize,
    kind: Kind,
}

enum Kind {
    Scale(Vec3),
    Mirrored(Vec3),
    NotATransform,
}

/// A world transform, and the scale that applies to everything below it.
struct Scaled {
    transform: Transform,
    scale: Vec3,
}

impl Scaled {
    fn child(&self, own: Trs) -> Self {
        let local = Transform::new(self.scale * own.translation, own.rotation);
        Self { transform: self.transform * local, scale: self.scale * own.scale }
    }
}

/// Checks for finite numbers and normalises the rotation. Two negative factors are half a turn, one or three are a mirror.
fn sane(trs: Trs) -> Result<Trs, Kind> {
    const LENGTHS: std::ops::RangeInclusive<f32> = 1e-3..=1e3;
    let length = trs.rotation.length();
    if !(trs.translation.is_finite() && trs.scale.is_finite() && LENGTHS.contains(&length)) {
        return Err(Kind::NotATransform);
    }
    let s = trs.scale;
    let half_turn = match [s.x < 0.0, s.y < 0.0, s.z < 0.0] {
        [false, false, false] => Quat::IDENTITY,
        [false, true, true] => Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        [true, false, true] => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        [true, true, false] => Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
        _ => return Err(Kind::Mirrored(s)),
    };
    Ok(Trs { translation: trs.translation, rotation: trs.rotation.normalize() * half_turn, scale: s.abs() })
}

/// Returns the factor of a uniform scale; `None` for others.
fn uniform(scale: Vec3) -> Option<f32> {
    let (least, most) = (scale.min_element(), scale.max_element());
    (most - least <= SAME_SCALE * most).then_some((least + most) / 2.0)
}

/// Returns unique clip names: the file's for a single take, `file.take` for several.
pub(super) fn names(stem: &str, takes: &[&str]) -> Vec<String> {
    if takes.len() == 1 {
        return vec![stem.to_owned()];
    }
    let mut seen = HashSet::new();
    let mut names: Vec<String> = Vec::new();
    for take in takes {
        let own = take_name(take);
        // The `convert` command writes names with the stem.
        let has_stem = own.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
        let base = if has_stem { own } else { format!("{stem}.{own}") };
        let mut name = base.clone();
        let mut number = 2;
        while !seen.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

/// Returns the name of a take: `walk` for `Armature|walk|BaseLayer`. Characters that are invalid in file names become `_`.
fn take_name(take: &str) -> String {
    let mut parts: Vec<&str> = take.split('|').filter(|p| !p.is_empty()).collect();
    if parts.len() > 1 && matches!(parts.last(), Some(&("BaseLayer" | "Base Layer" | "Layer0"))) {
        parts.pop();
    }
    let last = parts.last().copied().unwrap_or("take").trim();
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
    let name: String = last.chars().map(|c| if kept(c) { c } else { '_' }).collect();
    if name.is_empty() { "take".to_owned() } else { name }
}
