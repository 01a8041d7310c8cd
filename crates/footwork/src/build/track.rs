//! A clip during the build: at the pose rate, all joints in local space, `f32`, in its own array.

use super::BuildConfig;
use super::loops::Round;
use crate::clip::{Annotations, ContactTrack, RawClip};
use crate::math::{Quat, Transform};
use crate::motion::{Hermite, cubic, cubic_rotation};
use crate::pose::Pose;
use crate::skeleton::Skeleton;
use glam::Vec3;

/// See [`BuildConfig::MIN_CLIP_S`].
pub const MIN_CLIP_S: f32 = BuildConfig::MIN_CLIP_S;

/// Frames of one clip, `[frames x joints]`.
#[derive(Clone, Debug)]
pub struct Track {
    pub name: String,
    pub rate_hz: f32,
    pub looping: bool,
    pub joints: usize,
    pub translations: Vec<Vec3>,
    pub rotations: Vec<Quat>,
    pub annotations: Annotations,
    /// Displacement and turn of one cycle in the source; `None` for non-looping clips.
    pub round: Option<Round>,
    pub loop_delta: Option<Transform>,
    pub source_start_s: f32,
}

impl Track {
    pub fn frames(&self) -> usize {
        self.rotations.len() / self.joints
    }

    pub fn local(&self, frame: usize, joint: usize) -> Transform {
        let i = frame * self.joints + joint;
        Transform::new(self.translations[i], self.rotations[i])
    }

    /// For a loop: returns the transform that turns frame `k` of joint 0 into frame `k + frames`.
    pub fn round_in_world(&self) -> Option<Transform> {
        let first = self.local(0, 0);
        self.loop_delta.map(|delta| first * delta * first.inverse())
    }

    /// Returns joint 0 in a frame, which may lie in a later cycle of a loop.
    pub fn root_ahead(&self, frame: usize) -> Transform {
        let (rounds, inside) = (frame / self.frames(), frame % self.frames());
        let round = self.round_in_world().unwrap_or(Transform::IDENTITY);
        (0..rounds).fold(self.local(inside, 0), |root, _| round * root)
    }

    /// Returns the number of frames that are followed by at least `frames` others: all frames of a loop.
    pub fn starts_before(&self, frames: usize) -> usize {
        if self.loop_delta.is_some() { self.frames() } else { self.frames().saturating_sub(frames) }
    }

    /// Writes the world transforms of all joints in a frame.
    pub fn world(&self, skeleton: &Skeleton, frame: usize, world: &mut Vec<Transform>) {
        skeleton.place(|j| self.local(frame, j), world);
    }

    /// Returns a frame as a pose.
    pub fn pose(&self, frame: usize) -> Pose {
        let frame = frame * self.joints..(frame + 1) * self.joints;
        Pose { translations: self.translations[frame.clone()].to_vec(), rotations: self.rotations[frame].to_vec() }
    }

    /// Returns the world transform of one joint. Only its ancestors are evaluated.
    pub fn joint_world(&self, skeleton: &Skeleton, frame: usize, joint: usize) -> Transform {
        let mut t = self.local(frame, joint);
        let mut parent = skeleton.parents()[joint];
        while let Some(p) = parent {
            t = self.local(frame, p.at()) * t;
            parent = skeleton.parents()[p.at()];
        }
        t
    }

