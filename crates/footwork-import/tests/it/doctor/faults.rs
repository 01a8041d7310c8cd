//! Makers of faults: each adds one fault to good clips and returns its location. Positions and sizes come from a seed.

#![allow(clippy::ptr_arg, reason = "all makers have one signature, and one adds a clip")]

use footwork::advanced::math::{Random, smoothstep};
use footwork::clip::RawClip;
use footwork::frames::JointIndex;
use footwork::math::{Quat, Transform};
use footwork::skeleton::Skeleton;
use footwork_gait::GaitClip;
use footwork_import::doctor::Check;
use glam::Vec3;

fn sign(random: &mut Random) -> f32 {
    random.pick(&[-1.0, 1.0])
}

fn axis(random: &mut Random) -> Vec3 {
    Vec3::new(random.normal(), random.normal(), random.normal()).normalize_or(Vec3::X)
}

/// Description of a planted fault.
#[derive(Debug)]
pub struct Planted {
    /// Check that must report it.
    pub check: Check,
    /// Name of the clip with the fault; empty for the whole set.
    pub clip: String,
    /// Joint with the fault.
    pub joint: Option<String>,
    /// First and last frame.
    pub frames: Option<[usize; 2]>,
    /// Maximum distance between the fixed and the good clip, in metres; `None` if the fix cannot restore it.
    pub restores_m: Option<f32>,
}

/// A maker takes the set of clips and the index of the clip to change. It returns `None` if this clip cannot have the fault.
pub type Maker = fn(&mut Vec<RawClip>, usize, &GaitClip, &mut Random) -> Option<Planted>;

/// All makers, with their names in the table.
pub const MAKERS: [(&str, Maker); 33] = [
    ("joint renamed in one clip", renamed),
    ("feet that nothing tells", unknown_feet),
    ("too short", short),
    ("up is another axis", up),
    ("another unit", unit),
    ("T-pose at the start", |c, i, g, d| t_pose(c, i, g, d, true)),
    ("T-pose at the end", |c, i, g, d| t_pose(c, i, g, d, false)),
    ("a joint flipped", flipped),
    ("frames repeated", |c, i, g, d| upsampled(c, i, g, d, false)),
    ("frames interpolated", |c, i, g, d| upsampled(c, i, g, d, true)),
    ("a spike in a joint", spike),
    ("a spike in the hips' place", spike_in_place),
    ("whole body frozen", frozen_body),
    ("a joint frozen", frozen_joint),
    ("a joint trembles", trembling),
    ("the hips' place trembles", trembling_place),
    ("all sides swapped", |c, i, g, _| swapped(c, i, g, "")),
    ("arms swapped", |c, i, g, _| swapped(c, i, g, "arms")),
    ("legs swapped", |c, i, g, _| swapped(c, i, g, "legs")),
    ("treadmill", treadmill),
    ("root bone turned", root_turned),
    ("way turned", way_turned),
    ("root leaves the body", root_leaves),
    ("body drifts", body_drifts),
    ("feet under or over the ground", offset),
    ("sinks or rises", sinking),
    ("a contact slides", sliding),
    ("twice too fast", |c, i, g, d| rate(c, i, g, d, 2.0)),
    ("half too slow", |c, i, g, d| rate(c, i, g, d, 0.5)),
    ("a joint never moves", still),
    ("a loop that is open", open_loop),
    ("a copy", copy),
    ("a leg torn about for a while", torn),
];

fn planted(check: Check, clip: &RawClip) -> Planted {
    Planted { check, clip: clip.name.clone(), joint: None, frames: None, restores_m: None }
}

pub fn local(c: &RawClip, f: usize, j: usize) -> Transform {
    let i = f * c.skeleton.len() + j;
    Transform::new(c.translations[i], c.rotations[i])
}

fn set(c: &mut RawClip, f: usize, j: usize, t: Transform) {
    let i = f * c.skeleton.len() + j;
    (c.translations[i], c.rotations[i]) = (t.translation, t.rotation);
}

