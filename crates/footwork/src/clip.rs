//! Motion clips from importers and generators.

use crate::error::{cut_quotes, quoted};
use crate::frames::FARTHEST_M;
use crate::math::{Quat, Transform};
use crate::skeleton::Skeleton;
use glam::Vec3;
use std::ops::Range;

/// A motion clip before the build: local transforms per frame, struct of arrays, metres, +Y up.
///
/// Joint 0 may be a root bone on the ground or the hips: the builder detects which, and detects the facing.
#[derive(Clone, Debug, PartialEq)]
pub struct RawClip {
    /// Unique name within a build. Importers use the file stem by default.
    pub name: String,
    /// Source (a path or a generator), for messages.
    pub source: String,
    /// Its joints.
    pub skeleton: Skeleton,
    /// Frames per second.
    pub rate_hz: f32,
    /// True if the last frame leads back to the first, or repeats it. If false, the builder decides, unless
    /// [`Annotations::loops`] is set.
    pub looping: bool,
    /// `[frames x joints]` local translations.
    pub translations: Vec<Vec3>,
    /// `[frames x joints]` local rotations, unit length.
    pub rotations: Vec<Quat>,
    /// Annotations beside the poses.
    pub annotations: Annotations,
}

/// Annotations of a clip in time, all in seconds from its first frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Whether the clip is a loop, as set by the user or found by the builder. `None`: the builder decides.
    pub loops: Option<bool>,
    /// Known contacts. If empty, the builder detects them.
    pub contacts: Vec<ContactTrack>,
    /// Named ranges that a search can require or exclude.
    pub tags: Vec<TagRange>,
    /// Excluded ranges: they are never played or analysed, and the clip is split there.
    pub discard: Vec<TimeRange>,
    /// Ranges that are played, but to which transitions are blocked.
    pub do_not_enter: Vec<TimeRange>,
    /// Ranges with a cost bias for transitions to them.
    pub costs: Vec<CostRange>,
    /// Named events that are reported when playback passes them.
    pub events: Vec<ClipEvent>,
    /// Named functions of time. They are stored beside the poses, and are the source of user channels of the same name.
    pub curves: Vec<Curve>,
}

impl Annotations {
    /// Reduces the annotations to the frames `frames`; times become relative to the first of them. Contacts are cut. Other
    /// annotations outside of the range are kept, and readers must ignore them. Excluded ranges are removed, because a cut is a
    /// clip of its own.
    pub fn cut(&mut self, frames: Range<usize>, rate_hz: f32) {
        for c in &mut self.contacts {
            c.on = c.on[frames.clone()].to_vec();
        }
        self.shift(-(frames.start as f32 / rate_hz));
        self.discard.clear();
    }

    /// Shifts all times by some seconds.
    pub(crate) fn shift(&mut self, by_s: f32) {
        let named = self.tags.iter_mut().map(|t| &mut t.range).chain(self.costs.iter_mut().map(|c| &mut c.range));
        for r in named.chain(&mut self.do_not_enter) {
            r.start_s += by_s;
            r.end_s += by_s;
        }
        for e in &mut self.events {
            e.time_s += by_s;
        }
        for c in &mut self.curves {
            c.times_s.iter_mut().for_each(|t| *t += by_s);
        }
    }
}

/// Contact labels of a joint with the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTrack {
    /// Joint name.
    pub joint: String,
    /// `[frames]`.
    pub on: Vec<bool>,
}

/// A half-open time range, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    /// Start, inclusive.
    pub start_s: f32,
    /// End, exclusive.
    pub end_s: f32,
}

impl TimeRange {
    /// Returns true for times in the range.
    pub fn contains(&self, time_s: f32) -> bool {
        self.start_s <= time_s && time_s < self.end_s
    }
}

/// A named range.
#[derive(Clone, Debug, PartialEq)]
pub struct TagRange {
    /// Tag.
    pub name: String,
    /// Range in which the tag applies.
    pub range: TimeRange,
}

/// A range with a cost bias for transitions to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostRange {
    /// Cost added to a transition, in the squared units of the normalised features, 0 or more. The costs of overlapping ranges
    /// add up.
    pub cost: f32,
    /// Range in which the cost applies.
    pub range: TimeRange,
}

