//! Synthesis of a clip from a recipe: path, footsteps, feet, pelvis, legs, upper body; and its ground truth.

use crate::body::{Side, joint, offset, skeleton};
use crate::feet::FootState;
use crate::footsteps::{FootPlan, Rhythm, plan, steady_cadence_hz};
use crate::gestures::{Bearing, Gesture};
use crate::leg::Track;
use crate::leg_pose::{knee_yaw, solve};
use crate::legs::LegMotion;
use crate::options::GaitOptions;
use crate::path::{PathPoint, RootPath};
use crate::pelvis::{self, Body, Trunk};
use crate::recipe::Recipe;
use crate::stride::LegPlan;
use crate::truth::{GaitClip, GaitTruth, annotate, footsteps};
use crate::upper_body::{self, Attention};
use footwork::advanced::math::Random;
use footwork::clip::RawClip;
use footwork::math::{Facing, Quat, Transform};
use glam::Vec3;

/// Margin before and after a clip for smoothing windows, in seconds.
const MARGIN_S: f32 = 0.6;
/// Time in which the gait settles before a clip that begins in motion, in seconds.
const RUN_IN_S: f32 = 3.0;
/// Time planned beyond the end of a clip, in seconds.
const RUN_OUT_S: f32 = 2.5;
/// Minimum of the internal sample rate, in Hz; the rate is a whole multiple of the frame rate.
const LEAST_SAMPLE_HZ: f32 = 120.0;

/// Motion of the character, sampled evenly in time.
pub(crate) struct Motion {
    path: RootPath,
    pub plan: FootPlan,
    /// `[samples]` seconds.
    pub times: Vec<f32>,
    pub points: Vec<PathPoint>,
    /// `[samples][left, right]` world.
    pub feet: Vec<[FootState; 2]>,
    pub trunk: Trunk,
    gesture: Option<Gesture>,
}

/// Computes the motion over `frames` frames and a margin on both sides, with `per_frame` samples per frame.
pub(crate) fn walk(recipe: &Recipe, options: &GaitOptions, per_frame: usize) -> (Motion, usize) {
    let moves_at_start = recipe.legs[0].speed > 0.05 || recipe.legs[0].facing_rate != 0.0;
    let run_in_s = if moves_at_start { RUN_IN_S } else { 1.0 };
    let path = RootPath::new(&recipe.legs, recipe.ground, run_in_s, RUN_OUT_S);
    let fit = fit(recipe, &path, options);
    let plan = plan(&path, fit.rhythm);
    let rate_hz = options.rate_hz * per_frame as f32;
    let margin = (MARGIN_S * options.rate_hz) as usize * per_frame;
    let count = fit.frames * per_frame + 2 * margin;
    let times: Vec<f32> = (0..count).map(|i| (i as f32 - margin as f32) / rate_hz).collect();
    let points: Vec<PathPoint> = times.iter().map(|t| path.at(*t)).collect();
    let leg_plans = Side::BOTH.map(|s| LegPlan::new(&plan.stances[s.at()], &path));
    let upright = Side::BOTH.map(|s| LegPlan::upright(&plan.stances[s.at()], &path));
    let trunk = Body {
        path: &points,
        times: &times,
        rate_hz,
        plan: &plan,
        upright_legs: &upright,
        standing: recipe.standing,
        sway_sign: recipe.first.sign(),
        arms: recipe.manner.arms,
    }
    .trunk();
    let tracks = Side::BOTH.map(|side| Track {
        start_s: times[0],
        rate_hz,
        hip: (0..count)
            .map(|i| root_of(&points[i]).point(pelvis::hip(trunk.position[i], trunk.rotation[i], side)))
            .collect(),
        yaw: points.iter().map(|p| p.yaw + p.twist).collect(),
    });
    let mut legs = Side::BOTH.map(|s| LegMotion::new(&plan, &leg_plans[s.at()], &path, &tracks[s.at()], s));
    let feet = times.iter().map(|t| legs.each_mut().map(|l| l.at(*t))).collect();
    (Motion { path, plan, times, points, feet, trunk, gesture: recipe.gesture }, fit.frames)
}