pub fn world(c: &RawClip, f: usize, j: usize) -> Transform {
    let mut t = local(c, f, j);
    let mut up = c.skeleton.parents()[j];
    while let Some(p) = up {
        t = local(c, f, p.at()) * t;
        up = c.skeleton.parents()[p.at()];
    }
    t
}

fn reskin(c: &mut RawClip, name: impl Fn(&str) -> String, rest: impl Fn(usize, Transform) -> Transform) {
    let s = &c.skeleton;
    let names = s.names().iter().map(|n| name(n)).collect();
    let rest = s.rest().iter().enumerate().map(|(j, t)| rest(j, *t)).collect();
    c.skeleton = Skeleton::new(names, s.parents().to_vec(), rest).unwrap();
    c.annotations.contacts.clear();
}

/// Returns the mean horizontal speed, m/s.
fn speed(g: &GaitClip) -> f32 {
    g.truth.speed_mps.iter().sum::<f32>() / g.truth.speed_mps.len() as f32
}

/// Returns the number of steps within the clip.
fn steps(g: &GaitClip) -> usize {
    g.truth.footsteps.iter().filter(|s| s.start_s > 0.0).count()
}

/// Returns the mean rotation of a joint per frame around a stretch, in radians.
fn turning(c: &RawClip, j: usize, a: usize, b: usize) -> f32 {
    let turn = |f: usize| local(c, f - 1, j).rotation.angle_between(local(c, f, j).rotation);
    (a..=b).map(turn).sum::<f32>() / (b + 1 - a) as f32
}

fn renamed(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let victim = d.pick(&["LeftArm", "Spine1", "RightFoot", "Head", "Hips"]);
    reskin(&mut clips[i], |n| if n == victim { format!("{n}2") } else { n.to_owned() }, |_, t| t);
    Some(planted(Check::Skeleton, &clips[i]))
}

/// Removes the names of the feet, and makes left and right leg bones of different length.
fn unknown_feet(clips: &mut Vec<RawClip>, _: usize, _: &GaitClip, _: &mut Random) -> Option<Planted> {
    for c in clips.iter_mut() {
        let nameless = |n: &str| n.replace("Foot", "J1").replace("Toe", "J2");
        let odd = ["LeftLeg", "LeftFoot", "LeftToe"].map(|n| c.skeleton.find(n).map(JointIndex::at));
        let longer = |j: usize, t: Transform| match odd.contains(&Some(j)) {
            true => Transform::new(t.translation * 1.3, t.rotation),
            false => t,
        };
        reskin(c, nameless, longer);
    }
    Some(planted(Check::Roles, &clips[0]))
}

fn short(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let frames = 3 + d.below(16);
    keep(&mut clips[i], 0, frames);
    clips[i].looping = false;
    Some(planted(Check::TooShort, &clips[i]))
}

fn keep(c: &mut RawClip, from: usize, to: usize) {
    let j = c.skeleton.len();
    c.translations = c.translations[from * j..to * j].to_vec();
    c.rotations = c.rotations[from * j..to * j].to_vec();
    c.annotations = Default::default();
}

fn up(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let half = std::f32::consts::FRAC_PI_2;
    let turn = d.pick(&[
        Quat::from_rotation_x(half),
        Quat::from_rotation_x(-half),
        Quat::from_rotation_z(half),
        Quat::from_rotation_z(-half),
        Quat::from_rotation_x(2.0 * half),
    ]);
    let whole = Transform::new(Vec3::ZERO, turn);
    for f in 0..c.frames() {
        let t = whole * local(c, f, 0);
        set(c, f, 0, t);
    }
    // -Y up can be undone in two ways, which differ by a half turn of the world.
    let restores = (turn != Quat::from_rotation_x(2.0 * half)).then_some(1e-3);
    Some(Planted { restores_m: restores, ..planted(Check::UpAxis, c) })
}

fn unit(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let k = d.pick(&[100.0, 10.0, 0.1, 0.01, 1.0 / 0.0254, 0.0254, 1000.0]);
    let c = &mut clips[i];
    c.translations.iter_mut().for_each(|t| *t *= k);
    reskin(c, str::to_owned, |_, t| Transform::new(t.translation * k, t.rotation));
    Some(Planted { restores_m: Some(1e-3), ..planted(Check::Scale, c) })
}

