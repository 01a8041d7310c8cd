//! The motion capture of a database, measured as the reference for a character's motion.

use crate::RATE_HZ;
use crate::metrics::posture::Posture;
use crate::metrics::{jerk, skate};
use crate::motion::{Motion, SourceFrame, Space, Subject};
use crate::samples::percentile_or_zero;
use footwork::database::{Database, MirrorMode};
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

/// Instants within a frame, in frames, from which clips are sampled again for the largest changes of velocity.
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];

/// The largest changes of velocity from one captured frame to the next, on level ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityChanges {
    /// `[joints]` 99.9th percentile, m/s.
    pub p999_mps: Vec<f32>,
    /// `[joints]` maximum, m/s.
    pub max_mps: Vec<f32>,
}

impl VelocityChanges {
    /// Measures clips that are sampled from their start, and again from later instants within their first frame. The percentile is
    /// that of the first ones. The maximum is that of all of them: a clip that is played between its frames is no jump. `mirror`:
    /// the counterparts of joints, if mirror images are played; the maximum is that of both.
    fn of(motions: &[&Motion], between: &[Motion], mirror: Option<&[JointIndex]>, joints: usize, space: Space) -> Self {
        let changes = |motions: &[&Motion], joint: usize| -> Vec<f32> {
            let frames = motions.iter().flat_map(|m| (0..m.frames()).map(move |f| (m, f)));
            frames.filter_map(|(m, f)| jerk::velocity_change_mps(m, space, f, JointIndex::new(joint))).collect()
        };
        let between: Vec<&Motion> = between.iter().collect();
        let of_joint = |joint: usize| {
            let mut whole = changes(motions, joint);
            let max = whole.iter().copied().chain(changes(&between, joint)).fold(0.0, f32::max);
            (percentile_or_zero(&mut whole, 99.9), max)
        };
        let (p999_mps, own_mps): (Vec<f32>, Vec<f32>) = (0..joints).into_par_iter().map(of_joint).unzip();
        let of_both = |(joint, own): (usize, &f32)| mirror.map_or(*own, |mirror| own.max(own_mps[mirror[joint].at()]));
        let max_mps = own_mps.iter().enumerate().map(of_both).collect();
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
        let motions: Vec<Motion> = (0..db.originals())
            .into_par_iter()
            .map(|clip| clip_motion(db, &subject, ClipIndex::new(clip), 0.0))
            .collect();
        let heights = |of: fn(&Motion, &[JointIndex]) -> Option<f32>| {
            let known: Vec<Option<f32>> = motions.iter().map(|m| of(m, &subject.contact_joints)).collect();
            let mut found: Vec<f32> = known.iter().copied().flatten().collect();
            // For a clip without contacts, the median of the other clips is used.
            let usual = percentile_or_zero(&mut found, 50.0);
            known.into_iter().map(move |h| h.unwrap_or(usual)).collect::<Vec<f32>>()
        };
        let (rest, lowest) = (heights(skate::rest_height_m), heights(skate::lowest_height_m));
        let made: Vec<bool> = (0..db.originals()).map(|clip| db.is_made(&db.clips[clip])).collect();
        let captured: Vec<&Motion> =
            motions.iter().enumerate().filter(|(i, _)| level[*i] && !made[*i]).map(|(_, motion)| motion).collect();
        let again: Vec<(usize, f64)> = (0..db.originals())
            .filter(|clip| level[*clip] && !made[*clip])
            .flat_map(|clip| BETWEEN.map(|frames| (clip, frames)))
            .collect();
        let between: Vec<Motion> = again
            .into_par_iter()
            .map(|(clip, frames)| clip_motion(db, &subject, ClipIndex::new(clip), frames / f64::from(RATE_HZ)))
            .collect();
        let mirror = (db.mirror != MirrorMode::Off).then_some(subject.mirror_joints.as_slice());
        let changes = |space| VelocityChanges::of(&captured, &between, mirror, db.skeleton.len(), space);
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
            percentile_or_zero(&mut changes, 99.9)
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

/// Returns a clip, sampled at 60 Hz from a time on, in seconds.
fn clip_motion(db: &Database, subject: &Subject, clip: ClipIndex, from_s: f64) -> Motion {
    let view = db.view(clip, false);
    let mut motion = Motion::new(db.skeleton.len());
    let (mut pose, mut velocity) = (Pose::rest(&db.skeleton), PoseVelocity::zero(db.skeleton.len()));
    let (mut contacts, mut world) = (vec![0; subject.contact_joints.len()], Vec::new());
    // The last frame of a loop does not repeat its first one.
    let looping = usize::from(view.loop_delta.is_some());
    let frames = ((view.seconds() - from_s) * f64::from(RATE_HZ) + 1.0 + 1e-3) as usize - looping;
    for frame in 0..frames.max(1) {
        let time_s = from_s + frame as f64 / f64::from(RATE_HZ);
        view.sample(time_s, &mut pose, &mut velocity);
        db.contacts_at(clip, false, time_s, &mut contacts);
        pose.world(&db.skeleton, &mut world);
        motion.push(subject, &world, &contacts, SourceFrame { clip, frame, mirrored: false });
    }
    motion
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::tests::moving;
    use footwork::math::Transform;
    use glam::Vec3;

    #[test]
    fn the_largest_change_is_found_between_frames_and_on_either_side() {
        // The toe starts to move at 3 m/s, a quarter of a frame after the tenth.
        let kink_s = 10.25 / RATE_HZ;
        let of =
            |from_s: f32| moving(30, |_| Transform::IDENTITY, |t| Vec3::X * (3.0 * (t + from_s - kink_s).max(0.0)));
        let (whole, between) = (of(0.0), BETWEEN.map(|frames| of(frames as f32 / RATE_HZ)));
        let max = |between: &[Motion], mirror: Option<&[JointIndex]>| {
            VelocityChanges::of(&[&whole], between, mirror, whole.joints, Space::World).max_mps
        };
        assert!((max(&[], None)[1] - 2.25).abs() < 1e-3);
        assert!((max(&between, None)[1] - 3.0).abs() < 1e-3);
        assert_eq!(max(&between, None)[0], 0.0);
        let mirror = [JointIndex(1), JointIndex(0)];
        assert!((max(&between, Some(&mirror))[0] - 3.0).abs() < 1e-3);
    }
}
