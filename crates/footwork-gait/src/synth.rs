//! From a script to a clip: path, footsteps, feet, pelvis, legs, upper body; and what is known about all of it.

use crate::GaitOptions;
use crate::body::{Side, joint, offset, skeleton};
use crate::feet::{Foot, FootState};
use crate::footsteps::{FootPlan, plan, steady_cadence_hz};
use crate::legs;
use crate::path::{Leg, PathPoint, RootPath};
use crate::pelvis::{self, Trunk};
use crate::truth::{GaitClip, GaitTruth, annotate, footsteps};
use crate::upper_body;
use footwork::clip::RawClip;
use footwork::math::{Facing, Quat, Transform, lerp};
use glam::Vec3;

/// Frames before and after a clip on which smoothing windows may lean, seconds.
const MARGIN_S: f32 = 0.5;
/// How long gait settles before a clip that begins in motion, seconds.
const RUN_IN_S: f32 = 3.0;
/// How far the plan sees beyond a clip's end, seconds.
const RUN_OUT_S: f32 = 2.0;

/// A clip to be made.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub name: String,
    pub legs: Vec<Leg>,
    /// The foot that starts where the motion does not decide it.
    pub first: Side,
    /// Cut to whole strides and marked as a loop; the script must be one steady leg.
    pub looping: bool,
    pub tags: Vec<&'static str>,
}

impl Recipe {
    pub(crate) fn new(name: impl Into<String>, tags: &[&'static str], legs: Vec<Leg>) -> Self {
        Self { name: name.into(), legs, first: Side::Right, looping: false, tags: tags.to_vec() }
    }

    /// The same to the other side, under another name.
    pub(crate) fn mirrored(&self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            legs: self.legs.iter().map(|l| l.mirrored()).collect(),
            first: self.first.other(),
            ..self.clone()
        }
    }

    /// Seconds of the script.
    pub(crate) fn seconds(&self) -> f32 {
        self.legs.iter().map(|l| l.seconds).sum()
    }
}

/// Makes one clip.
pub(crate) fn synthesise(recipe: &Recipe, options: &GaitOptions) -> GaitClip {
    let rate = options.rate_hz;
    let moves_at_start = recipe.legs[0].speed > 0.05 || recipe.legs[0].facing_rate != 0.0;
    let path = RootPath::new(&recipe.legs, if moves_at_start { RUN_IN_S } else { 1.0 }, RUN_OUT_S);
    let (frames, cadence_scale) = fit(recipe, &path, rate);
    let plan = plan(&path, recipe.first, cadence_scale);

    let margin = (MARGIN_S * rate) as usize;
    let count = frames + 2 * margin;
    let times: Vec<f32> = (0..count).map(|i| (i as f32 - margin as f32) / rate).collect();
    let points: Vec<PathPoint> = times.iter().map(|t| path.at(*t)).collect();
    let feet = feet_in_root(&plan, &path, &points, &times);
    let trunk = pelvis::trunk(&points, &feet, &times, rate, recipe.first.sign());

    let skeleton = skeleton();
    let mut clip = RawClip {
        name: recipe.name.clone(),
        source: "footwork-gait".into(),
        skeleton,
        rate_hz: rate,
        looping: recipe.looping,
        translations: Vec::with_capacity(frames * joint::COUNT),
        rotations: Vec::with_capacity(frames * joint::COUNT),
        annotations: Default::default(),
    };
    let shown = margin..margin + frames;
    for i in shown.clone() {
        push_pose(&mut clip, &points[i], &feet[i], &trunk, i, times[i]);
    }
    let truth = GaitTruth {
        root: (0..frames)
            .map(|f| f * joint::COUNT)
            .map(|j| Transform::new(clip.translations[j], clip.rotations[j]))
            .collect(),
        speed_mps: shown.clone().map(|i| points[i].velocity.length()).collect(),
        heading: headings(&points[shown.clone()]),
        contacts: shown.map(|i| [feet[i][0].planted, feet[i][1].planted]).collect(),
        footsteps: footsteps(&plan, frames as f32 / rate),
    };
    annotate(&mut clip, &truth, &recipe.tags);
    GaitClip { clip, truth }
}

/// Frames of a clip, and the factor on cadence that makes a loop's strides whole frames.
fn fit(recipe: &Recipe, path: &RootPath, rate_hz: f32) -> (usize, f32) {
    let seconds = recipe.seconds();
    if !recipe.looping {
        return ((seconds * rate_hz + 0.5) as usize + 1, 1.0);
    }
    if recipe.legs[0].speed == 0.0 && recipe.legs[0].facing_rate == 0.0 {
        return ((seconds * rate_hz + 0.5) as usize, 1.0);
    }
    let stride_s = 2.0 / steady_cadence_hz(path);
    let strides = (seconds / stride_s + 0.5).floor().max(1.0);
    let frames = (strides * stride_s * rate_hz + 0.5).floor().max(2.0);
    (frames as usize, strides * stride_s * rate_hz / frames)
}

