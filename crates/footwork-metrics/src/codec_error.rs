//! Errors of encoded poses against captured ones.

use footwork::advanced::motion::PosePool;
use footwork::database::Database;
use footwork::frames::{FrameIndex, JointIndex};
use footwork::prelude::Transform;
use glam::Vec3;

/// Distance from a joint at which errors are measured, in metres.
const OFF_M: f32 = 0.03;

/// Reason why two databases cannot be compared: what was expected of the second one, and what was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the source: expected {expected}, found {found}; give the configuration of the build with --config")]
pub struct OtherSource {
    expected: String,
    found: String,
}

/// Errors of the poses of a database, in millimetres, of every joint in every frame: of the point, of three that are 3 cm off the joint along
/// its axes, that is farthest from its place.
#[derive(Clone, Debug, PartialEq)]
pub struct CodecError {
    /// Mean.
    pub mean_mm: f64,
    /// 99th percentile.
    pub p99_mm: f64,
    /// Largest.
    pub max_mm: f64,
    /// Clip of the largest error.
    pub clip: String,
    /// Time of the largest error in its clip, in seconds.
    pub time_s: f64,
    /// Joint of the largest error.
    pub joint: String,
    /// Largest displacement over the ground of a contact joint within a contact, beyond that of the captured poses.
    pub slide_mm: f64,
}

impl CodecError {
    /// Compares the poses of a database with those of another one, built of the same clips with the same settings but without a
    /// codec.
    ///
    /// # Errors
    /// Returns [`OtherSource`] if the databases have other clips, frames or joints.
    pub fn of(database: &Database, captured: &Database) -> Result<Self, OtherSource> {
        same(database, captured)?;
        let (joints, contacts) = (database.skeleton.len(), database.rig.contact_joints.len());
        let mut errors = Vec::with_capacity(database.frames() * joints);
        let mut slide_m = 0.0f32;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for clip in &database.clips[..database.originals()] {
            // Error of each contact joint where it touched down.
            let mut down = vec![None; contacts];
            for f in clip.frame_range() {
                let from = captured.poses.root(f).translation;
                place(database, &database.poses, f, from, &mut a);
                place(captured, &captured.poses, f, from, &mut b);
                errors.extend(a.iter().zip(&b).map(|(a, b)| off(a, b)));
                for (slot, down) in down.iter_mut().enumerate() {
                    let joint = database.rig.contact_joints[slot].at();
                    let moved = (a[joint].translation - b[joint].translation) * Vec3::new(1.0, 0.0, 1.0);
                    if database.contacts[f * contacts + slot] == 1 {
                        slide_m = slide_m.max((moved - *down.get_or_insert(moved)).length());
                    } else {
                        *down = None;
                    }
                }
            }
        }
        let worst = (0..errors.len()).fold(0, |worst, i| if errors[i] > errors[worst] { i } else { worst });
        let clip = &database.clips[database.clip_of_frame(FrameIndex::new(worst / joints)).at()];
        let (frame, joint) = (worst / joints - clip.first_frame as usize, JointIndex::new(worst % joints));
        let mm = |m: f32| f64::from(m) * 1000.0;
        let (max_mm, mean_mm) = (mm(errors[worst]), errors.iter().map(|e| mm(*e)).sum::<f64>() / errors.len() as f64);
        let at = (errors.len() - 1) * 99 / 100;
        let p99_mm = mm(*errors.select_nth_unstable_by(at, f32::total_cmp).1);
        Ok(Self {
            mean_mm,
            p99_mm,
            max_mm,
            clip: clip.name.clone(),
            time_s: frame as f64 / f64::from(database.pose_rate_hz),
            joint: database.skeleton.name(joint).to_owned(),
            slide_mm: mm(slide_m),
        })
    }
}

fn same(database: &Database, captured: &Database) -> Result<(), OtherSource> {
    let check = |same: bool, expected: String, found: String| {
        if same { Ok(()) } else { Err(OtherSource { expected, found }) }
    };
    let clips = |db: &Database| {
        db.clips[..db.originals()]
            .iter()
            .map(|c| format!("clip `{}` of {} frames", c.name, c.frames))
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (clips(database), clips(captured));
    for (expected, found) in ours.iter().zip(&theirs) {
        check(expected == found, expected.clone(), found.clone())?;
    }
    let (ours, theirs) = (ours.len(), theirs.len());
    check(ours == theirs, format!("{ours} clips"), theirs.to_string())?;
    let (ours, theirs) = (database.skeleton.len(), captured.skeleton.len());
    check(
        database.skeleton == captured.skeleton,
        format!("the skeleton of the database of {ours} joints"),
        format!("another one of {theirs}"),
    )
}

/// Writes the places of all joints in a frame, in the axes of the clip, relative to `from`.
fn place(db: &Database, poses: &PosePool, frame: usize, from: Vec3, out: &mut Vec<Transform>) {
    out.clear();
    let width = poses.translated.len();
    for j in 0..poses.joints {
        let moving = poses.translated.iter().position(|t| t.at() == j);
        let at = moving.map_or(db.skeleton.rest()[j].translation, |k| poses.translations[frame * width + k]);
        let rotation = poses.rotations[frame * poses.joints + j];
        let parent = db.skeleton.parents()[j];
        let local = Transform::new(if parent.is_none() { at - from } else { at }, rotation);
        out.push(parent.map_or(local, |p| out[p.at()] * local));
    }
}

fn off(a: &Transform, b: &Transform) -> f32 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * OFF_M);
    axes.map(|p| (a.translation + a.rotation * p - (b.translation + b.rotation * p)).length())
        .into_iter()
        .fold(0.0, f32::max)
}