/// A named event.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipEvent {
    /// Name of the event.
    pub name: String,
    /// Time, in seconds.
    pub time_s: f32,
}

/// A function of time, defined by keys: linear between them, constant outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name.
    pub name: String,
    /// Number of values per key, at least 1.
    pub width: usize,
    /// `[keys]` ascending times, in seconds.
    pub times_s: Vec<f32>,
    /// `[keys x width]`.
    pub values: Vec<f32>,
}

impl Curve {
    /// Writes the value at a time to `out`, `[width]`; zeros if there are no keys.
    pub fn sample(&self, time_s: f32, out: &mut [f32]) {
        let n = self.times_s.len();
        let Some(last) = n.checked_sub(1) else {
            out.fill(0.0);
            return;
        };
        let b = self.times_s.partition_point(|t| *t <= time_s).min(last);
        let a = if self.times_s[b] <= time_s { b } else { b.saturating_sub(1) };
        let span = self.times_s[b] - self.times_s[a];
        let t = if span > 0.0 { ((time_s - self.times_s[a]) / span).clamp(0.0, 1.0) } else { 0.0 };
        for (i, o) in out.iter_mut().enumerate().take(self.width) {
            *o = crate::math::lerp(self.values[a * self.width + i], self.values[b * self.width + i], t);
        }
    }
}

/// Reason why a clip is rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The lengths of the arrays do not agree.
    #[error(
        "clip `{clip}`: {translations} translations and {rotations} rotations do not make whole frames of {joints} \
         joints",
        clip = quoted(.clip)
    )]
    Shape {
        /// Name of the clip.
        clip: String,
        /// Number of translations found.
        translations: usize,
        /// Number of rotations found.
        rotations: usize,
        /// Number of joints per frame.
        joints: usize,
    },
    /// The clip has no frames.
    #[error("clip `{clip}` has no frames", clip = quoted(.clip))]
    NoFrames {
        /// Name of the clip.
        clip: String,
    },
    /// The frame rate is invalid.
    #[error(
        "clip `{clip}`: a rate of {rate_hz} frames per second is not usable: expected 1 to 1000",
        clip = quoted(.clip)
    )]
    Rate {
        /// Name of the clip.
        clip: String,
        /// Frame rate found, in frames per second.
        rate_hz: f32,
    },
    /// A value is NaN or infinite.
    #[error(
        "clip `{clip}`, frame {frame}, joint `{joint}`: not a finite number",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    NotFinite {
        /// Name of the clip.
        clip: String,
        /// Index of the frame.
        frame: usize,
        /// Name of the joint.
        joint: String,
    },
    /// A position is implausibly far from the origin.
    #[error(
        "clip `{clip}`, frame {frame}, joint `{joint}`: position: expected less than 2^30 m along every axis, found \
         {found_m:e} m; check the unit of the file, or export it again",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    TooFar {
        /// Name of the clip.
        clip: String,
        /// Index of the frame.
        frame: usize,
        /// Name of the joint.
        joint: String,
        /// Component with the greatest magnitude, in metres.
        found_m: f32,
    },
    /// A position of the rest pose is implausibly far from the origin.
    #[error(
        "clip `{clip}`, joint `{joint}`, rest pose: position: expected less than 2^30 m along every axis, found {found_m:e} m; \
         check the unit of the file, or export it again",
        clip = quoted(.clip), joint = quoted(.joint)
    )]
    RestTooFar {
        /// Name of the clip.
        clip: String,
        /// Name of the joint.
        joint: String,
        /// Component with the greatest magnitude, in metres.
        found_m: f32,
    },
    /// An annotation is invalid.
    #[error("clip `{clip}`: {what}", clip = quoted(.clip), what = cut_quotes(.what))]
    Annotation {
        /// Name of the clip.
        clip: String,
        /// The problem and how to fix it.
        what: String,
    },
}