/// Returns the clip of a recipe.
pub(crate) fn synthesise(recipe: &Recipe, options: &GaitOptions) -> GaitClip {
    let per_frame = (LEAST_SAMPLE_HZ / options.rate_hz).ceil().max(1.0) as usize;
    let (motion, frames) = walk(recipe, options, per_frame);
    let margin = (motion.times.len() - frames * per_frame) / 2;
    let mut clip = empty(&recipe.name, options.rate_hz);
    clip.looping = recipe.looping;
    let shown: Vec<usize> = (0..frames).map(|f| margin + f * per_frame).collect();
    for i in &shown {
        let (translations, local) = posed(&motion, *i);
        push_pose(&mut clip, translations, local);
    }
    let points: Vec<PathPoint> = shown.iter().map(|i| motion.points[*i]).collect();
    let truth = GaitTruth {
        root: (0..frames)
            .map(|f| f * joint::COUNT)
            .map(|j| Transform::new(clip.translations[j], clip.rotations[j]))
            .collect(),
        speed_mps: points.iter().map(|p| p.velocity.length()).collect(),
        heading: headings(&points),
        contacts: shown.iter().map(|i| motion.feet[*i].map(|f| f.planted)).collect(),
        touching: shown.iter().map(|i| motion.feet[*i].map(|f| f.loaded)).collect(),
        footsteps: footsteps(&motion.plan, frames as f32 / options.rate_hz),
        crouch: points.iter().map(|p| p.crouch).collect(),
        action: None,
    };
    annotate(&mut clip, &truth, recipe);
    GaitClip { clip, truth }
}

/// Returns a clip without frames.
pub(crate) fn empty(name: &str, rate_hz: f32) -> RawClip {
    RawClip {
        name: name.to_owned(),
        source: "footwork-gait".into(),
        skeleton: skeleton(),
        rate_hz,
        looping: false,
        translations: Vec::new(),
        rotations: Vec::new(),
        annotations: Default::default(),
    }
}

/// Length of a clip and timing of its steps.
struct Fit {
    frames: usize,
    rhythm: Rhythm,
}

/// Fits a clip to whole frames, a loop also to whole strides.
fn fit(recipe: &Recipe, path: &RootPath, options: &GaitOptions) -> Fit {
    let rate_hz = options.rate_hz;
    let seconds = recipe.seconds();
    let seed = Random::sub_seed(recipe.seed, options.seed);
    let rhythm = Rhythm {
        cadence_scale: recipe.manner.cadence,
        period: None,
        seed,
        first: recipe.first,
        insists: recipe.insists,
        stagger_m: recipe.stagger_m,
    };
    let frames = (seconds * rate_hz + 0.5) as usize;
    if !recipe.looping {
        return Fit { frames: frames + 1, rhythm };
    }
    if recipe.legs[0].speed == 0.0 && recipe.legs[0].facing_rate == 0.0 {
        return Fit { frames, rhythm };
    }
    let stride_s = 2.0 / steady_cadence_hz(path);
    let strides = (seconds / stride_s + 0.5).floor().max(1.0);
    let frames = (strides * stride_s * rate_hz + 0.5).floor().max(2.0);
    let cadence_scale = strides * stride_s * rate_hz / frames;
    Fit { frames: frames as usize, rhythm: Rhythm { cadence_scale, period: Some(2 * strides as u32), ..rhythm } }
}

pub(crate) fn root_of(p: &PathPoint) -> Transform {
    Transform::new(p.position, Quat::from_rotation_y(p.yaw))
}

/// Returns the direction of travel per frame; while standing, the last one (at first: the facing).
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

