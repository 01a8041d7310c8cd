//! Clip of a script, with its ground truth.

use super::base::SAMPLE_HZ;
use super::script::{Exit, Object, Script};
use super::stage::{Posed, Stage};
use crate::action_truth::{ActionContact, ActionObstacle, ActionPhases, ActionTruth};
use crate::body::{ANKLE_M, FOOT_M, Side, TOE_HEIGHT_M, joint, offset};
use crate::options::GaitOptions;
use crate::synth::{empty, push_pose};
use crate::truth::{Footstep, GaitClip, GaitTruth, annotate_action};
use footwork::math::{Facing, Quat, Transform};
use glam::Vec3;

/// Returns the clip of a script.
pub(super) fn perform(script: &Script, options: &GaitOptions) -> GaitClip {
    let stage = Stage::new(script);
    let feet = stage.feet();
    let lead = if script.approach.shown { script.approach.seconds } else { 0.0 };
    let (early, late) = ((lead * SAMPLE_HZ + 0.5) as i32, (script.after_s * SAMPLE_HZ + 0.5) as i32);
    let poses: Vec<Posed> = (-early..=stage.samples + late + 1).map(|i| stage.pose(&feet, i)).collect();
    // The root begins at the origin, facing +Z.
    let first = poses[0].root;
    let clip_from_script = {
        let back = first.rotation.inverse();
        Transform::new(back * -first.translation, back)
    };
    let seconds = (early + stage.samples + late) as f32 / SAMPLE_HZ;
    let frames = (seconds * options.rate_hz + 1e-3) as usize + 1;
    let mut clip = empty(&script.name, options.rate_hz);
    for f in 0..frames {
        let (root, hips, local) = shown(&poses, f as f32 / options.rate_hz);
        let mut translations: [Vec3; joint::COUNT] = std::array::from_fn(offset);
        translations[joint::ROOT] = clip_from_script.point(root.translation);
        translations[joint::HIPS] = hips;
        let mut local = local;
        local[joint::ROOT] = clip_from_script.rotation * root.rotation;
        push_pose(&mut clip, translations, local);
    }
    let root: Vec<Transform> = (0..frames)
        .map(|f| f * joint::COUNT)
        .map(|j| Transform::new(clip.translations[j], clip.rotations[j]))
        .collect();
    let nearest = |f: usize| &poses[((f as f32 / options.rate_hz * SAMPLE_HZ + 0.5) as usize).min(poses.len() - 1)];
    let velocity = |f: usize| {
        let (a, b) = (f.saturating_sub(1), (f + 1).min(frames - 1));
        let way = root[b].translation - root[a].translation;
        Vec3::new(way.x, 0.0, way.z) * (options.rate_hz / (b - a).max(1) as f32)
    };
    let mut heading = Facing::from_rotation(root[0].rotation);
    let headings = (0..frames)
        .map(|f| {
            let v = velocity(f);
            if v.length() > 0.05 {
                heading = Facing::from_direction(v).unwrap_or(heading);
            }
            heading
        })
        .collect();
    let truth = GaitTruth {
        speed_mps: (0..frames).map(|f| velocity(f).length()).collect(),
        heading: headings,
        contacts: (0..frames).map(|f| nearest(f).feet.map(|s| s.planted)).collect(),
        touching: (0..frames).map(|f| nearest(f).feet.map(|s| s.loaded)).collect(),
        footsteps: footsteps(&poses, clip_from_script, seconds),
        crouch: vec![0.0; frames],
        action: Some(truth(script, &stage, &poses, clip_from_script, frames, options)),
        root,
    };
    annotate_action(&mut clip, &truth, script.kind.tag());
    GaitClip { clip, truth }
}

/// Returns the pose at a time, interpolated between samples.
fn shown(poses: &[Posed], t: f32) -> (Transform, Vec3, [Quat; joint::COUNT]) {
    let x = t * SAMPLE_HZ;
    let i = ((x + 1e-3) as usize).min(poses.len() - 2);
    let (a, b, u) = (&poses[i], &poses[i + 1], x - i as f32);
    if u < 1e-3 {
        return (a.root, a.hips, a.local);
    }
    let mix = |a: Vec3, b: Vec3| a + (b - a) * u;
    let turn = |a: Quat, b: Quat| a.slerp(b.towards(a), u);
    let root = Transform::new(mix(a.root.translation, b.root.translation), turn(a.root.rotation, b.root.rotation));
    (root, mix(a.hips, b.hips), std::array::from_fn(|j| turn(a.local[j], b.local[j])))
}