    /// Returns the clip at another rate: cubic between the source's frames, exact at common times. `round`: for loops.
    pub fn resample(clip: RawClip, round: Option<Round>, rate_hz: f32) -> Self {
        let joints = clip.skeleton.len();
        let n = clip.frames();
        let step = f64::from(clip.rate_hz) / f64::from(rate_hz);
        let (translations, rotations, annotations);
        if (step - 1.0).abs() > 1e-6 {
            // A loop ends just before its first frame repeats.
            let span = if clip.looping { n as f64 } else { (n - 1) as f64 };
            // Even the shortest clip keeps one frame.
            let frames = if clip.looping { (span / step).round().max(1.0) } else { (span / step + 1e-6).floor() + 1.0 };
            let frames = frames as usize;
            let at = |k: usize| k as f64 * step;
            let sampled = (0..frames).flat_map(|k| (0..joints).map(move |j| (k, j)));
            (translations, rotations) = sampled
                .map(|(k, j)| sample(&clip, round.as_ref(), at(k), j))
                .map(|t| (t.translation, t.rotation))
                .unzip();
            let on = |c: &ContactTrack, k: usize| match at(k).round() as usize {
                beyond if beyond >= n => c.on[if clip.looping { beyond % n } else { n - 1 }],
                inside => c.on[inside],
            };
            let contacts = clip.annotations.contacts.iter();
            let contacts = contacts
                .map(|c| ContactTrack { joint: c.joint.clone(), on: (0..frames).map(|k| on(c, k)).collect() })
                .collect();
            annotations = Annotations { contacts, ..clip.annotations };
        } else {
            (translations, rotations, annotations) = (clip.translations, clip.rotations, clip.annotations);
        }
        let mut track = Self {
            name: clip.name,
            rate_hz,
            looping: clip.looping,
            joints,
            translations,
            rotations,
            annotations,
            round,
            loop_delta: None,
            source_start_s: 0.0,
        };
        track.align_signs();
        track
    }

    /// Normalises the rotations and aligns the signs of neighbouring frames.
    fn align_signs(&mut self) {
        for i in 0..self.rotations.len() {
            let q = self.rotations[i].normalize();
            self.rotations[i] = if i < self.joints { q } else { q.towards(self.rotations[i - self.joints]) };
        }
    }

    /// Returns frames `start..end` as a separate clip.
    pub fn cut(&self, start: usize, end: usize, name: String) -> Self {
        let j = self.joints;
        let mut part = Self {
            name,
            looping: self.looping && start == 0 && end == self.frames(),
            translations: self.translations[start * j..end * j].to_vec(),
            rotations: self.rotations[start * j..end * j].to_vec(),
            source_start_s: self.source_start_s + start as f32 / self.rate_hz,
            ..self.clone_shell()
        };
        part.annotations.cut(start..end, self.rate_hz);
        part
    }

    fn clone_shell(&self) -> Self {
        Self {
            name: String::new(),
            rate_hz: self.rate_hz,
            looping: false,
            joints: self.joints,
            translations: Vec::new(),
            rotations: Vec::new(),
            annotations: self.annotations.clone(),
            round: None,
            loop_delta: None,
            source_start_s: self.source_start_s,
        }
    }

    /// Returns the reason why a clip is too short for transitions; `None` if it is long enough.
    pub fn too_short(&self) -> Option<String> {
        let seconds = (self.frames().saturating_sub(1)) as f32 / self.rate_hz;
        if self.frames() < 2 {
            return Some(format!("has {} frame(s)", self.frames()));
        }
        (self.loop_delta.is_none() && seconds < MIN_CLIP_S)
            .then(|| format!("lasts {seconds:.2} s; without a loop at least {MIN_CLIP_S} s are needed"))
    }
}

