//! Motion to select from: clips, a database or a recorded run, read frame by frame on request.

use crate::action_list;
use crate::database::name_fits;
use crate::run::Driven;
use anyhow::{Result, bail};
use footwork::actions::{Action, Actions};
use footwork::advanced::error::nearest;
use footwork::clip::RawClip;
use footwork::database::Database;
use footwork::frames::ClipIndex;
use footwork::math::Transform;
use footwork::pose::{Pose, PoseVelocity};
use footwork::rig::Rig;
use footwork::skeleton::Skeleton;
use footwork_draw::motion::{Motion, MotionPart, Track, flat};
use footwork_draw::shapes::cut;
use footwork_metrics::ground::GroundKind;
use footwork_metrics::machine_log::MachineLog;
use glam::Vec3;
use std::sync::Arc;

/// Time loaded before a span for the traces of the feet, in seconds.
pub const BEFORE_S: f64 = 0.5;

/// Maximum number of joints of all filmed frames: about half a gigabyte.
const MOST_TRANSFORMS: usize = 20_000_000;
/// Largest distance from the origin, in metres: beyond it, positions are less exact than 6 cm.
const FAR_M: f32 = 1e6;
/// Minimum path length on the ground of a clip that counts as travelling, in metres.
const TRAVELS_M: f32 = 0.5;
/// Maximum number of characters of a name kept per frame.
const MOST_CHARS: usize = 80;

/// Motion to select from; frames are read on request.
pub struct Reel {
    /// Source, for the heading.
    pub source: String,
    pub skeleton: Skeleton,
    pub rig: Rig,
    pub rate_hz: f32,
    pub takes: Vec<Take>,
    pub data: Data,
}

/// A clip of a reel.
#[derive(Clone, Debug)]
pub struct Take {
    pub name: String,
    /// First frame, in frames of the clip.
    pub first: usize,
    pub frames: usize,
    /// True for a loop.
    pub looping: bool,
    pub mirrored: bool,
    /// Index of the clip in the data.
    pub index: usize,
}

/// Data that contains the poses.
pub enum Data {
    Clips(Vec<RawClip>),
    Database(Box<Database>),
    Run(Box<Run>),
}

/// A simulated or replayed run.
pub struct Run {
    pub driven: Arc<Driven>,
    /// Names of the clips of its database.
    pub clips: Vec<String>,
}

impl Reel {
    pub fn is_run(&self) -> bool {
        matches!(self.data, Data::Run(_))
    }

    /// Returns the ground of a recorded run.
    pub fn ground(&self) -> Option<GroundKind> {
        match &self.data {
            Data::Run(run) => run.driven.ground,
            Data::Clips(_) | Data::Database(_) => None,
        }
    }

    /// Keeps one clip, by name or number.
    pub fn choose(&mut self, wanted: &str) -> Result<()> {
        let by_name = self.takes.iter().position(|t| t.name == wanted);
        let by_number = || wanted.parse::<usize>().ok().filter(|n| *n < self.takes.len());
        let Some(i) = by_name.or_else(by_number) else {
            let names = self.takes.iter().map(|t| t.name.as_str());
            let hint = nearest(wanted, names).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            let last = self.takes.len() - 1;
            bail!("{}: unknown clip `{wanted}`{hint}: expected a name, or a number from 0 to {last}", self.source);
        };
        self.takes = vec![self.takes[i].clone()];
        Ok(())
    }

    /// Removes stored mirror images.
    pub fn originals(&mut self) {
        self.takes.retain(|t| !t.mirrored);
    }

    /// Replaces the clips by the actions that are read from them: each from 1 s before its wind-up to its end.
    pub fn actions(&mut self) -> Result<()> {
        let Data::Database(db) = &self.data else { bail!("--actions: {}: expected a database", self.source) };
        let frame = |time_s: f32| (time_s * self.rate_hz) as usize;
        let take = |action: &Action| {
            let first_s = action.entries.first().map_or(0.0, |entry| entry.time_s);
            let first = frame((action.phases.wind_up_s - 1.0).max(first_s));
            let last = frame(action.end_s.min(action.phases.recovery_s + 0.5));
            let name = format!("{}, {}", action_list::name(db, action), action_list::shape(action));
            let (index, mirrored) = (action.clip.at(), action.mirrored);
            Take { name, first, frames: last - first + 1, looping: false, mirrored, index }
        };
        let takes: Vec<Take> = Actions::of(db).all().iter().map(take).collect();
        if takes.is_empty() {
            bail!("--actions: {}: no clip with the tag `{}` has an action", self.source, Database::NO_LOCOMOTION);
        }
        self.takes = takes;
        Ok(())
    }

    /// Sorts travelling clips before in-place clips; the order is otherwise unchanged.
    pub fn travelling_first(&mut self) {
        let mut takes = std::mem::take(&mut self.takes);
        takes.sort_by_cached_key(|take| self.travel_m(take) < TRAVELS_M);
        self.takes = takes;
    }