fn t_pose(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random, start: bool) -> Option<Planted> {
    let c = &mut clips[i];
    let (n, joints, count) = (c.frames(), c.skeleton.len(), 1 + d.below(60));
    let at = if start { 0 } else { n - 1 };
    let mut pose: Vec<Transform> = c.skeleton.rest().to_vec();
    pose[0] = local(c, at, 0);
    let insert = if start { 0 } else { n * joints };
    c.translations.splice(insert..insert, (0..count).flat_map(|_| pose.iter().map(|t| t.translation)));
    c.rotations.splice(insert..insert, (0..count).flat_map(|_| pose.iter().map(|t| t.rotation)));
    c.annotations = Default::default();
    c.looping = false;
    let frames = if start { [0, count - 1] } else { [n, n + count - 1] };
    Some(Planted { frames: Some(frames), restores_m: Some(1e-4), ..planted(Check::Calibration, c) })
}

fn inner(clips: &[RawClip], d: &mut Random) -> usize {
    1 + d.below(clips[0].skeleton.len() - 1)
}

fn flipped(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let j = inner(clips, d);
    let c = &mut clips[i];
    let n = c.frames();
    let length = 4 + d.below((n / 2).min(60));
    let a = 4 + d.below(n.checked_sub(length + 8)?);
    let turn = Quat::from_rotation_vector(axis(d) * d.between(1.3, 3.1));
    let own = sign(d) > 0.0;
    for f in a..a + length {
        let t = local(c, f, j);
        let rotation = if own { t.rotation * turn } else { turn * t.rotation };
        set(c, f, j, Transform::new(t.translation, rotation.normalize()));
    }
    let joint = Some(c.skeleton.names()[j].clone());
    Some(Planted { joint, frames: Some([a, a + length - 1]), restores_m: Some(0.06), ..planted(Check::Flip, c) })
}

fn upsampled(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random, between: bool) -> Option<Planted> {
    if speed(g) < 0.2 {
        return None;
    }
    let k = d.pick(&[2, 2, 3, 4]);
    let c = &mut clips[i];
    let (n, joints) = (c.frames(), c.skeleton.len());
    let from = d.below(k);
    let old = c.clone();
    for f in from..n {
        let a = from + (f - from) / k * k;
        let b = if a + k < n { a + k } else { a };
        let t = if between { (f - a) as f32 / k as f32 } else { 0.0 };
        for j in 0..joints {
            let (x, y) = (local(&old, a, j), local(&old, b, j));
            let new = Transform::new(x.translation.lerp(y.translation, t), x.rotation.slerp(y.rotation, t));
            set(c, f, j, new);
        }
    }
    // With fewer than half of the frames, positions in between are lost; with half, a landing toe is off by 0.1 m.
    let restores = (k == 2 && speed(g) < 2.0).then_some(0.15);
    Some(Planted { restores_m: restores, ..planted(Check::Repeated, c) })
}

fn spike(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    // Joints at the ends of the body only count from 36 degrees on.
    let j = inner(clips, d);
    let c = &mut clips[i];
    let is_end = c.skeleton.children(JointIndex::new(j)).next().is_none();
    let width = 1 + d.below(2);
    let a = 10 + d.below(c.frames().checked_sub(22)?);
    let angle = if is_end { d.between(0.75, 1.4) } else { d.between(0.3, 1.4) };
    let turn = Quat::from_rotation_vector(axis(d) * angle);
    for f in a..a + width {
        let t = local(c, f, j);
        set(c, f, j, Transform::new(t.translation, (t.rotation * turn).normalize()));
    }
    let joint = Some(c.skeleton.names()[j].clone());
    Some(Planted { joint, frames: Some([a, a + width - 1]), restores_m: Some(0.06), ..planted(Check::Spike, c) })
}

