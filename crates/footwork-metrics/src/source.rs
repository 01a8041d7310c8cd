//! The motion capture of a database, measured as the reference for a character's motion.

use crate::RATE_HZ;
use crate::metrics::posture::Posture;
use crate::metrics::{jerk, skate};
use crate::motion::{Motion, SourceFrame, Space, Subject};
use crate::samples::percentile;
use footwork::database::Database;
use footwork::frames::{ClipIndex, JointIndex};
use footwork::matcher::Playing;
use footwork::pose::{Pose, PoseVelocity};
use rayon::prelude::*;

/// One clip at 60 Hz.
#[derive(Clone, Debug)]
pub struct SourceClip {
    /// Its motion.
    pub motion: Motion,
    /// True if its last frame leads back to its first.
    pub looping: bool,
    /// True if it is on level ground, as all courses are, and is played without a request for its tags.
    pub level: bool,
    /// True if default queries exclude it: [`Database::NO_LOCOMOTION`].
    pub aside: bool,
    /// True if the build generated it: it is then no reference for what was captured.
    pub made: bool,
    /// Height of toes in contact, metres.
    pub rest_height_m: f32,
    /// Lowest height of toes, metres.
    pub lowest_height_m: f32,
}

/// All original clips of a database, without mirror images.
#[derive(Clone, Debug)]
pub struct Source {
    /// The joints that the metrics use.
    pub subject: Subject,
    /// `[originals]`.
    pub clips: Vec<SourceClip>,
    /// Changes of velocity in root space.
    pub changes: VelocityChanges,
    /// Changes of velocity in world space.
    pub world_changes: VelocityChanges,
    /// Height of the hips and bend of the knees at each speed.
    pub posture: Posture,
}

/// The largest changes of velocity from one captured frame to the next, on level ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityChanges {
    /// `[joints]` 99.9th percentile, m/s.
    pub p999_mps: Vec<f32>,
    /// `[joints]` maximum, m/s.
    pub max_mps: Vec<f32>,
}

impl VelocityChanges {
    fn of(motions: &[&Motion], joints: usize, space: Space) -> Self {
        let of_joint = |joint: usize| {
            let frames = motions.iter().flat_map(|m| (0..m.frames()).map(move |f| (m, f)));
            let change = |(m, f): (&&Motion, usize)| jerk::velocity_change_mps(m, space, f, JointIndex::new(joint));
            let mut changes: Vec<f32> = frames.filter_map(change).collect();
            if changes.is_empty() {
                return (0.0, 0.0);
            }
            (percentile(&mut changes, 99.9), changes.iter().copied().fold(0.0, f32::max))
        };
        let (p999_mps, max_mps) = (0..joints).into_par_iter().map(of_joint).unzip();
        Self { p999_mps, max_mps }
    }
}

impl Source {
    /// Measures the clips of a database.
    pub fn new(db: &Database) -> Self {
        let subject = Subject::new(db);
        let level = (0..db.originals()).map(|clip| {
            let range = db.clips[clip].frame_range();
            let over = |s: &&footwork::database::TagSpan| s.start.at() < range.end && s.end.at() > range.start;
            !db.tag_spans.iter().filter(over).any(|s| crate::UNEVEN_TAGS.contains(&db.tags[s.tag as usize].as_str()))
        });
        let aside: Vec<bool> = (0..db.originals()).map(|clip| crate::is_aside(db, ClipIndex::new(clip))).collect();
        let level: Vec<bool> = level.zip(&aside).map(|(level, aside)| level && !aside).collect();
        let motions: Vec<Motion> =
            (0..db.originals()).into_par_iter().map(|clip| clip_motion(db, &subject, ClipIndex::new(clip))).collect();
        let heights = |of: fn(&Motion, &[JointIndex]) -> Option<f32>| {
            let known: Vec<Option<f32>> = motions.iter().map(|m| of(m, &subject.contact_joints)).collect();
            let mut found: Vec<f32> = known.iter().copied().flatten().collect();
            // For a clip without contacts, the median of the other clips is used.
            let usual = if found.is_empty() { 0.0 } else { percentile(&mut found, 50.0) };
            known.into_iter().map(move |h| h.unwrap_or(usual)).collect::<Vec<f32>>()
        };
        let (rest, lowest) = (heights(skate::rest_height_m), heights(skate::lowest_height_m));
        let made: Vec<bool> = (0..db.originals()).map(|clip| db.is_made(&db.clips[clip])).collect();
        let captured: Vec<&Motion> =
            motions.iter().enumerate().filter(|(i, _)| level[*i] && !made[*i]).map(|(_, motion)| motion).collect();
        let changes = |space| VelocityChanges::of(&captured, db.skeleton.len(), space);
        let (changes, world_changes) = (changes(Space::Root), changes(Space::World));
        let posture = Posture::of(&captured, &subject);
        let clips = motions.into_iter().enumerate().map(|(i, motion)| SourceClip {
            motion,
            looping: db.clips[i].looping(),
            level: level[i],
            aside: aside[i],
            made: made[i],
            rest_height_m: rest[i],
            lowest_height_m: lowest[i],
        });
        Self { clips: clips.collect(), subject, changes, world_changes, posture }
    }