/// Returns the footsteps: periods in which toes are planted.
fn footsteps(poses: &[Posed], clip_from_script: Transform, seconds: f32) -> Vec<Footstep> {
    let mut out = Vec::new();
    for side in Side::BOTH {
        let planted = |i: usize| poses[i].feet[side.at()].planted;
        let mut i = 0;
        while i < poses.len() {
            if !planted(i) {
                i += 1;
                continue;
            }
            let end = (i..poses.len()).find(|k| !planted(*k)).unwrap_or(poses.len());
            let foot = &poses[(i + end) / 2].feet[side.at()];
            let turn = Quat::from_rotation_y(foot.yaw) * Quat::from_rotation_x(foot.pitch);
            let toe = foot.ankle + turn * Vec3::new(0.0, TOE_HEIGHT_M - ANKLE_M, FOOT_M) - Vec3::Y * TOE_HEIGHT_M;
            // A step that began before the clip starts before its first frame.
            let start_s = if i == 0 { -1.0 / SAMPLE_HZ } else { i as f32 / SAMPLE_HZ };
            out.push(Footstep {
                side,
                position: clip_from_script.point(toe),
                yaw: foot.yaw + Facing::from_rotation(clip_from_script.rotation).yaw(),
                start_s,
                end_s: (end as f32 / SAMPLE_HZ).min(seconds),
            });
            i = end;
        }
    }
    out
}

fn truth(
    script: &Script,
    stage: &Stage<'_>,
    poses: &[Posed],
    clip_from_script: Transform,
    frames: usize,
    options: &GaitOptions,
) -> ActionTruth {
    let lead = if script.approach.shown { script.approach.seconds } else { 0.0 };
    let turn = Facing::from_rotation(clip_from_script.rotation).yaw();
    let mut contacts: Vec<ActionContact> = script
        .holds
        .iter()
        .map(|h| ActionContact {
            joint: [joint::LEFT_HAND, joint::RIGHT_HAND][h.side.at()],
            begin_s: h.from_s + lead,
            end_s: h.still_s + lead,
            position: clip_from_script.point(h.at),
            facing_yaw: h.facing + turn,
        })
        .collect();
    let last_s = (frames - 1) as f32 / options.rate_hz;
    for (from, to, joint, yaw) in &script.touches {
        let middle = (((from + to) * 0.5 + lead) * SAMPLE_HZ + 0.5) as usize;
        let pose = &poses[middle];
        // A foot touches for as long as its toes are planted.
        let side = [joint::LEFT_TOE, joint::RIGHT_TOE].iter().position(|toe| toe == joint);
        let until =
            side.map(|side| (middle..poses.len()).find(|k| !poses[*k].feet[side].planted).unwrap_or(poses.len()) - 1);
        contacts.push(ActionContact {
            joint: *joint,
            begin_s: from + lead,
            end_s: until.map_or(to + lead, |k| (k as f32 / SAMPLE_HZ).min(last_s)),
            position: clip_from_script.point(place(pose, *joint)),
            facing_yaw: yaw + turn,
        });
    }
    contacts.sort_by(|a, b| a.begin_s.total_cmp(&b.begin_s));
    let [wind_up_s, action_s, follow_through_s, recovery_s] = script.phases.map(|t| t + lead);
    let end_s = match script.exit {
        Exit::Hold => lead + script.seconds,
        _ => lead + stage.samples as f32 / SAMPLE_HZ,
    };
    let object = |o: Object, t: f32| match o {
        Object::Pushed { at, hold } => {
            let h = &script.holds[hold];
            Transform::new(at + h.wrist(t) - h.at, Quat::IDENTITY)
        }
        Object::Taken { at, hold } => {
            let h = &script.holds[hold];
            let pose = &poses[(((t.max(h.from_s) + lead) * SAMPLE_HZ + 0.5) as usize).min(poses.len() - 1)];
            Transform::new(at + place(pose, [joint::LEFT_HAND, joint::RIGHT_HAND][h.side.at()]) - h.at, Quat::IDENTITY)
        }
        Object::Stands { at, yaw } => Transform::new(at, Quat::from_rotation_y(yaw)),
    };
    let moved =
        |t: Transform| Transform::new(clip_from_script.point(t.translation), clip_from_script.rotation * t.rotation);
    let object = script
        .object
        .map_or_else(Vec::new, |o| (0..frames).map(|f| moved(object(o, f as f32 / options.rate_hz - lead))).collect());
    ActionTruth {
        kind: script.kind,
        phases: ActionPhases { wind_up_s, action_s, follow_through_s, recovery_s, end_s },
        contacts,
        take_off_s: script.flight.map(|f| f[0] + lead),
        landing_s: script.flight.map(|f| f[1] + lead),
        obstacle: script.obstacle.map(|o| ActionObstacle {
            front: clip_from_script.point(o.front),
            yaw: o.yaw + turn,
            ..o
        }),
        object,
    }
}

/// Returns the position of the hips, a toe or a hand in a pose.
fn place(pose: &Posed, joint: usize) -> Vec3 {
    let chain: &[usize] = match joint {
        joint::HIPS => &[],
        joint::LEFT_HAND => &[10, 11, 12, 15, 16, 17, 18],
        joint::RIGHT_HAND => &[10, 11, 12, 19, 20, 21, 22],
        joint::LEFT_TOE => &[joint::LEFT_UP_LEG, joint::LEFT_LEG, joint::LEFT_FOOT, joint::LEFT_TOE],
        _ => &[joint::RIGHT_UP_LEG, joint::RIGHT_LEG, joint::RIGHT_FOOT, joint::RIGHT_TOE],
    };
    let mut at = Transform::new(pose.root.point(pose.hips), pose.root.rotation * pose.local[joint::HIPS]);
    for j in chain {
        at = Transform::new(at.point(offset(*j)), at.rotation * pose.local[*j]);
    }
    at.translation
}