/// Simulates a tracker that lost a leg: its rotation is random for a fifth of a second.
fn torn(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let j = c.skeleton.find(d.pick(&["LeftUpLeg", "RightUpLeg", "LeftLeg", "RightLeg"]))?.at();
    let width = 8 + d.below(12);
    let a = 40 + d.below(c.frames().checked_sub(width + 80)?);
    for f in a..a + width {
        let turn = Quat::from_rotation_vector(axis(d) * d.between(1.0, 2.0));
        let t = local(c, f, j);
        set(c, f, j, Transform::new(t.translation, (t.rotation * turn).normalize()));
    }
    Some(Planted { frames: Some([a, a + width - 1]), ..planted(Check::Glitch, c) })
}

fn spike_in_place(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let a = 10 + d.below(c.frames().checked_sub(22)?);
    let mut t = local(c, a, 1);
    t.translation += axis(d) * d.between(0.06, 0.5);
    set(c, a, 1, t);
    let joint = Some("Hips".to_owned());
    Some(Planted { joint, frames: Some([a, a]), restores_m: Some(0.02), ..planted(Check::Spike, c) })
}

fn frozen_body(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let length = 4 + d.below(20);
    let a = 6 + d.below(c.frames().checked_sub(length + 14)?);
    // During motion.
    if g.truth.speed_mps[a - 3..a + length + 4].iter().any(|v| *v < 0.6) {
        return None;
    }
    for f in a + 1..a + length {
        for j in 0..c.skeleton.len() {
            let t = local(c, a, j);
            set(c, f, j, t);
        }
    }
    Some(Planted { frames: Some([a, a + length - 1]), ..planted(Check::Frozen, c) })
}

fn frozen_joint(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let j = inner(clips, d);
    let c = &mut clips[i];
    let length = 9 + d.below(20);
    let a = 6 + d.below(c.frames().checked_sub(length + 14)?);
    // The joint must move before and after the hold.
    if turning(c, j, a - 2, a + 1) < 0.012 || turning(c, j, a + length - 1, a + length + 2) < 0.012 {
        return None;
    }
    let rest = c.skeleton.rest()[j].rotation;
    if local(c, a, j).rotation.angle_between(rest) < 0.02 {
        return None;
    }
    for f in a + 1..a + length {
        let t = local(c, a, j);
        set(c, f, j, t);
    }
    let joint = Some(c.skeleton.names()[j].clone());
    Some(Planted { joint, frames: Some([a, a + length - 1]), ..planted(Check::Frozen, c) })
}

fn stretch(c: &RawClip, d: &mut Random) -> Option<[usize; 2]> {
    let n = c.frames();
    let length = 80 + d.below(n / 3);
    let a = d.below(n.checked_sub(length)?);
    Some([a, a + length - 1])
}

fn trembling(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let j = inner(clips, d);
    let c = &mut clips[i];
    let [a, b] = stretch(c, d)?;
    let size = d.between(0.014, 0.05);
    for f in a..=b {
        let t = local(c, f, j);
        let noise = Vec3::new(d.normal(), d.normal(), d.normal()) * size;
        set(c, f, j, Transform::new(t.translation, (t.rotation * Quat::from_rotation_vector(noise)).normalize()));
    }
    let joint = Some(c.skeleton.names()[j].clone());
    Some(Planted { joint, frames: Some([a, b]), ..planted(Check::Jitter, c) })
}

fn trembling_place(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let [a, b] = stretch(c, d)?;
    let size = d.between(0.004, 0.02);
    for f in a..=b {
        let mut t = local(c, f, 1);
        t.translation += Vec3::new(d.normal(), d.normal(), d.normal()) * size;
        set(c, f, 1, t);
    }
    Some(Planted { joint: Some("Hips".into()), frames: Some([a, b]), ..planted(Check::Jitter, c) })
}