/// Samples one joint at a fractional frame of the source, with the same cubic as playback. Beyond a loop's ends, the joint
/// that moves the body is offset by one cycle.
fn sample(clip: &RawClip, round: Option<&Round>, x: f64, joint: usize) -> Transform {
    let (joints, n) = (clip.skeleton.len(), clip.frames() as i64);
    let i = x.floor() as i64;
    let near_whole = 1e-6;
    let (i, alpha) = match (x - i as f64) as f32 {
        a if a < near_whole => (i, 0.0),
        a if a > 1.0 - near_whole => (i + 1, 0.0),
        a => (i, a),
    };
    let get = |k: i64| {
        let inside = if clip.looping { k.rem_euclid(n) } else { k };
        if !(0..n).contains(&inside) {
            return None;
        }
        let at = inside as usize * joints + joint;
        let local = Transform::new(clip.translations[at], clip.rotations[at]);
        match round.filter(|r| r.joint == joint) {
            Some(r) if k >= n => Some(r.in_parent * local),
            Some(r) if k < 0 => Some(r.in_parent.inverse() * local),
            // The displacement of a cycle is unknown.
            None if k != inside && joint == 0 => None,
            _ => Some(local),
        }
    };
    let at = get(i).unwrap_or(Transform::new(clip.translations[joint], clip.rotations[joint]));
    let neighbors = [get(i - 1), get(i + 1), get(i + 2)];
    let [p0, p2, p3] = neighbors.map(|t| t.map(|t| t.translation));
    let [q0, q2, q3] = neighbors.map(|t| t.map(|t| t.rotation));
    let weights = Hermite::at(alpha);
    let (p, _) = cubic(p0, at.translation, p2, p3, &weights);
    let (q, _) = cubic_rotation(q0, at.rotation, q2, q3, &weights);
    Transform::new(p, q)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::clip::{ClipEvent, CostRange, TagRange, TimeRange};
    use crate::frames::JointIndex;

    /// Returns a clip with two joints: one walks along +Z at 1 m/s and turns, the other swings.
    pub fn raw(frames: usize, rate_hz: f32) -> RawClip {
        let skeleton = Skeleton::new(
            vec!["Root".into(), "Hips".into()],
            vec![None, Some(JointIndex(0))],
            vec![Transform::IDENTITY, Transform::new(Vec3::Y, Quat::IDENTITY)],
        )
        .unwrap();
        let mut clip = RawClip {
            name: "c".into(),
            source: "test".into(),
            skeleton,
            rate_hz,
            looping: false,
            translations: Vec::new(),
            rotations: Vec::new(),
            annotations: Annotations::default(),
        };
        for f in 0..frames {
            let t = f as f32 / rate_hz;
            clip.translations.extend([Vec3::new(0.0, 0.0, t), Vec3::Y]);
            clip.rotations.extend([Quat::from_rotation_y(0.5 * t), Quat::from_rotation_x(crate::math::sin(3.0 * t))]);
        }
        clip
    }

    #[test]
    fn resampling_meets_the_source_where_frames_coincide_and_the_curve_between() {
        let clip = raw(61, 30.0);
        let track = Track::resample(clip.clone(), None, 60.0);
        assert_eq!(track.frames(), 121);
        for f in 0..121 {
            let t = f as f32 / 60.0;
            let expected = Quat::from_rotation_x(crate::math::sin(3.0 * t));
            let limit = if f % 2 == 0 { 2e-3 } else { 3e-3 };
            assert!(track.rotations[f * 2 + 1].angle_between(expected) < limit, "{f}");
            assert!((track.translations[f * 2].z - t).abs() < 1e-4);
        }
        assert_eq!(Track::resample(clip.clone(), None, 30.0).frames(), 61);
        assert_eq!(Track::resample(raw(121, 60.0), None, 30.0).frames(), 61);
        assert_eq!(Track::resample(raw(100, 120.0), None, 60.0).frames(), 50);
    }

    #[test]
    fn a_loop_keeps_its_period_when_resampled() {
        let mut clip = raw(30, 30.0);
        clip.looping = true;
        assert_eq!(Track::resample(clip.clone(), None, 60.0).frames(), 60);
        assert_eq!(Track::resample(clip.clone(), None, 20.0).frames(), 20);
    }

    #[test]
    fn a_cut_takes_its_annotations_along() {
        let mut clip = raw(60, 30.0);
        clip.annotations.tags.push(TagRange { name: "t".into(), range: TimeRange { start_s: 1.0, end_s: 2.0 } });
        clip.annotations.costs.push(CostRange { cost: 0.5, range: TimeRange { start_s: 1.5, end_s: 2.0 } });
        clip.annotations.events.push(ClipEvent { name: "e".into(), time_s: 1.5 });
        let part = Track::resample(clip.clone(), None, 30.0).cut(30, 60, "c[1]".into());
        assert_eq!(part.frames(), 30);
        assert_eq!(part.source_start_s, 1.0);
        assert_eq!(part.annotations.tags[0].range, TimeRange { start_s: 0.0, end_s: 1.0 });
        assert_eq!(part.annotations.costs[0].range, TimeRange { start_s: 0.5, end_s: 1.0 });
        assert_eq!(part.annotations.events[0].time_s, 0.5);
    }
}