/// Returns the yaw of the head relative to the facing, in radians: heads lead on circles by 200 ms (Grasso et al. 1996) and turn
/// before a corner by up to a second (Grasso et al. 1998).
fn gaze(motion: &Motion, i: usize) -> f32 {
    let (t, p) = (motion.times[i], &motion.points[i]);
    let ahead = |s: f32| motion.path.at(t + s).yaw - p.yaw;
    let lead = (ahead(0.2) + ahead(0.45) + ahead(0.7)) * (1.0 / 3.0);
    // The neck turns by at most 70 degrees; the eyes take the rest.
    lead / (1.0 + lead * lead).sqrt()
}

/// Returns the local translations and rotations of all joints in a sample.
pub(crate) fn posed(motion: &Motion, i: usize) -> ([Vec3; joint::COUNT], [Quat; joint::COUNT]) {
    let (p, trunk) = (&motion.points[i], &motion.trunk);
    let mut local = [Quat::IDENTITY; joint::COUNT];
    let mut translations: [Vec3; joint::COUNT] = std::array::from_fn(offset);
    let root = root_of(p);
    translations[joint::ROOT] = root.translation;
    translations[joint::HIPS] = trunk.position[i];
    local[joint::ROOT] = root.rotation;
    let pelvis = trunk.rotation[i];
    local[joint::HIPS] = pelvis;
    for (side, foot) in Side::BOTH.into_iter().zip(&motion.feet[i]) {
        let hip = pelvis::hip(trunk.position[i], pelvis, side);
        let foot = FootState { ankle: root.inverse_point(foot.ankle), yaw: foot.yaw - p.yaw, ..*foot };
        let leg = solve(hip, &foot, knee_yaw(p.twist, foot.yaw, p.crouch));
        let first = [joint::LEFT_UP_LEG, joint::RIGHT_UP_LEG][side.at()];
        local[first] = pelvis.inverse() * leg.thigh;
        local[first + 1] = leg.shank;
        local[first + 2] = leg.foot;
        local[first + 3] = leg.toe;
    }
    let time_s = motion.times[i];
    let bearing = motion.gesture.map_or_else(Bearing::default, |g| g.bearing(time_s));
    let attention = Attention { time_s, gaze: gaze(motion, i), bearing };
    upper_body::pose(p, trunk, i, attention, &mut local);
    if let Some(gesture) = motion.gesture {
        gesture.arms(time_s, &mut local);
    }
    (translations, local)
}

/// Appends one frame.
pub(crate) fn push_pose(clip: &mut RawClip, translations: [Vec3; joint::COUNT], local: [Quat; joint::COUNT]) {
    // One sign per rotation, so that equal motion gives equal bytes and interpolation takes the shorter arc.
    let before = clip.rotations.len().checked_sub(joint::COUNT);
    for (j, q) in local.into_iter().enumerate() {
        let reference = before.map_or(Quat::IDENTITY, |b| clip.rotations[b + j]);
        // Joint 0 is equal to the ground truth, bit for bit.
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
        recipes.extend(crate::corpus::corpus(0.25, 2).iter().map(crate::Route::recipe));
        for r in recipes.iter().filter(|r| !r.mirrors) {
            let (motion, _) = walk(r, &GaitOptions::default(), 1);
            for (i, p) in motion.points.iter().enumerate() {
                for side in Side::BOTH {
                    let foot = &motion.feet[i][side.at()];
                    let hip = pelvis::hip(motion.trunk.position[i], motion.trunk.rotation[i], side);
                    let hip = root_of(p).point(hip);
                    let stretch = (foot.ankle - hip).length() / (THIGH_M + SHANK_M);
                    worst = worst.max(stretch);
                    let at = motion.times[i];
                    assert!(stretch < 0.9999 && stretch > 0.3, "{} at {at:.2} s {side:?}: {stretch}", r.name);
                }
            }
        }
        println!("legs stretch to {worst:.4} of their length");
    }
}