fn root_of(p: &PathPoint) -> Transform {
    Transform::new(p.position, Quat::from_rotation_y(p.yaw))
}

/// Direction of travel per frame; standing, the last one (at first: the facing).
fn headings(points: &[PathPoint]) -> Vec<Facing> {
    let mut last = Facing::from_yaw(points[0].yaw);
    points
        .iter()
        .map(|p| {
            if p.velocity.length() > 0.01 {
                last = Facing::from_direction(p.velocity).unwrap_or(last);
            }
            last
        })
        .collect()
}

/// Both feet per frame, in root space.
fn feet_in_root(plan: &FootPlan, path: &RootPath, points: &[PathPoint], times: &[f32]) -> Vec<[FootState; 2]> {
    let mut feet = Side::BOTH.map(|s| Foot::new(plan, path, s));
    points
        .iter()
        .zip(times)
        .map(|(p, t)| {
            let to_root = Quat::from_rotation_y(-p.yaw);
            feet.each_mut().map(|f| {
                let s = f.at(*t);
                FootState { toe: to_root * (s.toe - p.position), yaw: s.yaw - p.yaw, ..s }
            })
        })
        .collect()
}

/// Appends one frame.
fn push_pose(clip: &mut RawClip, p: &PathPoint, feet: &[FootState; 2], trunk: &Trunk, i: usize, time_s: f32) {
    let mut local = [Quat::IDENTITY; joint::COUNT];
    let mut translations: [Vec3; joint::COUNT] = std::array::from_fn(offset);
    let root = root_of(p);
    translations[joint::ROOT] = root.translation;
    translations[joint::HIPS] = trunk.position[i];
    local[joint::ROOT] = root.rotation;
    let pelvis = trunk.rotation[i];
    local[joint::HIPS] = pelvis;
    for (side, foot) in Side::BOTH.into_iter().zip(feet) {
        let hip = pelvis::hip(trunk.position[i], pelvis, side);
        // A knee points between pelvis and foot, nearer to the foot.
        let knee_yaw = lerp(p.twist, foot.yaw, 0.6);
        let leg = legs::solve(hip, foot, knee_yaw);
        let first = [joint::LEFT_UP_LEG, joint::RIGHT_UP_LEG][side.at()];
        local[first] = pelvis.inverse() * leg.thigh;
        local[first + 1] = leg.shank;
        local[first + 2] = leg.foot_local;
        local[first + 3] = leg.toe;
    }
    upper_body::pose(p, trunk, i, time_s, &mut local);
    // One sign per rotation, so that equal motion gives equal bytes and neighbours interpolate the short way.
    let before = clip.rotations.len().checked_sub(joint::COUNT);
    for (j, q) in local.into_iter().enumerate() {
        let reference = before.map_or(Quat::IDENTITY, |b| clip.rotations[b + j]);
        // Joint 0 stays bit for bit what the truth says.
        let q = if j == joint::ROOT { q } else { q.normalize() };
        clip.rotations.push(q.towards(reference));
    }
    clip.translations.extend(translations);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{SHANK_M, THIGH_M};

    #[test]
    fn every_leg_reaches_its_foot_in_every_frame() {
        let mut worst = 0.0f32;
        let mut recipes = crate::repertoire::recipes();
        recipes.extend(crate::random_route::recipes(1));
        for r in &recipes {
            let rate = 60.0;
            let path = RootPath::new(&r.legs, RUN_IN_S, RUN_OUT_S);
            let plan = plan(&path, r.first, 1.0);
            let times: Vec<f32> = (0..(r.seconds() * rate) as usize).map(|i| i as f32 / rate).collect();
            let points: Vec<PathPoint> = times.iter().map(|t| path.at(*t)).collect();
            let feet = feet_in_root(&plan, &path, &points, &times);
            let trunk = pelvis::trunk(&points, &feet, &times, rate, 1.0);
            for i in 0..times.len() {
                for side in Side::BOTH {
                    let foot = &feet[i][side.at()];
                    let hip = pelvis::hip(trunk.position[i], trunk.rotation[i], side);
                    let (target, _) = legs::ankle_target(hip, foot);
                    let stretch = (target - hip).length() / (THIGH_M + SHANK_M);
                    worst = worst.max(stretch);
                    assert!(stretch < 0.9999 && stretch > 0.3, "{} frame {i} {side:?}: {stretch}", r.name);
                    let leg = legs::solve(hip, foot, foot.yaw);
                    let knee = hip + leg.thigh * offset(joint::LEFT_LEG);
                    let ankle = knee + leg.thigh * leg.shank * offset(joint::LEFT_FOOT);
                    assert!((ankle - target).length() < 1e-3, "{} frame {i} {side:?}", r.name);
                }
            }
        }
        println!("legs stretch to {worst:.4} of their length");
    }
}