    /// Returns the length of the path of a take's root on the ground, from some of its frames, in metres.
    fn travel_m(&self, take: &Take) -> f32 {
        const SAMPLES: usize = 9;
        let (mut world, mut contacts) = (Vec::new(), Vec::new());
        for k in 0..SAMPLES {
            self.pose(take, k * (take.frames - 1) / (SAMPLES - 1), &mut world, &mut contacts);
        }
        let roots: Vec<Vec3> = world.iter().step_by(self.skeleton.len()).map(|t| t.translation).collect();
        roots.windows(2).map(|pair| flat(pair[1] - pair[0]).length()).sum()
    }

    /// Keeps the clips whose name contains a text, or matches a pattern with `*`.
    pub fn filter(&mut self, wanted: &str) -> Result<()> {
        let fits = |name: &str| name_fits(wanted, name);
        if !self.takes.iter().any(|t| fits(&t.name)) {
            let names = self.takes.iter().map(|t| t.name.as_str());
            let hint = nearest(wanted, names).map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            bail!("{}: no clip name contains `{wanted}`{hint}", self.source);
        }
        self.takes.retain(|t| fits(&t.name));
        Ok(())
    }

    /// Returns the length of all takes in sequence, in seconds. The last frame has no length.
    pub fn seconds(&self) -> f64 {
        let frames: usize = self.takes.iter().map(|t| t.frames).sum();
        (frames - 1) as f64 / f64::from(self.rate_hz)
    }

    /// True for a single loop: its time is unlimited.
    pub fn endless(&self) -> bool {
        self.takes.len() == 1 && self.takes[0].looping
    }

    /// Reads a frame of a take; it may lie beyond the end of a loop.
    fn pose(&self, take: &Take, frame: usize, world: &mut Vec<Transform>, contacts: &mut Vec<u8>) {
        let frame = take.first + frame;
        let joints = self.skeleton.len();
        let slots = self.rig.contact_joints.len();
        let mut pose = Pose::rest(&self.skeleton);
        let raw = |pose: &mut Pose, translations: &[Vec3], rotations: &[footwork::math::Quat]| {
            pose.translations.copy_from_slice(&translations[frame * joints..][..joints]);
            pose.rotations.copy_from_slice(&rotations[frame * joints..][..joints]);
        };
        match &self.data {
            Data::Clips(clips) => {
                let c = &clips[take.index];
                raw(&mut pose, &c.translations, &c.rotations);
                contacts.extend(c.annotations.contacts.iter().map(|t| u8::from(t.on[frame])));
            }
            Data::Database(db) => {
                let (clip, mirrored) = (ClipIndex::new(take.index), db.clips[take.index].mirrored);
                let time_s = frame as f64 / f64::from(self.rate_hz);
                db.view(clip, mirrored).sample(time_s, &mut pose, &mut PoseVelocity::zero(joints));
                let start = contacts.len();
                contacts.resize(start + slots, 0);
                db.contacts_at(clip, mirrored, time_s, &mut contacts[start..]);
            }
            Data::Run(run) => {
                raw(&mut pose, &run.driven.translations, &run.driven.rotations);
                contacts.extend_from_slice(&run.driven.contacts[frame * slots..][..slots]);
            }
        }
        let mut joints_in_world = Vec::with_capacity(joints);
        pose.world(&self.skeleton, &mut joints_in_world);
        world.append(&mut joints_in_world);
    }

    /// Returns sampled frames of all takes, to measure the body.
    ///
    /// # Errors
    /// Returns an error if a position or rotation is not finite, or too far away.
    pub fn samples(&self) -> Result<Motion> {
        const MOST: usize = 600;
        let all: usize = self.takes.iter().map(|t| t.frames).sum();
        let mut motion = self.empty(0.0);
        for k in 0..MOST.min(all) {
            let mut frame = k * all / MOST.min(all);
            let mut take = 0;
            while frame >= self.takes[take].frames {
                frame -= self.takes[take].frames;
                take += 1;
            }
            self.pose(&self.takes[take], frame, &mut motion.world, &mut motion.contacts);
        }
        self.check(motion)
    }

    fn empty(&self, first_s: f64) -> Motion {
        Motion {
            rate_hz: self.rate_hz,
            first_s,
            joints: self.skeleton.len(),
            world: Vec::new(),
            slots: self.rig.contact_joints.len(),
            contacts: Vec::new(),
            transitions: Vec::new(),
            parts: Vec::new(),
            borders: Vec::new(),
            playing: Vec::new(),
            commanded: Vec::new(),
            tracks: Vec::new(),
        }
    }