fn swapped(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, which: &str) -> Option<Planted> {
    // Applies to idle and moving clips: the body alone shows the swap.
    let _ = g;
    let c = &mut clips[i];
    let is_leg = |n: &str| ["Leg", "Foot", "Toe"].iter().any(|w| n.contains(w));
    let pairs: Vec<(usize, usize)> = (0..c.skeleton.len())
        .filter_map(|j| {
            let name = &c.skeleton.names()[j];
            let other = c.skeleton.find(&name.replace("Left", "Right"))?.at();
            let wanted = which.is_empty() || (which == "legs") == is_leg(name);
            (other != j && wanted).then_some((j, other))
        })
        .collect();
    for f in 0..c.frames() {
        for (l, r) in &pairs {
            let (a, b) = (local(c, f, *l), local(c, f, *r));
            set(c, f, *l, b);
            set(c, f, *r, a);
        }
    }
    let rest = c.skeleton.rest().to_vec();
    let other = |j: usize| pairs.iter().find_map(|(l, r)| (*l == j).then_some(*r).or((*r == j).then_some(*l)));
    reskin(c, str::to_owned, |j, t| other(j).map_or(t, |o| rest[o]));
    Some(Planted { restores_m: Some(1e-4), ..planted(Check::Sides, c) })
}

fn treadmill(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, _: &mut Random) -> Option<Planted> {
    if speed(g) < 0.7 || steps(g) < 3 || g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    let way: f32 = g.truth.speed_mps.iter().sum::<f32>() / c.rate_hz;
    let start = local(c, 0, 0).translation;
    for f in 0..c.frames() {
        let mut t = local(c, f, 0);
        t.translation = Vec3::new(start.x, t.translation.y, start.z);
        set(c, f, 0, t);
    }
    Some(Planted { restores_m: Some(0.12 * way), ..planted(Check::InPlace, c) })
}

fn root_turned(clips: &mut Vec<RawClip>, i: usize, _: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let yaw = d.pick(&[90.0f32, -90.0, 180.0]).to_radians();
    let turn = Quat::from_rotation_y(yaw);
    for f in 0..c.frames() {
        let (root, hips) = (local(c, f, 0), local(c, f, 1));
        set(c, f, 0, Transform::new(root.translation, (root.rotation * turn).normalize()));
        set(c, f, 1, Transform::new(Vec3::ZERO, turn.inverse()) * hips);
    }
    Some(Planted { restores_m: Some(1e-3), ..planted(Check::Forward, c) })
}

fn way_turned(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if speed(g) < 0.7 || steps(g) < 3 || g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    let turn = Quat::from_rotation_y(d.pick(&[90.0f32, -90.0, 180.0]).to_radians());
    let start = local(c, 0, 0).translation;
    for f in 0..c.frames() {
        let mut t = local(c, f, 0);
        t.translation = start + turn * (t.translation - start);
        set(c, f, 0, t);
    }
    Some(Planted { restores_m: Some(1e-2), ..planted(Check::Forward, c) })
}

fn root_leaves(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if speed(g) < 0.3 {
        return None;
    }
    let c = &mut clips[i];
    let n = c.frames();
    let away = Quat::from_rotation_y(d.between(-3.0, 3.0)) * Vec3::Z * d.between(1.2, 3.0);
    for f in 0..n {
        let (root, hips) = (local(c, f, 0), local(c, f, 1));
        let moved = Transform::new(root.translation + away * (f as f32 / n as f32), root.rotation);
        set(c, f, 1, moved.inverse() * (root * hips));
        set(c, f, 0, moved);
    }
    Some(Planted { restores_m: Some(0.15), ..planted(Check::RootDrift, c) })
}

fn body_drifts(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if steps(g) < 5 || g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    let velocity = Quat::from_rotation_y(d.between(-3.0, 3.0)) * Vec3::Z * d.between(0.08, 0.3);
    let seconds = c.seconds();
    for f in 0..c.frames() {
        let mut t = local(c, f, 0);
        t.translation += velocity * (f as f32 / c.rate_hz);
        set(c, f, 0, t);
    }
    Some(Planted { restores_m: Some(0.025 * seconds), ..planted(Check::RootDrift, c) })
}

fn offset(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    let up = sign(d) * d.between(0.04, 0.5);
    for f in 0..c.frames() {
        let mut t = local(c, f, 0);
        t.translation.y += up;
        set(c, f, 0, t);
    }
    Some(Planted { restores_m: Some(0.015), ..planted(Check::Ground, c) })
}