impl RawClip {
    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.rotations.len() / self.skeleton.len()
    }

    /// Returns the time from the first frame to the last, in seconds.
    pub fn seconds(&self) -> f32 {
        self.frames().saturating_sub(1) as f32 / self.rate_hz
    }

    /// Writes the world transforms of all joints of a frame to `world`, `[joints]`, which is resized.
    ///
    /// # Panics
    /// Panics if the clip does not have the frame.
    pub fn world(&self, frame: usize, world: &mut Vec<Transform>) {
        let first = frame * self.skeleton.len();
        let local = |j: usize| Transform::new(self.translations[first + j], self.rotations[first + j]);
        self.skeleton.place(local, world);
    }

    /// Checks shapes, rate, numbers (finite, positions within 2^30 m) and annotations.
    ///
    /// # Errors
    /// Returns the first problem, with clip, frame and joint.
    pub fn validate(&self) -> Result<(), ClipError> {
        let clip = || self.name.clone();
        let joints = self.skeleton.len();
        if self.translations.len() != self.rotations.len() || !self.rotations.len().is_multiple_of(joints) {
            return Err(ClipError::Shape {
                clip: clip(),
                translations: self.translations.len(),
                rotations: self.rotations.len(),
                joints,
            });
        }
        if self.rotations.is_empty() {
            return Err(ClipError::NoFrames { clip: clip() });
        }
        if !(1.0..=1000.0).contains(&self.rate_hz) {
            return Err(ClipError::Rate { clip: clip(), rate_hz: self.rate_hz });
        }
        let bad = self.translations.iter().zip(&self.rotations).position(|(t, r)| !t.is_finite() || !r.is_finite());
        if let Some(i) = bad {
            let joint = self.skeleton.names()[i % joints].clone();
            return Err(ClipError::NotFinite { clip: clip(), frame: i / joints, joint });
        }
        let farthest = |t: &Vec3| t.abs().max_element();
        let name = |joint: usize| self.skeleton.names()[joint].clone();
        let rest = self.skeleton.rest();
        if let Some(j) = rest.iter().position(|r| farthest(&r.translation) >= FARTHEST_M) {
            let (joint, found_m) = (name(j), farthest(&rest[j].translation));
            return Err(ClipError::RestTooFar { clip: clip(), joint, found_m });
        }
        if let Some(i) = self.translations.iter().position(|t| farthest(t) >= FARTHEST_M) {
            let (frame, joint, found_m) = (i / joints, name(i % joints), farthest(&self.translations[i]));
            return Err(ClipError::TooFar { clip: clip(), frame, joint, found_m });
        }
        self.validate_annotations()
    }

    /// Checks the annotations for [`RawClip::validate`].
    pub(crate) fn validate_annotations(&self) -> Result<(), ClipError> {
        let clip = || self.name.clone();
        let wrong = |what: String| Err(ClipError::Annotation { clip: clip(), what });
        let a = &self.annotations;
        for c in &a.contacts {
            if self.skeleton.find(&c.joint).is_none() {
                return wrong(format!("contacts name a joint `{}` that the skeleton lacks", c.joint));
            }
            if c.on.len() != self.frames() {
                return wrong(format!(
                    "contacts of `{}` have {} frames, the clip {}",
                    c.joint,
                    c.on.len(),
                    self.frames()
                ));
            }
        }
        let named = a.tags.iter().map(|t| t.range).chain(a.costs.iter().map(|c| c.range));
        for r in named.chain(a.discard.iter().copied()).chain(a.do_not_enter.iter().copied()) {
            if !(r.start_s.is_finite() && r.end_s.is_finite() && r.start_s < r.end_s) {
                return wrong(format!("a range from {} s to {} s is empty: the end must be later", r.start_s, r.end_s));
            }
        }
        if let Some(c) = a.costs.iter().find(|c| !(0.0..=f32::MAX).contains(&c.cost)) {
            return wrong(format!("a cost of {}: expected 0 or more", c.cost));
        }
        for e in &a.events {
            if !e.time_s.is_finite() {
                return wrong(format!("event `{}` lies at {} s", e.name, e.time_s));
            }
        }
        for c in &a.curves {
            let shaped = c.width > 0 && c.values.len() == c.times_s.len() * c.width;
            let finite = c.values.iter().chain(&c.times_s).all(|v| v.is_finite());
            if !shaped || !finite || !c.times_s.is_sorted() {
                return wrong(format!(
                    "curve `{}` needs keys in order of time, each with {} finite values",
                    c.name, c.width
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