    /// Returns the frames from shortly before `from_s` to `to_s`, with the takes in sequence.
    ///
    /// # Errors
    /// Returns an error if there are too many frames, or if a position or rotation is not finite, or too far away.
    pub fn motion(&self, from_s: f64, to_s: f64) -> Result<Motion> {
        let rate = f64::from(self.rate_hz);
        let frame = |s: f64| (s * rate).round().max(0.0) as usize;
        let (first, last) = (frame(from_s - BEFORE_S), frame(to_s));
        let (frames, joints) = (last.saturating_sub(first), self.skeleton.len());
        if frames.saturating_mul(joints) > MOST_TRANSFORMS {
            bail!(
                "{}: {frames} frames of {joints} joints: expected at most {} frames in one picture; select fewer \
                 seconds (--from, --to)",
                self.source,
                MOST_TRANSFORMS / joints
            );
        }
        let mut motion = self.empty(first as f64 / rate);
        let mut start = 0;
        for take in &self.takes {
            let frames = if self.endless() { usize::MAX } else { take.frames };
            let (a, b) = (first.max(start), (last + 1).min(start.saturating_add(frames)));
            for f in a..b.max(a) {
                let at = f - start;
                if at % take.frames == 0 || f == a {
                    let round = at / take.frames;
                    let name = cut(&take.name, MOST_CHARS);
                    let name = if round > 0 { format!("{name} round {}", round + 1) } else { name };
                    motion.parts.push(MotionPart { start: f - first, name, apart: round == 0 });
                }
                self.pose(take, at, &mut motion.world, &mut motion.contacts);
            }
            start = start.saturating_add(frames);
        }
        motion.borders = motion.parts.iter().filter(|p| p.apart).map(|p| p.start).collect();
        if let Data::Run(run) = &self.data {
            follow(&mut motion, run, first);
        }
        self.check(motion)
    }

    /// Rejects positions that are too large to be drawn.
    fn check(&self, motion: Motion) -> Result<Motion> {
        let far = |t: &Transform| {
            let near = t.translation.abs().max_element() <= FAR_M;
            !(near && t.translation.is_finite() && t.rotation.is_finite())
        };
        let Some(i) = motion.world.iter().position(far) else { return Ok(motion) };
        let joints = self.skeleton.len();
        let (joint, t) = (&self.skeleton.names()[i % joints], motion.world[i]);
        let what = if t.translation.is_finite() && t.rotation.is_finite() {
            format!("expected a position within {:.0} km of the origin, found {} m", FAR_M / 1000.0, t.translation)
        } else {
            "expected a finite position and rotation, found NaN or infinity".to_owned()
        };
        let time_s = motion.time_s(i / joints);
        bail!("{}, {time_s:.2} s, joint `{joint}`: {what}; check the file and its units", self.source)
    }

    /// Returns all frames of one take.
    ///
    /// # Errors
    /// Returns an error if a position or rotation is not finite, or too far away.
    pub fn motion_of(&self, take: &Take) -> Result<Motion> {
        let mut motion = self.empty(0.0);
        for f in 0..take.frames {
            self.pose(take, f, &mut motion.world, &mut motion.contacts);
        }
        if let Data::Run(run) = &self.data {
            follow(&mut motion, run, 0);
        }
        self.check(motion)
    }
}

/// Adds transitions, playing clips, commands and parts of a run.
fn follow(motion: &mut Motion, run: &Run, first: usize) {
    let driven = &run.driven;
    let range = first..first + motion.frames();
    for f in range.clone() {
        if driven.transition_counts[f] > 0 {
            motion.transitions.push((f - first, driven.transition_counts[f]));
        }
        let playing = &driven.playing[f];
        let mirrored = if playing.mirrored { " mirrored" } else { "" };
        let name = run.clips.get(playing.clip.at()).map_or("", String::as_str);
        motion.playing.push(format!("{}{mirrored}", cut(name, MOST_CHARS)));
    }
    motion.commanded.extend(driven.commanded[range.clone()].iter().map(|s| s.position));
    motion.tracks = tracks(&driven.machine);
    let part = |p: &(usize, String)| MotionPart { start: p.0.saturating_sub(first), name: p.1.clone(), apart: false };
    let begun = driven.parts.iter().rev().find(|p| p.0 <= first).map(part);
    let begin = driven.parts.iter().filter(|p| p.0 > first && p.0 < range.end).map(part);
    motion.parts = begun.into_iter().chain(begin).collect();
}

/// Returns the tracks of a state machine: its states, and the montages of each layer that played one. Empty without a state
/// machine.
pub fn tracks(log: &MachineLog) -> Vec<Track> {
    if log.states.is_empty() {
        return Vec::new();
    }
    let states = log.states.iter().map(|stay| ([stay.from_s, stay.to_s], stay.state.clone())).collect();
    let mut tracks = vec![Track { name: "state".to_owned(), spans: states }];
    for played in &log.montages {
        let span = ([played.from_s, played.to_s], played.montage.clone());
        match tracks[1..].iter_mut().find(|track| track.name == played.layer) {
            Some(track) => track.spans.push(span),
            None => tracks.push(Track { name: played.layer.clone(), spans: vec![span] }),
        }
    }
    tracks
}