fn sinking(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if steps(g) < 4 || g.clip.seconds() < 1.8 || g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    let up = sign(d) * d.between(0.04, 0.15);
    for f in 0..c.frames() {
        let mut t = local(c, f, 0);
        t.translation.y += up * f as f32 / c.rate_hz;
        set(c, f, 0, t);
    }
    Some(Planted { restores_m: Some(0.04), ..planted(Check::Ground, c) })
}

/// The body glides while one foot is planted, as on ice.
fn sliding(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    let step = *g.truth.footsteps.get(d.below(g.truth.footsteps.len()))?;
    let frame = |s: f32| (s * c.rate_hz) as usize;
    let (a, b) = (frame(step.start_s.max(0.0)), frame(step.end_s).min(c.frames() - 1));
    let moves = g.truth.speed_mps[a..b].iter().all(|v| *v > 0.8);
    if step.start_s < 0.1 || b < a + 14 || b + 12 > c.frames() || !moves {
        return None;
    }
    let by = Quat::from_rotation_y(d.between(-3.0, 3.0)) * Vec3::Z * d.between(0.2, 0.4);
    for f in a..c.frames() {
        let mut t = local(c, f, 0);
        t.translation += by * smoothstep((f - a) as f32 / (b - a) as f32);
        set(c, f, 0, t);
    }
    let joint = Some(["LeftToe", "RightToe"][step.side.at()].to_owned());
    Some(Planted { joint, frames: Some([a, b]), ..planted(Check::Sliding, c) })
}

fn rate(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, _: &mut Random, k: f32) -> Option<Planted> {
    // A few steps, or shuffling, are not sufficient evidence.
    if speed(g) < 0.9 || steps(g) < 5 || g.truth.root.iter().any(|r| r.translation.y != 0.0) {
        return None;
    }
    let c = &mut clips[i];
    c.rate_hz *= k;
    c.annotations = Default::default();
    Some(Planted { restores_m: Some(1e-4), ..planted(Check::Rate, c) })
}

fn still(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    let name = d.pick(&["LeftArm", "RightForeArm", "LeftUpLeg", "RightLeg", "LeftFoot", "RightArm"]);
    if speed(g) < 0.5 {
        return None;
    }
    let c = &mut clips[i];
    let j = c.skeleton.find(name)?.at();
    let held = local(c, d.below(c.frames()), j);
    for f in 0..c.frames() {
        set(c, f, j, held);
    }
    Some(Planted { joint: Some(name.to_owned()), ..planted(Check::StillJoint, c) })
}

fn open_loop(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    let c = &mut clips[i];
    if !c.looping || speed(g) < 0.4 {
        return None;
    }
    // Cut in the middle of a stride, far from where the cycle would close.
    let n = c.frames();
    let strides = g.truth.footsteps.len().div_ceil(2).max(1);
    let stride = n / strides.max(1);
    let to = n - (stride as f32 * d.between(0.3, 0.6)) as usize;
    keep(c, 0, to);
    c.looping = true;
    Some(planted(Check::OpenLoop, c))
}

fn copy(clips: &mut Vec<RawClip>, i: usize, g: &GaitClip, d: &mut Random) -> Option<Planted> {
    if speed(g) < 0.3 {
        return None;
    }
    let mut twin = clips[i].clone();
    let n = twin.frames();
    // A copy of the whole clip, or of most of it, at another position and with noise of the size of a file's last digits.
    let from = if sign(d) > 0.0 { 0 } else { d.below(n / 4) };
    keep(&mut twin, from, n);
    twin.looping = false;
    twin.name = format!("{}_copy", twin.name);
    let place = Transform::new(Vec3::new(d.between(-3.0, 3.0), 0.0, 2.0), Quat::from_rotation_y(d.between(-3.0, 3.0)));
    for f in 0..twin.frames() {
        let t = place * local(&twin, f, 0);
        set(&mut twin, f, 0, t);
    }
    if twin.seconds() < 1.2 {
        return None;
    }
    let told = planted(Check::Duplicate, &twin);
    clips.push(twin);
    Some(told)
}
