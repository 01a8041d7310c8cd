//! From nodes that move, turn and scale at any time to joints that move and turn at every frame.

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

/// Joints x frames that nobody minds: a quarter of an hour of a person with fingers, at 20 Hz.
const ALWAYS_ALLOWED: usize = 1 << 20;
const BYTES_PER_TRANSFORM: usize = 28;
/// Factors closer than this are the same: exporters round.
const SAME_SCALE: f32 = 1e-3;
/// A share of a frame by which a last key may miss its frame.
const SAME_FRAME: f64 = 0.05;
/// Bind poses that change bones by more than this share are of another body.
const SAME_LENGTH: f32 = 0.05;

/// Everything that holds for all takes of a file.
pub(super) struct Bake<'a> {
    scene: &'a Scene,
    rig: &'a SceneSkeleton,
    naming: &'a Naming<'a>,
    skeleton: Skeleton,
    /// Metres over the file's own.
    metres: f32,
    /// `[joints]` generations below each: 0 for a leaf.
    generations: Vec<usize>,
    /// Joints x frames so far, over all takes.
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

    /// The skeleton: its rest pose is the bind pose where there is a whole and sound one, else the file's own.
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

    /// A take, sampled.
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

    /// Frames of a take: both ends, and no more than a file of this size can mean.
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

    /// The skeleton as the nodes stand.
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

    /// Local transforms of all joints, metres, from those of the nodes; gives what stands above, and the `[joints]` scales
    /// that hold for their children.
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
                // Nothing hangs on it: what a mirror does to a leaf is seen on its mesh only.
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
            // What scale does to children is a place, exactly; what uneven scale does to their children is a shear.
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

/// What is wrong with a node at a time.
struct Fault {
    node: usize,
    kind: Kind,
}

enum Kind {
    Scale(Vec3),
    Mirrored(Vec3),
    NotATransform,
}

/// A place in the world, and how much larger than life everything below it is.
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

/// Unit rotation, finite numbers; two negative factors are half a turn, one or three a mirror.
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

/// The one factor of a scale that has one.
fn uniform(scale: Vec3) -> Option<f32> {
    let (least, most) = (scale.min_element(), scale.max_element());
    (most - least <= SAME_SCALE * most).then_some((least + most) / 2.0)
}

/// Clip names: the file's for a single take, `file.take` for several; each once.
pub(super) fn names(stem: &str, takes: &[&str]) -> Vec<String> {
    if takes.len() == 1 {
        return vec![stem.to_owned()];
    }
    let mut seen = HashSet::new();
    let mut names: Vec<String> = Vec::new();
    for take in takes {
        let own = take_name(take);
        // As `convert` writes it.
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

/// `Armature|walk|BaseLayer` is a walk; what cannot stand in a file's name becomes `_`.
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