    /// Returns the number of frames at 60 Hz of all clips that default queries play.
    pub fn frames(&self) -> usize {
        self.clips.iter().filter(|c| !c.aside).map(|c| c.motion.frames()).sum()
    }

    /// Returns the change of velocity of a character's joint in a frame of the source, m/s; `None` near the start of a clip,
    /// and in a made clip.
    pub fn velocity_change_mps(&self, playing: SourceFrame, joint: JointIndex) -> Option<f32> {
        let joint = if playing.mirrored { self.subject.mirror_joints[joint.at()] } else { joint };
        let clip = Some(&self.clips[playing.clip.at()]).filter(|clip| !clip.made)?;
        jerk::velocity_change_mps(&clip.motion, Space::Root, playing.frame, joint)
    }

    /// Returns, for `[joints]`, the 99.9th percentile of the joint's change of velocity over the captured frames that were
    /// played, m/s. A frame counts as often as it was played.
    pub fn velocity_change_p999_of_mps(&self, played: &[SourceFrame]) -> Vec<f32> {
        let of_joint = |joint: usize| {
            let joint = JointIndex::new(joint);
            let mut changes: Vec<f32> =
                played.iter().filter_map(|playing| self.velocity_change_mps(*playing, joint)).collect();
            if changes.is_empty() { 0.0 } else { percentile(&mut changes, 99.9) }
        };
        (0..self.changes.p999_mps.len()).into_par_iter().map(of_joint).collect()
    }

    /// Returns the frame nearest to the playback position.
    pub fn frame(&self, playing: &Playing) -> SourceFrame {
        let clip = playing.clip.at() % self.clips.len();
        let frames = self.clips[clip].motion.frames();
        let frame = (playing.time_s.max(0.0) * f64::from(RATE_HZ)).round() as usize;
        SourceFrame {
            clip: ClipIndex::new(clip),
            // A loop repeats; a non-looping clip stays at its last frame.
            frame: if self.clips[clip].looping { frame % frames } else { frame.min(frames - 1) },
            mirrored: playing.mirrored || playing.clip.at() >= self.clips.len(),
        }
    }
}

/// Returns a clip, sampled at 60 Hz.
fn clip_motion(db: &Database, subject: &Subject, clip: ClipIndex) -> Motion {
    let view = db.view(clip, false);
    let mut motion = Motion::new(db.skeleton.len());
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
    let (mut contacts, mut world) = (vec![0; subject.contact_joints.len()], Vec::new());
    // The last frame of a loop does not repeat its first one.
    let frames = (view.seconds() * f64::from(RATE_HZ) + 1e-3) as usize + usize::from(view.loop_delta.is_none());
    for frame in 0..frames.max(1) {
        let time_s = frame as f64 / f64::from(RATE_HZ);
        view.sample(time_s, &mut pose, &mut velocity);
        db.contacts_at(clip, false, time_s, &mut contacts);
        pose.world(&db.skeleton, &mut world);
        motion.push(subject, &world, &contacts, SourceFrame { clip, frame, mirrored: false });
    }
    motion
}
